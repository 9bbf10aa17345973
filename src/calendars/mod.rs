//! [`Calendar`]: a set of days.

#[cfg(feature = "alloc")]
mod all;
mod compiled;
mod date;
mod days;
#[cfg(feature = "alloc")]
mod make;
#[cfg(feature = "alloc")]
mod named;
#[cfg(feature = "alloc")]
mod schedules;
#[cfg(feature = "alloc")]
mod text;

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Bound, RangeBounds};

use millicron_runtime::days::{date_at, day_index};
use millicron_runtime::{self as runtime, FIRST_DAY, LAST_DAY};

#[cfg(feature = "alloc")]
pub use self::all::NamedCalendarError;
#[doc(hidden)]
pub use self::compiled::{assert_days, compiled, days_of, tables_of, tables_on};
pub use self::date::CivilDate;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "jiff-02", feature = "time"))]
pub(crate) use self::date::Sealed;
pub use self::days::CalendarDays;
#[cfg(feature = "alloc")]
pub use self::make::DateOutOfRange;
#[cfg(feature = "alloc")]
pub(crate) use self::named::ByName;
#[cfg(feature = "alloc")]
pub use self::named::Calendars;

/// A set of days from 2000-01-01 to 2100-12-31: business days, trading days, school days.
///
/// A schedule refers to a calendar by its name: `*.*.* 09:30:00 @nyse` has its events on the days of
/// the calendar `nyse` only, and `*.*.* B#3 09:00:00 @nyse` on the third of them in each month. See
/// [the language](crate#the-language). A calendar also answers questions of its own, such as which
/// business day is two business days after a date.
///
/// A calendar comes from a text ([`parse`](Self::parse)), from dates ([`from_dates`](Self::from_dates)),
/// from the days of a schedule ([`from_schedule`](Self::from_schedule)), from other calendars by `|`,
/// `&`, `-` and `!`, or from a literal: [`calendar!`](crate::calendar!) and
/// [`include_calendar!`](crate::include_calendar!). It takes 6 KiB and is cheap to clone.
///
/// No query visits the days one by one. Dates outside the range are allowed: they are not in the
/// calendar.
///
/// ```
/// use millicron::{Calendar, CalendarDigits};
///
/// let target = Calendar::parse(
///     "*.*.* Mon-Fri
///      - *.1.1
///      - *.Easter-2    # Good Friday
///      - *.Easter+1
///      - *.5.1
///      - *.12.25,26",
/// )?;
/// let maundy_thursday: CalendarDigits = "2026-04-02 00:00:00".parse()?;
/// let next = target.next(maundy_thursday).expect("there are later ones");
/// assert_eq!(next.to_string(), "2026-04-07 00:00:00.000");
/// assert_eq!(target.add(maundy_thursday, 2), target.next(next));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Calendar(pub(crate) runtime::Calendar);

/// The number of days in the range.
#[expect(clippy::cast_possible_truncation, reason = "below 2^16")]
const DAYS: u32 = (LAST_DAY - FIRST_DAY) as u32 + 1;

/// Returns the index of a date: -1 before the range, and [`DAYS`] after it.
#[inline]
fn index<D: CivilDate>(date: &D) -> i32 {
    let (year, month, day) = date.date();
    day_index(year, month, day)
}

/// Returns the date at an index.
#[inline]
fn date_of<D: CivilDate>(index: u32) -> Option<D> {
    let (year, month, day) = date_at(index);
    D::of(year, month, day)
}

impl Calendar {
    /// Whether the calendar has a date.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let friday: CalendarDigits = "2026-11-27 17:00:00".parse()?;
    /// assert!(weekdays.contains(friday));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains<D: CivilDate>(&self, date: D) -> bool {
        self.has(index(&date))
    }

    /// Returns the first day after a date.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// let friday = date("2026-11-27")?;
    /// assert_eq!(weekdays.next(friday), Some(date("2026-11-30")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn next<D: CivilDate>(&self, date: D) -> Option<D> {
        self.ceil(index(&date) + 1)
    }

    /// Returns the date itself if the calendar has it, otherwise the first day after it: ISDA's
    /// "following".
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// let friday = date("2026-11-27")?;
    /// assert_eq!(weekdays.nearest(friday), Some(friday));
    /// assert_eq!(weekdays.nearest(date("2026-11-28")?), Some(date("2026-11-30")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nearest<D: CivilDate>(&self, date: D) -> Option<D> {
        self.ceil(index(&date))
    }

    /// Returns the last day before a date.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// let monday = date("2026-11-30")?;
    /// assert_eq!(weekdays.prev(monday), Some(date("2026-11-27")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn prev<D: CivilDate>(&self, date: D) -> Option<D> {
        self.floor(index(&date) - 1)
    }

    /// Returns the date itself if the calendar has it, otherwise the last day before it: ISDA's
    /// "preceding".
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// let monday = date("2026-11-30")?;
    /// assert_eq!(weekdays.nearest_prev(monday), Some(monday));
    /// assert_eq!(weekdays.nearest_prev(date("2026-11-29")?), Some(date("2026-11-27")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nearest_prev<D: CivilDate>(&self, date: D) -> Option<D> {
        self.floor(index(&date))
    }

    /// Returns the day that is `n` days of the calendar after a date or, if `n` is negative, before
    /// it. A date that the calendar does not have lies between two of its days: 1 is the first day
    /// after it, -1 the last one before it, and 0 the same as 1. `None` if the calendar has not
    /// enough days.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// let thursday = date("2026-11-26")?;
    ///
    /// assert_eq!(weekdays.add(thursday, 2), Some(date("2026-11-30")?));
    /// assert_eq!(weekdays.add(thursday, -4), Some(date("2026-11-20")?));
    ///
    /// let sunday = date("2026-11-29")?;
    /// assert_eq!(weekdays.add(sunday, 1), Some(date("2026-11-30")?));
    /// assert_eq!(weekdays.add(sunday, 0), Some(date("2026-11-30")?));
    /// assert_eq!(weekdays.add(sunday, -1), Some(date("2026-11-27")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn add<D: CivilDate>(&self, date: D, n: i32) -> Option<D> {
        self.0.tables().step(index(&date), n).and_then(date_of)
    }

    /// Returns how many days there are in a range of dates.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let date = |text: &str| format!("{text} 00:00:00").parse::<CalendarDigits>();
    /// assert_eq!(weekdays.count(date("2026-11-01")?..date("2026-12-01")?), 21);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn count<D: CivilDate>(&self, range: impl RangeBounds<D>) -> u32 {
        let start = match range.start_bound() {
            Bound::Included(date) => self.rank(index(date)),
            Bound::Excluded(date) => self.rank(index(date) + 1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(date) => self.rank(index(date) + 1),
            Bound::Excluded(date) => self.rank(index(date)),
            Bound::Unbounded => self.len(),
        };
        end.saturating_sub(start)
    }

    /// Returns the number of days.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.tables().count()
    }

    /// Whether the calendar has no days. Only a combination of others, or a calendar of no dates, can be empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the first day; `None` if there are no days.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let easter = Calendar::parse("*.Easter")?;
    /// let ends = (easter.first::<CalendarDigits>(), easter.last::<CalendarDigits>());
    /// assert_eq!(ends.0, Some("2000-04-23 00:00:00".parse()?));
    /// assert_eq!(ends.1, Some("2100-03-28 00:00:00".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first<D: CivilDate>(&self) -> Option<D> {
        self.ceil(0)
    }

    /// Returns the last day; `None` if there are no days. See [`first`](Self::first) for an example.
    #[must_use]
    pub fn last<D: CivilDate>(&self) -> Option<D> {
        self.floor(DAYS.cast_signed())
    }

    /// Returns the day with `n` days before it; `None` if there are not so many days.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let easter = Calendar::parse("*.Easter")?;
    /// let of_2026 = easter.nth::<CalendarDigits>(26);
    /// assert_eq!(of_2026, Some("2026-04-05 00:00:00".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nth<D: CivilDate>(&self, n: u32) -> Option<D> {
        self.select(n)
    }

    /// Returns the days, in ascending order.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let easter = Calendar::parse("*.Easter")?;
    /// let last = easter.iter::<CalendarDigits>().next_back();
    /// assert_eq!(last.map(|easter| easter.to_string()), Some("2100-03-28 00:00:00.000".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn iter<D: CivilDate>(&self) -> CalendarDays<D> {
        CalendarDays::of(self)
    }

    /// Whether the calendar has the day at an index.
    #[inline]
    fn has(&self, index: i32) -> bool {
        u32::try_from(index).is_ok_and(|day| day < DAYS && self.0.tables().contains(day))
    }

    /// Returns the first day at or after an index.
    fn ceil<D: CivilDate>(&self, index: i32) -> Option<D> {
        let day = u32::try_from(index.max(0)).ok().filter(|day| *day < DAYS)?;
        Some(self.0.tables().ceil(day)).filter(|day| *day < DAYS).and_then(date_of)
    }

    /// Returns the last day at or before an index.
    fn floor<D: CivilDate>(&self, index: i32) -> Option<D> {
        let day = u32::try_from(index.min(DAYS.cast_signed() - 1)).ok()?;
        let day = self.0.tables().floor(day);
        // Before the first day, the search returns 0.
        Some(day).filter(|day| self.0.tables().contains(*day)).and_then(date_of)
    }

    /// Returns the number of days before an index.
    #[inline]
    fn rank(&self, index: i32) -> u32 {
        // The tables also know the days that fill their last word, after the range.
        u32::try_from(index).map_or(0, |day| self.0.tables().rank(day))
    }

    /// Returns the day with `rank` days before it.
    #[inline]
    fn select<D: CivilDate>(&self, rank: u32) -> Option<D> {
        (rank < self.len()).then(|| self.0.tables().select(rank)).and_then(date_of)
    }
}

/// Calendars are equal if they have the same days.
impl PartialEq for Calendar {
    fn eq(&self, other: &Self) -> bool {
        self.0.tables().words() == other.0.tables().words()
    }
}

impl Eq for Calendar {}

impl Hash for Calendar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.tables().words().hash(state);
    }
}

impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calendar")
            .field("len", &self.len())
            .field("first", &self.first::<crate::CalendarDigits>())
            .field("last", &self.last::<crate::CalendarDigits>())
            .finish_non_exhaustive()
    }
}
