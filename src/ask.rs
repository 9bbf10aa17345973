//! The questions, as a moment asks them: what a [`Schedule`](crate::Schedule)
//! and a [`ZonedSchedule`](crate::ZonedSchedule) have in common.
#![expect(
    clippy::inline_always,
    reason = "so that a constant schedule is still one where it is searched, whatever the program around it"
)]

use core::ops::{Bound, RangeBounds};

use millicron_runtime::Schedule;

use crate::clock::Clock;
use crate::moment::{Read, Reading};
use crate::{Events, Moment};

/// A schedule, and the clock that it is asked by. The answers are told by the
/// moment's own, which is the same, or another.
pub(crate) struct Ask<'a, C> {
    pub(crate) schedule: &'a Schedule,
    pub(crate) clock: &'a C,
}

impl<C: Clock> Ask<'_, C> {
    #[inline(always)]
    pub(crate) fn next<M: Moment>(&self, moment: &M, own: &M::Clock) -> Option<M::Answer> {
        let Reading { millis, .. } = moment.reading();
        M::at(own, self.clock.next(self.schedule, millis)?)
    }

    #[inline(always)]
    pub(crate) fn nearest<M: Moment>(&self, moment: &M, own: &M::Clock) -> Option<M::Answer> {
        let Reading { millis, is_exact } = moment.reading();
        let event = if is_exact {
            self.clock.nearest(self.schedule, millis)
        } else {
            self.clock.next(self.schedule, millis)
        };
        M::at(own, event?)
    }

    #[inline(always)]
    pub(crate) fn prev<M: Moment>(&self, moment: &M, own: &M::Clock) -> Option<M::Answer> {
        let Reading { millis, is_exact } = moment.reading();
        let event = if is_exact {
            self.clock.prev(self.schedule, millis)
        } else {
            self.clock.nearest_prev(self.schedule, millis)
        };
        M::at(own, event?)
    }

    #[inline(always)]
    pub(crate) fn nearest_prev<M: Moment>(&self, moment: &M, own: &M::Clock) -> Option<M::Answer> {
        let Reading { millis, .. } = moment.reading();
        M::at(own, self.clock.nearest_prev(self.schedule, millis)?)
    }

    #[inline(always)]
    pub(crate) fn matches<M: Moment>(&self, moment: &M) -> bool {
        let Reading { millis, is_exact } = moment.reading();
        is_exact && self.clock.matches(self.schedule, millis)
    }

    #[inline(always)]
    pub(crate) fn count<M: Moment>(&self, range: &impl RangeBounds<M>, own: &M::Clock) -> u64 {
        let (start, end) = bounds(range, own);
        self.clock.count(self.schedule, start, end)
    }
}

/// The events of a range, of a schedule that is asked by a clock.
#[inline(always)]
pub(crate) fn events<M: Moment, C: Clock>(
    schedule: &Schedule,
    clock: C,
    range: &impl RangeBounds<M>,
) -> Events<M, C> {
    let own = own_clock(range);
    let (start, end) = bounds(range, &own);
    Events::new(clock.walk(schedule, start, end), own)
}

/// The clock of a range: that of its start, or else of its end, or else of the
/// type.
#[inline(always)]
pub(crate) fn own_clock<M: Moment>(range: &impl RangeBounds<M>) -> M::Clock {
    let of = match (range.start_bound(), range.end_bound()) {
        (Bound::Included(moment) | Bound::Excluded(moment), _)
        | (_, Bound::Included(moment) | Bound::Excluded(moment)) => Some(moment),
        (Bound::Unbounded, Bound::Unbounded) => None,
    };
    M::clock(of)
}

/// The milliseconds that a range holds, as [`millis`] tells; none where nothing can be
/// answered.
#[inline(always)]
fn bounds<M: Moment>(range: &impl RangeBounds<M>, own: &M::Clock) -> (i64, i64) {
    if own.is_known() { millis(range) } else { NONE }
}

/// No milliseconds.
const NONE: (i64, i64) = (0, -1);

/// The milliseconds that a range holds, from the first to the last; the first
/// is after the last where it holds none.
#[inline(always)]
pub(crate) fn millis<M: Moment>(range: &impl RangeBounds<M>) -> (i64, i64) {
    let start = match range.start_bound().map(Read::reading) {
        Bound::Unbounded => Some(i64::MIN),
        Bound::Included(Reading { millis, is_exact: true }) => Some(millis),
        // The next millisecond, where there is one.
        Bound::Included(Reading { millis, .. }) | Bound::Excluded(Reading { millis, .. }) => {
            millis.checked_add(1)
        }
    };
    let end = match range.end_bound().map(Read::reading) {
        Bound::Unbounded => Some(i64::MAX),
        Bound::Excluded(Reading { millis, is_exact: true }) => millis.checked_sub(1),
        Bound::Included(Reading { millis, .. }) | Bound::Excluded(Reading { millis, .. }) => {
            Some(millis)
        }
    };
    start.zip(end).unwrap_or(NONE)
}
