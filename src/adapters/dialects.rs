//! Schedules of other dialects in files, with `#[serde(with = "…")]`.
//!
//! Each module is for one [`Dialect`]. It reads schedules with [`Dialect::parse`] and writes them
//! with [`Schedule::to_dialect`], which fails if the dialect cannot express the schedule.
//!
//! ```
//! use millicron::{schedule, serde};
//!
//! // `#[serde(with = "millicron::serde::crontab")]` calls these two functions.
//! let mut json = serde_json::Deserializer::from_str(r#""30 9 * * MON-FRI""#);
//! let weekdays = serde::crontab::deserialize(&mut json)?;
//! assert_eq!(weekdays, schedule!("*.*.* Mon-Fri 09:30:00"));
//!
//! let text = serde::systemd::serialize(&weekdays, serde_json::value::Serializer)?;
//! assert_eq!(text, "Mon..Fri 09:30:00");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! After `use millicron::*`, both this module and the crate `serde` are called `serde`: import the
//! names that you use instead, or write `::serde`, as in `#[derive(::serde::Deserialize)]`.

use serde_core::de::Deserializer;
use serde_core::ser::{Error, Serializer};

pub use super::serde::ScheduleSeed;
use super::serde::{Text, WithSpan};
use crate::{Dialect, Schedule};

/// Defines the module of a dialect.
macro_rules! dialect {
    ($(#[$docs:meta])* $name:ident, $dialect:expr, $expected:literal) => {
        $(#[$docs])*
        pub mod $name {
            use super::{Dialect, Deserializer, Error, WithSpan, Schedule, Serializer, Text};

            const DIALECT: Dialect = $dialect;

            /// Writes a schedule in the dialect.
            ///
            /// # Errors
            ///
            /// Returns an error if the dialect cannot express the schedule.
            pub fn serialize<S: Serializer>(
                schedule: &Schedule,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let text = schedule.to_dialect(DIALECT).map_err(S::Error::custom)?;
                serializer.serialize_str(&text)
            }

            /// Reads a schedule in the dialect.
            ///
            /// # Errors
            ///
            /// Returns an error if the text is not a schedule in the dialect. The message is that
            /// of [`ParseError`](crate::ParseError), followed by its span.
            pub fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Schedule, D::Error> {
                deserializer.deserialize_str(Text {
                    expected: $expected,
                    parse: |text: &str| DIALECT.parse(text).map_err(WithSpan),
                })
            }
        }
    };
}

dialect! {
    /// Schedules in crontab syntax: `30 9 * * MON-FRI`.
    crontab,
    Dialect::Crontab,
    "a crontab schedule in quotes, such as \"30 9 * * MON-FRI\""
}

dialect! {
    /// Schedules in Quartz syntax: `0 30 9 ? * MON-FRI`.
    quartz,
    Dialect::Quartz,
    "a Quartz schedule in quotes, such as \"0 30 9 ? * MON-FRI\""
}

dialect! {
    /// Schedules in the syntax of the crate `cron`: `0 30 9 * * Mon-Fri`.
    cron_crate,
    Dialect::CronCrate,
    "a schedule of the cron crate in quotes, such as \"0 30 9 * * Mon-Fri\""
}

dialect! {
    /// Calendar events of systemd timers: `Mon..Fri 09:30`.
    systemd,
    Dialect::Systemd,
    "a systemd calendar event in quotes, such as \"Mon..Fri 09:30\""
}
