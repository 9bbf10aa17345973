//! Values that can be written in more than one way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use millicron::Unit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use super::table::{JobTable, MissedValue, NeedTable, OverlapValue};

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
        struct DurationVisitor;

        impl Visitor<'_> for DurationVisitor {
            type Value = DurationValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as `\"90s\"` or `\"1h 30m\"`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                DurationValue::parse(text).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(DurationVisitor)
    }
}

/// Reads a timeout, which must not be zero.
pub(super) fn timeout<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Spanned<DurationValue>>, D::Error> {
    let timeout = Spanned::<DurationValue>::deserialize(deserializer)?;
    if timeout.get_ref().0.is_zero() {
        return Err(D::Error::custom(
            "a timeout of 0 ends each run at once\nleave it out for no limit",
        ));
    }
    Ok(Some(timeout))
}

/// Reads the table of jobs.
pub(super) fn jobs<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Spanned<String>, JobTable>, D::Error> {
    struct JobsVisitor;

    impl<'de> Visitor<'de> for JobsVisitor {
        type Value = BTreeMap<Spanned<String>, JobTable>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("tables such as `[jobs.NAME]`")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            BTreeMap::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(JobsVisitor)
}

/// Reads a word, or a table with a word as the key and a number.
struct WordVisitor {
    all: &'static [&'static str],
    /// The words that need a number.
    counted: &'static [&'static str],
}

impl WordVisitor {
    /// Returns the index of a word.
    fn index<E: Error>(words: &'static [&'static str], text: &str) -> Result<usize, E> {
        let index = words.iter().position(|word| *word == text);
        index.ok_or_else(|| E::unknown_variant(text, words))
    }
}

impl<'de> Visitor<'de> for WordVisitor {
    /// The word, and its number, if it has one.
    type Value = (&'static str, Option<NonZeroUsize>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for word in self.all.iter().filter(|word| !self.counted.contains(word)) {
            write!(f, "`\"{word}\"`, ")?;
        }
        let counted: Vec<_> =
            self.counted.iter().map(|word| format!("`{{ {word} = 2 }}`")).collect();
        write!(f, "or {}", counted.join(" or "))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if self.counted.contains(&text) {
            let message = format_args!("`{text}` needs a number\nwrite `{{ {text} = 2 }}`");
            return Err(E::custom(message));
        }
        Self::index(self.all, text).map(|index| (self.all[index], None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let one =
            || A::Error::custom(format_args!("expected one of `{}`", self.counted.join("`, `")));
        let index = map.next_key_seed(KeySeed(self.counted))?.ok_or_else(one)?;
        let number: NonZeroUsize = map.next_value()?;
        if map.next_key_seed(KeySeed(self.counted))?.is_some() {
            return Err(one());
        }
        Ok((self.counted[index], Some(number)))
    }
}

/// Reads a key that is one of several words.
struct KeySeed(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<usize, E> {
        WordVisitor::index(self.0, text)
    }
}

impl<'de> Deserialize<'de> for OverlapValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor =
            WordVisitor { all: &["skip", "allow", "queue"], counted: &["allow", "queue"] };
        Ok(match deserializer.deserialize_any(visitor)? {
            ("allow", Some(most)) => Self::Allow(most),
            ("queue", Some(most)) => Self::Queue(most),
            _ => Self::Skip,
        })
    }
}

impl<'de> Deserialize<'de> for MissedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = WordVisitor { all: &["skip", "coalesce", "all"], counted: &["all"] };
        Ok(match deserializer.deserialize_any(visitor)? {
            ("skip", _) => Self::Skip,
            (_, Some(most)) => Self::All(most),
            _ => Self::Coalesce,
        })
    }
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

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let either =
            [generator.subschema_for::<DurationValue>(), generator.subschema_for::<UnitValue>()];
        json_schema!({ "anyOf": either, "examples": ["36h", "day"] })
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
                { "type": "string", "pattern": r"\S" },
                {
                    "type": "array",
                    "items": [{ "type": "string", "minLength": 1 }],
                    "additionalItems": { "type": "string" },
                    "minItems": 1,
                },
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
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, table] })
    }
}
