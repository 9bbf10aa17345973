//! [`CalendarArguments`]: the calendars on the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use millicron::{Calendar, CalendarError, ParseErrorKind};

use crate::error::Error;
use crate::file::{NAME, is_calendar_name, load_calendar, parse_calendars, position};

/// The calendars that a text may name.
#[derive(Args, Debug)]
pub(crate) struct CalendarArguments {
    /// The file of a calendar that the text names, as in '9:30:00 @nyse'; NAME is by default the name of the file
    /// without its extension
    #[arg(long = "calendar", value_name = "[NAME=]FILE", value_parser = named_file)]
    #[arg(value_hint = ValueHint::FilePath)]
    files: Vec<NamedFile>,
}

/// The file of a calendar, and its name.
#[derive(Clone, Debug)]
struct NamedFile {
    name: String,
    path: PathBuf,
}

/// Splits `nyse=nyse.days`, and names `nyse.days` by its stem.
fn named_file(text: &str) -> Result<NamedFile, String> {
    match text.split_once('=') {
        Some((name, "")) if is_calendar_name(name) => return Err(format!("write {name}=FILE")),
        Some((name, path)) if is_calendar_name(name) => {
            return Ok(NamedFile { name: name.to_owned(), path: path.into() });
        }
        Some(("", path)) => return Err(format!("write NAME={path}, where NAME has {NAME}")),
        // Not the name of a directory.
        Some((name, path)) if !name.contains(['/', '\\', '.']) => {
            return Err(format!(
                "`{name}` is not the name of a calendar: write NAME={path}, where NAME has {NAME}"
            ));
        }
        _ => {}
    }
    let path = PathBuf::from(text);
    match path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_calendar_name(stem)) {
        Some(name) => Ok(NamedFile { name: name.to_owned(), path }),
        None => Err(format!("write NAME={}, where NAME has {NAME}", text.trim_end_matches('='))),
    }
}

impl CalendarArguments {
    /// Reads the calendars, which may name each other.
    pub(crate) fn read(&self) -> Result<BTreeMap<String, Calendar>, Error> {
        self.parse(&self.texts()?)
    }

    /// Like [`read`](Self::read), and returns the calendars that neither the text of a schedule nor another calendar names.
    pub(crate) fn read_for(
        &self,
        schedule: &str,
    ) -> Result<(BTreeMap<String, Calendar>, Vec<String>), Error> {
        let texts = self.texts()?;
        let calendars = self.parse(&texts)?;
        let others = || texts.values().map(String::as_str);
        let is_named = |name: &str| others().chain([schedule]).any(|text| is_named_in(text, name));
        let unnamed = texts.keys().filter(|name| !is_named(name)).cloned().collect();
        Ok((calendars, unnamed))
    }

    fn texts(&self) -> Result<BTreeMap<String, String>, Error> {
        let mut texts = BTreeMap::new();
        for NamedFile { name, path } in &self.files {
            if texts.insert(name.clone(), load_calendar(path)?).is_some() {
                return Err(Error::new(format_args!("there are two calendars `{name}`"))
                    .hint("name one of them with --calendar NAME=FILE"));
            }
        }
        Ok(texts)
    }

    fn parse(&self, texts: &BTreeMap<String, String>) -> Result<BTreeMap<String, Calendar>, Error> {
        let (calendars, errors) = parse_calendars(texts);
        let first = errors.iter().find_map(|found| {
            let file = self.files.iter().find(|file| file.name == found.calendar)?;
            Some(calendar_error(&file.path, texts.get(&found.calendar)?, &found.error))
        });
        first.map_or(Ok(calendars), Err)
    }
}

/// Whether a text names a calendar, as in `9:30:00 @nyse`.
fn is_named_in(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let is_whole = |rest: &str| !rest.starts_with(is_part);
    text.split('@').skip(1).filter_map(|rest| rest.strip_prefix(name)).any(is_whole)
}

/// Returns what to say about a calendar that is given without effect.
pub(crate) fn unnamed_calendar(name: &str) -> String {
    format!("the schedule does not name the calendar `{name}`")
}

/// Returns the error in the text of a calendar, with carets.
pub(crate) fn calendar_error(path: &Path, text: &str, error: &CalendarError) -> Error {
    let (path, plain) = (path.display(), error.in_line().plain());
    let (line, column) = position(text, error.span().start);
    if error.is_about_whole() {
        // There is no line to show.
        return Error::new(format_args!("{path}:{line}:{column}: {plain}"));
    }
    let message = Error::new(format_args!("{path}:{line}:{column}: {plain:#}"));
    if error.kind() == ParseErrorKind::UnknownCalendar {
        return unknown_calendar(message, text.get(error.span()).unwrap_or_default());
    }
    message
}

/// Adds to an error how to name the file of an unknown calendar.
pub(crate) fn unknown_calendar(error: Error, name: &str) -> Error {
    error.hint(format_args!("name its file with --calendar {name}=FILE"))
}
