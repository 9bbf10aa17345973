//! [`Language`]: recognizing the language of a schedule.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use millicron_runtime::{self as runtime, Notation, Spans, is_like_weekdays, split_at_dots};

use crate::{
    Calendars, Description, Dialect, DialectError, Field, ParseError, ParseErrorKind, Schedule,
};
use millicron_runtime::list;

/// A language that schedules are written in: millicron's own, or a [`Dialect`].
///
/// Use [`recognize`](Self::recognize) to accept schedules pasted from anywhere: it finds the
/// language of a text.
///
/// ```
/// use millicron::{Dialect, Language, schedule};
///
/// let reading = Language::recognize("30 9 * * MON-FRI")?;
/// assert_eq!(reading.language, Language::Dialect(Dialect::Crontab));
/// assert_eq!(reading.schedule, schedule!("*.*.* Mon-Fri 09:30:00"));
///
/// let reading = Language::recognize("Mon..Fri 09:30 Europe/Berlin")?;
/// assert_eq!(reading.language, Language::Dialect(Dialect::Systemd));
/// assert_eq!(reading.zone, Some("Europe/Berlin"));
/// # Ok::<(), millicron::RecognizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Language {
    /// [The language](crate#the-language) of this crate.
    Millicron,
    /// The language of another program.
    Dialect(Dialect),
}

/// A text as read in one language, returned by [`Language::readings`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading<'t> {
    /// The language that reads the text.
    pub language: Language,
    /// What the text means in that language.
    pub schedule: Schedule,
    /// The name of the time zone in the text. It is not checked, so the zone may not exist.
    pub zone: Option<&'t str>,
    spans: Spans,
}

impl Reading<'_> {
    /// Returns the byte range of a field in the text; `None` if the text leaves the field out.
    ///
    /// A step from a date, as in `2026.01.05/14d`, belongs to the day of month, and a fraction of
    /// a second in a systemd timer to the second. A nickname such as `@daily` is no field, and a
    /// window such as `09:00:00../15m` has none of the fields from the hour to the millisecond.
    ///
    /// For the values of a field, see [`Schedule::values`].
    ///
    /// ```
    /// use millicron::{Dialect, Field, Language};
    ///
    /// let text = "30 9-17 * * MON-FRI";
    /// let reading = Language::Dialect(Dialect::Crontab).read(text)?;
    /// assert_eq!(reading.span(Field::Hour), Some(3..7));
    /// assert_eq!(reading.span(Field::Weekday).map(|span| &text[span]), Some("MON-FRI"));
    /// assert_eq!(reading.span(Field::Second), None);
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    #[must_use]
    pub fn span(&self, field: Field) -> Option<Range<usize>> {
        self.spans.field(field)
    }
}

/// Why [`Language::recognize`] returns no reading.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecognizeError<'t> {
    /// No language reads the text, or Quartz ignores a part of it that another language does not.
    Unreadable {
        /// The language that the text resembles most.
        language: Language,
        /// What is wrong with the text in that language.
        error: ParseError,
    },
    /// Several languages read the text, as different schedules.
    Ambiguous(Vec<Reading<'t>>),
}

impl Language {
    /// All languages, in the order in which [`recognize`](Self::recognize) prefers them.
    pub const ALL: [Self; 5] = [
        Self::Millicron,
        Self::Dialect(Dialect::Crontab),
        Self::Dialect(Dialect::Quartz),
        Self::Dialect(Dialect::CronCrate),
        Self::Dialect(Dialect::Systemd),
    ];

    /// Returns the keyword of the language: `millicron`, or the dialect's keyword in
    /// [`schedule!`](crate::schedule), such as `crontab`.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Millicron => "millicron",
            Self::Dialect(dialect) => dialect.inner().keyword(),
        }
    }

    /// Returns the language with a [keyword](Self::keyword).
    #[must_use]
    pub fn with_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.keyword() == keyword)
    }

    /// Reads a schedule in this language, and the name of its time zone if the text has one, like
    /// [`Dialect::parse_with_zone`]. In millicron's own language, the time zone comes last.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in this language, or has no events.
    pub fn read(self, text: &str) -> Result<Reading<'_>, ParseError> {
        self.read_with(text, &())
    }

    /// Reads a schedule in this language with calendars, like [`read`](Self::read). Only schedules
    /// in millicron's own language name calendars.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in this language, names a calendar that is not
    /// known, or has no events.
    ///
    /// ```
    /// use millicron::{Calendar, Language};
    ///
    /// let calendars = [("target", Calendar::parse("*.*.* Mon-Fri\n- *.12.25,26")?)];
    /// let text = "*.*.* B#L 17:00:00 @target Europe/Berlin";
    /// let reading = Language::Millicron.read_with(text, &calendars)?;
    /// assert_eq!(reading.schedule.calendar(), Some("target"));
    /// assert_eq!(reading.zone, Some("Europe/Berlin"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_with<'t>(
        self,
        text: &'t str,
        calendars: &dyn Calendars,
    ) -> Result<Reading<'t>, ParseError> {
        let (schedule, spans) = match self {
            Self::Millicron => read_native(text, calendars)?,
            Self::Dialect(dialect) => dialect.read(text)?,
        };
        let zone = spans.zone.clone().and_then(|span| text.get(span));
        Ok(Reading { language: self, schedule, zone, spans })
    }

    /// Writes a schedule, and the name of its time zone if there is one, as a text from which
    /// [`read`](Self::read) returns both. In millicron's own language, this is the canonical text.
    ///
    /// Quartz does not have the year 2100, and crontab has no years. Unlike
    /// [`Schedule::to_dialect`], this ignores 2100: in Quartz, the events of that year are left
    /// out, and in the other dialects, a schedule for the years 2000-2099, such as any schedule from
    /// Quartz, is written as one for all years.
    ///
    /// # Errors
    ///
    /// Returns an error if the language cannot express the schedule, or has no time zones.
    ///
    /// ```
    /// use millicron::{Dialect, Language, Schedule, schedule};
    ///
    /// const WEEKDAYS: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    /// let write = |dialect, zone| Language::Dialect(dialect).write(&WEEKDAYS, zone);
    ///
    /// let zone = Some("Europe/Berlin");
    /// assert_eq!(write(Dialect::Crontab, zone)?, "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI");
    /// assert_eq!(write(Dialect::Systemd, zone)?, "Mon..Fri 09:30:00 Europe/Berlin");
    ///
    /// assert_eq!(write(Dialect::Quartz, None)?, "0 30 9 ? * MON-FRI");
    /// let error = write(Dialect::Quartz, zone).unwrap_err();
    /// assert_eq!(error.to_string(), "Quartz has no time zones in its schedules");
    /// # Ok::<(), millicron::DialectError>(())
    /// ```
    pub fn write(self, schedule: &Schedule, zone: Option<&str>) -> Result<String, DialectError> {
        if let Self::Dialect(dialect) = self
            && schedule.members().len() > 0
        {
            // The members are in the same time zone. A language without them also lacks unions.
            let write = |member| self.write(&member, zone).or_else(|_| self.write(&member, None));
            let members = schedule.members().map(write).collect::<Result<_, _>>()?;
            return Err(DialectError::of_union(dialect.inner(), members));
        }
        let text = match self {
            Self::Millicron => schedule.to_string(),
            Self::Dialect(dialect) => write_dialect(schedule, dialect)?,
        };
        match (zone, self) {
            (None, _) => Ok(text),
            (Some(zone), Self::Millicron | Self::Dialect(Dialect::Systemd)) => {
                Ok(format!("{text} {zone}"))
            }
            (Some(zone), Self::Dialect(Dialect::Crontab)) => Ok(format!("CRON_TZ={zone} {text}")),
            (Some(_), Self::Dialect(dialect)) => Err(DialectError::of_time_zone(dialect.inner())),
        }
    }

    /// [Describes](Schedule::describe) a schedule in this language, without mentioning that Quartz
    /// schedules end with 2099.
    ///
    /// ```
    /// use millicron::Language;
    ///
    /// let reading = Language::recognize("0 30 9 ? * MON-FRI")?;
    /// let description = reading.language.describe(&reading.schedule);
    /// assert_eq!(description.to_string(), "At 09:30 on Monday to Friday");
    /// # Ok::<(), millicron::RecognizeError>(())
    /// ```
    #[must_use]
    pub fn describe(self, schedule: &Schedule) -> Description {
        if self == Self::Dialect(Dialect::Quartz) {
            let all = through_2100(schedule);
            if all.0.expression().holds_all(Field::Year) {
                return all.describe();
            }
        }
        schedule.describe()
    }

    /// Reads a text in every language in which it is a valid schedule.
    ///
    /// ```
    /// use millicron::Language;
    ///
    /// // Sunday is 0 in crontab, but 1 in the crate `cron`.
    /// let schedules = Language::readings("0 30 9 * * 1-5").map(|it| it.schedule.to_string());
    /// assert!(schedules.eq(["*.*.* 1-5 09:30:00", "*.*.* 0-4 09:30:00"]));
    /// ```
    pub fn readings(text: &str) -> impl Iterator<Item = Reading<'_>> {
        Self::ALL.into_iter().filter_map(|language| language.read(text).ok())
    }

    /// Reads a text in the language in which it is a valid schedule. If several languages read it
    /// as the same schedule, returns the first of them in [`ALL`](Self::ALL). The comparison
    /// ignores the year 2100, which Quartz does not have.
    ///
    /// # Errors
    ///
    /// Returns an error if no language reads the text, or if its meaning depends on the language.
    ///
    /// ```
    /// use millicron::Language;
    ///
    /// let error = Language::recognize("0 30 9 * * 1-5").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the text has a different meaning in crontab and cron crate: name its language",
    /// );
    ///
    /// let error = Language::recognize("0 25 * * *").unwrap_err();
    /// assert_eq!(error.to_string(), "hour `25` is out of range: expected 0-23");
    /// ```
    pub fn recognize(text: &str) -> Result<Reading<'_>, RecognizeError<'_>> {
        Self::recognize_with(text, &())
    }

    /// Reads a text with calendars, like [`recognize`](Self::recognize).
    ///
    /// # Errors
    ///
    /// Returns an error if no language reads the text, or if its meaning depends on the language.
    ///
    /// ```
    /// use millicron::{Calendar, Language};
    ///
    /// let calendars = [("nyse", Calendar::parse("*.*.* Mon-Fri\n- *.12.25")?)];
    /// let reading = Language::recognize_with("*.*.* B#1 09:30:00 @nyse", &calendars)?;
    /// assert_eq!(reading.language, Language::Millicron);
    ///
    /// let error = Language::recognize_with("09:30:00 @lse", &calendars).unwrap_err();
    /// assert_eq!(error.to_string(), "`lse` is not a known calendar: expected `nyse`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recognize_with<'t>(
        text: &'t str,
        calendars: &dyn Calendars,
    ) -> Result<Reading<'t>, RecognizeError<'t>> {
        let read = |language: Self| language.read_with(text, calendars);
        let mut readings: Vec<_> =
            Self::ALL.into_iter().filter_map(|language| read(language).ok()).collect();
        let Some(first) = readings.first() else {
            let language = resembled(text);
            return match read(language) {
                Ok(reading) => Ok(reading),
                Err(error) => Err(RecognizeError::Unreadable { language, error }),
            };
        };
        // Quartz ignores a step after a name, and the crate `cron` does not. Both read one `?`.
        let language = Self::Dialect(Dialect::Quartz);
        if let Err(error) = read(language)
            && text.matches('?').count() == 1
            && error.is_of_ignored_part()
        {
            return Err(RecognizeError::Unreadable { language, error });
        }
        let is_same = |it: &Reading<'_>| {
            let is_equal = || {
                it.schedule == first.schedule
                    || through_2100(&it.schedule) == through_2100(&first.schedule)
            };
            it.zone == first.zone && is_equal()
        };
        if readings.iter().all(is_same) {
            Ok(readings.swap_remove(0))
        } else {
            Err(RecognizeError::Ambiguous(readings))
        }
    }
}

/// Adds the year 2100 to a schedule, to compare Quartz schedules with others.
fn through_2100(schedule: &Schedule) -> Schedule {
    if schedule.calendar().is_some() || schedule.members().len() > 0 {
        return schedule.clone();
    }
    let expression = schedule.0.expression().through_2100();
    Schedule::parse(&expression.to_string()).unwrap_or_else(|_| schedule.clone())
}

/// Writes a schedule in a dialect, and ignores the year 2100.
fn write_dialect(schedule: &Schedule, dialect: Dialect) -> Result<String, DialectError> {
    if schedule.calendar().is_some() {
        return schedule.to_dialect(dialect);
    }
    let notation = Notation::ignoring_2100(&schedule.0.expression(), dialect.inner())?;
    Ok(notation.to_string())
}

/// Reads a schedule that may be followed by a time zone.
fn read_native(text: &str, calendars: &dyn Calendars) -> Result<(Schedule, Spans), ParseError> {
    let parse = |text| {
        runtime::Schedule::parse_with_spans(None, text, &crate::calendars::ByName(calendars))
    };
    let error = match parse(text) {
        Ok((schedule, spans)) => return Ok((Schedule(schedule), spans)),
        Err(error) => error,
    };
    // The last word is no zone, as in `every day at noon` and `9:00 AM`, or more probably a calendar.
    if matches!(error.kind(), ParseErrorKind::Phrase | ParseErrorKind::MisplacedCalendar) {
        return Err(error);
    }
    let trimmed = runtime::without_last_semicolon(text);
    // As in a `ZonedSchedule`, the zone may be on a line of its own.
    let zoned = trimmed.rsplit_once(|c: char| c.is_ascii_whitespace());
    let Some((before, zone)) = zoned.filter(|(_, zone)| is_zone_like(zone)) else {
        return Err(error);
    };
    match parse(before) {
        // A zone comes after the last schedule of a union.
        Ok(_) if before.trim_ascii_end().ends_with(';') => Err(error),
        Ok((schedule, mut spans)) => {
            spans.zone = Some(trimmed.len() - zone.len()..trimmed.len());
            Ok((Schedule(schedule), spans))
        }
        // The last word is no zone, as in `0 0 12 ? * MON-FRI`.
        Err(_) if matches!(error.kind(), ParseErrorKind::OtherDialect) => Err(error),
        // Only a phrase that is understood has a zone after it.
        Err(of_phrase)
            if matches!(error.kind(), ParseErrorKind::UnknownPhrase)
                && !matches!(of_phrase.kind(), ParseErrorKind::Phrase) =>
        {
            Err(error)
        }
        // The zone comes last, so spans are the same without it.
        Err(error) => Err(error.within(text, 0)),
    }
}

/// Whether a word can only be the name of a time zone.
fn is_zone_like(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.contains(':')
}

/// Returns the language that an invalid text resembles most.
fn resembled(text: &str) -> Language {
    // A phrase resembles none, and millicron offers all that it may mean.
    let error = Language::Millicron.read(text).err();
    let is_phrase = |error: ParseError| {
        matches!(error.kind(), ParseErrorKind::Phrase | ParseErrorKind::UnknownPhrase)
    };
    if error.is_some_and(is_phrase) {
        return Language::Millicron;
    }
    if is_crontab_line(text) {
        return Language::Dialect(Dialect::Crontab);
    }
    let has_time = text.contains(':');
    let is_field = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '*');
    let is_systemd_date = |word: &str| {
        let (start, end) = split_at_dots(word).unwrap_or((word, ""));
        is_field(word)
            && !start.contains('.')
            && !end.contains('.')
            && !word.contains(':')
            && word.matches(['-', '~']).count() > 1
    };
    let is_systemd_range = |word: &str| {
        split_at_dots(word).is_some() && word.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let has_systemd_word =
        text.split_ascii_whitespace().any(|word| is_systemd_date(word) || is_systemd_range(word));
    let is_zone = |word: &str| word.split_once('=').is_some_and(|(name, _)| name.ends_with("TZ"));
    let words = text.split_ascii_whitespace().take_while(|word| !word.starts_with('#'));
    let mut words = words.filter(|word| !is_zone(word)).peekable();
    let starts_with_field = words.peek().is_some_and(|word| is_field(word));
    // Only millicron has calendars.
    let has_calendar = text.split_ascii_whitespace().any(|word| word.starts_with('@'));
    match words.count() {
        _ if has_time && has_calendar => Language::Millicron,
        _ if has_systemd_word || has_unknown_word(text) => Language::Dialect(Dialect::Systemd),
        _ if has_time => Language::Millicron,
        4..=5 => Language::Dialect(Dialect::Crontab),
        _ if text.contains('?') => Language::Dialect(Dialect::Quartz),
        6 => Language::Dialect(Dialect::Crontab),
        7.. if starts_with_field => Language::Dialect(Dialect::CronCrate),
        _ if text.trim_ascii_start().starts_with('@') => Language::Dialect(Dialect::Crontab),
        _ => Language::Millicron,
    }
}

/// Whether a text is a schedule of crontab with a command after it.
fn is_crontab_line(text: &str) -> bool {
    let text = text.trim_ascii_start();
    let fields = if text.starts_with('@') { 1 } else { 5 };
    let mut words = text.split_ascii_whitespace();
    let schedule: Vec<_> = words.by_ref().take(fields).collect();
    let is_command = |word: &str| {
        let has_letters =
            word.starts_with(|c: char| c.is_ascii_alphabetic() || "/.~$\"'".contains(c));
        has_letters && !is_like_weekdays(word)
    };
    words.next().is_some_and(is_command) && Dialect::Crontab.parse(&schedule.join(" ")).is_ok()
}

/// Whether a text begins with a word that is neither a weekday nor another known word. Only systemd
/// has schedules that begin with a word, such as `daily` and `Mon 12:00`.
fn has_unknown_word(text: &str) -> bool {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    // It has no unions.
    if text.contains(';') {
        return false;
    }
    let kind = Schedule::parse(text).err().map(|error| error.kind());
    is_word
        && matches!(
            kind,
            Some(
                ParseErrorKind::MissingField { field: Field::Month }
                    | ParseErrorKind::UnknownName { field: Field::Hour }
            )
        )
}

/// Writes the name: `millicron`, or the dialect's name.
impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Millicron => f.pad("millicron"),
            Self::Dialect(dialect) => dialect.fmt(f),
        }
    }
}

/// `{}` writes one line and does not mention Rust calls. `{:#}` adds the text with carets, like
/// [`ParseError`], or its meaning in each language.
impl fmt::Display for RecognizeError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { error, .. } if f.alternate() => write!(f, "{:#}", error.plain()),
            Self::Unreadable { error, .. } => write!(f, "{}", error.plain()),
            Self::Ambiguous(readings) => {
                f.write_str("the text has a different meaning in ")?;
                list(f, readings.iter(), "and", |f, reading| write!(f, "{}", reading.language))?;
                f.write_str(": name its language")?;
                if f.alternate() {
                    for Reading { language, schedule, .. } in readings {
                        write!(f, "\n  {language}: {}", language.describe(schedule))?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for RecognizeError<'_> {}
