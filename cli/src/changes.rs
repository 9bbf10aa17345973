//! What clock changes do to the events of a schedule.

use std::fmt;
use std::ops::Range;

use jiff::tz::TimeZone;
use millicron::{CalendarDigits, ClockChange, ClockEffect, Zone, ZonedSchedule};

use crate::clock::time_text;

/// A day, in which all events are that a change affects, before and after it.
const DAY: i64 = 86_400_000;

/// A clock change, and what it does to events.
#[derive(Debug)]
pub(crate) struct ClockChangeEvents {
    pub(crate) instant: i64,
    pub(crate) clocks: ClockChange,
    pub(crate) affected: Vec<AffectedEvents>,
}

/// Events in one gap or fold that are handled alike.
#[derive(Debug)]
pub(crate) struct AffectedEvents {
    pub(crate) effect: ClockEffect,
    pub(crate) count: u64,
    pub(crate) first: CalendarDigits,
    pub(crate) last: CalendarDigits,
}

impl AffectedEvents {
    /// Returns the effect as a word for JSON.
    pub(crate) const fn keyword(&self) -> &'static str {
        match self.effect {
            ClockEffect::Shifted => "shifted",
            ClockEffect::Merged => "merged",
            ClockEffect::Bridged => "bridged",
            ClockEffect::Skipped => "skipped",
            ClockEffect::Chosen(_) => "once",
            ClockEffect::Doubled(_) => "twice",
        }
    }
}

impl fmt::Display for AffectedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { effect, count, first, last } = self;
        f.write_str(&time_text(*first))?;
        if *count > 1 {
            write!(f, " to {}, {count} events: each", time_text(*last))?;
        }
        match effect {
            // Both passes are one line.
            ClockEffect::Doubled(_) => f.write_str(" fires twice"),
            _ => write!(f, " {effect}"),
        }
    }
}

/// Returns the clock changes in a range of instants. However many events a change affects, this looks at
/// three of them.
pub(crate) fn clock_changes(
    schedule: &ZonedSchedule<TimeZone>,
    range: Range<i64>,
) -> Vec<ClockChangeEvents> {
    let zone = schedule.zone();
    let mut after = range.start;
    let changes = std::iter::from_fn(|| {
        after = zone.next_change(after, range.end)?;
        Some(after)
    });
    changes.map(|instant| clock_change(schedule, instant)).collect()
}

fn clock_change(schedule: &ZonedSchedule<TimeZone>, instant: i64) -> ClockChangeEvents {
    let local = |offset: i32| instant.saturating_add(offset.into());
    let [from, to] = [instant - 1, instant].map(|it| local(schedule.zone().offset_at(it)));
    let clocks = ClockChange {
        from: CalendarDigits::from_millis(from),
        to: CalendarDigits::from_millis(to),
    };
    let count = schedule.schedule().count(from.min(to)..from.max(to));
    let mut surprises = schedule.surprises(instant - DAY..=instant + DAY);
    let mut affected = Vec::new();
    if let Some(first) = surprises.next() {
        let second = surprises.next();
        let last = surprises.next_back().or(second).map_or(first.civil, |it| it.civil);
        // Of those in a gap that fire, only the first can be shifted.
        match second.filter(|second| second.effect != first.effect && from < to) {
            Some(second) => {
                let alone = (first.effect, 1, first.civil, first.civil);
                affected.extend([alone, (second.effect, count - 1, second.civil, last)]);
            }
            None => affected.push((first.effect, count, first.civil, last)),
        }
    }
    let affected = affected
        .into_iter()
        .map(|(effect, count, first, last)| AffectedEvents { effect, count, first, last })
        .collect();
    ClockChangeEvents { instant, clocks, affected }
}
