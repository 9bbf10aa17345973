//! [`RunKey`]: identifies a run.

use alloc::sync::Arc;

/// Identifies a run: by the name of its job, and its scheduled instant in milliseconds since 1970-01-01
/// 00:00:00. Keys are ordered by job, then by instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a run has no other identity")]
pub struct RunKey {
    /// The name of the job.
    pub job: Arc<str>,
    /// The scheduled instant, in milliseconds.
    pub scheduled: i64,
}
