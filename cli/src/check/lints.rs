//! The lints that check a single job, and the list of all lints.

use std::ops::Range;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp, ToSpan};
use millicron::calendar::days_in_month;
use millicron::{CalendarDigits, Dialect, Field, Gap, Language};
use millicron_scheduler::Overlap;

use super::fields::values;
use super::{Find, Lint, Subject, cron, herd};
use crate::file::{FileFormat, JobFile, Level, Problem};

/// The lint for unknown names in comments that allow lints.
pub(super) const UNKNOWN_LINT: &str = "unknown-lint";

/// All lints.
pub(crate) const LINTS: &[Lint] = &[
    Lint {
        name: "clock-change",
        summary: "a time that a clock change of the time zone skips or repeats",
        find: Find::Job(clock_change),
    },
    Lint {
        name: "day-and-weekday",
        summary: "a crontab's day and weekday that are joined by AND because one begins with `*`",
        find: Find::Job(day_and_weekday),
    },
    Lint {
        name: "day-or-weekday",
        summary: "a crontab's day and weekday that are joined by OR",
        find: Find::Job(day_or_weekday),
    },
    Lint {
        name: "every-minute",
        summary: "every minute of one hour, where once may be meant",
        find: Find::Job(every_minute),
    },
    Lint {
        name: "herd",
        summary: "ten or more jobs that start in the same second",
        find: Find::File(herd::find),
    },
    Lint {
        name: "last-weekday",
        summary: "a range of days meant as the last weekday of the month",
        find: Find::Job(last_weekday),
    },
    Lint {
        name: "long-job",
        summary: "a job that takes longer than the time to its next event",
        find: Find::Job(long_job),
    },
    Lint {
        name: "never",
        summary: "a schedule without events from now on",
        find: Find::Job(never),
    },
    Lint { name: "no-calendar", summary: "a timer without `OnCalendar=`", find: Find::Reading },
    Lint { name: "no-jobs", summary: "a file without jobs", find: Find::File(no_jobs) },
    Lint {
        name: "not-cron",
        summary: "a crontab that cron refuses, or reads in another way",
        find: Find::File(cron::not_cron),
    },
    Lint {
        name: "percent",
        summary: "an unescaped `%` in a crontab's command",
        find: Find::Reading,
    },
    Lint { name: "rare-day", summary: "a day that some months lack", find: Find::Job(rare_day) },
    Lint {
        name: "short-milliseconds",
        summary: "milliseconds with one or two digits, such as `.5`",
        find: Find::Job(short_milliseconds),
    },
    Lint {
        name: "short-timeout",
        summary: "a timeout that is shorter than a run usually takes",
        find: Find::Job(short_timeout),
    },
    Lint {
        name: "six-fields",
        summary: "a crontab's line with six or seven fields; cron reads only five",
        find: Find::Reading,
    },
    Lint {
        name: "tz-variable",
        summary: "a crontab's variable `TZ`, where `CRON_TZ` may be meant",
        find: Find::File(cron::tz_variable),
    },
    Lint {
        name: "uneven-step",
        summary: "a step that does not divide the range of its field, or is longer",
        find: Find::Job(uneven_step),
    },
    Lint {
        name: UNKNOWN_LINT,
        summary: "a comment that names an unknown lint",
        find: Find::Reading,
    },
    Lint {
        name: "unknown-setting",
        summary: "a setting of a timer that systemd ignores",
        find: Find::Reading,
    },
    Lint {
        name: "users",
        summary: "a crontab that seems to have users, but is read without",
        find: Find::Reading,
    },
];

/// A common year and a leap year.
const YEARS: [i32; 2] = [2026, 2028];

const CRONTAB: Language = Language::Dialect(Dialect::Crontab);

impl Subject<'_> {
    /// Returns the place of a field in the file, or else of the schedule.
    fn span(&self, field: Field) -> Range<usize> {
        let start = self.job.span.start;
        match self.written.span(field).filter(|_| self.is_verbatim) {
            Some(span) => start + span.start..start + span.end,
            None => self.job.span.clone(),
        }
    }

    /// Returns the place in the file of all fields from one to another.
    fn span_over(&self, one: Field, other: Field) -> Range<usize> {
        let (one, other) = (self.span(one), self.span(other));
        one.start.min(other.start)..one.end.max(other.end)
    }

    /// Returns a field of the canonical text, unless it is `*`.
    fn limited(&self, field: Field) -> Option<&str> {
        self.canonical.get(field).filter(|text| *text != "*")
    }

    /// Returns the months of the schedule, 1-12.
    fn months(&self) -> Vec<u8> {
        let limited = self.limited(Field::Month).and_then(|text| values(text, Field::Month));
        let has = |month: u8| limited.as_ref().is_none_or(|it| it.contains(&month.into()));
        (1..=12).filter(|month| has(*month)).collect()
    }
}

/// Days from the 29th on, which some months lack.
fn rare_day(subject: &Subject<'_>) -> Option<Problem> {
    let text = subject.limited(Field::Day)?;
    let days = values(text, Field::Day)?;
    let single = text.split(',').filter_map(|item| item.parse::<u16>().ok()).max();
    let lowest = days.first().copied();
    let day = lowest.filter(|day| *day >= 29).or(single).filter(|day| (29..=31).contains(day))?;
    let months = subject.months().into_iter();
    let lacking: Vec<_> = months
        .filter(|month| u16::from(days_in_month(YEARS[0], *month)) < day)
        .filter_map(|month| Field::Month.long_name_of(month.into()))
        .collect();
    let (last, first) = lacking.split_last()?;
    let (names, verbs) = match first.join(", ") {
        first if first.is_empty() => ((*last).to_owned(), ("has", "is")),
        first => (format!("{first} and {last}"), ("have", "are")),
    };
    let leap = if day == 29 { " except in leap years" } else { "" };
    let hint = match subject.job.language {
        Language::Millicron => "write `32` for the last day of each month",
        Language::Dialect(Dialect::Systemd) => "write `*-*~01` for the last day of each month",
        CRONTAB => "cron has no last day of the month; millicron reads `L` as that",
        Language::Dialect(Dialect::Quartz) => "write `L` for the last day of each month",
        _ => "`32` is the last day of each month in millicron's own language",
    };
    let (has, is) = verbs;
    let message = format_args!("{names} {has} no day {day}{leap}, and {is} skipped");
    Some(Problem::warning("rare-day", subject.span(Field::Day), message).hint(hint))
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
    let weekday = subject.limited(Field::Weekday).filter(|_| !subject.canonical.has_or)?;
    let weekday: u16 = weekday.parse().ok()?;
    let months = subject.months();
    let lengths =
        YEARS.iter().flat_map(|year| months.iter().map(|month| days_in_month(*year, *month)));
    let days: Vec<_> = lengths.map(|last| (to.min(last.into()) + 1).saturating_sub(from)).collect();
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
    if subject.job.language != CRONTAB || !subject.canonical.has_or {
        return None;
    }
    let (day, weekday) = (subject.written.get(Field::Day)?, subject.written.get(Field::Weekday)?);
    let both = subject.canonical.text().replace(" | ", " ");
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

/// Warns of steps such as `*/7`, whose last gap in each hour is shorter, and `*/90`, which never take effect.
fn uneven_step(subject: &Subject<'_>) -> Option<Problem> {
    const FIELDS: [(Field, u16, &str); 6] = [
        (Field::Millisecond, 1000, "second"),
        (Field::Second, 60, "minute"),
        (Field::Minute, 60, "hour"),
        (Field::Hour, 24, "day"),
        (Field::Day, 31, "month"),
        (Field::Month, 12, "year"),
    ];
    FIELDS.into_iter().find_map(|(field, count, unit)| {
        let text = subject.written.get(field)?;
        let (first, step) = unlimited_step(text, field)?;
        let span = subject.span(field);
        let problem = if let Ok(value) = subject.canonical.get(field)?.parse::<u16>() {
            let message = format_args!("`{text}` is the same as `{value}`: no {unit} has two");
            Problem::warning("uneven-step", span, message)
        } else {
            let steps = (count - 1).saturating_sub(first - field.min_value()) / step;
            if (steps + 1) * step == count && field != Field::Day {
                return None;
            }
            let last = first + steps * step;
            let message = format_args!(
                "`{text}` restarts in each {unit}: after {field} {last} comes {first}"
            );
            Problem::warning("uneven-step", span, message)
        };
        let other = match field {
            Field::Minute => format!("00:{first:02}:00../{step}m"),
            Field::Second => format!("00:00:{first:02}../{step}s"),
            Field::Millisecond if first == 0 => format!("00:00:00../{step}ms"),
            Field::Day => {
                let date = subject.now.to_zoned(subject.job.schedule.zone().clone());
                let time = subject.canonical.text().rsplit(' ').next().unwrap_or_default();
                format!("{}/{step}d {time}", date.strftime("%Y.%m.%d"))
            }
            _ => return Some(problem),
        };
        let until =
            if field == Field::Day { "has even steps" } else { "restarts at midnight only" };
        Some(problem.hint(format_args!("`{other}` in millicron's own language {until}")))
    })
}

/// Returns the first value and the step of `*/7`, `0/7` or `0-59/7`: steps until the end of the field.
fn unlimited_step(text: &str, field: Field) -> Option<(u16, u16)> {
    let (range, step) = text.split_once('/')?;
    let step: u16 = step.parse().ok().filter(|step| *step > 1)?;
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (first, last.parse().ok()?),
        None => (range, field.max_value()),
    };
    let first = if first == "*" { field.min_value() } else { first.parse().ok()? };
    let is_unlimited = last >= field.max_value().min(if field == Field::Day { 31 } else { 999 });
    ((field.min_value()..=last).contains(&first) && is_unlimited).then_some((first, step))
}

/// Events in the gaps and folds of the time zone.
fn clock_change(subject: &Subject<'_>) -> Option<Problem> {
    let schedule = &subject.job.schedule;
    // Events that repeat within the hour keep their pace, as expected.
    if schedule.schedule().in_zone(schedule.zone().clone()).gap() == Gap::Bridge {
        return None;
    }
    let start = subject.now.to_zoned(schedule.zone().clone());
    let end = start.checked_add(2.years()).ok()?;
    let surprise = schedule.surprises(start..end).next()?;
    let clocks = surprise.clocks;
    let text = |civil: CalendarDigits| civil.to_string().trim_end_matches(".000").to_owned();
    let time = |civil: CalendarDigits| text(civil).get(11..).unwrap_or_default().to_owned();
    let message = format_args!(
        "{} {}: the clocks go from {} to {}",
        text(surprise.civil),
        surprise.effect,
        time(clocks.from),
        time(clocks.to)
    );
    let problem = Problem::warning("clock-change", subject.span(Field::Hour), message);
    let (from, to) = (clocks.from.min(clocks.to), clocks.from.max(clocks.to));
    let hint = format_args!("choose a time before {} or from {} on", time(from), time(to));
    Some(problem.hint(hint))
}

/// Jobs that are still running at their next event.
fn long_job(subject: &Subject<'_>) -> Option<Problem> {
    let job = subject.job;
    let gap = job.schedule.schedule().gaps()?.shortest();
    let field = if gap < Duration::from_secs(1) { Field::Millisecond } else { Field::Second };
    let span = subject.span(if gap < Duration::from_mins(1) { field } else { Field::Minute });
    let Some(duration) = job.duration else {
        // A process takes longer than a millisecond.
        let is_all = subject.canonical.get(Field::Millisecond) == Some("*");
        let message = "this starts 1,000 processes a second";
        let problem = (is_all && job.command.is_some())
            .then(|| Problem::warning("long-job", span, message))?;
        return Some(problem.hint("leave the milliseconds out for one run a second"));
    };
    if duration <= gap {
        return None;
    }
    let [taken, gap] = [duration, gap].map(|it| SignedDuration::try_from(it).unwrap_or_default());
    let result = match job.policies.overlap {
        Overlap::Skip => "events in between are skipped".to_owned(),
        Overlap::Allow { max } => format!("up to {} run at once", max.max(1)),
        Overlap::Queue { max } => format!("{max} events wait, and others are skipped"),
        _ => "runs overlap".to_owned(),
    };
    let message =
        format_args!("a run takes {taken:#}, and the next event may come after {gap:#}: {result}");
    Some(Problem::warning("long-job", span, message))
}

/// Schedules without further events.
fn never(subject: &Subject<'_>) -> Option<Problem> {
    if subject.job.schedule.next_event(subject.now).is_some() {
        return None;
    }
    let last = subject.job.schedule.prev_event(subject.now)?;
    let last = last.to_zoned(subject.job.schedule.zone().clone());
    let message = format_args!("the last event was {}", last.strftime("%Y-%m-%d %H:%M:%S"));
    Some(Problem::warning("never", subject.span(Field::Year), message))
}

/// A job that is always killed, if it takes as long as it says.
fn short_timeout(subject: &Subject<'_>) -> Option<Problem> {
    let (duration, timeout) = (subject.job.duration?, subject.job.policies.timeout?);
    if duration <= timeout {
        return None;
    }
    let [duration, timeout] =
        [duration, timeout].map(|it| SignedDuration::try_from(it).unwrap_or_default());
    let message =
        format_args!("a run takes {duration:#}, and the timeout ends it after {timeout:#}");
    Some(Problem::warning("short-timeout", subject.job.span.clone(), message))
}

/// A file in which nothing is scheduled.
fn no_jobs(file: &JobFile, _: Timestamp) -> Vec<Problem> {
    let is_explained = file.problems.iter().any(|problem| problem.level == Level::Error);
    // Most Rust sources have no schedules, and many timers no times of the calendar.
    let may_be_empty = matches!(file.format, FileFormat::Rust | FileFormat::Timer);
    if !file.jobs.is_empty() || is_explained || may_be_empty {
        return Vec::new();
    }
    vec![Problem::warning("no-jobs", 0..0, "the file has no jobs")]
}
