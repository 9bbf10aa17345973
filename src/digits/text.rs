//! The text form of [`CalendarDigits`].

use core::fmt;
use core::str::FromStr;

use super::{CalendarDigits, DigitsError};
use crate::pad::pad;

impl fmt::Display for CalendarDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.year {
            ..0 => "-",
            0..=9999 => "",
            10_000.. => "+",
        };
        pad(
            f,
            format_args!(
                "{sign}{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
                self.year.unsigned_abs(),
                self.month,
                self.day,
                self.hour,
                self.minute,
                self.second,
                self.millisecond
            ),
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

    /// Parses a date and time in one of the forms:
    ///
    /// - `2021-02-28 12:00:00` and `2021-02-28 12:00:00.000`
    /// - `2021-02-28T12:00:00` and `2021-02-28T12:00:00.000`
    ///
    /// The year has at least four digits: exactly four without a sign or, as
    /// [`Display`](fmt::Display) writes it, more than four after a `+` and four or more after a
    /// `-`. Milliseconds have exactly three digits. A time zone or offset is an error, because a
    /// civil time has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form, or if [`new`](Self::new) would reject
    /// its fields.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Field};
    ///
    /// let noon: CalendarDigits = "2021-02-28T12:00:00".parse()?;
    /// assert_eq!(noon, "2021-02-28 12:00:00.000".parse()?);
    ///
    /// let error = "2021-02-29 12:00:00".parse::<CalendarDigits>().unwrap_err();
    /// assert_eq!(error.field(), Some(Field::Day));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "day of month 29 is out of range: expected 1-28 in February 2021",
    /// );
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, DigitsError> {
        let mut rest = text.as_bytes();
        let year = year(&mut rest)?;
        let month = two_digits(&mut rest, b"-")?;
        let day = two_digits(&mut rest, b"-")?;
        let hour = two_digits(&mut rest, b" T")?;
        let minute = two_digits(&mut rest, b":")?;
        let second = two_digits(&mut rest, b":")?;
        let millisecond = milliseconds(&mut rest)?;
        match rest {
            [] => {}
            [b'Z' | b'z' | b'+' | b'-' | b'[', ..]
            | [b' ', b'+' | b'-' | b'[' | b'A'..=b'Z' | b'a'..=b'z', ..] => {
                return Err(DigitsError::ZONE);
            }
            _ => return Err(DigitsError::FORM),
        }
        let year = year.ok_or(DigitsError::OUTSIDE)?;
        Self::new(year, month, day, hour, minute, second, millisecond)
    }
}

/// Reads a year and its sign; `None` if an `i32` cannot represent it.
fn year(rest: &mut &[u8]) -> Result<Option<i32>, DigitsError> {
    let (sign, tail) = match *rest {
        [sign @ (b'-' | b'+'), tail @ ..] => (Some(*sign), tail),
        tail => (None, tail),
    };
    let len = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, tail) = tail.split_at(len);
    *rest = tail;
    // Longer years have no leading zeros.
    let has_form = matches!(
        (sign, digits),
        (None | Some(b'-'), [_, _, _, _]) | (Some(_), [b'1'..=b'9', _, _, _, _, ..])
    );
    if !has_form || (sign.is_some() && digits == b"0000") {
        return Err(DigitsError::FORM);
    }
    let year = digits
        .iter()
        .try_fold(0_i32, |year, byte| year.checked_mul(10)?.checked_add(i32::from(byte - b'0')));
    Ok(year.map(|year| if sign == Some(b'-') { -year } else { year }))
}

/// Reads one of the separators and the two digits after it.
fn two_digits(rest: &mut &[u8], separators: &[u8]) -> Result<u8, DigitsError> {
    match *rest {
        [separator, tens @ b'0'..=b'9', ones @ b'0'..=b'9', tail @ ..]
            if separators.contains(separator) =>
        {
            *rest = tail;
            Ok((tens - b'0') * 10 + (ones - b'0'))
        }
        _ => Err(DigitsError::FORM),
    }
}

/// Reads the point and the milliseconds, 0 if there is no point.
fn milliseconds(rest: &mut &[u8]) -> Result<u16, DigitsError> {
    let Some((b'.', tail)) = rest.split_first() else { return Ok(0) };
    let len = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (&[a, b, c], tail) = tail.split_at(len) else { return Err(DigitsError::MILLISECONDS) };
    *rest = tail;
    Ok([a, b, c].iter().fold(0, |value, byte| value * 10 + u16::from(byte - b'0')))
}
