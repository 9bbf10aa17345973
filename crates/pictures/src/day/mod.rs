//! [`DayChart`]: the events of a day by hour.

mod svg;
mod text;

use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{CalendarDigits, Recurrence, Zone};

use crate::local::{LocalDay, Span};
use crate::shades::Shades;
use crate::{Picture, local, words};

const HOUR: i64 = 3_600_000;

/// The number of slots per hour in which events are counted. It has many divisors, as pictures combine slots.
const SLOTS: usize = 180;

/// The maximum number of events that are listed individually.
const LISTED: u64 = 1000;

/// The 24 hours of a day, with each event, or their density.
///
/// A day with a clock change has more or fewer hours. An hour that occurs twice has two rows.
#[derive(Clone, Debug)]
pub struct DayChart {
    subject: String,
    zone: Option<String>,
    day: LocalDay,
    rows: Vec<HourRow>,
    total: u64,
    /// All events, unless there are more than [`LISTED`].
    events: Option<Vec<i64>>,
}

/// An hour of local time, or a part of one if the clocks change within it.
#[derive(Clone, Debug)]
struct HourRow {
    /// The instants of the row.
    span: Span,
    /// The local time at which the hour starts; the row may start later.
    hour: i64,
    /// Whether an earlier row has the same hour.
    is_again: bool,
    total: u64,
    /// The number of events in each slot of the hour.
    slots: Vec<u64>,
}

impl DayChart {
    /// Counts the events of a date in a time zone. The title contains the subject, such as the text of the schedule.
    ///
    /// Returns `None` if the zone skips the date, or if it is before 2000 or after 2100.
    #[must_use]
    pub fn new(
        events: &dyn Recurrence,
        zone: &dyn Zone,
        date: CalendarDigits,
        subject: &str,
    ) -> Option<Self> {
        let number = day_number(date.year(), date.month(), date.day());
        let day = local::days(zone, number, number + 1).pop()?;
        let total = day.count(events);
        let mut rows = Vec::<HourRow>::new();
        for span in &day.spans {
            for (part, hour) in local::parts(*span, HOUR) {
                let is_again = rows.iter().any(|row| row.hour == hour);
                rows.push(HourRow::new(events, part, hour, is_again));
            }
        }
        let list = || day.spans.iter().flat_map(|it| local::list(events, it.range())).collect();
        Some(Self {
            subject: subject.to_owned(),
            zone: local::zone_name(zone),
            rows,
            total,
            events: (total <= LISTED).then(list),
            day,
        })
    }

    /// Returns the number of events on the day.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the date.
    #[must_use]
    pub const fn date(&self) -> CalendarDigits {
        self.day.date
    }

    /// Returns the instants of all events, in milliseconds since 1970-01-01 00:00:00 UTC; `None` if there
    /// are more than 1000.
    #[must_use]
    pub fn events(&self) -> Option<&[i64]> {
        self.events.as_deref()
    }

    /// Returns the instant at which each local hour starts, and its number of events. If
    /// the clocks are set back, an hour occurs twice.
    pub fn hours(&self) -> impl Iterator<Item = (i64, u64)> {
        self.rows.iter().map(|row| (row.span.start, row.total))
    }

    /// Returns the local time of an event, with the offset from UTC if it occurs twice.
    fn time(&self, event: i64) -> String {
        let Some(row) = self.rows.iter().find(|row| row.span.range().contains(&event)) else {
            return String::new();
        };
        let civil = event + row.span.offset;
        words::time_of_day(civil) + &self.offset(row, civil)
    }

    /// Returns a row's offset from UTC, after a space, if the clocks show a local time twice.
    fn offset(&self, row: &HourRow, civil: i64) -> String {
        let is_twice = self.day.is_twice(civil);
        if is_twice { format!(" {}", words::offset(row.span.offset)) } else { String::new() }
    }

    /// Returns a sentence for each time at which the clocks change.
    fn clock_changes(&self) -> Vec<String> {
        local::clock_changes(&self.day)
    }

    /// Returns the shades of some rows, divided into `slots` slots.
    fn shades(&self, slots: usize, is_shaded: impl Fn(&HourRow) -> bool) -> Shades {
        let rows = self.rows.iter().filter(|row| is_shaded(row));
        Shades::new(rows.flat_map(|row| row.counts(slots)))
    }
}

impl HourRow {
    fn new(events: &dyn Recurrence, span: Span, hour: i64, is_again: bool) -> Self {
        let slot = HOUR / i64::try_from(SLOTS).unwrap_or(1);
        let total = events.count(span.range());
        let count = |index: i64| {
            let start = hour + index * slot - span.offset;
            let (start, end) = (start.max(span.start), (start + slot).min(span.end));
            if total == 0 || start >= end { 0 } else { events.count(start..=end - 1) }
        };
        let slots = (0..HOUR / slot).map(count).collect();
        Self { span, hour, is_again, total, slots }
    }

    /// Returns the counts of `slots` slots.
    fn counts(&self, slots: usize) -> impl Iterator<Item = u64> {
        self.slots.chunks(SLOTS / slots.clamp(1, SLOTS)).map(|slots| slots.iter().sum())
    }

    /// Returns the part of the hour that the row covers, in milliseconds from the start of the hour.
    const fn part(&self) -> (i64, i64) {
        let begin = self.hour - self.span.offset;
        (self.span.start - begin, self.span.end - begin)
    }

    /// Returns the hour, such as `09`, or `02 again` the second time.
    fn label(&self) -> String {
        let again = if self.is_again { " again" } else { "" };
        format!("{:02}{again}", self.hour.rem_euclid(MILLIS_PER_DAY) / HOUR)
    }
}

impl Picture for DayChart {
    fn title(&self) -> String {
        let (date, zone) = (words::long_date(self.day.date), words::in_zone(self.zone.as_deref()));
        format!("{} · {date}{zone}", self.subject)
    }

    fn description(&self) -> String {
        let busy = self.rows.iter().filter(|row| row.total > 0).count() as u64;
        let total = words::counted(self.total, "event");
        if busy == 0 {
            words::sentence(&format!("{total}."))
        } else {
            format!("{total} in {}.", words::counted(busy, "hour"))
        }
    }

    fn to_text(&self, columns: usize) -> String {
        text::draw(self, columns)
    }

    fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width)
    }
}
