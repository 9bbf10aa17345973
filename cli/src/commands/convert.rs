//! `millicron convert`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use millicron::Language;
use serde::Serialize;

use crate::error::Error;
use crate::output::Output;
use crate::schedule::{LanguageName, ScheduleArguments, ScheduleRead};
use crate::times::Now;

/// Write a schedule in another language
///
/// The year 2100 does not count: Quartz does not have it, and crontab has no years.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron convert '0 9 * * MON-FRI' --to quartz
  millicron convert '*.*.L 17:00:00'
  millicron convert 'CRON_TZ=Asia/Tokyo 30 9 * * *' --to systemd")]
pub(crate) struct Convert {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// The language to write [default: all]
    #[arg(long, value_name = "NAME")]
    to: Option<LanguageName>,
}

/// A schedule in a language that can express it, or else why not.
#[derive(Debug, Serialize)]
pub(crate) struct Translation {
    pub(crate) language: &'static str,
    pub(crate) text: Option<String>,
    pub(crate) reason: Option<String>,
}

impl Translation {
    /// Translates a schedule, with the time zone in its text.
    pub(crate) fn new(read: &ScheduleRead, language: Language) -> Self {
        let zone = read.schedule.zone().iana_name().filter(|_| read.has_zone);
        let written = language.write(read.schedule.schedule(), zone);
        let reason = written.as_ref().err().map(ToString::to_string);
        Self { language: language.keyword(), text: written.ok(), reason }
    }
}

impl Convert {
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let read = self.schedule.read()?;
        let Some(LanguageName(language)) = self.to else {
            let all = Language::ALL.map(|language| Translation::new(&read, language));
            return write_all(&all, output);
        };
        let translation = Translation::new(&read, language);
        match &translation.text {
            Some(_) if output.is_json() => output.json(&translation)?,
            Some(text) => writeln!(output, "{text}")?,
            None => {
                let error = Error::new(translation.reason.unwrap_or_default());
                let plain = language.write(read.schedule.schedule(), None);
                let others = Language::ALL.map(|language| Translation::new(&read, language));
                let others = others.iter().filter(|it| it.text.is_some()).map(|it| it.language);
                return Err(match plain {
                    Ok(text) => error.hint(format_args!(
                        "set the time zone where the schedule is used, and write `{text}`"
                    )),
                    Err(_) => error.hint(format_args!(
                        "write it as {}",
                        others.collect::<Vec<_>>().join(", ")
                    )),
                });
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write_all(all: &[Translation], output: &mut Output) -> Result<ExitCode, Error> {
    if output.is_json() {
        output.json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    for Translation { language, text, reason } in all {
        let reason = || format!("({})", reason.as_deref().unwrap_or_default());
        output.labelled(language, 12, &text.clone().unwrap_or_else(reason))?;
    }
    Ok(ExitCode::SUCCESS)
}
