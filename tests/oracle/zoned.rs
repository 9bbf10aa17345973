//! An independent implementation of schedules in a time zone, to compare the library with.
//!
//! It only uses the offset of a zone at an instant. It finds gaps and folds by walking through the
//! minutes and computing the local time at each. [`Window`] does this around an offset change, and
//! finds all events of a schedule whose events are at whole minutes. [`Judge`] decides whether a
//! single instant is an event, to the millisecond and for any schedule.
//!
//! From the library, it uses only the types `Gap`, `Fold`, `Resolution` and `ClockEffect`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use millicron::{ClockEffect, Fold, Gap, Resolution};

use super::text::Sets;
use super::{DAY, END, Oracle, START};

pub const MINUTE: i64 = 60 * 1000;
pub const HOUR: i64 = 60 * MINUTE;

pub const GAPS: [Gap; 3] = [Gap::Shift, Gap::Bridge, Gap::Skip];
pub const FOLDS: [Fold; 3] = [Fold::First, Fold::Second, Fold::Both];

/// Returns the time zone database bundled with `jiff`, so that tests do not depend on the system's.
pub fn database() -> &'static TimeZoneDatabase {
    static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    &DATABASE
}

pub fn zone(name: &str) -> TimeZone {
    database().get(name).expect("a zone of the database")
}

/// Returns the offset from UTC at an instant, in milliseconds.
pub fn offset(zone: &TimeZone, instant: i64) -> i64 {
    let instant = Timestamp::from_millisecond(instant).expect("an instant near the range");
    i64::from(zone.to_offset(instant).seconds()) * 1000
}

/// An offset change. `at` is the first instant with the new offset.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub at: i64,
    pub before: i64,
    pub after: i64,
}

impl Change {
    /// Returns the length of the gap or the fold, in milliseconds.
    pub fn length(self) -> i64 {
        (self.after - self.before).abs()
    }
}

/// Returns the offset changes from 2000 to 2100, to the minute.
///
/// Compares the offsets of successive hours, and then looks at each minute of an hour with a
/// change.
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

/// An event, with its civil time and how it was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub instant: i64,
    pub civil: i64,
    pub resolution: Resolution,
}

/// An event that a clock change affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    /// The instant of the event, or the first one after its gap.
    pub at: i64,
    pub civil: i64,
    pub fires: bool,
    pub effect: ClockEffect,
}

/// Which pass through a civil time an instant is in. A fold has two.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Only,
    First,
    Second,
}

impl Pass {
    /// Returns how an event in this pass is resolved, or `None` if it does not fire.
    fn resolve(self, fold: Fold) -> Option<Resolution> {
        match (self, fold) {
            (Pass::Only, _) => Some(Resolution::Unique),
            (Pass::First, Fold::First | Fold::Both) => Some(Resolution::FirstPass),
            (Pass::Second, Fold::Second | Fold::Both) => Some(Resolution::SecondPass),
            _ => None,
        }
    }

    /// Returns how an event in this pass is affected, if it fires and this is not the only pass.
    fn effect(self, fold: Fold) -> Option<ClockEffect> {
        let pass = match self {
            Pass::Only => return None,
            Pass::First => millicron::Pass::First,
            Pass::Second => millicron::Pass::Second,
        };
        self.resolve(fold)?;
        let is_both = fold == Fold::Both;
        Some(if is_both { ClockEffect::Doubled(pass) } else { ClockEffect::Chosen(pass) })
    }
}

#[derive(Clone, Copy, Debug)]
struct Minute {
    instant: i64,
    /// The local time.
    civil: i64,
    pass: Pass,
    /// The length of the gap just before this minute, or 0.
    left_out: i64,
}

/// The minutes around an offset change.
#[derive(Debug)]
pub struct Window {
    minutes: Vec<Minute>,
}

impl Window {
    /// Returns the minutes of a range.
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

    /// Returns the events of a schedule in this window.
    ///
    /// # Panics
    ///
    /// Panics unless all events of the schedule are at whole minutes.
    pub fn of<'a>(&'a self, civil: &'a Oracle) -> WindowOf<'a> {
        let Sets { seconds, millis, window, .. } = civil.sets();
        match window {
            Some(window) => {
                let is_whole = window.from % MINUTE == 0 && window.step % MINUTE == 0;
                assert!(is_whole, "events must be at whole minutes");
            }
            None => {
                for set in [seconds, millis] {
                    assert!(set[0] && !set[1..].contains(&true), "events must be at whole minutes");
                }
            }
        }
        let is_on = |minute: &Minute| civil.matches(minute.civil);
        WindowOf { window: self, civil, is_on: self.minutes.iter().map(is_on).collect() }
    }
}

/// The minutes of a window whose local time is an event of a schedule.
#[derive(Debug)]
pub struct WindowOf<'a> {
    window: &'a Window,
    civil: &'a Oracle,
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
                self.shifted(place, gap)
            }
        };
        self.window.minutes.iter().enumerate().filter_map(resolve).collect()
    }

    /// Returns the events that clock changes affect.
    pub fn affected(&self, gap: Gap, fold: Fold) -> Vec<Affected> {
        let mut affected = Vec::new();
        for (place, minute) in self.window.minutes.iter().enumerate() {
            let Minute { instant: at, civil, pass, .. } = *minute;
            for (nth, skipped) in self.skipped(place).enumerate() {
                let fires = self.fires_after(place, gap);
                let effect = match gap {
                    Gap::Skip => ClockEffect::Skipped,
                    _ if !fires => ClockEffect::Bridged,
                    _ if nth == 0 && !self.is_on[place] => ClockEffect::Shifted,
                    _ => ClockEffect::Merged,
                };
                affected.push(Affected { at, civil: skipped, fires, effect });
            }
            if self.is_on[place]
                && let Some(effect) = pass.effect(fold)
            {
                affected.push(Affected { at, civil, fires: true, effect });
            }
        }
        affected
    }

    /// Returns the civil times of the events in the gap just before a minute.
    fn skipped(&self, place: usize) -> impl Iterator<Item = i64> {
        let Minute { civil, left_out, .. } = self.window.minutes[place];
        let skipped = (civil - left_out..civil).step_by(60_000);
        skipped.filter(|civil| self.civil.matches(*civil))
    }

    /// Returns whether events in the gap just before a minute fire at that minute.
    fn fires_after(&self, place: usize, gap: Gap) -> bool {
        match gap {
            Gap::Shift => true,
            Gap::Skip => false,
            Gap::Bridge => {
                let length = self.window.minutes[place].left_out;
                let minutes = usize::try_from(length / MINUTE).expect("less than a week");
                !self.is_on[place..place + minutes].contains(&true)
            }
        }
    }

    /// Returns the event at a minute that makes up for events in the gap just before it.
    fn shifted(&self, place: usize, gap: Gap) -> Option<Event> {
        let first = self.skipped(place).next()?;
        let instant = self.window.minutes[place].instant;
        let event = Event { instant, civil: first, resolution: Resolution::Shifted };
        self.fires_after(place, gap).then_some(event)
    }
}

/// Returns how a schedule handles gaps and folds by default. A window repeats.
pub fn default_of(sets: &Sets) -> (Gap, Fold) {
    let Sets { hours, minutes, seconds, millis, window, .. } = sets;
    if window.is_some()
        || [hours, minutes, seconds, millis].into_iter().any(|set| is_every_nth(set))
    {
        (Gap::Bridge, Fold::Both)
    } else {
        (Gap::Shift, Fold::First)
    }
}

/// Returns whether a set equals `*`, or a `*/n` with more than one value.
fn is_every_nth(set: &[bool]) -> bool {
    let is_every = |n: usize| (0..).zip(set).all(|(value, &is_in)| is_in == (value % n == 0));
    (1..set.len()).any(is_every)
}

/// Applies the rules for gaps and folds to a single instant.
#[derive(Debug)]
pub struct Judge<'a, F> {
    /// The schedule in civil time.
    pub civil: &'a Oracle,
    /// Returns the offset at an instant. Offset changes must be more than a day apart.
    pub offset: F,
    pub gap: Gap,
    pub fold: Fold,
}

impl<F: Fn(i64) -> i64> Judge<'_, F> {
    /// Returns the event at an instant, if any.
    pub fn event(&self, instant: i64) -> Option<Event> {
        // No event is that far outside the range, and the zone may have no offset there.
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

    /// Returns which pass through its civil time an instant is in.
    fn pass(&self, instant: i64, civil: i64) -> Pass {
        // There is at most one offset change within a day on each side.
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
