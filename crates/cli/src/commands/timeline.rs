//! `millicron timeline`.

use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use millicron_pictures::{Timeline as Picture, TimelineJob};
use serde_json::{Value, json};

use crate::error::{Error, note};
use crate::file::{FileArguments, JobEntry, JobFile};
use crate::output::Output;
use crate::query::clock::Clock;
use crate::query::picture::PictureArguments;
use crate::times::{Now, Time, no_day, zone_name};

/// Draw all jobs of a file over a day or a week, and how many run at once
///
/// Each event is drawn as a run, even where the policy `overlap` skips it: `millicron simulate` applies policies.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron timeline jobs.toml
  millicron timeline /etc/crontab --week --date 2026-03-23
  millicron timeline jobs.toml --zone Europe/Berlin --output jobs.html")]
pub(crate) struct Timeline {
    #[command(flatten)]
    file: FileArguments,

    /// The day, or the first day of the week
    #[arg(long, value_name = "TIME", default_value = "today", allow_hyphen_values = true)]
    date: Time,

    /// Draw seven days
    #[arg(long)]
    week: bool,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Timeline {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let file = self.file.read()?;
        let zone = self.file.reading.shown_zone(&file)?;
        let date = self.date.date(now, &zone)?;
        let (midnight, days) = (date.at(0, 0, 0, 0).into(), if self.week { 7 } else { 1 });
        let jobs = file.jobs.iter().map(timeline_job).collect::<Vec<_>>();
        let name = file.path.display().to_string();
        let timeline = Picture::new(&jobs, &zone, midnight, days, &name);
        let timeline = timeline.ok_or_else(|| no_day(date, &zone))?;
        self.picture.show(&timeline, || to_json(&timeline, date, &zone), output)?;
        note_without_jobs(&file, output)
    }
}

fn timeline_job(job: &JobEntry) -> TimelineJob<'_> {
    // The timeout ends a run.
    let most = job.policies.timeout.unwrap_or(Duration::MAX);
    let duration = job.duration.map(|duration| duration.min(most));
    TimelineJob { name: &job.name, events: &job.schedule, duration }
}

/// Notes that a file has no jobs, as the picture may not show it.
pub(crate) fn note_without_jobs(file: &JobFile, output: &mut Output) -> Result<(), Error> {
    if file.jobs.is_empty() && !output.is_json() {
        output.flush()?;
        note(format_args!("{} has no jobs", file.path.display()));
    }
    Ok(())
}

fn to_json(timeline: &Picture, date: Date, zone: &TimeZone) -> Value {
    let mut clock = Clock::of_zone(zone);
    let mut at = |instant, object| clock.add_to_json(object, instant);
    let jobs = timeline.starts().map(|(name, starts)| json!({ "name": name, "starts": starts }));
    let jobs = jobs.collect::<Vec<_>>();
    let mut load = timeline.load().collect::<Vec<_>>();
    load.dedup_by_key(|(_, runs)| *runs);
    let load = load.iter().map(|(instant, runs)| at(*instant, json!({ "runs": runs })));
    let load = load.collect::<Vec<_>>();
    let peak = timeline.peak().map(|(runs, instant)| at(instant, json!({ "runs": runs })));
    let herd = timeline.herd().map(|(instant, indices)| {
        let names = indices.iter().filter_map(|index| timeline.starts().nth(*index));
        let names = names.map(|(name, _)| name).collect::<Vec<_>>();
        at(instant, json!({ "jobs": names }))
    });
    json!({
        "date": date.to_string(),
        "days": timeline.dates().count(),
        "time_zone": zone_name(zone),
        "jobs": jobs,
        "load": load,
        "peak": peak,
        "herd": herd,
    })
}
