//! What is wrong with a text, where, and what is allowed there.

mod excerpt;
mod message;

use core::fmt;
use core::ops::Range;

use crate::Field;
use excerpt::Excerpt;

/// A text that is not a schedule: what is wrong, where, and what is allowed.
///
/// `{}` writes one line; `{:#}` adds the text with carets under the place. An
/// error holds what it shows of the text, so it never allocates.
///
/// ```
/// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
/// #     impl std::str::FromStr for Schedule { type Err = ParseError;
/// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(text).map(|_| Self) } } }
/// use millicron::{Field, ParseErrorKind, Schedule};
///
/// let error = "24:00:00".parse::<Schedule>().unwrap_err();
/// assert_eq!(error.span(), 0..2);
/// assert_eq!(error.kind(), ParseErrorKind::OutOfRange { field: Field::Hour, min: 0, max: 23 });
/// assert_eq!(error.to_string(), "hour `24` is out of range: allowed is 0-23");
/// assert_eq!(format!("{error:#}"), "\
/// hour `24` is out of range: allowed is 0-23
///   |
///   | 24:00:00
///   | ^^");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    start: usize,
    end: usize,
    excerpt: Excerpt,
}

/// The kinds of [`ParseError`], each with the field it is about and a text that
/// has the mistake.
///
/// ```
/// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
/// #     impl std::str::FromStr for Schedule { type Err = ParseError;
/// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(text).map(|_| Self) } } }
/// use millicron::{Field, ParseErrorKind, Schedule};
///
/// let kind = |text: &str| text.parse::<Schedule>().unwrap_err().kind();
/// assert_eq!(kind("9:30"), ParseErrorKind::MissingField { field: Field::Second });
/// assert_eq!(kind("*.2.30 12:00:00"), ParseErrorKind::Never { field: Field::Day });
/// assert_eq!(kind("*:*/0:00"), ParseErrorKind::StepOutOfRange { field: Field::Minute, min: 1, max: u32::MAX });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is nothing but blanks, or nothing at all.
    Empty,
    /// Five or more parts without a time, as in a crontab: `*/5 * * * *`.
    Crontab,
    /// A part stands after the time, which comes last: `12:00:00 *.*.*`.
    TimeNotLast,
    /// More than a date, a weekday and a time: `*.*.* * * 12:00:00`.
    TooManyParts,
    /// The date, `yyyy.MM.dd`, or the time, `HH:mm:ss`, ends before this field:
    /// `2021.2 12:00:00` has no day and `12:00` no second. Where there is no
    /// time at all, as in `*.*.*`, it is the hour that is missing.
    MissingField {
        /// The field that is not there.
        field: Field,
    },
    /// The date, the weekday or the time goes on after its last field:
    /// `*.*.*.* 12:00:00` after the day, `12:00:00:00` after the second.
    TooManyFields {
        /// The field that should have been the last.
        field: Field,
    },
    /// A value is missing: an empty field, or nothing beside a `,`, `-` or `/`:
    /// `*.*. 12:00:00`, `1,:00:00`.
    MissingValue {
        /// The field it is missing in.
        field: Field,
    },
    /// A character that means nothing here: `+1:00:00`.
    UnexpectedCharacter {
        /// The field it stands in.
        field: Field,
    },
    /// A word that is no name of the field's values: `*.*.* Mo 12:00:00`.
    UnknownName {
        /// The field it stands in.
        field: Field,
    },
    /// A number that the field does not have: `24:00:00`.
    OutOfRange {
        /// The field it stands in.
        field: Field,
        /// The lowest number allowed.
        min: u16,
        /// The highest number allowed.
        max: u16,
    },
    /// A range that runs downwards: `15-7:00:00`.
    Descending {
        /// The field it stands in.
        field: Field,
        /// The number it runs from.
        from: u16,
        /// The lower number it runs to.
        to: u16,
        /// The step, 1 where none is written.
        step: u32,
    },
    /// A `*` beside other items: `*:0,*:00`.
    StarNotAlone {
        /// The field it stands in.
        field: Field,
    },
    /// A step after a single value: `*:5/10:00`.
    StepWithoutRange {
        /// The field it stands in.
        field: Field,
        /// The value.
        from: u16,
        /// The step.
        step: u32,
    },
    /// A step of 0, or one above `u32::MAX`: `*:*/0:00`.
    StepOutOfRange {
        /// The field it stands in.
        field: Field,
        /// The lowest step allowed.
        min: u32,
        /// The highest step allowed.
        max: u32,
    },
    /// The fields are right each for itself, but no day of 2000-2100 is in all
    /// of them, so the schedule would never fire: `*.2.30 12:00:00`.
    Never {
        /// [`Field::Day`] where the months have no such day, [`Field::Weekday`]
        /// where no such day falls on the weekday.
        field: Field,
    },
}

impl ParseErrorKind {
    /// The field that the error is about; the hour, which a schedule can not do
    /// without, where it is about the whole text.
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
            Self::Empty | Self::Crontab | Self::TimeNotLast | Self::TooManyParts => Field::Hour,
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
            | Self::Never { field } => field,
        }
    }
}

impl ParseError {
    #[cold]
    pub(crate) fn new(kind: ParseErrorKind, text: &str, span: Range<usize>) -> Self {
        let excerpt = Excerpt::of(text, span.start);
        Self { kind, start: span.start, end: span.end, excerpt }
    }

    /// What is wrong.
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(text).map(|_| Self) } } }
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

    /// Where, in bytes of the text, on boundaries of its characters. It may be
    /// empty where something is missing.
    ///
    /// ```
    /// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct Schedule;
    /// #     impl std::str::FromStr for Schedule { type Err = ParseError;
    /// #         fn from_str(text: &str) -> Result<Self, ParseError> { compile(text).map(|_| Self) } } }
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

    /// The part of the excerpt that the span covers.
    fn offender(&self) -> &str {
        let excerpt = self.excerpt.as_str();
        let start = self.start - self.excerpt.offset;
        let end = (self.end - self.excerpt.offset).min(excerpt.len());
        excerpt.get(start..end).unwrap_or("")
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_message(f)?;
        if f.alternate() {
            let start = self.start - self.excerpt.offset;
            f.write_str("\n  |\n  | ")?;
            self.excerpt.write(f)?;
            f.write_str("\n  | ")?;
            let before = self.excerpt.as_str().get(..start).unwrap_or("").chars().count();
            let indent = before + usize::from(self.excerpt.is_cut_before());
            let carets = self.offender().chars().count().max(1);
            write!(f, "{:indent$}{:^<carets$}", "", "")?;
        }
        Ok(())
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
