//! `serde`: a [`Schedule`] as its text.

use core::fmt;

use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

use crate::Schedule;

/// The text as written, see [`Schedule::expression`].
impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expression())
    }
}

/// From a text. The error of a bad one is that of [`ParseError`](crate::ParseError)
/// with the place, in bytes.
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
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Schedule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a schedule, such as `*.*.* Mon-Fri 09:30:00`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Schedule, E> {
        text.parse().map_err(|error: crate::ParseError| {
            E::custom(format_args!("{error} (bytes {:?} of the schedule)", error.span()))
        })
    }
}
