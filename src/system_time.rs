//! `SystemTime` as milliseconds of UTC.

use std::time::{Duration, SystemTime};

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
    saturating_millis(time).0
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

/// Returns [`unix_millis`], and whether `time` is exactly that millisecond.
#[inline]
pub(crate) fn saturating_millis(time: SystemTime) -> (i64, bool) {
    let beyond = if time < SystemTime::UNIX_EPOCH { i64::MIN } else { i64::MAX };
    floor_millis(time).unwrap_or((beyond, false))
}

/// Returns the last millisecond since 1970-01-01 00:00:00 UTC at or before `time`, and whether
/// `time` is exactly that millisecond; `None` if an `i64` cannot represent it.
#[inline]
fn floor_millis(time: SystemTime) -> Option<(i64, bool)> {
    const NANOS_PER_MILLI: u32 = 1_000_000;
    let is_exact = |nanos: u32| nanos.is_multiple_of(NANOS_PER_MILLI);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => {
            let millis = i64::try_from(after.as_millis()).ok()?;
            Some((millis, is_exact(after.subsec_nanos())))
        }
        Err(error) => {
            let before = error.duration();
            let is_exact = is_exact(before.subsec_nanos());
            // Rounding down is rounding away from 1970 here.
            let millis = 0_i64.checked_sub_unsigned(u64::try_from(before.as_millis()).ok()?)?;
            Some((millis.checked_sub(i64::from(!is_exact))?, is_exact))
        }
    }
}

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
        match floor_millis(time) {
            Some((millis, _)) => Ok(Self::from_millis(millis)),
            None => Err(DigitsError::OUTSIDE),
        }
    }
}
