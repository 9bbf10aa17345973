//! `millicron check`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::check::{Checked, LINTS, ReportFormat, count, lint, report};
use crate::error::Error;
use crate::file::{JobFile, Level, ReadArguments};
use crate::output::Output;
use crate::times::Now;

/// Check files of jobs for errors and surprises
///
/// The exit status is 1 if there are errors. A comment silences a warning of the line, or of the line
/// below it: `# millicron: allow rare-day`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron check /etc/crontab
  millicron check jobs.toml --zone Europe/Berlin
  millicron check jobs.toml --format github")]
pub(crate) struct Check {
    /// The files: TOML, crontabs, systemd timers or Rust; `-` is the standard input
    #[arg(value_name = "FILE", required_unless_present = "lints")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadArguments,

    /// How to write the problems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,

    /// Do not warn of this
    #[arg(long, value_name = "LINT", value_parser = PossibleValuesParser::new(LINTS.iter().map(|lint| lint.name)), hide_possible_values = true)]
    allow: Vec<String>,

    /// Make this an error; `warnings` are all
    #[arg(long, value_name = "LINT", value_parser = PossibleValuesParser::new(deniable()), hide_possible_values = true)]
    deny: Vec<String>,

    /// List the lints
    #[arg(long)]
    lints: bool,
}

fn deniable() -> impl Iterator<Item = &'static str> {
    std::iter::once("warnings").chain(LINTS.iter().map(|lint| lint.name))
}

impl Check {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        if self.lints {
            for lint in LINTS {
                writeln!(output, "{:<20} {}", lint.name, lint.summary)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let options = self.reading.options()?;
        let mut files = Vec::new();
        for path in &self.files {
            let mut file = JobFile::load(path, &options)?;
            lint(&mut file, now.in_zone(&options.zone).timestamp());
            file.problems.retain(|problem| {
                problem.level == Level::Error || !self.allow.iter().any(|it| it == problem.rule)
            });
            for problem in &mut file.problems {
                if self.deny.iter().any(|it| it == "warnings" || it == problem.rule) {
                    problem.level = Level::Error;
                }
            }
            let is_input = path == Path::new("-");
            let name = if is_input { "stdin".to_owned() } else { path.display().to_string() };
            files.push(Checked { name, file });
        }
        let format = if output.is_json() { ReportFormat::Json } else { self.format };
        report(&files, format, output)?;
        Ok(ExitCode::from(u8::from(count(&files, Level::Error) > 0)))
    }
}
