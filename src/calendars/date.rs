//! [`CivilDate`]: the dates with which calendars are queried.

use crate::CalendarDigits;

/// A civil date, with which a [`Calendar`](crate::Calendar) is made and queried.
///
/// | type | meaning | feature |
/// | --- | --- | --- |
/// | [`CalendarDigits`] | the date of that civil time; answers are midnights | |
/// | `jiff::civil::Date` | | `jiff` |
/// | `chrono::NaiveDate` | | `chrono` |
/// | `time::Date` | | `time` |
///
/// This trait is sealed: you cannot implement it for your own types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a civil date",
    note = "a civil date is a `millicron::CalendarDigits` or, with the features `jiff`, `chrono` and \
            `time`, a `jiff::civil::Date`, `chrono::NaiveDate` or `time::Date`"
)]
pub trait CivilDate: Copy + Sealed {}

/// The part of [`CivilDate`] that only this crate implements.
pub trait Sealed: Sized {
    /// Returns the year, the month and the day.
    fn date(&self) -> (i32, u8, u8);

    /// Returns a date from 2000 to 2100; `None` if the type cannot represent it.
    fn of(year: i32, month: u8, day: u8) -> Option<Self>;
}

impl CivilDate for CalendarDigits {}

impl Sealed for CalendarDigits {
    #[inline]
    fn date(&self) -> (i32, u8, u8) {
        (self.year(), self.month(), self.day())
    }

    #[inline]
    fn of(year: i32, month: u8, day: u8) -> Option<Self> {
        Some(Self::midnight(year, month, day))
    }
}
