//! [`Timestamp`]: how messages show instants.

use core::fmt;

use millicron::CalendarDigits;

/// An instant in milliseconds since 1970-01-01 00:00:00, displayed as a date and a time of day, with
/// milliseconds only if they are not 0.
pub(crate) struct Timestamp(pub(crate) i64);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = CalendarDigits::from_millis(self.0);
        let [month, day, hour] = [digits.month(), digits.day(), digits.hour()];
        let [minute, second] = [digits.minute(), digits.second()];
        write!(f, "{:04}-{month:02}-{day:02} ", digits.year())?;
        write!(f, "{hour:02}:{minute:02}:{second:02}")?;
        match digits.millisecond() {
            0 => Ok(()),
            millisecond => write!(f, ".{millisecond:03}"),
        }
    }
}
