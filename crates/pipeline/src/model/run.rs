//! [`PipelineRun`]: a run of a job.

use core::fmt;

use crate::timestamp::Timestamp;

/// A run of a job. Runs are ordered by their instants, then by the names of their jobs.
///
/// It is displayed in UTC, or in civil time if no job of the pipeline has a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "these two identify a run")]
pub struct PipelineRun<'a> {
    // First, because the derived order compares it first.
    /// The event, in milliseconds since 1970-01-01 00:00:00.
    pub scheduled: i64,
    /// The name of the job.
    pub job: &'a str,
}

impl fmt::Display for PipelineRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.job, Timestamp::new(self.scheduled))
    }
}
