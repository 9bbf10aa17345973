//! The distances between the events of a union.

use core::cell::Cell;

use millicron_runtime::MOST_MEMBERS;

use super::summary::Summary;
use super::{DAY, ORIGIN};
use crate::Schedule;

const MINUTE: u64 = 60_000;

/// A day whose members have more events than this is split into minutes, which are mostly alike.
const MANY: u64 = 100_000;

/// How many days or minutes are remembered.
const REMEMBERED: usize = 24;

/// The most events to visit.
const MOST_VISITED: u64 = 1 << 22;

/// A day or a minute that is compared with others counts as this many events.
const STRETCH: u64 = 16;

/// Returns the shortest and the longest distance between consecutive events. Returns `None` if there are no two, or if
/// too many events would be visited.
pub(super) fn union_gaps(union: &Schedule) -> Option<(u64, u64)> {
    let mut days = KnownStretches::new(union, DAY);
    let mut minutes = KnownStretches::new(union, MINUTE);
    let left = Cell::new(MOST_VISITED);
    let spend = |events: u64| left.get().checked_sub(events).map(|rest| left.set(rest));
    let visit = |start, end, _| {
        let mut is_over = false;
        let visited = union.events(start..end).map_while(|event: i64| {
            is_over = spend(1).is_none();
            (!is_over).then(|| event.abs_diff(start))
        });
        let summary = Summary::EVENT.repeated(1, visited);
        (!is_over).then_some(summary)
    };
    let mut all = Summary::NONE;
    let mut next = union.next_event(i64::MIN);
    while let Some(event) = next {
        let day = event.abs_diff(ORIGIN) / DAY * DAY;
        let start = ORIGIN.saturating_add_unsigned(day);
        spend(STRETCH)?;
        let summary = days.summary(start, |start, end, most| {
            if most <= MANY {
                return visit(start, end, most);
            }
            let mut of_day = Summary::NONE;
            for minute in 0..DAY / MINUTE {
                let at = start.saturating_add_unsigned(minute * MINUTE);
                spend(STRETCH)?;
                of_day.append(minutes.summary(at, visit)?, minute * MINUTE);
            }
            Some(of_day)
        });
        all.append(summary?, day);
        next = union.nearest_event(start.saturating_add_unsigned(DAY));
    }
    all.gaps
}

/// The key of a stretch: the first and the last event of each member, and the number of its events,
/// since a window may end in the minute in which it begins.
type Key = [Option<(u64, u64, u64)>; MOST_MEMBERS];

/// Stretches of the same length, the last of which are remembered.
struct KnownStretches<'a> {
    union: &'a Schedule,
    length: u64,
    known: [(Key, Summary); REMEMBERED],
    len: usize,
}

impl<'a> KnownStretches<'a> {
    fn new(union: &'a Schedule, length: u64) -> Self {
        let none = ([None; MOST_MEMBERS], Summary::NONE);
        Self { union, length, known: [none; REMEMBERED], len: 0 }
    }

    /// Returns the summary of the stretch that starts at an instant. To find it out, `summarize` is given both
    /// ends, and the most events that there may be.
    fn summary(
        &mut self,
        start: i64,
        summarize: impl FnOnce(i64, i64, u64) -> Option<Summary>,
    ) -> Option<Summary> {
        let end = start.saturating_add_unsigned(self.length);
        let mut key = [None; MOST_MEMBERS];
        for (ends, member) in key.iter_mut().zip(self.union.0.members()) {
            let events = member.nearest_event(start).zip(member.prev_event(end));
            let is_inside = |(first, last): &(i64, i64)| *first < end && *last >= start;
            *ends = events.filter(is_inside).map(|(first, last)| {
                (first.abs_diff(start), last.abs_diff(start), member.count(first, last))
            });
        }
        let known = &self.known[..self.len.min(REMEMBERED)];
        if let Some((_, summary)) = known.iter().find(|(known, _)| *known == key) {
            return Some(*summary);
        }
        let most = key.iter().flatten().map(|(_, _, count)| count).sum();
        let summary = summarize(start, end, most)?;
        self.known[self.len % REMEMBERED] = (key, summary);
        self.len += 1;
        Some(summary)
    }
}
