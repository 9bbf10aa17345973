//! `millicron convert`.

use std::io::Write;

use clap::Args;
use millicron::{Dialect, Language};
use serde::Serialize;

use crate::check::cron_refusal;
use crate::error::{Error, note};
use crate::language::LanguageName;
use crate::output::Output;
use crate::query::schedule::{ScheduleArguments, ScheduleRead};
use crate::times::{Now, zone_name};

/// Write a schedule in another language
///
/// Except in millicron's own language, the year 2100 is ignored: Quartz does not have it, and crontab has no
/// years. How clock changes are handled is not part of a schedule: systemd, for example, skips events in a gap.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron convert '0 9 * * MON-FRI' --to quartz
  millicron convert '*.*.L 17:00:00'
  millicron convert 'CRON_TZ=Asia/Tokyo 30 9 * * *' --to systemd
  millicron convert '0 9 * * MON-FRI' --zone Europe/Berlin --to systemd")]
pub(crate) struct Convert {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// The language to write [default: all]
    #[arg(long, value_name = "NAME")]
    to: Option<LanguageName>,
}

/// A schedule in a language, or why the language cannot express it.
#[derive(Debug, Serialize)]
pub(crate) struct Translation {
    pub(crate) language: &'static str,
    pub(crate) text: Option<String>,
    pub(crate) reason: Option<String>,
}

impl Translation {
    /// Translates a schedule, with the name of a time zone if there is one.
    pub(crate) fn new(read: &ScheduleRead, language: Language, zone: Option<&str>) -> Self {
        let written = language.write(read.schedule.schedule(), zone);
        let reason = written.as_ref().err().map(ToString::to_string);
        Self { language: language.keyword(), text: written.ok(), reason }
    }
}

impl Convert {
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let zone = self.zone(&read)?;
        let Some(language) = self.to.map(Language::from) else {
            let all = Language::ALL.map(|language| Translation::new(&read, language, zone));
            return write_all(&all, output);
        };
        let translation = Translation::new(&read, language, zone);
        match &translation.text {
            Some(_) if output.is_json() => output.json(&translation)?,
            Some(text) => {
                writeln!(output, "{text}")?;
                if language == Language::Dialect(Dialect::Crontab) {
                    note_cron(&read, zone);
                }
            }
            None => {
                if output.is_json() {
                    output.json(&translation)?;
                }
                let error = Error::new(translation.reason.unwrap_or_default());
                let plain = language.write(read.schedule.schedule(), None);
                let others = Language::ALL.map(|language| Translation::new(&read, language, zone));
                let others = others.iter().filter(|it| it.text.is_some()).map(|it| it.language);
                let others = others.collect::<Vec<_>>();
                return Err(match plain {
                    Ok(text) => error.hint(format_args!(
                        "set the time zone where the schedule is used, and write `{text}`"
                    )),
                    // It is in that language already.
                    Err(_) if others == [read.language.keyword()] => error,
                    Err(_) => error.hint(format_args!("write it as {}", others.join(", "))),
                });
            }
        }
        Ok(())
    }

    /// Returns the time zone to write: the one in the text, or else `--zone`.
    fn zone<'a>(&self, read: &'a ScheduleRead) -> Result<Option<&'a str>, Error> {
        let zone = read.schedule.zone();
        if read.has_zone && read.shown != *zone {
            return Err(Error::new("the schedule has its own time zone").hint(
                "leave out --zone: schedules are not converted from one time zone to another",
            ));
        }
        if !read.has_zone && self.schedule.zone.is_none() {
            return Ok(None);
        }
        let name = zone.iana_name().ok_or_else(|| {
            let zone = zone_name(zone);
            Error::new(format_args!("a schedule cannot have the time zone {zone}"))
                .hint("name a time zone, such as Europe/Berlin, instead of an offset")
        });
        name.map(Some)
    }
}

/// Says what cron does not take as it is written.
fn note_cron(read: &ScheduleRead, zone: Option<&str>) {
    let crontab = Language::Dialect(Dialect::Crontab);
    let text = crontab.write(read.schedule.schedule(), None).unwrap_or_default();
    if let Some(refusal) = cron_refusal(&text) {
        note(refusal);
    }
    if let Some(zone) = zone {
        note(format_args!("in a file, write `CRON_TZ={zone}` on a line of its own, before it"));
    }
}

fn write_all(all: &[Translation], output: &mut Output) -> Result<(), Error> {
    if output.is_json() {
        output.json(&all)?;
        return Ok(());
    }
    for Translation { language, text, reason } in all {
        let reason = || format!("({})", reason.as_deref().unwrap_or_default());
        output.labelled(language, 12, &text.clone().unwrap_or_else(reason))?;
    }
    Ok(())
}
