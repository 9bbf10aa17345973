//! [`Timeline`]: the events of a job, also where its schedule has been changed.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;

use super::around::Around;
use super::cycle::{Cycle, Unit};
use super::recurring::{Events, Recurring};
use crate::Schedule;

/// The events of a job: those of one schedule after the other.
#[derive(Clone)]
pub(super) struct Timeline {
    /// Mostly there are none.
    former: Vec<Era>,
    last: Era,
}

/// While a job has one schedule.
#[derive(Clone)]
pub(super) struct Era {
    pub(super) schedule: Arc<dyn Recurring>,
    pub(super) cycle: Cycle,
    /// Its first and its last millisecond.
    from: i64,
    to: i64,
    /// From where on what is needed begins anew: the last change to a longer period, or
    /// else the beginning.
    pub(super) anew: i64,
    /// Whether that is the beginning.
    pub(super) is_first: bool,
}

impl Era {
    fn new(schedule: Arc<dyn Recurring>, from: i64, to: i64, before: Option<&Self>) -> Self {
        let cycle = schedule.civil().cycle();
        let (anew, is_first) = match before {
            Some(before) if before.cycle >= cycle => (before.anew, before.is_first),
            before => (from, before.is_none()),
        };
        Self { schedule, cycle, from, to, anew, is_first }
    }
}

impl Timeline {
    /// The events from `since` on: of some schedules, each until it was changed at an
    /// instant, and then of the last one.
    pub(super) fn new(
        since: i64,
        mut former: Vec<(Arc<dyn Recurring>, i64)>,
        last: Arc<dyn Recurring>,
    ) -> Self {
        former.sort_by_key(|(_, until)| *until);
        let mut eras: Vec<Era> = Vec::new();
        let mut from = since;
        for (schedule, until) in former {
            // What ended before the beginning never ran.
            if until > from {
                eras.push(Era::new(schedule, from, until - 1, eras.last()));
                from = until;
            }
        }
        let last = Era::new(last, from, i64::MAX, eras.last());
        Self { former: eras, last }
    }

    fn eras(&self) -> impl DoubleEndedIterator<Item = &Era> {
        self.former.iter().chain(once(&self.last))
    }

    /// Where it was changed, in order.
    pub(super) fn changes(&self) -> impl Iterator<Item = i64> {
        self.former.iter().filter_map(|era| era.to.checked_add(1))
    }

    /// Whether it has always had the same schedule.
    pub(super) const fn is_uniform(&self) -> bool {
        self.former.is_empty()
    }

    /// The era that an instant is in; the first for those before.
    pub(super) fn era(&self, instant: i64) -> &Era {
        self.former.iter().find(|era| instant <= era.to).unwrap_or(&self.last)
    }

    /// The event before an instant.
    pub(super) fn prev(&self, instant: i64) -> Option<i64> {
        self.nearest_prev(instant.checked_sub(1)?)
    }

    /// The event after an instant.
    pub(super) fn next(&self, instant: i64) -> Option<i64> {
        self.nearest(instant.checked_add(1)?)
    }

    /// The events around an instant.
    pub(super) fn around(&self, instant: i64) -> Around<i64> {
        let current = self.nearest_prev(instant);
        let previous = current.and_then(|current| self.prev(current));
        Around { previous, current, next: self.next(instant) }
    }

    /// Whether an instant is an event.
    pub(super) fn matches(&self, instant: i64) -> bool {
        self.nearest(instant) == Some(instant)
    }
}

impl Recurring for Timeline {}

impl Events for Timeline {
    #[inline]
    fn nearest(&self, instant: i64) -> Option<i64> {
        let eras = self.eras().filter(|era| instant <= era.to);
        let mut events = eras.filter_map(|era| {
            era.schedule.nearest(instant.max(era.from)).filter(|event| *event <= era.to)
        });
        events.next()
    }

    #[inline]
    fn nearest_prev(&self, instant: i64) -> Option<i64> {
        let eras = self.eras().rev().filter(|era| era.from <= instant);
        let mut events = eras.filter_map(|era| {
            era.schedule.nearest_prev(instant.min(era.to)).filter(|event| *event >= era.from)
        });
        events.next()
    }

    fn count(&self, first: i64, last: i64) -> u64 {
        self.eras().map(|era| era.schedule.count(first.max(era.from), last.min(era.to))).sum()
    }

    fn nth_back(&self, until: i64, mut skipped: usize) -> Option<i64> {
        let mut eras = self.eras().rev();
        while let Some(era) = eras.next() {
            let until = until.min(era.to);
            // Only where there are others before is it to be known how many there are.
            let count = match eras.size_hint() {
                (0, _) => u64::MAX,
                _ => era.schedule.count(era.from, until),
            };
            match usize::try_from(count) {
                Ok(count) if count <= skipped => skipped -= count,
                _ => {
                    let event = era.schedule.nth_back(until, skipped);
                    return event.filter(|event| *event >= era.from);
                }
            }
        }
        None
    }

    fn start_of(&self, unit: Unit, back: usize, instant: i64) -> Option<i64> {
        self.era(instant).schedule.start_of(unit, back, instant)
    }

    fn end_of(&self, unit: Unit, instant: i64) -> Option<i64> {
        self.era(instant).schedule.end_of(unit, instant)
    }

    fn civil(&self) -> &Schedule {
        self.last.schedule.civil()
    }

    fn is_zoned(&self) -> bool {
        self.eras().any(|era| era.schedule.is_zoned())
    }
}
