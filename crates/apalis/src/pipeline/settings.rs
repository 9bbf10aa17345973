//! [`PipelineSettings`]: when runs become tasks, and how they are claimed.

use std::time::Duration;

#[derive(Debug)]
pub(crate) struct PipelineSettings {
    pub(crate) owner: String,
    pub(crate) lease: Duration,
    pub(crate) refresh_every: Duration,
    /// `None` means the lease.
    pub(crate) push_again_after: Option<Duration>,
    /// In milliseconds.
    pub(crate) catch_up: i64,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self {
            owner: format!("process {}", std::process::id()),
            lease: Duration::from_mins(1),
            refresh_every: Duration::from_secs(5),
            push_again_after: None,
            catch_up: 7 * 24 * 3_600_000,
        }
    }
}
