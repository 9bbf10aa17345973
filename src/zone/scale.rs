//! [`ZoneScale`]: the timescale of a zone's local time.

use millicron_runtime::Schedule;

use super::pieces::count;
use super::policy::Policy;
use super::search::Search;
use super::table::TabledZone;
use super::walk::ZoneWalk;
use super::{Zone, ZoneTable};
use crate::timescale::Timescale;

/// The local time of a zone, and the policies for its clock changes.
#[derive(Clone, Copy, Debug)]
pub struct ZoneScale<Z> {
    /// `None` if there is no moment to take the zone from; queries then find no events.
    pub(crate) zone: Option<Z>,
    /// The table of the zone, if it has one.
    table: Option<&'static ZoneTable>,
    /// `None` for the schedule's defaults.
    policy: Option<Policy>,
}

impl<Z: Zone> ZoneScale<Z> {
    /// Returns the local time of a zone, if it is known, with the default policies of each
    /// schedule.
    #[cfg(any(feature = "jiff", feature = "chrono", feature = "time"))]
    #[inline]
    pub(crate) fn of(zone: Option<Z>) -> Self {
        Self { table: zone.as_ref().and_then(Zone::table), zone, policy: None }
    }

    #[inline]
    pub(super) const fn new(zone: Z, table: Option<&'static ZoneTable>, policy: Policy) -> Self {
        Self { zone: Some(zone), table, policy: Some(policy) }
    }

    #[inline]
    pub(super) fn search<'a>(&'a self, schedule: &'a Schedule) -> Option<Search<'a, Z>> {
        let policy = self.policy.unwrap_or_else(|| Policy::of(schedule));
        let zone = TabledZone { zone: self.zone.as_ref()?, table: self.table };
        Some(Search { schedule, zone, policy })
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
