//! [`MomentRange`]: the ranges that events can be taken from.
#![expect(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::moment::{Moment, Position};

/// A range of moments: any of Rust's ranges of a [`Moment`], or a pair of [`Bound`]s.
///
/// Unlike [`RangeBounds`](core::ops::RangeBounds), a range has a single type of moment, so calls
/// need no type annotations: `&now..` is a range of `now`'s type, and `..` is a range of `i64`.
///
/// ```
/// use std::time::SystemTime;
///
/// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
///
/// let now = SystemTime::now();
/// assert_eq!(HOURLY.events(now..).next(), HOURLY.nearest_event(now));
/// assert_eq!(HOURLY.count(..), 36_890 * 24); // every day from 2000 to 2100
/// ```
///
/// # Time zones
///
/// Some types have values with a time zone or an offset, such as `jiff::ZonedDateTime` and
/// `time::OffsetDateTime`. A range of such a type takes the zone of its answers from its start or,
/// without a start, from its end. A pair of two [`Bound::Unbounded`] of such a type has no events,
/// because the zone is unknown; only [`ZonedSchedule::count`](crate::ZonedSchedule::count), whose
/// answer has no zone, counts them all. `..` has all events, in `i64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of moments",
    label = "not a range of moments",
    note = "pass a range such as `start..end`, `start..` or `..=end`, whose ends are of a type \
            that schedules answer in: an `i64` of milliseconds since 1970-01-01 00:00:00, a \
            `millicron::CalendarDigits`, a `std::time::SystemTime`, or, with the features `jiff`, \
            `chrono` and `time`, a type of that crate",
    note = "for the events after a moment, use `upcoming(moment)`",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`"
)]
pub trait MomentRange {
    /// The type of both ends.
    type Moment: Moment;

    /// Returns the start of the range.
    fn start_moment(&self) -> Bound<&Self::Moment>;

    /// Returns the end of the range.
    fn end_moment(&self) -> Bound<&Self::Moment>;

    /// Returns the milliseconds of the range, since 1970-01-01 00:00:00. The result is empty if the
    /// range contains none.
    #[inline(always)]
    fn millis(&self) -> RangeInclusive<i64> {
        let start = match self.start_moment().map(Moment::position) {
            Bound::Unbounded => Some(i64::MIN),
            Bound::Included(Position { millis, is_exact: true }) => Some(millis),
            // The next millisecond, if there is one.
            Bound::Included(Position { millis, .. }) | Bound::Excluded(Position { millis, .. }) => {
                millis.checked_add(1)
            }
        };
        let end = match self.end_moment().map(Moment::position) {
            Bound::Unbounded => Some(i64::MAX),
            Bound::Excluded(Position { millis, is_exact: true }) => millis.checked_sub(1),
            Bound::Included(Position { millis, .. }) | Bound::Excluded(Position { millis, .. }) => {
                Some(millis)
            }
        };
        let (start, end) = start.zip(end).unwrap_or((0, -1));
        start..=end
    }
}

macro_rules! ranges {
    ($($range:ty),*) => {
        $(#[diagnostic::do_not_recommend]
        impl<M: Moment> MomentRange for $range {
            type Moment = M;

            #[inline]
            fn start_moment(&self) -> Bound<&M> {
                core::ops::RangeBounds::<M>::start_bound(self)
            }

            #[inline]
            fn end_moment(&self) -> Bound<&M> {
                core::ops::RangeBounds::<M>::end_bound(self)
            }
        })*
    };
}

ranges! {
    Range<M>, RangeFrom<M>, RangeInclusive<M>, RangeTo<M>, RangeToInclusive<M>,
    (Bound<M>, Bound<M>)
}

#[diagnostic::do_not_recommend]
impl MomentRange for RangeFull {
    type Moment = i64;

    #[inline]
    fn start_moment(&self) -> Bound<&i64> {
        Bound::Unbounded
    }

    #[inline]
    fn end_moment(&self) -> Bound<&i64> {
        Bound::Unbounded
    }
}

#[diagnostic::do_not_recommend]
impl<R: MomentRange> MomentRange for &R {
    type Moment = R::Moment;

    #[inline]
    fn start_moment(&self) -> Bound<&R::Moment> {
        R::start_moment(self)
    }

    #[inline]
    fn end_moment(&self) -> Bound<&R::Moment> {
        R::end_moment(self)
    }
}
