//! Searches for the events of a schedule in the local time of a zone.
//!
//! Between two clock changes, events follow each other as they do in civil time. So most queries
//! take two searches in civil time and at most two offset lookups:
//!
//! - If no event is near the instant, whatever the offset, the answer is the first event that
//!   follows. This takes one lookup, for the offsets of its civil time.
//! - If events are dense, the answer is near. If the offsets before the instant and after the
//!   answer are equal, there is no clock change in between, and the answer is right.
//! - Otherwise, the search needs the offset at the instant and the offsets of the answer.
//!
//! The functions marked `#[cold]` handle everything else, near clock changes.
#![expect(
    clippy::inline_always,
    reason = "each direction of a search is compiled by itself, though both are written once"
)]

use core::mem;

use millicron_runtime::ScheduleRef;

use super::occurrence::Resolution;
use super::policy::Policy;
use super::table::TabledZone;
use super::{APART, DAY, FIRST, Fold, Gap, LAST, OffsetSpan, Offsets, Zone, clamped, first_where};
use crate::Position;
use crate::timescale::Sought;

/// Two instants with the same offset that are at most this far apart have no clock change between
/// them, since it would take two. The same is true of their civil times, because offsets are less
/// than a day.
const NEAR: i64 = APART - 2 * DAY;

/// If the mean distance between events is at most this, the next event is probably near.
const FEW_DAYS: u64 = 3 * DAY.unsigned_abs();

/// The most clock changes that a zone can have. It bounds the work for a zone that violates its
/// contract.
#[expect(clippy::cast_possible_truncation, reason = "about six thousand")]
pub(super) const CHANGES: usize = ((LAST - FIRST) / APART) as usize + 1;

/// A schedule in the local time of a zone.
#[derive(Debug)]
pub(super) struct Search<'a, Z> {
    pub(super) schedule: ScheduleRef<'a>,
    pub(super) zone: TabledZone<'a, Z>,
    pub(super) policy: Policy,
}

impl<Z> Clone for Search<'_, Z> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Z> Copy for Search<'_, Z> {}

/// A clock change: the first instant with the new offset, and both offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) at: i64,
    pub(super) before: i64,
    pub(super) after: i64,
}

/// The direction of a search. It starts between a millisecond and the next one: forward, it finds
/// events after that millisecond; backward, events at or before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    const fn reversed(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    const fn sign(self) -> i64 {
        match self {
            Self::Forward => 1,
            Self::Backward => -1,
        }
    }

    /// Whether a search that starts after a millisecond finds an event.
    const fn finds(self, event: i64, start: i64) -> bool {
        match self {
            Self::Forward => event > start,
            Self::Backward => event <= start,
        }
    }

    /// Returns the first event that a search finds.
    #[inline(always)]
    fn event(self, schedule: ScheduleRef<'_>, start: i64) -> Option<i64> {
        match self {
            Self::Forward => schedule.next_event(start),
            Self::Backward => schedule.nearest_prev_event(start),
        }
    }

    /// Returns two things in the order in which a search comes to them.
    const fn ordered<T: Copy>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::Forward => [first, second],
            Self::Backward => [second, first],
        }
    }

    /// Returns the pass of a fold to which a search comes first.
    const fn near_pass(self) -> Fold {
        let [near, _] = self.ordered([Fold::First, Fold::Second]);
        near
    }

    /// Returns the last civil times before a clock change, on its near side and on its far side.
    const fn sides(self, change: Change) -> [i64; 2] {
        self.ordered([change.old_civil() - 1, change.new_civil() - 1])
    }
}

/// Instants with the same offset whose events are the same as in civil time.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadySpan {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) offset: i64,
}

impl Change {
    /// The civil time at the change, with the old offset.
    pub(super) const fn old_civil(self) -> i64 {
        self.at + self.before
    }

    /// The civil time at the change, with the new offset.
    pub(super) const fn new_civil(self) -> i64 {
        self.at + self.after
    }
}

pub(super) fn next_change(zone: &(impl Zone + ?Sized), after: i64, until: i64) -> Option<i64> {
    zone.next_change(after, until).filter(|change| after < *change && *change <= until)
}

/// Returns the clock change that skips or repeats a civil time.
fn change_over(zone: &impl Zone, civil: i64, before: i32, after: i32) -> Change {
    let (before, after) = (i64::from(before), i64::from(after));
    let start = civil.saturating_sub(before.max(after));
    let end = civil.saturating_sub(before.min(after));
    Change { at: next_change(zone, start, end).unwrap_or(end), before, after }
}

/// Returns the position of a civil time in a zone, in milliseconds of UTC. In a fold, this is the
/// position in the first pass. In a gap, it is between the last millisecond before the gap and the
/// first one after it.
pub(crate) fn instant_of(civil: Position, zone: &impl Zone) -> Position {
    let Position { millis, is_exact } = civil;
    match zone.offsets_of(millis) {
        Offsets::One(offset) | Offsets::Fold { before: offset, .. } => {
            Position { millis: millis.saturating_sub(offset.into()), is_exact }
        }
        Offsets::Gap { before, after } => {
            let change = change_over(zone, millis, before, after);
            Position { millis: change.at.saturating_sub(1), is_exact: false }
        }
    }
}

impl<Z: Zone> Search<'_, Z> {
    #[inline]
    pub(super) fn offset_at(&self, instant: i64) -> i64 {
        self.zone.offset_at(instant).into()
    }

    /// Returns the clock change that skips or repeats a civil time.
    fn change(&self, civil: i64, before: i32, after: i32) -> Change {
        change_over(&self.zone, civil, before, after)
    }

    /// Returns the first clock change after one instant, up to and including another. A change
    /// outside that range violates the contract of [`Zone`], and is ignored.
    pub(super) fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        next_change(&self.zone, after, until)
    }

    /// Visits the clock changes after one instant, up to and including another, until a visit returns
    /// `false`.
    ///
    /// It is no iterator, whose `next` the compiler may not inline into a loop over two hundred changes.
    #[inline(always)]
    pub(super) fn visit_changes(
        &self,
        after: i64,
        until: i64,
        mut visit: impl FnMut(Change) -> bool,
    ) {
        let mut before = self.offset_at(after);
        let mut step = |at, offset| {
            let change = Change { at, before: mem::replace(&mut before, offset), after: offset };
            visit(change)
        };
        if let Some(table) = self.zone.table {
            for (at, offset) in table.changes_after(after) {
                if at > until || !step(at, offset) {
                    return;
                }
            }
        } else {
            let mut last = after;
            for _ in 0..CHANGES {
                let Some(at) = self.next_change(last, until) else { return };
                last = at;
                if !step(at, self.offset_at(at)) {
                    return;
                }
            }
        }
    }

    /// Returns the first clock change after one instant, up to and including another.
    pub(super) fn first_change(&self, after: i64, until: i64) -> Option<Change> {
        let mut first = None;
        self.visit_changes(after, until, |change| {
            first = Some(change);
            false
        });
        first
    }

    /// Returns the last clock change after one instant, up to and including another.
    pub(super) fn last_change(&self, after: i64, until: i64) -> Option<Change> {
        let mut end = until;
        let offset = self.offset_at(end);
        if let Some(OffsetSpan { start: at, .. }) = self.zone.offset_span(end) {
            let is_inside = after < at && at <= end;
            return is_inside.then(|| Change { at, before: self.offset_at(at - 1), after: offset });
        }
        while end > after {
            let start = (end - APART).max(after);
            let before = self.offset_at(start);
            if before != offset {
                let at = first_where(start, end, |instant| self.offset_at(instant) != before);
                return Some(Change { at, before, after: offset });
            }
            end = start;
        }
        None
    }

    /// Returns the fold that an instant is in, and whether the instant is in its second pass.
    pub(super) fn fold(&self, instant: i64, offset: i64) -> Option<(Change, bool)> {
        let Offsets::Fold { before, after } = self.zone.offsets_of(instant + offset) else {
            return None;
        };
        Some((self.change(instant + offset, before, after), i64::from(after) == offset))
    }

    /// Returns whether the events in a gap fire after it.
    pub(super) fn fires_after(&self, gap: Change) -> bool {
        match self.policy.gap {
            Gap::Shift => true,
            Gap::Skip => false,
            Gap::Bridge => {
                let end = gap.new_civil() + (gap.after - gap.before);
                self.schedule.nearest_event(gap.new_civil()).is_none_or(|next| next >= end)
            }
        }
    }

    /// Returns how long before one instant and after another the clocks must not change, so that
    /// all events between the two are as in civil time. The other pass of a fold may lie there and
    /// decide whether an event fires here.
    const fn reach(self) -> [i64; 2] {
        match self.policy.fold {
            Fold::First => [DAY, 0],
            Fold::Second => [0, DAY],
            Fold::Both => [0, 0],
        }
    }

    /// Returns the span around an instant in which events are as in civil time. `None` near a clock
    /// change, or if the zone does not know its [spans](Zone::offset_span).
    pub(super) fn steady_span(&self, instant: i64) -> Option<SteadySpan> {
        let OffsetSpan { offset, start, end } = self.zone.offset_span(instant)?;
        let [before, after] = self.reach();
        // A shifted event may be at the first instant.
        // A zone may be wrong about its spans.
        let first = start.max(FIRST).saturating_add(before.max(1));
        let last = end.min(LAST).saturating_sub(1 + after);
        let is_inside = (first..=last).contains(&instant);
        is_inside.then_some(SteadySpan { first, last, offset: offset.into() })
    }

    /// Returns the event that is sought from an instant.
    #[inline(always)]
    pub(super) fn find_sought(self, sought: Sought, instant: i64) -> Option<i64> {
        let (start, direction) = match sought {
            Sought::Next => (instant, Direction::Forward),
            Sought::Nearest => (instant.saturating_sub(1), Direction::Forward),
            Sought::Prev => (instant.saturating_sub(1), Direction::Backward),
            Sought::NearestPrev => (instant, Direction::Backward),
        };
        // A moment between two milliseconds decides at run time which of two kinds it is; they share one search.
        match direction {
            Direction::Forward => self.after(start),
            Direction::Backward => self.up_to(start),
        }
    }

    /// Returns the first event after an instant.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn after(self, instant: i64) -> Option<i64> {
        self.find(instant, Direction::Forward)
    }

    /// Returns the last event at or before an instant.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn up_to(self, instant: i64) -> Option<i64> {
        self.find(instant, Direction::Backward)
    }

    /// Returns the first event that a search from an instant finds.
    #[inline(always)]
    fn find(self, instant: i64, direction: Direction) -> Option<i64> {
        let instant = clamped(instant);
        if self.policy.is_sparse
            && let Some(event) = self.find_far(instant, direction)
        {
            return Some(event);
        }
        match self.zone.span(instant) {
            Some(span) => self.find_in(span, instant, direction),
            None => self.find_by_offsets(instant, direction),
        }
    }

    /// Returns the event that a search from an instant finds, if no event is near the civil time of the
    /// instant, or near another pass of it.
    #[inline(always)]
    fn find_far(self, instant: i64, direction: Direction) -> Option<i64> {
        let sign = direction.sign();
        // jiff and `time` allow offsets of up to 26 hours.
        let event = direction.event(self.schedule, instant - sign * 3 * DAY)?;
        if sign * (event - instant) <= 2 * DAY {
            return None;
        }
        Some(event - self.only_offset(event)?)
    }

    /// Like [`find`](Self::find), in a zone that does not know its spans.
    fn find_by_offsets(self, instant: i64, direction: Direction) -> Option<i64> {
        let sign = direction.sign();
        if let Some(event) = self.find_far(instant, direction) {
            return Some(event);
        }
        if self.schedule.is_denser_than(FEW_DAYS) {
            let [behind, ahead] = direction.ordered(self.reach());
            let offset = self.offset_at(instant - sign * behind);
            let civil = instant + offset;
            if let Some(event) = direction.event(self.schedule, civil)
                && sign * (event - civil) <= NEAR
                && self.offset_at(event - offset + sign * ahead) == offset
            {
                return Some(event - offset);
            }
        } else {
            let offset = self.offset_at(instant);
            if let Some(event) = direction.event(self.schedule, instant + offset)
                && let Some(of_event) = self.only_offset(event)
                // Otherwise, another pass of civil times behind the instant may come first.
                && (self.policy.fold == direction.near_pass()
                    || self.offset_at(instant + sign * DAY) == offset)
            {
                return Some(event - of_event);
            }
        }
        Self::find_across(self.schedule, self.zone, self.policy, instant, direction)
    }

    /// Returns the offset of a civil time, if it occurs once.
    #[inline(always)]
    fn only_offset(self, civil: i64) -> Option<i64> {
        match self.zone.span(civil) {
            Some(span) if span.contains_with_days(civil) => Some(span.offset.into()),
            _ => Self::only_offset_of(self.zone, civil),
        }
    }

    #[cold]
    fn only_offset_of(zone: TabledZone<'_, Z>, civil: i64) -> Option<i64> {
        match zone.offsets_of(civil) {
            Offsets::One(offset) => Some(offset.into()),
            Offsets::Gap { .. } | Offsets::Fold { .. } => None,
        }
    }

    /// Like [`find`](Self::find), for an instant in a known span.
    #[inline(always)]
    fn find_in(self, span: OffsetSpan, instant: i64, direction: Direction) -> Option<i64> {
        let goes_on = |direction, instant| match direction {
            Direction::Forward => instant < span.end,
            Direction::Backward => instant >= span.start,
        };
        let [behind, ahead] = direction.ordered(self.reach());
        let (sign, offset) = (direction.sign(), i64::from(span.offset));
        if goes_on(direction.reversed(), instant - sign * behind)
            && let Some(event) = direction.event(self.schedule, instant + offset)
        {
            if goes_on(direction, event - offset + sign * ahead) {
                return Some(event - offset);
            }
            // Unless another pass of civil times behind the instant comes first.
            if (self.policy.fold == direction.near_pass()
                || goes_on(direction, instant + sign * DAY))
                && let Some(offset) = self.only_offset(event)
            {
                return Some(event - offset);
            }
        }
        Self::find_across(self.schedule, self.zone, self.policy, instant, direction)
    }

    /// Like [`find`](Self::find), near a clock change.
    ///
    /// The parts of the search are arguments, so that a search that does not come here stays in registers.
    #[cold]
    fn find_across(
        schedule: ScheduleRef<'_>,
        zone: TabledZone<'_, Z>,
        policy: Policy,
        instant: i64,
        direction: Direction,
    ) -> Option<i64> {
        Search { schedule, zone, policy }.find_near_change(instant, direction)
    }

    fn find_near_change(self, instant: i64, direction: Direction) -> Option<i64> {
        let fold = self.policy.fold;
        let [near_pass, far_pass] = direction.ordered([Fold::First, Fold::Second]);
        let offset = self.offset_at(instant);
        let mut civil = instant + offset;
        if fold != near_pass
            && let Some((change, is_second)) = self.fold(instant, offset)
            && is_second == (near_pass == Fold::Second)
        {
            // The rest of the near pass comes again in the far one.
            let [near_side, far_side] = direction.sides(change);
            let rest = direction.event(self.schedule, civil);
            match rest.filter(|event| !direction.finds(*event, near_side)) {
                Some(event) if fold == Fold::Both => return Some(event - offset),
                _ => civil = far_side,
            }
        }
        for _ in 0..CHANGES {
            let event = direction.event(self.schedule, civil)?;
            let skipped = match self.zone.offsets_of(event) {
                Offsets::One(offset) => return Some(event - i64::from(offset)),
                Offsets::Gap { before, after } => {
                    let gap = self.change(event, before, after);
                    if self.fires_after(gap) {
                        return Some(gap.at);
                    }
                    let [_, far_side] = direction.sides(gap);
                    far_side
                }
                Offsets::Fold { before, after } => {
                    let passes = [before, after].map(|offset| event - i64::from(offset));
                    let [near, far] = direction.ordered(passes);
                    if fold != far_pass && direction.finds(near, instant) {
                        return Some(near);
                    }
                    if fold != near_pass {
                        return Some(far);
                    }
                    let [near_side, _] = direction.sides(self.change(event, before, after));
                    near_side
                }
            };
            // If the zone violates its contract, the change may be behind the event.
            civil = match direction {
                Direction::Forward => skipped.max(event),
                Direction::Backward => skipped.min(event - 1),
            };
        }
        None
    }

    /// Returns whether an instant is an event.
    #[inline(always)]
    pub(super) fn matches(self, instant: i64) -> bool {
        if let Some(span) = self.zone.span(instant) {
            let is_event = self.schedule.matches(instant.saturating_add(span.offset.into()));
            if !is_event && instant != span.start {
                return false;
            }
            if is_event && span.contains_with_days(instant) {
                return true;
            }
        }
        Self::occurs(self.schedule, self.zone, self.policy, instant)
    }

    #[cold]
    fn occurs(
        schedule: ScheduleRef<'_>,
        zone: TabledZone<'_, Z>,
        policy: Policy,
        instant: i64,
    ) -> bool {
        Search { schedule, zone, policy }.occurrence(instant).is_some()
    }

    /// Returns the civil time of the event at an instant, and how it was resolved.
    pub(super) fn occurrence(self, instant: i64) -> Option<(i64, Resolution)> {
        if !(FIRST..=LAST).contains(&instant) {
            return None;
        }
        let span = self.zone.offset_span(instant);
        let offset = span.map_or_else(|| self.offset_at(instant), |span| span.offset.into());
        let civil = instant + offset;
        if !self.schedule.matches(civil) {
            if span.is_some_and(|span| span.start != instant) {
                return None;
            }
            return Some((self.shifted_to(instant, offset)?, Resolution::Shifted));
        }
        if span.is_some_and(|span| span.contains_with_days(instant)) {
            return Some((civil, Resolution::Unique));
        }
        let Offsets::Fold { after, .. } = self.zone.offsets_of(civil) else {
            return Some((civil, Resolution::Unique));
        };
        let is_second = i64::from(after) == offset;
        match (self.policy.fold, is_second) {
            (Fold::First | Fold::Both, false) => Some((civil, Resolution::FirstPass)),
            (Fold::Second | Fold::Both, true) => Some((civil, Resolution::SecondPass)),
            _ => None,
        }
    }

    /// Returns the civil time of the first event in the gap that ends at an instant, if it fires
    /// there.
    pub(super) fn shifted_to(&self, instant: i64, offset: i64) -> Option<i64> {
        // Most schedules have no event within a day before most instants.
        let last = self.schedule.prev_event(instant + offset)?;
        if self.policy.gap == Gap::Skip || last < instant + offset - DAY {
            return None;
        }
        let before = self.offset_at(instant - 1);
        let gap = Change { at: instant, before, after: offset };
        if last >= gap.old_civil() && self.fires_after(gap) {
            self.schedule.nearest_event(gap.old_civil())
        } else {
            None
        }
    }
}
