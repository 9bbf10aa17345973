//! Imports calendars from iCalendar files and lists of dates.

mod dates;
#[cfg_attr(not(feature = "icalendar"), path = "no_icalendar.rs")]
mod icalendar;

use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use jiff::civil::{Date, date};
use millicron_pictures::{counted, is_hidden, number};

use crate::error::{Error, note};
use crate::file::{MOST_CALENDAR_BYTES, load_calendar};
use crate::output::shortened;

/// The dates that a calendar can have.
const FIRST: Date = date(2000, 1, 1);
const LAST: Date = date(2100, 12, 31);

/// The most dates of a file. Rules of a small file can have many more.
const MOST_DATES: usize = 1_000_000;

/// Dates of a file, and what they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ImportedDays {
    first: Date,
    last: Date,
    /// Whether the first date is one in each later year as well.
    is_yearly: bool,
    /// A comment on one line, which all dates of an event share.
    summary: Rc<str>,
}

/// What a file has.
#[derive(Debug, Default)]
struct ImportedFile {
    days: Vec<ImportedDays>,
    /// How many dates are left out because a calendar cannot have them.
    outside: u64,
    /// What else is left out, for notes.
    left_out: Vec<String>,
}

/// Reads the dates of an iCalendar file or of a list, and writes the text of a calendar that has all other days from
/// Monday to Friday or, if they are its days, these.
pub(crate) fn import(path: &Path, are_days: bool) -> Result<String, Error> {
    let text = load_calendar(path)?;
    let is_icalendar = is_icalendar(&text);
    let contents = if is_icalendar {
        icalendar::read(path, &text)?
    } else {
        let in_line = |(line, error): (usize, Error)| {
            error.prefixed(format_args!("{}:{line}", path.display()))
        };
        dates::read(&text).map_err(in_line)?
    };
    let mut left_out = contents.left_out;
    if contents.outside > 0 {
        left_out.push(format!("{} before 2000 or after 2100", counted(contents.outside, "date")));
    }
    let mut days = contents.days;
    days.sort();
    days.dedup();
    for what in left_out {
        note(format_args!("left out: {what}"));
    }
    if days.is_empty() {
        let (path, what) = (path.display(), if is_icalendar { "whole days" } else { "dates" });
        return Err(Error::new(format_args!("there are no {what} in {path}")));
    }
    let text = calendar_text(path, &days, are_days)?;
    let last = days.iter().map(|it| if it.is_yearly { LAST } else { it.last }).max();
    if let Some(last) = last.filter(|last| !are_days && last.year() < LAST.year()) {
        note(format_args!(
            "the last date is {last}: later years have no holidays, unless you end the calendar in its first line, as in \
             `{}-{}.*.* Mon-Fri`",
            FIRST.year(),
            last.year()
        ));
    }
    Ok(text)
}

/// Whether a text is an iCalendar file.
fn is_icalendar(text: &str) -> bool {
    let start = text.trim_ascii_start().get(.."BEGIN:VCALENDAR".len());
    start.is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:VCALENDAR"))
}

impl ImportedFile {
    /// Adds days, as far as a calendar can have them.
    fn add(&mut self, days: ImportedDays) -> Result<(), Error> {
        let first = if days.is_yearly { days.first } else { days.first.max(FIRST) };
        let clipped = ImportedDays { first, last: days.last.min(LAST), ..days };
        if clipped.first > clipped.last {
            self.outside += 1;
        } else if self.days.len() == MOST_DATES {
            let most = number(MOST_DATES as u64);
            return Err(Error::new(format_args!("there are more than {most} dates")));
        } else {
            self.days.push(clipped);
        }
        Ok(())
    }
}

/// Writes the text of a calendar.
fn calendar_text(path: &Path, days: &[ImportedDays], are_days: bool) -> Result<String, Error> {
    let name = path.file_name().unwrap_or(path.as_os_str()).display().to_string();
    let source = if path == Path::new("-") { "standard input".to_owned() } else { comment(&name) };
    let mut text = format!("# From {source}\n");
    let sign = if are_days { '+' } else { '-' };
    if !are_days {
        text.push_str("*.*.* Mon-Fri\n");
    }
    for ImportedDays { first, last, is_yearly, summary } in days {
        let dates = if *is_yearly {
            let years = first.year().max(FIRST.year());
            format!("{years}-{}.{:02}.{:02}", LAST.year(), first.month(), first.day())
        } else if first == last {
            first.to_string()
        } else {
            format!("{first}..={last}")
        };
        let _ = match &**summary {
            "" => writeln!(text, "{sign} {dates}"),
            summary => writeln!(text, "{sign} {dates}  # {summary}"),
        };
        if text.len() as u64 > MOST_CALENDAR_BYTES {
            let mebibytes = MOST_CALENDAR_BYTES >> 20;
            let message = format_args!("{source}: its calendar is larger than {mebibytes} MiB");
            return Err(Error::new(message));
        }
    }
    Ok(text)
}

/// Returns the beginning of a text on one line, without hidden characters.
fn comment(text: &str) -> String {
    let visible = text.replace(|c: char| is_hidden(c) && !c.is_whitespace(), "");
    shortened(&visible.split_whitespace().collect::<Vec<_>>().join(" "))
}
