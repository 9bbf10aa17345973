//! An independent implementation of schedules in civil time, to compare the library with.
//!
//! It shares no code with the library and is meant to be obviously correct rather than fast: it
//! loops over a list of the days with events and, for each of them, either a list of values for each
//! field of the time of day, or the window that begins on that day.

pub mod calendar;
pub mod calendar_days;
mod calendar_text;
mod day_text;
pub mod days;
mod easter;
mod fields;
pub mod text;
mod union;
pub mod windows;
pub mod zoned;
pub mod zoned_union;

pub use calendar_text::read_calendars;
pub use easter::easter;
pub use zoned_union::UnionJudge;

use std::ops::{Bound, RangeBounds};

use calendar::{FIRST_DAY, days, find_date, place_of};
use calendar_days::Calendars;
use fields::Fields;
use text::Sets;
use union::{BlockRun, Union};
use windows::Windows;

pub const DAY: i64 = 24 * 60 * 60 * 1000;

/// 2000-01-01 00:00:00.000, the first instant that can be an event, in milliseconds since 1970.
pub const START: i64 = FIRST_DAY * DAY;

/// 2100-12-31 23:59:59.999, the last instant that can be an event, in milliseconds since 1970.
pub const END: i64 = (FIRST_DAY + 36_890) * DAY - 1;

/// Returns the first millisecond of a day in the range.
pub fn midnight(year: usize, month: usize, day: usize) -> i64 {
    find_date([year, month, day]).expect("a day of the range").number * DAY
}

/// The largest number of members of a union.
pub const MAX_MEMBERS: usize = 16;

/// The events of a schedule, or of a union of schedules.
#[derive(Debug)]
pub struct Oracle {
    events: Events,
}

#[derive(Debug)]
enum Events {
    Fields(Sets, Fields),
    Windows(Sets, Windows),
    Union(Union),
}

impl Oracle {
    /// Returns the oracle of a text. There are no calendars.
    ///
    /// # Panics
    ///
    /// Panics if the text is not well formed.
    pub fn new(text: &str) -> Oracle {
        Oracle::with_calendars(text, &Calendars::new())
    }

    /// Returns the oracle of a text that may name some calendars.
    ///
    /// # Panics
    ///
    /// Panics if the text is not well formed.
    pub fn with_calendars(text: &str, calendars: &Calendars) -> Oracle {
        match Oracle::read(text, calendars) {
            Some(oracle) => oracle,
            None => panic!("{text:?} is not well formed"),
        }
    }

    /// Reads a text that may name some calendars, or returns `None` if it is not well formed. It may
    /// be a union, or never fire.
    pub fn read(text: &str, calendars: &Calendars) -> Option<Oracle> {
        let mut members: Vec<&str> = text.split(';').map(str::trim_ascii).collect();
        // A `;` at the very end is allowed.
        if members.len() > 1 && members.last() == Some(&"") {
            members.pop();
        }
        if members.len() > MAX_MEMBERS {
            return None;
        }
        let members = members.into_iter().map(|member| Sets::read_with(member, calendars));
        Some(Oracle::union(members.collect::<Option<_>>()?))
    }

    pub fn of(sets: Sets) -> Oracle {
        let days = sets.dates();
        let events = if let Some(window) = sets.window {
            Events::Windows(sets, Windows::new(window, &days))
        } else {
            let fields = Fields::new(&sets, days);
            Events::Fields(sets, fields)
        };
        Oracle { events }
    }

    /// Returns the oracle of a union, or of a schedule if there is only one.
    pub fn union(members: Vec<Sets>) -> Oracle {
        let mut members: Vec<Oracle> = members.into_iter().map(Oracle::of).collect();
        match members.len() {
            1 => members.remove(0),
            _ => Oracle { events: Events::Union(Union::new(members)) },
        }
    }

    /// Returns the members of a union, in order, or the schedule itself. Each may never fire.
    pub fn members(&self) -> &[Oracle] {
        match &self.events {
            Events::Union(union) => &union.members,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the sets of a schedule.
    ///
    /// # Panics
    ///
    /// Panics if this is a union. Its [members](Self::members) have sets.
    pub fn sets(&self) -> &Sets {
        match &self.events {
            Events::Fields(sets, _) | Events::Windows(sets, _) => sets,
            Events::Union(_) => panic!("a union has no sets"),
        }
    }

    pub fn never_fires(&self) -> bool {
        self.total() == 0
    }

    /// Returns the first event after `at`.
    pub fn next(&self, at: i64) -> Option<i64> {
        self.nearest(at.checked_add(1)?)
    }

    /// Returns the first event at or after `at`.
    pub fn nearest(&self, at: i64) -> Option<i64> {
        match &self.events {
            Events::Fields(_, events) => events.nearest(at),
            Events::Windows(_, events) => events.nearest(at),
            Events::Union(union) => {
                union.members.iter().filter_map(|member| member.nearest(at)).min()
            }
        }
    }

    /// Returns the last event before `at`.
    pub fn prev(&self, at: i64) -> Option<i64> {
        self.nearest_prev(at.checked_sub(1)?)
    }

    /// Returns the last event at or before `at`.
    pub fn nearest_prev(&self, at: i64) -> Option<i64> {
        match &self.events {
            Events::Fields(_, events) => events.nearest_prev(at),
            Events::Windows(_, events) => events.nearest_prev(at),
            Events::Union(union) => {
                union.members.iter().filter_map(|member| member.nearest_prev(at)).max()
            }
        }
    }

    /// Returns whether `at` is an event.
    pub fn matches(&self, at: i64) -> bool {
        match &self.events {
            Events::Fields(_, events) => events.matches(at),
            Events::Windows(_, events) => events.matches(at),
            Events::Union(union) => union.members.iter().any(|member| member.matches(at)),
        }
    }

    /// Returns the number of events in a range.
    pub fn count(&self, range: &impl RangeBounds<i64>) -> u64 {
        match ends(range) {
            Some((first, last)) => self.count_before(last + 1) - self.count_before(first),
            None => 0,
        }
    }

    /// Returns the `n`-th event of a range, from 0.
    pub fn nth(&self, range: &impl RangeBounds<i64>, n: u64) -> Option<i64> {
        let (first, _) = ends(range)?;
        (n < self.count(range)).then(|| self.event(self.count_before(first) + n))
    }

    /// Returns the first `n` events of a range, each found from the one before.
    pub fn events(&self, range: &impl RangeBounds<i64>, n: usize) -> Vec<i64> {
        let Some((first, last)) = ends(range) else {
            return Vec::new();
        };
        let walk = std::iter::successors(self.nearest(first), |event| self.next(*event));
        walk.take_while(|event| *event <= last).take(n).collect()
    }

    /// Returns the last `n` events of a range in descending order.
    pub fn events_back(&self, range: &impl RangeBounds<i64>, n: usize) -> Vec<i64> {
        let Some((first, last)) = ends(range) else {
            return Vec::new();
        };
        let walk = std::iter::successors(self.nearest_prev(last), |event| self.prev(*event));
        walk.take_while(|event| *event >= first).take(n).collect()
    }

    /// Returns whether two schedules have the same events. If neither is a union, times that are
    /// fields and windows never count as the same.
    pub fn has_same_events(&self, other: &Oracle) -> bool {
        match (&self.events, &other.events) {
            (Events::Fields(_, events), Events::Fields(_, others)) => events == others,
            (Events::Windows(_, events), Events::Windows(_, others)) => events == others,
            (Events::Fields(..), Events::Windows(..))
            | (Events::Windows(..), Events::Fields(..)) => false,
            _ => {
                // Neither has an event that the other lacks if both have as many as their union.
                let members = self.members().iter().chain(other.members());
                let both = Oracle::union(members.map(|member| member.sets().clone()).collect());
                [self.total(), other.total()] == [both.total(); 2]
            }
        }
    }

    /// Returns the number of all events.
    pub fn total(&self) -> u64 {
        match &self.events {
            Events::Fields(_, events) => events.total(),
            Events::Windows(_, events) => events.total(),
            Events::Union(union) => union.total(),
        }
    }

    /// Returns the event at an index, from 0.
    pub fn event(&self, index: u64) -> i64 {
        match &self.events {
            Events::Fields(_, events) => events.event(index),
            Events::Windows(_, events) => events.event(index),
            Events::Union(union) => union.event(index),
        }
    }

    /// Returns the number of events before `at`, which must be in `START..=END + 1`.
    fn count_before(&self, at: i64) -> u64 {
        match &self.events {
            Events::Fields(_, events) => events.count_before(at),
            Events::Windows(_, events) => events.count_before(at),
            Events::Union(union) => union.count_before(at),
        }
    }

    /// Returns whether a member of a union has events on each day of the range, or a window that
    /// begins on it.
    fn has_events_on(&self) -> Vec<bool> {
        let mut has_events = vec![false; days().len()];
        let mut set = |day| has_events[place_of(day)] = true;
        match &self.events {
            Events::Fields(_, events) => events.days().for_each(&mut set),
            Events::Windows(_, events) => events.days().for_each(&mut set),
            Events::Union(_) => unreachable!("a union is not a member of a union"),
        }
        has_events
    }

    /// Returns whether a member of a union has windows that last until the next day.
    fn crosses_midnight(&self) -> bool {
        match &self.events {
            Events::Windows(_, events) => events.cross_midnight(),
            _ => false,
        }
    }

    /// Returns the events of a member of a union from `from` to before `until`, in runs.
    fn runs(&self, from: i64, until: i64) -> Vec<BlockRun> {
        match &self.events {
            Events::Fields(_, events) => events.runs(from, until),
            Events::Windows(_, events) => events.runs(from, until),
            Events::Union(_) => unreachable!("a union is not a member of a union"),
        }
    }

    /// Returns the events of a member of a union from `from` to before `until`.
    fn list(&self, from: i64, until: i64) -> Vec<i64> {
        match &self.events {
            Events::Fields(_, events) => events.list(from, until),
            Events::Windows(_, events) => events.list(from, until),
            Events::Union(_) => unreachable!("a union is not a member of a union"),
        }
    }
}

/// Returns the first and the last instant of a range within `START..=END`, or `None` if there is
/// no such instant.
fn ends(range: &impl RangeBounds<i64>) -> Option<(i64, i64)> {
    let first = match range.start_bound() {
        Bound::Included(at) => *at,
        Bound::Excluded(at) => at.checked_add(1)?,
        Bound::Unbounded => START,
    };
    let last = match range.end_bound() {
        Bound::Included(at) => *at,
        Bound::Excluded(at) => at.checked_sub(1)?,
        Bound::Unbounded => END,
    };
    let (first, last) = (first.max(START), last.min(END));
    (first <= last).then_some((first, last))
}
