//! The queries of the local time of a zone.
#![expect(clippy::inline_always, reason = "which event is sought is a constant")]

use millicron_runtime::Schedule;

use super::Zone;
use super::count::count;
use super::local_time::ZoneScale;
use super::walk::ZoneWalk;
use crate::timescale::{Sought, Timescale};

impl<Z: Zone + Clone> Timescale for ZoneScale<Z> {
    type Walk = ZoneWalk<Z>;

    fn is_known(&self) -> bool {
        self.zone.is_some()
    }

    #[inline(always)]
    fn find(&self, schedule: &Schedule, sought: Sought, millis: i64) -> Option<i64> {
        let search = self.search(schedule)?;
        match sought {
            Sought::Next => search.after(millis),
            Sought::Nearest => search.after(millis.saturating_sub(1)),
            Sought::Prev => search.up_to(millis.checked_sub(1)?),
            Sought::NearestPrev => search.up_to(millis),
        }
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
