//! [`LanguageName`]: the name of a language of schedules. Unions, which only one language has.

use clap::ValueEnum;
use millicron::{Calendars, Dialect, Language, Schedule};
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

/// What is wrong with a union in another language than millicron's own.
pub(crate) const NO_UNIONS: &str = "only millicron's own language has unions";

/// Returns the union of schedules in a language, or else in the recognized ones, such as the schedules of a crontab
/// separated by `;`.
pub(crate) fn union_of(
    text: &str,
    language: Option<Language>,
    calendars: &dyn Calendars,
) -> Option<Schedule> {
    let read = |member: &str| {
        let reading = match language {
            Some(language) => language.read_with(member, calendars).ok()?,
            None => Language::recognize_with(member, calendars).ok()?,
        };
        reading.zone.is_none().then_some(reading.schedule)
    };
    let members = text.split(';').map(|member| read(member.trim())).collect::<Option<Vec<_>>>()?;
    if members.len() > 1 { Schedule::any_of(members).ok() } else { None }
}
