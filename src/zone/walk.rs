//! [`ZoneWalk`]: the events of a range in the local time of a zone.

use core::fmt;

use millicron_runtime::{Schedule, Walk};

use super::count::{Pieces, count};
use super::local_time::ZoneScale;
use super::search::SteadySpan;
use super::{DAY, FIRST, LAST, Zone};
use crate::timescale::EventWalk;

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
    front: Option<CivilWalk>,
    back: Option<CivilWalk>,
}

/// The next events at one end in civil time, if the zone knows its spans.
#[derive(Clone)]
struct CivilWalk {
    walk: Walk,
    /// The span in which the events of the walk are those of the zone.
    steady: SteadySpan,
}

impl<Z: Zone + Clone> ZoneWalk<Z> {
    pub(super) const fn new(schedule: Schedule, scale: ZoneScale<Z>, start: i64, end: i64) -> Self {
        Self { schedule, scale, start, end, front: None, back: None }
    }

    /// Takes the next event at the front, if it is the first one or leaves the span of the event
    /// before it. `civil` is the next event in civil time.
    fn next_across(&mut self, civil: Option<i64>) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = self.scale.search(&self.schedule)?.after(self.start.saturating_sub(1));
        let event = self.take_front(event)?;
        let search = self.scale.search(&self.schedule)?;
        let front = search.steady_span(event).map(|steady| match (self.front.take(), civil) {
            (Some(CivilWalk { walk, .. }), Some(civil)) if event + steady.offset == civil => {
                CivilWalk { walk, steady }
            }
            _ => {
                // Offsets differ by less than two days.
                let (start, end) = (event + steady.offset + 1, self.end.min(LAST) + 2 * DAY);
                CivilWalk { walk: self.schedule.walk(start, end), steady }
            }
        });
        self.front = front;
        Some(event)
    }

    /// Takes the next event at the back: the mirror image of [`next_across`](Self::next_across).
    fn prev_across(&mut self, civil: Option<i64>) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = self.scale.search(&self.schedule)?.up_to(self.end);
        let event = self.take_back(event)?;
        let search = self.scale.search(&self.schedule)?;
        let back = search.steady_span(event).map(|steady| match (self.back.take(), civil) {
            (Some(CivilWalk { walk, .. }), Some(civil)) if event + steady.offset == civil => {
                CivilWalk { walk, steady }
            }
            _ => {
                let (start, end) = (self.start.max(FIRST) - 2 * DAY, event + steady.offset - 1);
                CivilWalk { walk: self.schedule.walk(start, end), steady }
            }
        });
        self.back = back;
        Some(event)
    }

    /// Returns the remaining event with `before` remaining events before it.
    fn event(&self, before: u64) -> Option<i64> {
        let search = self.scale.search(&self.schedule)?;
        Pieces::new(&search, self.start, self.end).nth(before)
    }

    /// Takes an event at the front, if it is one of the remaining events.
    fn take_front(&mut self, event: Option<i64>) -> Option<i64> {
        match event {
            Some(event) if (self.start..=self.end).contains(&event) => {
                self.start = event + 1;
                Some(event)
            }
            _ => self.finish(),
        }
    }

    /// Takes an event at the back, if it is one of the remaining events.
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
        (self.front, self.back) = (None, None);
        None
    }
}

impl<Z: Zone + Clone> Iterator for ZoneWalk<Z> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        let Some(CivilWalk { walk, steady }) = &mut self.front else {
            return self.next_across(None);
        };
        let civil = walk.next();
        let event = civil.map(|civil| civil - steady.offset);
        match event.filter(|event| *event <= steady.last.min(self.end)) {
            Some(event) => {
                self.start = event + 1;
                Some(event)
            }
            None => self.next_across(civil),
        }
    }
}

impl<Z: Zone + Clone> DoubleEndedIterator for ZoneWalk<Z> {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        let Some(CivilWalk { walk, steady }) = &mut self.back else {
            return self.prev_across(None);
        };
        let civil = walk.next_back();
        let event = civil.map(|civil| civil - steady.offset);
        match event.filter(|event| *event >= steady.first.max(self.start)) {
            Some(event) => {
                self.end = event - 1;
                Some(event)
            }
            None => self.prev_across(civil),
        }
    }
}

impl<Z: Zone + Clone> EventWalk for ZoneWalk<Z> {
    fn remaining(&self) -> u64 {
        self.scale.search(&self.schedule).map_or(0, |search| count(&search, self.start, self.end))
    }

    /// Counting takes lookups for each clock change in the range.
    fn known_remaining(&self) -> Option<u64> {
        None
    }

    fn take_nth(&mut self, skipped: u64) -> Option<i64> {
        if skipped < FEW {
            return self.nth(usize::try_from(skipped).ok()?);
        }
        self.front = None;
        let event = self.event(skipped);
        self.take_front(event)
    }

    fn take_nth_back(&mut self, skipped: u64) -> Option<i64> {
        if skipped < FEW {
            return self.nth_back(usize::try_from(skipped).ok()?);
        }
        match self.remaining().checked_sub(skipped).and_then(|left| left.checked_sub(1)) {
            Some(before) => {
                self.back = None;
                let event = self.event(before);
                self.take_back(event)
            }
            None => self.finish(),
        }
    }

    #[inline]
    fn next_block(&mut self, room: usize, mut take: impl FnMut(i64)) -> bool {
        let (mut start, mut is_beyond) = (self.start, false);
        if let Some(CivilWalk { walk, steady }) = &mut self.front {
            let last = steady.last.min(self.end);
            walk.next_block(room, |civil| {
                let event = civil - steady.offset;
                is_beyond |= event > last;
                if !is_beyond {
                    start = event + 1;
                    take(event);
                }
            });
        }
        if is_beyond {
            self.front = None;
        }
        if start == self.start {
            return self.next().map(take).is_some();
        }
        self.start = start;
        true
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
