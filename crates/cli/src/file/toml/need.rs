//! [`NeedValue`]: what a run needs of other jobs.

use std::borrow::Cow;
use std::fmt;

use millicron::Unit;
use millicron_pipeline::Need;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use typed_arena::Arena;

use super::values::{Age, DurationValue, UnitValue};

/// The needs of a job: one, or an array of them.
#[derive(Clone, Debug)]
pub(super) struct NeedValues(pub(super) Vec<NeedValue>);

/// A need: the name of a job, whose last run is needed, or a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeedValue(NeedTable);

/// A need with its settings. Exactly one of `last`, `all`, `all-data`, `at-least`, `latest`,
/// `classic`, `previous`, `any-of` and `all-of` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(
    extend("oneOf" = required(RULES)),
    extend("dependencies" = {
        "unit": ["all-data"],
        "count": ["at-least"],
        // A group passes both on to its needs.
        "within": { "anyOf": required(["last", "any-of", "all-of"]) },
        "period": { "anyOf": required(["latest", "periods-back", "any-of", "all-of"]) }
    })
)]
struct NeedTable {
    /// The job whose last run must have succeeded.
    #[schemars(length(min = 1))]
    last: Option<String>,
    /// The job whose runs since the previous run of this job must all have succeeded.
    #[schemars(length(min = 1))]
    all: Option<String>,
    /// The job whose runs with the data of the unit before must all have succeeded; see `unit`.
    #[schemars(length(min = 1))]
    all_data: Option<String>,
    /// The unit of `all-data`. By default, a day.
    unit: Option<UnitValue>,
    /// The job with a number of runs that must have succeeded; see `count`.
    #[schemars(length(min = 1))]
    at_least: Option<String>,
    /// How many runs `at-least` needs. By default, one.
    count: Option<u64>,
    /// The job that must have succeeded at or after the check point.
    #[schemars(length(min = 1))]
    latest: Option<String>,
    /// The same, with a check period measured by the gaps between events.
    #[schemars(length(min = 1))]
    classic: Option<String>,
    /// The previous run of this job itself must have succeeded.
    #[schemars(extend("const" = true))]
    previous: Option<bool>,
    /// At least one of these needs must be met.
    #[schemars(length(min = 1))]
    any_of: Option<Vec<NeedValue>>,
    /// All of these needs must be met.
    all_of: Option<Vec<NeedValue>>,

    /// The maximum age of the run that `last` needs: a duration, or a calendar unit such as `day`.
    within: Option<Age>,
    /// The calendar unit of the check period.
    period: Option<UnitValue>,
    /// How many runs of this job to look back.
    events_back: u32,
    /// How many check periods to look back.
    periods_back: u32,
    /// How long to look back.
    time_back: Option<DurationValue>,
    /// Whether a run that has failed or was skipped is enough.
    ended: bool,
}

/// The keys of which a need has exactly one.
const RULES: [&str; 9] =
    ["last", "all", "all-data", "at-least", "latest", "classic", "previous", "any-of", "all-of"];

/// The value of one of these keys.
enum Rule<'n> {
    Runs(Need<'n>),
    AnyOf(&'n [NeedValue]),
    AllOf(&'n [NeedValue]),
}

impl NeedValue {
    /// Whether this is a need of the job's own previous run.
    pub(crate) fn is_previous(&self) -> bool {
        self.0.previous == Some(true)
    }

    /// Adds the names of the needed jobs, except for the job itself.
    pub(in crate::file) fn collect_jobs<'n>(&'n self, jobs: &mut impl Extend<&'n str>) {
        jobs.extend(self.0.job());
        for need in [&self.0.any_of, &self.0.all_of].into_iter().flatten().flatten() {
            need.collect_jobs(jobs);
        }
    }

    /// Returns the need for a pipeline that leaves out some jobs; `None` if it needs nothing else. The arena contains
    /// the needs of groups.
    pub(in crate::file) fn to_need<'n>(
        &'n self,
        arena: &'n Arena<Need<'n>>,
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> Option<Need<'n>> {
        let Self(table) = self;
        let needs = |group: &'n [Self]| group.iter().map(|need| need.to_need(arena, is_left_out));
        Some(table.refine(match table.rules().next()? {
            Rule::Runs(_) if table.job().is_some_and(is_left_out) => return None,
            Rule::Runs(need) => need,
            // An alternative that needs nothing is met.
            Rule::AnyOf(group) => {
                Need::any_of(arena.alloc_extend(needs(group).collect::<Option<Vec<_>>>()?))
            }
            Rule::AllOf(group) => {
                let needs = needs(group).flatten().collect::<Vec<_>>();
                Need::all_of(arena.alloc_extend(Some(needs).filter(|needs| !needs.is_empty())?))
            }
        }))
    }
}

impl NeedTable {
    /// Returns the job that is needed, unless it is a group or the job itself.
    fn job(&self) -> Option<&str> {
        let Self { last, all, all_data, at_least, latest, classic, .. } = self;
        let mut jobs = [last, all, all_data, at_least, latest, classic].into_iter();
        jobs.find_map(Option::as_deref)
    }

    /// Returns the rules that are set.
    fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        let (unit, count) = (self.unit.map_or(Unit::Day, Unit::from), self.count.unwrap_or(1));
        let runs = [
            self.last.as_deref().map(Need::last),
            self.all.as_deref().map(Need::all),
            self.all_data.as_deref().map(|job| Need::all_data(job, unit)),
            self.at_least.as_deref().map(|job| Need::at_least(count, job)),
            self.latest.as_deref().map(Need::latest),
            self.classic.as_deref().map(Need::classic),
            self.previous.filter(|is_set| *is_set).map(|_| Need::self_previous()),
        ];
        let groups =
            [self.any_of.as_deref().map(Rule::AnyOf), self.all_of.as_deref().map(Rule::AllOf)];
        runs.into_iter().flatten().map(Rule::Runs).chain(groups.into_iter().flatten())
    }

    /// Checks which keys are set.
    fn check(self) -> Result<Self, String> {
        if self.unit.is_some() && self.all_data.is_none() {
            return Err("`unit` is only for `all-data`\nwrite `period`".to_owned());
        }
        if self.count.is_some() && self.at_least.is_none() {
            return Err("`count` is only for `at-least`".to_owned());
        }
        if self.rules().count() != 1 {
            return Err(format!("a need must have exactly one of `{}`", RULES.join("`, `")));
        }
        Ok(self)
    }

    /// Adds the settings of this table to a need.
    fn refine<'n>(&self, mut need: Need<'n>) -> Need<'n> {
        need = match self.within {
            Some(Age::Duration(DurationValue(age))) => need.within(age),
            Some(Age::Unit(unit)) => need.within_unit(unit.into()),
            None => need,
        };
        if let Some(period) = self.period {
            need = need.period(period.into());
        }
        if let Some(DurationValue(time)) = self.time_back {
            need = need.time_back(time);
        }
        if self.ended {
            need = need.ended();
        }
        need.events_back(self.events_back).periods_back(self.periods_back)
    }
}

/// Returns a schema for each key, which requires it.
fn required<const N: usize>(keys: [&str; N]) -> [Value; N] {
    keys.map(|key| json!({ "required": [key] }))
}

impl<'de> Deserialize<'de> for NeedValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NeedsVisitor)
    }
}

struct NeedsVisitor;

impl<'de> Visitor<'de> for NeedsVisitor {
    type Value = NeedValues;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a job, a table, or an array of them")
    }

    fn visit_str<E: Error>(self, job: &str) -> Result<NeedValues, E> {
        NeedVisitor.visit_str(job).map(|one| NeedValues(vec![one]))
    }

    fn visit_map<A: MapAccess<'de>>(self, one: A) -> Result<NeedValues, A::Error> {
        NeedVisitor.visit_map(one).map(|one| NeedValues(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, many: A) -> Result<NeedValues, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(many)).map(NeedValues)
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

impl<'de> Deserialize<'de> for NeedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NeedVisitor)
    }
}

struct NeedVisitor;

impl<'de> Visitor<'de> for NeedVisitor {
    type Value = NeedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a job, or a table such as `{ all = \"import\" }`")
    }

    fn visit_str<E: Error>(self, job: &str) -> Result<NeedValue, E> {
        Ok(NeedValue(NeedTable { last: Some(job.to_owned()), ..NeedTable::default() }))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<NeedValue, A::Error> {
        let table = NeedTable::deserialize(MapAccessDeserializer::new(table))?;
        table.check().map(NeedValue).map_err(Error::custom)
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
