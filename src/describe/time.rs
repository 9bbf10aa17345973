//! Describes the time part of a schedule.

use core::fmt::{self, Write};
use core::mem;

use millicron_runtime::{Expression, Window};

use super::nested;
use super::set::{FIELDS, HOURS, Set, Sets, earliest};
use super::words::{DAY, HOUR, Length, MINUTE, SECOND};
use super::writer::Writer;
use millicron_runtime::list;

/// How to describe the time part.
pub(super) enum Time {
    /// As equal steps in a part of the day: "every 15 minutes from 09:30 until 16:00".
    Steps(Steps),
    /// As a list: "at 09:00, noon and 17:00".
    List(Sets),
    /// As the same steps in several parts of the day: "every 15 minutes from 09:00 until noon and
    /// from 14:00 until 18:00".
    Parts(Sets, Steps),
    /// Field by field: "at 5 and 35 minutes past every hour".
    Nested(Sets),
}

/// Equal steps in a part of the day.
pub(super) struct Steps {
    window: Window,
    end: End,
}

/// How to describe the end of steps.
struct End {
    /// "until" a time without a step, or "through" the last step.
    preposition: &'static str,
    /// In milliseconds since midnight of the day on which the steps begin.
    time: u32,
}

/// Longer lists are described in another way, if possible.
const LONGEST_LIST: u32 = 6;

impl Time {
    pub(super) fn of(expression: &Expression) -> Self {
        if let Some(window) = expression.window {
            return Self::Steps(Steps::new(window));
        }
        let sets = FIELDS.map(|(field, _)| Set::of(expression, field));
        let lowest = sets.iter().position(|set| set.only() != Some(0)).unwrap_or(HOURS);
        let is_full_above = sets[lowest + 1..].iter().all(Set::is_full);
        // "At 5 and 35 minutes past every hour"
        let is_short = sets[lowest].len() <= 3 && sets[lowest].values().next() != Some(0);
        if lowest < HOURS && is_full_above && is_short {
            return Self::Nested(sets);
        }
        let count = sets.iter().map(Set::len).product::<u32>();
        let steps = Steps::of(&sets, FIELDS.len()).filter(|steps| {
            let Window { from, step, .. } = steps.window;
            count > 3 || from == 0 && count == 3 && step == DAY / 3
        });
        match (steps, Steps::of(&sets, HOURS)) {
            (Some(steps), _) => Self::Steps(steps),
            _ if count <= LONGEST_LIST => Self::List(sets),
            (None, Some(hourly)) if hourly.window.count * hourly.window.step == HOUR => {
                let hours = &sets[HOURS];
                let has_range = hours.runs(3, u32::MAX).any(|run| !run.is_single());
                let is_in_parts = hours.runs(2, u32::MAX).count() <= 3
                    || hours.as_run().is_none()
                    || hourly.window.from != 0;
                match hourly.window.step {
                    HOUR if has_range => Self::Parts(sets, hourly),
                    HOUR => Self::List(sets),
                    _ if is_in_parts => Self::Parts(sets, hourly),
                    _ => Self::Nested(sets),
                }
            }
            _ => Self::Nested(sets),
        }
    }

    /// Whether the time is a list.
    pub(super) const fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Whether the time extends past midnight.
    pub(super) const fn is_overnight(&self) -> bool {
        matches!(self, Self::Steps(steps) if steps.end.time > DAY)
    }

    /// Writes the description. In a list, 00:00 is called midnight if the schedule `is_daily`;
    /// otherwise, "midnight" would be ambiguous. If the time extends past midnight, its
    /// [end](Self::write_next_day) is missing.
    pub(super) fn write(&self, f: &mut Writer<'_>, is_daily: bool) -> fmt::Result {
        match self {
            Self::Steps(steps) => steps.write(f),
            Self::List(sets) => write_list(f, sets, is_daily),
            Self::Parts([.., hours], hourly) if hourly.window.step == HOUR => {
                write_hours(f, hours, hourly.window.from)
            }
            Self::Parts([.., hours], hourly) => {
                write!(f, "every {} ", Length(hourly.window.step))?;
                list(f, hours.runs(2, u32::MAX), "and", |f, hours| {
                    let from = u32::from(hours.first) * HOUR + hourly.window.from;
                    let count = hours.len * hourly.window.count;
                    Steps::new(Window { from, count, ..hourly.window }).write_part(f)
                })
            }
            Self::Nested(sets) => nested::write(f, sets),
        }
    }

    /// Writes the end of a time that extends past midnight.
    pub(super) fn write_next_day(&self, f: &mut Writer<'_>) -> fmt::Result {
        match self {
            Self::Steps(Steps { end, .. }) if end.time > DAY => {
                write!(f, " {} {} the next day", end.preposition, f.clock(end.time - DAY))
            }
            _ => Ok(()),
        }
    }
}

impl Steps {
    fn new(window: Window) -> Self {
        Self { window, end: End::of(&window) }
    }

    /// Returns the times of the `count` lowest fields if they are in equal steps.
    fn of(sets: &Sets, count: usize) -> Option<Self> {
        let from = earliest(sets, 0..count);
        let mut lists = (0..count).filter(|place| sets[*place].only().is_none());
        let Some(low) = lists.next() else {
            // One time in each unit above.
            let step = FIELDS.get(count).map_or(DAY, |(_, unit)| *unit);
            return Some(Self::new(Window { from, step, count: 1 }));
        };
        let run = sets[low].as_run()?;
        let high = lists.next_back().unwrap_or(low);
        if high > low {
            let is_range = sets[high].as_run().is_some_and(|run| run.step == 1);
            let is_full_between = sets[low + 1..high].iter().all(Set::is_full);
            if !run.wraps(sets[low].size) || !is_range || !is_full_between {
                return None;
            }
        }
        let step = u32::from(run.step) * FIELDS[low].1;
        let window = Window { from, step, count: sets[..count].iter().map(Set::len).product() };
        // Whole hours read best with the last one: "every hour from 09:00 through 17:00".
        let end = if low == HOURS { End::through(window.last()) } else { End::of(&window) };
        Some(Self { window, end })
    }

    fn write(&self, f: &mut Writer<'_>) -> fmt::Result {
        let Window { from, step, count } = self.window;
        write!(f, "every {}", Length(step))?;
        if from == 0 && u64::from(step) * u64::from(count) == u64::from(DAY) {
            return Ok(());
        }
        f.write_str(" ")?;
        if self.end.time > DAY { write!(f, "from {}", f.clock(from)) } else { self.write_part(f) }
    }

    /// Writes the part of the day.
    fn write_part(&self, f: &mut Writer<'_>) -> fmt::Result {
        let Self { window: Window { from, .. }, end: End { preposition, time } } = *self;
        write!(f, "from {} {preposition} {}", f.clock(from), f.clock(time))
    }
}

impl End {
    const fn until(time: u32) -> Self {
        Self { preposition: "until", time }
    }

    const fn through(time: u32) -> Self {
        Self { preposition: "through", time }
    }

    /// Returns the end that is easiest to read.
    fn of(window: &Window) -> Self {
        const UNITS: [u32; 7] = [HOUR, 30 * MINUTE, 15 * MINUTE, 5 * MINUTE, MINUTE, SECOND, 1];
        let last = window.last();
        // Any end up to the next step describes the same steps.
        let latest = (last + window.step).min(window.from + DAY);
        if last < DAY && latest >= DAY {
            return Self::until(DAY);
        }
        for unit in UNITS {
            let end = (last / unit + 1) * unit;
            if end <= latest {
                return Self::until(end);
            }
            if last.is_multiple_of(unit) {
                break;
            }
        }
        Self::through(last)
    }
}

/// Writes "at" and all times.
fn write_list(f: &mut Writer<'_>, sets: &Sets, is_daily: bool) -> fmt::Result {
    let count = sets.iter().map(Set::len).product::<u32>();
    let times = (0..count).map(|index| {
        // The lowest field changes fastest.
        let (mut rest, mut time) = (index, 0);
        for (set, (_, unit)) in sets.iter().zip(FIELDS) {
            let place = usize::try_from(rest % set.len()).unwrap_or_default();
            time += u32::from(set.values().nth(place).unwrap_or_default()) * unit;
            rest /= set.len();
        }
        time
    });
    f.write_str("at ")?;
    list(f, times, "and", |f, time| match time {
        0 if is_daily => f.write_str("midnight"),
        time => write!(f, "{}", f.clock(time)),
    })
}

/// Writes one time in each of several hours: "every hour from 09:30 through 12:30 and at 14:30".
fn write_hours(f: &mut Writer<'_>, hours: &Set, past: u32) -> fmt::Result {
    let (mut is_first_range, mut is_after_range) = (true, true);
    list(f, hours.runs(3, u32::MAX), "and", |f, run| {
        let [first, last] =
            [run.first, run.last].map(|hour| f.clock(u32::from(hour) * HOUR + past));
        let is_after_range = mem::replace(&mut is_after_range, !run.is_single());
        match (run.is_single(), is_after_range) {
            (true, true) => write!(f, "at {first}"),
            (true, false) => write!(f, "{first}"),
            (false, _) => {
                let is_first = mem::replace(&mut is_first_range, false);
                let every = if is_first { "every hour " } else { "" };
                write!(f, "{every}from {first} through {last}")
            }
        }
    })
}
