//! Counting the events of a range, split at clock changes into [`Pieces`].

use millicron_runtime::{Schedule, ScheduleRef};

use super::search::{CHANGES, Change, Search};
use super::{DAY, FIRST, Fold, LAST, Zone};

/// Returns the number of events from `start` to `end`, both included.
pub(super) fn count<Z: Zone>(search: &Search<'_, Z>, start: i64, end: i64) -> u64 {
    let mut corrections = Corrections::new(search);
    count_with(
        search,
        search.schedule,
        [start, end],
        |start, end| Pieces::new(search, start, end).count(),
        |change| corrections.of(change),
    )
}

/// Returns the number of events of a schedule in a range of instants, both included.
///
/// Near both ends, `in_pieces` counts the events between two instants. Between the ends, events are
/// counted in civil time, and each clock change then corrects the count. `search` knows the offsets
/// and the changes.
#[inline]
pub(super) fn count_with<Z: Zone>(
    search: &Search<'_, Z>,
    schedule: ScheduleRef<'_>,
    [start, end]: [i64; 2],
    in_pieces: impl Fn(i64, i64) -> u64,
    mut correction: impl FnMut(Change) -> i64,
) -> u64 {
    let (start, end) = (start.max(FIRST), end.min(LAST));
    if start > end {
        return 0;
    }
    // The passes of a fold take at most a day, and changes are more than four days apart.
    let after = start.saturating_add(2 * DAY);
    let (mut first, mut until, mut corrections) = (None, end + 1, 0);
    search.visit_changes(after, end.saturating_add(DAY), |change| {
        first = first.or(Some(change.at));
        let is_within = change.at + 2 * DAY <= end;
        if is_within {
            corrections += correction(change);
        } else {
            until = change.at - 2 * DAY;
        }
        is_within
    });
    let Some(first) = first else { return in_pieces(start, end) };
    let from = first - 2 * DAY;
    if until <= from {
        return in_pieces(start, end);
    }
    let civil = |instant: i64| instant + search.offset_at(instant);
    let between = schedule.count(civil(from), civil(until - 1));
    let ends = in_pieces(start, from - 1) + in_pieces(until, end);
    (between + ends).saturating_add_signed(corrections)
}

/// How many events clock changes add or remove.
struct Corrections<'a, Z> {
    search: &'a Search<'a, Z>,
    /// Whether the same change makes the same difference on any day.
    is_daily: bool,
    /// The last gap and the last fold on such days, each with its correction. Most changes of a
    /// zone are at the same two times of day.
    last: [(LocalChange, i64); 2],
}

/// When and how far the clocks change: the earlier time of day, in milliseconds, and both offsets.
type LocalChange = (i64, i64, i64);

impl<'a, Z: Zone> Corrections<'a, Z> {
    fn new(search: &'a Search<'a, Z>) -> Self {
        let is_daily = search.schedule.is_daily();
        Self { search, is_daily, last: [((0, 0, 0), 0); 2] }
    }

    /// Returns the correction for a clock change.
    fn of(&mut self, change: Change) -> i64 {
        let Change { at, before, after } = change;
        if !self.is_daily || !(FIRST_WHOLE..LAST_WHOLE).contains(&at) {
            return self.search.correction(change);
        }
        let local = ((at + before.min(after)).rem_euclid(DAY), before, after);
        let (last, correction) = &mut self.last[usize::from(before > after)];
        if *last != local {
            (*last, *correction) = (local, self.search.correction(change));
        }
        *correction
    }
}

/// Instants whose local days, and the days around them, are in the range of schedules.
const FIRST_WHOLE: i64 = FIRST + 27 * DAY;
const LAST_WHOLE: i64 = LAST - 27 * DAY;

impl<Z: Zone> Search<'_, Z> {
    /// Returns how many more events fire around a clock change than there are in civil time.
    fn correction(&self, change: Change) -> i64 {
        let Change { at, before, after } = change;
        let (first, end) = (at + before.min(after), at + before.max(after));
        let may_differ = after > before || self.policy.fold == Fold::Both;
        if !may_differ || self.schedule.nearest_event(first).is_none_or(|event| event >= end) {
            return 0;
        }
        let count = self.schedule.count(first, end - 1).cast_signed();
        if before > after {
            return count;
        }
        let is_shifted = !self.schedule.matches(end) && self.fires_after(change);
        i64::from(is_shifted) - count
    }
}

/// Consecutive instants with one offset, all of whose events fire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The first instant.
    first: i64,
    /// The last instant; before the first if the piece is empty.
    last: i64,
    offset: i64,
    /// The instant of a shifted event, which precedes all others.
    shifted: Option<i64>,
}

/// The pieces of a range, in order.
#[derive(Debug)]
pub(super) struct Pieces<'a, Z> {
    search: &'a Search<'a, Z>,
    start: i64,
    end: i64,
}

impl<'a, Z: Zone> Pieces<'a, Z> {
    /// Splits the range from `start` to `end`, both included.
    pub(super) fn new(search: &'a Search<'a, Z>, start: i64, end: i64) -> Self {
        Self { search, start: start.max(FIRST), end: end.min(LAST) }
    }

    /// Returns the number of events.
    fn count(self) -> u64 {
        let schedule = self.search.schedule;
        self.take(CHANGES).map(|piece| piece.count(schedule)).sum()
    }

    /// Returns the event with `skipped` events before it.
    pub(super) fn nth(self, schedule: &Schedule, mut skipped: u64) -> Option<i64> {
        for piece in self.take(CHANGES) {
            let count = piece.count(schedule.by_ref());
            if skipped < count {
                return piece.nth(schedule, skipped);
            }
            skipped -= count;
        }
        None
    }
}

impl<Z: Zone> Iterator for Pieces<'_, Z> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let Self { search, start, end } = *self;
        if start > end {
            return None;
        }
        let offset = search.offset_at(start);
        let change = search.next_change(start, end);
        let last = change.map_or(end, |change| change - 1);
        self.start = last + 1;
        let mut piece = Piece { first: start, last, offset, shifted: None };
        // Skip the pass of a fold in which events do not fire.
        if search.policy.fold == Fold::First
            && let Some((change, true)) = search.fold(start, offset)
        {
            piece.first = change.at + (change.before - change.after);
        }
        if search.policy.fold == Fold::Second
            && let Some((change, false)) = search.fold(last, offset)
        {
            piece.last = change.at - (change.before - change.after) - 1;
        }
        if !search.schedule.matches(start + offset) && search.shifted_to(start, offset).is_some() {
            piece.shifted = Some(start);
        }
        Some(piece)
    }
}

impl Piece {
    /// The civil times.
    const fn civil(self) -> (i64, i64) {
        (self.first + self.offset, self.last + self.offset)
    }

    fn count(self, schedule: ScheduleRef<'_>) -> u64 {
        let (first, last) = self.civil();
        schedule.count(first, last) + u64::from(self.shifted.is_some())
    }

    fn nth(self, schedule: &Schedule, skipped: u64) -> Option<i64> {
        let (first, last) = self.civil();
        let unshifted = match self.shifted {
            Some(instant) if skipped == 0 => return Some(instant),
            Some(_) => skipped - 1,
            None => skipped,
        };
        let event = schedule.walk(first, last).nth_front(unshifted)?;
        Some(event - self.offset)
    }
}
