//! [`ZoneWalk`]: the events of a range in the local time of a zone.
#![expect(
    clippy::inline_always,
    reason = "each direction of a walk is compiled by itself, though both are written once"
)]

use core::fmt;

use millicron_runtime::{Schedule, Walk};

use super::local_time::ZoneScale;
use super::search::{Direction, SteadySpan};
use super::{DAY, FIRST, LAST, Zone};
use crate::timescale::{EventWalk, Sought, Timescale as _};

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

    /// Takes the next event in a direction: at the front going forward, at the back going backward.
    #[inline(always)]
    fn next_in(&mut self, direction: Direction) -> Option<i64> {
        let (start, end) = (self.start, self.end);
        let Some(CivilWalk { walk, steady }) = self.civil(direction) else {
            return self.next_across(direction, None);
        };
        let civil = match direction {
            Direction::Forward => walk.next(),
            Direction::Backward => walk.next_back(),
        };
        let event = civil.map(|civil| civil - steady.offset);
        let is_steady = |event: &i64| match direction {
            Direction::Forward => *event <= steady.last.min(end),
            Direction::Backward => *event >= steady.first.max(start),
        };
        match event.filter(is_steady) {
            Some(event) => {
                self.pass(direction, event);
                Some(event)
            }
            None => self.next_across(direction, civil),
        }
    }

    /// Takes the next event in a direction, if it is the first one or leaves the span of the event
    /// before it. `civil` is the next event in civil time.
    fn next_across(&mut self, direction: Direction, civil: Option<i64>) -> Option<i64> {
        if self.start > self.end {
            return None;
        }
        let event = match direction {
            Direction::Forward => self.scale.find(&self.schedule, Sought::Nearest, self.start),
            Direction::Backward => self.scale.find(&self.schedule, Sought::NearestPrev, self.end),
        };
        let event = self.take(direction, event)?;
        let steady = self.scale.steady_span(&self.schedule, event);
        let last = self.civil(direction).take();
        *self.civil(direction) = steady.map(|steady| {
            let at = event + steady.offset;
            let walk = last.filter(|_| civil == Some(at)).map(|last| last.walk);
            // Offsets differ by less than two days.
            let restarted = || match direction {
                Direction::Forward => self.schedule.walk(at + 1, self.end.min(LAST) + 2 * DAY),
                Direction::Backward => self.schedule.walk(self.start.max(FIRST) - 2 * DAY, at - 1),
            };
            CivilWalk { walk: walk.unwrap_or_else(restarted), steady }
        });
        Some(event)
    }

    /// Returns the next events in a direction in civil time.
    #[inline(always)]
    const fn civil(&mut self, direction: Direction) -> &mut Option<CivilWalk> {
        match direction {
            Direction::Forward => &mut self.front,
            Direction::Backward => &mut self.back,
        }
    }

    /// Returns the remaining event with `before` remaining events before it.
    fn event(&self, before: u64) -> Option<i64> {
        self.scale.nth(&self.schedule, [self.start, self.end], before)
    }

    /// Takes an event, and those before it in the direction, if it is one of the remaining events.
    fn take(&mut self, direction: Direction, event: Option<i64>) -> Option<i64> {
        match event {
            Some(event) if (self.start..=self.end).contains(&event) => {
                self.pass(direction, event);
                Some(event)
            }
            _ => self.finish(),
        }
    }

    /// Leaves the events that follow an event in a direction.
    #[inline(always)]
    const fn pass(&mut self, direction: Direction, event: i64) {
        match direction {
            Direction::Forward => self.start = event + 1,
            Direction::Backward => self.end = event - 1,
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
        self.next_in(Direction::Forward)
    }
}

impl<Z: Zone + Clone> DoubleEndedIterator for ZoneWalk<Z> {
    #[inline]
    fn next_back(&mut self) -> Option<i64> {
        self.next_in(Direction::Backward)
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
        self.front = None;
        let event = self.event(skipped);
        self.take(Direction::Forward, event)
    }

    fn take_nth_back(&mut self, skipped: u64) -> Option<i64> {
        if skipped < FEW {
            return self.nth_back(usize::try_from(skipped).ok()?);
        }
        match self.remaining().checked_sub(skipped).and_then(|left| left.checked_sub(1)) {
            Some(before) => {
                self.back = None;
                let event = self.event(before);
                self.take(Direction::Backward, event)
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
