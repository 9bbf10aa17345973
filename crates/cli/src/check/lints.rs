//! The lints that check a single job, and the list of all lints.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{Dialect, Field, Language, ZonedSchedule};

use super::Find::{File, Job, Reading, Schedule};
use super::subject::Subject;
use super::{Lint, calendars, clocks, cron, durations, herd, steps};
use crate::file::{FileFormat, JobFile, Problem};

/// The lint for unknown names in comments that allow lints.
pub(super) const UNKNOWN_LINT: &str = "unknown-lint";

/// All lints.
pub(crate) const LINTS: &[Lint] = &[
    Lint::new(
        "calendar-end",
        File(calendars::calendar_end),
        "a calendar whose days or holidays end within a year",
    ),
    Lint::new(
        "clock-change",
        Job(clocks::clock_change),
        "a time that a clock change of the time zone skips or repeats",
    ),
    Lint::new(
        "day-and-weekday",
        Job(day_and_weekday),
        "a crontab's day and weekday that are joined by AND because one begins with `*`",
    ),
    Lint::new(
        "day-or-weekday",
        Job(day_or_weekday),
        "a crontab's day and weekday that are joined by OR",
    ),
    Lint::new(
        "every-minute",
        Schedule(every_minute),
        "every minute of one hour, where once may be meant",
    ),
    Lint::new("herd", File(herd::find), "ten or more jobs that start in the same second"),
    Lint::new(
        "last-weekday",
        Schedule(last_weekday),
        "a range of days meant as the last weekday of the month",
    ),
    Lint::new(
        "long-job",
        Job(durations::long_job),
        "a job that takes longer than the time to its next event",
    ),
    Lint::new("never", Schedule(never), "a schedule without events from now on"),
    Lint::new("no-calendar", Reading, "a timer without `OnCalendar=`"),
    Lint::new("no-jobs", File(no_jobs), "a file without jobs"),
    Lint::new(
        "not-cron",
        File(cron::not_cron),
        "a crontab that cron refuses, or reads in another way",
    ),
    Lint::new("percent", Reading, "an unescaped `%` in a crontab's command"),
    Lint::new("rare-day", Schedule(rare_day), "a day that some months lack"),
    Lint::new(
        "short-milliseconds",
        Schedule(short_milliseconds),
        "milliseconds with one or two digits, such as `.5`",
    ),
    Lint::new(
        "short-timeout",
        Job(durations::short_timeout),
        "a timeout that is shorter than a run usually takes",
    ),
    Lint::new(
        "six-fields",
        Reading,
        "a crontab's line with six or seven fields; cron reads only five",
    ),
    Lint::new(
        "tz-variable",
        File(cron::tz_variable),
        "a crontab's variable `TZ`, where `CRON_TZ` may be meant",
    ),
    Lint::new(
        "uneven-step",
        Schedule(steps::uneven_step),
        "a step that does not divide the range of its field, or is longer",
    ),
    Lint::new(UNKNOWN_LINT, Reading, "a comment that names an unknown lint"),
    Lint::new("unknown-setting", Reading, "a setting of a timer that systemd ignores"),
    Lint::new("users", Reading, "a crontab that seems to have users, but is read without"),
];

const CRONTAB: Language = Language::Dialect(Dialect::Crontab);

/// Days that some months lack: those from the 29th on, also if they are moved, and `L-28` to `L-30`.
fn rare_day(subject: &Subject<'_>) -> Option<Problem> {
    // The last day is one that each month has.
    let text = subject.limited(Field::Day).filter(|text| *text != "32")?;
    let single = text.split(',').filter_map(RareDay::of).max_by_key(|it| it.shortest);
    let lowest = subject.values(Field::Day).and_then(|mut days| days.next());
    let lowest = lowest.filter(|day| (29..=31).contains(day));
    let plain = |shortest| RareDay { shortest, is_from_end: false, suffix: "" };
    let rare = lowest.map(plain).or(single)?;
    let day = rare.shortest;
    let months = subject.months().into_iter();
    let lacking: Vec<_> = months
        .filter(|(_, [days, _])| *days < day)
        .filter_map(|(month, _)| Field::Month.long_name_of(month))
        .collect();
    let (last, first) = lacking.split_last()?;
    // Unless they have another day of the schedule.
    let is_skipped = (lowest.is_some() || !text.contains(',')) && !subject.canonical.has_or();
    let (names, has, skipped) = match first.join(", ") {
        first if first.is_empty() => ((*last).to_owned(), "has", ", and is skipped"),
        first => (format!("{first} and {last}"), "have", ", and are skipped"),
    };
    let skipped = if is_skipped { skipped } else { "" };
    let leap = if day == 29 { " except in leap years" } else { "" };
    let message = format_args!("{names} {has} no {rare}{leap}{skipped}");
    let problem = Problem::warning("rare-day", subject.span(Field::Day), message);
    if rare.is_from_end {
        return Some(problem);
    }
    if !rare.suffix.is_empty() {
        let hint =
            format_args!("write `L{}` to begin with the last day of each month", rare.suffix);
        return Some(problem.hint(hint));
    }
    Some(problem.hint(match subject.job.language {
        Language::Millicron => "write `32` for the last day of each month",
        Language::Dialect(Dialect::Systemd) => "write `*-*~01` for the last day of each month",
        CRONTAB => "cron has no last day of the month; millicron reads `L` as that",
        Language::Dialect(Dialect::Quartz) => "write `L` for the last day of each month",
        _ => "`32` is the last day of each month in millicron's own language",
    }))
}

/// A day that some months lack.
#[derive(Clone, Copy)]
struct RareDay<'a> {
    /// The number of days in the shortest month that has it.
    shortest: u16,
    /// Whether it is counted from the end of the month.
    is_from_end: bool,
    /// How it is moved: `W`, `<B-2`.
    suffix: &'a str,
}

impl<'a> RareDay<'a> {
    /// Returns the day of an item, which may be moved: `31`, `31W`, `31<B-2`, `L-30`, `L-30W`.
    fn of(item: &'a str) -> Option<Self> {
        let (day, suffix) = item.split_at(item.find(['W', '>', '<']).unwrap_or(item.len()));
        let from_end = day.strip_prefix("L-").or_else(|| day.strip_prefix("32-"));
        let shortest = match from_end {
            Some(before_last) => before_last.parse::<u16>().ok()? + 1,
            None => day.parse().ok()?,
        };
        let is_rare = (29..=31).contains(&shortest);
        is_rare.then_some(Self { shortest, is_from_end: from_end.is_some(), suffix })
    }
}

impl fmt::Display for RareDay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_from_end {
            write!(f, "day that is {} days before the last", self.shortest - 1)
        } else {
            write!(f, "day {}", self.shortest)
        }
    }
}

/// `.5`, which is 5 ms and not half a second.
fn short_milliseconds(subject: &Subject<'_>) -> Option<Problem> {
    if subject.job.language != Language::Millicron {
        return None;
    }
    let text = subject.written.get(Field::Millisecond)?;
    let value: u16 = text.parse().ok().filter(|value| *value > 0)?;
    if text.len() > 2 {
        return None;
    }
    let fraction = format!("{text:0<3}");
    let message =
        format_args!("`.{text}` is {value} ms, not {} ms", fraction.trim_start_matches('0'));
    let problem = Problem::warning("short-milliseconds", subject.span(Field::Millisecond), message);
    Some(problem.hint(format_args!("write `.{value:03}` or `.{fraction}`")))
}

/// `28-32 Fri`, which is not the last Friday.
fn last_weekday(subject: &Subject<'_>) -> Option<Problem> {
    let (from, to) = last_days(subject)?;
    let weekday = subject.limited(Field::Weekday).filter(|_| !subject.canonical.has_or())?;
    let weekday: u16 = weekday.parse().ok()?;
    let months = subject.months();
    let lengths = months.iter().flat_map(|(_, days)| days);
    let days: Vec<_> = lengths.map(|last| (to.min(*last) + 1).saturating_sub(from)).collect();
    let some = match (days.iter().any(|days| *days < 7), days.iter().any(|days| *days > 7)) {
        (true, true) => format!("from day {from} on, some months have none, and some have two"),
        (true, false) => format!("some months have none from day {from} on"),
        (false, true) => format!("some months have two from day {from} on"),
        (false, false) => return None,
    };
    let name = Field::Weekday.long_name_of(weekday)?;
    let hint = match subject.job.language {
        Language::Millicron => format!("write `{}#L` without the days", name.get(..3)?),
        Language::Dialect(Dialect::Systemd) => {
            format!("write `{} *-*~07/1`", name.get(..3)?)
        }
        Language::Dialect(Dialect::Quartz) => format!("write `{}L` as the weekday", weekday + 1),
        _ => format!("write `{}#L` in millicron's own language", name.get(..3)?),
    };
    let span = subject.span_over(Field::Day, Field::Weekday);
    let message = format_args!("not the last {name} of each month: {some}");
    Some(Problem::warning("last-weekday", span, message).hint(hint))
}

/// Returns a range of days at the end of the month.
fn last_days(subject: &Subject<'_>) -> Option<(u16, u16)> {
    let (from, to) = subject.limited(Field::Day)?.split_once('-')?;
    let (from, to): (u16, u16) = (from.parse().ok()?, to.parse().ok()?);
    (from >= 22 && to >= 29).then_some((from, to))
}

/// Day and weekday of a crontab that are joined by OR.
fn day_or_weekday(subject: &Subject<'_>) -> Option<Problem> {
    if subject.job.language != CRONTAB {
        return None;
    }
    let (day, weekday) = (subject.written.get(Field::Day)?, subject.written.get(Field::Weekday)?);
    if !subject.canonical.has_or() {
        return every_day(subject, day, weekday);
    }
    let both = subject.canonical.text.replace(" | ", " ");
    let span = subject.span_over(Field::Day, Field::Weekday);
    let message = format_args!(
        "joined by OR: this runs on every day of month `{day}`, and on every weekday `{weekday}`"
    );
    let problem = Problem::warning("day-or-weekday", span, message);
    let last = last_days(subject).and(subject.canonical.get(Field::Weekday));
    let last = last.and_then(|weekday| Field::Weekday.long_name_of(weekday.parse().ok()?));
    Some(match last {
        Some(name) => problem.hint(format_args!(
            "the last {name} of the month is `{}#L` in millicron's own language",
            name.get(..3)?
        )),
        None => problem
            .hint(format_args!("to require both, write `{both}` in millicron's own language")),
    })
}

/// `1-31 * FRI`, where the day or the weekday has no effect, because the other one is always true.
fn every_day(subject: &Subject<'_>, day: &str, weekday: &str) -> Option<Problem> {
    if [day, weekday].iter().any(|text| text.starts_with(['*', '?'])) {
        return None;
    }
    let is_every_day = |text: String| {
        let alone = Dialect::Crontab.parse(&text);
        alone.is_ok_and(|schedule| Dialect::Crontab.parse("0 0 * * *") == Ok(schedule))
    };
    let (all, other) = match (
        is_every_day(format!("0 0 {day} * *")),
        is_every_day(format!("0 0 * * {weekday}")),
    ) {
        (true, false) => (day, weekday),
        (false, true) => (weekday, day),
        _ => return None,
    };
    let span = subject.span_over(Field::Day, Field::Weekday);
    let message = format_args!("joined by OR: `{all}` is every day, so `{other}` has no effect");
    let problem = Problem::warning("day-or-weekday", span, message);
    Some(problem.hint(format_args!("write `*` in place of `{all}` to run only on `{other}`")))
}

/// Day and weekday of a crontab that are joined by AND, because one begins with `*`.
fn day_and_weekday(subject: &Subject<'_>) -> Option<Problem> {
    if subject.job.language != CRONTAB {
        return None;
    }
    let (day, weekday) = (subject.written.get(Field::Day)?, subject.written.get(Field::Weekday)?);
    let has_star = [day, weekday].into_iter().find(|text| text.starts_with("*/"))?;
    if day == "*" || weekday == "*" {
        return None;
    }
    let span = subject.span_over(Field::Day, Field::Weekday);
    let message = format_args!("joined by AND, as `{has_star}` begins with `*`: both must match");
    Some(
        Problem::warning("day-and-weekday", span, message)
            .hint("without the `*`, cron joins them by OR"),
    )
}

/// `* 9 * * *`, which runs 60 times from 9:00 to 9:59.
fn every_minute(subject: &Subject<'_>) -> Option<Problem> {
    let hour: u16 = subject.canonical.get(Field::Hour)?.parse().ok()?;
    let is_all = subject.canonical.get(Field::Minute) == Some("*");
    if !is_all || subject.limited(Field::Second).is_none() {
        return None;
    }
    let message = format_args!("60 times, every minute from {hour:02}:00 to {hour:02}:59");
    let problem = Problem::warning("every-minute", subject.span(Field::Minute), message);
    Some(problem.hint("write `0` as the minute for once"))
}

/// Schedules without further events. Of a union without any, only the union is reported.
fn never(subject: &Subject<'_>) -> Option<Problem> {
    let whole = &subject.job.schedule;
    let is_member = subject.written.text.len() < subject.job.text.len();
    let member =
        is_member.then(|| subject.written.schedule().clone().in_zone(whole.zone().clone()));
    let has_next = |schedule: &ZonedSchedule<TimeZone>| schedule.next_event(subject.now).is_some();
    let schedule = member.as_ref().unwrap_or(whole);
    if has_next(schedule) || is_member && !has_next(whole) {
        return None;
    }
    let last = schedule.prev_event(subject.now)?.to_zoned_datetime(whole.zone().clone());
    let message = format!("the last event was {}", last.strftime("%Y-%m-%d %H:%M:%S"));
    Some(Problem::warning("never", subject.span(Field::Year), message))
}

/// A file in which nothing is scheduled.
fn no_jobs(file: &JobFile, _: Timestamp) -> Vec<Problem> {
    let is_explained = file.problems.iter().any(Problem::is_error);
    // Many timers have no times of the calendar.
    let may_be_empty = file.format == FileFormat::Timer;
    if !file.jobs.is_empty() || is_explained || may_be_empty {
        return Vec::new();
    }
    vec![Problem::warning("no-jobs", 0..0, "the file has no jobs")]
}
