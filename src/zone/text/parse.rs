//! Splits a text into a schedule and a zone.

use core::ops::Range;

use millicron_runtime::without_last_semicolon;

use super::error::{Problem, ZonedParseError};
use super::nearest::nearest_names;
use crate::{Calendars, Dialect, NamedZone, ParseError, ParseErrorKind, Schedule, ZonedSchedule};

impl<Z: NamedZone> ZonedSchedule<Z> {
    /// Reads a schedule in [the language](crate#the-language) of this crate, followed by white space
    /// and the name of a time zone.
    ///
    /// Events in gaps and folds are handled by default, as with [`Schedule::in_zone`].
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule is invalid, the zone is missing, or no zone has that name.
    /// The error says what is wrong, where, and what to write instead.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{ZonedDateTime, tz::TimeZone};
    /// use millicron::{Schedule, ZonedSchedule, schedule};
    ///
    /// let opening = ZonedSchedule::<TimeZone>::parse("*.*.* Mon-Fri 09:30:00 America/New_York")?;
    ///
    /// const OPENING: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    /// assert_eq!(opening, OPENING.in_zone(TimeZone::get("America/New_York")?));
    ///
    /// let error = ZonedSchedule::<TimeZone>::parse("12:00:00 berlin").unwrap_err();
    /// assert_eq!(error.to_string(), "unknown time zone `berlin`: write `Europe/Berlin`");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ZonedParseError> {
        Self::parse_with(text, &())
    }

    /// Reads a schedule and the name of a time zone, with calendars, one of which the schedule may
    /// name: `*.*.* 09:30:00 @nyse America/New_York`.
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule is invalid or names a calendar that is not known, the zone
    /// is missing, or no zone has that name.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::tz::TimeZone;
    /// use millicron::{Calendar, ZonedSchedule};
    ///
    /// let nyse = [("nyse", Calendar::parse("*.*.* Mon-Fri\n- *.12.25")?)];
    /// let text = "09:30:00 @nyse America/New_York";
    /// let opening = ZonedSchedule::<TimeZone>::parse_with(text, &nyse)?;
    /// assert_eq!(opening.to_string(), text);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_with(text: &str, calendars: &dyn Calendars) -> Result<Self, ZonedParseError> {
        let found = last_part(text).and_then(|name| Some((name.start, Z::named(&text[name])?)));
        let Some((end, zone)) = found else { return Err(diagnose::<Z>(text, calendars)) };
        let before = text[..end].trim_ascii_end();
        match Schedule::parse_with(before, calendars) {
            Ok(_) if before.ends_with(';') => {
                let name = end..without_last_semicolon(text).len();
                Err(ZonedParseError::new(Problem::AfterSemicolon, text, name))
            }
            Ok(schedule) => Ok(schedule.in_zone(zone)),
            Err(error) => Err(before_zone(error, text)),
        }
    }
}

impl Dialect {
    /// Reads a schedule in the dialect with its time zone: after `CRON_TZ=` or `TZ=` before a
    /// crontab schedule, or at the end of a systemd timer.
    ///
    /// If the zone may be missing, use [`parse_with_zone`](Self::parse_with_zone) and
    /// [`Schedule::in_zone`].
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the dialect, has no time zone, or no zone
    /// has that name. Schedules of Quartz and the crate `cron` have no time zones in their texts.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::tz::TimeZone;
    /// use millicron::{Dialect, ZonedSchedule};
    ///
    /// let line = "CRON_TZ=America/New_York 30 9 * * MON-FRI";
    /// let opening = Dialect::Crontab.parse_zoned::<TimeZone>(line)?;
    /// assert_eq!(opening, "*.*.* Mon-Fri 09:30:00 America/New_York".parse()?);
    ///
    /// let timer = "Mon..Fri 09:30 America/New_York";
    /// assert_eq!(Dialect::Systemd.parse_zoned::<TimeZone>(timer)?, opening);
    ///
    /// let error = Dialect::Systemd.parse_zoned::<TimeZone>("09:30 new_york").unwrap_err();
    /// assert_eq!(error.to_string(), "unknown time zone `new_york`: write `America/New_York`");
    /// # }
    /// # Ok::<(), millicron::ZonedParseError>(())
    /// ```
    pub fn parse_zoned<Z: NamedZone>(
        self,
        text: &str,
    ) -> Result<ZonedSchedule<Z>, ZonedParseError> {
        let read = self.read(text).map_err(|error| ZonedParseError::schedule(error, text))?;
        let (schedule, spans) = read;
        let name = spans.zone.ok_or_else(|| missing(text, Some(self)))?;
        match Z::named(&text[name.clone()]) {
            Some(zone) => Ok(schedule.in_zone(zone)),
            None => Err(unknown::<Z>(text, name)),
        }
    }
}

/// Returns the error for the text before a zone.
#[cold]
fn before_zone(error: ParseError, text: &str) -> ZonedParseError {
    if matches!(error.kind(), ParseErrorKind::TimeZone) {
        return ZonedParseError::new(Problem::SecondZone, text, error.span());
    }
    ZonedParseError::schedule(error, text)
}

/// Returns the error for a text without a zone, at the position where the zone belongs.
#[cold]
fn missing(text: &str, dialect: Option<Dialect>) -> ZonedParseError {
    let end = without_last_semicolon(text).len();
    let start = text.len() - text.trim_ascii_start().len();
    let place = if dialect == Some(Dialect::Crontab) { start } else { end };
    ZonedParseError::new(Problem::MissingZone(dialect), text, place..place)
}

/// Returns the error for a name that no zone has.
#[cold]
fn unknown<Z: NamedZone>(text: &str, span: Range<usize>) -> ZonedParseError {
    ZonedParseError::new(problem_of::<Z>(&text[span.clone()]), text, span)
}

/// Returns what is wrong with a name that no zone has.
fn problem_of<Z: NamedZone>(name: &str) -> Problem {
    if is_offset(name) {
        return Problem::Offset;
    }
    let mut names = Z::names().peekable();
    match names.peek() {
        Some(_) => Problem::UnknownZone(nearest_names(name, names)),
        None => Problem::NoZones,
    }
}

/// Returns the last part of a text, if it may be a name.
fn last_part(text: &str) -> Option<Range<usize>> {
    let body = without_last_semicolon(text);
    let start = body.bytes().rposition(|byte| byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
    let is_name = start < body.len() && !body[start..].contains(':');
    is_name.then_some(start..body.len())
}

/// Returns what is wrong with a text whose last part is not the name of a zone.
#[cold]
fn diagnose<Z: NamedZone>(text: &str, calendars: &dyn Calendars) -> ZonedParseError {
    let Err(whole) = Schedule::parse_with(text, calendars) else { return missing(text, None) };
    if matches!(whole.kind(), ParseErrorKind::Phrase) {
        return ZonedParseError::schedule(whole, text);
    }
    if let Some(word) = last_part(text).filter(|word| is_word_after_phrase(text, word)) {
        // What is said of the phrase would not be true of the whole text.
        let problem = match problem_of::<Z>(&text[word.clone()]) {
            Problem::UnknownZone(_) => Problem::AfterPhrase,
            problem => problem,
        };
        return ZonedParseError::new(problem, text, word);
    }
    if let Some(span) = after_time(text).filter(|span| is_like_zone(&text[span.clone()])) {
        let before = text[..span.start].trim_ascii_end();
        if let Err(error) = Schedule::parse_with(before, calendars) {
            return before_zone(error, text);
        }
        return unknown::<Z>(text, span);
    }
    if !matches!(whole.kind(), ParseErrorKind::TimeZone) {
        return ZonedParseError::schedule(whole, text);
    }
    let span = whole.span();
    let is_last = span.end == without_last_semicolon(text).len();
    let problem = if is_offset(&text[span.clone()]) {
        Problem::Offset
    } else if is_last && text[..span.start].trim_ascii_end().ends_with(';') {
        Problem::AfterSemicolon
    } else {
        Problem::MisplacedZone
    };
    ZonedParseError::new(problem, text, span)
}

/// Whether the text before a word is a phrase.
fn is_word_after_phrase(text: &str, word: &Range<usize>) -> bool {
    text[word.clone()].starts_with(|c: char| c.is_ascii_alphabetic())
        && Schedule::parse(text[..word.start].trim_ascii_end())
            .is_err_and(|error| matches!(error.kind(), ParseErrorKind::Phrase))
}

/// Returns the text after the time, which is the first part with a `:`, of the last schedule. It may
/// have several parts, as in `12:00:00 America/New York`.
fn after_time(text: &str) -> Option<Range<usize>> {
    let body = without_last_semicolon(text);
    let last = body.rfind(';').map_or(0, |semicolon| semicolon + 1);
    let colon = last + body[last..].find(':')?;
    let time_end = colon + body[colon..].find(|c: char| c.is_ascii_whitespace())?;
    Some(body.len() - body[time_end..].trim_ascii_start().len()..body.len())
}

/// Whether a text after the time is probably meant as a zone rather than a date or weekday.
fn is_like_zone(text: &str) -> bool {
    let has_bracket = text.starts_with(['[', '<']);
    let is_word = text.starts_with(char::is_alphabetic) && !text.contains([':', '*']);
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_weekday = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        .iter()
        .any(|weekday| word.eq_ignore_ascii_case(weekday));
    is_offset(text) || has_bracket || (is_word && !is_weekday)
}

/// Whether a text is an offset: `Z`, `+02`, `-0500`, `+05:30`, `UTC+2`, and `+02:00[Europe/Berlin]`.
fn is_offset(text: &str) -> bool {
    let is_utc = |prefix: &&str| ["UTC", "GMT"].iter().any(|utc| prefix.eq_ignore_ascii_case(utc));
    let offset = text.get(..3).filter(is_utc).map_or(text, |prefix| &text[prefix.len()..]);
    let is_signed = |offset: &str| {
        offset.starts_with(|c: char| c.is_ascii_digit())
            && offset.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
    };
    let offset = offset.split_once('[').map_or(offset, |(offset, _)| offset);
    text.eq_ignore_ascii_case("z") || offset.strip_prefix(['+', '-']).is_some_and(is_signed)
}

impl<Z: NamedZone> core::str::FromStr for ZonedSchedule<Z> {
    type Err = ZonedParseError;

    /// Reads a schedule and a zone; see [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
