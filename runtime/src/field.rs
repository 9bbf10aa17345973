//! The eight fields of a schedule.

use core::fmt;

/// A field of a schedule, from the year down to the millisecond; with the
/// numbers, and the names, that may be written in it.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::Field;
///
/// assert_eq!(Field::Hour.to_string(), "hour");
/// assert_eq!((Field::Hour.min(), Field::Hour.max()), (0, 23));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The year, 2000-2100.
    Year,
    /// The month, 1-12 or Jan-Dec.
    Month,
    /// The day of the month, 1-31, and 32 for the last day.
    Day,
    /// The weekday, 0-6 or Sun-Sat; 0 is Sunday.
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
    /// The lowest number that a schedule may have in this field.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!((Field::Year.min(), Field::Month.min(), Field::Hour.min()), (2000, 1, 0));
    /// ```
    #[must_use]
    pub const fn min(self) -> u16 {
        match self {
            Self::Year => 2000,
            Self::Month | Self::Day => 1,
            _ => 0,
        }
    }

    /// The highest number that a schedule may have in this field; for the day
    /// of the month that is 32, the last day.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::Field;
    ///
    /// assert_eq!((Field::Year.max(), Field::Day.max(), Field::Second.max()), (2100, 32, 59));
    /// ```
    #[must_use]
    pub const fn max(self) -> u16 {
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

    /// The highest number that `*` stands for: [`max`](Self::max), but 31 for
    /// the day of the month, where 32 is another name of one of these.
    #[must_use]
    pub(crate) const fn last(self) -> u16 {
        match self {
            Self::Day => 31,
            _ => self.max(),
        }
    }

    /// The names that may stand for the field's numbers, from its lowest.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Month => &[
                "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
            ],
            Self::Weekday => &["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
            _ => &[],
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day of month",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
