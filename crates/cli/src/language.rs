//! [`LanguageName`]: the name of a language of schedules.

use clap::ValueEnum;
use millicron::{Dialect, Language};
use schemars::JsonSchema;
use serde::Deserialize;

/// A language of schedules.
// The help of the command line is shorter than the descriptions in the schema of job files.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
#[schemars(rename = "DialectValue")]
pub(crate) enum LanguageName {
    /// millicron's own language.
    #[value(help = "millicron's own language")]
    Millicron,
    /// Five fields as in crontabs, or six with seconds first.
    #[value(help = "five fields; six with seconds", alias = "cron")]
    Crontab,
    /// Six or seven fields of the Java scheduler Quartz.
    #[value(help = "the Java scheduler")]
    Quartz,
    /// Six or seven fields of the Rust crate `cron`.
    #[value(help = "the Rust crate `cron`", alias = "cron-crate")]
    CronCrate,
    /// Calendar events of systemd timers.
    #[value(help = "OnCalendar= of systemd timers")]
    Systemd,
}

impl From<LanguageName> for Language {
    fn from(name: LanguageName) -> Self {
        Self::Dialect(match name {
            LanguageName::Millicron => return Self::Millicron,
            LanguageName::Crontab => Dialect::Crontab,
            LanguageName::Quartz => Dialect::Quartz,
            LanguageName::CronCrate => Dialect::CronCrate,
            LanguageName::Systemd => Dialect::Systemd,
        })
    }
}
