//! [`ZoneScale`]: the local time of a zone, in which a schedule is searched.

use millicron_runtime::Schedule;

use super::policy::{Chosen, Policy};
use super::search::Search;
use super::table::TabledZone;
use super::{Zone, ZoneTable};

/// The local time of a zone, and the policies for its clock changes.
#[derive(Clone, Copy, Debug)]
pub struct ZoneScale<Z> {
    /// `None` if there is no moment to take the zone from; queries then find no events.
    pub(crate) zone: Option<Z>,
    /// The table of the zone, if it has one.
    table: Option<&'static ZoneTable>,
    /// The policies of the schedule, if there is only one.
    policy: Option<Policy>,
    /// The policies that were chosen for all schedules.
    chosen: Chosen,
}

impl<Z: Zone> ZoneScale<Z> {
    /// Returns the local time of a zone, if it is known, with the default policies of each
    /// schedule.
    #[cfg(any(feature = "jiff", feature = "jiff-02", feature = "chrono", feature = "time"))]
    #[inline]
    pub(crate) fn of(zone: Option<Z>) -> Self {
        Self {
            table: zone.as_ref().and_then(Zone::table),
            zone,
            policy: None,
            chosen: Chosen::default(),
        }
    }

    #[inline]
    pub(super) const fn new(
        zone: Z,
        table: Option<&'static ZoneTable>,
        policy: Policy,
        chosen: Chosen,
    ) -> Self {
        Self { zone: Some(zone), table, policy: Some(policy), chosen }
    }

    #[inline]
    pub(super) fn search<'a>(&'a self, schedule: &'a Schedule) -> Option<Search<'a, Z>> {
        let policy = self.policy.unwrap_or_else(|| Policy::of(schedule));
        let zone = TabledZone { zone: self.zone.as_ref()?, table: self.table };
        Some(Search { schedule: schedule.by_ref(), zone, policy })
    }

    /// Returns the search of a member of a union, or of a schedule that is its own only member.
    pub(super) fn search_member<'a>(&'a self, member: &'a Schedule) -> Option<Search<'a, Z>> {
        let policy = self.chosen.for_schedule(member);
        let zone = TabledZone { zone: self.zone.as_ref()?, table: self.table };
        Some(Search { schedule: member.by_ref(), zone, policy })
    }
}
