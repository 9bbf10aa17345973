//! [`Job`]: a row of the overview.

use serde::{Serialize, Serializer};

use super::{Run, RunState};

/// A job, as the overview shows it.
///
/// Instants are in milliseconds since 1970-01-01 00:00:00 UTC.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Job {
    /// The name, which identifies the job.
    pub name: String,
    /// The schedule in its own text. Empty if it has none.
    pub schedule: String,
    /// The schedule in words.
    pub description: String,
    /// The name of the time zone. `None` is UTC.
    pub zone: Option<String>,
    /// Tags, by which jobs are found.
    pub tags: Vec<String>,
    /// What the job is doing.
    pub state: JobState,
    /// The next event.
    pub next: Option<i64>,
    /// When the job is overdue, if it has not started by then: the next event and the longest delay that is normal. `None`
    /// if it is never overdue.
    pub overdue_at: Option<i64>,
    /// The number of runs in progress.
    pub running: u64,
    /// The run that started last.
    pub last: Option<Run>,
    /// How the last runs ended, the oldest first. At most 30 are shown.
    #[serde(serialize_with = "letters")]
    pub outcomes: Vec<RunState>,
}

impl Job {
    /// Returns a job with a name, and nothing else.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// Writes a letter for each outcome, because they are most of what is sent of a job.
fn letters<S: Serializer>(outcomes: &[RunState], serializer: S) -> Result<S::Ok, S::Error> {
    let letters: String = outcomes.iter().map(|state| state.letter()).collect();
    serializer.serialize_str(&letters)
}

/// What a job is doing, apart from runs in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum JobState {
    /// It waits for its next event.
    #[default]
    Waiting,
    /// It is paused.
    Paused,
    /// It has no further events.
    Ended,
}

/// What a job needs of another one: an edge of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Need {
    /// The name of the job that must have run before.
    pub upstream: String,
    /// The name of the job that waits for it.
    pub downstream: String,
    /// Which runs it needs, such as "the last 24 runs".
    pub label: String,
    /// Whether another need of the same job may be met instead.
    pub is_alternative: bool,
}

impl Need {
    /// Returns an edge of the graph, which is no alternative.
    #[must_use]
    pub fn new(
        upstream: impl Into<String>,
        downstream: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        let (upstream, downstream, label) = (upstream.into(), downstream.into(), label.into());
        Self { upstream, downstream, label, is_alternative: false }
    }
}
