//! [`Strip`]: the events of a day of local time, in one line.

use millicron::Recurrence;
use millicron::calendar::MILLIS_PER_DAY;

use crate::local::LocalDay;

/// How finely the events of a day are counted: in slots of ten minutes. Pictures add some up.
pub(crate) const SLOTS: usize = 144;

/// The events of a day by local time.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) total: u64,
    slots: Vec<Slot>,
}

/// The events of a part of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) count: u64,
    pub(crate) clocks: Clocks,
}

/// How often the clocks show the times of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Clocks {
    #[default]
    Once,
    /// Some of them twice.
    Twice,
    /// Some of them never.
    Skip,
}

impl Strip {
    pub(crate) fn new(events: &dyn Recurrence, day: &LocalDay) -> Self {
        let total = events.count(day.start()..=day.end() - 1);
        let length = MILLIS_PER_DAY / i64::try_from(SLOTS).unwrap_or(1);
        let midnight = day.date.to_millis();
        let mut slots = Vec::new();
        for slot in 0..MILLIS_PER_DAY / length {
            let start = midnight + slot * length;
            let (mut count, mut shown) = (0, 0);
            for span in &day.spans {
                let from = (start - span.offset).max(span.start);
                let until = (start + length - span.offset).min(span.end);
                if from < until {
                    shown += until - from;
                    count += if total == 0 { 0 } else { events.count(from..=until - 1) };
                }
            }
            let clocks = match shown {
                _ if shown < length => Clocks::Skip,
                _ if shown > length => Clocks::Twice,
                _ => Clocks::Once,
            };
            slots.push(Slot { count, clocks });
        }
        Self { total, slots }
    }

    /// Returns the day in fewer slots.
    pub(crate) fn slots(&self, slots: usize) -> impl Iterator<Item = Slot> {
        self.slots.chunks(SLOTS / slots.clamp(1, SLOTS)).map(|part| Slot {
            count: part.iter().map(|slot| slot.count).sum(),
            clocks: part.iter().map(|slot| slot.clocks).max().unwrap_or_default(),
        })
    }
}
