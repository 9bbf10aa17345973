//! [`ZoneScale`]: the local time of a zone, on behalf of a moment.

use core::fmt;

use millicron_runtime::Schedule;

use super::Zone;
use super::pieces::Pieces;
use super::policy::Policy;
use super::search::Search;
use crate::timescale::{EventWalk, Timescale};

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
        self.search(schedule).map_or(0, |search| Pieces::new(&search, start, end).count())
    }

    fn walk(self, schedule: &Schedule, start: i64, end: i64) -> ZoneWalk<Z> {
        ZoneWalk { schedule: schedule.clone(), scale: self, start, end }
    }
}

/// The most events that are visited one by one rather than counted.
const FEW: u64 = 8;

/// The remaining events of a range.
#[derive(Clone)]
pub struct ZoneWalk<Z> {
    schedule: Schedule,
    scale: ZoneScale<Z>,
    start: i64,
    /// Below `start` if no event remains.
    end: i64,
}

impl<Z: Zone + Clone> ZoneWalk<Z> {
    /// Returns the remaining event with `before` remaining events before it.
    fn event(&self, before: u64) -> Option<i64> {
        let search = self.scale.search(&self.schedule)?;
        Pieces::new(&search, self.start, self.end).nth(before)
    }

    /// Takes an event at the front, if it is a remaining one.
    fn take_front(&mut self, event: Option<i64>) -> Option<i64> {
        match event {
            Some(event) if (self.start..=self.end).contains(&event) => {
                self.start = event + 1;
                Some(event)
            }
            _ => self.finish(),
        }
    }

    /// Takes an event at the back, if it is a remaining one.
    fn take_back(&mut self, event: Option<i64>) -> Option<i64> {
        match event {
            Some(event) if (self.start..=self.end).contains(&event) => {
                self.end = event - 1;
                Some(event)
            }
            _ => self.finish(),
        }
    }

    /// Drops the remaining events.
    fn finish(&mut self) -> Option<i64> {
        (self.start, self.end) = (0, -1);
        None
    }
}

impl<Z: Zone + Clone> Iterator for ZoneWalk<Z> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = self.scale.nearest(&self.schedule, self.start);
        self.take_front(event)
    }
}

impl<Z: Zone + Clone> DoubleEndedIterator for ZoneWalk<Z> {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = self.scale.nearest_prev(&self.schedule, self.end);
        self.take_back(event)
    }
}

impl<Z: Zone + Clone> EventWalk for ZoneWalk<Z> {
    fn remaining(&self) -> u64 {
        self.scale.count(&self.schedule, self.start, self.end)
    }

    /// Counting takes lookups for each clock change in the range.
    fn known_remaining(&self) -> Option<u64> {
        None
    }

    fn take_nth(&mut self, skipped: u64) -> Option<i64> {
        if skipped < FEW {
            return self.nth(usize::try_from(skipped).ok()?);
        }
        let event = self.event(skipped);
        self.take_front(event)
    }

    fn take_nth_back(&mut self, skipped: u64) -> Option<i64> {
        if skipped < FEW {
            return self.nth_back(usize::try_from(skipped).ok()?);
        }
        match self.remaining().checked_sub(skipped).and_then(|left| left.checked_sub(1)) {
            Some(before) => {
                let event = self.event(before);
                self.take_back(event)
            }
            None => self.finish(),
        }
    }

    fn next_block(&mut self, _: usize, take: impl FnMut(i64)) -> bool {
        self.next().map(take).is_some()
    }
}

impl<Z> fmt::Debug for ZoneWalk<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("schedule", &self.schedule)
            .field("from", &self.start)
            .field("to", &self.end)
            .finish_non_exhaustive()
    }
}
