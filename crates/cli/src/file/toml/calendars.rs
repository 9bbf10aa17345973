//! The table `[calendars]`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Component::CurDir;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millicron::ParseErrorKind;
use toml::Spanned;

use super::super::calendars::{
    ALL_DAYS, CalendarFile, FileCalendar, FileCalendars, FoundError, MOST_CALENDAR_BYTES, NAME,
    is_calendar_name, load_calendar, parse_calendars,
};
use super::super::problem::{Problem, Source, position};
use super::super::schedule;
use super::super::text::may_block;
use super::read::string_content;
use super::values::CalendarValue;
use crate::error::Error;

/// The rule that a calendar must be valid.
const CALENDAR: &str = "calendar";

/// The most calendars of a job file.
const MOST_CALENDARS: usize = 1000;

/// Reads the calendars of a job file with a text and a directory. Those of the keys that are not in the table have
/// values of another form, which is reported already.
pub(super) fn read(
    table: &BTreeMap<Spanned<String>, Spanned<CalendarValue>>,
    keys: &[Spanned<String>],
    text: &str,
    directory: &Path,
    problems: &mut Vec<Problem>,
) -> FileCalendars {
    let (mut places, mut texts) = (BTreeMap::new(), BTreeMap::new());
    if let Some(key) = keys.get(MOST_CALENDARS) {
        let message = format_args!("a file has at most {MOST_CALENDARS} calendars");
        problems.push(Problem::error(CALENDAR, key.span(), message));
        return FileCalendars::default();
    }
    let mut bytes = 0;
    for (name, value) in table {
        if !is_calendar_name(name.get_ref()) {
            let message = format!("`{}` is not the name of a calendar", name.get_ref());
            let problem = Problem::error(CALENDAR, name.span(), message);
            problems.push(problem.hint(format_args!("write {NAME}")));
            continue;
        }
        let (file, read) = match value.get_ref().path_or_text() {
            Ok(path) => {
                let file = CalendarFile::new(joined(directory, path));
                let read = load(&file.path);
                bytes += read.as_ref().map_or(0, |text| text.len() as u64);
                if bytes > MOST_CALENDAR_BYTES {
                    let mebibytes = MOST_CALENDAR_BYTES >> 20;
                    let message = format_args!(
                        "the files of all calendars are larger than {mebibytes} MiB together"
                    );
                    problems.push(Problem::error(CALENDAR, value.span(), message));
                    return FileCalendars::default();
                }
                (Some(file), read)
            }
            Err(text) => (None, Ok(text.to_owned())),
        };
        let read = read.unwrap_or_else(|error| {
            problems.push(Problem::of(CALENDAR, value.span(), error));
            ALL_DAYS.to_owned()
        });
        texts.insert(name.get_ref().clone(), read);
        places.insert(name.get_ref(), (file, name.span(), value.span()));
    }
    for key in keys {
        if is_calendar_name(key.get_ref()) && !table.contains_key(key) {
            texts.insert(key.get_ref().clone(), ALL_DAYS.to_owned());
            places.insert(key.get_ref(), (None, key.span(), key.span()));
        }
    }
    let (mut calendars, errors) = parse_calendars(&texts);
    let mut sources = BTreeMap::new();
    for found in errors {
        let name = &found.calendar;
        let (Some((file, _, span)), Some(calendar)) = (places.get(name), texts.get(name)) else {
            continue;
        };
        let problem = match file {
            Some(file) => {
                let path = file.path.display().to_string();
                let source = || Arc::new(Source { path, text: calendar.clone() });
                let source = sources.entry(name.clone()).or_insert_with(source);
                let problem = Problem::error(CALENDAR, found.span(), found.error.in_line().plain());
                problem.in_source(Arc::clone(source))
            }
            None => in_job_file(text, span, calendar, &found),
        };
        problems.push(match found.error.kind() {
            ParseErrorKind::UnknownCalendar => problem.hint(schedule::ADD_CALENDAR),
            _ => problem,
        });
    }
    let known = places.into_iter().filter_map(|(name, (file, span, _))| {
        let calendar = calendars.remove(name)?;
        Some(FileCalendar { name: name.clone(), span, file, calendar })
    });
    FileCalendars(known.collect())
}

/// Returns the path of a file in a directory, without `./`, as the names of job files.
fn joined(directory: &Path, path: &Path) -> PathBuf {
    let path = directory.join(path);
    let path: PathBuf = path.components().filter(|it| *it != CurDir).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// Reads the file of a calendar.
fn load(path: &Path) -> Result<String, Error> {
    // `run` reads it again while jobs run, and must not wait for it.
    if may_block(path) {
        let path = path.display();
        return Err(Error::new(format_args!("cannot read {path}: it is not a regular file")));
    }
    load_calendar(path)
}

/// Reports an error in the text of a calendar, which is the value at a span of the job file.
fn in_job_file(file: &str, span: &Range<usize>, text: &str, found: &FoundError) -> Problem {
    let (content, is_verbatim) = string_content(file, span.clone(), text);
    let mut message = found.error.in_line().plain().to_string();
    if !is_verbatim && !text.is_empty() {
        let (line, column) = position(text, found.span().start);
        message = format!("line {line}, column {column}: {message}");
    }
    let problem = Problem::error(CALENDAR, found.span(), message);
    let problem = schedule::shift(problem, &content, is_verbatim);
    // It may be meant as a file.
    let has_letters = text.contains(|c: char| c.is_ascii_alphabetic());
    let is_name = text.contains(['.', '/']) && !text.contains(['*', '@']) && has_letters;
    if !is_name || text.contains(char::is_whitespace) {
        return problem;
    }
    problem.hint(format_args!("if it is a file, write `{{ file = \"{text}\" }}`"))
}
