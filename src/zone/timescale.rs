//! The queries of the local time of a zone.
#![expect(clippy::inline_always, reason = "which event is sought is a constant")]

use millicron_runtime::Schedule;

use super::Zone;
use super::count::{Pieces, count};
use super::local_time::ZoneScale;
use super::occurrence::Resolution;
use super::search::SteadySpan;
use super::union::UnionSearch;
use super::walk::ZoneWalk;
use crate::timescale::{Sought, Timescale};

impl<Z: Zone + Clone> Timescale for ZoneScale<Z> {
    type Walk = ZoneWalk<Z>;

    fn is_known(&self) -> bool {
        self.zone.is_some()
    }

    #[inline(always)]
    fn find(&self, schedule: &Schedule, sought: Sought, millis: i64) -> Option<i64> {
        if let Some(union) = UnionSearch::of(self, schedule) {
            return union.find(sought, millis);
        }
        self.search(schedule)?.find_sought(sought, millis)
    }

    fn matches(&self, schedule: &Schedule, millis: i64) -> bool {
        match UnionSearch::of(self, schedule) {
            Some(union) => union.occurrence(millis).is_some(),
            None => self.search(schedule).is_some_and(|search| search.matches(millis)),
        }
    }

    fn count(&self, schedule: &Schedule, start: i64, end: i64) -> u64 {
        if let Some(union) = UnionSearch::of(self, schedule) {
            return union.count(start, end);
        }
        self.search(schedule).map_or(0, |search| count(&search, start, end))
    }

    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> ZoneWalk<Z> {
        ZoneWalk::new(schedule.clone(), self, start, end)
    }
}

impl<Z: Zone> ZoneScale<Z> {
    /// Returns the civil time of the event at an instant, and how it was resolved.
    pub(super) fn occurrence(
        &self,
        schedule: &Schedule,
        instant: i64,
    ) -> Option<(i64, Resolution)> {
        match UnionSearch::of(self, schedule) {
            Some(union) => union.occurrence(instant),
            None => self.search(schedule)?.occurrence(instant),
        }
    }

    /// Returns the event of a range of instants, both included, with `skipped` events before it.
    pub(super) fn nth(
        &self,
        schedule: &Schedule,
        [start, end]: [i64; 2],
        skipped: u64,
    ) -> Option<i64> {
        match UnionSearch::of(self, schedule) {
            Some(union) => union.nth(start, end, skipped),
            None => Pieces::new(&self.search(schedule)?, start, end).nth(schedule, skipped),
        }
    }

    /// Returns the span around an instant in which events are as in civil time.
    pub(super) fn steady_span(&self, schedule: &Schedule, instant: i64) -> Option<SteadySpan> {
        match UnionSearch::of(self, schedule) {
            Some(union) => union.steady_span(instant),
            None => self.search(schedule)?.steady_span(instant),
        }
    }
}
