//! The days of a time zone, and where its clocks change.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{CalendarDigits, Recurrence, Zone};

use crate::words;

/// The days in which schedules have events, counted from 1970-01-01 on.
const FIRST: i64 = day_number(2000, 1, 1);
const END: i64 = day_number(2101, 1, 1);

/// Coordinated universal time, as a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to add")]
pub struct Utc;

impl Zone for Utc {
    fn offset_at(&self, _: i64) -> i32 {
        0
    }

    fn name(&self) -> Option<&str> {
        Some("UTC")
    }
}

/// Instants with the same offset of local time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: i64,
    /// The first instant after the span.
    pub(crate) end: i64,
    /// The milliseconds by which local time is ahead of UTC.
    pub(crate) offset: i64,
    /// The same just before the span: another number if the clocks change at its start.
    pub(crate) before: i64,
}

impl Span {
    /// Returns by how much the clocks are set forward at the start, in milliseconds; negative if they are set back.
    const fn clock_change(self) -> i64 {
        self.offset - self.before
    }
}

/// A day in local time.
#[derive(Clone, Debug)]
pub(crate) struct LocalDay {
    /// Its midnight in local time, which may lie in a gap.
    pub(crate) date: CalendarDigits,
    /// In order; at least one. If the clocks are set back just after midnight, they show a part of the day before in between.
    pub(crate) spans: Vec<Span>,
}

impl LocalDay {
    pub(crate) fn start(&self) -> i64 {
        self.spans.first().map_or(0, |span| span.start)
    }

    /// Returns how many events the day has.
    pub(crate) fn count(&self, events: &dyn Recurrence) -> u64 {
        self.spans.iter().map(|span| events.count(span.start..=span.end - 1)).sum()
    }

    /// Returns the local time of an instant, if it is on this day.
    pub(crate) fn local(&self, instant: i64) -> Option<CalendarDigits> {
        let span = self.spans.iter().find(|span| (span.start..span.end).contains(&instant))?;
        Some(CalendarDigits::from_millis(instant + span.offset))
    }

    /// Whether the clocks show a local time twice.
    pub(crate) fn is_twice(&self, civil: i64) -> bool {
        let has = |span: &&Span| (span.start..span.end).contains(&(civil - span.offset));
        self.spans.iter().filter(has).count() > 1
    }

    /// Returns the first instant after the day.
    pub(crate) fn end(&self) -> i64 {
        self.spans.last().map_or(0, |span| span.end)
    }

    /// Returns the instants of each of some slots of the day, which are equally long in local time. A slot that the clocks
    /// show twice has two ranges; one that they skip has none.
    pub(crate) fn slots(&self, slots: usize) -> Vec<Vec<RangeInclusive<i64>>> {
        let midnight = self.date.to_millis();
        let slots = i64::try_from(slots.max(1)).unwrap_or(1);
        let begin = |slot: i64| midnight + slot * MILLIS_PER_DAY / slots;
        let ranges = |slot: i64| {
            let ranges = self.spans.iter().map(move |span| {
                let from = (begin(slot) - span.offset).max(span.start);
                let until = (begin(slot + 1) - span.offset).min(span.end);
                from..=until - 1
            });
            ranges.filter(|range| !range.is_empty()).collect()
        };
        (0..slots).map(ranges).collect()
    }

    /// Returns by how much the clocks are set forward during the day or at its start, in milliseconds; negative if
    /// they are set back.
    pub(crate) fn clock_change(&self) -> i64 {
        self.spans.iter().map(|span| span.clock_change()).sum()
    }
}

/// Returns the name of a zone. That of a zone without a name, whose clocks never change, is its offset.
pub(crate) fn zone_name(zone: &dyn Zone) -> Option<String> {
    let offset = || match spans(zone, FIRST * MILLIS_PER_DAY, END * MILLIS_PER_DAY)[..] {
        [span] => Some(words::offset(span.offset)),
        _ => None,
    };
    zone.name().map(str::to_owned).or_else(offset)
}

/// Returns the spans of a range of instants.
pub(crate) fn spans(zone: &dyn Zone, start: i64, end: i64) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = start;
    let mut before = zone.offset_at(start.saturating_sub(1)).into();
    while start < end {
        let offset = zone.offset_at(start).into();
        let change = zone.next_change(start, end.saturating_sub(1));
        let span_end = change.filter(|change| *change > start).unwrap_or(end);
        spans.push(Span { start, end: span_end, offset, before });
        (start, before) = (span_end, offset);
    }
    spans
}

/// Returns the days of a zone from one date to before another, which are counted from 1970-01-01 on.
///
/// A day that the zone skips is missing. There are none before 2000 and after 2100, where schedules
/// have no events.
pub(crate) fn days(zone: &dyn Zone, first: i64, end: i64) -> Vec<LocalDay> {
    let (first, end) = (first.clamp(FIRST, END), end.clamp(FIRST, END));
    // Local time is at most a day ahead of UTC or behind it.
    let (from, until) = ((first - 1) * MILLIS_PER_DAY, (end + 1) * MILLIS_PER_DAY);
    let mut days = BTreeMap::<i64, Vec<Span>>::new();
    for span in spans(zone, from, until) {
        for (part, midnight) in parts(span, MILLIS_PER_DAY) {
            let number = midnight.div_euclid(MILLIS_PER_DAY);
            if (first..end).contains(&number) {
                days.entry(number).or_default().push(part);
            }
        }
    }
    let date = |number: i64| CalendarDigits::from_millis(number * MILLIS_PER_DAY);
    days.into_iter().map(|(number, spans)| LocalDay { date: date(number), spans }).collect()
}

/// Splits a span at each multiple of a unit in local time, and returns the multiple at which each part belongs.
pub(crate) fn parts(span: Span, unit: i64) -> impl Iterator<Item = (Span, i64)> {
    let mut rest = span;
    std::iter::from_fn(move || {
        if rest.start >= rest.end {
            return None;
        }
        let begin = (rest.start + rest.offset).div_euclid(unit) * unit;
        let end = (begin + unit - rest.offset).min(rest.end);
        let part = Span { end, ..rest };
        rest = Span { start: end, before: rest.offset, ..rest };
        Some((part, begin))
    })
}

/// Returns a sentence for each clock change of a day, which is within it or at its start.
pub(crate) fn clock_changes(day: &LocalDay) -> Vec<String> {
    let changes = day.spans.iter().filter(|span| span.clock_change() != 0);
    let sentence = |span: &Span| {
        let time = |offset: i64| words::time_of_day(span.start + offset);
        let (from, to) = (time(span.before), time(span.offset));
        format!("At {from}, the clocks go {} to {to}.", words::clock_change(span.clock_change()))
    };
    changes.map(sentence).collect()
}

/// Lists the events of a range.
pub(crate) fn list(events: &dyn Recurrence, range: RangeInclusive<i64>) -> Vec<i64> {
    let (start, end) = range.into_inner();
    let mut list = Vec::new();
    let mut event = events.nearest_event(start);
    // An implementation that returns an event again must not loop for ever.
    while let Some(at) = event.filter(|at| *at <= end && list.last() < Some(at)) {
        list.push(at);
        event = events.next_event(at);
    }
    list
}
