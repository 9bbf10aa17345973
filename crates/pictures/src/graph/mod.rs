//! [`Graph`]: the jobs of a pipeline, and their needs.

mod place;
mod svg;
mod text;

use crate::shades::STATES;
use crate::{Picture, words};

/// The jobs of a pipeline, their needs, and how their runs ended, if known.
#[derive(Clone, Debug)]
pub struct Graph {
    subject: String,
    jobs: Vec<GraphJob>,
    /// At most one per pair of jobs.
    needs: Vec<GraphNeed>,
}

/// A job of a [`Graph`].
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "made by its users")]
pub struct GraphJob {
    /// The name.
    pub name: String,
    /// When it runs.
    pub schedule: String,
    /// How its runs ended, if known.
    pub runs: Option<GraphRuns>,
}

/// The number of a job's runs by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by its users")]
pub struct GraphRuns {
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were skipped.
    pub skipped: u64,
    /// Runs without a recorded outcome.
    pub not_recorded: u64,
}

/// A job's need of another job in a [`Graph`], or of its own earlier runs.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "made by its users")]
pub struct GraphNeed {
    /// The index of the job that is needed.
    pub from: usize,
    /// The index of the job that needs it.
    pub to: usize,
    /// Which runs are needed, such as `all`.
    pub label: String,
    /// Whether another need can be met instead.
    pub is_alternative: bool,
}

/// The most notable outcome of a job's runs, in the order of [`STATES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Failed,
    Incomplete,
    Skipped,
    Succeeded,
    NoRuns,
}

impl Graph {
    /// Creates a graph of jobs and needs. The subject, such as a file name, becomes the title. Needs that refer to
    /// missing jobs are left out.
    #[must_use]
    pub fn new(subject: &str, jobs: Vec<GraphJob>, needs: Vec<GraphNeed>) -> Self {
        let mut merged = Vec::<GraphNeed>::new();
        for need in needs {
            if need.from.max(need.to) >= jobs.len() {
                continue;
            }
            let same = |other: &&mut GraphNeed| (other.from, other.to) == (need.from, need.to);
            match merged.iter_mut().find(same) {
                Some(other) => {
                    other.label = format!("{}; {}", other.label, need.label);
                    other.is_alternative &= need.is_alternative;
                }
                None => merged.push(need),
            }
        }
        Self { subject: subject.to_owned(), jobs, needs: merged }
    }

    /// Returns the jobs.
    #[must_use]
    pub fn jobs(&self) -> &[GraphJob] {
        &self.jobs
    }

    /// Returns the needs, merged into one per pair of jobs.
    #[must_use]
    pub fn needs(&self) -> &[GraphNeed] {
        &self.needs
    }

    /// Returns a job's needs, except of its own earlier runs.
    fn needs_of(&self, job: usize) -> impl Iterator<Item = &GraphNeed> {
        self.needs.iter().filter(move |need| need.to == job && need.from != job)
    }

    /// Returns a job's need of its own earlier runs.
    fn own_need(&self, job: usize) -> Option<&GraphNeed> {
        self.needs.iter().find(|need| need.to == job && need.from == job)
    }

    /// Returns the jobs in topological order: each follows the jobs that it needs.
    fn in_order(&self) -> Vec<usize> {
        self.ranks().concat()
    }

    /// Returns the jobs by rank: each is one rank after the last of the jobs that it needs.
    fn ranks(&self) -> Vec<Vec<usize>> {
        let mut waits = vec![0_usize; self.jobs.len()];
        let mut followers = vec![Vec::new(); self.jobs.len()];
        for need in self.needs.iter().filter(|need| need.from != need.to) {
            waits[need.to] += 1;
            followers[need.from].push(need.to);
        }
        let mut ranks = Vec::new();
        let mut left = (0..self.jobs.len()).collect::<Vec<_>>();
        while !left.is_empty() {
            let (mut rank, mut others): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|job: &usize| waits[*job] == 0);
            if rank.is_empty() {
                // A cycle, which a pipeline does not have.
                rank = std::mem::take(&mut others);
            }
            for follower in rank.iter().flat_map(|job| &followers[*job]) {
                waits[*follower] = waits[*follower].saturating_sub(1);
            }
            left = others;
            ranks.push(rank);
        }
        ranks
    }

    /// Returns the details of a job, one per line.
    fn details(&self, job: usize) -> String {
        let GraphJob { name, schedule, runs } = &self.jobs[job];
        let mut details = format!("{name}: {schedule}");
        if let Some(runs) = runs {
            details = format!("{details}\n{}", runs.sentence());
        }
        for need in self.needs_of(job) {
            let or = if need.is_alternative { ", or another need" } else { "" };
            details = format!("{details}\nneeds {}: {}{or}", self.jobs[need.from].name, need.label);
        }
        if let Some(need) = self.own_need(job) {
            details = format!("{details}\nneeds its own runs: {}", need.label);
        }
        details
    }
}

impl GraphRuns {
    const fn state(self) -> State {
        match self {
            Self { failed: 1.., .. } => State::Failed,
            Self { not_recorded: 1.., .. } => State::Incomplete,
            Self { skipped: 1.., .. } => State::Skipped,
            Self { succeeded: 1.., .. } => State::Succeeded,
            _ => State::NoRuns,
        }
    }

    /// Returns the counts in words, after the symbol of the state.
    fn sentence(self) -> String {
        let Self { succeeded, failed, skipped, not_recorded } = self;
        let counts = [
            (failed, "failed"),
            (not_recorded, "not recorded"),
            (skipped, "skipped"),
            (succeeded, "succeeded"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let words = counts.map(|(count, state)| format!("{} {state}", words::number(count)));
        let words = words.collect::<Vec<_>>().join(", ");
        if words.is_empty() {
            "no runs".to_owned()
        } else {
            format!("{} {words}", self.state().sign())
        }
    }
}

impl State {
    const fn sign(self) -> char {
        match self {
            Self::Failed => '✗',
            Self::Incomplete => '…',
            Self::Skipped => '»',
            Self::Succeeded => '✓',
            Self::NoRuns => '·',
        }
    }

    /// Returns the CSS class. Its color is easy to tell from the others even for red-green color-blind readers.
    const fn class(self) -> &'static str {
        STATES[self as usize]
    }
}

impl Picture for Graph {
    fn title(&self) -> String {
        self.subject.clone()
    }

    fn description(&self) -> String {
        let jobs = words::counted(self.jobs.len() as u64, "job");
        let needs = words::counted(self.needs.len() as u64, "need");
        let runs = self.jobs.iter().filter_map(|job| job.runs);
        let runs = runs.reduce(|sum, runs| GraphRuns {
            succeeded: sum.succeeded.saturating_add(runs.succeeded),
            failed: sum.failed.saturating_add(runs.failed),
            skipped: sum.skipped.saturating_add(runs.skipped),
            not_recorded: sum.not_recorded.saturating_add(runs.not_recorded),
        });
        let runs = runs.map(|runs| format!(" Runs: {}.", runs.sentence()));
        words::sentence(&format!("{jobs}, {needs}.{}", runs.unwrap_or_default()))
    }

    fn to_text(&self, columns: usize) -> String {
        text::draw(self, columns)
    }

    fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width)
    }
}
