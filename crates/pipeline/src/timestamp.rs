//! [`Timestamp`] and [`Elapsed`]: how messages show instants and durations.

use alloc::string::ToString as _;
use core::fmt;
use core::time::Duration;

use millicron::{CalendarDigits, Recurrence};

/// An instant in milliseconds since 1970-01-01 00:00:00, displayed as a date and a time of day, with
/// milliseconds only if they are not 0. For a job with a time zone, it is displayed in local time,
/// followed by the offset from UTC.
#[derive(Clone, Copy)]
pub(crate) struct Timestamp {
    pub(crate) instant: i64,
    /// The milliseconds by which local time is ahead of UTC; `None` without a zone.
    pub(crate) offset: Option<i32>,
}

impl Timestamp {
    /// Creates a timestamp without a time zone.
    pub(crate) const fn new(instant: i64) -> Self {
        Self { instant, offset: None }
    }

    /// Creates a timestamp in the local time of a recurrence.
    pub(crate) fn of(recurrence: &dyn Recurrence, instant: i64) -> Self {
        Self { instant, offset: recurrence.offset_at(instant) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.instant.saturating_add(self.offset.unwrap_or(0).into());
        let digits = CalendarDigits::from_millis(local).to_string();
        f.write_str(digits.strip_suffix(".000").unwrap_or(&digits))?;
        let Some(offset) = self.offset else { return Ok(()) };
        let (sign, seconds) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs() / 1000);
        write!(f, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
        // Zones had offsets with seconds only before 1972.
        match seconds % 60 {
            0 => Ok(()),
            seconds => write!(f, ":{seconds:02}"),
        }
    }
}

/// A duration, displayed in days, hours, minutes and seconds: `1d 2h`.
pub(crate) struct Elapsed(pub(crate) Duration);

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) =
            (self.0.as_secs(), Duration::from_nanos(self.0.subsec_nanos().into()));
        let parts = [
            (seconds / 86_400, "d"),
            (seconds / 3600 % 24, "h"),
            (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ];
        let mut separator = "";
        for (count, unit) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count}{unit}")?;
            separator = " ";
        }
        match (seconds, rest) {
            (0, Duration::ZERO) => f.write_str("0s"),
            (_, Duration::ZERO) => Ok(()),
            _ => write!(f, "{separator}{rest:?}"),
        }
    }
}
