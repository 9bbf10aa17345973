//! [`Job`]: a job of a pipeline, with the needs of its runs.

use alloc::sync::Arc;
use alloc::vec::Vec;

use millicron_history::RunState;

use super::need::{NeedSettings, Rule};
use super::timeline::Timeline;

/// A job of a pipeline.
pub(crate) struct Job {
    pub(crate) name: Arc<str>,
    pub(crate) timeline: Timeline,
    /// All of these must be met.
    pub(crate) needs: Vec<NeedTree>,
    /// The needs for the runs of single jobs, to which `needs` refers.
    pub(crate) requirements: Vec<Requirement>,
    /// The indices of the jobs that need this one.
    pub(crate) downstream: Vec<usize>,
}

/// A need. Its leaves are indices of the job's requirements.
pub(crate) enum NeedTree {
    Leaf(usize),
    AnyOf(Vec<Self>),
    AllOf(Vec<Self>),
}

/// A need for the runs of one job.
#[derive(Clone, Copy)]
pub(crate) struct Requirement {
    /// The index of the job.
    pub(crate) upstream: usize,
    pub(crate) rule: Rule,
    pub(crate) settings: NeedSettings,
    /// Whether it is one of several alternatives.
    pub(crate) is_alternative: bool,
}

impl Requirement {
    /// Returns whether a run that has ended in a state meets the requirement.
    pub(crate) fn accepts(&self, state: RunState) -> bool {
        self.settings.accepts_ended || state == RunState::Succeeded
    }
}
