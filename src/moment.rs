//! [`Moment`]: the types that a schedule can be asked in.

use millicron_runtime::CalendarDigits;
#[cfg(feature = "std")]
use millicron_runtime::floor_millis;

/// A type that a [`Schedule`](crate::Schedule) can be asked in, and that it
/// answers in.
///
/// | type | is | answers |
/// | --- | --- | --- |
/// | `i64` | milliseconds since 1970-01-01 00:00:00, civil time | all |
/// | [`CalendarDigits`] | a civil date and time | all |
/// | `std::time::SystemTime` (feature `std`) | an instant, read as UTC | those that the platform's type can hold |
/// | `&M` | what `M` is | as `M` |
///
/// An instant that is finer than a millisecond lies strictly between two
/// milliseconds: it is no event, the next one is after it and the previous one
/// before it.
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
///
/// const HOURLY: Schedule = schedule!("*:00:00");
///
/// let noon = UNIX_EPOCH + Duration::from_secs(1_614_513_600);
/// assert_eq!(HOURLY.next_event(noon), Some(noon + Duration::from_secs(3600)));
///
/// // The same in milliseconds and in digits.
/// assert_eq!(HOURLY.next_event(1_614_513_600_000), Some(1_614_517_200_000));
/// let digits = CalendarDigits::new(2021, 2, 28, 12, 0, 0, 0)?;
/// assert_eq!(HOURLY.next_event(digits), Some(CalendarDigits::new(2021, 2, 28, 13, 0, 0, 0)?));
///
/// // A nanosecond after the hour, the hour is over.
/// let after = noon + Duration::from_nanos(1);
/// assert!(HOURLY.matches(noon) && !HOURLY.matches(after));
/// assert_eq!(HOURLY.prev_event(after), Some(noon));
/// # Ok::<(), millicron::DigitsError>(())
/// ```
///
/// The trait is sealed: what it asks of a type may change with any release.
#[diagnostic::on_unimplemented(
    message = "a schedule can not be asked in `{Self}`",
    label = "not a moment",
    note = "a moment is an `i64` of milliseconds since 1970-01-01 00:00:00, a \
            `millicron::CalendarDigits`, a `std::time::SystemTime`, or a reference to one"
)]
pub trait Moment: Read {
    /// The type of the answers: the type itself, without a reference.
    type Answer;

    /// The moment at `millis` since 1970-01-01 00:00:00; `None` where the type
    /// can not hold it.
    #[doc(hidden)]
    fn at(millis: i64) -> Option<Self::Answer>;
}

/// The part of [`Moment`] that is not public.
pub trait Read {
    /// Where this moment lies.
    fn reading(&self) -> Reading;
}

/// Where a [`Moment`] lies.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The last millisecond since 1970-01-01 00:00:00 that is not after the
    /// moment. Beyond the range of `i64` it is the nearest that there is.
    pub millis: i64,
    /// Whether the moment is that millisecond, or lies between it and the
    /// next.
    pub is_exact: bool,
}

impl Read for i64 {
    #[inline]
    fn reading(&self) -> Reading {
        Reading { millis: *self, is_exact: true }
    }
}

impl Moment for i64 {
    type Answer = Self;

    #[inline]
    fn at(millis: i64) -> Option<Self> {
        Some(millis)
    }
}

impl Read for CalendarDigits {
    #[inline]
    fn reading(&self) -> Reading {
        Reading { millis: self.to_millis(), is_exact: true }
    }
}

impl Moment for CalendarDigits {
    type Answer = Self;

    #[inline]
    fn at(millis: i64) -> Option<Self> {
        Some(Self::from_millis(millis))
    }
}

#[cfg(feature = "std")]
impl Read for std::time::SystemTime {
    #[inline]
    fn reading(&self) -> Reading {
        let beyond = if *self < Self::UNIX_EPOCH { i64::MIN } else { i64::MAX };
        let (millis, is_exact) = floor_millis(*self).unwrap_or((beyond, false));
        Reading { millis, is_exact }
    }
}

#[cfg(feature = "std")]
impl Moment for std::time::SystemTime {
    type Answer = Self;

    #[inline]
    fn at(millis: i64) -> Option<Self> {
        let distance = core::time::Duration::from_millis(millis.unsigned_abs());
        if millis < 0 {
            Self::UNIX_EPOCH.checked_sub(distance)
        } else {
            Self::UNIX_EPOCH.checked_add(distance)
        }
    }
}

impl<M: Moment> Read for &M {
    #[inline]
    fn reading(&self) -> Reading {
        M::reading(self)
    }
}

impl<M: Moment> Moment for &M {
    type Answer = M::Answer;

    #[inline]
    fn at(millis: i64) -> Option<M::Answer> {
        M::at(millis)
    }
}
