//! `millicron timeline`.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::CalendarDigits;
use millicron_pictures::{Timeline as Picture, TimelineJob};
use serde_json::json;

use crate::error::Error;
use crate::file::{FileArguments, JobEntry};
use crate::output::Output;
use crate::picture::PictureArguments;
use crate::times::{Now, Time};

/// Draw all jobs of a file over a day or a week, and how many run at once
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron timeline jobs.toml
  millicron timeline /etc/crontab --week --date 2026-03-23
  millicron timeline jobs.toml --zone Europe/Berlin --output jobs.html")]
pub(crate) struct Timeline {
    #[command(flatten)]
    file: FileArguments,

    /// The day, or the first of the week [default: today]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    date: Option<Time>,

    /// Draw seven days
    #[arg(long)]
    week: bool,

    #[command(flatten)]
    picture: PictureArguments,
}

impl Timeline {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let zone = self.file.reading.options()?.zone;
        let file = self.file.read()?;
        let time = match self.date {
            Some(time) => time.resolve(now, &zone)?,
            None => now.in_zone(&zone),
        };
        let (date, days) = (CalendarDigits::from(time.datetime()), if self.week { 7 } else { 1 });
        let jobs = file.jobs.iter().map(timeline_job).collect::<Vec<_>>();
        let name = file.path.display().to_string();
        let Some(timeline) = Picture::new(&jobs, &zone, date, days, &name) else {
            return Err(Error::new(format_args!("there is no day {} to draw", time.date()))
                .hint("write a day from 2000-01-01 to 2100-12-31"));
        };
        if output.is_json() {
            output.json(&to_json(&timeline, &zone))?;
        } else {
            self.picture.draw(&timeline, output)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn timeline_job(job: &JobEntry) -> TimelineJob<'_> {
    TimelineJob { name: &job.name, events: &job.schedule, duration: job.duration }
}

fn to_json(timeline: &Picture, zone: &TimeZone) -> serde_json::Value {
    let time = |instant: i64| {
        let instant = Timestamp::from_millisecond(instant).ok()?;
        Some(instant.to_zoned(zone.clone()).to_string())
    };
    let jobs = timeline.starts().map(|(name, starts)| json!({ "name": name, "starts": starts }));
    let jobs = jobs.collect::<Vec<_>>();
    let peak = timeline.peak().map(|(runs, at)| json!({ "runs": runs, "first": time(at) }));
    let herd = timeline.herd().map(|(at, indices)| {
        let names = indices.iter().filter_map(|index| timeline.starts().nth(*index));
        json!({ "time": time(at), "jobs": names.map(|(name, _)| name).collect::<Vec<_>>() })
    });
    json!({ "jobs": jobs, "peak": peak, "herd": herd })
}
