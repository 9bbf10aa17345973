//! Files of jobs: a crontab, a systemd timer unit, or TOML.
//!
//! Each format has a reader of its own; all make the same [`JobFile`]. What is wrong is a [`Problem`]
//! with its place in the text, and all that is wrong is found at once.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Language, ZonedSchedule};
use millicron_scheduler::{Missed, Overlap, Retry};

use crate::error::Error;

/// A file of jobs.
#[derive(Debug)]
pub(crate) struct JobFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) jobs: Vec<JobEntry>,
}

/// One job of a file.
#[derive(Debug)]
pub(crate) struct JobEntry {
    /// A name that no other job of the file has.
    pub(crate) name: String,
    /// Where the schedule is in the file, in bytes.
    pub(crate) span: Range<usize>,
    /// The language of the schedule.
    pub(crate) language: Language,
    /// The schedule, in its time zone.
    pub(crate) schedule: ZonedSchedule<TimeZone>,
    /// What to run; none if the file does not say.
    pub(crate) command: Option<Command>,
    /// How long a run takes, if the file says so.
    pub(crate) duration: Option<Duration>,
    pub(crate) policies: Policies,
}

/// How the runs of a job are handled.
#[derive(Clone, Debug)]
pub(crate) struct Policies {
    pub(crate) overlap: Overlap,
    pub(crate) missed: Missed,
    pub(crate) grace: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: Option<Retry>,
    pub(crate) jitter: Option<Duration>,
}

/// A command with all that it is started with.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) program: Program,
    /// Variables that are added to the environment.
    pub(crate) environment: Vec<(String, String)>,
    /// What the command reads from its standard input.
    pub(crate) input: Option<String>,
    pub(crate) directory: Option<PathBuf>,
}

/// What is started.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// A program and its arguments, without a shell.
    Direct(Vec<String>),
    /// A line for a shell, and the shell.
    Shell { shell: String, line: String },
}

/// Something wrong or surprising in a file.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Where it is, in bytes of the text.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl JobFile {
    /// Reads a file. Jobs without a time zone are in `zone`.
    ///
    /// # Errors
    ///
    /// Returns an error with the first problem if there is any.
    pub(crate) fn read(path: &Path, zone: &TimeZone) -> Result<Self, Error> {
        let _ = zone;
        Err(Error::new(format_args!("{} cannot be read yet", path.display())))
    }
}
