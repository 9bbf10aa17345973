//! The eight fields of a schedule.

use core::fmt;

/// A field of a schedule, from the year to the millisecond.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::Field;
///
/// assert_eq!(Field::Hour.to_string(), "hour");
/// assert_eq!((Field::Hour.min_value(), Field::Hour.max_value()), (0, 23));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a schedule always has these eight fields")]
pub enum Field {
    /// The year, 2000-2100.
    Year,
    /// The month, 1-12 or Jan-Dec.
    Month,
    /// The day of the month, 1-31, and 32 for the last day.
    Day,
    /// The weekday, 0-6 or Sun-Sat. 0 is Sunday.
    Weekday,
    /// The hour, 0-23.
    Hour,
    /// The minute, 0-59.
    Minute,
    /// The second, 0-59.
    Second,
    /// The millisecond, 0-999.
    Millisecond,
}

impl Field {
    /// Returns the lowest number that a schedule may have in this field.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!(Field::Year.min_value(), 2000);
    /// assert_eq!(Field::Month.min_value(), 1);
    /// assert_eq!(Field::Hour.min_value(), 0);
    /// ```
    #[must_use]
    pub const fn min_value(self) -> u16 {
        match self {
            Self::Year => 2000,
            Self::Month | Self::Day => 1,
            _ => 0,
        }
    }

    /// Returns the highest number that a schedule may have in this field. For the
    /// day of the month, this is 32, the last day of the month.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!(Field::Year.max_value(), 2100);
    /// assert_eq!(Field::Day.max_value(), 32);
    /// assert_eq!(Field::Second.max_value(), 59);
    /// ```
    #[must_use]
    pub const fn max_value(self) -> u16 {
        match self {
            Self::Year => 2100,
            Self::Month => 12,
            Self::Day => 32,
            Self::Weekday => 6,
            Self::Hour => 23,
            Self::Minute | Self::Second => 59,
            Self::Millisecond => 999,
        }
    }

    /// Returns the highest number that `*` includes: [`max_value`](Self::max_value), except for the
    /// day of the month, where it is 31, because 32 is just another name for one of those days.
    #[must_use]
    pub(crate) const fn last(self) -> u16 {
        match self {
            Self::Day => 31,
            _ => self.max_value(),
        }
    }

    /// Returns the unit of a field of the time of day, in milliseconds.
    pub(crate) const fn unit(self) -> u32 {
        match self {
            Self::Hour => 3_600_000,
            Self::Minute => 60_000,
            Self::Second => 1000,
            _ => 1,
        }
    }

    /// Returns the number of values that a field of the time of day could have.
    pub(crate) const fn radix(self) -> u32 {
        self.max_value() as u32 + 1
    }

    /// Returns the value of a three-letter name, in any case.
    pub(crate) fn value_named(self, name: &str) -> Option<u16> {
        self.value_where(|long| long[..NAME_LEN].eq_ignore_ascii_case(name))
    }

    /// Returns the value of a three-letter or full name, in any case.
    pub(crate) fn value_with_name(self, name: &str) -> Option<u16> {
        self.value_where(|long| {
            [long, &long[..NAME_LEN]].iter().any(|it| it.eq_ignore_ascii_case(name))
        })
    }

    fn value_where(self, is_name: impl Fn(&str) -> bool) -> Option<u16> {
        let (value, _) =
            (self.min_value()..).zip(self.long_names()).find(|(_, long)| is_name(long))?;
        Some(value)
    }

    /// Returns the first three letters of the English name of a month, 1-12, or of a weekday, 0-6
    /// from Sunday. Other values and other fields have none.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!(Field::Month.name_of(2), Some("Feb"));
    /// assert_eq!(Field::Weekday.name_of(0), Some("Sun"));
    /// assert_eq!(Field::Hour.name_of(0), None);
    /// ```
    #[must_use]
    pub fn name_of(self, value: u16) -> Option<&'static str> {
        Some(&self.long_name_of(value)?[..NAME_LEN])
    }

    /// Returns the full English name of a month, 1-12, or of a weekday, 0-6 from Sunday. Other
    /// values and other fields have none.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!(Field::Month.long_name_of(2), Some("February"));
    /// assert_eq!(Field::Weekday.long_name_of(0), Some("Sunday"));
    /// assert_eq!(Field::Hour.long_name_of(0), None);
    /// ```
    #[must_use]
    pub fn long_name_of(self, value: u16) -> Option<&'static str> {
        let index = usize::from(value.checked_sub(self.min_value())?);
        self.long_names().get(index).copied()
    }

    /// Returns the name that `word` is a form of: an English name such as `Monday`, or
    /// an unambiguous beginning of it such as `Tues` or `Mo`.
    pub(crate) fn name_like(self, word: &str) -> Option<&'static str> {
        let mut names = self.long_names().iter().filter(|long| {
            let start = long.get(..word.len());
            word.len() > 1 && start.is_some_and(|start| start.eq_ignore_ascii_case(word))
        });
        let name = &names.next()?[..NAME_LEN];
        names.next().is_none().then_some(name)
    }

    /// Returns the full English names of the values, from the lowest.
    const fn long_names(self) -> &'static [&'static str] {
        match self {
            Self::Month => &[
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ],
            Self::Weekday => {
                &["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
            }
            _ => &[],
        }
    }
}

/// The length of the names in a schedule, which are the first letters of the long names.
const NAME_LEN: usize = 3;

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day of month",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
        })
    }
}

/// Whether a word is a list or range of weekdays, perhaps misspelled, as `Mon-Fri` and `Monn` are, and `monitor` and
/// `sun-report` are not.
#[must_use]
pub fn is_like_weekdays(word: &str) -> bool {
    let is_name = |part: &str| {
        let start = part.get(..NAME_LEN).unwrap_or_default();
        let mut names = Field::Weekday.long_names().iter();
        names.any(|name| name[..NAME_LEN].eq_ignore_ascii_case(start))
            && part.bytes().all(|byte| byte.is_ascii_alphabetic())
            && (part.len() <= NAME_LEN + 1 || Field::Weekday.name_like(part).is_some())
    };
    let is_like = |part: &str| is_name(part) || part.bytes().all(|byte| byte.is_ascii_digit());
    word.split(['-', ',', '/', '#']).all(is_like)
}
