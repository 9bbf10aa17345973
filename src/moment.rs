//! [`Moment`]: the types that a schedule can be asked in.

use crate::CalendarDigits;
use crate::clock::{Civil, Clock};
#[cfg(feature = "std")]
use crate::system_time::floor_millis;

/// A type that a [`Schedule`](crate::Schedule) can be asked in, and that it
/// answers in.
///
/// | type | is | feature |
/// | --- | --- | --- |
/// | `i64` | milliseconds since 1970-01-01 00:00:00, civil time | |
/// | [`CalendarDigits`] | a civil date and time | |
/// | `std::time::SystemTime` | an instant, read as UTC | `std` |
/// | `jiff::civil::DateTime` | a civil date and time | `jiff` |
/// | `jiff::Timestamp` | an instant, read as UTC | `jiff` |
/// | `jiff::Zoned` | an instant, read by the clocks of its zone | `jiff` |
/// | `chrono::NaiveDateTime` | a civil date and time | `chrono` |
/// | `chrono::DateTime<Tz>` | an instant, read by the clocks of its zone | `chrono` |
/// | `time::PrimitiveDateTime` | a civil date and time | `time` |
/// | `time::OffsetDateTime` | an instant, read at its offset | `time` |
/// | `&M` | what `M` is, and is answered in `M` | |
///
/// An instant that is read by the clocks of a zone is answered in the same zone,
/// and what becomes of events where these clocks change is told at
/// [`ZonedSchedule`](crate::ZonedSchedule), which can also do otherwise.
///
/// An instant that is finer than a millisecond lies strictly between two
/// milliseconds: it is no event, the next one is after it and the previous one
/// before it. So does a leap second, in a type that has such. An answer that its
/// type can not hold is `None`.
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
            `millicron::CalendarDigits`, a `std::time::SystemTime`, with the features `jiff`, \
            `chrono` and `time` a type of these crates, or a reference to one"
)]
pub trait Moment: Read {
    /// The type of the answers: the type itself, without a reference.
    type Answer;

    /// The moment at `millis` since 1970-01-01 00:00:00; `None` where the type
    /// can not hold it.
    #[doc(hidden)]
    fn at(clock: &Self::Clock, millis: i64) -> Option<Self::Answer>;
}

/// A [`Moment`] that is an instant (not the one of `std::time`, which has no date): the
/// types that a
/// [`ZonedSchedule`](crate::ZonedSchedule) can be asked in, and that it answers in.
///
/// | type | answers | feature |
/// | --- | --- | --- |
/// | `i64` | milliseconds since 1970-01-01 00:00:00 UTC | |
/// | `std::time::SystemTime` | instants | `std` |
/// | `jiff::Timestamp` | instants | `jiff` |
/// | `jiff::Zoned` | in the zone of the value, which may be another than the schedule's | `jiff` |
/// | `chrono::DateTime<Tz>` | the same | `chrono` |
/// | `time::OffsetDateTime` | at the offset of the value | `time` |
/// | `&M` | as `M` | |
#[diagnostic::on_unimplemented(
    message = "a schedule in a zone, or a pipeline, can not be asked in `{Self}`",
    label = "not an instant",
    note = "an instant is an `i64` of milliseconds since 1970-01-01 00:00:00 UTC, a \
            `std::time::SystemTime`, with the features `jiff`, `chrono` and `time` a \
            `jiff::Timestamp`, `jiff::Zoned`, `chrono::DateTime` or `time::OffsetDateTime`, or a \
            reference to one; a pipeline in civil time is asked in its milliseconds, as of \
            `CalendarDigits::to_millis`"
)]
pub trait Instant: Moment {}

/// The part of [`Moment`] that is not public.
#[diagnostic::on_unimplemented(
    message = "a schedule can not be asked in `{Self}`",
    label = "not a moment",
    note = "a moment is an `i64` of milliseconds since 1970-01-01 00:00:00, a \
            `millicron::CalendarDigits`, a `std::time::SystemTime`, with the features `jiff`, \
            `chrono` and `time` a type of these crates, or a reference to one"
)]
pub trait Read {
    /// What answers a moment of this type.
    type Clock: Clock;

    /// What answers this moment. Without a moment it is the clock of the type,
    /// or one that never answers, where it takes a moment to know the zone.
    fn clock(of: Option<&Self>) -> Self::Clock;

    /// Where this moment lies.
    fn reading(&self) -> Reading;
}

/// Where a [`Moment`] lies.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The last millisecond since 1970-01-01 00:00:00 that is not after the
    /// moment: of civil time, or of UTC for an [`Instant`]. Beyond the range of
    /// `i64` it is the nearest that there is.
    pub millis: i64,
    /// Whether the moment is that millisecond, or lies between it and the
    /// next.
    pub is_exact: bool,
}

impl Reading {
    /// Whole seconds, and nanoseconds after them.
    #[cfg(any(feature = "jiff", feature = "chrono", feature = "time"))]
    pub(crate) const fn new(seconds: i64, nanos: u32) -> Self {
        /// The next second is not reached.
        const LAST: u32 = 999;
        let millis = if nanos / 1_000_000 > LAST { LAST } else { nanos / 1_000_000 };
        Self {
            millis: seconds.saturating_mul(1000).saturating_add(millis as i64),
            is_exact: millis * 1_000_000 == nanos,
        }
    }
}

#[diagnostic::do_not_recommend]
impl Read for i64 {
    type Clock = Civil;

    #[inline]
    fn clock(_: Option<&Self>) -> Civil {
        Civil
    }

    #[inline]
    fn reading(&self) -> Reading {
        Reading { millis: *self, is_exact: true }
    }
}

#[diagnostic::do_not_recommend]
impl Moment for i64 {
    type Answer = Self;

    #[inline]
    fn at(_: &Civil, millis: i64) -> Option<Self> {
        Some(millis)
    }
}

#[diagnostic::do_not_recommend]
impl Instant for i64 {}

#[diagnostic::do_not_recommend]
impl Read for CalendarDigits {
    type Clock = Civil;

    #[inline]
    fn clock(_: Option<&Self>) -> Civil {
        Civil
    }

    #[inline]
    fn reading(&self) -> Reading {
        Reading { millis: self.to_millis(), is_exact: true }
    }
}

#[diagnostic::do_not_recommend]
impl Moment for CalendarDigits {
    type Answer = Self;

    #[inline]
    fn at(_: &Civil, millis: i64) -> Option<Self> {
        Some(Self::from_millis(millis))
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl Read for std::time::SystemTime {
    type Clock = Civil;

    #[inline]
    fn clock(_: Option<&Self>) -> Civil {
        Civil
    }

    #[inline]
    fn reading(&self) -> Reading {
        let beyond = if *self < Self::UNIX_EPOCH { i64::MIN } else { i64::MAX };
        let (millis, is_exact) = floor_millis(*self).unwrap_or((beyond, false));
        Reading { millis, is_exact }
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl Moment for std::time::SystemTime {
    type Answer = Self;

    #[inline]
    fn at(_: &Civil, millis: i64) -> Option<Self> {
        let distance = core::time::Duration::from_millis(millis.unsigned_abs());
        if millis < 0 {
            Self::UNIX_EPOCH.checked_sub(distance)
        } else {
            Self::UNIX_EPOCH.checked_add(distance)
        }
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl Instant for std::time::SystemTime {}

#[diagnostic::do_not_recommend]
impl<M: Moment + ?Sized> Read for &M {
    type Clock = M::Clock;

    #[inline]
    fn clock(of: Option<&Self>) -> M::Clock {
        M::clock(of.copied())
    }

    #[inline]
    fn reading(&self) -> Reading {
        M::reading(self)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Moment + ?Sized> Moment for &M {
    type Answer = M::Answer;

    #[inline]
    fn at(clock: &M::Clock, millis: i64) -> Option<M::Answer> {
        M::at(clock, millis)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Instant + ?Sized> Instant for &M {}
