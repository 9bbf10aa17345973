//! [`Pieces`]: a range, split where the clocks change.

use millicron_runtime::Schedule;

use super::search::{CHANGES, FIRST, LAST, Search};
use super::{Fold, Zone};

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
    pub(super) fn count(self) -> u64 {
        let schedule = self.search.schedule;
        self.take(CHANGES).map(|piece| piece.count(schedule)).sum()
    }

    /// Returns the event with `skipped` events before it.
    pub(super) fn nth(self, mut skipped: u64) -> Option<i64> {
        let schedule = self.search.schedule;
        for piece in self.take(CHANGES) {
            let count = piece.count(schedule);
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
        // Leave out the pass of a fold that does not fire.
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

    fn count(self, schedule: &Schedule) -> u64 {
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
