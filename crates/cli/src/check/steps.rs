//! The lint for steps that do not divide the range of their field.

use millicron::{Field, Schedule};

use super::subject::Subject;
use crate::file::Problem;

/// A step until the end of a field.
#[derive(Clone, Copy, Debug)]
struct Step {
    field: Field,
    /// How many values the field has.
    count: u16,
    /// What the field restarts in.
    unit: &'static str,
    /// The first value.
    first: u16,
    /// How far apart the values are.
    distance: u16,
}

/// Warns of steps such as `*/7`, whose last gap in each hour is shorter, and `*/90`, which never take effect.
pub(super) fn uneven_step(subject: &Subject<'_>) -> Option<Problem> {
    const FIELDS: [(Field, u16, &str); 7] = [
        (Field::Millisecond, 1000, "second"),
        (Field::Second, 60, "minute"),
        (Field::Minute, 60, "hour"),
        (Field::Hour, 24, "day"),
        (Field::Day, 31, "month"),
        (Field::Weekday, 7, "week"),
        (Field::Month, 12, "year"),
    ];
    FIELDS.into_iter().find_map(|(field, count, unit)| {
        let (first, distance) = unlimited_step(subject.written.get(field)?, field)?;
        Step { field, count, unit, first, distance }.problem(subject)
    })
}

/// Returns the first value and the step of `*/7`, `0/7` or `0-59/7`: steps until the end of the field.
fn unlimited_step(text: &str, field: Field) -> Option<(u16, u16)> {
    let (range, step) = text.split_once('/')?;
    let step: u16 = step.parse().ok().filter(|step| *step > 1)?;
    // The languages count weekdays in different ways.
    if field == Field::Weekday && range != "*" {
        return None;
    }
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (first, last.parse().ok()?),
        None => (range, field.max_value()),
    };
    let first = if first == "*" { field.min_value() } else { first.parse().ok()? };
    let is_unlimited = last >= field.max_value().min(if field == Field::Day { 31 } else { 999 });
    ((field.min_value()..=last).contains(&first) && is_unlimited).then_some((first, step))
}

impl Step {
    fn problem(self, subject: &Subject<'_>) -> Option<Problem> {
        let Self { field, unit, .. } = self;
        let text = subject.written.get(field)?;
        let message = if let Ok(value) = subject.canonical.get(field)?.parse::<u16>() {
            format!("`{text}` is the same as `{value}`: no {unit} has two")
        } else {
            let (last, first) = self.uneven(subject)?;
            format!("`{text}` restarts in each {unit}: after {last} comes {first}")
        };
        let problem = Problem::warning("uneven-step", subject.span(field), message);
        let hint = self.even(subject).map(|text| {
            let is_even = matches!(field, Field::Day | Field::Weekday);
            let how = if is_even { "has even steps" } else { "restarts at midnight only" };
            format!("`{text}` in millicron's own language {how}")
        });
        Some(problem.maybe_hint(hint))
    }

    /// Returns the last value and the first one, if the gap between them differs from the step.
    fn uneven(self, subject: &Subject<'_>) -> Option<(String, String)> {
        let Self { field, count, first, distance, .. } = self;
        // `*/7 9 * * *` has no event in the next hour.
        let follow = match field {
            Field::Millisecond => follow(subject, Field::Second),
            Field::Second => follow(subject, Field::Minute),
            Field::Minute => follow(subject, Field::Hour),
            Field::Hour => follow(subject, Field::Day) && follow(subject, Field::Weekday),
            Field::Day => follow(subject, Field::Month),
            Field::Weekday => subject.limited(Field::Day).is_none(),
            _ => follow(subject, Field::Year),
        };
        if !follow {
            return None;
        }
        let longest_month = || subject.months().iter().flat_map(|(_, days)| *days).max();
        let values = match field {
            Field::Day => longest_month().unwrap_or(count),
            _ => count,
        };
        let steps = (values - 1).saturating_sub(first - field.min_value()) / distance;
        if (steps + 1) * distance == count && field != Field::Day {
            return None;
        }
        let last = first + steps * distance;
        if field == Field::Weekday {
            let name = |value| field.long_name_of(value).map(str::to_owned);
            return Some((name(last)?, name(first)?));
        }
        Some((format!("{field} {last}"), first.to_string()))
    }

    /// Returns a schedule with even steps that is otherwise the same, if there is one.
    fn even(self, subject: &Subject<'_>) -> Option<String> {
        let text = match self.field {
            // The same events.
            _ if self.distance == self.count => None,
            Field::Day => self.days(subject, Field::Weekday),
            Field::Weekday => self.days(subject, Field::Day),
            _ => self.window(subject),
        }?;
        // A window allows no steps of more than a day.
        Schedule::parse(&text).is_ok().then_some(text)
    }

    /// Returns every n-th day from today on.
    fn days(self, subject: &Subject<'_>, other: Field) -> Option<String> {
        let has_date = subject.canonical.get(Field::Day).is_some();
        let is_all = [Field::Year, Field::Month, other].map(|it| subject.limited(it).is_none());
        if !has_date || is_all != [true; 3] {
            return None;
        }
        let today = subject.now.to_zoned_datetime(subject.job.schedule.zone().clone());
        let (_, time) = split_date(subject.canonical.text);
        Some(format!("{}/{}d {time}", today.strftime("%Y.%m.%d"), self.distance))
    }

    /// Returns a window of the whole day, with the same date.
    fn window(self, subject: &Subject<'_>) -> Option<String> {
        let (field, first, distance) = (self.field, self.first, self.distance);
        let window = match field {
            Field::Minute => format!("00:{first:02}:00../{distance}m"),
            Field::Second => format!("00:00:{first:02}../{distance}s"),
            Field::Millisecond if first == 0 => format!("00:00:00../{distance}ms"),
            _ => return None,
        };
        let mut larger =
            [Field::Hour, Field::Minute, Field::Second].into_iter().take_while(|it| *it != field);
        let mut smaller =
            [Field::Millisecond, Field::Second].into_iter().take_while(|it| *it != field);
        let is_all = larger.all(|it| subject.limited(it).is_none());
        let is_zero = smaller.all(|it| {
            let text = subject.canonical.get(it);
            text.is_none_or(|text| text.parse() == Ok(0_u16))
        });
        let (date, _) = split_date(subject.canonical.text);
        (is_all && is_zero).then(|| format!("{date}{window}"))
    }
}

/// Splits a canonical text before the time.
fn split_date(text: &str) -> (&str, &str) {
    text.split_at(text.rfind(' ').map_or(0, |space| space + 1))
}

/// Whether one value of a field comes directly after another, so that there is a gap between the last value of a
/// smaller field and its first one.
fn follow(subject: &Subject<'_>, field: Field) -> bool {
    let values = subject.values(field).filter(|_| !subject.canonical.has_or());
    let Some(values) = values else { return true };
    let last = if field == Field::Day { 31 } else { field.max_value() };
    let (mut ends, values) = (values.clone(), values.collect::<Vec<_>>());
    let wraps = field != Field::Year
        && ends.next() == Some(field.min_value())
        && ends.next_back() == Some(last);
    wraps || values.windows(2).any(|pair| pair[0] + 1 == pair[1])
}
