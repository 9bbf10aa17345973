//! `millicron explain`.

use std::io::Write;

use clap::Args;
use jiff::ToSpan;
use jiff::civil::Date;
use millicron::calendar::{MILLIS_PER_DAY, civil_date};
use millicron::{Dialect, Gaps, Language, Period, Recurrence, Schedule, Unit};
use millicron_pictures::{ClockChangeEvents, Length};
use serde_json::{Value, json};

use crate::commands::convert::Translation;
use crate::error::Error;
use crate::file::next_closed_weekday;
use crate::output::{BOLD, Output};
use crate::query::changes::changes_to_json;
use crate::query::clock::Clock;
use crate::query::events::{EventWriter, write_upcoming};
use crate::query::schedule::{ScheduleArguments, ScheduleRead};
use crate::times::{Now, zone_name};

/// Describe a schedule in words: when, how often, and how clock changes affect it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron explain '0 9 * * MON-FRI'
  millicron explain '30 2 * * *' --zone Europe/Berlin
  millicron explain 'Mon..Fri 09:30 America/New_York' --json")]
pub(crate) struct Explain {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// How many upcoming events to show
    #[arg(short = 'n', long, default_value_t = 3, value_parser = number, allow_hyphen_values = true)]
    number: usize,
}

/// Reads a number of events, which may be 0.
fn number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "write a whole number, 0 or more")
}

/// The output of `explain`.
struct Explanation {
    now: i64,
    /// The end of the range in which clock changes are listed.
    until: Date,
    /// `None` with `-n 0`.
    next: Option<Vec<i64>>,
    translations: Vec<Translation>,
    gaps: Option<Gaps>,
    changes: Vec<ClockChangeEvents>,
    /// The names of the schedule's calendars, and the next day from Monday to Friday that each does not have.
    calendars: Vec<(String, Option<Date>)>,
}

impl Explain {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let start = now.millis(&read.shown)?;
        let until = now.in_zone(&read.shown)?.saturating_add(2.years());
        let today = now.in_zone(read.schedule.zone())?.date();
        let explanation = Explanation {
            now: start,
            until: until.date(),
            next: (self.number > 0)
                .then(|| read.schedule.events(start..).take(self.number).collect()),
            translations: {
                let zone = read.schedule.zone().iana_name().filter(|_| read.has_zone);
                Language::ALL.map(|it| Translation::new(&read, it, zone)).into()
            },
            gaps: read.schedule.schedule().gaps(),
            changes: ClockChangeEvents::list(
                &read.schedule,
                start..until.timestamp().as_millisecond(),
            ),
            calendars: read
                .calendars()
                .into_iter()
                .map(|(name, days)| (name.to_owned(), next_closed_weekday(days, today)))
                .collect(),
        };
        if output.is_json() {
            output.json(&explanation.to_json(&read))
        } else {
            explanation.write(&read, output)
        }
    }
}

impl Explanation {
    fn to_json(&self, read: &ScheduleRead) -> Value {
        let schedule = read.schedule.schedule();
        let period = schedule.period();
        let gaps = self.gaps.map(|gaps| {
            let [shortest, longest, mean] =
                [gaps.shortest(), gaps.longest(), gaps.mean()].map(|it| Length::from(it).0);
            json!({ "shortest_ms": shortest, "longest_ms": longest, "mean_ms": mean })
        });
        let mut writer = EventWriter::new(read);
        let mut clock = Clock::new(&read.shown, schedule);
        json!({
            "text": read.text,
            "language": read.language.keyword(),
            "description": read.language.describe(schedule).to_string(),
            "canonical": schedule.to_string(),
            "calendars": self.calendars.iter().map(|(name, next_closed)| json!({
                "name": name,
                "next_closed": next_closed.map(|date| date.to_string()),
            })).collect::<Value>(),
            "time_zone": zone_name(read.schedule.zone()),
            "translations": self.translations,
            "period": { "count": period.count, "unit": period.unit.to_string() },
            "gaps": gaps,
            "next": self.next.iter().flatten().map(|event| json!(writer.json(*event))).collect::<Value>(),
            "clock_changes": changes_to_json(&self.changes, &mut clock),
        })
    }

    fn write(&self, read: &ScheduleRead, output: &mut Output) -> Result<(), Error> {
        let schedule = read.schedule.schedule();
        write!(output, "{BOLD}")?;
        output.wrapped(0, &read.language.describe(schedule).to_string())?;
        writeln!(output, "{BOLD:#}\n")?;
        let own = [read.language.keyword(), Language::Millicron.keyword()];
        let others = self.translations.iter().filter(|it| !own.contains(&it.language));
        let mut row = |label: &str, text: &str| output.labelled(label, 12, text);
        row("language", &read.language.to_string())?;
        row("canonical", &schedule.to_string())?;
        for (name, next_closed) in &self.calendars {
            row("calendar", &calendar_text(name, *next_closed))?;
        }
        row("time zone", &zone_text(read))?;
        row("period", &period_text(schedule))?;
        row("gaps", &gaps_text(schedule, self.gaps, !self.changes.is_empty()))?;
        for Translation { language, text, .. } in others {
            if let Some(text) = text {
                row(language, text)?;
            }
        }
        if let Some(next) = &self.next {
            write_upcoming(read, self.now, next, output)?;
        }
        self.write_changes(read, output)
    }

    fn write_changes(&self, read: &ScheduleRead, output: &mut Output) -> Result<(), Error> {
        writeln!(output, "\n{BOLD}Clock changes within two years{BOLD:#}")?;
        if self.changes.is_empty() {
            let zone = zone_name(read.schedule.zone());
            return output.labelled("", 2, &format!("none in {zone}"));
        }
        if self.changes.iter().all(|it| it.affected.is_empty()) {
            let (count, until) = (self.changes.len(), self.until);
            return output.labelled("", 2, &format!("{count} until {until}: no event is affected"));
        }
        for change in &self.changes {
            let none = if change.affected.is_empty() { ", which affects no event" } else { "" };
            output.labelled("", 2, &format!("{change}{none}"))?;
            for events in &change.affected {
                output.labelled("", 4, &events.to_string())?;
            }
        }
        if read.language == Language::Dialect(Dialect::Systemd) {
            let note = "systemd itself skips events in a gap, and in the second pass of a fold";
            output.labelled("", 2, note)?;
        }
        Ok(())
    }
}

/// Returns the name of a calendar, and its next closed day.
fn calendar_text(name: &str, next_closed: Option<Date>) -> String {
    match next_closed {
        Some(date) => {
            let weekday = date.strftime("%A");
            format!("{name}: the next closed day is {date} (a {weekday})")
        }
        None => format!("{name}: all later days from Monday to Friday"),
    }
}

/// Returns the schedule's time zone, and the displayed one if it differs.
fn zone_text(read: &ScheduleRead) -> String {
    let (own, shown) = (zone_name(read.schedule.zone()), zone_name(&read.shown));
    if own == shown { own } else { format!("{own}, shown in {shown}") }
}

/// Returns how often events occur, prefixed with `up to` if some periods have fewer.
fn period_text(schedule: &Schedule) -> String {
    if schedule.count(..) == 1 {
        return String::from("once");
    }
    let period = schedule.period();
    let is_constant = is_constant(schedule, period).unwrap_or(false);
    if is_constant { period.to_string() } else { format!("up to {period}") }
}

/// Whether each unit from the first event to the last has as many events as the one with the most.
/// Ignores the first and the last unit of all years, as a week or a window may be cut off there.
fn is_constant(schedule: &Schedule, Period { unit, count }: Period) -> Option<bool> {
    let (first, last) = (schedule.next_event(i64::MIN)?, schedule.prev_event(i64::MAX)?);
    let start_of = |event| schedule.unit_start(unit, event, 0);
    let start = match start_of(first).filter(|start| start_of(start - 1).is_some()) {
        Some(start) => start,
        None => schedule.unit_end(unit, first)?,
    };
    let end = schedule.unit_end(unit, last).or_else(|| start_of(last))?;
    let months = |instant: i64| {
        let (year, month, _) = civil_date(instant.div_euclid(MILLIS_PER_DAY));
        12 * i64::from(year) + i64::from(month)
    };
    let units = match unit {
        Unit::Millisecond => end - start,
        Unit::Second => (end - start) / 1000,
        Unit::Minute => (end - start) / 60_000,
        Unit::Hour => (end - start) / 3_600_000,
        Unit::Day => (end - start) / MILLIS_PER_DAY,
        Unit::Week => (end - start) / (7 * MILLIS_PER_DAY),
        Unit::Month => months(end) - months(start),
        Unit::Year => (months(end) - months(start)) / 12,
    };
    let most = u64::try_from(units).ok().filter(|units| *units > 0)?.checked_mul(count)?;
    // No unit has more than `count`.
    Some(schedule.count(start..end) == most)
}

/// Returns how far apart events are. Clock changes make other gaps.
fn gaps_text(schedule: &Schedule, gaps: Option<Gaps>, has_changes: bool) -> String {
    let Some(gaps) = gaps else {
        let is_once = schedule.count(..) == 1;
        return if is_once { "none: there is only one event" } else { "too many to compare" }
            .into();
    };
    let [shortest, mean, longest] =
        [gaps.shortest(), gaps.mean(), gaps.longest()].map(Length::from);
    let in_local_time = if has_changes { ", in local time" } else { "" };
    if gaps.shortest() == gaps.longest() {
        format!("always {shortest}{in_local_time}")
    } else {
        format!("{shortest} to {longest}, {mean} on average{in_local_time}")
    }
}
