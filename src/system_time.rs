//! `SystemTime` as milliseconds of UTC.

use std::time::SystemTime;

use crate::{CalendarDigits, DigitsError};

/// Returns the last millisecond since 1970-01-01 00:00:00 UTC at or before `time`, and whether
/// `time` is exactly that millisecond; `None` if an `i64` cannot represent it.
#[inline]
pub(crate) fn floor_millis(time: SystemTime) -> Option<(i64, bool)> {
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
