//! [`Diagram`]: the graph of a pipeline, as text for programs that draw it.

mod dot;
mod mermaid;
mod text;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::{ControlFlow, RangeInclusive};

use millicron::{MomentRange, Recurrence as _};
use millicron_history::{History, RunQuery, RunState};

use crate::error::QueryError;
use crate::model::job::{Job, Requirement};
use crate::model::pipeline::Pipeline;
use crate::query::explain::Frequency;
use crate::query::job::Dependency;

impl Pipeline {
    /// Returns a diagram of the jobs and their needs.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::all("load")])
    ///     .build()?;
    ///
    /// assert_eq!(pipeline.diagram().to_dot(), r##"digraph {
    ///     rankdir=LR;
    ///     node [shape=box, style="rounded,filled", fillcolor="#ffffff"];
    ///     job0 [label="load\n*:01:04"];
    ///     job1 [label="report\n3:01:03"];
    ///     job0 -> job1 [label="all"];
    /// }
    /// "##);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn diagram(&self) -> Diagram<'_> {
        Diagram { jobs: &self.jobs, counts: Vec::new() }
    }

    /// Returns a diagram that shows how each job's runs in a range ended, such as the runs of a
    /// day.
    ///
    /// # Errors
    ///
    /// A civil time is passed to a pipeline with a time zone, or the history cannot be read.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline, RunState};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:00:00"), [])
    ///     .job("report", schedule!("3:00:00"), [Need::last("load")])
    ///     .build()?;
    ///
    /// let (day, hour) = (1_795_219_200_000, 3_600_000); // 2026-11-21
    /// let mut history = MemoryHistory::new();
    /// history.record("load", day)?;
    /// history.record_state("load", day + hour, RunState::Failed)?;
    /// let diagram = pipeline.diagram_of_runs(&history, day..day + 24 * hour)?.to_mermaid();
    /// assert!(diagram.contains("1 failed, 1 succeeded, 22 not recorded"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn diagram_of_runs<H: History + ?Sized>(
        &self,
        history: &H,
        runs: impl MomentRange,
    ) -> Result<Diagram<'_>, QueryError<H::Error>> {
        let range = self.millis(&runs)?;
        let counts = RunCounts::of(&self.jobs, history, &range).map_err(QueryError::History)?;
        Ok(Diagram { jobs: &self.jobs, counts })
    }
}

/// The graph of a pipeline, for export to Mermaid or Graphviz; returned by [`Pipeline::diagram`]
/// and [`Pipeline::diagram_of_runs`].
///
/// Each job is a node with its name and its schedule. Each need is an edge to the job that has it,
/// dashed if it is one of several [alternatives](crate::Need::any_of). The output is deterministic:
/// it depends only on the pipeline and on how the runs ended. Names may contain any characters.
#[derive(Clone)]
pub struct Diagram<'a> {
    jobs: &'a [Job],
    /// How the runs of each job ended; empty without a history.
    counts: Vec<RunCounts>,
}

impl Diagram<'_> {
    /// Returns the graph as a [Mermaid](https://mermaid.js.org) flowchart, which web pages and
    /// Markdown documents can show.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        mermaid::Mermaid(self).to_string()
    }

    /// Returns the graph in DOT, the language of [Graphviz](https://graphviz.org).
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::Dot(self).to_string()
    }

    /// Returns how the runs of each job ended, in the order of [`Pipeline::jobs`]; empty for a diagram
    /// without a history.
    #[must_use]
    pub fn run_counts(&self) -> &[RunCounts] {
        &self.counts
    }

    fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let node = |(index, job)| Node { index, job, counts: self.counts.get(index).copied() };
        self.jobs.iter().enumerate().map(node)
    }

    fn edges(&self) -> impl Iterator<Item = DiagramEdge<'_>> {
        let edge = |to, requirement: &Requirement| DiagramEdge {
            from: requirement.upstream,
            to,
            need: Dependency::new(self.jobs, requirement),
        };
        let jobs = self.jobs.iter().enumerate();
        jobs.flat_map(move |(to, job)| job.requirements.iter().map(move |it| edge(to, it)))
    }
}

impl fmt::Debug for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.jobs.iter().map(|job| &*job.name).collect::<Vec<_>>();
        f.debug_struct("Diagram").field("jobs", &names).field("counts", &self.counts).finish()
    }
}

/// The node of a job.
struct Node<'a> {
    index: usize,
    job: &'a Job,
    counts: Option<RunCounts>,
}

/// The edge of a need, from the needed job to the job that needs it.
struct DiagramEdge<'a> {
    from: usize,
    to: usize,
    need: Dependency<'a>,
}

impl Node<'_> {
    /// Returns the lines of the label.
    fn lines(&self) -> Vec<String> {
        let Self { job, counts, .. } = self;
        let schedule = match job.timeline.schedule() {
            Some(schedule) => schedule.expression().to_string(),
            None => Frequency(job.timeline.period()).to_string(),
        };
        let mut lines = Vec::from([job.name.to_string(), schedule]);
        lines.extend(counts.map(|counts| counts.to_string()));
        lines
    }
}

/// How the runs of a job in a range ended; returned by [`Diagram::run_counts`].
///
/// Its `Display` writes the counts that are not 0, such as `1 failed, 22 not recorded`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RunCounts {
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were skipped.
    pub skipped: u64,
    /// Events without a recorded run.
    pub not_recorded: u64,
}

/// The states that a node can show, each with its name and a color on which black text is easy to
/// read. A node shows the first state that applies to any of its runs.
const STATES: [(&str, &str); 5] = [
    ("failed", "#f8d0d0"),
    ("incomplete", "#d3e5f8"),
    ("skipped", "#f7ecc3"),
    ("succeeded", "#d0ecd3"),
    ("noRuns", "#eeeeee"),
];

impl RunCounts {
    /// Counts the runs of each job in a range.
    fn of<H: History + ?Sized>(
        jobs: &[Job],
        history: &H,
        range: &RangeInclusive<i64>,
    ) -> Result<Vec<Self>, H::Error> {
        let mut counts = Vec::new();
        counts.resize_with(jobs.len(), Self::default);
        let queries = jobs.iter().map(|job| RunQuery::new(&job.name, range.clone()));
        history.read(&queries.collect::<Vec<_>>(), &mut |job, scheduled, record| {
            // A record that is not at an event belongs to no run.
            if let Some(counts) = counts.get_mut(job)
                && jobs[job].timeline.matches(scheduled)
            {
                match record.state {
                    RunState::Succeeded => counts.succeeded += 1,
                    RunState::Failed => counts.failed += 1,
                    RunState::Skipped => counts.skipped += 1,
                }
            }
            ControlFlow::Continue(())
        })?;
        for (job, counts) in jobs.iter().zip(&mut counts) {
            let recorded = counts.succeeded + counts.failed + counts.skipped;
            // Never negative, unless the recurrence contradicts itself.
            counts.not_recorded = job.timeline.count(range.clone()).saturating_sub(recorded);
        }
        Ok(counts)
    }

    /// Returns the index in [`STATES`] of the state to show.
    fn state(&self) -> usize {
        let Self { succeeded, failed, skipped, not_recorded } = *self;
        let counts = [failed, not_recorded, skipped, succeeded];
        counts.iter().position(|count| *count > 0).unwrap_or(counts.len())
    }
}

impl fmt::Display for RunCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { succeeded, failed, skipped, not_recorded } = *self;
        let states = [
            (failed, "failed"),
            (skipped, "skipped"),
            (succeeded, "succeeded"),
            (not_recorded, "not recorded"),
        ];
        let mut separator = "";
        for (count, state) in states.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {state}")?;
            separator = ", ";
        }
        f.write_str(if separator.is_empty() { "no runs" } else { "" })
    }
}
