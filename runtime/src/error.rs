//! What is wrong with a text, where, and what is allowed there.

use core::fmt::{self, Write};
use core::ops::Range;

use crate::Field;

/// The full form of a schedule, as messages show it.
const FORM: &str = "`yyyy.MM.dd w HH:mm:ss.fff`";

/// A text that is not a schedule: what is wrong, where, and what is allowed.
///
/// `{}` writes one line; `{:#}` adds the text with carets under the place. An
/// error holds what it shows of the text, so it never allocates.
///
/// ```
/// use millicron_runtime::{Field, ParseErrorKind, compile};
///
/// let error = compile("24:00:00").unwrap_err();
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

/// The kinds of [`ParseError`], each with the field it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is nothing but blanks.
    Empty,
    /// Five or more parts without a time, as in a crontab.
    Crontab,
    /// A part stands after the time, which comes last.
    TimeNotLast,
    /// More than a date, a weekday and a time.
    TooManyParts,
    /// The part ends before this field.
    MissingField {
        /// The field that is not there.
        field: Field,
    },
    /// The part goes on after its last field.
    TooManyFields {
        /// The last field that the part has.
        field: Field,
    },
    /// A value is missing: an empty field, or nothing beside a `,`, `-` or `/`.
    MissingValue {
        /// The field it is missing in.
        field: Field,
    },
    /// A character that means nothing here.
    UnexpectedCharacter {
        /// The field it stands in.
        field: Field,
    },
    /// A word that is no name of the field's values.
    UnknownName {
        /// The field it stands in.
        field: Field,
    },
    /// A number that the field does not have.
    OutOfRange {
        /// The field it stands in.
        field: Field,
        /// The lowest number allowed.
        min: u16,
        /// The highest number allowed.
        max: u16,
    },
    /// A range that runs downwards.
    Descending {
        /// The field it stands in.
        field: Field,
        /// The number it runs from.
        from: u16,
        /// The lower number it runs to.
        to: u16,
    },
    /// A `*` beside other items.
    StarNotAlone {
        /// The field it stands in.
        field: Field,
    },
    /// A step after a single value.
    StepWithoutRange {
        /// The field it stands in.
        field: Field,
        /// The value.
        from: u16,
        /// The step.
        step: u32,
    },
    /// A step of 0, or one above `u32::MAX`.
    StepOutOfRange {
        /// The field it stands in.
        field: Field,
    },
    /// The fields are right each for itself, but no day of 2000-2100 is in all
    /// of them: the schedule would never fire.
    Never {
        /// [`Field::Day`] where the months have no such day, [`Field::Weekday`]
        /// where no such day falls on the weekday.
        field: Field,
    },
}

impl ParseErrorKind {
    /// The field that the error is about; the hour, which a schedule can not do
    /// without, where it is about the whole text.
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
            | Self::StepOutOfRange { field }
            | Self::Never { field } => field,
        }
    }
}

impl ParseError {
    #[cold]
    pub(crate) fn new(kind: ParseErrorKind, text: &str, span: Range<usize>) -> Self {
        let excerpt = Excerpt::of(text, span.start);
        Self {
            kind,
            start: span.start,
            end: span.end,
            excerpt,
        }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Where, in bytes of the text. Empty where something is missing.
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

    /// What is wrong with the parts of the text, and how they stand.
    fn write_form_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, form) = (Quoted(self), Form(field));
        match self.kind {
            ParseErrorKind::Empty => write!(
                f,
                "the schedule is empty: the hour, minute and second are required; \
                 the whole form is {FORM}"
            ),
            ParseErrorKind::Crontab => write!(
                f,
                "this looks like a crontab line, and no hour is followed by a `:`: \
                 the form is {FORM}, so {}",
                Crontab(self.excerpt.as_str())
            ),
            ParseErrorKind::TimeNotLast => write!(
                f,
                "{offender} stands after the hour, minute and second, which come last: \
                 the form is {FORM}"
            ),
            ParseErrorKind::TooManyParts => write!(
                f,
                "{offender} is too much before the hour: only a date and a weekday may stand \
                 there; the form is {FORM}"
            ),
            ParseErrorKind::TooManyFields { .. } => {
                write!(f, "{offender} is too much after the {field}: {form}")
            }
            _ => write!(f, "the {field} is missing: {form}"),
        }
    }

    /// What is wrong within a field, and what is allowed there.
    fn write_value_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.kind.field();
        let (offender, allowed) = (Quoted(self), Allowed(field));
        match self.kind {
            ParseErrorKind::MissingValue { .. } => {
                write!(f, "a value is missing in the {field}: allowed is {allowed}")
            }
            ParseErrorKind::UnexpectedCharacter { .. } => {
                write!(
                    f,
                    "unexpected {offender} in the {field}: allowed is {allowed}"
                )?;
                if self
                    .offender()
                    .chars()
                    .any(|c| !c.is_ascii() && c.is_numeric())
                {
                    f.write_str("; digits are the ASCII `0` to `9`")?;
                }
                Ok(())
            }
            ParseErrorKind::UnknownName { .. } => {
                write!(f, "{field} {offender} is not known: allowed is {allowed}")
            }
            ParseErrorKind::OutOfRange { .. } => {
                write!(
                    f,
                    "{field} {offender} is out of range: allowed is {allowed}"
                )?;
                match field {
                    Field::Weekday if self.offender().trim_start_matches('0') == "7" => {
                        f.write_str("; Sunday is 0")
                    }
                    Field::Year => f.write_str("; a date is written `yyyy.MM.dd`"),
                    _ => Ok(()),
                }
            }
            ParseErrorKind::Descending { from, to, .. } => {
                let has_names = self
                    .offender()
                    .starts_with(|c: char| c.is_ascii_alphabetic());
                let step = self.offender().split_once('/').map_or("", |(_, step)| step);
                let range = |first, last| Repair {
                    field,
                    first,
                    last,
                    has_names,
                    step,
                };
                write!(f, "{field} range {offender} runs downwards: write ")?;
                if field == Field::Year {
                    // Years do not come round again.
                    write!(f, "`{}`", range(to, from))
                } else {
                    let up = range(from, field.last().max(from));
                    write!(f, "`{up},{}`", range(field.min(), to))
                }
            }
            ParseErrorKind::StepWithoutRange { from, step, .. } => {
                let last = field.last().max(from);
                write!(
                    f,
                    "{field} {offender} has a step but no range: write `{from}-{last}/{step}`"
                )
            }
            ParseErrorKind::StepOutOfRange { .. } => {
                write!(
                    f,
                    "{field} step {offender} is out of range: allowed is 1-{}",
                    u32::MAX
                )
            }
            _ => write!(
                f,
                "`*` is every {field} and stands alone: leave out the other items, or the `*`; \
                 allowed is {allowed}"
            ),
        }
    }

    /// Why the fields together leave nothing, and what would be left.
    fn write_never_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offender = Quoted(self);
        if self.kind.field() == Field::Weekday {
            write!(
                f,
                "{offender} never comes: none of these dates falls on such a weekday; \
                 allowed is a weekday that one of the dates has"
            )
        } else {
            write!(
                f,
                "{offender} never comes: none of these months has such a day of month; allowed is \
                 1-28 in February, 29 in leap years, 1-30 in April, June, September and \
                 November, 1-31 in the others"
            )
        }
    }

    fn write_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ParseErrorKind::Empty
            | ParseErrorKind::Crontab
            | ParseErrorKind::TimeNotLast
            | ParseErrorKind::TooManyParts
            | ParseErrorKind::MissingField { .. }
            | ParseErrorKind::TooManyFields { .. } => self.write_form_message(f),
            ParseErrorKind::MissingValue { .. }
            | ParseErrorKind::UnexpectedCharacter { .. }
            | ParseErrorKind::UnknownName { .. }
            | ParseErrorKind::OutOfRange { .. }
            | ParseErrorKind::Descending { .. }
            | ParseErrorKind::StarNotAlone { .. }
            | ParseErrorKind::StepWithoutRange { .. }
            | ParseErrorKind::StepOutOfRange { .. } => self.write_value_message(f),
            ParseErrorKind::Never { .. } => self.write_never_message(f),
        }
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
            let before = self
                .excerpt
                .as_str()
                .get(..start)
                .unwrap_or("")
                .chars()
                .count();
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

/// What the error points at, in backticks; a long one is cut.
struct Quoted<'a>(&'a ParseError);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 32;
        let mut characters = self.0.offender().chars();
        f.write_char('`')?;
        for character in characters.by_ref().take(LONGEST) {
            f.write_char(printable(character))?;
        }
        if characters.next().is_some() || self.0.end > self.0.excerpt.end() {
            f.write_char('…')?;
        }
        f.write_char('`')
    }
}

/// The values of a field, as messages say them.
struct Allowed(Field);

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0.min(), self.0.last())?;
        match (self.0, self.0.names()) {
            (Field::Day, _) => f.write_str(", and 32 for the last day of the month"),
            (_, [first, .., last]) => write!(f, ", or {first}-{last}"),
            _ => Ok(()),
        }
    }
}

/// A range as it should have been written, with names where there were names.
struct Repair<'a> {
    field: Field,
    first: u16,
    last: u16,
    has_names: bool,
    /// Empty where there is none.
    step: &'a str,
}

impl fmt::Display for Repair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, number: u16| {
            let name = self
                .field
                .names()
                .get(usize::from(number - self.field.min()));
            match name.filter(|_| self.has_names) {
                Some(name) => f.write_str(name),
                None => write!(f, "{number}"),
            }
        };
        write(f, self.first)?;
        if self.first < self.last {
            f.write_char('-')?;
            write(f, self.last)?;
            if !self.step.is_empty() {
                write!(f, "/{}", self.step)?;
            }
        }
        Ok(())
    }
}

/// A crontab line in the form of this language. What the two agree on is
/// carried over as it stands; where they do not, or where the line does not say
/// that it must hold both, an example has to do.
struct Crontab<'a>(&'a str);

impl fmt::Display for Crontab<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.split_ascii_whitespace();
        let fields = [(); 5].map(|()| parts.next().unwrap_or_default());
        let is_plain = |field: &&str| {
            let is_item = |b: u8| b.is_ascii_alphanumeric() || b"*,-/".contains(&b);
            field.starts_with(|c: char| c == '*' || c.is_ascii_alphanumeric())
                && field.bytes().all(is_item)
        };
        let [minute, hour, day, month, weekday] = fields;
        let says_both = day != "*" && weekday != "*";
        if parts.next().is_some() || says_both || !fields.iter().all(is_plain) {
            return f.write_str("`*/5 * * * *` is `*:*/5:00`");
        }
        f.write_char('`')?;
        for (place, field) in fields.iter().enumerate() {
            write!(f, "{}{field}", if place > 0 { " " } else { "" })?;
        }
        f.write_str("` is `")?;
        if [day, month, weekday] != ["*"; 3] {
            write!(f, "*.{month}.{day} ")?;
        }
        if weekday != "*" {
            write!(f, "{weekday} ")?;
        }
        write!(f, "{hour}:{minute}:00`")
    }
}

/// The form of the part that a field stands in.
struct Form(Field);

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Field::Year | Field::Month | Field::Day => "a date is written `yyyy.MM.dd`",
            Field::Weekday => "a weekday is written `w`, 0-6 or Sun-Sat",
            _ => "a schedule ends with its time, `HH:mm:ss` or `HH:mm:ss.fff`",
        })
    }
}

/// As much of the text as an error shows.
#[derive(Clone, PartialEq, Eq)]
struct Excerpt {
    /// Where in the text the excerpt begins.
    offset: usize,
    bytes: [u8; Self::CAPACITY],
    len: u8,
    is_cut_after: bool,
}

impl Excerpt {
    /// The longest excerpt, in bytes.
    const CAPACITY: usize = 64;
    /// How much is shown before the span of a text that is longer than that.
    const CONTEXT: usize = 24;

    /// The text around `place`.
    fn of(text: &str, place: usize) -> Self {
        let offset = if text.len() <= Self::CAPACITY {
            0
        } else {
            text.floor_char_boundary(place.saturating_sub(Self::CONTEXT))
        };
        let end = text.floor_char_boundary(offset + Self::CAPACITY);
        let part = &text.as_bytes()[offset..end];
        let mut bytes = [0; Self::CAPACITY];
        bytes[..part.len()].copy_from_slice(part);
        #[allow(clippy::cast_possible_truncation, reason = "at most CAPACITY")]
        let len = part.len() as u8;
        Self {
            offset,
            bytes,
            len,
            is_cut_after: end < text.len(),
        }
    }

    fn as_str(&self) -> &str {
        // Cut at boundaries of characters, so always valid.
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or("")
    }

    const fn is_cut_before(&self) -> bool {
        self.offset > 0
    }

    const fn end(&self) -> usize {
        self.offset + self.len as usize
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cut_before() {
            f.write_char('…')?;
        }
        for character in self.as_str().chars() {
            f.write_char(printable(character))?;
        }
        if self.is_cut_after {
            f.write_char('…')?;
        }
        Ok(())
    }
}

/// A character that takes one column and does nothing else, so that the carets
/// stand right.
const fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        '\0'..' ' | '\u{7f}'..'\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {
            '\u{fffd}'
        }
        _ => character,
    }
}
