//! The queries of the local time of a zone.

use millicron_runtime::Schedule;

use super::Zone;
use super::count::count;
use super::local_time::ZoneScale;
use super::walk::ZoneWalk;
use crate::timescale::Timescale;

impl<Z: Zone + Clone> Timescale for ZoneScale<Z> {
    type Walk = ZoneWalk<Z>;

    fn is_known(&self) -> bool {
        self.zone.is_some()
    }

    #[inline]
    fn next(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        self.search(schedule)?.after(millis)
    }

    #[inline]
    fn nearest(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        self.search(schedule)?.after(millis.saturating_sub(1))
    }

    #[inline]
    fn nearest_prev(&self, schedule: &Schedule, millis: i64) -> Option<i64> {
        self.search(schedule)?.up_to(millis)
    }

    fn matches(&self, schedule: &Schedule, millis: i64) -> bool {
        self.search(schedule).is_some_and(|search| search.occurrence(millis).is_some())
    }

    fn count(&self, schedule: &Schedule, start: i64, end: i64) -> u64 {
        self.search(schedule).map_or(0, |search| count(&search, start, end))
    }

    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> ZoneWalk<Z> {
        ZoneWalk::new(schedule.clone(), self, start, end)
    }
}
