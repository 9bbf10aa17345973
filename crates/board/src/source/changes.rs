//! [`Changes`].

use serde::Serialize;

use super::Job;

/// The jobs that have changed since a version.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Changes {
    /// The version that these changes lead to. It grows with each change.
    pub version: u64,
    /// Whether `jobs` are all jobs there are, so that others are gone.
    pub is_complete: bool,
    /// The jobs that were added or have changed.
    pub jobs: Vec<Job>,
    /// The names of jobs that were removed.
    pub removed: Vec<String>,
    /// How many jobs there are that are not listed because they are too many.
    pub unlisted: u64,
}
