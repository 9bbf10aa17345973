//! `SystemTime` as a [`Moment`], and as milliseconds of UTC.

use std::time::{Duration, SystemTime};

use crate::moment::{Instant, Moment, Position, civil_moment};
use crate::timescale::CivilScale;
use crate::{CalendarDigits, DigitsError};

/// Returns the milliseconds from 1970-01-01 00:00:00 UTC to `time`, rounded down, and negative before
/// 1970. Times beyond the range of an `i64` return `i64::MIN` or `i64::MAX`.
///
/// Queries accept a `SystemTime` itself; use this to store or compare milliseconds.
/// [`system_time`] is the reverse.
///
/// ```
/// use millicron::unix_millis;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// assert_eq!(unix_millis(UNIX_EPOCH + Duration::from_micros(1_999)), 1);
/// assert_eq!(unix_millis(UNIX_EPOCH - Duration::from_micros(1)), -1);
/// ```
#[must_use]
#[inline]
pub fn unix_millis(time: SystemTime) -> i64 {
    time.position().millis
}

/// Returns the time that is a number of milliseconds after 1970-01-01 00:00:00 UTC, or before it if
/// the number is negative; `None` if the platform cannot represent it. [`unix_millis`] is the
/// reverse.
///
/// ```
/// use millicron::{system_time, unix_millis};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// assert_eq!(system_time(1500), Some(UNIX_EPOCH + Duration::from_millis(1500)));
/// assert_eq!(system_time(-1).map(unix_millis), Some(-1));
/// ```
#[must_use]
#[inline]
pub fn system_time(millis: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}

/// Returns the position of `time`; `None` if an `i64` cannot represent it.
#[inline]
fn exact_position(time: SystemTime) -> Option<Position> {
    const NANOS_PER_MILLI: u32 = 1_000_000;
    let is_exact = |nanos: u32| nanos.is_multiple_of(NANOS_PER_MILLI);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => {
            let millis = i64::try_from(after.as_millis()).ok()?;
            Some(Position { millis, is_exact: is_exact(after.subsec_nanos()) })
        }
        Err(error) => {
            let before = error.duration();
            let is_exact = is_exact(before.subsec_nanos());
            // Rounding down is rounding away from 1970 here.
            let millis = 0_i64.checked_sub_unsigned(u64::try_from(before.as_millis()).ok()?)?;
            Some(Position { millis: millis.checked_sub(i64::from(!is_exact))?, is_exact })
        }
    }
}

civil_moment!(SystemTime);

#[diagnostic::do_not_recommend]
impl Moment for SystemTime {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        let beyond = if *self < Self::UNIX_EPOCH { i64::MIN } else { i64::MAX };
        exact_position(*self).unwrap_or(Position { millis: beyond, is_exact: false })
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        system_time(millis)
    }
}

#[diagnostic::do_not_recommend]
impl Instant for SystemTime {}

impl TryFrom<SystemTime> for CalendarDigits {
    type Error = DigitsError;

    /// Converts a system time to its date and time in UTC, rounded down to the
    /// millisecond.
    ///
    /// # Errors
    ///
    /// Returns an error if the time is not between [`MIN`](Self::MIN) and
    /// [`MAX`](Self::MAX).
    ///
    /// ```
    /// use millicron::CalendarDigits;
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// let time = UNIX_EPOCH + Duration::from_micros(1_614_513_600_000_999);
    /// let digits = CalendarDigits::try_from(time)?;
    /// assert_eq!(digits.to_string(), "2021-02-28 12:00:00.000");
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn try_from(time: SystemTime) -> Result<Self, DigitsError> {
        let position = exact_position(time).ok_or(DigitsError::OUTSIDE)?;
        Ok(Self::from_millis(position.millis))
    }
}
