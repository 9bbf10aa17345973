//! Reads the days of the month and the weekdays, which have items that are not values.

use std::collections::BTreeSet;

use super::calendar::find_date;
use super::days::{
    BusinessDay, MonthDay, MovedDay, NumberedWeekday, Place, StepUnit, Steps, Way, WrittenDay,
};
use super::text::{Item, MONTHS, Set, WEEKDAYS, field, number, value};

#[derive(Default)]
pub(super) struct DaysOfMonth {
    pub(super) values: Set,
    pub(super) month_days: BTreeSet<MonthDay>,
    pub(super) moved_days: BTreeSet<MovedDay>,
}

pub(super) fn days_of_month(text: &str) -> Option<DaysOfMonth> {
    let mut days = DaysOfMonth { values: vec![false; 33], ..DaysOfMonth::default() };
    if text == "*" {
        days.values[1..=31].fill(true);
        return Some(days);
    }
    for item in text.split(',') {
        if let Some(day) = month_day(item) {
            days.month_days.insert(day);
            continue;
        }
        if let Some(day) = moved_day(item) {
            days.moved_days.insert(day);
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
            days.values[value] = true;
        }
    }
    Some(days)
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
            let days = number_in(before.strip_prefix('-')?, 1, 30)?;
            Some(MonthDay::BeforeLast { days, to_workday })
        }
        None => {
            let day = number_in(day, 1, 31)?;
            to_workday.then_some(MonthDay::Workday(day))
        }
    }
}

/// Reads a day, `>B` or `<B`, and perhaps `!` and an offset.
fn moved_day(text: &str) -> Option<MovedDay> {
    let (day, way, rest) = match text.split_once('>') {
        Some((day, rest)) => (day, Way::Following, rest),
        None => text.split_once('<').map(|(day, rest)| (day, Way::Preceding, rest))?,
    };
    let written = match day.strip_prefix('L') {
        Some("") => WrittenDay::BeforeLast(0),
        Some(before) => WrittenDay::BeforeLast(number_in(before.strip_prefix('-')?, 1, 30)?),
        None => WrittenDay::Day(number_in(day, 1, 31)?),
    };
    let rest = rest.strip_prefix('B')?;
    let (stays_in_month, rest) = match rest.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let offset = match rest.split_at_checked(1) {
        None => 0,
        Some(("+", n)) => i64::try_from(number_in(n, 1, 99)?).ok()?,
        Some(("-", n)) => -i64::try_from(number_in(n, 1, 99)?).ok()?,
        Some(_) => return None,
    };
    Some(MovedDay { written, way, stays_in_month, offset })
}

#[derive(Default)]
pub(super) struct DaysOfWeek {
    pub(super) values: Set,
    pub(super) numbered_weekdays: BTreeSet<NumberedWeekday>,
    pub(super) business_days: BTreeSet<BusinessDay>,
}

pub(super) fn days_of_week(text: &str) -> Option<DaysOfWeek> {
    let mut days = DaysOfWeek::default();
    let mut others = Vec::new();
    for item in text.split(',') {
        if let Some(day) = business_day(item) {
            days.business_days.insert(day);
        } else if let Some((weekday, place)) = item.split_once('#') {
            let weekday = value(weekday, 0, &WEEKDAYS).filter(|weekday| *weekday <= 6)?;
            let place = match place {
                "L" => Place::Last,
                _ => Place::Nth(number_in(place, 1, 5)?),
            };
            days.numbered_weekdays.insert(NumberedWeekday { weekday, place });
        } else {
            others.push(item);
        }
    }
    days.values = if others.is_empty() {
        vec![false; 7]
    } else if others.len() < text.split(',').count() && others.contains(&"*") {
        // A `*` must be alone.
        return None;
    } else {
        field(&others.join(","), 0, 6, &WEEKDAYS)?
    };
    Some(days)
}

/// Reads `B`, `B#k`, `B#L` or `B#L-n`.
fn business_day(text: &str) -> Option<BusinessDay> {
    match text.strip_prefix('B')? {
        "" => Some(BusinessDay::Any),
        "#L" => Some(BusinessDay::BeforeLast(0)),
        place => match place.strip_prefix("#L-") {
            Some(days) => Some(BusinessDay::BeforeLast(number_in(days, 1, 30)?)),
            None => Some(BusinessDay::Nth(number_in(place.strip_prefix('#')?, 1, 31)?)),
        },
    }
}

/// Reads the steps of a date of plain numbers, or of the name of a month: `14d`, `2w` or `3b`.
pub(super) fn read_steps(date: [&str; 3], step: &str, weekday: Option<&str>) -> Option<Steps> {
    let [year, month, day] = date;
    let date = [number(year)?, value(month, 1, &MONTHS)?, number(day)?];
    let from = find_date(date)?.number;
    let (by, unit) = step.split_at_checked(step.len().checked_sub(1)?)?;
    let by = i64::try_from(number(by)?).ok().filter(|by| *by >= 1)?;
    Some(match (unit, weekday) {
        ("d", _) => Steps { from, by, unit: StepUnit::Days },
        ("w", Some(_)) => Steps { from, by, unit: StepUnit::Weeks },
        ("w", None) => Steps { from, by: 7 * by, unit: StepUnit::Days },
        ("b", None) => Steps { from, by, unit: StepUnit::BusinessDays },
        _ => return None,
    })
}

fn number_in(text: &str, lowest: usize, highest: usize) -> Option<usize> {
    number(text).filter(|number| (lowest..=highest).contains(number))
}
