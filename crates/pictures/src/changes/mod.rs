//! [`ClockChanges`]: the days around each clock change.

mod svg;
mod text;

use millicron::calendar::MILLIS_PER_DAY;
use millicron::{CalendarDigits, Zone, ZonedSchedule};

use crate::affected::ClockChangeEvents;
use crate::shades::Shades;
use crate::strip::Strip;
use crate::{Picture, local, words};

/// How many days are shown before and after a change.
const AROUND: i64 = 7;

/// How clock changes affect a schedule: the events of every day from a week before each change to a week after it, and
/// the affected events.
#[derive(Clone, Debug)]
pub struct ClockChanges {
    subject: String,
    zone: Option<String>,
    changes: Vec<Change>,
    first: CalendarDigits,
    last: CalendarDigits,
}

/// A clock change, and the days around it.
#[derive(Clone, Debug)]
struct Change {
    events: ClockChangeEvents,
    days: Vec<ChangeDay>,
}

#[derive(Clone, Debug)]
struct ChangeDay {
    date: CalendarDigits,
    is_changed: bool,
    strip: Strip,
}

impl ClockChanges {
    /// Counts the events around each clock change from `from` to before `until`, both in milliseconds since
    /// 1970-01-01 00:00:00 UTC. The title contains the subject, such as the text of the schedule.
    #[must_use]
    pub fn new<Z: Zone>(schedule: &ZonedSchedule<Z>, from: i64, until: i64, subject: &str) -> Self {
        let zone = schedule.zone();
        let changes = ClockChangeEvents::list(schedule, from..until);
        let changes = changes.into_iter().map(|events| Change::new(schedule, events));
        let date = |instant: i64| {
            CalendarDigits::from_millis(instant.saturating_add(zone.offset_at(instant).into()))
        };
        Self {
            subject: subject.to_owned(),
            zone: local::zone_name(zone),
            changes: changes.collect(),
            first: date(from),
            last: date(until.saturating_sub(1)),
        }
    }

    /// Returns the clock changes.
    pub fn changes(&self) -> impl Iterator<Item = &ClockChangeEvents> {
        self.changes.iter().map(|change| &change.events)
    }

    fn shades(&self, slots: usize) -> Shades {
        let days = self.changes.iter().flat_map(|change| &change.days);
        Shades::new(days.flat_map(|day| day.strip.slots(slots).map(|slot| slot.count)))
    }
}

impl Change {
    fn new<Z: Zone>(schedule: &ZonedSchedule<Z>, events: ClockChangeEvents) -> Self {
        let day = |civil: CalendarDigits| civil.to_millis().div_euclid(MILLIS_PER_DAY);
        // The change belongs to the day that contains it or starts with it.
        let (before, changed) = (day(events.clocks.from), day(events.clocks.to));
        let (first, end) = (before.min(changed) - AROUND, changed + AROUND + 1);
        let days = local::days(schedule.zone(), first, end);
        let days = days.iter().map(|day| ChangeDay {
            date: day.date,
            is_changed: day.date.to_millis() == changed * MILLIS_PER_DAY,
            strip: Strip::new(schedule, day),
        });
        Self { days: days.collect(), events }
    }

    /// Returns sentences about the affected events.
    fn effects(&self) -> Vec<String> {
        if self.events.affected.is_empty() {
            return vec!["No event is affected.".to_owned()];
        }
        self.events.affected.iter().map(|events| format!("{events}.")).collect()
    }
}

impl Picture for ClockChanges {
    fn title(&self) -> String {
        match &self.zone {
            Some(zone) => format!("{} · clock changes of {zone}", self.subject),
            None => format!("{} · clock changes", self.subject),
        }
    }

    fn description(&self) -> String {
        let date = |date: CalendarDigits| format!("{} {}", words::day_and_month(date), date.year());
        let changes = words::counted(self.changes.len() as u64, "clock change");
        format!("From {} to {}: {changes}.", date(self.first), date(self.last))
    }

    fn to_text(&self, columns: usize) -> String {
        text::draw(self, columns)
    }

    fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width)
    }
}
