//! Values that can be written in more than one way.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use millicron::Unit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A duration such as `90s`, `1h 30m` or `PT1H30M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DurationValue(pub(crate) Duration);

impl<'de> Deserialize<'de> for DurationValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = DurationValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as `\"90s\"` or `\"1h 30m\"`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DurationValue, E> {
        duration(text).map(DurationValue).map_err(E::custom)
    }
}

/// Parses a duration. The error is a message.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}` is not a duration: expected one such as `90s` or `1h 30m`");
    let span: Span = text.parse().map_err(|_| expected())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours());
    let duration = duration.map_err(|_| format!("`{text}` has no fixed length"))?;
    Duration::try_from(duration).map_err(|_| format!("`{text}` is negative"))
}

/// What happens to an event while a run of the job is in progress.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OverlapValue {
    /// The event is skipped.
    Skip,
    /// It runs at once, up to this many runs in progress.
    Allow(NonZeroUsize),
    /// It waits for its turn, up to this many waiting events.
    Queue(NonZeroUsize),
}

/// What happens to missed events.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissedValue {
    /// They are skipped.
    Skip,
    /// One run covers all of them.
    Coalesce,
    /// The last ones run, up to this many.
    All(NonZeroUsize),
}

impl JsonSchema for DurationValue {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The order of the units, and how large their numbers may be, are not checked.
        const UNIT: &str = "(w|d|h|m|s|ms|us|µs|ns|(wk|week|day|hr|hour|min|minute|sec|second|milli|msec\
            |millisecond|micro|usec|microsecond|nano|nsec|nanosecond)s?)";
        const NUMBER: &str = "[0-9]+([.,][0-9]+)?";
        const CLOCK: &str = "[0-9]+:[0-9]+:[0-9]+([.,][0-9]+)?";
        let units = format!(r"({NUMBER}\s*{UNIT}(,\s+|\s*))+({CLOCK})?");
        let days = "([0-9]+[WwDd])";
        let iso = format!("[Pp]({days}+|{days}*[Tt]({NUMBER}[HhMmSs])+)");
        json_schema!({
            "description": "A duration such as `90s`, `1h 30m` or `PT1H30M`.",
            "type": "string",
            "pattern": format!(r"^[+]?({units}|{CLOCK}|{iso})\s*$"),
            "examples": ["90s", "1h 30m"],
        })
    }
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UnitValue {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl From<UnitValue> for Unit {
    fn from(unit: UnitValue) -> Self {
        match unit {
            UnitValue::Millisecond => Self::Millisecond,
            UnitValue::Second => Self::Second,
            UnitValue::Minute => Self::Minute,
            UnitValue::Hour => Self::Hour,
            UnitValue::Day => Self::Day,
            UnitValue::Week => Self::Week,
            UnitValue::Month => Self::Month,
            UnitValue::Year => Self::Year,
        }
    }
}

// A duration, or a unit of the calendar. A doc comment would replace the description of the key in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a duration such as `36h`, or a unit such as `day`")]
#[schemars(inline, extend("examples" = ["36h", "day"]))]
pub(crate) enum Age {
    Duration(DurationValue),
    Unit(UnitValue),
}

// The text of a calendar, or its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected the name of a file, such as `\"nyse.days\"`, the text of a calendar, or `{ file = \"…\" }`"
)]
#[schemars(inline)]
pub(crate) enum CalendarValue {
    /// The path of a file that ends in `.days`, relative to this file, or the text of the calendar.
    #[schemars(extend("pattern" = r"\S"))]
    FileOrText(String),
    /// A file with another name.
    File {
        /// The path, relative to this file.
        file: PathBuf,
    },
}

impl CalendarValue {
    /// Returns the path of the file, or else the text.
    pub(super) fn path_or_text(&self) -> Result<&Path, &str> {
        match self {
            Self::File { file } => Ok(file),
            Self::FileOrText(text) => {
                let path = Path::new(text);
                let is_path = path.extension().is_some_and(|extension| extension == "days");
                if is_path && !text.contains('\n') { Ok(path) } else { Err(text) }
            }
        }
    }
}

// A line, or a program and its arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a line, or an array of the program and its arguments")]
#[schemars(inline)]
pub(crate) enum CommandValue {
    #[schemars(extend("pattern" = r"\S"))]
    Line(String),
    #[schemars(extend(
        "items" = [{ "type": "string", "minLength": 1 }],
        "additionalItems" = { "type": "string" },
        "minItems" = 1
    ))]
    Words(Vec<String>),
}
