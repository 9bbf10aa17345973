//! [`ZoneScale`]: the local time of a zone, on behalf of a moment.

use millicron_runtime::Schedule;

use super::Zone;
use super::pieces::count;
use super::policy::Policy;
use super::search::Search;
use super::walk::ZoneWalk;
use crate::timescale::Timescale;

/// The local time of a zone, and the policies where its clocks change.
#[derive(Clone, Copy, Debug)]
pub struct ZoneScale<Z> {
    /// `None` if there is no moment to take the zone from; no event is found then.
    pub(crate) zone: Option<Z>,
    /// `None` for the defaults of the schedule.
    policy: Option<Policy>,
}

impl<Z: Zone> ZoneScale<Z> {
    pub(crate) const fn new(zone: Option<Z>, policy: Option<Policy>) -> Self {
        Self { zone, policy }
    }

    #[inline]
    pub(super) fn search<'a>(&'a self, schedule: &'a Schedule) -> Option<Search<'a, Z>> {
        let policy = self.policy.unwrap_or_else(|| Policy::of(schedule));
        Some(Search { schedule, zone: self.zone.as_ref()?, policy })
    }
}

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
