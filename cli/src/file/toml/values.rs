//! Values that are written in more than one way.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use millicron::Unit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::table::NeedTable;

/// A duration such as `90s`, `1h 30m` or `PT1H30M`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DurationValue(pub(crate) Duration);

impl DurationValue {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let expected =
            || format!("`{text}` is not a duration: expected one such as `90s` or `1h 30m`");
        let span: Span = text.parse().map_err(|_| expected())?;
        let duration = span.to_duration(SpanRelativeTo::days_are_24_hours());
        let duration = duration.map_err(|_| format!("`{text}` has no fixed length"))?;
        let duration = Duration::try_from(duration);
        duration.map(Self).map_err(|_| format!("`{text}` is negative"))
    }
}

impl<'de> Deserialize<'de> for DurationValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for DurationValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "examples": ["90s", "1h 30m"] })
    }
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
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

/// A duration, or a unit of the calendar.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Age {
    Duration(Duration),
    Unit(Unit),
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error as ValueError, StrDeserializer};

        let text = String::deserialize(deserializer)?;
        let unit: StrDeserializer<'_, ValueError> = text.as_str().into_deserializer();
        if let Ok(unit) = UnitValue::deserialize(unit) {
            return Ok(Self::Unit(unit.into()));
        }
        let duration = DurationValue::parse(&text).map_err(D::Error::custom)?;
        Ok(Self::Duration(duration.0))
    }
}

impl JsonSchema for Age {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Age".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "examples": ["36h", "day"] })
    }
}

/// A line, or a program and its arguments.
#[derive(Clone, Debug)]
pub(crate) enum CommandValue {
    Line(String),
    Words(Vec<String>),
}

impl<'de> Deserialize<'de> for CommandValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CommandVisitor;

        impl<'de> Visitor<'de> for CommandVisitor {
            type Value = CommandValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a line, or an array of the program and its arguments")
            }

            fn visit_str<E: Error>(self, line: &str) -> Result<Self::Value, E> {
                Ok(CommandValue::Line(line.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, words: A) -> Result<Self::Value, A::Error> {
                let words = SeqAccessDeserializer::new(words);
                Vec::deserialize(words).map(CommandValue::Words)
            }
        }

        deserializer.deserialize_any(CommandVisitor)
    }
}

impl JsonSchema for CommandValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            ]
        })
    }
}

/// One value, or an array of them.
#[derive(Clone, Debug)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a job, a table, or an array of them")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                use serde::de::IntoDeserializer;

                T::deserialize(text.into_deserializer()).map(|one| OneOrMany(vec![one]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let one = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, many: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(many)).map(OneOrMany)
            }
        }

        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// The name of a job, whose last run is needed, or a table.
#[derive(Clone, Debug)]
pub(crate) enum NeedValue {
    Last(String),
    Table(Box<NeedTable>),
}

impl<'de> Deserialize<'de> for NeedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NeedVisitor;

        impl<'de> Visitor<'de> for NeedVisitor {
            type Value = NeedValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a job, or a table such as `{ all = \"import\" }`")
            }

            fn visit_str<E: Error>(self, job: &str) -> Result<Self::Value, E> {
                Ok(NeedValue::Last(job.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let table = NeedTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(NeedValue::Table(Box::new(table)))
            }
        }

        deserializer.deserialize_any(NeedVisitor)
    }
}

impl JsonSchema for NeedValue {
    fn schema_name() -> Cow<'static, str> {
        "Need".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<NeedTable>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}
