//! [`CalendarDigits`]: a civil date and time.

mod error;
mod text;

use millicron_runtime::calendar::{MILLIS_PER_DAY, civil_date, day_number, days_in_month, weekday};

pub use self::error::DigitsError;
use crate::Field;

/// A civil date and time with millisecond resolution: year, month, day, hour,
/// minute, second and millisecond, without a time zone.
///
/// Years range from -292,275,055 to 292,278,994 in the proleptic Gregorian
/// calendar, without leap seconds. Every value corresponds to exactly one `i64`
/// of milliseconds since 1970-01-01 00:00:00 and back, so
/// [`from_millis`](Self::from_millis) and [`to_millis`](Self::to_millis) are exact and never
/// fail. Values are ordered chronologically.
///
/// # Text
///
/// [`Display`](core::fmt::Display) writes `yyyy-MM-dd HH:mm:ss.fff`. As in ISO 8601, years
/// before 0 have a minus sign and years after 9999 a plus sign.
/// [`parse`](str::parse) also accepts a `T` in place of the space, and a time without
/// milliseconds. See [`from_str`](Self#method.from_str) for details. With the feature
/// `serde`, values are serialized as this text.
///
/// # Conversions
///
/// | type | from | into | feature |
/// | --- | --- | --- | --- |
/// | `std::time::SystemTime`, as UTC | `TryFrom` | | `std` |
/// | `jiff::civil::DateTime` | `From` | `TryFrom` | `jiff` |
/// | `chrono::NaiveDateTime` | `From` | `TryFrom` | `chrono` |
/// | `time::PrimitiveDateTime` | `From` | `TryFrom` | `time` |
///
/// Conversions from these types round down: they drop anything finer than a millisecond.
///
/// # Example
///
/// ```
/// use millicron::CalendarDigits;
///
/// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
/// assert_eq!(noon, CalendarDigits::new(2021, 2, 28, 12, 0, 0, 0)?);
/// assert_eq!(noon.to_string(), "2021-02-28 12:00:00.000");
/// assert_eq!(noon.to_millis(), 1_614_513_600_000);
/// assert_eq!(noon.weekday(), 0); // Sunday
/// assert!(noon < CalendarDigits::MAX);
/// # Ok::<(), millicron::DigitsError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalendarDigits {
    year: i32,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
    millisecond: u16,
}

impl CalendarDigits {
    /// The earliest value, `i64::MIN` milliseconds since 1970-01-01 00:00:00.
    ///
    /// ```
    /// assert_eq!(millicron::CalendarDigits::MIN.to_string(), "-292275055-05-16 16:47:04.192");
    /// ```
    pub const MIN: Self = Self::from_millis(i64::MIN);

    /// The latest value, `i64::MAX` milliseconds since 1970-01-01 00:00:00.
    ///
    /// ```
    /// assert_eq!(millicron::CalendarDigits::MAX.to_string(), "+292278994-08-17 07:12:55.807");
    /// ```
    pub const MAX: Self = Self::from_millis(i64::MAX);

    /// Creates a date and time from its fields: month 1-12, day from 1 to the
    /// length of the month, hour 0-23, minute and second 0-59, millisecond 0-999.
    ///
    /// To write a date and time more readably, [`parse`](str::parse) it.
    ///
    /// # Errors
    ///
    /// Returns an error if a field is out of range, the month does not have the day, or the result
    /// is not between [`MIN`](Self::MIN) and [`MAX`](Self::MAX). The error names the first such
    /// field.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let noon = CalendarDigits::new(2024, 2, 29, 12, 0, 0, 0)?;
    /// assert_eq!(noon.to_string(), "2024-02-29 12:00:00.000");
    ///
    /// let error = CalendarDigits::new(2024, 2, 29, 24, 0, 0, 0).unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Hour));
    /// assert_eq!(error.to_string(), "hour 24 is out of range: expected 0-23");
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    pub const fn new(
        year: i32,
        month: u8,
        day: u8,
        hour: u8,
        minute: u8,
        second: u8,
        millisecond: u16,
    ) -> Result<Self, DigitsError> {
        if year < Self::MIN.year || year > Self::MAX.year {
            return Err(DigitsError::OUTSIDE);
        }
        if month < 1 || month > 12 {
            return Err(DigitsError::value(Field::Month, month as u16));
        }
        if day < 1 || day > days_in_month(year, month) {
            return Err(DigitsError::day(year, month, day));
        }
        if hour > 23 {
            return Err(DigitsError::value(Field::Hour, hour as u16));
        }
        if minute > 59 {
            return Err(DigitsError::value(Field::Minute, minute as u16));
        }
        if second > 59 {
            return Err(DigitsError::value(Field::Second, second as u16));
        }
        if millisecond > 999 {
            return Err(DigitsError::value(Field::Millisecond, millisecond));
        }
        let digits = Self { year, month, day, hour, minute, second, millisecond };
        // The first and the last year are only partly in range.
        match digits.checked_millis() {
            Some(_) => Ok(digits),
            None => Err(DigitsError::OUTSIDE),
        }
    }

    /// Returns the date and time that is `millis` milliseconds after 1970-01-01
    /// 00:00:00, or before it if `millis` is negative. Exact for every `i64`.
    ///
    /// ```
    /// use millicron::CalendarDigits;
    ///
    /// assert_eq!(CalendarDigits::from_millis(-1).to_string(), "1969-12-31 23:59:59.999");
    /// ```
    #[must_use]
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the time of day is at most 86,399,999, and each field below its radix"
    )]
    pub const fn from_millis(millis: i64) -> Self {
        let (year, month, day) = civil_date(millis.div_euclid(MILLIS_PER_DAY));
        let time = millis.rem_euclid(MILLIS_PER_DAY) as u32;
        Self {
            year,
            month,
            day,
            hour: (time / 3_600_000) as u8,
            minute: (time / 60_000 % 60) as u8,
            second: (time / 1000 % 60) as u8,
            millisecond: (time % 1000) as u16,
        }
    }

    /// Returns the number of milliseconds since 1970-01-01 00:00:00, negative
    /// before it.
    ///
    /// ```
    /// use millicron::CalendarDigits;
    ///
    /// assert_eq!(CalendarDigits::new(1970, 1, 2, 0, 0, 0, 0)?.to_millis(), 86_400_000);
    /// assert_eq!(CalendarDigits::MIN.to_millis(), i64::MIN);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn to_millis(self) -> i64 {
        let millis = self.checked_millis();
        debug_assert!(millis.is_some(), "a value outside the range of `i64` was constructed");
        match millis {
            Some(millis) => millis,
            None => i64::MAX,
        }
    }

    /// Returns the start of a valid date from 2000 to 2100.
    #[inline]
    pub(crate) const fn midnight(year: i32, month: u8, day: u8) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 }
    }

    const fn checked_millis(self) -> Option<i64> {
        // The earliest day starts before `i64::MIN`, so count days before 1970 back from their end.
        let day = day_number(self.year, self.month, self.day);
        let time = self.time_of_day();
        let (day, time) = if day < 0 { (day + 1, time - MILLIS_PER_DAY) } else { (day, time) };
        match day.checked_mul(MILLIS_PER_DAY) {
            Some(start) => start.checked_add(time),
            None => None,
        }
    }

    const fn time_of_day(self) -> i64 {
        ((self.hour as i64 * 60 + self.minute as i64) * 60 + self.second as i64) * 1000
            + self.millisecond as i64
    }

    /// Returns the year, from -292,275,055 to 292,278,994. Year 0 is 1 BC.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.year(), 2021);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn year(self) -> i32 {
        self.year
    }

    /// Returns the month, 1-12.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.month(), 2);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Returns the day of the month, 1-31.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.day(), 28);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn day(self) -> u8 {
        self.day
    }

    /// Returns the hour, 0-23.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.hour(), 13);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn hour(self) -> u8 {
        self.hour
    }

    /// Returns the minute, 0-59.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.minute(), 4);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn minute(self) -> u8 {
        self.minute
    }

    /// Returns the second, 0-59.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.second(), 5);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn second(self) -> u8 {
        self.second
    }

    /// Returns the millisecond, 0-999.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.millisecond(), 678);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn millisecond(self) -> u16 {
        self.millisecond
    }

    /// Returns the weekday, 0-6, where 0 is Sunday.
    ///
    /// ```
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.weekday(), 0); // Sunday
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn weekday(self) -> u8 {
        weekday(day_number(self.year, self.month, self.day))
    }
}
