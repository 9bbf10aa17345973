//! Calendars by name, whose texts may name each other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use millicron::{Calendar, CalendarError, Calendars, ParseErrorKind, Schedule};

use super::text::read_text;
#[cfg(unix)]
use super::version::FileVersion;
use crate::error::Error;

/// The most bytes of a calendar's file: three million dates.
pub(crate) const MOST_CALENDAR_BYTES: u64 = 64 << 20;

/// The most errors of a calendar that are searched.
const MOST_ERRORS: usize = 1000;

/// The most calendars with errors. All calendars are parsed again after those of each.
const MOST_WRONG: usize = 100;

/// A calendar that has all days, in place of one with an error: what names it has no further errors.
pub(crate) const ALL_DAYS: &str = "*.*.*";

/// What the name of a calendar may be.
pub(crate) const NAME: &str =
    "letters, digits, `_` and `-`, beginning with a letter or `_`, as in `nyse`";

/// Whether a schedule can name a calendar so.
pub(crate) fn is_calendar_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    name.bytes().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Reads the text of a calendar's file. The path `-` is standard input.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn load_calendar(path: &Path) -> Result<String, Error> {
    let text = read_text(path, MOST_CALENDAR_BYTES)?;
    // Editors on Windows begin a file with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// An error in the text of a calendar.
#[derive(Debug)]
pub(crate) struct FoundError {
    pub(crate) calendar: String,
    pub(crate) error: CalendarError,
    /// Where the text begins that the error counts from, which is a part of the calendar's.
    start: usize,
}

impl FoundError {
    /// Returns the place of the error in the text of the calendar.
    pub(crate) fn span(&self) -> Range<usize> {
        let Range { start, end } = self.error.span();
        self.start + start..self.start + end
    }
}

/// Parses calendars by their names. Also returns the errors.
///
/// A calendar with an error has all days, and so have all if too many have errors.
pub(crate) fn parse_calendars(
    texts: &BTreeMap<String, String>,
) -> (BTreeMap<String, Calendar>, Vec<FoundError>) {
    let mut known: BTreeMap<&str, &str> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let all_days = || texts.keys().map(|name| (name.as_str(), ALL_DAYS));
    let all_days = Calendar::parse_all(all_days()).unwrap_or_default();
    let mut errors = Vec::new();
    // Each time, one more calendar has errors.
    for _ in 0..MOST_WRONG {
        let error = match Calendar::parse_all(known.iter().map(|(name, text)| (*name, *text))) {
            Ok(calendars) => return (calendars, errors),
            Err(error) => error,
        };
        let (name, error) = (error.name(), error.error());
        let text = known.get_mut(name).map(|text| std::mem::replace(text, ALL_DAYS));
        let text = text.unwrap_or_default();
        let has_no_days = error.kind() == ParseErrorKind::EmptyCalendar;
        let mut found = if has_no_days { Vec::new() } else { errors_in(name, text, &all_days) };
        // It may have no days because others have all. The errors of lines do not include circles.
        let may_follow = has_no_days && text.contains('@') && !errors.is_empty();
        if !may_follow && !found.iter().any(|it| it.span() == error.span()) {
            found.push(FoundError { calendar: name.to_owned(), error: error.clone(), start: 0 });
        }
        errors.append(&mut found);
    }
    (all_days, errors)
}

/// Returns the errors of all lines of a calendar by themselves.
fn errors_in(name: &str, text: &str, calendars: &BTreeMap<String, Calendar>) -> Vec<FoundError> {
    let mut errors = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..)
        && let Err(error) = Calendar::parse_with(rest, calendars)
        && error.kind() != ParseErrorKind::EmptyCalendar
        && errors.len() < MOST_ERRORS
    {
        let after = error.span().end;
        let line = rest.get(after..).and_then(|rest| rest.find('\n'));
        errors.push(FoundError { calendar: name.to_owned(), error, start });
        start = line.map_or(text.len(), |line| start + after + line + 1);
    }
    errors
}

/// Returns the members of a union, each of which may have a calendar, or else the schedule itself.
pub(crate) fn members(schedule: &Schedule) -> Vec<Schedule> {
    let members = schedule.members().collect::<Vec<_>>();
    if members.is_empty() { vec![schedule.clone()] } else { members }
}

/// Returns the first day from Monday to Friday after a date that a calendar does not have.
pub(crate) fn next_closed_weekday(calendar: &Calendar, date: Date) -> Option<Date> {
    let weekdays = Calendar::parse("*.*.* Mon-Fri").ok()?;
    (&weekdays - calendar).next(date)
}

/// The calendars of a job file.
#[derive(Debug, Default)]
pub(crate) struct FileCalendars(pub(super) Vec<FileCalendar>);

/// A calendar of a job file.
#[derive(Debug)]
pub(crate) struct FileCalendar {
    pub(crate) name: String,
    /// Where its name is in the job file, in bytes.
    pub(crate) span: Range<usize>,
    /// Its file, unless the job file has its text.
    pub(crate) file: Option<CalendarFile>,
    /// The days; all if there is an error.
    pub(crate) calendar: Calendar,
}

/// The file of a calendar.
#[derive(Debug)]
pub(crate) struct CalendarFile {
    pub(crate) path: PathBuf,
    /// Its version before it was read, if it was there.
    #[cfg(unix)]
    pub(crate) version: Option<FileVersion>,
}

impl CalendarFile {
    /// Notes the version of a file. Call it before reading the file.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            #[cfg(unix)]
            version: FileVersion::of(&path),
            path,
        }
    }
}

impl FileCalendars {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &FileCalendar> {
        self.0.iter()
    }

    /// Returns the calendars' files.
    #[cfg(unix)]
    pub(crate) fn files(&self) -> impl Iterator<Item = &CalendarFile> {
        self.iter().filter_map(|calendar| calendar.file.as_ref())
    }
}

impl Calendars for FileCalendars {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.iter().find(|it| it.name == name).map(|it| it.calendar.clone())
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|it| it.name.clone()).collect()
    }
}
