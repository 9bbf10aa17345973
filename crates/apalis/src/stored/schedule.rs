//! [`StoredSchedule`]: a row of the table.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Calendars, Language, ZonedSchedule};
use millicron_scheduler::Missed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::InvalidSchedule;
use super::payload;
use super::reading::Definition;
use crate::job::{CATCH_UP, check_name, millis};

/// A hundred years, in milliseconds: the longest duration that the table takes.
pub(super) const LONGEST: i64 = 100 * 360 * 86_400_000;

/// The instants that the table has, from 1970 to two days after 2100. It has all events, which are in the years 2000 to
/// 2100 of any time zone.
const INSTANTS: RangeInclusive<i64> = 0..=4_133_980_800_000 + 2 * 86_400_000;

/// The maximum length of a tag, in bytes.
const LONGEST_TAG: usize = 512;

/// Returns the nearest instant that all databases can store.
pub(super) fn storable(instant: i64) -> i64 {
    instant.clamp(*INSTANTS.start(), *INSTANTS.end())
}

/// A schedule in a database, with its settings and its state.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00 UTC. With serde, only the name and the text are required.
///
/// ```
/// use millicron::schedule;
/// use millicron_apalis::stored::StoredSchedule;
///
/// let report = StoredSchedule::new("report/7", "*.*.* Mon-Fri 09:00:00")
///     .zone("Europe/Berlin")
///     .payload("PDF")
///     .tag("customer-7");
/// assert_eq!(report.read(&())?.schedule(), &schedule!("*.*.* Mon-Fri 09:00:00"));
///
/// let json = r#"{ "name": "report/8", "schedule": "09:00:00" }"#;
/// let report: StoredSchedule = serde_json::from_str(json)?;
/// assert_eq!(report, StoredSchedule::new("report/8", "09:00:00"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredSchedule {
    /// The name. Together with an event's instant, it identifies a task.
    pub name: String,
    /// The text of the schedule.
    pub schedule: String,
    /// The [keyword](Language::keyword) of the text's language. `None` if the text tells.
    pub dialect: Option<String>,
    /// The name of the time zone, unless the text has one. `None` is UTC.
    pub zone: Option<String>,
    /// The names of calendars. There are events only on days that are in all of them.
    #[serde(default)]
    pub calendars: Vec<String>,
    /// The payload of the tasks.
    #[serde(default)]
    pub payload: Value,
    /// Whether the schedule has no events for now.
    #[serde(default)]
    pub paused: bool,
    /// What happens to missed events.
    #[serde(default, with = "missed")]
    pub missed: Missed,
    /// How long after its instant an event may still become a task.
    #[serde(default = "default_catch_up", with = "duration")]
    pub catch_up: Duration,
    /// The first instant that may be an event.
    pub starts_at: Option<i64>,
    /// The last instant that may be an event.
    pub ends_at: Option<i64>,
    /// Tags, by which schedules are found. A tag has at most 512 bytes.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The version, which counts the changes since the schedule was created.
    ///
    /// If it is set, [`Schedules::put`](super::Schedules::put) refuses to change another version: 0
    /// means that there must be no schedule with the name.
    ///
    /// If a schedule is removed and created again, its versions count from 1 again, so an old version may look like
    /// the current one. If others may have read the old schedule, pause it instead of removing it, or create the new
    /// one with another name.
    pub version: Option<i64>,
    /// The next event, set by the database. `None` if there is no next event, or it is not known yet. If there is an
    /// [error](Self::error), the time of the next attempt.
    pub next_at: Option<i64>,
    /// The last event that became a task. Set by the database.
    pub last_at: Option<i64>,
    /// Why the schedule has no tasks, because it cannot be read or the storage refuses them. Set by the database.
    pub error: Option<String>,
    /// A column that cannot be read, and has its default here.
    #[serde(skip)]
    pub(super) unreadable: Option<InvalidSchedule>,
    /// The bytes of a name that may not be UTF-8, in hexadecimal digits.
    #[serde(skip)]
    pub(super) name_bytes: Option<String>,
}

/// Returns how long after its instant an event may become a task by default.
const fn default_catch_up() -> Duration {
    CATCH_UP
}

impl StoredSchedule {
    /// Creates a schedule in any language, in UTC unless the text has a time zone.
    #[must_use]
    pub fn new(name: impl Into<String>, schedule: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schedule: schedule.into(),
            dialect: None,
            zone: None,
            calendars: Vec::new(),
            payload: Value::Null,
            paused: false,
            missed: Missed::default(),
            catch_up: default_catch_up(),
            starts_at: None,
            ends_at: None,
            tags: Vec::new(),
            version: None,
            next_at: None,
            last_at: None,
            error: None,
            unreadable: None,
            name_bytes: None,
        }
    }

    /// Sets the language of the text, for a text that has a meaning in several.
    #[must_use]
    pub fn dialect(mut self, language: Language) -> Self {
        self.dialect = Some(language.keyword().to_owned());
        self
    }

    /// Sets the time zone. A time zone in the text comes first.
    #[must_use]
    pub fn zone(mut self, name: impl Into<String>) -> Self {
        self.zone = Some(name.into());
        self
    }

    /// Restricts the events to the days of a calendar. The text must not name another one.
    #[must_use]
    pub fn calendar(mut self, name: impl Into<String>) -> Self {
        self.calendars.push(name.into());
        self
    }

    /// Sets the payload.
    #[must_use]
    pub fn payload(mut self, payload: impl Into<Value>) -> Self {
        self.payload = payload.into();
        self
    }

    /// Sets what happens to missed events; see [`SourceBuilder::missed`](crate::SourceBuilder::missed).
    #[must_use]
    pub fn missed(mut self, missed: Missed) -> Self {
        self.missed = missed;
        self
    }

    /// Sets how long after its instant an event may still become a task; see
    /// [`SourceBuilder::catch_up`](crate::SourceBuilder::catch_up).
    #[must_use]
    pub fn catch_up(mut self, window: Duration) -> Self {
        self.catch_up = window;
        self
    }

    /// Sets the first and the last instant that may be an event. Events are in the years 2000 to 2100, so a first instant
    /// before 1970 or a last one long after 2100 is stored as `None`.
    #[must_use]
    pub fn between(mut self, first: Option<i64>, last: Option<i64>) -> Self {
        (self.starts_at, self.ends_at) = (first, last);
        self
    }

    /// Adds a tag, of at most 512 bytes.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Checks the schedule, and reads its text with the calendars that it may name.
    ///
    /// # Errors
    ///
    /// The schedule is invalid. One from the table is also invalid if a column of its row cannot be read.
    pub fn read(
        &self,
        calendars: &dyn Calendars,
    ) -> Result<ZonedSchedule<TimeZone>, InvalidSchedule> {
        if let Some(error) = &self.unreadable {
            return Err(error.clone());
        }
        check_name(&self.name).map_err(InvalidSchedule::Name)?;
        if self.tags.iter().any(|tag| tag.contains('\0')) {
            return Err(InvalidSchedule::Nul("a tag"));
        }
        payload::check(&self.payload)?;
        self.check_lengths()?;
        check_bounds(self.starts_at, self.ends_at)?;
        self.definition().read(calendars)
    }

    /// Checks what constraints of the table, or its index of tags, refuse.
    fn check_lengths(&self) -> Result<(), InvalidSchedule> {
        let Self { schedule, dialect, zone, calendars, tags, .. } = self;
        let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        for (column, length) in [
            ("schedule", schedule.len()),
            ("dialect", of(dialect)),
            ("zone", of(zone)),
            ("calendars", payload::length(calendars)),
            ("tags", payload::length(tags)),
        ] {
            if length > payload::LONGEST {
                return Err(InvalidSchedule::LongColumn { column, length, max: payload::LONGEST });
            }
        }
        // The index of PostgreSQL refuses tags of more than 2 KiB, unless they can be compressed.
        match tags.iter().map(String::len).max() {
            Some(length) if length > LONGEST_TAG => {
                Err(InvalidSchedule::LongTag { length, max: LONGEST_TAG })
            }
            _ => Ok(()),
        }
    }

    /// Describes the events in plain English, as [`Language::describe`] does, with the days of all calendars. The
    /// zone and the bounds are left out.
    ///
    /// # Errors
    ///
    /// The text is invalid.
    pub fn describe(&self, calendars: &dyn Calendars) -> Result<String, InvalidSchedule> {
        self.definition().describe(calendars)
    }

    /// Returns the first and the last instant as the table has them.
    pub(super) fn stored_bounds(&self) -> (Option<i64>, Option<i64>) {
        let first = self.starts_at.filter(|first| first > INSTANTS.start()).map(storable);
        let last = self.ends_at.filter(|last| last < INSTANTS.end()).map(storable);
        (first, last)
    }

    fn definition(&self) -> Definition<'_> {
        let Self { schedule, dialect, zone, calendars, .. } = self;
        Definition { schedule, dialect: dialect.as_deref(), zone: zone.as_deref(), calendars }
    }
}

/// Checks that a schedule does not end before it starts.
pub(super) fn check_bounds(start: Option<i64>, end: Option<i64>) -> Result<(), InvalidSchedule> {
    match start.zip(end) {
        Some((start, end)) if start > end => Err(InvalidSchedule::EndsBeforeStart),
        _ => Ok(()),
    }
}

/// The policy for missed events as a text.
pub(crate) mod missed {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{InvalidSchedule, Missed};

    pub(crate) fn parse(text: &str) -> Result<Missed, InvalidSchedule> {
        match text {
            "skip" => Ok(Missed::Skip),
            "coalesce" => Ok(Missed::Coalesce),
            "all" => Ok(Missed::All { max: usize::MAX }),
            _ => {
                let max = text.strip_prefix("all ").and_then(|max| max.parse().ok());
                max.map(|max| Missed::All { max })
                    .ok_or_else(|| InvalidSchedule::Missed(text.to_owned()))
            }
        }
    }

    pub(super) fn serialize<S: Serializer>(missed: &Missed, to: S) -> Result<S::Ok, S::Error> {
        /// The table has at most nine digits.
        const LARGEST: usize = 999_999_999;
        match *missed {
            Missed::Skip => to.serialize_str("skip"),
            Missed::All { max } if max > LARGEST => to.serialize_str("all"),
            Missed::All { max } => to.collect_str(&format_args!("all {}", max.max(1))),
            _ => to.serialize_str("coalesce"),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Missed, D::Error> {
        parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// A duration in milliseconds.
mod duration {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{Duration, LONGEST, millis};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(millis(*duration).min(LONGEST))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
