//! Times of day in phrases: `at 9:30 and 17:00`, `every 15 minutes between 9 and 17`.

use alloc::vec::Vec;

use super::draft::{Before, Clause, Draft, Note, Period, TimeOfDay};
use super::words::{Clock, DAY, HALF_DAY, HOUR, UNITS, Words};
use crate::union_plan::MOST_MEMBERS;
use crate::{Expression, Field, Window};

/// The clauses about times of day, in the order in which they are tried.
pub(super) const CLAUSES: [Clause; 5] = [interval, range, end, times, times_in_unit];

/// Words before an end that is not included, before one that is, and before one that may be. The
/// last ones are also between times.
const ENDS: [&str; 4] = ["until till before", "through thru", "to - –", "and"];

const HALVES: [&str; 2] = ["in the morning", "in the afternoon"];

/// Reads `every 15 minutes`, `every other hour`, `hourly`.
fn interval(it: &mut Draft<'_>) -> Option<()> {
    let millis = if it.words.any("hourly") {
        HOUR
    } else if it.words.any("every each") {
        length(it)?
    } else {
        return None;
    };
    let is_new = it.interval.replace(millis).is_none();
    is_new.then_some(())
}

/// Reads a length after `every`.
fn length(it: &mut Draft<'_>) -> Option<u32> {
    if it.words.all("half hour") || it.words.all("half an hour") {
        return Some(HOUR / 2);
    }
    if it.words.all("quarter hour") || it.words.all("quarter of an hour") {
        return Some(HOUR / 4);
    }
    let nth = it.words.attempt(|words| {
        let n = if words.any("other") { 2 } else { words.ordinal()? };
        Some((n, words.unit()?))
    });
    if let Some((n, unit)) = nth {
        return n.checked_mul(UNITS[unit].2).filter(|millis| (1..=DAY).contains(millis));
    }
    if let Some(unit) = it.words.unit() {
        let is_unit = UNITS[unit].0 != Field::Second || it.words.is_after_unit();
        return is_unit.then_some(UNITS[unit].2);
    }
    let mut sum = 0_u32;
    let next = |words: &mut Words<'_>, sum: u32| {
        words.attempt(|words| {
            let _ = sum > 0 && words.any("and");
            words.number()?.checked_mul(UNITS[words.unit()?].2)
        })
    };
    while let Some(millis) = next(&mut it.words, sum) {
        sum = sum.checked_add(millis)?;
    }
    (1..=DAY).contains(&sum).then_some(sum)
}

/// Reads `from 9:00 until 17:00`, or a start whose end follows.
fn range(it: &mut Draft<'_>) -> Option<()> {
    (it.parts[0].is_none() || it.before != Before::Other).then_some(())?;
    let has_start = it.words.any("from between");
    let from = it.words.clock()?;
    let to = it.attempt(|it| {
        Some((ENDS.iter().position(|words| it.words.any(words))?, it.words.clock()?))
    });
    match to {
        Some((end, to)) if has_start || end < 3 => close(it, from, end, to),
        None if has_start && !from.is_bare => it.add_part(TimeOfDay::From(from)),
        _ => None,
    }
}

/// Reads the end of a part of the day that was left open: `until 06:00 the next day`.
fn end(it: &mut Draft<'_>) -> Option<()> {
    let end = ENDS[..2].iter().position(|words| it.words.any(words))?;
    let to = it.words.clock()?;
    let open = it.parts.iter().position(|part| matches!(part, Some(TimeOfDay::From(_))))?;
    let Some(TimeOfDay::From(from)) = it.parts[open].take() else { return None };
    close(it, from, end, to)
}

/// Adds a part of the day. `end` is an index of [`ENDS`].
fn close(it: &mut Draft<'_>, from: Clock, end: usize, to: Clock) -> Option<()> {
    let [mut from, mut to] = [from, to];
    if from.has_24_hours() || to.has_24_hours() {
        (from.is_open, to.is_open) = (false, false);
    }
    let is_next_day = it.words.all("the next day") || it.words.all("the following day");
    if from.is_open && to.is_open && from.time < it.last_time() {
        // `From 9 until 12 and from 2 until 5`.
        (from.time < to.time.min(HALF_DAY) && !is_next_day).then_some(())?;
        let half = half(it, &HALVES);
        (from.time, to.time) = (from.time + half, to.time + half);
    } else if from.may_be_later(to) {
        let half = half(it, &["from the morning on", "from the afternoon on"]);
        from.time = from.time % HALF_DAY + half;
    } else if to.is_open && !is_next_day && to.time <= from.time && to.time + HALF_DAY > from.time {
        let later = match to.time / (HALF_DAY / 2) {
            0 => "until the afternoon",
            1 => "until the evening",
            _ => "until the night",
        };
        to.time += HALF_DAY - half(it, &[later, "until the next day"]);
    }
    let is_closed = match (end, it.is_closed) {
        (0 | 1, _) => end == 1,
        (_, Some(is_closed)) => is_closed,
        _ => it.choose(&["end excluded", "end included"]) == 1,
    };
    it.is_closed = (end > 1).then_some(is_closed).or(it.is_closed);
    let [from, to] = [from.time % DAY, to.time % DAY];
    (!is_next_day || to <= from).then_some(())?;
    it.add_part(TimeOfDay::Range { from, to, is_closed })
}

/// Asks in which half of the day a time is, and returns the beginning of that half.
fn half(it: &mut Draft<'_>, labels: &[&'static str; 2]) -> u32 {
    if it.choose(labels) == 1 { HALF_DAY } else { 0 }
}

/// Reads `at 9:30 and 17:00`. Without `at`, a time is more than a number. Another list of times comes
/// directly after the first one, with a separator: in `at 9 on Mondays, at 10 in July`, each has its
/// days.
fn times(it: &mut Draft<'_>) -> Option<()> {
    (it.before == Before::Times || it.parts[0].is_none()).then_some(())?;
    let has_at = it.words.any("at");
    let (mut earliest, mut latest, mut before) = (DAY, 0, it.last_time());
    let (mut has_24_hours, mut is_clear) = (false, true);
    it.list(&mut |it| {
        let has_at = it.words.any("at") || has_at;
        let clock = it.words.clock()?;
        let Clock { mut time, is_bare, has_half, .. } = clock;
        ((has_at || !is_bare) && time < DAY).then_some(())?;
        has_24_hours |= clock.has_24_hours();
        let is_open = clock.is_open && !has_24_hours;
        // `At 9 and 5 am`, `at 3 and 1 pm`: is the first one in the morning?
        let is_later = if time < HALF_DAY { before < time } else { earliest >= HALF_DAY / 2 };
        is_clear &= !has_half || earliest == DAY || is_later;
        earliest = if is_open { earliest.min(time) } else { earliest };
        latest = if has_half { latest.max(time) } else { latest };
        // `At 9 and 5`, `at 9 pm and 12`.
        if is_open && time <= before && before <= time + HALF_DAY {
            time = time % HALF_DAY + half(it, &HALVES);
        }
        before = time;
        it.add_part(TimeOfDay::At(time))
    })?;
    // `At 9 and 11 pm`: 9 in the morning, or in the evening?
    (is_clear && earliest + HALF_DAY >= latest).then_some(())
}

/// Reads `twice a day`, `4 times an hour`, `once daily`.
fn times_in_unit(it: &mut Draft<'_>) -> Option<()> {
    let count = match it.words.position("once twice") {
        Some(0) => 1,
        Some(_) => 2,
        None => {
            let count = it.words.number()?;
            it.words.any("times x").then_some(count)?
        }
    };
    let unit = if it.words.any("daily") {
        DAY
    } else if it.words.any("hourly") {
        HOUR
    } else {
        it.words.any("a an per each every").then_some(())?;
        if it.words.any("day") { DAY } else { UNITS[it.words.unit()?].2 }
    };
    if unit == DAY {
        it.period.get_or_insert(Period::Day);
    }
    (count > 0 && it.times.replace((count, unit)).is_none()).then_some(())
}

impl Draft<'_> {
    /// Fills the fields of the time from what has been read, and returns the schedules that have the
    /// times together. `None` if what has been read is contradictory.
    pub(super) fn finish_time(&mut self) -> Option<Vec<Expression>> {
        let parts = self.parts;
        let parts = || parts.into_iter().flatten();
        let has_range = parts().any(|part| !matches!(part, TimeOfDay::At(_)));
        if let Some((count, unit)) = self.times {
            let named = parts().count();
            let is_named = unit == DAY && named > 0;
            if self.interval.is_some() || has_range || is_named && named != count as usize {
                return None;
            }
            if !is_named {
                self.interval = Some(unit / count).filter(|_| unit.is_multiple_of(count));
                self.interval?;
                if count > 1 && unit == DAY {
                    self.note(Note::WhichTimes);
                }
                if count > 1 {
                    self.label("equally spaced from midnight");
                }
            }
        }
        let is_nested = [Field::Hour, Field::Minute, Field::Second, Field::Millisecond]
            .iter()
            .any(|field| self.is_open(*field));
        match (self.interval, parts().next()) {
            (interval, part) if is_nested => {
                (interval, part).eq(&(None, None)).then_some(())?;
            }
            (None, None) => self.note(Note::Midnight),
            (Some(step), None) => {
                if step == DAY {
                    self.note(Note::Midnight);
                }
                self.fill_day(step)?;
            }
            (Some(step), Some(TimeOfDay::Range { from, to, is_closed }))
                if parts().count() == 1 =>
            {
                self.fill_window(from, step, Window::steps(from, to, step, is_closed))?;
            }
            (None, Some(_)) if has_range => return None,
            (Some(_), Some(_)) if !has_range => return None,
            (Some(step), Some(_)) if self.attempt(|it| it.fill_hours(step)).is_some() => {}
            (step, Some(_)) => return self.fill_product(step.unwrap_or(DAY)),
        }
        Some(Vec::from([self.expression]))
    }

    /// Adds the steps of a whole day, as values of a field if they divide its unit.
    fn fill_day(&mut self, step: u32) -> Option<()> {
        let divided = UNITS.iter().rposition(|(_, _, millis, size)| {
            step.is_multiple_of(*millis)
                && size.is_multiple_of(step / millis)
                && step < millis * size
        });
        if let Some(place) = divided {
            let (field, _, millis, _) = UNITS[place];
            self.insert(field, [0, field.last().into()], step / millis)?;
            return UNITS[place + 1..].iter().try_for_each(|(field, ..)| self.fill(*field));
        }
        if !DAY.is_multiple_of(step) {
            self.note(Note::Restarts);
        }
        self.fill_window(0, step, Window::steps(0, 0, step, false))
    }

    /// Adds the same steps in some hours, if all parts of the day are whole hours.
    fn fill_hours(&mut self, step: u32) -> Option<()> {
        let parts = self.parts;
        self.fill_day(step)?;
        (step < HOUR && self.expression.window.is_none()).then_some(())?;
        self.expression.fields.hour = 0;
        parts.into_iter().flatten().try_for_each(|part| {
            let TimeOfDay::Range { from, to, is_closed: false } = part else { return None };
            let is_whole = from.is_multiple_of(HOUR) && to.is_multiple_of(HOUR);
            let to = if to == 0 { DAY } else { to };
            is_whole.then(|| self.insert(Field::Hour, [from / HOUR, to / HOUR - 1], 1))?
        })
    }

    /// Adds equal steps in a part of the day.
    fn fill_window(&mut self, from: u32, step: u32, count: u32) -> Option<()> {
        self.fill_time(from)?;
        if count > 1 {
            self.expression.window = Some(Window { from, step, count });
        }
        Some(())
    }

    /// Adds a time to the fields.
    fn fill_time(&mut self, time: u32) -> Option<()> {
        UNITS.iter().try_for_each(|(field, _, millis, size)| {
            let value = time / millis % size;
            self.insert(*field, [value, value], 1)
        })
    }

    /// Adds all times of all parts. If the fields would then have other times as well, each part
    /// becomes a member of a union.
    fn fill_product(&mut self, step: u32) -> Option<Vec<Expression>> {
        let (parts, before) = (self.parts, *self);
        let windows = parts.map(|part| match part? {
            TimeOfDay::At(time) => Some(Window { from: time, step: 1, count: 1 }),
            TimeOfDay::From(_) => None,
            TimeOfDay::Range { from, to, is_closed } => {
                Some(Window { from, step, count: Window::steps(from, to, step, is_closed) })
            }
        });
        let windows = || windows.iter().flatten();
        let is_short = windows().all(|window| window.last() < DAY && window.count <= DAY / 1000);
        (is_short && windows().count() == parts.iter().flatten().count()).then_some(())?;
        let mut count = 0;
        for (place, window) in windows().enumerate() {
            for time in (window.from..=window.last()).step_by(window.step as usize) {
                let has_time = |window: &&Window| {
                    (window.from..=window.last()).contains(&time)
                        && (time - window.from).is_multiple_of(window.step)
                };
                count += u64::from(!windows().take(place).any(|window| has_time(&window)));
                self.fill_time(time)?;
            }
        }
        let are_times = windows().all(|window| window.count == 1);
        // `At 9 and 9` names another time than it says.
        (!are_times || windows().count() as u64 == count).then_some(())?;
        let fields = UNITS.map(|(field, ..)| u64::from(self.expression.count(field)));
        if fields.iter().product::<u64>() == count {
            return Some(Vec::from([self.expression]));
        }
        if windows().count() > MOST_MEMBERS {
            self.note(Note::Separate);
        }
        let member = |window: &Window| {
            let mut it = before;
            it.fill_window(window.from, step, window.count)?;
            Some(it.expression)
        };
        windows().map(member).collect()
    }
}
