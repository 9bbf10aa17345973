//! The days of a time zone, and its clock changes.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{CalendarDigits, Recurrence, Zone};

use crate::words;

/// The days on which schedules can have events, as days since 1970-01-01.
const FIRST: i64 = day_number(2000, 1, 1);
const END: i64 = day_number(2101, 1, 1);

/// Coordinated Universal Time, as a zone.
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

/// A range of instants with the same UTC offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: i64,
    /// The first instant after the span.
    pub(crate) end: i64,
    /// How far local time is ahead of UTC, in milliseconds.
    pub(crate) offset: i64,
    /// The offset just before the span, which differs if the clocks change at its start.
    pub(crate) before: i64,
}

impl Span {
    /// Returns the instants.
    pub(crate) const fn range(self) -> RangeInclusive<i64> {
        self.start..=self.end - 1
    }

    /// Whether the clocks show a local time during the span.
    fn has(self, civil: i64) -> bool {
        self.range().contains(&(civil - self.offset))
    }

    /// Returns how far the clocks are set forward at the start, in milliseconds; negative if they are set back.
    const fn clock_change(self) -> i64 {
        self.offset - self.before
    }
}

/// A day in local time.
#[derive(Clone, Debug)]
pub(crate) struct LocalDay {
    /// Local midnight, which may lie in a gap.
    pub(crate) date: CalendarDigits,
    /// In order; at least one. If the clocks are set back just after midnight, part of
    /// the previous day lies in between.
    pub(crate) spans: Vec<Span>,
}

impl LocalDay {
    pub(crate) fn start(&self) -> i64 {
        self.spans.first().map_or(0, |span| span.start)
    }

    /// Returns the number of events on this day.
    pub(crate) fn count<E: Recurrence + ?Sized>(&self, events: &E) -> u64 {
        self.spans.iter().map(|span| events.count(span.range())).sum()
    }

    /// Returns the local time of an instant, if it is on this day.
    pub(crate) fn local(&self, instant: i64) -> Option<CalendarDigits> {
        let span = self.spans.iter().find(|span| span.range().contains(&instant))?;
        Some(CalendarDigits::from_millis(instant + span.offset))
    }

    /// Whether the clocks show a local time twice.
    pub(crate) fn is_twice(&self, civil: i64) -> bool {
        self.spans.iter().filter(|span| span.has(civil)).count() > 1
    }

    /// Returns the first instant after the day.
    pub(crate) fn end(&self) -> i64 {
        self.spans.last().map_or(0, |span| span.end)
    }

    /// Divides the day into slots of equal length in local time, and returns the instants of each. A slot that the
    /// clocks show twice has two ranges; a skipped slot has none.
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

    /// Returns how far the clocks are set forward during the day or at its start, in milliseconds; negative if they
    /// are set back.
    pub(crate) fn clock_change(&self) -> i64 {
        self.spans.iter().map(|span| span.clock_change()).sum()
    }
}

/// Returns the name of a zone, or the offset of an unnamed zone whose clocks never change.
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

/// Returns the days of a zone from `first` to before `end`, both in days since 1970-01-01.
///
/// Days that the zone skips are left out, and so are days before 2000 and after 2100, when schedules have no events.
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

/// Splits a span at each multiple of a unit in local time, and returns each part with the multiple at or before it.
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

/// Returns a sentence for each clock change within a day or at its start.
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
    // A recurrence that returns the same event again must not cause an endless loop.
    while let Some(at) = event.filter(|at| *at <= end && list.last() < Some(at)) {
        list.push(at);
        event = events.next_event(at);
    }
    list
}
