//! [`Query`]: the queries that [`Schedule`](crate::Schedule) and
//! [`ZonedSchedule`](crate::ZonedSchedule) share.
#![expect(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::ops::Bound;

use millicron_runtime::Schedule;

use crate::moment::{Position, Sealed};
use crate::timescale::{Sought, Timescale};
use crate::{Moment, MomentRange};

/// A schedule and the timescale in which to search it. Answers are in the moment's own timescale,
/// which may be a different one.
pub(crate) struct Query<'a, S> {
    pub(crate) schedule: &'a Schedule,
    pub(crate) scale: &'a S,
}

/// The timescale of a range's moments.
pub(crate) type ScaleOf<R> = <<R as MomentRange>::Moment as Sealed>::Scale;

impl<S: Timescale> Query<'_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn find<M: Moment>(&self, sought: Sought, moment: &M) -> Option<M::Answer> {
        let (sought, millis) = start_of(sought, moment);
        moment.answer(self.scale.find(self.schedule, sought, millis)?)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn matches<M: Moment>(&self, moment: &M) -> bool {
        let Position { millis, is_exact } = moment.position();
        is_exact && self.scale.matches(self.schedule, millis)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn count(&self, range: &impl MomentRange) -> u64 {
        let (start, end) = range.millis().into_inner();
        self.scale.count(self.schedule, start, end)
    }
}

/// Returns the millisecond from which to search for an event near a moment, and which event is sought
/// from there.
#[inline(always)]
pub(crate) fn start_of<M: Moment>(sought: Sought, moment: &M) -> (Sought, i64) {
    let Position { millis, is_exact } = moment.position();
    let sought = match sought {
        // The moment is after that millisecond.
        Sought::Nearest if !is_exact => Sought::Next,
        Sought::Prev if !is_exact => Sought::NearestPrev,
        sought => sought,
    };
    (sought, millis)
}

/// Returns the timescale of a range's start or, without a start, of its end. Returns the timescale
/// of the type for an unbounded range.
#[inline(always)]
pub(crate) fn scale_of<R: MomentRange>(range: &R) -> ScaleOf<R> {
    let moment = match (range.start_moment(), range.end_moment()) {
        (Bound::Included(moment) | Bound::Excluded(moment), _)
        | (_, Bound::Included(moment) | Bound::Excluded(moment)) => Some(moment),
        (Bound::Unbounded, Bound::Unbounded) => None,
    };
    R::Moment::scale(moment)
}

/// Returns the first and the last millisecond of a range. If the range is empty or its zone is
/// unknown, the first is after the last.
#[inline(always)]
pub(crate) fn bounds<R: MomentRange>(range: &R, own: &ScaleOf<R>) -> (i64, i64) {
    if own.is_known() { range.millis().into_inner() } else { EMPTY }
}

/// The bounds of an empty range.
const EMPTY: (i64, i64) = (0, -1);
