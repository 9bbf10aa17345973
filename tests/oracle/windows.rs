//! The events of windows of the day. Each window belongs to the day on which it begins.

use super::text::number;
use super::union::BlockRun;
use super::{DAY, END};

/// `from..to/step`, which is the same on each day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first event, in milliseconds since midnight.
    pub from: i64,
    pub step: i64,
    /// The number of events, at least 2: a window with one event is the time of that event.
    pub count: i64,
}

impl Window {
    /// Reads `from..to/step`, `from..=to/step` or `from../step`.
    pub fn read(text: &str) -> Option<Window> {
        let (from, rest) = text.split_once("..")?;
        let (is_inclusive, rest) = match rest.strip_prefix('=') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (to, step) = rest.split_once('/')?;
        let from = time(from).filter(|from| *from < DAY)?;
        let to = match to {
            "" if is_inclusive => return None,
            "" => DAY,
            to => time(to)?,
        };
        // An end at or before the beginning lies on the next day.
        let to = if to <= from { to + DAY } else { to };
        let step = length(step)?;
        let before = if is_inclusive { to + 1 } else { to };
        // Count the events by rounding up.
        Some(Window { from, step, count: (before - from + step - 1) / step })
    }
}

/// Reads a time of plain numbers up to 24:00:00, in milliseconds since midnight.
fn time(text: &str) -> Option<i64> {
    let [hour, minute, second] = text.split(':').collect::<Vec<_>>()[..] else {
        return None;
    };
    let (second, milli) = second.split_once('.').unwrap_or((second, "0"));
    let value = |text, highest| number(text).filter(|value| *value <= highest);
    let minutes = value(hour, 24)? * 60 + value(minute, 59)?;
    let seconds = minutes * 60 + value(second, 59)?;
    let time = i64::try_from(seconds * 1000 + value(milli, 999)?).ok()?;
    (time <= DAY).then_some(time)
}

/// Reads a length of time from 1 ms to 24 hours, such as `1h30m`.
fn length(text: &str) -> Option<i64> {
    let (mut rest, mut length) = (text, 0);
    for (unit, millis) in [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)] {
        let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        let (count, after) = rest.split_at(digits);
        let end = after.find(|char: char| char.is_ascii_digit()).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        if name == unit {
            length += i64::try_from(number(count)?).ok()? * millis;
            rest = after;
        }
    }
    (rest.is_empty() && (1..=DAY).contains(&length)).then_some(length)
}

/// The events of the window of one day: the first one, and every `step` up to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: i64,
    last: i64,
    /// The number of events before this run.
    before: u64,
}

/// The windows of all days, in order and without overlap.
#[derive(Debug, PartialEq, Eq)]
pub struct Windows {
    step: i64,
    runs: Vec<Run>,
    total: u64,
}

impl Windows {
    /// Expands a window on some days in ascending order, in days since 1970-01-01.
    pub fn new(window: Window, days: &[i64]) -> Windows {
        let Window { from, step, count } = window;
        let (mut runs, mut total) = (Vec::new(), 0);
        for (place, &day) in days.iter().enumerate() {
            let first = day * DAY + from;
            let mut last = first + (count - 1) * step;
            // `from..=from` lasts until the first event of the next day. If there is one, that is
            // a single event.
            if days.get(place + 1).is_some_and(|next| next * DAY + from == last) {
                last -= step;
            }
            // The windows of the last days may extend beyond the range.
            if last > END {
                last = first + (END - first) / step * step;
            }
            runs.push(Run { first, last, before: total });
            total += events(first, last, step);
        }
        Windows { step, runs, total }
    }

    /// Returns the days on which windows begin, in days since 1970-01-01.
    pub fn days(&self) -> impl Iterator<Item = i64> {
        self.runs.iter().map(|run| run.first.div_euclid(DAY))
    }

    /// Returns whether windows last until the next day.
    pub fn cross_midnight(&self) -> bool {
        self.runs.iter().any(|run| run.first.div_euclid(DAY) < run.last.div_euclid(DAY))
    }

    /// Returns the events from `from` to before `until` as a run for each window.
    pub(super) fn runs(&self, from: i64, until: i64) -> Vec<BlockRun> {
        let runs = self.parts(from, until).into_iter();
        let run =
            |(first, last)| BlockRun { first: first - from, count: events(first, last, self.step) };
        runs.map(run).collect()
    }

    /// Returns the events from `from` to before `until`.
    pub fn list(&self, from: i64, until: i64) -> Vec<i64> {
        let runs = self.parts(from, until).into_iter();
        let step = usize::try_from(self.step).expect("at most a day");
        runs.flat_map(|(first, last)| (first..=last).step_by(step)).collect()
    }

    /// Returns the first and the last event of each window from `from` to before `until`.
    fn parts(&self, from: i64, until: i64) -> Vec<(i64, i64)> {
        let over = self.runs.partition_point(|run| run.last < from);
        let runs = self.runs[over..].iter().take_while(|run| run.first < until);
        let part = |run: &Run| {
            let past = (from - run.first).max(0);
            let first = run.first + (past + self.step - 1) / self.step * self.step;
            let last = run.last.min(until - 1);
            (first <= last).then(|| (first, last - (last - first) % self.step))
        };
        runs.filter_map(part).collect()
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the event at an index, from 0.
    pub fn event(&self, index: u64) -> i64 {
        let run = self.runs[self.runs.partition_point(|run| run.before <= index) - 1];
        run.first + (index - run.before).cast_signed() * self.step
    }

    /// Returns the number of events before `at`.
    pub fn count_before(&self, at: i64) -> u64 {
        let begun = self.runs.partition_point(|run| run.first < at);
        match begun.checked_sub(1).map(|place| self.runs[place]) {
            Some(run) => run.before + events(run.first, run.last.min(at - 1), self.step),
            None => 0,
        }
    }

    /// Returns the first event at or after `at`.
    pub fn nearest(&self, at: i64) -> Option<i64> {
        let over = self.runs.partition_point(|run| run.last < at);
        let run = self.runs.get(over)?;
        if at <= run.first {
            return Some(run.first);
        }
        let past = (at - run.first) % self.step;
        Some(if past == 0 { at } else { at - past + self.step })
    }

    /// Returns the last event at or before `at`.
    pub fn nearest_prev(&self, at: i64) -> Option<i64> {
        let begun = self.runs.partition_point(|run| run.first <= at);
        let run = self.runs[begun.checked_sub(1)?];
        let at = at.min(run.last);
        Some(at - (at - run.first) % self.step)
    }

    pub fn matches(&self, at: i64) -> bool {
        self.nearest(at) == Some(at)
    }
}

/// Returns the number of events from `first` to at most `last`.
fn events(first: i64, last: i64, step: i64) -> u64 {
    u64::try_from((last - first) / step + 1).expect("`last` is not before `first`")
}
