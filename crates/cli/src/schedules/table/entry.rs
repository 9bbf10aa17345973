//! [`Entry`]: a schedule of the table, as read and as shown.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use millicron::{Calendar, Calendars, Language, NamedZone as _, ZonedSchedule};
use millicron_apalis::Missed;
use millicron_apalis::stored::{InvalidSchedule, StoredSchedule};
use millicron_pictures::Length;
use serde_json::{Value, json};

use crate::error::Error;
use crate::file::ALL_DAYS;
use crate::query::calendars::unknown_calendar;
use crate::query::clock::Clock;
use crate::query::schedule::ScheduleRead;

/// The time zone of schedules without one.
pub(super) const DEFAULT_ZONE: &str = "UTC";

/// A schedule of the table.
pub(super) struct Entry {
    pub(super) stored: StoredSchedule,
    /// What it means, or why it cannot be read.
    pub(super) meaning: Result<Meaning, Error>,
    /// The names of its calendars that are not known here.
    pub(super) unknown: BTreeSet<String>,
    /// The time zone in which times are shown.
    pub(super) shown: TimeZone,
}

/// What a schedule means.
pub(super) struct Meaning {
    pub(super) read: ScheduleRead,
    /// The text in words. Calendars that it does not name are left out.
    pub(super) description: String,
}

impl Entry {
    /// Reads a schedule of the table, to be shown in a time zone, or else in its own.
    pub(super) fn new(
        stored: StoredSchedule,
        zone: Option<&TimeZone>,
        calendars: &BTreeMap<String, Calendar>,
    ) -> Self {
        let known = KnownCalendars { calendars, unknown: RefCell::default() };
        let schedule = stored.read(&known).map_err(|error| invalid(&error));
        let mut meaning = schedule.and_then(|schedule| Meaning::new(&stored, schedule, &known));
        let own = || match &meaning {
            Ok(meaning) => meaning.read.schedule.zone().clone(),
            Err(_) => stored.zone.as_deref().and_then(TimeZone::named).unwrap_or(TimeZone::UTC),
        };
        let shown = zone.cloned().unwrap_or_else(own);
        if let Ok(meaning) = &mut meaning {
            meaning.read.shown = shown.clone();
        }
        Self { stored, meaning, unknown: known.unknown.into_inner(), shown }
    }

    /// Returns the next events from an instant on, or `None` if they are not known here.
    pub(super) fn next(&self, from: i64, number: usize) -> Option<Vec<i64>> {
        let meaning = self.meaning.as_ref().ok().filter(|_| self.unknown.is_empty())?;
        let StoredSchedule { starts_at, ends_at, paused, .. } = self.stored;
        if paused {
            return Some(Vec::new());
        }
        let events = meaning.read.schedule.events(from.max(starts_at.unwrap_or(i64::MIN))..);
        let events = events.take_while(|event| ends_at.is_none_or(|last| *event <= last));
        Some(events.take(number).collect())
    }

    /// Returns the object of a list.
    pub(super) fn to_json(&self) -> Value {
        let mut clock = Clock::of_zone(&self.shown);
        let mut time = |instant: Option<i64>| instant.map(|instant| clock.json(instant));
        let StoredSchedule { name, schedule, dialect, zone, calendars, payload, .. } = &self.stored;
        let StoredSchedule { paused, missed, catch_up, tags, version, error, .. } = &self.stored;
        json!({
            "name": name,
            "schedule": schedule,
            "dialect": dialect,
            "zone": zone,
            "calendars": calendars,
            "payload": payload,
            "paused": paused,
            "missed": missed_text(*missed),
            "catch_up_ms": Length::from(*catch_up).0,
            "starts": time(self.stored.starts_at),
            "ends": time(self.stored.ends_at),
            "tags": tags,
            "version": version,
            "next_event": time(self.stored.next_at),
            "last_event": time(self.stored.last_at),
            "error": error,
        })
    }
}

impl Meaning {
    fn new(
        stored: &StoredSchedule,
        schedule: ZonedSchedule<TimeZone>,
        known: &KnownCalendars<'_>,
    ) -> Result<Self, Error> {
        let language = stored.dialect.as_deref().and_then(Language::with_keyword);
        let zone = stored.zone.as_deref().unwrap_or(DEFAULT_ZONE);
        let mut read =
            ScheduleRead::new(&stored.schedule, language, Some(zone), known.with_stand_ins())?;
        let description = read.language.describe(read.schedule.schedule()).to_string();
        read.schedule = schedule;
        Ok(Self { read, description })
    }
}

/// The calendars that are known here, and stand-ins for others: without these, a schedule still has a time zone and a
/// description.
struct KnownCalendars<'a> {
    calendars: &'a BTreeMap<String, Calendar>,
    /// The names of the others.
    unknown: RefCell<BTreeSet<String>>,
}

impl KnownCalendars<'_> {
    fn with_stand_ins(&self) -> BTreeMap<String, Calendar> {
        let unknown = self.unknown.borrow();
        let stand_ins = unknown.iter().filter_map(|name| Some((name.clone(), stand_in()?)));
        self.calendars.clone().into_iter().chain(stand_ins).collect()
    }
}

impl Calendars for KnownCalendars<'_> {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.calendars.get(name).cloned().or_else(|| {
            self.unknown.borrow_mut().insert(name.to_owned());
            stand_in()
        })
    }

    fn names(&self) -> Vec<String> {
        self.calendars.names()
    }
}

fn stand_in() -> Option<Calendar> {
    Calendar::parse(ALL_DAYS).ok()
}

/// Returns a policy as on the command line.
pub(super) fn missed_text(missed: Missed) -> String {
    match missed {
        Missed::Skip => "skip".to_owned(),
        // More than the table can have.
        Missed::All { max: 1_000_000_000.. } => "all".to_owned(),
        Missed::All { max } => format!("all={max}"),
        _ => "coalesce".to_owned(),
    }
}

/// Returns the error that a schedule is invalid.
pub(super) fn invalid(error: &InvalidSchedule) -> Error {
    match error {
        InvalidSchedule::Text(error) => Error::new(format_args!("{:#}", error.plain())),
        InvalidSchedule::UnknownCalendar { name, .. } => {
            unknown_calendar(Error::new(format_args!("unknown calendar `{name}`")), name)
        }
        InvalidSchedule::UnknownZone { name, nearest } if nearest.is_empty() => {
            Error::new(format_args!("`{name}` is not the name of a time zone"))
                .hint("write a name such as `Europe/Berlin`")
        }
        InvalidSchedule::EndsBeforeStart => {
            Error::new("the schedule ends before it starts").hint("swap the times")
        }
        error => Error::new(error),
    }
}
