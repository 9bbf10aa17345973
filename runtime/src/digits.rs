//! [`CalendarDigits`]: an instant of civil time, spelt out.

use core::fmt;
use core::str::FromStr;

use crate::Field;
use crate::calendar::{MILLIS_PER_DAY, civil_date, day_number, days_in_month, weekday};

/// A civil date and time to the millisecond, as the mixed-radix number it is:
/// year, month, day, hour, minute, second, millisecond.
///
/// Every value is a date of the proleptic Gregorian calendar that an `i64` of
/// milliseconds since 1970-01-01 00:00:00 can name, so both conversions are
/// exact and can not fail. The years go from -292,275,055 to 292,278,994. The
/// order is the order in time.
///
/// It is written as `yyyy-MM-dd HH:mm:ss.fff`; years below 0 with a sign and
/// years above 9999 with a `+`, as ISO 8601 does.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::CalendarDigits;
///
/// let noon = CalendarDigits::new(2021, 2, 28, 12, 0, 0, 0)?;
/// assert_eq!(noon.to_string(), "2021-02-28 12:00:00.000");
/// assert_eq!(noon.to_millis(), 1_614_513_600_000);
/// assert_eq!(CalendarDigits::from_millis(1_614_513_600_000), noon);
/// assert_eq!(noon.weekday(), 0); // a Sunday
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
    /// # use millicron_runtime as millicron;
    /// assert_eq!(millicron::CalendarDigits::MIN.to_string(), "-292275055-05-16 16:47:04.192");
    /// ```
    pub const MIN: Self = Self::from_millis(i64::MIN);

    /// The latest value, `i64::MAX` milliseconds since 1970-01-01 00:00:00.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// assert_eq!(millicron::CalendarDigits::MAX.to_string(), "+292278994-08-17 07:12:55.807");
    /// ```
    pub const MAX: Self = Self::from_millis(i64::MAX);

    /// A date and time from its digits: month 1-12, day from 1 to the length of
    /// the month, hour 0-23, minute and second 0-59, millisecond 0-999.
    ///
    /// # Errors
    ///
    /// Where a digit is outside its range, the month does not have the day, or
    /// the instant is not one of [`MIN`](Self::MIN) to [`MAX`](Self::MAX); the
    /// error tells the first field that is wrong.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let noon = CalendarDigits::new(2024, 2, 29, 12, 0, 0, 0)?;
    /// assert_eq!(noon.to_string(), "2024-02-29 12:00:00.000");
    ///
    /// let error = CalendarDigits::new(2024, 2, 29, 24, 0, 0, 0).unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Hour));
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
            return Err(DigitsError::out_of_range(Field::Year));
        }
        if month < 1 || month > 12 {
            return Err(DigitsError::out_of_range(Field::Month));
        }
        if day < 1 || day > days_in_month(year, month) {
            return Err(DigitsError::out_of_range(Field::Day));
        }
        if hour > 23 {
            return Err(DigitsError::out_of_range(Field::Hour));
        }
        if minute > 59 {
            return Err(DigitsError::out_of_range(Field::Minute));
        }
        if second > 59 {
            return Err(DigitsError::out_of_range(Field::Second));
        }
        if millisecond > 999 {
            return Err(DigitsError::out_of_range(Field::Millisecond));
        }
        let digits = Self { year, month, day, hour, minute, second, millisecond };
        // The first and the last year are not whole.
        match digits.checked_millis() {
            Some(_) => Ok(digits),
            None => Err(DigitsError::out_of_range(Field::Year)),
        }
    }

    /// The digits of an instant in milliseconds since 1970-01-01 00:00:00,
    /// negative before it. Exact for every `i64`.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::CalendarDigits;
    ///
    /// assert_eq!(CalendarDigits::from_millis(-1).to_string(), "1969-12-31 23:59:59.999");
    /// ```
    #[must_use]
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the time of day is from 0 to 86,399,999, and each digit of it below its radix"
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

    /// Milliseconds since 1970-01-01 00:00:00, negative before it.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::CalendarDigits;
    ///
    /// assert_eq!(CalendarDigits::new(1970, 1, 2, 0, 0, 0, 0)?.to_millis(), 86_400_000);
    /// assert_eq!(CalendarDigits::MIN.to_millis(), i64::MIN);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn to_millis(self) -> i64 {
        match self.checked_millis() {
            Some(millis) => millis,
            // No value outside the range can be made.
            None => i64::MAX,
        }
    }

    const fn checked_millis(self) -> Option<i64> {
        // The first millisecond of the earliest day lies before `i64::MIN`, so
        // the day before 1970 is counted from its end.
        let day = day_number(self.year, self.month, self.day);
        let time = self.time_of_day();
        if day < 0 {
            match (day + 1).checked_mul(MILLIS_PER_DAY) {
                Some(start) => start.checked_add(time - MILLIS_PER_DAY),
                None => None,
            }
        } else {
            match day.checked_mul(MILLIS_PER_DAY) {
                Some(start) => start.checked_add(time),
                None => None,
            }
        }
    }

    const fn time_of_day(self) -> i64 {
        ((self.hour as i64 * 60 + self.minute as i64) * 60 + self.second as i64) * 1000
            + self.millisecond as i64
    }

    /// The year, from -292,275,055 to 292,278,994; year 0 is 1 BC.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.year(), 2021);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn year(self) -> i32 {
        self.year
    }

    /// The month, 1-12.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.month(), 2);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, 1-31.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.day(), 28);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn day(self) -> u8 {
        self.day
    }

    /// The hour, 0-23.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.hour(), 13);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn hour(self) -> u8 {
        self.hour
    }

    /// The minute, 0-59.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.minute(), 4);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn minute(self) -> u8 {
        self.minute
    }

    /// The second, 0-59.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.second(), 5);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn second(self) -> u8 {
        self.second
    }

    /// The millisecond, 0-999.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.millisecond(), 678);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn millisecond(self) -> u16 {
        self.millisecond
    }

    /// The weekday, 0-6; 0 is Sunday.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// let digits = millicron::CalendarDigits::new(2021, 2, 28, 13, 4, 5, 678)?;
    /// assert_eq!(digits.weekday(), 0); // a Sunday
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn weekday(self) -> u8 {
        weekday(day_number(self.year, self.month, self.day))
    }
}

impl fmt::Display for CalendarDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.year {
            ..0 => "-",
            0..=9999 => "",
            10_000.. => "+",
        };
        write!(
            f,
            "{sign}{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
            self.year.unsigned_abs(),
            self.month,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.millisecond
        )
    }
}

impl fmt::Debug for CalendarDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CalendarDigits {
    type Err = DigitsError;

    /// Reads the form that [`Display`](fmt::Display) writes, and no other:
    /// `2021-02-28 12:00:00.000`, each digit in full, the year with at least
    /// four.
    ///
    /// # Errors
    ///
    /// Where the text has another form, or is no date and time that
    /// [`new`](Self::new) would take.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let noon: CalendarDigits = "2021-02-28 12:00:00.000".parse()?;
    /// assert_eq!(noon.day(), 28);
    ///
    /// let error = "2021-02-29 12:00:00.000".parse::<CalendarDigits>().unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Day));
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, DigitsError> {
        const FORM: DigitsError = DigitsError(Reason::Form);
        // All but the year has a fixed width, so it is read from the end.
        let bytes = text.as_bytes();
        let (year, rest) = bytes.split_at_checked(bytes.len().wrapping_sub(19)).ok_or(FORM)?;
        let (sign, year) = match year {
            [b'-', digits @ ..] => (-1, digits),
            [b'+', digits @ ..] if digits.len() > 4 => (1, digits),
            digits if digits.len() == 4 => (1, digits),
            _ => return Err(FORM),
        };
        // A leading zero beyond four digits, or a minus before zero, is not
        // what `Display` writes.
        if year.len() < 4 || year.len() > 9 || year.len() > 4 && year[0] == b'0' {
            return Err(FORM);
        }
        let year = sign * i32::try_from(number(year).ok_or(FORM)?).map_err(|_| FORM)?;
        if sign < 0 && year == 0 {
            return Err(FORM);
        }
        let mut digits = [0_u16; 6];
        let mut rest = rest;
        for (digit, (separator, width)) in digits.iter_mut().zip([
            (b'-', 2),
            (b'-', 2),
            (b' ', 2),
            (b':', 2),
            (b':', 2),
            (b'.', 3),
        ]) {
            let (&first, tail) = rest.split_first().ok_or(FORM)?;
            let (value, tail) = tail.split_at_checked(width).ok_or(FORM)?;
            *digit = number(value)
                .filter(|_| first == separator)
                .and_then(|value| u16::try_from(value).ok())
                .ok_or(FORM)?;
            rest = tail;
        }
        let [month, day, hour, minute, second, millisecond] = digits;
        // Two digits always fit a byte.
        let byte = |digit: u16| u8::try_from(digit).map_err(|_| FORM);
        Self::new(
            year,
            byte(month)?,
            byte(day)?,
            byte(hour)?,
            byte(minute)?,
            byte(second)?,
            millisecond,
        )
    }
}

/// The value of a short run of ASCII digits.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |value, &byte| {
        byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0'))
    })
}

/// Why [`CalendarDigits`] could not be made.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::{CalendarDigits, Field};
///
/// let error = CalendarDigits::new(2021, 2, 29, 12, 0, 0, 0).unwrap_err();
/// assert_eq!(error.field(), Some(Field::Day));
/// assert_eq!(
///     error.to_string(),
///     "the day of month is out of range: allowed is 1 to the length of the month",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitsError(Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    OutOfRange(Field),
    Form,
}

impl DigitsError {
    pub(crate) const fn out_of_range(field: Field) -> Self {
        Self(Reason::OutOfRange(field))
    }

    /// The field whose value is out of range; `None` where a text is not of
    /// the form `yyyy-MM-dd HH:mm:ss.fff`.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let error = CalendarDigits::new(2021, 13, 1, 12, 0, 0, 0).unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Month));
    /// assert_eq!("noon".parse::<CalendarDigits>().unwrap_err().field(), None);
    /// ```
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        match self.0 {
            Reason::OutOfRange(field) => Some(field),
            Reason::Form => None,
        }
    }
}

impl fmt::Display for DigitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.0 {
            Reason::Form => {
                return f.write_str("a date and time is written `yyyy-MM-dd HH:mm:ss.fff`");
            }
            Reason::OutOfRange(field) => field,
        };
        write!(f, "the {field} is out of range: allowed is ")?;
        match field {
            Field::Year => write!(f, "{} to {}", CalendarDigits::MIN, CalendarDigits::MAX),
            Field::Day => f.write_str("1 to the length of the month"),
            _ => write!(f, "{} to {}", field.min(), field.max()),
        }
    }
}

impl core::error::Error for DigitsError {}
