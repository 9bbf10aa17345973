//! The tables of a TOML file. The JSON schema is generated from them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess};
use serde_json::{Value, json};
use toml::Spanned;

use super::values::{
    self, Age, CommandValue, DurationValue, Forms, MissedValue, OverlapValue, UnitValue,
    deserialize_forms,
};
use crate::language::LanguageName;

/// Jobs, when they run, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
#[schemars(title = "millicron jobs")]
pub(crate) struct FileTable {
    /// The time zone of jobs without their own, such as `Europe/Berlin`. By default, the machine's.
    #[serde(default)]
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(super) zone: Option<Spanned<String>>,

    /// Variables that are added to the environment of all jobs.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, String>",
        extend("propertyNames" = { "pattern": r"^[^=\x00]+$" })
    )]
    pub(super) environment: BTreeMap<Spanned<String>, String>,

    /// The jobs by name.
    #[serde(default, deserialize_with = "values::forms")]
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
    pub(super) schedule: Spanned<String>,

    /// The dialect of the schedule. By default, it is recognised.
    pub(super) dialect: Option<LanguageName>,

    /// The time zone of the schedule.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(super) zone: Option<Spanned<String>>,

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
    #[serde(default, deserialize_with = "values::timeout")]
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
    pub(super) most: u32,
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

/// The needs of a job: one, or an array of them.
#[derive(Clone, Debug)]
pub(crate) struct NeedValues(pub(super) Vec<NeedValue>);

/// The name of a job, whose last run is needed, or a table.
#[derive(Clone, Debug)]
pub(crate) enum NeedValue {
    Last(String),
    Table(Box<NeedTable>),
}

/// A need with its settings. Exactly one of `last`, `all`, `all-data`, `at-least`, `latest`,
/// `classic`, `previous`, `any-of` and `all-of` is set.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(
    extend("oneOf" = required(NeedTable::RULES)),
    extend("dependencies" = {
        "unit": ["all-data"],
        "count": ["at-least"],
        // A group passes both on to its needs.
        "within": { "anyOf": required(["last", "any-of", "all-of"]) },
        "period": { "anyOf": required(["latest", "periods-back", "any-of", "all-of"]) }
    })
)]
pub(crate) struct NeedTable {
    /// The job whose last run must have succeeded.
    #[schemars(length(min = 1))]
    pub(super) last: Option<String>,
    /// The job whose runs since the previous run of this job must all have succeeded.
    #[schemars(length(min = 1))]
    pub(super) all: Option<String>,
    /// The job whose runs with the data of the unit before must all have succeeded; see `unit`.
    #[schemars(length(min = 1))]
    pub(super) all_data: Option<String>,
    /// The unit of `all-data`. By default, a day.
    pub(super) unit: Option<UnitValue>,
    /// The job with a number of runs that must have succeeded; see `count`.
    #[schemars(length(min = 1))]
    pub(super) at_least: Option<String>,
    /// How many runs `at-least` needs. By default, one.
    pub(super) count: Option<u64>,
    /// The job that must have succeeded at or after the check point.
    #[schemars(length(min = 1))]
    pub(super) latest: Option<String>,
    /// The same, with a check period measured by the gaps between events.
    #[schemars(length(min = 1))]
    pub(super) classic: Option<String>,
    /// The previous run of this job itself must have succeeded.
    #[schemars(extend("const" = true))]
    pub(super) previous: Option<bool>,
    /// At least one of these needs must be met.
    #[schemars(length(min = 1))]
    pub(super) any_of: Option<Vec<NeedValue>>,
    /// All of these needs must be met.
    pub(super) all_of: Option<Vec<NeedValue>>,

    /// The maximum age of the run that `last` needs: a duration, or a calendar unit such as `day`.
    pub(super) within: Option<Age>,
    /// The calendar unit of the check period.
    pub(super) period: Option<UnitValue>,
    /// How many runs of this job to look back.
    pub(super) events_back: u32,
    /// How many check periods to look back.
    pub(super) periods_back: u32,
    /// How long to look back.
    pub(super) time_back: Option<DurationValue>,
    /// Whether a run that has failed or was skipped is enough.
    pub(super) ended: bool,
}

/// Returns a schema for each key, which requires it.
fn required<const N: usize>(keys: [&str; N]) -> [Value; N] {
    keys.map(|key| json!({ "required": [key] }))
}

impl NeedTable {
    /// The keys. Exactly one of them is set.
    pub(super) const RULES: [&str; 9] = [
        "last", "all", "all-data", "at-least", "latest", "classic", "previous", "any-of", "all-of",
    ];
}

impl Forms for BTreeMap<Spanned<String>, JobTable> {
    const EXPECTED: &str = "tables such as `[jobs.NAME]`";

    fn from_table<'de, A: MapAccess<'de>>(tables: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(tables))
    }
}

impl Forms for NeedValues {
    const EXPECTED: &str = "the name of a job, a table, or an array of them";

    fn from_text<E: Error>(job: &str) -> Result<Self, E> {
        NeedValue::from_text(job).map(|one| Self(vec![one]))
    }

    fn from_array<'de, A: SeqAccess<'de>>(many: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(many)).map(Self)
    }

    fn from_table<'de, A: MapAccess<'de>>(one: A) -> Result<Self, A::Error> {
        NeedValue::from_table(one).map(|one| Self(vec![one]))
    }
}

impl JsonSchema for NeedValues {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Needs".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<NeedValue>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

impl Forms for NeedValue {
    const EXPECTED: &str = "the name of a job, or a table such as `{ all = \"import\" }`";

    fn from_text<E: Error>(job: &str) -> Result<Self, E> {
        Ok(Self::Last(job.to_owned()))
    }

    fn from_table<'de, A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        let table = NeedTable::deserialize(MapAccessDeserializer::new(table))?;
        Ok(Self::Table(Box::new(table)))
    }
}

impl JsonSchema for NeedValue {
    fn schema_name() -> Cow<'static, str> {
        "Need".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<NeedTable>();
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, table] })
    }
}

deserialize_forms!(NeedValues, NeedValue);
