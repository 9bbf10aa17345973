//! The errors of stored schedules.

use millicron::ParseError;
use thiserror::Error;

use crate::error::BuildError;

/// Why a stored schedule has no events.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidSchedule {
    /// The text is not a schedule.
    #[error(transparent)]
    Text(#[from] ParseError),
    /// The meaning of the text depends on its language.
    #[error("{0}")]
    Ambiguous(String),
    /// No language has this keyword.
    #[error(
        "`{0}` is not a language: expected `millicron`, `crontab`, `quartz`, `cron_crate` or `systemd`"
    )]
    UnknownDialect(String),
    /// The time zone is not known.
    #[error("`{name}` is not a time zone{}", expected(nearest))]
    UnknownZone {
        /// The name.
        name: String,
        /// The names of similar zones.
        nearest: Vec<String>,
    },
    /// The calendar is not known.
    #[error("`{name}` is not a known calendar{}", expected(known))]
    UnknownCalendar {
        /// The name.
        name: String,
        /// The names of the known calendars.
        known: Vec<String>,
    },
    /// No event is on a day of all the calendars of the row, which have these names.
    #[error("none of its days is a day of `{}`", .0.join("` and `"))]
    NeverOnCalendars(Vec<String>),
    /// The name is empty, longer than 512 bytes, or contains `\0`.
    #[error("{}", of_name(.0))]
    Name(BuildError),
    /// The policy for missed events is not one.
    #[error("`{0}` is not a policy: expected `skip`, `coalesce`, `all`, or `all` with a maximum")]
    Missed(String),
    /// The schedule ends before it starts.
    #[error("the schedule ends before it starts")]
    EndsBeforeStart,
    /// The payload is nested so deeply that no worker could read its tasks.
    #[error("the payload is nested deeper than 126 levels")]
    DeepPayload,
    /// The payload is longer than 64 KiB as JSON.
    #[error("the payload has {length} bytes; the maximum is {max}")]
    LongPayload {
        /// The length, in bytes.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// The text, the dialect or the time zone is longer than 64 KiB, or the calendars or the tags are, as JSON.
    #[error("the column `{column}` has {length} bytes; the maximum is {max}")]
    LongColumn {
        /// The name of the column.
        column: &'static str,
        /// The length, in bytes.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// A tag is longer than 512 bytes.
    #[error("a tag has {length} bytes; the maximum is {max}")]
    LongTag {
        /// The length, in bytes.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// The payload or a tag contains the character `\0`, which `PostgreSQL` cannot store.
    #[error("{0} contains `\\0`")]
    Nul(&'static str),
    /// A column of the row does not contain what it should.
    #[error("the row cannot be read: {0}")]
    Row(String),
    /// The payload is not one for the program that runs the schedule.
    #[error("the payload cannot be decoded: {0}")]
    Payload(String),
}

/// Returns the words of an error in a name, which are about jobs elsewhere.
fn of_name(error: &BuildError) -> String {
    match error {
        BuildError::EmptyName => "the name is empty".to_owned(),
        BuildError::LongName { length, max } => {
            format!("the name has {length} bytes; the maximum is {max}")
        }
        error => error.to_string(),
    }
}

fn expected(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(": expected `{}`", names.join("` or `")),
    }
}

/// An error of an operation on [`Schedules`](crate::stored::Schedules).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoredError {
    /// A schedule is invalid. Nothing was changed.
    #[error("the schedule `{name}` is invalid: {error}")]
    Invalid {
        /// The name of the schedule.
        name: String,
        /// What is wrong.
        #[source]
        error: Box<InvalidSchedule>,
    },
    /// Somebody else has changed, created or removed the schedule. Nothing was changed.
    #[error("the schedule `{name}` has changed: expected {}, found {}", of(*expected), of(*found))]
    Conflict {
        /// The name of the schedule.
        name: String,
        /// The version that was to be changed; 0 if there was to be no schedule.
        expected: i64,
        /// The version in the table; 0 if there is no schedule.
        found: i64,
    },
    /// Two schedules have this name. Nothing was changed.
    #[error("two schedules are named `{0}`")]
    DuplicateName(String),
    /// The name of a schema is not made of 1 to 40 lower-case letters, digits and `_`, or begins with a digit.
    #[error(
        "`{0}` is not the name of a schema: expected 1 to 40 of `a-z`, `0-9` and `_`, not beginning with a digit"
    )]
    SchemaName(String),
    /// [`Shards`](crate::stored::Shards) need at least one database.
    #[error("no database is given")]
    NoShard,
    /// Two databases have this name.
    #[error("two databases are named `{0}`")]
    DuplicateShard(String),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The database has not answered in time.
    #[error("the database has not answered for {0:?}")]
    TimedOut(std::time::Duration),
    /// The database has written the moved schedules, but not within the delay of
    /// [`rebalance`](crate::stored::Shards::rebalance).
    #[error("moving schedules took longer than {0:?}: some may have lost or doubled events")]
    TooSlow(std::time::Duration),
    /// A row is not what the statements of this crate return.
    #[error("the table of schedules has an unexpected row")]
    Row(#[from] serde_json::Error),
}

fn of(version: i64) -> String {
    match version {
        0 => "no schedule".to_owned(),
        version => format!("version {version}"),
    }
}
