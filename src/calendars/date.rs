//! [`CivilDate`]: the dates with which calendars are queried.

use crate::CalendarDigits;
use crate::calendar::MILLIS_PER_DAY;

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
    /// Returns the number of days since 1970-01-01.
    fn day_number(&self) -> i64;

    /// Returns the date at a number of days since 1970-01-01, which is within 2000-2100; `None` if
    /// the type cannot represent it.
    fn at(day_number: i64) -> Option<Self>;
}

impl CivilDate for CalendarDigits {}

impl Sealed for CalendarDigits {
    fn day_number(&self) -> i64 {
        self.to_millis().div_euclid(MILLIS_PER_DAY)
    }

    fn at(day_number: i64) -> Option<Self> {
        Some(Self::from_millis(day_number * MILLIS_PER_DAY))
    }
}
