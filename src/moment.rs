//! [`Moment`]: the types with which schedules are queried.

use crate::CalendarDigits;
use crate::timescale::{CivilScale, Timescale};

/// A date and time type with which a [`Schedule`](crate::Schedule) can be queried. Answers have the
/// same type.
///
/// | type | meaning | feature |
/// | --- | --- | --- |
/// | `i64` | milliseconds since 1970-01-01 00:00:00, civil time | |
/// | [`CalendarDigits`] | civil date and time | |
/// | `std::time::SystemTime` | instant, read as UTC | `std` |
/// | `jiff::civil::DateTime` | civil date and time | `jiff` |
/// | `jiff::Timestamp` | instant, read as UTC | `jiff` |
/// | `jiff::ZonedDateTime` | instant in its own time zone | `jiff` |
/// | `(jiff::civil::DateTime, &TimeZone)`, also without `&` | local time in that zone; answers are `ZonedDateTime` | `jiff` |
/// | `chrono::NaiveDateTime` | civil date and time | `chrono` |
/// | `chrono::DateTime<Tz>` | instant in its own time zone | `chrono` |
/// | `(chrono::NaiveDateTime, Tz)` | local time in that zone; answers are `DateTime<Tz>` | `chrono` |
/// | `time::PrimitiveDateTime` | civil date and time | `time` |
/// | `time::OffsetDateTime` | instant at its own offset | `time` |
/// | `&M` | as `M`; answers are `M` | |
///
/// Answers to a moment with a time zone are in the same zone.
/// [`ZonedSchedule`](crate::ZonedSchedule) explains how events are handled when the clocks change,
/// and lets you choose.
///
/// A local time with its zone is a single instant. In a fold, it is the instant in the first pass.
/// In a gap, it lies strictly between the last millisecond before the gap and the first one after
/// it.
///
/// A moment that is finer than a millisecond lies strictly between two milliseconds: it is not an
/// event, the next event is after it and the previous one before it. The same is true of leap
/// seconds, in types that have them. If a type cannot represent an answer, the answer is `None`.
///
/// This trait is sealed: you cannot implement it for your own types. Its supertrait `Sealed` is not
/// public API.
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
/// // The same in milliseconds and in calendar digits.
/// assert_eq!(HOURLY.next_event(1_614_513_600_000), Some(1_614_517_200_000));
/// let digits = CalendarDigits::new(2021, 2, 28, 12, 0, 0, 0)?;
/// assert_eq!(HOURLY.next_event(digits), Some(CalendarDigits::new(2021, 2, 28, 13, 0, 0, 0)?));
///
/// // 100 nanoseconds after noon, noon is the previous event.
/// let after = noon + Duration::from_nanos(100);
/// assert!(HOURLY.matches(noon) && !HOURLY.matches(after));
/// assert_eq!(HOURLY.prev_event(after), Some(noon));
/// # Ok::<(), millicron::DigitsError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a schedule cannot be queried in `{Self}`",
    label = "not a moment",
    note = "a moment is an `i64` of milliseconds since 1970-01-01 00:00:00, a \
            `millicron::CalendarDigits`, a `std::time::SystemTime`, with the features `jiff`, \
            `chrono` and `time` a type of that crate, or a reference to one",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`"
)]
pub trait Moment: Sealed {
    /// The type of the answers: the type itself, without references. For a pair of a local time and
    /// a zone, it is the type that combines both.
    type Answer: Moment<Answer = Self::Answer> + Sealed<Scale = Self::Scale>;

    /// Whether the type is an [`Instant`] rather than a civil time.
    const IS_INSTANT: bool;

    /// Returns the position of the moment in milliseconds.
    fn position(&self) -> Position;

    /// Returns the moment at `millis`; `None` if the type cannot represent it.
    #[doc(hidden)]
    fn at(scale: Self::Scale, millis: i64) -> Option<Self::Answer>;

    /// Returns the moment at `millis` as the answer to a query with this moment; `None` if the type
    /// cannot represent it.
    #[doc(hidden)]
    #[inline]
    fn answer(&self, millis: i64) -> Option<Self::Answer> {
        Self::at(Self::scale(Some(self)), millis)
    }
}

/// A [`Moment`] that is an instant, independent of any time zone: the types with which a
/// [`ZonedSchedule`](crate::ZonedSchedule) can be queried. (Unlike `std::time::Instant`, it has a
/// date.)
///
/// | type | answers | feature |
/// | --- | --- | --- |
/// | `i64` | milliseconds since 1970-01-01 00:00:00 UTC | |
/// | `std::time::SystemTime` | instants | `std` |
/// | `jiff::Timestamp` | instants | `jiff` |
/// | `jiff::ZonedDateTime` | in the zone of the value, which need not be the schedule's | `jiff` |
/// | `chrono::DateTime<Tz>` | in the zone of the value | `chrono` |
/// | `(jiff::civil::DateTime, &TimeZone)` | `ZonedDateTime`, in that zone | `jiff` |
/// | `(chrono::NaiveDateTime, Tz)` | `DateTime<Tz>`, in that zone | `chrono` |
/// | `time::OffsetDateTime` | at the offset of the value | `time` |
/// | `&M` | as `M` | |
#[diagnostic::on_unimplemented(
    message = "a schedule in a time zone cannot be queried in `{Self}`",
    label = "not an instant",
    note = "an instant is an `i64` of milliseconds since 1970-01-01 00:00:00 UTC, a \
            `std::time::SystemTime`, with the features `jiff`, `chrono` and `time` a \
            `jiff::Timestamp`, `jiff::ZonedDateTime`, `chrono::DateTime` or `time::OffsetDateTime`, or a \
            reference to one",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`"
)]
pub trait Instant: Moment {}

/// The part of [`Moment`] that only this crate implements.
#[diagnostic::on_unimplemented(
    message = "a schedule cannot be queried in `{Self}`",
    label = "not a moment",
    note = "a moment is an `i64` of milliseconds since 1970-01-01 00:00:00, a \
            `millicron::CalendarDigits`, a `std::time::SystemTime`, with the features `jiff`, \
            `chrono` and `time` a type of that crate, or a reference to one",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`"
)]
pub trait Sealed {
    /// The timescale of moments of this type, which iterators store.
    type Scale: Timescale;
    /// The timescale of one moment. It borrows the zone if copying the zone takes longer than a
    /// query.
    type Timescale<'a>: Timescale
    where
        Self: 'a;

    /// Returns the timescale of a moment. Without a moment, returns the timescale of the type; if
    /// only moments have a zone, that timescale has none.
    fn scale(of: Option<&Self>) -> Self::Scale;

    /// Returns the timescale that answers a query with this moment.
    fn timescale(&self) -> Self::Timescale<'_>;
}

/// The position of a [`Moment`] in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a moment is a millisecond, or between two")]
pub struct Position {
    /// The last millisecond at or before the moment, since 1970-01-01 00:00:00: in civil time, or
    /// in UTC for an [`Instant`]. Clamped to the range of `i64`.
    pub millis: i64,
    /// Whether the moment is exactly that millisecond. If not, it lies between that millisecond and
    /// the next.
    pub is_exact: bool,
}

impl Position {
    /// Returns the first millisecond at or after the moment.
    #[must_use]
    pub const fn ceil(self) -> i64 {
        if self.is_exact { self.millis } else { self.millis.saturating_add(1) }
    }

    /// Creates a position from whole seconds and the nanoseconds after them.
    #[cfg(any(feature = "jiff", feature = "jiff-02", feature = "chrono", feature = "time"))]
    pub(crate) const fn new(seconds: i64, nanos: u32) -> Self {
        // A leap second has more, but must not reach the next second.
        const LAST: u32 = 999;
        let millis = if nanos / 1_000_000 > LAST { LAST } else { nanos / 1_000_000 };
        Self {
            millis: seconds.saturating_mul(1000).saturating_add(millis as i64),
            is_exact: millis * 1_000_000 == nanos,
        }
    }
}

/// Gives moments the civil timescale, because they have no time zone, or are in UTC.
macro_rules! civil_moment {
    ($moment:ty) => {
        #[diagnostic::do_not_recommend]
        impl $crate::moment::Sealed for $moment {
            type Scale = $crate::timescale::CivilScale;
            type Timescale<'a> = $crate::timescale::CivilScale;

            #[inline]
            fn scale(_: Option<&Self>) -> Self::Scale {
                $crate::timescale::CivilScale
            }

            #[inline]
            fn timescale(&self) -> Self::Scale {
                $crate::timescale::CivilScale
            }
        }
    };
}
#[cfg(any(
    feature = "std",
    feature = "jiff",
    feature = "jiff-02",
    feature = "chrono",
    feature = "time"
))]
pub(crate) use civil_moment;

civil_moment!(i64);

#[diagnostic::do_not_recommend]
impl Moment for i64 {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        Position { millis: *self, is_exact: true }
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        Some(millis)
    }
}

#[diagnostic::do_not_recommend]
impl Instant for i64 {}

civil_moment!(CalendarDigits);

#[diagnostic::do_not_recommend]
impl Moment for CalendarDigits {
    type Answer = Self;

    const IS_INSTANT: bool = false;

    #[inline]
    fn position(&self) -> Position {
        Position { millis: self.to_millis(), is_exact: true }
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        Some(Self::from_millis(millis))
    }
}

#[diagnostic::do_not_recommend]
impl<M: Moment + ?Sized> Sealed for &M {
    type Scale = M::Scale;
    type Timescale<'a>
        = M::Timescale<'a>
    where
        Self: 'a;

    #[inline]
    fn scale(of: Option<&Self>) -> M::Scale {
        M::scale(of.copied())
    }

    #[inline]
    fn timescale(&self) -> M::Timescale<'_> {
        M::timescale(self)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Moment + ?Sized> Moment for &M {
    type Answer = M::Answer;

    const IS_INSTANT: bool = M::IS_INSTANT;

    #[inline]
    fn position(&self) -> Position {
        M::position(self)
    }

    #[inline]
    fn at(scale: M::Scale, millis: i64) -> Option<M::Answer> {
        M::at(scale, millis)
    }

    #[inline]
    fn answer(&self, millis: i64) -> Option<M::Answer> {
        M::answer(self, millis)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Instant + ?Sized> Instant for &M {}
