//! Values that can be written in more than one way.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use millicron::Unit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

/// A value that can be written in several ways. Those without a method are errors.
pub(super) trait Forms: Sized {
    /// What is expected, for error messages.
    const EXPECTED: &str;

    fn from_text<E: Error>(text: &str) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Str(text), &Self::EXPECTED))
    }

    fn from_array<'de, A: SeqAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }

    fn from_table<'de, A: MapAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

/// Reads a value in the way in which it is written.
struct FormsVisitor<T>(PhantomData<T>);

impl<'de, T: Forms> Visitor<'de> for FormsVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<T, A::Error> {
        T::from_array(array)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
        T::from_table(table)
    }
}

/// Implements [`Deserialize`] for types with several [`Forms`].
macro_rules! deserialize_forms {
    ($($type:ty),*) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                super::values::forms(deserializer)
            }
        }
    )*};
}

pub(super) use deserialize_forms;

pub(super) fn forms<'de, T: Forms, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(FormsVisitor(PhantomData))
}

deserialize_forms!(DurationValue, CommandValue);

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

/// What happens to an event while a run of the job is in progress.
#[derive(Clone, Copy, Debug, Default, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum OverlapValue {
    /// The event is skipped.
    #[default]
    Skip,
    /// It runs at once, up to this many runs in progress.
    Allow(NonZeroUsize),
    /// It waits for its turn, up to this many waiting events.
    Queue(NonZeroUsize),
}

/// What happens to missed events.
#[derive(Clone, Copy, Debug, Default, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum MissedValue {
    /// They are skipped.
    Skip,
    /// One run covers all of them.
    #[default]
    Coalesce,
    /// The last ones run, up to this many.
    All(NonZeroUsize),
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

impl Forms for DurationValue {
    const EXPECTED: &str = "a duration such as `\"90s\"` or `\"1h 30m\"`";

    fn from_text<E: Error>(text: &str) -> Result<Self, E> {
        Self::parse(text).map_err(E::custom)
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

impl Forms for CommandValue {
    const EXPECTED: &str = "a line, or an array of the program and its arguments";

    fn from_text<E: Error>(line: &str) -> Result<Self, E> {
        Ok(Self::Line(line.to_owned()))
    }

    fn from_array<'de, A: SeqAccess<'de>>(words: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(words)).map(Self::Words)
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
