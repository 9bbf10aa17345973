//! A second implementation of schedules in a time zone.
//!
//! Its only source is the offset of a zone at an instant. It finds skipped and repeated civil times
//! by walking through the minutes and looking up the local time of each. [`Window`] does so around
//! a clock change, and finds all events of a schedule whose events are at whole minutes. [`Judge`]
//! decides for one instant, to the millisecond and for any schedule, whether it is an event.
//!
//! From the library it only uses the names of the gap and fold rules and of the resolutions.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use millicron::{Fold, Gap, Resolution};

use super::calendar::{FIRST_DAY, days};
use super::text::Sets;
use super::{DAY, END, Oracle, START};

pub const MINUTE: i64 = 60 * 1000;
pub const HOUR: i64 = 60 * MINUTE;

pub const GAPS: [Gap; 3] = [Gap::Shift, Gap::Bridge, Gap::Skip];
pub const FOLDS: [Fold; 3] = [Fold::First, Fold::Second, Fold::Both];

/// Returns the database that is part of this version of `jiff`, whatever the machine has.
pub fn database() -> &'static TimeZoneDatabase {
    static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    &DATABASE
}

pub fn zone(name: &str) -> TimeZone {
    database().get(name).expect("a zone of the database")
}

/// Returns the offset from UTC in milliseconds.
pub fn offset(zone: &TimeZone, instant: i64) -> i64 {
    let instant = Timestamp::from_millisecond(instant).expect("an instant near the range");
    i64::from(zone.to_offset(instant).seconds()) * 1000
}

/// A clock change: the first instant with the new offset.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub at: i64,
    pub before: i64,
    pub after: i64,
}

impl Change {
    /// Returns by how much the clocks change, in either direction.
    pub fn length(self) -> i64 {
        (self.after - self.before).abs()
    }
}

/// Returns the clock changes from 2000 to 2100: searched by the hour, located to the minute.
pub fn changes(zone: &TimeZone) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut before = offset(zone, START);
    for hour in (START..END).step_by(60 * 60_000) {
        if offset(zone, hour + HOUR) == before {
            continue;
        }
        for at in (hour + MINUTE..=hour + HOUR).step_by(60_000) {
            let after = offset(zone, at);
            if after != before {
                changes.push(Change { at, before, after });
                before = after;
            }
        }
    }
    changes
}

/// An event, and the civil time that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub instant: i64,
    pub civil: i64,
    pub resolution: Resolution,
}

/// How often a civil time occurs.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Only,
    First,
    Second,
}

impl Pass {
    /// Returns the resolution of an event in this pass, if it fires.
    fn resolve(self, fold: Fold) -> Option<Resolution> {
        match (self, fold) {
            (Pass::Only, _) => Some(Resolution::Unique),
            (Pass::First, Fold::First | Fold::Both) => Some(Resolution::FirstPass),
            (Pass::Second, Fold::Second | Fold::Both) => Some(Resolution::SecondPass),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Minute {
    instant: i64,
    /// The local time.
    civil: i64,
    pass: Pass,
    /// The time skipped just before.
    left_out: i64,
}

/// The minutes around a clock change.
#[derive(Debug)]
pub struct Window {
    minutes: Vec<Minute>,
}

impl Window {
    /// The minutes from `range.start`.
    pub fn new(zone: &TimeZone, range: &Range<i64>) -> Window {
        let mut minutes: Vec<Minute> = Vec::new();
        let mut shown_at = HashMap::new();
        let mut before = offset(zone, range.start - MINUTE);
        for (place, instant) in range.clone().step_by(60_000).enumerate() {
            let after = offset(zone, instant);
            let civil = instant + after;
            let pass = match shown_at.insert(civil, place) {
                Some(earlier) => {
                    minutes[earlier].pass = Pass::First;
                    Pass::Second
                }
                None => Pass::Only,
            };
            minutes.push(Minute { instant, civil, pass, left_out: (after - before).max(0) });
            before = after;
        }
        Window { minutes }
    }

    /// Returns a schedule in this window. Its events must be at whole minutes.
    pub fn of<'a>(&'a self, sets: &'a Sets) -> WindowOf<'a> {
        for set in [&sets.seconds, &sets.millis] {
            assert!(set[0] && !set[1..].contains(&true), "not at whole minutes");
        }
        let is_on = |minute: &Minute| holds(sets, minute.civil);
        WindowOf { window: self, sets, is_on: self.minutes.iter().map(is_on).collect() }
    }
}

/// The minutes of a window at which the local time is an event of a schedule.
#[derive(Debug)]
pub struct WindowOf<'a> {
    window: &'a Window,
    sets: &'a Sets,
    is_on: Vec<bool>,
}

impl WindowOf<'_> {
    /// Returns the events in order.
    pub fn events(&self, gap: Gap, fold: Fold) -> Vec<Event> {
        let resolve = |(place, minute): (usize, &Minute)| {
            let Minute { instant, civil, pass, .. } = *minute;
            if self.is_on[place] {
                let resolution = pass.resolve(fold)?;
                Some(Event { instant, civil, resolution })
            } else {
                self.made_up(place, gap)
            }
        };
        self.window.minutes.iter().enumerate().filter_map(resolve).collect()
    }

    /// Returns the event for those that were skipped just before a minute.
    fn made_up(&self, place: usize, gap: Gap) -> Option<Event> {
        let Minute { instant, civil, left_out, .. } = self.window.minutes[place];
        let mut skipped = (civil - left_out..civil).step_by(60_000);
        let first = skipped.find(|civil| holds(self.sets, *civil))?;
        let fires = match gap {
            Gap::Shift => true,
            Gap::Skip => false,
            Gap::Bridge => {
                let minutes = usize::try_from(left_out / MINUTE).expect("less than a week");
                !self.is_on[place..place + minutes].contains(&true)
            }
        };
        fires.then_some(Event { instant, civil: first, resolution: Resolution::Shifted })
    }
}

/// Returns whether a civil minute is an event of a schedule.
fn holds(sets: &Sets, civil: i64) -> bool {
    let Ok(day) = usize::try_from(civil.div_euclid(DAY) - FIRST_DAY) else {
        return false;
    };
    let Some(date) = days().get(day) else {
        return false;
    };
    let time = civil.rem_euclid(DAY);
    let is_in = |set: &[bool], value: i64| set[usize::try_from(value).expect("of a time")];
    is_in(&sets.hours, time / HOUR)
        && is_in(&sets.minutes, time % HOUR / MINUTE)
        && sets.weekdays[date.weekday]
        && (sets.days[date.day] || (sets.days[32] && date.last_of_month))
        && sets.months[date.month]
        && sets.years[date.year]
}

/// Returns the default rules.
pub fn default_of(sets: &Sets) -> (Gap, Fold) {
    let Sets { hours, minutes, seconds, millis, .. } = sets;
    if [hours, minutes, seconds, millis].into_iter().any(|set| is_every_nth(set)) {
        (Gap::Bridge, Fold::Both)
    } else {
        (Gap::Shift, Fold::First)
    }
}

/// Returns whether a set is that of `*`, or of `*/n` with more than one value.
fn is_every_nth(set: &[bool]) -> bool {
    let is_every = |n: usize| (0..).zip(set).all(|(value, &is_in)| is_in == (value % n == 0));
    (1..set.len()).any(is_every)
}

/// The rules, applied to a single instant.
#[derive(Debug)]
pub struct Judge<'a, F> {
    /// The schedule in civil time.
    pub civil: &'a Oracle,
    /// Returns the offset at an instant. Changes are more than a day apart.
    pub offset: F,
    pub gap: Gap,
    pub fold: Fold,
}

impl<F: Fn(i64) -> i64> Judge<'_, F> {
    /// Returns the event at an instant.
    pub fn event(&self, instant: i64) -> Option<Event> {
        // Further out there are no events, and perhaps no offsets.
        if !(START - 25 * DAY..=END + 25 * DAY).contains(&instant) {
            return None;
        }
        let civil = instant + (self.offset)(instant);
        if self.civil.matches(civil) {
            let resolution = self.pass(instant, civil).resolve(self.fold)?;
            return Some(Event { instant, civil, resolution });
        }
        let left_out = (self.offset)(instant) - (self.offset)(instant - 1);
        let first = self.civil.nearest(civil - left_out).filter(|first| *first < civil)?;
        let fires = match self.gap {
            Gap::Shift => true,
            Gap::Skip => false,
            Gap::Bridge => self.civil.count(&(civil..civil + left_out)) == 0,
        };
        fires.then_some(Event { instant, civil: first, resolution: Resolution::Shifted })
    }

    /// Returns which occurrence of a civil time an instant is.
    fn pass(&self, instant: i64, civil: i64) -> Pass {
        // There is at most one change within a day on each side.
        for near in [instant - DAY, instant + DAY] {
            let offset = (self.offset)(near);
            let other = civil - offset;
            if other != instant && (self.offset)(other) == offset {
                return if instant < other { Pass::First } else { Pass::Second };
            }
        }
        Pass::Only
    }
}
