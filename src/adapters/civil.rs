//! Conversions between [`CalendarDigits`] and the civil types of `jiff`, `chrono` and
//! `time`.
//!
//! They convert field by field, not through milliseconds: in some of these types, the first and the
//! last hours have no timestamp.

use crate::{CalendarDigits, DigitsError};

/// Converts nanoseconds to milliseconds, rounded down. In a leap second, returns the last
/// millisecond of the ordinary second.
fn milliseconds(nanos: u32) -> u16 {
    u16::try_from(nanos / 1_000_000).map_or(999, |millis| millis.min(999))
}

#[cfg(feature = "jiff")]
mod jiff {
    use ::jiff::civil::DateTime;

    use super::{CalendarDigits, DigitsError, milliseconds};

    impl From<DateTime> for CalendarDigits {
        /// Converts a civil date and time, rounded down to the millisecond.
        ///
        /// ```
        /// use jiff::civil::date;
        /// use millicron::CalendarDigits;
        ///
        /// let digits = CalendarDigits::from(date(2021, 2, 28).at(12, 0, 0, 999_999));
        /// assert_eq!(digits.to_string(), "2021-02-28 12:00:00.000");
        /// ```
        fn from(civil: DateTime) -> Self {
            Self::from_fields(
                civil.year().into(),
                civil.month().unsigned_abs(),
                civil.day().unsigned_abs(),
                civil.hour().unsigned_abs(),
                civil.minute().unsigned_abs(),
                civil.second().unsigned_abs(),
                milliseconds(civil.subsec_nanosecond().unsigned_abs()),
            )
        }
    }

    impl TryFrom<CalendarDigits> for DateTime {
        type Error = DigitsError;

        /// Converts a date and time to a `jiff::civil::DateTime`.
        ///
        /// # Errors
        ///
        /// Returns an error if the year is not between -9999 and 9999.
        ///
        /// ```
        /// use jiff::civil::{DateTime, date};
        /// use millicron::CalendarDigits;
        ///
        /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
        /// assert_eq!(DateTime::try_from(noon)?, date(2021, 2, 28).at(12, 0, 0, 0));
        /// # Ok::<(), millicron::DigitsError>(())
        /// ```
        fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
            let year = i16::try_from(digits.year()).ok();
            let civil = year.and_then(|year| {
                Self::new(
                    year,
                    digits.month().cast_signed(),
                    digits.day().cast_signed(),
                    digits.hour().cast_signed(),
                    digits.minute().cast_signed(),
                    digits.second().cast_signed(),
                    i32::from(digits.millisecond()) * 1_000_000,
                )
                .ok()
            });
            civil.ok_or_else(|| {
                let (min, max) = (Self::MIN.year().into(), Self::MAX.year().into());
                DigitsError::target("jiff::civil::DateTime", digits.year(), min, max)
            })
        }
    }
}

#[cfg(feature = "chrono")]
mod chrono {
    use ::chrono::{Datelike as _, NaiveDate, NaiveDateTime, Timelike as _};

    use super::{CalendarDigits, DigitsError, milliseconds};

    impl From<NaiveDateTime> for CalendarDigits {
        /// Converts a civil date and time, rounded down to the millisecond. A leap
        /// second becomes the last millisecond of the second before it.
        ///
        /// ```
        /// use chrono::{NaiveDateTime, ParseError};
        /// use millicron::CalendarDigits;
        ///
        /// let civil: NaiveDateTime = "2021-02-28T12:00:00.000999".parse()?;
        /// assert_eq!(CalendarDigits::from(civil).to_string(), "2021-02-28 12:00:00.000");
        /// # Ok::<(), ParseError>(())
        /// ```
        fn from(civil: NaiveDateTime) -> Self {
            // No field exceeds 59; `chrono` just uses wider types.
            let byte = |value: u32| u8::try_from(value).unwrap_or(u8::MAX);
            Self::from_fields(
                civil.year(),
                byte(civil.month()),
                byte(civil.day()),
                byte(civil.hour()),
                byte(civil.minute()),
                byte(civil.second()),
                milliseconds(civil.nanosecond()),
            )
        }
    }

    impl TryFrom<CalendarDigits> for NaiveDateTime {
        type Error = DigitsError;

        /// Converts a date and time to a `chrono::NaiveDateTime`.
        ///
        /// # Errors
        ///
        /// Returns an error if the year is out of the range of `chrono`, -262143 to 262142.
        ///
        /// ```
        /// use chrono::NaiveDateTime;
        /// use millicron::CalendarDigits;
        ///
        /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
        /// assert_eq!(NaiveDateTime::try_from(noon)?.to_string(), "2021-02-28 12:00:00");
        /// # Ok::<(), millicron::DigitsError>(())
        /// ```
        fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
            let (month, day) = (digits.month().into(), digits.day().into());
            NaiveDate::from_ymd_opt(digits.year(), month, day)
                .and_then(|date| {
                    date.and_hms_milli_opt(
                        digits.hour().into(),
                        digits.minute().into(),
                        digits.second().into(),
                        digits.millisecond().into(),
                    )
                })
                .ok_or_else(|| {
                    let (min, max) = (NaiveDate::MIN.year(), NaiveDate::MAX.year());
                    DigitsError::target("chrono::NaiveDateTime", digits.year(), min, max)
                })
        }
    }
}

#[cfg(feature = "time")]
mod time {
    use ::time::{Date, Month, PrimitiveDateTime, Time};

    use super::{CalendarDigits, DigitsError, milliseconds};

    impl From<PrimitiveDateTime> for CalendarDigits {
        /// Converts a civil date and time, rounded down to the millisecond.
        ///
        /// ```
        /// use millicron::CalendarDigits;
        /// use time::{Date, Month, PrimitiveDateTime, Time};
        ///
        /// let date = Date::from_calendar_date(2021, Month::February, 28)?;
        /// let civil = PrimitiveDateTime::new(date, Time::from_hms_nano(12, 0, 0, 999_999)?);
        /// assert_eq!(CalendarDigits::from(civil).to_string(), "2021-02-28 12:00:00.000");
        /// # Ok::<(), time::error::ComponentRange>(())
        /// ```
        fn from(civil: PrimitiveDateTime) -> Self {
            Self::from_fields(
                civil.year(),
                civil.month().into(),
                civil.day(),
                civil.hour(),
                civil.minute(),
                civil.second(),
                milliseconds(civil.nanosecond()),
            )
        }
    }

    impl TryFrom<CalendarDigits> for PrimitiveDateTime {
        type Error = DigitsError;

        /// Converts a date and time to a `time::PrimitiveDateTime`.
        ///
        /// # Errors
        ///
        /// Returns an error if the year is not between -9999 and 9999, or -999999 and 999999 with
        /// the feature `large-dates` of `time`.
        ///
        /// ```
        /// use millicron::CalendarDigits;
        /// use time::PrimitiveDateTime;
        ///
        /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
        /// let civil = PrimitiveDateTime::try_from(noon)?;
        /// assert_eq!((civil.year(), civil.hour()), (2021, 12));
        /// # Ok::<(), millicron::DigitsError>(())
        /// ```
        fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
            let date = Month::try_from(digits.month())
                .and_then(|month| Date::from_calendar_date(digits.year(), month, digits.day()));
            let (hour, minute, second) = (digits.hour(), digits.minute(), digits.second());
            let time = Time::from_hms_milli(hour, minute, second, digits.millisecond());
            let (Ok(date), Ok(time)) = (date, time) else {
                let (min, max) = (Date::MIN.year(), Date::MAX.year());
                return Err(DigitsError::target(
                    "time::PrimitiveDateTime",
                    digits.year(),
                    min,
                    max,
                ));
            };
            Ok(Self::new(date, time))
        }
    }
}
