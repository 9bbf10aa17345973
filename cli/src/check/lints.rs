//! The lints about one job, and the list of all.

use std::ops::Range;
use std::time::Duration;

use jiff::{SignedDuration, ToSpan};
use millicron::{CalendarDigits, Dialect, Field, Gap, Language};
use millicron_scheduler::Overlap;

use super::fields::values;
use super::{Find, Lint, Subject, herd};
use crate::file::Problem;

/// All lints.
pub(crate) const LINTS: &[Lint] = &[
    Lint {
        name: "clock-change",
        summary: "a time that a clock change of the time zone skips or repeats",
        find: Find::Job(clock_change),
    },
    Lint {
        name: "day-and-weekday",
        summary: "a crontab's day and weekday that are joined by AND, as one begins with `*`",
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
        summary: "a schedule without any event from now on",
        find: Find::Job(never),
    },
    Lint { name: "no-calendar", summary: "a timer without `OnCalendar=`", find: Find::Reading },
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
        name: "six-fields",
        summary: "a crontab's line with six fields; cron reads only five",
        find: Find::Reading,
    },
    Lint {
        name: "uneven-step",
        summary: "a step that does not divide the range of its field",
        find: Find::Job(uneven_step),
    },
    Lint {
        name: "unknown-setting",
        summary: "a setting of a timer that systemd ignores",
        find: Find::Reading,
    },
];

const CRONTAB: Language = Language::Dialect(Dialect::Crontab);

impl Subject<'_> {
    /// Returns where a field is in the file, or else the schedule.
    fn span(&self, field: Field) -> Range<usize> {
        let start = self.job.span.start;
        match self.written.span(field).filter(|_| self.is_verbatim) {
            Some(span) => start + span.start..start + span.end,
            None => self.job.span.clone(),
        }
    }

    /// Returns where all fields from one to another are in the file.
    fn span_over(&self, one: Field, other: Field) -> Range<usize> {
        let (one, other) = (self.span(one), self.span(other));
        one.start.min(other.start)..one.end.max(other.end)
    }

    /// Returns a field of the canonical text, unless it is every value.
    fn limited(&self, field: Field) -> Option<&str> {
        self.canonical.get(field).filter(|text| *text != "*")
    }
}

/// The days from the 29th on, which some months lack.
fn rare_day(subject: &Subject<'_>) -> Option<Problem> {
    const MONTHS: [(&str, u16); 12] = [
        ("January", 31),
        ("February", 28),
        ("March", 31),
        ("April", 30),
        ("May", 31),
        ("June", 30),
        ("July", 31),
        ("August", 31),
        ("September", 30),
        ("October", 31),
        ("November", 30),
        ("December", 31),
    ];
    let text = subject.limited(Field::Day)?;
    let days = values(text, Field::Day)?;
    let single = text.split(',').filter_map(|item| item.parse::<u16>().ok()).max();
    let lowest = days.first().copied();
    let day = lowest.filter(|day| *day >= 29).or(single).filter(|day| (29..=31).contains(day))?;
    let months = subject.limited(Field::Month).and_then(|text| values(text, Field::Month));
    let has_month = |month: u16| months.as_ref().is_none_or(|months| months.contains(&month));
    let lacking: Vec<_> =
        (1..).zip(MONTHS).filter(|(month, (_, last))| has_month(*month) && *last < day).collect();
    let (last, first) = lacking.split_last()?;
    let name = |(_, (name, _)): &(u16, (&'static str, u16))| *name;
    let first: Vec<_> = first.iter().map(name).collect();
    let (names, verbs) = match first.join(", ") {
        first if first.is_empty() => (name(last).to_owned(), ("has", "is")),
        first => (format!("{first} and {}", name(last)), ("have", "are")),
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
    let message = format_args!("{names} {has} no day {day}{leap}, and {is} passed over");
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
    let (from, to) = subject.limited(Field::Day)?.split_once('-')?;
    let (from, to): (u16, u16) = (from.parse().ok()?, to.parse().ok()?);
    let weekday = subject.limited(Field::Weekday).filter(|_| !subject.canonical.has_or)?;
    let weekday: u16 = weekday.parse().ok()?;
    if from < 22 || to < 29 {
        return None;
    }
    let name = Field::Weekday.long_name_of(weekday)?;
    let hint = match subject.job.language {
        Language::Millicron => format!("write `{}#L` without the days", name.get(..3)?),
        Language::Dialect(Dialect::Systemd) => {
            format!("write `{} *-*~07/1`", name.get(..3)?)
        }
        Language::Dialect(Dialect::Quartz) => format!("write `{}L` as the weekday", weekday + 1),
        _ => format!("`{}#L` is that in millicron's own language", name.get(..3)?),
    };
    let span = subject.span_over(Field::Day, Field::Weekday);
    let message =
        format_args!("not the last {name} of each month: some months have none from day {from} on");
    Some(Problem::warning("last-weekday", span, message).hint(hint))
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
        "joined by OR: this runs on each day of month `{day}`, and on each weekday `{weekday}`"
    );
    let hint = format_args!("both at once are `{both}` in millicron's own language");
    Some(Problem::warning("day-or-weekday", span, message).hint(hint))
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
    let message = format_args!("joined by AND, as `{has_star}` begins with `*`: both must hold");
    Some(Problem::warning("day-and-weekday", span, message).hint("cron joins others by OR"))
}

/// `* 9 * * *`, which is 60 times from 9:00 to 9:59.
fn every_minute(subject: &Subject<'_>) -> Option<Problem> {
    let hour: u16 = subject.canonical.get(Field::Hour)?.parse().ok()?;
    let is_all = subject.canonical.get(Field::Minute) == Some("*");
    if !is_all || subject.limited(Field::Second).is_none() {
        return None;
    }
    let message = format_args!("60 times, in each minute from {hour:02}:00 to {hour:02}:59");
    let problem = Problem::warning("every-minute", subject.span(Field::Minute), message);
    Some(problem.hint("write `0` as the minute for once"))
}

/// Steps such as `*/7`: the last gap of each hour is shorter.
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
        let step: u16 = text.strip_prefix("*/")?.parse().ok().filter(|step| *step > 1)?;
        let is_day = field == Field::Day;
        if step >= count || (count.is_multiple_of(step) && !is_day) {
            return None;
        }
        let first = field.min_value();
        let last = first + (count - 1) / step * step;
        let message =
            format_args!("`*/{step}` restarts in each {unit}: after {field} {last} comes {first}");
        let problem = Problem::warning("uneven-step", subject.span(field), message);
        let other = match field {
            Field::Minute => format!("00:00:00../{step}m"),
            Field::Second => format!("00:00:00../{step}s"),
            Field::Millisecond => format!("00:00:00../{step}ms"),
            Field::Day => {
                let date = subject.now.to_zoned(subject.job.schedule.zone().clone());
                let time = subject.canonical.text().rsplit(' ').next().unwrap_or_default();
                format!("{}/{step}d {time}", date.strftime("%Y.%m.%d"))
            }
            _ => return Some(problem),
        };
        let until = if is_day { "has even steps" } else { "restarts at midnight only" };
        Some(problem.hint(format_args!("`{other}` in millicron's own language {until}")))
    })
}

/// Times in the gaps and folds of the time zone.
fn clock_change(subject: &Subject<'_>) -> Option<Problem> {
    let schedule = &subject.job.schedule;
    // What repeats within the hour is bridged, and surprises nobody.
    if schedule.gap() == Gap::Bridge {
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

/// Jobs that are not done when their next event comes.
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

/// Schedules that are over.
fn never(subject: &Subject<'_>) -> Option<Problem> {
    if subject.job.schedule.next_event(subject.now).is_some() {
        return None;
    }
    let last = subject.job.schedule.prev_event(subject.now)?;
    let last = last.to_zoned(subject.job.schedule.zone().clone());
    let message = format_args!("the last event was {}", last.strftime("%Y-%m-%d %H:%M:%S"));
    Some(Problem::warning("never", subject.span(Field::Year), message))
}
