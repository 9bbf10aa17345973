//! `serde`: a [`Schedule`], a [`ZonedSchedule`], its policies and [`CalendarDigits`] as text.

use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{
    self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Unexpected, Visitor,
};
use serde_core::ser::{self, Serialize, Serializer};

use crate::{
    Calendar, CalendarDigits, Calendars, Fold, Gap, NamedZone, ParseError, Schedule, Zone,
    ZonedParseError, ZonedSchedule,
};

/// The text as written, see [`Schedule::expression`]. If it names a calendar, read it with a
/// [`ScheduleSeed`].
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expression())
    }
}

/// Parses the text. If that fails, the message is that of [`ParseError`], followed by its span.
///
/// TOML reads some schedules as times or dates, and YAML some as numbers, unless they are
/// in quotes. The message then says to quote them.
///
/// ```
/// use millicron::Schedule;
///
/// let hourly: Schedule = serde_json::from_str(r#""*:00:00""#)?;
/// assert_eq!(serde_json::to_string(&hourly)?, r#""*:00:00""#);
///
/// let error = serde_json::from_str::<Schedule>(r#""22-6:00:00""#).unwrap_err();
/// assert!(error.to_string().starts_with(
///     "hour range `22-6` runs downwards: write `22-23,0-6` (bytes 0..4 of the schedule)"
/// ));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: SCHEDULE,
            parse: |text: &str| text.parse().map_err(WithSpan),
        })
    }
}

/// The canonical text of the schedule, and the name of the zone; see `Display`. If it names a
/// calendar, read it with a [`ScheduleSeed`].
///
/// # Errors
///
/// Returns an error if the text, read with the same calendars, would not be an equal schedule,
/// because the zone has no name or the schedule does not have the default policies for gaps and
/// folds.
impl<Z: Zone> Serialize for ZonedSchedule<Z> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.zone().name().is_none() {
            return Err(ser::Error::custom("the time zone of the schedule has no name"));
        }
        if !self.has_default_policy() {
            return Err(ser::Error::custom(
                "the text of a schedule cannot contain how gaps and folds are handled: write what \
                 `with_gap` and `with_fold` were given beside it, and the schedule without them",
            ));
        }
        serializer.collect_str(self)
    }
}

/// Parses the text of a schedule and the name of a zone. If that fails, the message is that of
/// [`ZonedParseError`], followed by its span.
///
/// ```
/// # #[cfg(feature = "jiff")] {
/// use jiff::tz::TimeZone;
/// use millicron::ZonedSchedule;
///
/// let noon: ZonedSchedule<TimeZone> = serde_json::from_str(r#""12:00:00 Europe/Berlin""#)?;
/// assert_eq!(serde_json::to_string(&noon)?, r#""12:00:00 Europe/Berlin""#);
///
/// let json = r#""12:00:00 Europe/Berlim""#;
/// let error = serde_json::from_str::<ZonedSchedule<TimeZone>>(json).unwrap_err();
/// assert!(error.to_string().starts_with(
///     "unknown time zone `Europe/Berlim`: write `Europe/Berlin` (bytes 9..22 of the schedule)"
/// ));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'de, Z: NamedZone> Deserialize<'de> for ZonedSchedule<Z> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: ZONED_SCHEDULE,
            parse: |text: &str| text.parse().map_err(WithSpan),
        })
    }
}

/// Reads and writes the variants of a policy as names.
macro_rules! names {
    ($policy:ident, $expected:literal, $($variant:ident = $name:literal),*) => {
        #[doc = concat!("One of the texts ", $expected, ".")]
        impl Serialize for $policy {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self { $(Self::$variant => $name),* })
            }
        }

        #[doc = concat!("Reads one of the texts ", $expected, ".")]
        impl<'de> Deserialize<'de> for $policy {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text {
                    expected: $expected,
                    parse: |text: &str| match text {
                        $($name => Ok(Self::$variant),)*
                        _ => Err(concat!("expected ", $expected)),
                    },
                })
            }
        }
    };
}

names!(Gap, "`shift`, `bridge` or `skip`", Shift = "shift", Bridge = "bridge", Skip = "skip");
names!(Fold, "`first`, `second` or `both`", First = "first", Second = "second", Both = "both");

/// The text `yyyy-MM-dd HH:mm:ss.fff`.
impl Serialize for CalendarDigits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses any text that [`from_str`](core::str::FromStr::from_str) accepts.
///
/// ```
/// use millicron::CalendarDigits;
///
/// let noon: CalendarDigits = serde_json::from_str(r#""2021-02-28T12:00:00""#)?;
/// assert_eq!(serde_json::to_string(&noon)?, r#""2021-02-28 12:00:00.000""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for CalendarDigits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a date and time in quotes, such as \"2021-02-28 12:00:00\"",
            parse: str::parse::<CalendarDigits>,
        })
    }
}

/// What is expected in place of a schedule.
const SCHEDULE: &str = "a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"";

/// What is expected in place of a schedule with a time zone.
const ZONED_SCHEDULE: &str =
    "a schedule with a time zone in quotes, such as \"*.*.* Mon-Fri 09:30:00 America/New_York\"";

/// Reads a [`Schedule`] or a [`ZonedSchedule`] whose text may name a calendar, which a plain
/// `Deserialize` does not know.
///
/// ```
/// use millicron::serde::ScheduleSeed;
/// use millicron::{Calendar, Schedule};
/// use serde_core::de::DeserializeSeed as _;
///
/// let calendars = [("office", Calendar::parse("*.*.* Mon-Fri")?)];
/// let mut json = serde_json::Deserializer::from_str(r#""09:30:00 @office""#);
/// let opening = ScheduleSeed::<Schedule>::new(&calendars).deserialize(&mut json)?;
/// assert_eq!(opening, Schedule::parse("*.*.* Mon-Fri 09:30:00")?);
///
/// let error = serde_json::from_str::<Schedule>(r#""09:30:00 @office""#).unwrap_err();
/// assert!(error.to_string().starts_with(
///     "`office` is not a known calendar, since none were passed: use `parse_with` or, with serde, \
///      a `ScheduleSeed`, which take calendars by name"
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct ScheduleSeed<'a, T> {
    calendars: &'a dyn Calendars,
    schedule: PhantomData<fn() -> T>,
}

impl<'a, T> ScheduleSeed<'a, T> {
    /// Returns a seed that knows some calendars by name.
    #[must_use]
    pub const fn new(calendars: &'a dyn Calendars) -> Self {
        Self { calendars, schedule: PhantomData }
    }
}

impl<T> fmt::Debug for ScheduleSeed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleSeed").field("calendars", &self.calendars.names()).finish()
    }
}

impl<'de> DeserializeSeed<'de> for ScheduleSeed<'_, Schedule> {
    type Value = Schedule;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Schedule, D::Error> {
        deserializer.deserialize_str(Text {
            expected: SCHEDULE,
            parse: |text: &str| Schedule::parse_with(text, self.calendars).map_err(WithSpan),
        })
    }
}

impl<'de, Z: NamedZone> DeserializeSeed<'de> for ScheduleSeed<'_, ZonedSchedule<Z>> {
    type Value = ZonedSchedule<Z>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(Text {
            expected: ZONED_SCHEDULE,
            parse: |text: &str| ZonedSchedule::parse_with(text, self.calendars).map_err(WithSpan),
        })
    }
}

/// The text of the calendar; see `Display`.
///
/// # Errors
///
/// Returns an error if the calendar has no days, because no text would be read as an empty calendar.
impl Serialize for Calendar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_empty() {
            return Err(ser::Error::custom("the calendar has no days, and therefore no text"));
        }
        serializer.collect_str(self)
    }
}

/// Parses the text of a calendar that names no others.
impl<'de> Deserialize<'de> for Calendar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "the text of a calendar, such as \"*.*.* Mon-Fri\"",
            parse: Self::parse,
        })
    }
}

/// Reads a value from its text.
pub(super) struct Text<P> {
    /// What messages say is expected.
    pub(super) expected: &'static str,
    pub(super) parse: P,
}

impl<'de, T, F: fmt::Display, P: Fn(&str) -> Result<T, F>> Visitor<'de> for Text<P> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).map_err(E::custom)
    }

    /// Rejects every map. `toml` passes an unquoted date or time as a map with one key; the message
    /// then shows what to write.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        const TOML_KEY: &str = "$__toml_private_datetime";
        let is_datetime =
            map.next_key::<String>().is_ok_and(|key| key.as_deref() == Some(TOML_KEY));
        let datetime = if is_datetime { map.next_value::<String>().ok() } else { None };
        let Some(text) = datetime else {
            return Err(de::Error::invalid_type(Unexpected::Map, &self));
        };
        // `toml` shortens the fraction `.500` to `.5`, which means 5 ms in a schedule.
        if !text.contains('.') && (self.parse)(&text).is_ok() {
            return Err(de::Error::custom(format_args!(
                "invalid type: date or time, expected text: write \"{text}\" in quotes"
            )));
        }
        Err(de::Error::invalid_type(Unexpected::Other("date or time"), &self))
    }
}

/// An error whose message ends with its span, because a file contains more than the schedule.
pub(super) struct WithSpan<E>(pub(super) E);

impl fmt::Display for WithSpan<ParseError> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        write!(f, "{error} (bytes {:?} of the schedule)", error.span())
    }
}

impl fmt::Display for WithSpan<ZonedParseError> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        write!(f, "{error} (bytes {:?} of the schedule)", error.span())
    }
}
