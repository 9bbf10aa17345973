//! [`Length`]: a rounded duration.

use std::fmt;
use std::time::Duration;

/// A duration in milliseconds.
///
/// Its `Display` writes the two largest units, rounded. A year has 365¼ days; 366 days, as many as
/// a leap year has, are still written in days.
///
/// ```
/// use millicron_pictures::Length;
///
/// assert_eq!(Length(266_400_000).to_string(), "3d 2h");
/// assert_eq!(Length(3_599_900).to_string(), "1h");
/// assert_eq!(Length(366 * 86_400_000).to_string(), "366d");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a number")]
pub struct Length(pub u64);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LEAP_YEAR: u64 = 366 * 86_400_000;
        const UNITS: [(u64, &str); 6] = [
            (31_557_600_000, "y"),
            (86_400_000, "d"),
            (3_600_000, "h"),
            (60_000, "m"),
            (1000, "s"),
            (1, "ms"),
        ];
        let Self(millis) = *self;
        let largest = |millis| {
            let is_short = |unit| millis < unit || unit == UNITS[0].0 && millis <= LEAP_YEAR;
            UNITS.iter().position(|(unit, _)| !is_short(*unit)).unwrap_or(UNITS.len() - 1)
        };
        // Rounding may carry into a larger unit.
        let (smallest, _) = UNITS[(largest(millis) + 1).min(UNITS.len() - 1)];
        let millis = millis.saturating_add(smallest / 2) / smallest * smallest;
        let largest = largest(millis);
        let (unit, name) = UNITS[largest];
        write!(f, "{}{name}", millis / unit)?;
        match UNITS.get(largest + 1) {
            Some((next, name)) if millis % unit >= *next => {
                write!(f, " {}{name}", millis % unit / next)
            }
            _ => Ok(()),
        }
    }
}

impl From<Duration> for Length {
    fn from(length: Duration) -> Self {
        Self(u64::try_from(length.as_millis()).unwrap_or(u64::MAX))
    }
}

impl Length {
    /// Returns the length between two instants, given in milliseconds.
    #[must_use]
    pub const fn between(one: i64, other: i64) -> Self {
        Self(one.abs_diff(other))
    }
}
