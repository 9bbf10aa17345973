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
    let entries = match Entries::read(table, keys, directory, problems) {
        Ok(entries) => entries,
        Err(problem) => {
            problems.push(problem);
            return FileCalendars::default();
        }
    };
    let (mut calendars, errors) = parse_calendars(&entries.texts);
    problems.extend(entries.problems(&errors, text));
    let known = entries.places.into_iter().filter_map(|(name, Place { key, file, .. })| {
        let calendar = calendars.remove(name)?;
        Some(FileCalendar { name: name.to_owned(), span: key, file, calendar })
    });
    FileCalendars(known.collect())
}

/// The calendars of a job file before they are parsed, by their names.
#[derive(Debug, Default)]
struct Entries<'a> {
    places: BTreeMap<&'a str, Place>,
    texts: BTreeMap<String, String>,
}

/// Where a calendar is.
#[derive(Debug)]
struct Place {
    /// Where its name is in the job file.
    key: Range<usize>,
    /// Where the job file has its text, or the name of its file.
    value: Range<usize>,
    file: Option<CalendarFile>,
}

impl<'a> Entries<'a> {
    /// Reads the values of a table. One that cannot be read is reported, and has all days.
    ///
    /// # Errors
    ///
    /// Returns a problem if there are too many calendars, or if they are too large.
    fn read(
        table: &'a BTreeMap<Spanned<String>, Spanned<CalendarValue>>,
        keys: &'a [Spanned<String>],
        directory: &Path,
        problems: &mut Vec<Problem>,
    ) -> Result<Self, Problem> {
        if let Some(key) = keys.get(MOST_CALENDARS) {
            let message = format_args!("a file has at most {MOST_CALENDARS} calendars");
            return Err(Problem::error(CALENDAR, key.span(), message));
        }
        let (mut entries, mut bytes) = (Self::default(), 0);
        for (name, value) in table {
            if !is_calendar_name(name.get_ref()) {
                problems.push(wrong_name(name));
                continue;
            }
            let (file, read) = match value.get_ref().path_or_text() {
                Ok(path) => {
                    let file = CalendarFile::new(joined(directory, path));
                    let read = load(&file.path);
                    bytes += read.as_ref().map_or(0, |text| text.len() as u64);
                    (Some(file), read)
                }
                Err(text) => (None, Ok(text.to_owned())),
            };
            if bytes > MOST_CALENDAR_BYTES {
                return Err(too_large(value.span()));
            }
            let text = read.unwrap_or_else(|error| {
                problems.push(Problem::of(CALENDAR, value.span(), error));
                ALL_DAYS.to_owned()
            });
            entries.add(name, value.span(), file, text);
        }
        for key in keys {
            if is_calendar_name(key.get_ref()) && !table.contains_key(key) {
                entries.add(key, key.span(), None, ALL_DAYS.to_owned());
            }
        }
        Ok(entries)
    }

    fn add(
        &mut self,
        name: &'a Spanned<String>,
        value: Range<usize>,
        file: Option<CalendarFile>,
        text: String,
    ) {
        self.places.insert(name.get_ref(), Place { key: name.span(), value, file });
        self.texts.insert(name.get_ref().clone(), text);
    }

    /// Converts the errors in the texts of calendars. `job_file` is the text of the job file.
    fn problems(&self, errors: &[FoundError], job_file: &str) -> Vec<Problem> {
        // A file with several errors is kept once.
        let mut sources = BTreeMap::new();
        let problems = errors.iter().filter_map(|found| {
            let name = &found.calendar;
            let (place, text) = (self.places.get(&**name)?, self.texts.get(name)?);
            let problem = match &place.file {
                Some(file) => {
                    let path = || file.path.display().to_string();
                    let source = || Arc::new(Source::new(path(), text.clone()));
                    in_calendar_file(sources.entry(name).or_insert_with(source), found)
                }
                None => in_job_file(job_file, &place.value, text, found),
            };
            Some(match found.error.kind() {
                ParseErrorKind::UnknownCalendar => problem.hint(schedule::ADD_CALENDAR),
                _ => problem,
            })
        });
        problems.collect()
    }
}

fn wrong_name(name: &Spanned<String>) -> Problem {
    let message = format_args!("`{}` is not the name of a calendar", name.get_ref());
    Problem::error(CALENDAR, name.span(), message).hint(format_args!("write {NAME}"))
}

fn too_large(span: Range<usize>) -> Problem {
    let mebibytes = MOST_CALENDAR_BYTES >> 20;
    let message =
        format_args!("the files of all calendars are larger than {mebibytes} MiB together");
    Problem::error(CALENDAR, span, message)
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

/// Reports an error in the file of a calendar.
fn in_calendar_file(source: &Arc<Source>, found: &FoundError) -> Problem {
    Problem::error(CALENDAR, found.span(), found.error.in_line().plain())
        .in_source(Arc::clone(source))
}

/// Reports an error in the text of a calendar, which is the value at a span of the job file.
fn in_job_file(job_file: &str, span: &Range<usize>, text: &str, found: &FoundError) -> Problem {
    let (content, is_verbatim) = string_content(job_file, span.clone(), text);
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
