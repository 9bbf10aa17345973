//! `millicron simulate`.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use comfy_table::{CellAlignment, ColumnConstraint, Table};
use jiff::Timestamp;
use jiff::civil::Time as CivilTime;
use jiff::tz::TimeZone;
use millicron_pictures::{HourlyLoad, Length, counted, number};
use serde_json::{Value, json};

use crate::error::Error;
use crate::file::{FileArguments, JobFile, duration};
use crate::output::{self, Output};
use crate::query::clock::Clock;
use crate::query::picture::PictureArguments;
use crate::query::simulation::{JobResult, Results, Simulation};
use crate::times::{Now, Time, zone_name};

/// Simulate the jobs in a file: runs, skips, waits, and the most runs at once
///
/// Jobs run for the `duration` in the file, with their policies for overlaps, missed events, timeouts and
/// jitter, but regardless of their needs. No command is started. Without `--format` and `--output`, a table and the
/// load by hour are shown.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron simulate jobs.toml
  millicron simulate jobs.toml --days 30 --workers 4
  millicron simulate crontab --duration 90s --sleep 22:00-07:00
  millicron simulate jobs.toml --output load.svg")]
pub(crate) struct Simulate {
    #[command(flatten)]
    file: FileArguments,

    /// How many days to simulate
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=3660))]
    days: u16,

    /// When to begin
    #[arg(long, value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    from: Time,

    /// How long jobs without a `duration` run
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    duration: Duration,

    /// The most runs at once; others wait [default: no limit]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,

    /// When the machine sleeps each day, such as 22:00-07:00
    #[arg(long, value_name = "TIME-TIME", value_parser = times)]
    sleep: Option<(CivilTime, CivilTime)>,

    #[command(flatten)]
    picture: PictureArguments,
}

/// Parses two times of day.
fn times(text: &str) -> Result<(CivilTime, CivilTime), String> {
    let time = |text: &str| CivilTime::strptime("%H:%M", text.trim()).ok();
    let times = text.split_once('-').and_then(|(from, to)| Some((time(from)?, time(to)?)));
    let times = times.filter(|(from, to)| from != to);
    times.ok_or_else(|| "expected two times such as `22:00-07:00`".to_owned())
}

impl Simulate {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let file = self.file.read()?;
        let zone = self.file.reading.shown_zone(&file)?;
        let start = self.from.resolve(now, &zone)?;
        let Self { days, duration, sleep, .. } = self;
        let workers = self.workers.and_then(|workers| usize::try_from(workers).ok());
        let simulation = Simulation { start, days, duration, workers, sleep };
        let results = simulation.run(&file)?;
        self.show(&file, &results, &zone, output)?;
        simulation.note_years()
    }

    /// Writes the results.
    fn show(
        &self,
        file: &JobFile,
        results: &Results,
        zone: &TimeZone,
        output: &mut Output,
    ) -> Result<(), Error> {
        let name = file.path.display().to_string();
        let in_words = counted(self.days.into(), "day");
        if output.is_json() {
            return self.picture.json(&to_json(file, results, zone), output);
        }
        if self.picture.is_default() {
            writeln!(output, "{}\n", table(file, results, output.width()).trim_fmt())?;
            write_notes(file, results, self.duration, output)?;
        }
        let picture = HourlyLoad::new(&name, &zone_name(zone), &in_words, results.hours);
        self.picture.draw(&picture, output)
    }
}

/// A column of the table: its heading, and its text for a job.
type ResultColumn = (&'static str, fn(&JobResult) -> String);

const COLUMNS: [ResultColumn; 6] = [
    ("runs", |result| number(result.runs)),
    ("skipped", |result| number(result.overlapped)),
    ("missed", |result| number(result.missed)),
    ("most", |result| number(result.most)),
    ("killed", |result| number(result.timed_out)),
    ("waits", |result| match result.latest {
        Duration::ZERO => "0".to_owned(),
        latest => Length::from(latest).to_string(),
    }),
];

/// Returns a table with a row for each job, and one for all.
fn table(file: &JobFile, results: &Results, columns: usize) -> Table {
    let rows: Vec<_> = results.jobs.iter().chain([&results.total]).collect();
    // The first columns are always shown, the others only if they are not all 0.
    let is_shown = |(index, (_, text)): &(usize, &ResultColumn)| {
        *index < 4 || rows.iter().any(|result| text(result) != "0")
    };
    let shown: Vec<_> = COLUMNS.iter().enumerate().filter(is_shown).map(|(_, it)| it).collect();
    let headings = ["job"].into_iter().chain(shown.iter().map(|(heading, _)| *heading));
    let names = file.jobs.iter().map(|job| &*job.name).chain(["all"]);
    let rows = names.zip(rows).map(|(name, result)| {
        let texts = shown.iter().map(|(_, text)| text(result));
        [name.to_owned()].into_iter().chain(texts).collect()
    });
    let mut table = output::table(headings, rows, columns);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}

fn write_notes(
    file: &JobFile,
    results: &Results,
    duration: Duration,
    output: &mut Output,
) -> Result<(), Error> {
    let without = file.jobs.iter().filter(|job| job.duration.is_none()).count();
    if without > 0 && duration.is_zero() {
        let jobs = match (without, file.jobs.len()) {
            (1, 1) => "the job takes".to_owned(),
            (without, all) if without == all => format!("all {all} jobs take"),
            (1, all) => format!("1 of {all} jobs takes"),
            (without, all) => format!("{without} of {all} jobs take"),
        };
        writeln!(output, "{jobs} no time:")?;
        writeln!(output, "add `duration`, or use `--duration`\n")?;
    }
    writeln!(output, "skipped: while a run was in progress\nmost: the most runs at once")?;
    if results.total.missed > 0 {
        writeln!(output, "missed: while the machine slept")?;
    }
    if file.jobs.iter().any(|job| !job.needs.is_empty()) {
        writeln!(output, "`needs` are not simulated")?;
    }
    Ok(writeln!(output)?)
}

fn to_json(file: &JobFile, results: &Results, zone: &TimeZone) -> Value {
    let result = |name: &str, result: &JobResult| {
        json!({
            "name": name,
            "runs": result.runs,
            "skipped": result.overlapped,
            "missed": result.missed,
            "killed": result.timed_out,
            "most": result.most,
            "longest_wait_ms": Length::from(result.latest).0,
        })
    };
    let jobs = file.jobs.iter().zip(&results.jobs).map(|(job, counts)| result(&job.name, counts));
    let hours = results.hours.iter().map(|hour| json!({ "runs": hour.starts, "most": hour.most }));
    let most_at = results.most_at.and_then(|at| Timestamp::try_from(at).ok());
    let most_at = most_at.map(|at| Clock::of_zone(zone).json(at.as_millisecond()));
    json!({
        "jobs": jobs.collect::<Vec<_>>(),
        "all": result("all", &results.total),
        "first_most": most_at,
        "hours": hours.collect::<Vec<_>>(),
    })
}
