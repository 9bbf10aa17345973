//! [`ParseError`]: what is wrong with a text, where, and what is allowed there.

mod calendars;
mod days_and_windows;
mod dialect;
mod excerpt;
mod known;
mod message;
mod parts;
mod repair;
mod unions;
mod value;
mod zones;

use core::fmt;
use core::ops::Range;

use crate::{Dialect, Field};
pub(crate) use dialect::HowToRead;
use excerpt::{Excerpt, columns};
use known::Known;
pub(crate) use parts::{TIMER_KEY, zeros};
pub(crate) use repair::ShortNames;
#[cfg(feature = "alloc")]
pub(crate) use zones::{NoOffset, is_offset};

/// An error parsing a schedule: what is wrong, where, and what is allowed there.
///
/// `{}` writes the message on one line. `{:#}` adds the text, with carets below the
/// [`span`](Self::span). An error keeps an excerpt of the text, and never allocates.
///
/// ```
/// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
/// #     impl std::str::FromStr for Schedule { type Err = ParseError;
/// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(None, text).map(|_| Self) } } }
/// use millicron::{Field, ParseErrorKind, Schedule};
///
/// let error = "24:00:00".parse::<Schedule>().unwrap_err();
/// assert_eq!(error.span(), 0..2);
/// assert_eq!(error.kind(), ParseErrorKind::OutOfRange { field: Field::Hour, min: 0, max: 23 });
/// assert_eq!(error.to_string(), "hour `24` is out of range: expected 0-23");
/// assert_eq!(format!("{error:#}"), "\
/// hour `24` is out of range: expected 0-23
///   |
///   | 24:00:00
///   | ^^");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    detail: Detail,
    dialect: Option<Dialect>,
    start: usize,
    end: usize,
    excerpt: Excerpt,
    known: Known,
}

/// What the parser knows beyond the kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// No details beyond the kind.
    None,
    /// The message can offer a repair.
    Repair,
    /// The message can offer a repair, but without the time zone.
    RepairAndZone,
    /// The message can complete a time that lacks this many fields, at most two.
    Completion(u8),
    /// An unknown word in place of the whole schedule, such as `@never`.
    Shorthand,
    /// A range from a name to a number, or the reverse.
    MixedRange,
    /// A step after a name, which Quartz ignores and the cron crate rejects.
    StepAfterName,
    /// A special item in a list.
    NotAlone,
    /// Neither or both of day and weekday are `?`.
    QuestionMark,
    /// The `C` of Quartz, which depends on a calendar.
    Calendar,
    /// `*/n`, which systemd does not read, and what to write instead.
    StepAfterStar {
        /// The first value of the field.
        first: u16,
        /// The longest step that may follow that value, 0 if no step may.
        longest: u16,
    },
    /// A range of seconds with fractions, which the kind does not include.
    Fractions,
    /// A range of days that are counted from the end of the month.
    FromEnd,
    /// A step after the last value of a field.
    NoStep,
    /// A list that is too long.
    LongList,
    /// Business days, in a schedule without a calendar, or in the text of a calendar.
    BusinessDays,
    /// A range of dates that has no days.
    Downwards,
    /// A weekday without a date, in the text of a calendar.
    BareWeekday,
    /// In the text of a calendar, where the advice for schedules does not help.
    InCalendar,
    /// No space before it.
    NoSpace,
    /// No `@` before it.
    NoAt,
    /// The only calendar that a schedule may have.
    HasCalendar,
    /// Finer than a millisecond.
    Precision,
    /// Seconds and milliseconds that are not a product of two sets.
    NoProduct,
    /// No schedules, for a union.
    NoMembers,
    /// A text in this dialect.
    Other(Dialect),
}

/// The kind of a [`ParseError`], with the field that it is about.
///
/// ```
/// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
/// #     impl std::str::FromStr for Schedule { type Err = ParseError;
/// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(None, text).map(|_| Self) } } }
/// use millicron::{Field, ParseErrorKind, Schedule};
///
/// let kind = |text: &str| text.parse::<Schedule>().unwrap_err().kind();
/// assert_eq!(kind("9:30"), ParseErrorKind::MissingField { field: Field::Second });
/// assert_eq!(kind("*.2.30 12:00:00"), ParseErrorKind::Never { field: Field::Day });
/// assert_eq!(
///     kind("*:*/0:00"),
///     ParseErrorKind::StepOutOfRange { field: Field::Minute, min: 1, max: u32::MAX },
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is empty, or only white space; or a union of no schedules.
    Empty,
    /// Five or more parts without a time, as in crontab, in a text that no dialect can read:
    /// `61 * * * *`. See [`OtherDialect`](Self::OtherDialect) for texts that a dialect can read.
    Crontab,
    /// A schedule in a dialect other than the expected one, or in a dialect instead of the language
    /// of this crate: `*/5 * * * *`.
    OtherDialect,
    /// A phrase in plain English: `every weekday at 9:30`. The message offers the schedules that
    /// it may mean.
    Phrase,
    /// Plain English that is not understood: `every weekday except Friday at 9`.
    UnknownPhrase,
    /// Something without fixed times: `@reboot`, a random value such as `0~30` in crontab, or the
    /// `H` of Jenkins.
    NotFixed,
    /// Something that the dialect does not allow here, or that no schedule can express: Quartz
    /// without a `?`, a systemd timer finer than a millisecond.
    Unsupported {
        /// The field that contains it.
        field: Field,
    },
    /// A part after the time, which must be last: `12:00:00 *.*.*`.
    TimeNotLast,
    /// More parts than a date, a weekday and a time: `*.*.* * * 12:00:00`.
    TooManyParts,
    /// A date in the form of ISO 8601: `2026-11-22T10:00:00`.
    IsoDate,
    /// A time zone, which is not part of a schedule: `10:00:00 Europe/Berlin`.
    TimeZone,
    /// A range from one time of day to another: `09:30-16:00:00`. A range must be
    /// within one field.
    TimeRange {
        /// The hour in which the range starts.
        from: u16,
        /// The last hour with minutes in the range.
        to: u16,
    },
    /// The date, `yyyy.MM.dd`, or the time, `HH:mm:ss`, ends before this field:
    /// `2021.2 12:00:00` has no day of month, and `12:00` no second. If there is no
    /// time at all, as in `*.*.*`, the field is the hour. If there is a weekday
    /// without a date, as in `Mon 12:00:00`, it is the year.
    MissingField {
        /// The missing field.
        field: Field,
    },
    /// The date, the weekday or the time continues after its last field:
    /// `*.*.*.* 12:00:00` after the day of month, `12:00:00:00` after the second.
    TooManyFields {
        /// The last field of that part.
        field: Field,
    },
    /// A missing value: the field is empty, as in `*.*. 12:00:00`, or nothing follows a
    /// `,`, `-` or `/`, as in `1,:00:00`.
    MissingValue {
        /// The field without the value.
        field: Field,
    },
    /// A character that is not allowed here: `+1:00:00`.
    UnexpectedCharacter {
        /// The field that contains it.
        field: Field,
    },
    /// A word that is not the name of a value: `*.*.* Mo 12:00:00`.
    UnknownName {
        /// The field that contains it.
        field: Field,
    },
    /// A number that is not a value of the field: `24:00:00`.
    OutOfRange {
        /// The field that contains it.
        field: Field,
        /// The lowest number allowed.
        min: u16,
        /// The highest number allowed.
        max: u16,
    },
    /// A range whose start is above its end: `15-7:00:00`.
    Descending {
        /// The field that contains it.
        field: Field,
        /// The start of the range.
        from: u16,
        /// The end of the range.
        to: u16,
        /// The step, 1 if none is written.
        step: u32,
    },
    /// A `*` in a list with other items: `*:0,*:00`.
    StarNotAlone {
        /// The field that contains it.
        field: Field,
    },
    /// A step after a single value: `*:5/10:00`.
    StepWithoutRange {
        /// The field that contains it.
        field: Field,
        /// The value.
        from: u16,
        /// The step.
        step: u32,
    },
    /// A step of 0, or one above `u32::MAX`: `*:*/0:00`.
    StepOutOfRange {
        /// The field that contains it.
        field: Field,
        /// The lowest step allowed.
        min: u32,
        /// The highest step allowed.
        max: u32,
    },
    /// A `*/n` with a step so long that only the lowest value remains: `*:*/90:00`.
    StepLeavesOne {
        /// The field that contains it.
        field: Field,
        /// The remaining value.
        value: u16,
        /// The step.
        step: u32,
    },
    /// An `L-n` whose `n` is not 1-30: `*.*.L-31 12:00:00`.
    LastDayOffset,
    /// A `W` that does not follow a single day, 1-31, `L` or `L-n`: `*.*.32W 12:00:00`.
    NearestWeekday,
    /// A `#` that does not follow a single weekday, or is not followed by 1-5 or `L`:
    /// `*.*.* Fri#6 12:00:00`.
    WeekdayNumber,
    /// A `|` that is not between a date and a weekday: `*.*.* Fri | 12:00:00`.
    MisplacedOr,
    /// A step in days, weeks or business days after anything but one date of plain numbers, or
    /// together with `|` or, in business days, with a weekday: `2026.*.05/14d 12:00:00`.
    DateStep,
    /// A `B` that is not `B`, `B#k` with 1-31, `B#L` or `B#L-n` with 1-30:
    /// `*.*.* B#32 12:00:00`.
    BusinessDay,
    /// A `>` or `<` that does not move a single day to a business day, by the form `15>B!+2` and
    /// its parts, or together with a weekday: `*.*.5-15>B 12:00:00`.
    MovedDay,
    /// An `@` without a valid name of a calendar after it: `12:00:00 @`; or a calendar with a name
    /// that no text can contain.
    CalendarName,
    /// The name of a calendar in another place than directly after the time and a space, without its
    /// `@`, or after another one: `@nyse 12:00:00`.
    MisplacedCalendar,
    /// A line of a calendar that is in none of the forms of such lines: `*.*.* 12:00:00`.
    CalendarLine,
    /// A date in a calendar that is not in the form of ISO 8601, or a range that runs downwards:
    /// `2026-1-5`.
    CalendarDate,
    /// A distance from Easter that is not 1-99: `*.Easter+0`.
    Easter,
    /// A calendar without days.
    EmptyCalendar,
    /// One of several calendars that has the name of another.
    RepeatedCalendar,
    /// A calendar that depends on itself: `@target`, in the calendar `target`.
    CircularCalendar,
    /// A calendar that whoever reads the schedule does not know: `12:00:00 @nyze`.
    UnknownCalendar,
    /// A step without a unit: `2026.01.05/14 12:00:00`, `09:30:00..16:00:00/15`.
    MissingUnit {
        /// [`Field::Day`] if the step follows a date, [`Field::Hour`] if it follows a window.
        field: Field,
    },
    /// A window without a step: `09:30:00..16:00:00`.
    MissingStep,
    /// A window whose ends are not times of plain numbers, or that has spaces or no `..`:
    /// `9-17:00:00..18:00:00/1m`, `9:00:00 .. 17:00:00/15m`.
    WindowTime,
    /// A step of a window that is not between 1 ms and 24 h, or that is not written as numbers with
    /// units in descending order: `00:00:00../1.5h`.
    WindowStep {
        /// The step in milliseconds, if it is a valid one in another form.
        millis: Option<u32>,
    },
    /// A union with nothing between two semicolons, or before the first one: `;`.
    EmptyMember,
    /// A union of more than 16 schedules.
    TooManyMembers,
    /// A union whose members have times in common in so many ways that its events cannot be counted
    /// in a reasonable time. Unions whose events are all at the same second and millisecond of a
    /// minute always can.
    Intertwined,
    /// Each field is valid, but no day from 2000 to 2100 matches all of them, so the
    /// schedule would never fire: `*.2.30 12:00:00`.
    Never {
        /// [`Field::Day`] if none of the months has such a day or all days are moved out of these
        /// years, or [`Field::Weekday`] if none of the dates falls on such a weekday.
        field: Field,
    },
    /// The schedule has days, but none of them is a day of its calendar, or its calendar lacks the
    /// business days that it needs: `*.*.* Sun 12:00:00 @nyse`.
    NeverOnCalendar,
}

impl ParseErrorKind {
    /// Returns the field that the error is about. If it is about the text as a whole, this is
    /// [`Field::Hour`], the first required field.
    ///
    /// ```
    /// # use millicron_runtime as millicron;
    /// use millicron::{Field, ParseErrorKind};
    ///
    /// assert_eq!(ParseErrorKind::StarNotAlone { field: Field::Day }.field(), Field::Day);
    /// assert_eq!(ParseErrorKind::Crontab.field(), Field::Hour);
    /// ```
    #[must_use]
    pub const fn field(&self) -> Field {
        match *self {
            Self::IsoDate => Field::Year,
            Self::LastDayOffset
            | Self::NearestWeekday
            | Self::DateStep
            | Self::MovedDay
            | Self::CalendarLine
            | Self::CalendarDate
            | Self::Easter
            | Self::NeverOnCalendar => Field::Day,
            Self::WeekdayNumber | Self::MisplacedOr | Self::BusinessDay => Field::Weekday,
            Self::MissingField { field }
            | Self::TooManyFields { field }
            | Self::MissingValue { field }
            | Self::UnexpectedCharacter { field }
            | Self::UnknownName { field }
            | Self::OutOfRange { field, .. }
            | Self::Descending { field, .. }
            | Self::StarNotAlone { field }
            | Self::StepWithoutRange { field, .. }
            | Self::StepOutOfRange { field, .. }
            | Self::StepLeavesOne { field, .. }
            | Self::MissingUnit { field }
            | Self::Unsupported { field }
            | Self::Never { field } => field,
            _ => Field::Hour,
        }
    }
}

impl ParseError {
    #[cold]
    pub(crate) fn new(kind: ParseErrorKind, text: &str, span: Range<usize>) -> Self {
        let excerpt = Excerpt::of(text, span.start);
        let Range { start, end } = span;
        Self { kind, detail: Detail::None, dialect: None, start, end, excerpt, known: Known::NONE }
    }

    /// Returns the error in a longer text, in which the text of this error begins at a byte.
    #[doc(hidden)]
    #[must_use]
    pub fn within(mut self, text: &str, start: usize) -> Self {
        self.start += start;
        self.end += start;
        self.excerpt = self.excerpt.within(text, start);
        self
    }

    pub(crate) const fn in_dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }

    pub(crate) const fn with_detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// Returns the kind of the error.
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(None, text).map(|_| Self) } } }
    /// use millicron::{Field, ParseErrorKind, Schedule};
    ///
    /// let error = "15-7:00:00".parse::<Schedule>().unwrap_err();
    /// let kind = ParseErrorKind::Descending { field: Field::Hour, from: 15, to: 7, step: 1 };
    /// assert_eq!(error.kind(), kind);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Returns the dialect that the text was read as, or `None` for the language of this crate.
    pub(crate) const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Returns the details that the kind does not include.
    pub(crate) const fn detail(&self) -> Detail {
        self.detail
    }

    /// Returns the range of bytes of the text that the error is about.
    ///
    /// Both ends are character boundaries. The range may be empty if something is missing.
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(None, text).map(|_| Self) } } }
    /// use millicron::Schedule;
    ///
    /// let text = "*.*.* Mo 12:00:00";
    /// let error = text.parse::<Schedule>().unwrap_err();
    /// assert_eq!(error.span(), 6..8);
    /// assert_eq!(&text[error.span()], "Mo");
    /// ```
    #[must_use]
    pub const fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the whole text, if it is short enough for an error to contain it.
    pub(crate) fn whole_text(&self) -> Option<&str> {
        let is_whole = !self.excerpt.is_cut_before() && !self.excerpt.is_cut_after();
        is_whole.then(|| self.excerpt.as_str())
    }

    /// Returns an error about a time zone that is part of the text.
    pub(crate) fn of_time_zone(text: &str, span: Range<usize>) -> Self {
        Self::new(ParseErrorKind::TimeZone, text, span)
    }

    /// Returns the text in the span in backticks, cut if it is long.
    pub(crate) fn quoted(&self) -> impl fmt::Display {
        parts::Quoted(self)
    }

    /// Writes the text, with carets below the span.
    pub(crate) fn write_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n  |\n  | ")?;
        self.excerpt.write(f)?;
        f.write_str("\n  | ")?;
        let indent = self.excerpt.columns_before(self.start);
        let carets = columns(self.offender()).max(1);
        write!(f, "{:indent$}{:^<carets$}", "", "")
    }

    /// Returns the text in the span, as far as the excerpt contains it.
    fn offender(&self) -> &str {
        let excerpt = self.excerpt.as_str();
        let start = self.start - self.excerpt.start();
        let end = (self.end - self.excerpt.start()).min(excerpt.len());
        excerpt.get(start..end).unwrap_or("")
    }

    /// Whether the text after the span begins with a `.`.
    fn is_before_fraction(&self) -> bool {
        let after = self.excerpt.as_str().as_bytes().get(self.end - self.excerpt.start());
        after == Some(&b'.')
    }
}

impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParseError")
            .field("kind", &self.kind)
            .field("span", &self.span())
            .field("text", &self.excerpt.as_str())
            .finish_non_exhaustive()
    }
}

impl core::error::Error for ParseError {}
