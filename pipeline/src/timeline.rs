//! [`Timeline`]: the events of a job, also where its schedule has been changed.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::ops::RangeInclusive;

use millicron::Neighbors;
use millicron::{Period, Unit};
use millicron::{Recurrence, Schedule};

/// The events of a schedule of a job.
pub(crate) type Source = Arc<dyn Recurrence + Send + Sync>;

/// The events of a job: those of one schedule after the other.
#[derive(Clone)]
pub(crate) struct Timeline {
    /// Mostly there are none.
    former: Vec<Era>,
    last: Era,
}

/// While a job has one schedule.
#[derive(Clone)]
pub(crate) struct Era {
    pub(crate) schedule: Source,
    pub(crate) cycle: Period,
    /// Its first and its last millisecond.
    from: i64,
    to: i64,
    /// From where on what is needed begins anew: the last change to a longer period, or
    /// else the beginning.
    pub(crate) anew: i64,
    /// Whether that is the beginning.
    pub(crate) is_first: bool,
}

impl Era {
    fn new(schedule: Source, from: i64, to: i64, before: Option<&Self>) -> Self {
        let cycle = schedule.period();
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
    pub(crate) fn new(since: i64, mut former: Vec<(Source, i64)>, last: Source) -> Self {
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
    pub(crate) fn changes(&self) -> impl Iterator<Item = i64> {
        self.former.iter().filter_map(|era| era.to.checked_add(1))
    }

    /// Whether it has always had the same schedule.
    pub(crate) const fn is_uniform(&self) -> bool {
        self.former.is_empty()
    }

    /// The era that an instant is in; the first for those before.
    pub(crate) fn era(&self, instant: i64) -> &Era {
        self.former.iter().find(|era| instant <= era.to).unwrap_or(&self.last)
    }

    /// The events around an instant.
    pub(crate) fn neighbors(&self, instant: i64) -> Neighbors<i64> {
        let current = self.nearest_prev_event(instant);
        let previous = current.and_then(|current| self.prev_event(current));
        Neighbors { previous, current, next: self.next_event(instant) }
    }
}

impl Recurrence for Timeline {
    #[inline]
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.nearest_event(instant.checked_add(1)?)
    }

    #[inline]
    fn nearest_event(&self, instant: i64) -> Option<i64> {
        let eras = self.eras().filter(|era| instant <= era.to);
        let mut events = eras.filter_map(|era| {
            era.schedule.nearest_event(instant.max(era.from)).filter(|event| *event <= era.to)
        });
        events.next()
    }

    #[inline]
    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let eras = self.eras().rev().filter(|era| era.from <= instant);
        let mut events = eras.filter_map(|era| {
            era.schedule.nearest_prev_event(instant.min(era.to)).filter(|event| *event >= era.from)
        });
        events.next()
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (first, last) = range.into_inner();
        self.eras().map(|era| era.schedule.count(first.max(era.from)..=last.min(era.to))).sum()
    }

    fn nth_prev_event(&self, until: i64, mut skipped: u64) -> Option<i64> {
        let mut eras = self.eras().rev();
        while let Some(era) = eras.next() {
            let until = until.min(era.to);
            // Only where there are others before is it to be known how many there are.
            let count = match eras.size_hint() {
                (0, _) => u64::MAX,
                _ => era.schedule.count(era.from..=until),
            };
            if count > skipped {
                let event = era.schedule.nth_prev_event(until, skipped);
                return event.filter(|event| *event >= era.from);
            }
            skipped -= count;
        }
        None
    }

    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        self.era(instant).schedule.unit_start(unit, instant, back)
    }

    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        self.era(instant).schedule.unit_end(unit, instant)
    }

    fn schedule(&self) -> Option<&Schedule> {
        self.last.schedule.schedule()
    }

    fn period(&self) -> Period {
        self.last.cycle
    }

    fn is_zoned(&self) -> bool {
        self.eras().any(|era| era.schedule.is_zoned())
    }
}
