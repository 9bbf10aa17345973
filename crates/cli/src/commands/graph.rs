//! `millicron graph`.

use std::ops::Range;
use std::panic;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::{ToSpan as _, ZonedDateTime};
use millicron_pictures::{Graph as Picture, GraphJob, GraphNeed, GraphRuns};
use millicron_pipeline::{Diagram, Pipeline};
use serde_json::{Value, json};

use crate::commands::timeline::note_without_jobs;
use crate::error::Error;
use crate::file::{FileArguments, JobFile};
use crate::output::Output;
use crate::query::picture::{PictureArguments, PictureFormat, drawn};
use crate::times::{Now, Time};

/// Draw which jobs of a file need others, and how their runs ended
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron graph pipeline.toml
  millicron graph pipeline.toml --format mermaid
  millicron graph pipeline.toml --history runs.db --from yesterday --output graph.svg")]
pub(crate) struct Graph {
    #[command(flatten)]
    file: FileArguments,

    /// A history of runs in an SQLite file, as written by `millicron run --history`
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Count runs from this time on [default: a day before --until]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "history")]
    from: Option<Time>,

    /// Count runs before this time
    #[arg(long, value_name = "TIME", default_value = "now", allow_hyphen_values = true)]
    #[arg(requires = "history")]
    until: Time,

    #[command(flatten)]
    picture: PictureArguments<GraphFormat>,
}

/// The format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// Text for a terminal
    #[value(alias = "txt")]
    Text,
    /// A Mermaid flowchart, for Markdown
    #[value(alias = "mmd")]
    Mermaid,
    /// The DOT language of Graphviz
    #[value(alias = "gv")]
    Dot,
    /// A scalable picture, 900 pixels wide with --width 90
    Svg,
    /// A page that shows details of what is hovered or focused; use --width 40 for phones
    #[value(alias = "htm")]
    Html,
}

impl Graph {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let file = self.file.read()?;
        let pipeline = file.pipeline().map_err(Error::of)?;
        let range = self.range(&file, now)?;
        let diagram = self.diagram(&pipeline, range.as_ref())?;
        let picture = picture(&title(&file, range), &file, &pipeline, &diagram);
        silence_layout();
        if output.is_json() {
            self.picture.json(&to_json(&picture), output)?;
            return Ok(());
        }
        let text = match self.picture.format(GraphFormat::Text)? {
            GraphFormat::Text => drawn(&picture, PictureFormat::Text, output),
            GraphFormat::Mermaid => diagram.to_mermaid(),
            GraphFormat::Dot => diagram.to_dot(),
            GraphFormat::Svg => drawn(&picture, PictureFormat::Svg, output),
            GraphFormat::Html => drawn(&picture, PictureFormat::Html, output),
        };
        self.picture.write(&text, output)?;
        note_without_jobs(&file, output)
    }

    /// Returns the range in which runs count, if there is a history.
    fn range(&self, file: &JobFile, now: &Now) -> Result<Option<Range<ZonedDateTime>>, Error> {
        if self.history.is_none() {
            return Ok(None);
        }
        let zone = self.file.reading.shown_zone(file)?;
        let until = self.until.resolve(now, &zone)?;
        let from = match &self.from {
            Some(from) => from.resolve(now, &zone)?,
            None => until.checked_sub(1.day()).map_err(Error::of)?,
        };
        if from > until {
            return Err(Error::new("the end is before the start")
                .hint("write a `--from` before `--until`, which is now by default"));
        }
        Ok(Some(from..until))
    }

    /// Returns the graph, including how runs ended if there is a history.
    fn diagram<'p>(
        &self,
        pipeline: &'p Pipeline,
        range: Option<&Range<ZonedDateTime>>,
    ) -> Result<Diagram<'p>, Error> {
        let (Some(path), Some(range)) = (&self.history, range) else {
            return Ok(pipeline.diagram());
        };
        let millis = |time: &ZonedDateTime| time.timestamp().as_millisecond();
        diagram_of_runs(pipeline, path, millis(&range.start)..millis(&range.end))
    }
}

/// Keeps panics of the crate `layout-rs` off standard error. It panics on rare
/// graphs, which are then laid out in columns.
fn silence_layout() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|location| location.file().contains("layout-rs")) {
            report(panic);
        }
    }));
}

/// Returns the heading: the file, and the range of runs that count.
fn title(file: &JobFile, range: Option<Range<ZonedDateTime>>) -> String {
    let path = file.path.display();
    let time = |time: ZonedDateTime| time.strftime("%Y-%m-%d %H:%M").to_string();
    range.map_or_else(
        || path.to_string(),
        |range| format!("{path} · runs from {} to {}", time(range.start), time(range.end)),
    )
}

/// Returns the graph with the runs of a history that were scheduled in a range of milliseconds since 1970.
#[cfg(feature = "history")]
fn diagram_of_runs<'p>(
    pipeline: &'p Pipeline,
    path: &Path,
    range: Range<i64>,
) -> Result<Diagram<'p>, Error> {
    if !path.exists() {
        return Err(Error::new(format_args!("there is no history {}", path.display()))
            .hint("`millicron run --history`, or a program with `SqliteHistory`, writes one"));
    }
    let history = millicron_history::SqliteHistory::open_read_only(path).map_err(Error::of)?;
    pipeline.diagram_of_runs(&history, range).map_err(Error::of)
}

#[cfg(not(feature = "history"))]
fn diagram_of_runs<'p>(_: &'p Pipeline, _: &Path, _: Range<i64>) -> Result<Diagram<'p>, Error> {
    Err(Error::without_feature("--history", "history"))
}

fn picture(title: &str, file: &JobFile, pipeline: &Pipeline, diagram: &Diagram<'_>) -> Picture {
    let names = pipeline.jobs().collect::<Vec<_>>();
    let mut needs = Vec::new();
    for (to, name) in names.iter().enumerate() {
        for need in pipeline.job(name).into_iter().flat_map(|job| job.needs()) {
            if let Some(from) = names.iter().position(|name| *name == need.upstream) {
                let (label, is_alternative) = (need.to_string(), need.is_alternative);
                needs.push(GraphNeed { from, to, label, is_alternative });
            }
        }
    }
    let mut runs = diagram.run_counts().iter();
    let jobs = file.jobs.iter().map(|job| GraphJob {
        name: job.name.clone(),
        schedule: job.text.clone(),
        runs: runs.next().map(|runs| GraphRuns {
            succeeded: runs.succeeded,
            failed: runs.failed,
            skipped: runs.skipped,
            not_recorded: runs.not_recorded,
        }),
    });
    Picture::new(title, jobs.collect(), needs)
}

fn to_json(picture: &Picture) -> Value {
    let jobs = picture.jobs().iter().map(|job| {
        let runs = job.runs.map(|runs| {
            let GraphRuns { succeeded, failed, skipped, not_recorded } = runs;
            json!({ "succeeded": succeeded, "failed": failed, "skipped": skipped, "not_recorded": not_recorded })
        });
        json!({ "name": job.name, "schedule": job.schedule, "runs": runs })
    });
    let jobs_json = jobs.collect::<Vec<_>>();
    let name = |index: usize| picture.jobs().get(index).map(|job| &job.name);
    let needs = picture.needs().iter().map(|need| {
        let (from, to) = (name(need.from), name(need.to));
        json!({ "job": to, "needs": from, "runs": need.label, "alternative": need.is_alternative })
    });
    json!({ "jobs": jobs_json, "needs": needs.collect::<Vec<_>>() })
}
