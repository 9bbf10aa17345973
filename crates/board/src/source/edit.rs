//! [`Editor`]: creates and changes schedules.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Pattern, SourceError};

/// Creates and changes schedules that are stored.
pub trait Editor: Send + Sync {
    /// Reads a draft, without storing it.
    ///
    /// # Errors
    ///
    /// The draft is [`Invalid`]. The message says where.
    fn preview(&self, draft: &Draft) -> Result<Preview, SourceError>;

    /// Returns the draft of a job that is stored, to be changed.
    ///
    /// # Errors
    ///
    /// The source failed.
    fn draft(&self, job: &str) -> Result<Option<Draft>, SourceError>;

    /// Stores a draft: creates the job, or changes it if it has the draft's version.
    ///
    /// # Errors
    ///
    /// The draft is [`Invalid`], somebody else has changed the job in the meantime (a [`Conflict`]), or the source
    /// failed.
    fn store(&self, draft: &Draft) -> Result<(), SourceError>;

    /// Removes a job. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// The source failed.
    fn remove(&self, job: &str) -> Result<bool, SourceError>;
}

/// A job as a visitor has written it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Draft {
    /// The name of the job.
    pub name: String,
    /// The text of the schedule.
    pub schedule: String,
    /// The name of the time zone; empty for UTC, or if the text has one.
    #[serde(default)]
    pub zone: String,
    /// Tags, by which jobs are found.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The payload of the tasks, as JSON. `None` keeps that of a stored job, which may be secret.
    #[serde(default)]
    pub payload: Option<String>,
    /// The version that the draft was made of. `None` for a new job.
    #[serde(default)]
    pub version: Option<i64>,
}

/// What a draft means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Preview {
    /// The schedule in words.
    pub description: String,
    /// When it has events.
    pub pattern: Pattern,
}

impl Preview {
    /// Returns what a draft means.
    #[must_use]
    pub const fn new(description: String, pattern: Pattern) -> Self {
        Self { description, pattern }
    }
}

/// The error of an [`Editor`] for a draft that is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    message: String,
}

impl Invalid {
    /// Returns the error with a message that says what is wrong, and where.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string() }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Invalid {}

/// The error of an [`Editor`] if somebody else has created, changed or removed the job in the meantime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    message: String,
}

impl Conflict {
    /// Returns the error with a message that says what has happened.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string() }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Conflict {}
