//! What `millicron check` does with a job file, made of the modules of the command.

#[path = "../../crates/cli/src/characters.rs"]
mod characters;
#[path = "../../crates/cli/src/check/mod.rs"]
mod check;
#[path = "../../crates/cli/src/error.rs"]
mod error;
#[path = "../../crates/cli/src/file/mod.rs"]
mod file;
#[path = "../../crates/cli/src/language.rs"]
mod language;
#[path = "../../crates/cli/src/output.rs"]
mod output;
#[path = "../../crates/cli/src/times.rs"]
mod times;

use std::collections::HashSet;
use std::path::Path;

use clap::ColorChoice;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use check::{Checked, ReportFormat, lint, report};
use file::{FileFormat, JobFile, Level, ReadOptions};
use output::Output;

/// How a file is read: in a format, or in the one that is recognized.
const FORMATS: [Option<FileFormat>; 4] =
    [None, Some(FileFormat::Crontab), Some(FileFormat::Timer), Some(FileFormat::Toml)];

/// Reads and checks a file, and writes its problems in every format to standard output.
///
/// # Panics
///
/// Panics if a problem has no place in the text, or if two jobs have the same name.
pub fn check(path: &Path, format: u8, has_users: bool) {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone of the database");
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let options = ReadOptions { format, zone, has_users: has_users.then_some(true) };
    let mut file = match JobFile::load(path, &options) {
        Ok(file) => file,
        Err(error) => JobFile::unreadable(path, error),
    };
    let names: HashSet<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names.len(), file.jobs.len());
    lint(&mut file, Timestamp::UNIX_EPOCH, &[]);
    for problem in file.problems.iter().filter(|problem| problem.source.is_none()) {
        assert!(file.text.get(problem.span.clone()).is_some(), "{problem:?}");
    }
    let has_errors = file.problems.iter().any(|problem| problem.level == Level::Error);
    assert!(has_errors || file.pipeline().is_ok());
    let files = [Checked::new("file".to_owned(), file)];
    let mut output = Output::new(false, ColorChoice::Always, Some(40));
    for format in
        [ReportFormat::Text, ReportFormat::Json, ReportFormat::Github, ReportFormat::Sarif]
    {
        report(&files, format, &mut output).expect("standard output is open");
    }
    drop(output);
    let [checked] = files;
    assert_eq!(checked.file.checked().is_err(), has_errors);
}
