//! A naive parser, which splits a text at its separators and reads each field into a set.

use std::collections::BTreeSet;

use super::calendar::{Date, days};
use super::days::{MonthDay, NumberedWeekday, Place, Steps};
use super::windows::Window;

/// The values of a field: `set[v]` is true if the field contains `v`.
pub type Set = Vec<bool>;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The values of all fields of a schedule, and all other items of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    pub years: Set,
    pub months: Set,
    /// The days of the month. `days[32]` means the last day of any month.
    pub days: Set,
    /// More days of the month.
    pub month_days: BTreeSet<MonthDay>,
    pub weekdays: Set,
    /// More weekdays.
    pub numbered_weekdays: BTreeSet<NumberedWeekday>,
    /// Whether `|` joins the day of month and the weekday.
    pub is_either: bool,
    /// The steps from a date, which the years, months and days contain.
    pub steps: Option<Steps>,
    pub hours: Set,
    pub minutes: Set,
    pub seconds: Set,
    pub millis: Set,
    /// The window, if there is one. In that case, the four time fields are empty.
    pub window: Option<Window>,
}

impl Sets {
    /// Reads a text, or returns `None` if it is not a valid expression.
    pub fn read(text: &str) -> Option<Sets> {
        // Line breaks are allowed only around a text.
        let text = text.trim_ascii();
        let (date, weekday, time, is_either) = match text.split_once('|') {
            Some((date, rest)) => match (&parts(date)[..], &parts(rest)[..]) {
                (&[date], &[weekday, time]) => (date, Some(weekday), time, true),
                _ => return None,
            },
            None => match parts(text)[..] {
                [time] => ("*.*.*", None, time, false),
                [date, time] => (date, None, time, false),
                [date, weekday, time] => (date, Some(weekday), time, false),
                _ => return None,
            },
        };
        let [year, month, day] = date.split('.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (day, steps) = match day.strip_suffix(['d', 'w']) {
            Some(steps) if is_either || !steps.contains('/') => return None,
            Some(steps) => {
                let (plain, by) = steps.split_once('/')?;
                let steps = steps_from([year, month, plain], number(by)?)?;
                (plain, Some(if day.ends_with('d') { steps } else { in_weeks(steps, weekday) }))
            }
            None => (day, None),
        };
        let (days, month_days) = days_of_month(day)?;
        let (weekdays, numbered_weekdays) = days_of_week(weekday.unwrap_or("*"))?;
        let Times { fields: [hours, minutes, seconds, millis], window } = times(time)?;
        Some(Sets {
            years: field(year, 2000, 2100, &[])?,
            months: field(month, 1, 12, &MONTHS)?,
            days,
            month_days,
            weekdays,
            numbered_weekdays,
            is_either,
            steps,
            hours,
            minutes,
            seconds,
            millis,
            window,
        })
    }

    /// Returns whether a schedule has events on a day, or in the window that begins on it.
    pub fn is_on(&self, date: &Date) -> bool {
        let weekday = self.weekdays[date.weekday]
            || self.numbered_weekdays.iter().any(|weekday| weekday.is_on(date));
        if let Some(steps) = self.steps {
            return steps.is_on(date) && weekday;
        }
        let day = self.days[date.day]
            || (self.days[32] && date.last_of_month)
            || self.month_days.iter().any(|day| day.is_on(date));
        let day = if self.is_either { day || weekday } else { day && weekday };
        self.years[date.year] && self.months[date.month] && day
    }
}

fn parts(text: &str) -> Vec<&str> {
    text.split([' ', '\t']).filter(|part| !part.is_empty()).collect()
}

/// Returns the values of a set in ascending order.
pub fn values(set: &[bool]) -> Vec<i64> {
    (0..).zip(set).filter(|(_, set)| **set).map(|(value, _)| value).collect()
}

fn field(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Set> {
    let mut set = vec![false; highest + 1];
    if text == "*" {
        set[lowest..].fill(true);
        return Some(set);
    }
    for item in text.split(',') {
        let item = Item::read(item, lowest, highest, names)?;
        if item.from < lowest || item.to > highest {
            return None;
        }
        for value in (item.from..=item.to).step_by(item.step) {
            set[value] = true;
        }
    }
    Some(set)
}

fn days_of_month(text: &str) -> Option<(Set, BTreeSet<MonthDay>)> {
    let (mut set, mut others) = (vec![false; 33], BTreeSet::new());
    if text == "*" {
        set[1..=31].fill(true);
        return Some((set, others));
    }
    for item in text.split(',') {
        if let Some(day) = month_day(item) {
            others.insert(day);
            continue;
        }
        // `L` is 32, alone and at the end of a range.
        let item = match item.split_once("-L") {
            Some((from, step)) => format!("{from}-32{step}"),
            None if item == "L" => "32".to_owned(),
            None => item.to_owned(),
        };
        let item = Item::read(&item, 1, 31, &[])?;
        if item.from < 1 || item.to > 32 {
            return None;
        }
        // Only a 32 that stands alone or starts a range means the last day. At the end of a range,
        // 32 means "to the end of the month".
        let to = if item.from == 32 { 32 } else { item.to.min(31) };
        for value in (item.from..=to).step_by(item.step) {
            set[value] = true;
        }
    }
    Some((set, others))
}

/// Reads `L-n`, `aW`, `LW` or `L-nW`.
fn month_day(text: &str) -> Option<MonthDay> {
    let (day, to_workday) = match text.strip_suffix('W') {
        Some(day) => (day, true),
        None => (text, false),
    };
    match day.strip_prefix('L') {
        Some("") => to_workday.then_some(MonthDay::BeforeLast { days: 0, to_workday }),
        Some(before) => {
            let days = number(before.strip_prefix('-')?)?;
            (1..=30).contains(&days).then_some(MonthDay::BeforeLast { days, to_workday })
        }
        None => {
            let day = number(day)?;
            (to_workday && (1..=31).contains(&day)).then_some(MonthDay::Workday(day))
        }
    }
}

fn days_of_week(text: &str) -> Option<(Set, BTreeSet<NumberedWeekday>)> {
    let mut numbered = BTreeSet::new();
    let mut others = Vec::new();
    for item in text.split(',') {
        match item.split_once('#') {
            Some((weekday, place)) => {
                let weekday = value(weekday, 0, &WEEKDAYS).filter(|weekday| *weekday <= 6)?;
                let place = match place {
                    "L" => Place::Last,
                    _ => Place::Nth(number(place).filter(|k| (1..=5).contains(k))?),
                };
                numbered.insert(NumberedWeekday { weekday, place });
            }
            None => others.push(item),
        }
    }
    if numbered.is_empty() {
        return Some((field(text, 0, 6, &WEEKDAYS)?, numbered));
    }
    let mut set = vec![false; 7];
    if !others.is_empty() {
        // A `*` must be alone.
        if others.contains(&"*") {
            return None;
        }
        set = field(&others.join(","), 0, 6, &WEEKDAYS)?;
    }
    Some((set, numbered))
}

/// Reads the steps from a date of plain numbers, or of the name of a month.
fn steps_from(date: [&str; 3], by: usize) -> Option<Steps> {
    let [year, month, day] = date;
    let date = [number(year)?, value(month, 1, &MONTHS)?, number(day)?];
    let is_it = |other: &&Date| [other.year, other.month, other.day] == date;
    let from = days().iter().find(is_it)?.number;
    let by = i64::try_from(by).ok().filter(|by| *by >= 1)?;
    Some(Steps { from, by, of_weeks: false })
}

/// Returns steps of the same number of weeks. Without a weekday, they are steps of seven times as many days.
fn in_weeks(steps: Steps, weekday: Option<&str>) -> Steps {
    match weekday {
        Some(_) => Steps { of_weeks: true, ..steps },
        None => Steps { by: 7 * steps.by, ..steps },
    }
}

/// The hours, minutes, seconds and milliseconds, or a window.
struct Times {
    fields: [Set; 4],
    window: Option<Window>,
}

fn times(text: &str) -> Option<Times> {
    if text.contains("..") {
        let window = Window::read(text)?;
        let sizes = [24, 60, 60, 1000];
        if window.count > 1 {
            return Some(Times {
                fields: sizes.map(|size| vec![false; size]),
                window: Some(window),
            });
        }
        // One event a day: the time of that event.
        let mut rest = usize::try_from(window.from).ok()?;
        let mut fields = sizes.map(|size| vec![false; size]);
        for set in fields.iter_mut().rev() {
            let value = rest % set.len();
            rest /= set.len();
            set[value] = true;
        }
        return Some(Times { fields, window: None });
    }
    let [hour, minute, second] = text.split(':').collect::<Vec<_>>()[..] else {
        return None;
    };
    let (second, milli) = second.split_once('.').unwrap_or((second, "0"));
    let fields = [
        field(hour, 0, 23, &[])?,
        field(minute, 0, 59, &[])?,
        field(second, 0, 59, &[])?,
        field(milli, 0, 999, &[])?,
    ];
    Some(Times { fields, window: None })
}

struct Item {
    from: usize,
    to: usize,
    step: usize,
}

impl Item {
    /// Reads an item other than a lone `*`. The first name has the lowest value of the field.
    fn read(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Item> {
        let value = |text: &str| value(text, lowest, names);
        let (values, step) = match text.split_once('/') {
            Some((values, step)) => (values, Some(number(step)?)),
            None => (text, None),
        };
        let (from, to) = match (values.split_once('-'), step) {
            (Some((from, to)), _) => (value(from)?, value(to)?),
            // `*/n` must leave more than one value.
            (None, Some(step)) if values == "*" && step <= highest - lowest => (lowest, highest),
            (None, None) => (value(values)?, value(values)?),
            // `5/10` lacks a range.
            (None, Some(_)) => return None,
        };
        let step = step.unwrap_or(1);
        (from <= to && step > 0).then_some(Item { from, to, step })
    }
}

/// Reads a name or a number.
fn value(text: &str, lowest: usize, names: &[&str]) -> Option<usize> {
    let name = names.iter().position(|name| text.eq_ignore_ascii_case(name));
    name.map(|place| lowest + place).or_else(|| number(text))
}

/// Reads a number of ASCII digits that fits in 32 bits.
pub fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // `parse` also accepts a sign.
    let number: u32 = is_number.then(|| text.parse().ok())??;
    usize::try_from(number).ok()
}
