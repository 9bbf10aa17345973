//! [`Strip`]: the events of a local day, on one line.

use std::cmp::Ordering;

use millicron::Recurrence;
use millicron::calendar::MILLIS_PER_DAY;

use crate::local::LocalDay;

/// The number of slots in which events are counted: one per ten minutes. Pictures combine them as needed.
pub(crate) const SLOTS: usize = 144;

/// The events of a day by local time.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) total: u64,
    slots: Vec<StripSlot>,
}

/// The events of a part of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StripSlot {
    pub(crate) count: u64,
    pub(crate) clocks: Clocks,
}

/// How often the clocks show a slot's times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Clocks {
    #[default]
    Once,
    /// Some times are shown twice.
    Twice,
    /// Some times are skipped.
    Skip,
}

impl Clocks {
    /// Returns how often the clocks show a slot that takes `shown` milliseconds.
    fn of(shown: i64) -> Self {
        match shown.cmp(&(MILLIS_PER_DAY / i64::try_from(SLOTS).unwrap_or(1))) {
            Ordering::Less => Self::Skip,
            Ordering::Equal => Self::Once,
            Ordering::Greater => Self::Twice,
        }
    }
}

impl Strip {
    pub(crate) fn new(events: &dyn Recurrence, day: &LocalDay) -> Self {
        let total = day.count(events);
        let slots = day.slots(SLOTS).into_iter().map(|ranges| {
            let shown = ranges.iter().map(|range| range.end() - range.start() + 1).sum::<i64>();
            let count = |range| if total == 0 { 0 } else { events.count(range) };
            StripSlot { count: ranges.into_iter().map(count).sum(), clocks: Clocks::of(shown) }
        });
        let slots = slots.collect();
        Self { total, slots }
    }

    /// Combines the day's slots into fewer.
    pub(crate) fn slots(&self, slots: usize) -> impl Iterator<Item = StripSlot> {
        self.slots.chunks(SLOTS / slots.clamp(1, SLOTS)).map(|part| StripSlot {
            count: part.iter().map(|slot| slot.count).sum(),
            clocks: part.iter().map(|slot| slot.clocks).max().unwrap_or_default(),
        })
    }
}
