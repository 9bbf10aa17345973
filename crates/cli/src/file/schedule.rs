//! Schedules and time zones in files.

use std::ops::Range;

use jiff::tz::TimeZone;
use millicron::{
    Calendars, Language, ParseError, ParseErrorKind, Phrase, Reading, RecognizeError, ZonedSchedule,
};

use super::problem::Problem;
use crate::language::{NO_UNIONS, union_of};
use crate::times::{named_zone, offset_from_utc};

/// The rule that a schedule must have a single meaning.
pub(super) const AMBIGUOUS: &str = "ambiguous";

/// What to do about an unknown calendar.
pub(super) const ADD_CALENDAR: &str = "add it to the table `[calendars]`";

/// A schedule in a file.
#[derive(Debug)]
pub(super) struct FileSchedule {
    pub(super) language: Language,
    pub(super) schedule: ZonedSchedule<TimeZone>,
    /// Whether the text names its time zone.
    pub(super) has_zone: bool,
}

/// Reads a schedule in a language, or recognizes its language. It may name one of the calendars. Without a time zone in
/// the text, it is in `zone`. The span of a problem refers to the text.
pub(super) fn read(
    text: &str,
    language: Option<Language>,
    zone: &TimeZone,
    calendars: &dyn Calendars,
) -> Result<FileSchedule, Problem> {
    let reading = match language {
        Some(language) => {
            language.read_with(text, calendars).map_err(|error| unreadable(text, language, &error))
        }
        None => {
            Language::recognize_with(text, calendars).map_err(|error| unrecognized(text, &error))
        }
    };
    let reading = reading.map_err(|problem| match union_of(text, language, calendars) {
        Some(union) => Problem::error("schedule", 0..text.len(), NO_UNIONS)
            .hint(format_args!("write `{union}`")),
        None => problem,
    })?;
    let Reading { language, schedule, zone: name, .. } = reading;
    let zone = match name {
        Some(name) => named_zone(name).map_err(|(message, hint)| {
            let start = text.rfind(name).unwrap_or(0);
            let problem = |message| Problem::error("zone", start..start + name.len(), message);
            match offset_from_utc(name) {
                // Only a time zone outside of the text may be an offset.
                Some(_) => {
                    problem(format!("`{name}` is an offset from UTC, not the name of a time zone"))
                        .hint("write a name, such as `Europe/Berlin` or `UTC`")
                }
                None => problem(message).hint(hint),
            }
        })?,
        None => zone.clone(),
    };
    Ok(FileSchedule { language, schedule: schedule.in_zone(zone), has_zone: name.is_some() })
}

fn unrecognized(text: &str, error: &RecognizeError<'_>) -> Problem {
    match error {
        RecognizeError::Unreadable { language, error } => unreadable(text, *language, error),
        _ => Problem::error(AMBIGUOUS, 0..text.len(), error),
    }
}

fn unreadable(text: &str, language: Language, error: &ParseError) -> Problem {
    let problem = Problem::error("schedule", error.span(), error.plain());
    match error.kind() {
        // An error contains only a part of a long text, so its message does not say what a phrase may mean.
        ParseErrorKind::Phrase
            if !problem.message.contains(": ") && language == Language::Millicron =>
        {
            match text.get(error.span()).and_then(Phrase::recognize) {
                Some(phrase) => problem.hint(phrase),
                None => problem,
            }
        }
        ParseErrorKind::Phrase => match text.get(error.span().end..).map(str::trim) {
            None | Some("") => problem,
            Some(zone) => problem.hint(format_args!("keep `{zone}` after it")),
        },
        ParseErrorKind::UnknownCalendar => problem.hint(ADD_CALENDAR),
        _ => problem,
    }
}

/// Moves the span of a problem from a part of the text to the whole.
///
/// `part` is the span of the part. If `is_verbatim` is false, the part was unescaped, and its bytes do not
/// correspond to the text.
pub(super) fn shift(problem: Problem, part: &Range<usize>, is_verbatim: bool) -> Problem {
    let Range { start, end } = problem.span;
    let shifted = part.start + start..part.start + end;
    let span = if is_verbatim && shifted.end <= part.end { shifted } else { part.clone() };
    Problem { span, ..problem }
}
