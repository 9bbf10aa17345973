//! Describes the time part of a schedule.

use core::fmt::{self, Write};

use millicron_runtime::{Expression, Window};

use super::nested;
use super::set::{FIELDS, HOURS, Set, Sets};
use super::writer::{DAY, HOUR, MINUTE, SECOND, Writer};

/// How to describe the time part.
pub(super) enum Time<'a> {
    /// As equal steps in a part of the day: "every 15 minutes from 09:30 until 16:00".
    Steps(Steps),
    /// As a list: "at 09:00, noon and 17:00".
    List(Sets<'a>),
    /// As the same steps in several parts of the day: "every 15 minutes from 09:00 until noon and
    /// from 14:00 until 18:00".
    Parts(Sets<'a>, Steps),
    /// Field by field: "at 5 and 35 minutes past every hour".
    Nested(Sets<'a>),
}

/// Equal steps in a part of the day.
pub(super) struct Steps {
    window: Window,
    end: End,
}

/// How to describe the end of steps, in milliseconds since midnight of the day on which they begin.
#[derive(Clone, Copy)]
enum End {
    /// "until", a time without a step.
    Until(u32),
    /// "through", the last step.
    Through(u32),
}

/// Longer lists are described in another way, if possible.
const LONGEST_LIST: u32 = 6;

impl<'a> Time<'a> {
    pub(super) fn of(expression: &'a Expression) -> Self {
        if let Some(window) = expression.window {
            return Self::Steps(Steps::new(window));
        }
        let sets = FIELDS.map(|(field, _)| Set::of(expression, field));
        let lowest = sets.iter().position(|set| set.only() != Some(0)).unwrap_or(HOURS);
        let is_full_above = sets[lowest + 1..].iter().all(|set| set.is_full());
        // "At 5 and 35 minutes past every hour"
        let is_short = sets[lowest].len() <= 3 && sets[lowest].values().next() != Some(0);
        if lowest < HOURS && is_full_above && is_short {
            return Self::Nested(sets);
        }
        let count = sets.iter().fold(1, |count, set| count * set.len());
        let steps = Steps::of(&sets, FIELDS.len()).filter(|steps| {
            let Window { from, step, .. } = steps.window;
            count > 3 || from == 0 && count == 3 && step == DAY / 3
        });
        match (steps, Steps::of(&sets, HOURS)) {
            (Some(steps), _) => Self::Steps(steps),
            _ if count <= LONGEST_LIST => Self::List(sets),
            (None, Some(hourly)) if hourly.window.count * hourly.window.step == HOUR => {
                let hours = sets[HOURS];
                let parts = hours.runs(2, u16::MAX);
                if hourly.window.step == HOUR {
                    let has_range = hours.runs(3, u16::MAX).any(|run| !run.is_single());
                    if has_range { Self::Parts(sets, hourly) } else { Self::List(sets) }
                } else if parts.count() <= 3 || hours.as_run().is_none() || hourly.window.from != 0
                {
                    Self::Parts(sets, hourly)
                } else {
                    Self::Nested(sets)
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
        match self {
            Self::Steps(steps) => steps.is_overnight(),
            _ => false,
        }
    }

    /// Writes the description. If the time extends past midnight, its [end](Self::write_next_day)
    /// is missing.
    pub(super) fn write(&self, f: &mut Writer<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) => steps.write(f),
            Self::List(sets) => write_list(f, sets, false),
            Self::Parts(sets, hourly) if hourly.window.step == HOUR => {
                write_hours(f, sets[HOURS], hourly.window.from)
            }
            Self::Parts(sets, hourly) => {
                hourly.write_every(f)?;
                f.write_str(" ")?;
                let and = f.words.and;
                f.list(sets[HOURS].runs(2, u16::MAX), and, |f, hours| {
                    let from = u32::from(hours.first) * HOUR + hourly.window.from;
                    let count = u32::from(hours.len) * hourly.window.count;
                    Steps::new(Window { from, count, ..hourly.window }).write_part(f)
                })
            }
            Self::Nested(sets) => nested::write(f, sets),
        }
    }

    /// Writes a list for a schedule that fires every day. Otherwise, "midnight" would be ambiguous.
    pub(super) fn write_daily(&self, f: &mut Writer<'_>) -> fmt::Result {
        match self {
            Self::List(sets) => write_list(f, sets, true),
            _ => self.write(f),
        }
    }

    /// Writes the end of a time that extends past midnight.
    pub(super) fn write_next_day(&self, f: &mut Writer<'_>) -> fmt::Result {
        let Self::Steps(steps) = self else { return Ok(()) };
        steps.write_end(f)?;
        write!(f, " {}", f.words.next_day)
    }
}

impl Steps {
    fn new(window: Window) -> Self {
        Self { window, end: End::of(&window) }
    }

    /// Returns the times of the `count` lowest fields if they are in equal steps.
    fn of(sets: &Sets<'_>, count: usize) -> Option<Self> {
        let sets = sets.get(..count)?;
        let from = sets.iter().zip(FIELDS).try_fold(0, |from, (set, (_, unit))| {
            Some(from + u32::from(set.values().next()?) * unit)
        })?;
        let mut lists = (0..count).filter(|place| sets[*place].only().is_none());
        let Some(low) = lists.next() else {
            // One time in each unit above.
            let step = FIELDS.get(count).map_or(DAY, |(_, unit)| *unit);
            return Some(Self::new(Window { from, step, count: 1 }));
        };
        let run = sets[low].as_run()?;
        let high = lists.next_back().unwrap_or(low);
        if high > low {
            let wraps = run.step * run.len == sets[low].size;
            let is_range = sets[high].as_run().is_some_and(|run| run.step == 1);
            if !wraps || !is_range || !sets[low + 1..high].iter().all(|set| set.is_full()) {
                return None;
            }
        }
        let step = u32::from(run.step) * FIELDS[low].1;
        let count = sets.iter().fold(1, |count, set| count * set.len());
        let window = Window { from, step, count };
        // Whole hours read best with the last one: "every hour from 09:00 through 17:00".
        let end = if low == HOURS { End::Through(window.last()) } else { End::of(&window) };
        Some(Self { window, end })
    }

    const fn is_overnight(&self) -> bool {
        let (End::Until(end) | End::Through(end)) = self.end;
        end > DAY
    }

    fn write(&self, f: &mut Writer<'_>) -> fmt::Result {
        self.write_every(f)?;
        let Window { from, step, count } = self.window;
        if from == 0 && u64::from(step) * u64::from(count) == u64::from(DAY) {
            return Ok(());
        }
        f.write_str(" ")?;
        if self.is_overnight() { self.write_from(f) } else { self.write_part(f) }
    }

    fn write_every(&self, f: &mut Writer<'_>) -> fmt::Result {
        write!(f, "{} ", f.words.every)?;
        f.length(self.window.step)
    }

    /// Writes the part of the day.
    fn write_part(&self, f: &mut Writer<'_>) -> fmt::Result {
        self.write_from(f)?;
        self.write_end(f)
    }

    fn write_from(&self, f: &mut Writer<'_>) -> fmt::Result {
        write!(f, "{} ", f.words.from)?;
        f.clock(self.window.from)
    }

    fn write_end(&self, f: &mut Writer<'_>) -> fmt::Result {
        let (word, end) = match self.end {
            End::Until(end) => (f.words.until, end),
            End::Through(end) => (f.words.through, end),
        };
        write!(f, " {word} ")?;
        f.end_clock(if end > DAY { end - DAY } else { end })
    }
}

impl End {
    /// Returns the end that is easiest to read.
    fn of(window: &Window) -> Self {
        const UNITS: [u32; 7] = [HOUR, 30 * MINUTE, 15 * MINUTE, 5 * MINUTE, MINUTE, SECOND, 1];
        let last = window.last();
        // Any end up to the next step describes the same steps.
        let latest = (last + window.step).min(window.from + DAY);
        if last < DAY && latest >= DAY {
            return Self::Until(DAY);
        }
        for unit in UNITS {
            let end = (last / unit + 1) * unit;
            if end <= latest {
                return Self::Until(end);
            }
            if last.is_multiple_of(unit) {
                break;
            }
        }
        Self::Through(last)
    }
}

/// Writes "at" and all times.
fn write_list(f: &mut Writer<'_>, sets: &Sets<'_>, is_daily: bool) -> fmt::Result {
    let [millis, seconds, minutes, hours] = *sets;
    let times = hours.values().flat_map(move |hour| {
        minutes.values().flat_map(move |minute| {
            seconds.values().flat_map(move |second| {
                millis.values().map(move |milli| {
                    [milli, second, minute, hour]
                        .into_iter()
                        .zip(FIELDS)
                        .fold(0, |time, (value, (_, unit))| time + u32::from(value) * unit)
                })
            })
        })
    });
    write!(f, "{} ", f.words.at)?;
    let and = f.words.and;
    f.list(times, and, |f, time| match time {
        0 if is_daily => f.write_str(f.words.midnight),
        time => f.clock(time),
    })
}

/// Writes one time in each of several hours: "every hour from 09:30 through 12:30 and at 14:30".
fn write_hours(f: &mut Writer<'_>, hours: Set<'_>, past: u32) -> fmt::Result {
    let and = f.words.and;
    let (mut is_first_range, mut is_after_range) = (true, true);
    f.list(hours.runs(3, u16::MAX), and, |f, run| {
        let clock = |hour: u16| u32::from(hour) * HOUR + past;
        let is_after_range = core::mem::replace(&mut is_after_range, !run.is_single());
        if run.is_single() {
            if is_after_range {
                write!(f, "{} ", f.words.at)?;
            }
            return f.clock(clock(run.first));
        }
        if core::mem::replace(&mut is_first_range, false) {
            write!(f, "{} {} ", f.words.every, f.words.hour.one)?;
        }
        write!(f, "{} ", f.words.from)?;
        f.clock(clock(run.first))?;
        write!(f, " {} ", f.words.through)?;
        f.clock(clock(run.last))
    })
}
