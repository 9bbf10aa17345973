//! [`ClockChangeEvents`]: how a clock change affects events.

use std::fmt;
use std::iter;
use std::ops::Range;

use millicron::calendar::MILLIS_PER_DAY;
use millicron::zone::Pass;
use millicron::{CalendarDigits, ClockChange, ClockEffect, Surprise, Zone, ZonedSchedule};

use crate::words;

/// How many events of a union are visited for each clock change.
const MOST_VISITED: usize = 100_000;

/// A clock change, and how it affects the events of a schedule.
///
/// Its `Display` writes the change without a full stop, such as `Sun 2026-03-29: the clocks go from 02:00 to 03:00`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockChangeEvents {
    /// The first instant after the change, in milliseconds since 1970-01-01 00:00:00 UTC.
    pub instant: i64,
    /// The civil times before and after the change.
    pub clocks: ClockChange,
    /// The events in the change's gap or fold.
    pub affected: Vec<AffectedEvents>,
}

impl ClockChangeEvents {
    /// Lists the clock changes in a range of instants.
    ///
    /// At most three events of each change are visited, however many it affects; of a union, at most the first 100,000. If
    /// a change affects more, the rest are counted with the most frequent effect.
    #[must_use]
    pub fn list<Z: Zone>(schedule: &ZonedSchedule<Z>, range: Range<i64>) -> Vec<Self> {
        let last = range.end.saturating_sub(1);
        let next = |after: i64| {
            let change = schedule.zone().next_change(after, last);
            // A zone that returns the same change again must not cause an endless loop.
            change.filter(|change| *change > after)
        };
        let instants = iter::successors(next(range.start.saturating_sub(1)), |after| next(*after));
        instants.map(|instant| Self::new(schedule, instant)).collect()
    }

    fn new<Z: Zone>(schedule: &ZonedSchedule<Z>, instant: i64) -> Self {
        let (clocks, affected) = AffectedEvents::of(schedule, instant);
        Self { instant, clocks, affected }
    }
}

impl fmt::Display for ClockChangeEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = [self.clocks.from, self.clocks.to];
        let [date, end_date] = civil.map(words::short_date);
        let [start, end] = civil.map(|civil| words::time_of_day(civil.to_millis()));
        write!(f, "{date}: the clocks go from {start} to {end}")?;
        if date == end_date { Ok(()) } else { write!(f, " on {end_date}") }
    }
}

/// Events in the gap or fold of a clock change that are resolved in the same way.
///
/// Its `Display` writes them as one sentence, such as `02:30 fires at the first instant after the gap, at 03:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AffectedEvents {
    /// How the events are resolved. Events that fire in both passes of a fold have the effect of the first pass.
    pub effect: ClockEffect,
    /// The number of civil times.
    pub count: u64,
    /// The first civil time in the schedule.
    pub first: CalendarDigits,
    /// The last civil time in the schedule.
    pub last: CalendarDigits,
    /// The local time at which the first one fires, or `None` if it does not fire.
    pub fires: Option<CalendarDigits>,
}

impl AffectedEvents {
    /// Returns the clock change at an instant, and how it affects a schedule.
    fn of<Z: Zone>(schedule: &ZonedSchedule<Z>, instant: i64) -> (ClockChange, Vec<Self>) {
        let zone = schedule.zone();
        let local = |at: i64, instant: i64| instant.saturating_add(zone.offset_at(at).into());
        let digits = CalendarDigits::from_millis;
        let (from, to) = (local(instant.saturating_sub(1), instant), local(instant, instant));
        let count = schedule.schedule().count(from.min(to)..from.max(to));
        // Other clock changes are more than a day away.
        let range = instant.saturating_sub(MILLIS_PER_DAY)..=instant.saturating_add(MILLIS_PER_DAY);
        let mut surprises = schedule.surprises(range);
        let events = |event: Surprise<i64>, count, last| Self {
            effect: event.effect,
            count,
            first: event.civil,
            last,
            fires: event.instant.map(|at| digits(local(at, at))),
        };
        let mut affected = Vec::new();
        if schedule.schedule().members().len() > 0 {
            // Each member is resolved by its own kind, so any event may differ from the one before it.
            for event in surprises.by_ref().take(MOST_VISITED) {
                match affected.iter_mut().find(|it: &&mut Self| it.effect == event.effect) {
                    _ if event.effect == ClockEffect::Doubled(Pass::Second) => {}
                    Some(alike) => (alike.count, alike.last) = (alike.count + 1, event.civil),
                    None => affected.push(events(event, 1, event.civil)),
                }
            }
            let rest = count.saturating_sub(affected.iter().map(|it| it.count).sum());
            let most = affected.iter_mut().max_by_key(|it| it.count).filter(|_| rest > 0);
            if let (Some(most), Some(last)) = (most, surprises.next_back()) {
                (most.count, most.last) = (most.count + rest, last.civil);
            }
        } else if let Some(first) = surprises.next() {
            let second = surprises.next();
            let last = surprises.next_back().or(second).map_or(first.civil, |it| it.civil);
            // In a gap, only the first event can differ: it fires, and the others merge with it.
            match second.filter(|second| second.effect != first.effect && from < to) {
                Some(second) => affected.extend([
                    events(first, 1, first.civil),
                    events(second, count.saturating_sub(1), last),
                ]),
                None => affected.push(events(first, count, last)),
            }
        }
        (ClockChange { from: digits(from), to: digits(to) }, affected)
    }
}

impl fmt::Display for AffectedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { effect, count, first, last, fires } = *self;
        let time = |civil: CalendarDigits| words::time_of_day(civil.to_millis());
        f.write_str(&time(first))?;
        if count > 1 {
            write!(f, " to {}, {} events: each", time(last), words::number(count))?;
        }
        match effect {
            ClockEffect::Doubled(_) => f.write_str(" fires in both passes"),
            _ => write!(f, " {effect}"),
        }?;
        match (effect, fires) {
            (ClockEffect::Shifted | ClockEffect::Merged, Some(fires)) => {
                write!(f, ", at {}", time(fires))
            }
            _ => Ok(()),
        }
    }
}
