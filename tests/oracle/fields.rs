//! The events of times that are a product of fields: on each day, at each of the hours, and so on.

use super::DAY;
use super::text::{Sets, values};
use super::union::BlockRun;

/// Hour, minute, second and millisecond.
type Time = [i64; 4];

const FIRST_TIME: Time = [0, 0, 0, 0];
const LAST_TIME: Time = [23, 59, 59, 999];

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

#[derive(Debug, PartialEq, Eq)]
pub struct Fields {
    /// The days with events in ascending order, in days since 1970-01-01.
    days: Vec<i64>,
    hours: Vec<i64>,
    minutes: Vec<i64>,
    seconds: Vec<i64>,
    millis: Vec<i64>,
}

impl Fields {
    pub fn new(sets: &Sets, days: Vec<i64>) -> Fields {
        Fields {
            days,
            hours: values(&sets.hours),
            minutes: values(&sets.minutes),
            seconds: values(&sets.seconds),
            millis: values(&sets.millis),
        }
    }

    /// Returns the number of all events.
    pub fn total(&self) -> u64 {
        length(&self.days) * self.times_of_a_day()
    }

    /// Returns the event at an index, from 0.
    pub fn event(&self, index: u64) -> i64 {
        // Split the index into one digit per field, the least significant first.
        let mut rest = index;
        let mut digit = |values: &[i64]| {
            let value = at(values, rest % length(values));
            rest /= length(values);
            value
        };
        let milli = digit(&self.millis);
        let second = digit(&self.seconds);
        let minute = digit(&self.minutes);
        let hour = digit(&self.hours);
        join(at(&self.days, rest), [hour, minute, second, milli])
    }

    /// Returns the first event at or after `at`.
    pub fn nearest(&self, at: i64) -> Option<i64> {
        let (today, now) = split(at);
        let over = self.days.partition_point(|day| *day < today);
        for &day in &self.days[over..] {
            let from = if day == today { now } else { FIRST_TIME };
            if let Some(time) = self.first_time(from) {
                return Some(join(day, time));
            }
        }
        None
    }

    /// Returns the last event at or before `at`.
    pub fn nearest_prev(&self, at: i64) -> Option<i64> {
        let (today, now) = split(at);
        let begun = self.days.partition_point(|day| *day <= today);
        for &day in self.days[..begun].iter().rev() {
            let until = if day == today { now } else { LAST_TIME };
            if let Some(time) = self.last_time(until) {
                return Some(join(day, time));
            }
        }
        None
    }

    /// Returns whether `at` is an event.
    pub fn matches(&self, at: i64) -> bool {
        let (day, [hour, minute, second, milli]) = split(at);
        self.days.binary_search(&day).is_ok()
            && self.hours.contains(&hour)
            && self.minutes.contains(&minute)
            && self.seconds.contains(&second)
            && self.millis.contains(&milli)
    }

    /// Returns the number of events before `at`, which must be in `START..=END + 1`.
    pub fn count_before(&self, at: i64) -> u64 {
        let (today, now) = split(at);
        let over = self.days.partition_point(|day| *day < today);
        let today = match self.days.get(over) {
            Some(day) if *day == today => self.times_before(now),
            _ => 0,
        };
        u64::try_from(over).expect("the number of days fits") * self.times_of_a_day() + today
    }

    /// Returns the days with events, in days since 1970-01-01.
    pub fn days(&self) -> impl Iterator<Item = i64> {
        self.days.iter().copied()
    }

    /// Returns the events from `from` to before `until` as a run, if there are any.
    pub(super) fn runs(&self, from: i64, until: i64) -> Vec<BlockRun> {
        let count = self.count_before(until) - self.count_before(from);
        // In all blocks with events, the first one is at the same place.
        if count > 0 { vec![BlockRun { first: 0, count }] } else { Vec::new() }
    }

    /// Returns the events from `from` to before `until`.
    pub fn list(&self, from: i64, until: i64) -> Vec<i64> {
        let overlaps = |start: i64, length: i64| start < until && from < start + length;
        let mut events = Vec::new();
        let begun = self.days.partition_point(|day| (day + 1) * DAY <= from);
        for &day in self.days[begun..].iter().take_while(|day| **day * DAY < until) {
            for &h in self.hours.iter().filter(|h| overlaps(join(day, [**h, 0, 0, 0]), HOUR)) {
                for &m in
                    self.minutes.iter().filter(|m| overlaps(join(day, [h, **m, 0, 0]), MINUTE))
                {
                    for &s in
                        self.seconds.iter().filter(|s| overlaps(join(day, [h, m, **s, 0]), SECOND))
                    {
                        let times = self.millis.iter().map(|f| join(day, [h, m, s, *f]));
                        events.extend(times.filter(|at| (from..until).contains(at)));
                    }
                }
            }
        }
        events
    }

    fn times_of_a_day(&self) -> u64 {
        length(&self.hours) * length(&self.minutes) * length(&self.seconds) * length(&self.millis)
    }

    /// Returns the number of times of day before `now`.
    fn times_before(&self, now: Time) -> u64 {
        let a_second = length(&self.millis);
        let a_minute = length(&self.seconds) * a_second;
        let an_hour = length(&self.minutes) * a_minute;
        let before = |values: &[i64], digit: i64| {
            length(&values[..values.partition_point(|value| *value < digit)])
        };
        let mut count = before(&self.hours, now[0]) * an_hour;
        if self.hours.contains(&now[0]) {
            count += before(&self.minutes, now[1]) * a_minute;
            if self.minutes.contains(&now[1]) {
                count += before(&self.seconds, now[2]) * a_second;
                if self.seconds.contains(&now[2]) {
                    count += before(&self.millis, now[3]);
                }
            }
        }
        count
    }

    /// Returns the first time of day at or after `from`.
    fn first_time(&self, from: Time) -> Option<Time> {
        let [hour, minute, second, _] = from;
        for &h in self.hours.iter().filter(|h| **h >= hour) {
            for &m in self.minutes.iter().filter(|m| [h, **m] >= [hour, minute]) {
                for &s in &self.seconds {
                    if [h, m, s] < [hour, minute, second] {
                        continue;
                    }
                    let time = |f: &i64| [h, m, s, *f];
                    if let Some(time) = self.millis.iter().map(time).find(|time| *time >= from) {
                        return Some(time);
                    }
                }
            }
        }
        None
    }

    /// Returns the last time of day at or before `until`.
    fn last_time(&self, until: Time) -> Option<Time> {
        let [hour, minute, second, _] = until;
        for &h in self.hours.iter().rev().filter(|h| **h <= hour) {
            for &m in self.minutes.iter().rev().filter(|m| [h, **m] <= [hour, minute]) {
                for &s in self.seconds.iter().rev() {
                    if [h, m, s] > [hour, minute, second] {
                        continue;
                    }
                    let time = |f: &i64| [h, m, s, *f];
                    if let Some(time) =
                        self.millis.iter().rev().map(time).find(|time| *time <= until)
                    {
                        return Some(time);
                    }
                }
            }
        }
        None
    }
}

fn split(at: i64) -> (i64, Time) {
    let (day, time) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let (seconds, milli) = (time / 1000, time % 1000);
    let (minutes, second) = (seconds / 60, seconds % 60);
    (day, [minutes / 60, minutes % 60, second, milli])
}

fn join(day: i64, [hour, minute, second, milli]: Time) -> i64 {
    (((day * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli
}

fn at(values: &[i64], index: u64) -> i64 {
    values[usize::try_from(index).expect("an index of the list")]
}

fn length(values: &[i64]) -> u64 {
    u64::try_from(values.len()).expect("a short list")
}
