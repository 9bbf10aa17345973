//! `millicron check`.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;
use walkdir::{DirEntry, WalkDir};

use crate::check::{Checked, LINTS, ReportFormat, count, lint, report};
use crate::error::Error;
use crate::file::{FileFormat, JobFile, Level, ReadArguments, USERS_HINT};
use crate::output::Output;
use crate::times::Now;

/// Check job files for errors and likely mistakes
///
/// The exit status is 1 if there are errors. A comment silences a warning about its line, or about the line
/// below it: `# millicron: allow rare-day`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron check /etc/crontab
  millicron check jobs.toml --zone Europe/Berlin
  millicron check jobs.toml --format github")]
pub(crate) struct Check {
    /// The files: TOML, crontabs or systemd timers; `-` is standard input; for a directory, those in it that are
    /// recognized by their names
    #[arg(value_name = "FILE", required_unless_present = "lints")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadArguments,

    /// How to write the problems [default: text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<ReportFormat>,

    /// Silence a lint
    #[arg(long, value_name = "LINT", value_parser = PossibleValuesParser::new(LINTS.iter().map(|lint| lint.name)), hide_possible_values = true)]
    allow: Vec<String>,

    /// Treat a lint as an error; `warnings` means all
    #[arg(long, value_name = "LINT", value_parser = PossibleValuesParser::new(deniable()), hide_possible_values = true)]
    deny: Vec<String>,

    /// List the lints
    #[arg(long, conflicts_with_all = ["files", "allow", "deny", "file_format", "zone", "users"])]
    lints: bool,
}

fn deniable() -> impl Iterator<Item = &'static str> {
    std::iter::once("warnings").chain(LINTS.iter().map(|lint| lint.name))
}

impl Check {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let is_other = self.format.is_some_and(|format| format != ReportFormat::Json);
        output.exclude_json("another --format", is_other)?;
        let format = match self.format {
            _ if output.is_json() => ReportFormat::Json,
            format => format.unwrap_or_default(),
        };
        if self.lints {
            return write_lints(format, output);
        }
        let options = self.reading.options()?;
        let mut files = Vec::new();
        for path in &paths(&self.files)? {
            // A file that cannot be read does not hide the problems of others.
            let mut file = JobFile::load(path, &options)
                .unwrap_or_else(|error| JobFile::unreadable(path, error));
            lint(&mut file, now.in_zone(&options.zone)?.timestamp(), &self.allow);
            for problem in &mut file.problems {
                if self.deny.iter().any(|it| it == "warnings" || it == problem.rule) {
                    problem.level = Level::Error;
                }
            }
            let is_input = path == Path::new("-");
            // GitHub does not find `./jobs.toml` among the files of a pull request.
            let short = path.strip_prefix(".").unwrap_or(path);
            let name = if is_input { "stdin".to_owned() } else { short.display().to_string() };
            files.push(Checked::new(name, file));
        }
        let is_crontab = |checked: &Checked| checked.file.format == FileFormat::Crontab;
        if options.has_users.is_some() && !files.iter().any(is_crontab) {
            return Err(Error::new("--users is for crontabs, and no file is one").hint(USERS_HINT));
        }
        // If the reader closes the output early, the exit status must still report errors.
        report(&files, format, output).or_else(Error::unless_closed)?;
        Ok(ExitCode::from(u8::from(count(&files, Level::Error) > 0)))
    }
}

fn write_lints(format: ReportFormat, output: &mut Output) -> Result<ExitCode, Error> {
    match format {
        ReportFormat::Json => {
            let lints = LINTS.iter();
            let lints = lints.map(|lint| json!({ "name": lint.name, "summary": lint.summary }));
            output.json(&lints.collect::<Vec<_>>())?;
        }
        ReportFormat::Text => {
            for lint in LINTS {
                writeln!(output, "{:<20} {}", lint.name, lint.summary)?;
            }
        }
        ReportFormat::Github | ReportFormat::Sarif => {
            return Err(
                Error::new("the lints are listed as text or JSON").hint("leave out --format")
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the files, and the files in the directories.
fn paths(files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for path in files {
        if path.is_dir() {
            paths.extend(sources(path)?);
        } else {
            paths.push(path.clone());
        }
    }
    Ok(paths)
}

/// Whether an entry of a directory is a file or a symbolic link to one, as far as can be known.
fn is_file(entry: &DirEntry) -> bool {
    if !entry.file_type().is_symlink() {
        return entry.file_type().is_file();
    }
    match fs::metadata(entry.path()) {
        Ok(metadata) => metadata.is_file(),
        // A link without a target, such as the lock of an editor, is no file.
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Finds the files of jobs in a directory, and the directories in it that cannot be read. Of symbolic links, only those
/// to files are followed.
fn sources(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_skipped = |entry: &DirEntry| {
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".") || name == "target";
        is_hidden && entry.file_type().is_dir() && entry.depth() > 0
    };
    let entries = WalkDir::new(directory).sort_by_file_name().into_iter();
    let mut paths = Vec::new();
    for entry in entries.filter_entry(|entry| !is_skipped(entry)) {
        match entry {
            Ok(entry) if is_file(&entry) && FileFormat::is_of_jobs(entry.path()) => {
                paths.push(entry.into_path());
            }
            Ok(_) => {}
            // Reading it reports the error, which does not hide the problems of others.
            Err(error) if error.path().is_some() => {
                paths.extend(error.path().map(Path::to_path_buf));
            }
            Err(error) => {
                let what = format_args!("cannot read {}", directory.display());
                return Err(Error::because(what, error));
            }
        }
    }
    if paths.is_empty() {
        let name = directory.display();
        return Err(Error::new(format_args!("no job files found in {name}")).hint(
            "name the files to check; a directory is searched for `*.cron`, `*.crontab`, `crontab`, `*.timer`, \
             and `*.toml` with `jobs`",
        ));
    }
    Ok(paths)
}
