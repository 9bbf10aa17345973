//! [`DigitsError`] and its messages.

use core::fmt;

use millicron_runtime::calendar::days_in_month;

use super::CalendarDigits;
use crate::Field;

/// An error creating, parsing or converting [`CalendarDigits`].
///
/// The message names the field that is out of range and its allowed values, or shows the form that
/// the text must have.
///
/// ```
/// use millicron::{CalendarDigits, Field};
///
/// let error = CalendarDigits::new(2021, 2, 29, 12, 0, 0, 0).unwrap_err();
/// assert_eq!(error.field(), Some(Field::Day));
/// assert_eq!(
///     error.to_string(),
///     "day of month 29 is out of range: expected 1-28 in February 2021",
/// );
///
/// let error = "noon".parse::<CalendarDigits>().unwrap_err();
/// assert_eq!(error.field(), None);
/// assert_eq!(
///     error.to_string(),
///     "expected a date and time such as `2021-02-28 12:00:00` or `2021-02-28T12:00:00.000`",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitsError(Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// A field other than the year and the day is out of range.
    Value { field: Field, value: u16 },
    /// The month of this year does not have the day.
    Day { year: i32, month: u8, day: u8 },
    /// The date and time is before `CalendarDigits::MIN` or after `CalendarDigits::MAX`.
    Outside,
    /// A type from another crate does not have this year.
    #[cfg(any(feature = "jiff", feature = "jiff-02", feature = "chrono", feature = "time"))]
    Target { name: &'static str, year: i32, min: i32, max: i32 },
    /// The text has another form than this.
    Form(&'static str),
}

impl DigitsError {
    pub(crate) const OUTSIDE: Self = Self(Reason::Outside);
    pub(super) const FORM: Self = Self(Reason::Form(
        "a date and time such as `2021-02-28 12:00:00` or `2021-02-28T12:00:00.000`",
    ));
    pub(super) const MILLISECONDS: Self =
        Self(Reason::Form("three digits of milliseconds, as in `12:00:00.500`"));
    pub(super) const ZONE: Self = Self(Reason::Form(
        "a date and time without a time zone or offset, such as `2021-02-28 12:00:00`",
    ));

    pub(super) const fn value(field: Field, value: u16) -> Self {
        Self(Reason::Value { field, value })
    }

    pub(super) const fn day(year: i32, month: u8, day: u8) -> Self {
        Self(Reason::Day { year, month, day })
    }

    /// An error for a year that the type `name` does not have.
    #[cfg(any(feature = "jiff", feature = "jiff-02", feature = "chrono", feature = "time"))]
    pub(crate) const fn target(name: &'static str, year: i32, min: i32, max: i32) -> Self {
        Self(Reason::Target { name, year, min, max })
    }

    /// Returns the field that is out of range, or `None` if a text has the wrong form. If the date
    /// and time as a whole is out of range, returns the year.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let error = CalendarDigits::new(2021, 13, 1, 12, 0, 0, 0).unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Month));
    /// assert_eq!("noon".parse::<CalendarDigits>().unwrap_err().field(), None);
    /// ```
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        match self.0 {
            Reason::Value { field, .. } => Some(field),
            Reason::Day { .. } => Some(Field::Day),
            Reason::Outside => Some(Field::Year),
            #[cfg(any(
                feature = "jiff",
                feature = "jiff-02",
                feature = "chrono",
                feature = "time"
            ))]
            Reason::Target { .. } => Some(Field::Year),
            Reason::Form(_) => None,
        }
    }
}

impl fmt::Display for DigitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Value { field, value } => {
                let (min, max) = (field.min_value(), field.max_value());
                write!(f, "{field} {value} is out of range: expected {min}-{max}")
            }
            Reason::Day { year, month, day } => {
                let name = Field::Month.long_name_of(month.into());
                debug_assert!(name.is_some(), "the month is checked before the day");
                let (name, last) = (name.unwrap_or_default(), days_in_month(year, month));
                write!(
                    f,
                    "{} {day} is out of range: expected 1-{last} in {name} {year}",
                    Field::Day
                )
            }
            Reason::Outside => write!(
                f,
                "year is out of range: expected {} to {}",
                CalendarDigits::MIN,
                CalendarDigits::MAX
            ),
            #[cfg(any(
                feature = "jiff",
                feature = "jiff-02",
                feature = "chrono",
                feature = "time"
            ))]
            Reason::Target { name, year, min, max } => {
                write!(f, "year {year} is out of range for `{name}`: expected {min} to {max}")
            }
            Reason::Form(expected) => write!(f, "expected {expected}"),
        }
    }
}

impl core::error::Error for DigitsError {}
