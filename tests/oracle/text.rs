//! A naive parser, which splits a text at its separators and reads each field into a set.

use std::collections::BTreeSet;

use super::calendar::{Date, FIRST_DAY, days, place_of};
use super::calendar_days::{CalendarDays, Calendars};
use super::day_text::{DaysOfMonth, DaysOfWeek, days_of_month, days_of_week, read_steps};
use super::days::{BusinessDay, MonthDay, MovedDay, NumberedWeekday, Steps};
use super::windows::Window;

/// The values of a field: `set[v]` is true if the field contains `v`.
pub type Set = Vec<bool>;

pub(super) const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
pub(super) const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The values of all fields of a schedule, and all other items of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    pub years: Set,
    pub months: Set,
    /// The days of the month. `days[32]` means the last day of any month.
    pub days: Set,
    /// More days of the month.
    pub month_days: BTreeSet<MonthDay>,
    /// Days of the month that are moved to days of the calendar.
    pub moved_days: BTreeSet<MovedDay>,
    pub weekdays: Set,
    /// More weekdays.
    pub numbered_weekdays: BTreeSet<NumberedWeekday>,
    /// Days of the calendar.
    pub business_days: BTreeSet<BusinessDay>,
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
    /// The name of the calendar, if there is one.
    pub calendar: Option<String>,
    /// The days that `B` means: those of the calendar, or from Monday to Friday.
    pub open_days: CalendarDays,
}

impl Sets {
    /// Reads a text, or returns `None` if it is not a valid expression. There are no calendars.
    pub fn read(text: &str) -> Option<Sets> {
        Sets::read_with(text, &Calendars::new())
    }

    /// Reads a text that may name one of the calendars.
    pub fn read_with(text: &str, calendars: &Calendars) -> Option<Sets> {
        let Parts { date, weekday, is_either, time, calendar } = Parts::split(text)?;
        let [year, month, day] = date.split('.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (day, steps) = match day.split_once('/') {
            Some((day, step)) if step.ends_with(['d', 'w', 'b']) => {
                (day, Some(read_steps([year, month, day], step, weekday)?))
            }
            _ => (day, None),
        };
        let DaysOfMonth { values: days, month_days, moved_days } = days_of_month(day)?;
        if is_either && steps.is_some() || weekday.is_some() && !moved_days.is_empty() {
            return None;
        }
        let DaysOfWeek { values: weekdays, numbered_weekdays, business_days } =
            days_of_week(weekday.unwrap_or("*"))?;
        let Times { fields: [hours, minutes, seconds, millis], window } = times(time)?;
        let open_days = match calendar {
            Some(name) => calendars.get(name).filter(|_| is_name(name))?.clone(),
            None => CalendarDays::workdays(),
        };
        Some(Sets {
            years: field(year, 2000, 2100, &[])?,
            months: field(month, 1, 12, &MONTHS)?,
            days,
            month_days,
            moved_days,
            weekdays,
            numbered_weekdays,
            business_days,
            is_either,
            steps,
            hours,
            minutes,
            seconds,
            millis,
            window,
            calendar: calendar.map(str::to_owned),
            open_days,
        })
    }

    /// Returns the days with events, or on which a window begins, in ascending order and in days
    /// since 1970-01-01.
    pub fn dates(&self) -> Vec<i64> {
        let mut is_on = vec![false; days().len()];
        if let Some(steps) = self.steps {
            for day in steps.days(&self.open_days) {
                is_on[place_of(day)] = self.is_on_weekday(&days()[place_of(day)]);
            }
        } else {
            for (place, date) in days().iter().enumerate() {
                if !self.years[date.year] || !self.months[date.month] {
                    continue;
                }
                is_on[place] |= self.is_on_day(date);
                for day in &self.moved_days {
                    if let Some(day) = day.moved_from(date, &self.open_days) {
                        is_on[place_of(day)] = true;
                    }
                }
            }
        }
        let is_open = |day: &i64| self.calendar.is_none() || self.open_days.contains(*day);
        let on_days = (FIRST_DAY..).zip(is_on).filter(|(_, is_on)| *is_on).map(|(day, _)| day);
        on_days.filter(is_open).collect()
    }

    /// Returns whether a date is on a day of the month and a weekday, or on either of them.
    fn is_on_day(&self, date: &Date) -> bool {
        let day = self.days[date.day]
            || (self.days[32] && date.last_of_month)
            || self.month_days.iter().any(|day| day.is_on(date));
        if self.is_either {
            day || self.is_on_weekday(date)
        } else {
            day && self.is_on_weekday(date)
        }
    }

    fn is_on_weekday(&self, date: &Date) -> bool {
        self.weekdays[date.weekday]
            || self.numbered_weekdays.iter().any(|weekday| weekday.is_on(date))
            || self.business_days.iter().any(|day| day.is_on(date, &self.open_days))
    }
}

/// The parts of a text.
struct Parts<'a> {
    date: &'a str,
    weekday: Option<&'a str>,
    /// Whether there is a `|` before the weekday.
    is_either: bool,
    time: &'a str,
    /// The name of the calendar.
    calendar: Option<&'a str>,
}

impl Parts<'_> {
    fn split(text: &str) -> Option<Parts<'_>> {
        // Line breaks are allowed only around a text.
        let text = text.trim_ascii();
        let (text, calendar) = match text.rsplit_once([' ', '\t']) {
            Some((text, last)) if last.starts_with('@') => (text, last.strip_prefix('@')),
            _ => (text, None),
        };
        let is_either = text.contains('|');
        let (date, weekday, time) = match text.split_once('|') {
            Some((date, rest)) => match (&parts(date)[..], &parts(rest)[..]) {
                (&[date], &[weekday, time]) => (date, Some(weekday), time),
                _ => return None,
            },
            None => match parts(text)[..] {
                [time] => ("*.*.*", None, time),
                [date, time] => (date, None, time),
                [date, weekday, time] => (date, Some(weekday), time),
                _ => return None,
            },
        };
        Some(Parts { date, weekday, is_either, time, calendar })
    }
}

/// Returns whether a text is the name of a calendar.
pub fn is_name(text: &str) -> bool {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let is_in = |byte: &u8| byte.is_ascii_alphanumeric() || [b'_', b'-'].contains(byte);
    text.as_bytes().first().is_some_and(is_start) && text.as_bytes().iter().all(is_in)
}

fn parts(text: &str) -> Vec<&str> {
    text.split([' ', '\t']).filter(|part| !part.is_empty()).collect()
}

/// Returns the values of a set in ascending order.
pub fn values(set: &[bool]) -> Vec<i64> {
    (0..).zip(set).filter(|(_, set)| **set).map(|(value, _)| value).collect()
}

pub(super) fn field(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Set> {
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

pub(super) struct Item {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) step: usize,
}

impl Item {
    /// Reads an item other than a lone `*`. The first name has the lowest value of the field.
    pub(super) fn read(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Item> {
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
pub(super) fn value(text: &str, lowest: usize, names: &[&str]) -> Option<usize> {
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
