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
pub mod windows;
pub mod zoned;

pub use calendar_text::read_calendars;
pub use easter::easter;

use std::ops::{Bound, RangeBounds};

use calendar::{FIRST_DAY, days};
use calendar_days::Calendars;
use fields::Fields;
use text::Sets;
use windows::Windows;

pub const DAY: i64 = 24 * 60 * 60 * 1000;

/// 2000-01-01 00:00:00.000, the first instant that can be an event, in milliseconds since 1970.
pub const START: i64 = FIRST_DAY * DAY;

/// 2100-12-31 23:59:59.999, the last instant that can be an event, in milliseconds since 1970.
pub const END: i64 = (FIRST_DAY + 36_890) * DAY - 1;

/// Returns the first millisecond of a day in the range.
pub fn midnight(year: usize, month: usize, day: usize) -> i64 {
    let is_it = |date: &&calendar::Date| [date.year, date.month, date.day] == [year, month, day];
    days().iter().find(is_it).expect("a day of the range").number * DAY
}

#[derive(Debug)]
pub struct Oracle {
    pub sets: Sets,
    events: Events,
}

#[derive(Debug, PartialEq, Eq)]
enum Events {
    Fields(Fields),
    Windows(Windows),
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
        match Sets::read_with(text, calendars) {
            Some(sets) => Oracle::of(sets),
            None => panic!("{text:?} is not well formed"),
        }
    }

    pub fn of(sets: Sets) -> Oracle {
        let days = sets.dates();
        let events = match sets.window {
            Some(window) => Events::Windows(Windows::new(window, &days)),
            None => Events::Fields(Fields::new(&sets, days)),
        };
        Oracle { sets, events }
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
            Events::Fields(events) => events.nearest(at),
            Events::Windows(events) => events.nearest(at),
        }
    }

    /// Returns the last event before `at`.
    pub fn prev(&self, at: i64) -> Option<i64> {
        self.nearest_prev(at.checked_sub(1)?)
    }

    /// Returns the last event at or before `at`.
    pub fn nearest_prev(&self, at: i64) -> Option<i64> {
        match &self.events {
            Events::Fields(events) => events.nearest_prev(at),
            Events::Windows(events) => events.nearest_prev(at),
        }
    }

    /// Returns whether `at` is an event.
    pub fn matches(&self, at: i64) -> bool {
        match &self.events {
            Events::Fields(events) => events.matches(at),
            Events::Windows(events) => events.matches(at),
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

    /// Returns whether two schedules have the same events. Times that are fields and windows never
    /// count as the same.
    pub fn has_same_events(&self, other: &Oracle) -> bool {
        self.events == other.events
    }

    /// Returns the number of all events.
    pub fn total(&self) -> u64 {
        match &self.events {
            Events::Fields(events) => events.total(),
            Events::Windows(events) => events.total(),
        }
    }

    /// Returns the event at an index, from 0.
    pub fn event(&self, index: u64) -> i64 {
        match &self.events {
            Events::Fields(events) => events.event(index),
            Events::Windows(events) => events.event(index),
        }
    }

    /// Returns the number of events before `at`, which must be in `START..=END + 1`.
    fn count_before(&self, at: i64) -> u64 {
        match &self.events {
            Events::Fields(events) => events.count_before(at),
            Events::Windows(events) => events.count_before(at),
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
