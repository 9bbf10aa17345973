//! [`ScheduleArguments`]: reads the schedule on the command line.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{
    Calendar, Calendars, Language, ParseError, ParseErrorKind, Phrase, Reading, RecognizeError,
    Schedule, ZonedParseErrorKind, ZonedSchedule,
};

use crate::error::{Error, note};
use crate::file::members;
use crate::language::{LanguageName, NO_UNIONS, union_of};
use crate::query::calendars::{CalendarArguments, unknown_calendar, unnamed_calendar};
use crate::query::clock::timestamp;
use crate::times::{Now, Time, offset_from_utc, time_zone};

/// The schedule of a command, and how to read it.
#[derive(Args, Debug)]
pub(crate) struct ScheduleArguments {
    /// The schedule, such as '0 9 * * MON-FRI' or '*.*.* Mon-Fri 09:00:00'
    #[arg(value_name = "SCHEDULE")]
    pub(crate) text: String,

    /// The language of the schedule, if the text is ambiguous
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<LanguageName>,

    /// The time zone: a name such as Europe/Berlin, or an offset [default: the schedule's, or this
    /// machine's]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, aliases = ["tz", "timezone"])]
    pub(crate) zone: Option<String>,

    #[command(flatten)]
    pub(crate) calendars: CalendarArguments,
}

/// Two times on the command line.
#[derive(Args, Debug)]
pub(crate) struct RangeArguments {
    /// The start, included; a date alone means midnight
    #[arg(value_name = "START", allow_hyphen_values = true)]
    start: Time,

    /// The end, excluded
    #[arg(value_name = "END", allow_hyphen_values = true)]
    end: Time,
}

impl RangeArguments {
    /// Returns the range in milliseconds, without the end.
    pub(crate) fn read(&self, now: &Now, zone: &TimeZone) -> Result<Range<i64>, Error> {
        let range = self.start.millis(now, zone)?..self.end.millis(now, zone)?;
        if range.start > range.end {
            return Err(Error::new("the end is before the start").hint("swap the times"));
        }
        Ok(range)
    }
}

/// A schedule that was read from the command line.
#[derive(Debug)]
pub(crate) struct ScheduleRead {
    /// The text as given.
    pub(crate) text: String,
    /// The language of the text.
    pub(crate) language: Language,
    /// The schedule, in the time zone of its text, or else in `--zone`.
    pub(crate) schedule: ZonedSchedule<TimeZone>,
    /// Whether the text has a time zone.
    pub(crate) has_zone: bool,
    /// The time zone in which times are read and shown: `--zone`, or else the schedule's.
    pub(crate) shown: TimeZone,
    /// The calendars that the text may name.
    calendars: BTreeMap<String, Calendar>,
}

impl ScheduleArguments {
    pub(crate) fn read(&self) -> Result<ScheduleRead, Error> {
        let dialect = self.dialect.map(Language::from);
        let (calendars, unnamed) = self.calendars.read_for(&self.text)?;
        let offset = || offset_at_end(&self.text, dialect, &calendars);
        let read = ScheduleRead::new(&self.text, dialect, self.zone.as_deref(), calendars.clone());
        let read = read.map_err(|error| match offset() {
            Some(offset) if self.zone.is_none() => {
                error.hint(format_args!("leave it out, and pass it as --zone {offset}"))
            }
            _ => error,
        })?;
        note_unnamed(&unnamed);
        Ok(read)
    }
}

impl ScheduleRead {
    /// Reads a schedule in a language, or else in the recognized one, to be shown in a time zone. It may name one of
    /// the calendars.
    pub(crate) fn new(
        text: &str,
        language: Option<Language>,
        zone: Option<&str>,
        calendars: BTreeMap<String, Calendar>,
    ) -> Result<Self, Error> {
        let reading = match language {
            Some(language) => language
                .read_with(text, &calendars)
                .map_err(|error| unreadable(text, language, &error, true, &calendars)),
            None => Language::recognize_with(text, &calendars)
                .map_err(|error| unrecognized(text, error, &calendars)),
        }?;
        let Reading { language, schedule, zone: own, .. } = reading;
        // Check both zones, even if only one is used.
        let asked = zone.map(|name| time_zone(Some(name))).transpose()?;
        let zone = match (own, &asked) {
            (Some(name), _) => time_zone(Some(name))
                .map_err(|error| unknown_zone(text, language, &calendars).unwrap_or(error))?,
            (None, Some(asked)) => asked.clone(),
            (None, None) => time_zone(None)?,
        };
        Ok(Self {
            text: text.to_owned(),
            language,
            has_zone: own.is_some(),
            shown: asked.unwrap_or_else(|| zone.clone()),
            schedule: schedule.in_zone(zone),
            calendars,
        })
    }

    /// Returns the calendars of the schedule, or of the members of a union, by their names.
    pub(crate) fn calendars(&self) -> BTreeMap<&str, &Calendar> {
        let find = |it: Schedule| self.calendars.get_key_value(it.calendar()?);
        let found = members(self.schedule.schedule()).into_iter().filter_map(find);
        found.map(|(name, calendar)| (name.as_str(), calendar)).collect()
    }

    /// Returns the days that the calendars of the schedule have. `None` if it, or a member of a union, has no calendar,
    /// so that it may have events on all days.
    pub(crate) fn open_days(&self) -> Option<Calendar> {
        let has_calendar = |it: &Schedule| it.calendar().is_some();
        let calendars = self.calendars().into_values().cloned();
        let all = calendars.reduce(|days, more| days | more);
        all.filter(|_| members(self.schedule.schedule()).iter().all(has_calendar))
    }

    /// Notes that schedules have no events at instants, in milliseconds, if one is outside the years of schedules.
    pub(crate) fn note_years(&self, instants: impl IntoIterator<Item = i64>) {
        note_years(instants.into_iter().map(timestamp), self.schedule.zone());
    }
}

/// Notes that calendars have no effect, because the schedule does not name them.
pub(crate) fn note_unnamed(calendars: &[String]) {
    for name in calendars {
        note(format_args!("{}: write `@{name}` after its time", unnamed_calendar(name)));
    }
}

/// Notes that schedules have no events at instants, if one is outside the years of schedules in a time zone.
pub(crate) fn note_years(instants: impl IntoIterator<Item = Timestamp>, zone: &TimeZone) {
    let mut years = instants.into_iter().map(|it| it.to_zoned_datetime(zone.clone()).year());
    if years.any(|year| !(2000..=2100).contains(&year)) {
        note("schedules have events only in the years 2000 to 2100");
    }
}

/// Returns the offset from UTC after a schedule, which is no part of a text.
fn offset_at_end(
    text: &str,
    language: Option<Language>,
    calendars: &dyn Calendars,
) -> Option<String> {
    let (before, last) = text.trim().rsplit_once(char::is_whitespace)?;
    let offset = offset_from_utc(last)?;
    let is_schedule = match language {
        Some(language) => language.read_with(before, calendars).is_ok(),
        None => Language::recognize_with(before, calendars).is_ok(),
    };
    is_schedule.then_some(offset)
}

/// Returns the error for a text that is not valid in a language.
fn unreadable(
    text: &str,
    language: Language,
    error: &ParseError,
    is_named: bool,
    calendars: &dyn Calendars,
) -> Error {
    let message = Error::new(format_args!("{:#}", error.plain()));
    if error.kind() == ParseErrorKind::Phrase {
        if let Err(error) = ZonedSchedule::<TimeZone>::parse(text)
            && !matches!(error.kind(), ZonedParseErrorKind::Schedule(_))
        {
            return Error::new(format_args!("{error:#}"));
        }
        let phrase = text.get(error.span()).unwrap_or(text);
        return match Phrase::recognize(phrase.trim()) {
            Some(phrase) => with_meanings(text, error, language, is_named, &phrase, calendars),
            None => message,
        };
    }
    if error.kind() == ParseErrorKind::UnknownCalendar {
        return unknown_calendar(message, text.get(error.span()).unwrap_or_default());
    }
    let others = Language::ALL.into_iter().filter(|it| it.read_with(text, calendars).is_ok());
    let others = others.map(Language::keyword).collect::<Vec<_>>();
    if error.kind() == ParseErrorKind::OtherDialect && !others.is_empty() {
        message.hint(format_args!("name its language with --dialect {}", others.join(" or ")))
    } else if let Some(union) = union_of(text, is_named.then_some(language), calendars) {
        Error::new(NO_UNIONS).hint(format_args!("write '{union}'"))
    } else if is_named {
        message.hint(format_args!("read as {language}, as --dialect says"))
    } else {
        message.hint(format_args!("read as {language}; name another language with --dialect"))
    }
}

/// Returns the error for a phrase in a text: what it may mean, in a language and with the time zone after it, as
/// arguments of a command.
fn with_meanings(
    text: &str,
    error: &ParseError,
    language: Language,
    is_named: bool,
    phrase: &Phrase,
    calendars: &dyn Calendars,
) -> Error {
    // Returns the text, and the option that it needs if the language cannot express the schedule.
    let write = |schedule: &Schedule, zone| match language.write(schedule, zone) {
        Ok(text) => (text, ""),
        Err(_) => (schedule.to_string(), if is_named { " with --dialect millicron" } else { "" }),
    };
    let mut message = format!("{:#}", error.plain());
    let line = error.plain().to_string();
    // An error contains only a part of a long text, so its message does not say what the phrase may mean.
    if !line.contains(": ") {
        let advice =
            phrase.schedules_with(calendars).fold(phrase.to_string(), |advice, schedule| {
                advice.replace(&format!("`{schedule}`"), &format!("`{}`", write(&schedule, None).0))
            });
        message.insert_str(line.len(), &format!(": {advice}"));
    }
    let message = Error::new(message);
    let span = error.span();
    let before = text.get(..span.start).unwrap_or_default();
    let zone = text.get(span.end..).map(str::trim).filter(|zone| !zone.is_empty());
    // An argument would lack the other schedules of the union.
    if !before.trim().is_empty() || zone.is_some_and(|rest| rest.contains(';')) {
        return message;
    }
    let meanings = phrase.schedules_with(calendars).map(|schedule| {
        let (text, option) = write(&schedule, zone);
        format!("'{text}'{option} ({})", language.describe(&schedule))
    });
    let meanings: Vec<_> = meanings.collect();
    if meanings.is_empty() {
        return message;
    }
    message.hint(format_args!("try {}", meanings.join(" or ")))
}

/// Returns the error for a text whose time zone is unknown, with carets.
fn unknown_zone(text: &str, language: Language, calendars: &dyn Calendars) -> Option<Error> {
    let zoned = match language {
        Language::Dialect(dialect) => dialect.parse_zoned::<TimeZone>(text),
        _ => ZonedSchedule::parse_with(text, calendars),
    };
    zoned.err().map(|error| Error::new(format_args!("{error:#}")))
}

/// Returns the error for a text that is not valid in any language, or is ambiguous.
fn unrecognized(text: &str, error: RecognizeError<'_>, calendars: &dyn Calendars) -> Error {
    let readings = match error {
        RecognizeError::Ambiguous(readings) => readings,
        RecognizeError::Unreadable { language, error } => {
            return unreadable(text, language, &error, false, calendars);
        }
        error => return Error::new(error),
    };
    let names: Vec<_> = readings.iter().map(|it| it.language.to_string()).collect();
    let mut hint = String::from("name it with ");
    for (index, Reading { language, schedule, .. }) in readings.iter().enumerate() {
        let separator = if index == 0 { "" } else { " or " };
        let meaning = language.describe(schedule);
        let _ = write!(hint, "{separator}--dialect {} ({meaning})", language.keyword());
    }
    Error::new(format_args!("`{text}` has a different meaning in {}", names.join(" and ")))
        .hint(hint)
}
