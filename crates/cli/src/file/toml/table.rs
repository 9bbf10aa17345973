//! The tables of a TOML file. The JSON schema is generated from them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::need::NeedValues;
use super::values::{CalendarValue, CommandValue, DurationValue, MissedValue, OverlapValue};
use crate::language::LanguageName;

/// Jobs, when they run, and how.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
#[schemars(title = "millicron jobs")]
pub(crate) struct FileTable {
    /// The time zone of jobs without their own, such as `Europe/Berlin`. By default, the machine's.
    #[serde(default)]
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(super) zone: Option<Spanned<String>>,

    /// The calendars that schedules may name, as in `09:30:00 @nyse`: the path of a file that ends in `.days`,
    /// relative to this file, or the text of the calendar.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, CalendarValue>",
        extend("propertyNames" = { "pattern": r"^[A-Za-z_][A-Za-z0-9_-]*$" })
    )]
    pub(super) calendars: BTreeMap<Spanned<String>, Spanned<CalendarValue>>,

    /// Variables that are added to the environment of all jobs.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, String>",
        extend("propertyNames" = { "pattern": r"^[^=\x00]+$" })
    )]
    pub(super) environment: BTreeMap<Spanned<String>, String>,

    /// The jobs by name.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, JobTable>",
        extend("propertyNames" = { "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$" })
    )]
    pub(super) jobs: BTreeMap<Spanned<String>, JobTable>,
}

/// A job.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table with a `schedule`")]
pub(crate) struct JobTable {
    /// When the job runs, in millicron's own language, such as `*.*.* Mon-Fri 09:00:00`, or in another
    /// dialect, such as `0 9 * * MON-FRI`. It may include a time zone.
    #[schemars(with = "String", length(min = 1))]
    pub(super) schedule: Option<Spanned<String>>,

    /// The dialect of the schedule. By default, it is recognized.
    pub(super) dialect: Option<LanguageName>,

    /// The time zone of the schedule.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(super) zone: Option<Spanned<String>>,

    /// Labels by which the page filters jobs.
    #[serde(default)]
    pub(super) tags: Vec<String>,

    /// What to run: an array of the program and its arguments, or a shell command line.
    #[schemars(with = "Option<CommandValue>")]
    pub(super) command: Option<Spanned<CommandValue>>,

    /// The working directory of the command.
    pub(super) directory: Option<PathBuf>,

    /// Variables that are added to the environment of the command.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, String>",
        extend("propertyNames" = { "pattern": r"^[^=\x00]+$" })
    )]
    pub(super) environment: BTreeMap<Spanned<String>, String>,

    /// The text for the command's standard input.
    pub(super) input: Option<String>,

    /// How long a run usually takes, for simulations, timelines and warnings.
    pub(super) duration: Option<DurationValue>,

    /// What happens to an event while a run is in progress. By default, it is skipped. Not for jobs that
    /// need others or are needed.
    #[schemars(with = "Option<OverlapValue>")]
    pub(super) overlap: Option<Spanned<OverlapValue>>,

    /// What happens to events that were missed because the machine slept. By default, one run covers
    /// all of them. Not for jobs that need others or are needed.
    #[schemars(with = "Option<MissedValue>")]
    pub(super) missed: Option<Spanned<MissedValue>>,

    /// How late a run may start without counting as missed. By default, one second. Not for jobs that
    /// need others or are needed.
    #[schemars(with = "Option<DurationValue>")]
    pub(super) grace: Option<Spanned<DurationValue>>,

    /// How long a run may take before it is killed.
    #[schemars(with = "Option<DurationValue>", extend("not" = { "pattern": "^[^1-9]*$" }))]
    pub(super) timeout: Option<Spanned<DurationValue>>,

    /// How often, and when, a failed run is attempted again. By default, never.
    #[schemars(with = "Option<RetryTable>")]
    pub(super) retries: Option<Spanned<RetryTable>>,

    /// Delays all runs of the job by the same time, which depends on its name and is shorter than this, to spread jobs
    /// that are due at the same time. Not for jobs that need others or are needed.
    #[schemars(with = "Option<DurationValue>")]
    pub(super) jitter: Option<Spanned<DurationValue>>,

    /// What each run needs of other jobs: `"import"` needs the last run of the job `import`.
    #[schemars(with = "Option<NeedValues>")]
    pub(super) needs: Option<Spanned<NeedValues>>,

    /// How long a run waits for the runs that it needs before it is skipped. By default, there is no limit.
    #[schemars(with = "Option<DurationValue>")]
    pub(super) patience: Option<Spanned<DurationValue>>,
}

/// Retries of a failed run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table such as `{ most = 3, wait = \"10s\" }`"
)]
pub(crate) struct RetryTable {
    /// The maximum number of retries of a run.
    #[schemars(with = "u32")]
    pub(super) most: Option<u32>,
    /// The wait before the first retry. By default, one second.
    pub(super) wait: Option<DurationValue>,
    /// Doubles each wait, up to this long. Without it, all waits are the same.
    pub(super) longest: Option<DurationValue>,
    /// Extends each wait by up to this long, so that jobs that fail together do not retry together.
    pub(super) jitter: Option<DurationValue>,
    /// Gives up at the next event of the job.
    #[serde(default)]
    pub(super) until_next_event: bool,
}
