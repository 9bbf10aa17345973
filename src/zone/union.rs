//! Searches for the events of a union, each of whose members is handled by its own kind.
//!
//! Away from clock changes, the events are those of the union in civil time. In the passes of a
//! fold, only some members fire, and the members that fire after a gap do so at one instant.

use core::slice;

use millicron_runtime::{MOST_MEMBERS, Schedule};

use super::count::count_with;
use super::local_time::ZoneScale;
use super::occurrence::Resolution;
use super::search::{CHANGES, Change, Search, SteadySpan};
use super::{FIRST, Fold, LAST, Zone, first_where};
use crate::timescale::Sought;

/// Members of a union, as bits.
pub(super) type Members = u16;

/// A union in the local time of a zone.
pub(super) struct UnionSearch<'a, Z> {
    pub(super) union: &'a Schedule,
    members: &'a [Schedule],
    scale: &'a ZoneScale<Z>,
    /// A search of one of the members, for offsets and changes.
    pub(super) any: Search<'a, Z>,
}

/// Consecutive instants with one offset, in which the same members fire.
#[derive(Clone, Copy)]
struct UnionPiece {
    first: i64,
    last: i64,
    offset: i64,
    members: Members,
    /// The instant of shifted events, which precede all others.
    shifted: Option<i64>,
}

impl<'a, Z: Zone> UnionSearch<'a, Z> {
    /// Returns the search of a union; `None` for other schedules.
    pub(super) fn of(scale: &'a ZoneScale<Z>, schedule: &'a Schedule) -> Option<Self> {
        Self::of_members(scale, schedule, schedule.members())
    }

    /// Returns the search of any schedule. One that is not a union is its own only member.
    pub(super) fn of_any(scale: &'a ZoneScale<Z>, schedule: &'a Schedule) -> Option<Self> {
        Self::of_members(scale, schedule, members_of(schedule))
    }

    fn of_members(
        scale: &'a ZoneScale<Z>,
        union: &'a Schedule,
        members: &'a [Schedule],
    ) -> Option<Self> {
        let any = scale.search_member(members.first()?)?;
        Some(Self { union, members, scale, any })
    }

    /// Returns the searches of the members.
    pub(super) fn searches(&self) -> impl Iterator<Item = Search<'a, Z>> {
        let scale = self.scale;
        self.members.iter().filter_map(|member| scale.search_member(member))
    }

    /// Returns all members.
    fn all(&self) -> Members {
        Members::MAX >> (MOST_MEMBERS - self.members.len())
    }

    /// Returns the members whose search satisfies a condition.
    fn members_that(&self, is_one: impl Fn(&Search<'a, Z>) -> bool) -> Members {
        (0..)
            .zip(self.searches())
            .fold(0, |members, (place, search)| members | Members::from(is_one(&search)) << place)
    }

    /// Returns the members that fire in the first and in the second pass of a fold.
    pub(super) fn firing_in_passes(&self) -> [Members; 2] {
        [Fold::Second, Fold::First]
            .map(|other_only| self.members_that(|search| search.policy.fold != other_only))
    }

    /// Returns the members whose events in a gap fire after it.
    pub(super) fn firing_after(&self, gap: Change) -> Members {
        self.members_that(|search| search.fires_after(gap))
    }

    pub(super) fn find(&self, sought: Sought, millis: i64) -> Option<i64> {
        let events = self.searches().filter_map(|search| search.find_sought(sought, millis));
        match sought {
            Sought::Next | Sought::Nearest => events.min(),
            Sought::Prev | Sought::NearestPrev => events.max(),
        }
    }

    /// Returns the civil time of the event at an instant, and how it was resolved. Of several
    /// events, it is one that was not shifted, or else the first one.
    pub(super) fn occurrence(&self, instant: i64) -> Option<(i64, Resolution)> {
        let all = self.searches().filter_map(|search| search.occurrence(instant));
        all.min_by_key(|(civil, resolution)| (*resolution == Resolution::Shifted, *civil))
    }

    /// Returns the span around an instant in which the events of all members are as in civil time.
    pub(super) fn steady_span(&self, instant: i64) -> Option<SteadySpan> {
        let mut all = self.any.steady_span(instant)?;
        for search in self.searches() {
            let span = search.steady_span(instant)?;
            (all.first, all.last) = (all.first.max(span.first), all.last.min(span.last));
        }
        Some(all)
    }

    /// Returns the number of events from `start` to `end`, both included, as for a single schedule.
    pub(super) fn count(&self, start: i64, end: i64) -> u64 {
        count_with(
            &self.any,
            self.union.by_ref(),
            [start, end],
            |start, end| self.count_pieces(start, end),
            |change| self.correction(change),
        )
    }

    /// Returns how many more events fire around a clock change than there are in civil time.
    fn correction(&self, change: Change) -> i64 {
        let Change { at, before, after } = change;
        let (first, end) = (at + before.min(after), at + before.max(after));
        if self.union.nearest_event(first).is_none_or(|event| event >= end) {
            return 0;
        }
        let count = |members| self.count_civil(members, first, end - 1).cast_signed();
        let once = count(self.all());
        if before > after {
            let [first, second] = self.firing_in_passes().map(count);
            return first + second - once;
        }
        i64::from(self.is_shifted_to(change)) - once
    }

    /// Whether events fire at the end of a gap only because they were shifted.
    fn is_shifted_to(&self, gap: Change) -> bool {
        let is_shifted = |search: Search<'_, Z>| search.shifted_to(gap.at, gap.after).is_some();
        !self.union.matches(gap.new_civil()) && self.searches().any(is_shifted)
    }

    /// Returns the number of events of some members in a range of civil time.
    fn count_civil(&self, members: Members, first: i64, last: i64) -> u64 {
        match members {
            0 => 0,
            _ if members == self.all() => self.union.count(first, last),
            _ => self.union.count_members(members, first, last),
        }
    }

    fn count_pieces(&self, start: i64, end: i64) -> u64 {
        self.pieces(start, end).map(|piece| self.count_in(piece)).sum()
    }

    fn count_in(&self, piece: UnionPiece) -> u64 {
        let UnionPiece { first, last, offset, members, shifted } = piece;
        self.count_civil(members, first + offset, last + offset) + u64::from(shifted.is_some())
    }

    /// Returns the event of a range of instants with `skipped` events before it.
    pub(super) fn nth(&self, start: i64, end: i64, mut skipped: u64) -> Option<i64> {
        for piece in self.pieces(start, end) {
            let count = self.count_in(piece);
            if skipped >= count {
                skipped -= count;
                continue;
            }
            let has_enough = |last| self.count_in(UnionPiece { last, ..piece }) > skipped;
            return Some(first_where(piece.first - 1, piece.last, has_enough));
        }
        None
    }

    /// Splits the range from `start` to `end`, both included, where the offset or the members that
    /// fire change.
    fn pieces(&self, start: i64, end: i64) -> impl Iterator<Item = UnionPiece> {
        let (mut start, end) = (start.max(FIRST), end.min(LAST));
        let next = move || {
            if start > end {
                return None;
            }
            let offset = self.any.offset_at(start);
            let change = self.any.next_change(start, end);
            let mut piece = UnionPiece {
                first: start,
                last: change.map_or(end, |change| change - 1),
                offset,
                members: self.all(),
                shifted: None,
            };
            match self.any.fold(start, offset) {
                Some((change, is_second)) => {
                    piece.members = self.firing_in_passes()[usize::from(is_second)];
                    let length = change.before - change.after;
                    let end_of_pass = if is_second { change.at + length } else { change.at };
                    piece.last = piece.last.min(end_of_pass - 1);
                }
                None => {
                    // It may end in the first pass of a fold.
                    if let Some((change, false)) = self.any.fold(piece.last, offset) {
                        let begin = change.at - (change.before - change.after);
                        piece.last = (begin - 1).max(piece.first);
                    }
                }
            }
            let before = self.any.offset_at(start - 1);
            if before < offset && self.is_shifted_to(Change { at: start, before, after: offset }) {
                piece.shifted = Some(start);
            }
            start = piece.last + 1;
            Some(piece)
        };
        core::iter::from_fn(next).take(3 * CHANGES)
    }
}

/// Returns the members of a union. Any other schedule is its own only member.
fn members_of(schedule: &Schedule) -> &[Schedule] {
    match schedule.members() {
        [] => slice::from_ref(schedule),
        members => members,
    }
}

/// Returns the members of a schedule that have an event at a civil time.
pub(super) fn members_at(schedule: &Schedule, civil: i64) -> Members {
    (0..)
        .zip(members_of(schedule))
        .fold(0, |members, (place, member)| members | Members::from(member.matches(civil)) << place)
}
