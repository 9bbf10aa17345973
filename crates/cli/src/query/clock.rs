//! [`Clock`]: formatting instants in a time zone, a million of them in a second.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::{Offset, TimeZone};
use millicron::calendar::MILLIS_PER_DAY;
use millicron::{CalendarDigits, OffsetSpan, Schedule, Zone, ZoneTable};
use serde_json::{Value, json};

/// Formats instants as local times in a time zone.
///
/// It caches the offset of the last instant, as the next instant usually has the same.
#[derive(Debug)]
pub(crate) struct Clock {
    zone: TimeZone,
    table: Option<&'static ZoneTable>,
    span: OffsetSpan,
    has_milliseconds: bool,
}

/// How times are written in JSON.
const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

impl Clock {
    /// Creates a clock that shows milliseconds if the events of a schedule need them.
    pub(crate) fn new(zone: &TimeZone, schedule: &Schedule) -> Self {
        // The milliseconds are the same in each second, and a window has the same steps each day.
        let mut events = schedule.events(..).take(1000);
        Self { has_milliseconds: events.any(|event| event % 1000 != 0), ..Self::of_zone(zone) }
    }

    /// Creates a clock that shows an instant's milliseconds only if they are not 0.
    pub(crate) fn of_zone(zone: &TimeZone) -> Self {
        Self {
            zone: zone.clone(),
            table: zone.table(),
            span: OffsetSpan { start: 0, end: 0, offset: 0 },
            has_milliseconds: false,
        }
    }

    /// Whether an instant is too far from any clock change for an event at it to be affected.
    pub(crate) fn is_steady(&mut self, instant: i64) -> bool {
        // More than clocks have ever been moved.
        const FAR: i64 = 2 * MILLIS_PER_DAY;
        self.offset(instant);
        let OffsetSpan { start, end, .. } = self.span;
        (start.saturating_add(FAR)..end.saturating_sub(FAR)).contains(&instant)
    }

    /// Returns a local time for people: `Mon 2026-03-30 09:00:00 +02:00`.
    pub(crate) fn for_people(&mut self, instant: i64) -> String {
        let has_milliseconds = self.has_milliseconds || instant.rem_euclid(1000) != 0;
        let format = if has_milliseconds { "%a %F %T%.3f %:z" } else { "%a %F %T %:z" };
        let offset = self.offset(instant);
        let time = timestamp(instant).to_zoned_datetime(TimeZone::fixed(offset));
        time.strftime(format).to_string()
    }

    /// Returns a local time in RFC 3339 format: `2026-03-30T09:00:00.000+02:00`.
    pub(crate) fn rfc3339(&mut self, instant: i64) -> String {
        PRINTER.timestamp_with_offset_to_string(&timestamp(instant), self.offset(instant))
    }

    /// Returns an instant as a JSON object: `time` is its local time, and `unix_ms` its Unix time in milliseconds.
    pub(crate) fn json(&mut self, instant: i64) -> Value {
        self.add_to_json(json!({}), instant)
    }

    /// Adds `time` and `unix_ms` after the other keys of a JSON object, as [`json`](Self::json) writes them.
    pub(crate) fn add_to_json(&mut self, mut object: Value, instant: i64) -> Value {
        object["time"] = self.rfc3339(instant).into();
        object["unix_ms"] = instant.into();
        object
    }

    /// Returns a local time in RFC 3339 format, without an offset: `2026-03-30T09:00:00.000`.
    pub(crate) fn civil(&mut self, instant: i64) -> String {
        PRINTER.datetime_to_string(&self.offset(instant).to_datetime(timestamp(instant)))
    }

    /// Returns the offset of the local time of an instant.
    fn offset(&mut self, instant: i64) -> Offset {
        if !(self.span.start..self.span.end).contains(&instant) {
            let known = self.table.and_then(|table| table.offset_span(instant));
            let offset = || self.zone.offset_at(instant);
            self.span = known.unwrap_or_else(|| OffsetSpan {
                start: instant,
                end: instant,
                offset: offset(),
            });
        }
        Offset::from_seconds(self.span.offset / 1000).unwrap_or(Offset::UTC)
    }
}

pub(crate) fn timestamp(instant: i64) -> Timestamp {
    Timestamp::from_millisecond(instant).unwrap_or_default()
}

/// Returns a civil time in RFC 3339 format, without an offset: `2026-03-29T02:30:00.000`.
pub(crate) fn civil_text(civil: CalendarDigits) -> String {
    civil.to_string().replacen(' ', "T", 1)
}
