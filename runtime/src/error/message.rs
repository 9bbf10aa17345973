//! What errors say: what is wrong, what is allowed, and the repair where there
//! is an obvious one.

use core::fmt::{self, Write};

use super::excerpt::printable;
use super::{ParseError, ParseErrorKind};
use crate::Field;
use crate::parse::is_field;

/// The full form of a schedule, as messages show it.
const FORM: &str = "`yyyy.MM.dd w HH:mm:ss.fff`";

impl ParseError {
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
                Crontab(self)
            ),
            ParseErrorKind::TimeNotLast => write!(
                f,
                "{offender} stands after the hour, minute and second, which come last: \
                 the form is {FORM}"
            ),
            ParseErrorKind::TooManyParts => write!(
                f,
                "{offender} is too much before the hour: only a date and a weekday may stand \
                 there, with no blank inside; the form is {FORM}"
            ),
            ParseErrorKind::TooManyFields { .. } => {
                write!(f, "{offender} is too much after the {field}: {form}")
            }
            ParseErrorKind::MissingField { field: Field::Year } => write!(
                f,
                "the year, month and day of month are missing: a weekday stands after a date; \
                 write `*.*.* {}`",
                self.offender()
            ),
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
                write!(f, "unexpected {offender} in the {field}: allowed is {allowed}")?;
                match self.offender().chars().next() {
                    Some(c) if !c.is_ascii() && c.is_numeric() => {
                        f.write_str("; digits are the ASCII `0` to `9`")
                    }
                    Some(c) if c.is_whitespace() || c.is_control() => {
                        f.write_str("; the parts are parted by blanks or tabs")
                    }
                    _ => Ok(()),
                }
            }
            ParseErrorKind::UnknownName { .. } => {
                write!(f, "{field} {offender} is not known: allowed is {allowed}")?;
                // `Monday`, say.
                let is_begun = |name: &&&str| {
                    let start = self.offender().get(..name.len());
                    start.is_some_and(|start| start.eq_ignore_ascii_case(name))
                };
                match field.names().iter().find(is_begun) {
                    Some(name) => write!(f, "; write `{name}`"),
                    None => Ok(()),
                }
            }
            ParseErrorKind::OutOfRange { .. } => {
                write!(f, "{field} {offender} is out of range: allowed is {allowed}")?;
                match field {
                    Field::Weekday if self.offender().trim_start_matches('0') == "7" => {
                        f.write_str("; Sunday is 0")
                    }
                    Field::Year => f.write_str("; a date is written `yyyy.MM.dd`"),
                    _ => Ok(()),
                }
            }
            ParseErrorKind::Descending { from, to, step, .. } => {
                let has_names = self.offender().starts_with(|c: char| c.is_ascii_alphabetic());
                let range = |first, last, step| Repair { field, first, last, step, has_names };
                write!(f, "{field} range {offender} runs downwards: write ")?;
                if field == Field::Year {
                    // Years do not come round again.
                    return write!(f, "`{}`", range(to, from, step));
                }
                let last = field.last().max(from);
                write!(f, "`{}", range(from, last, step))?;
                // The steps go on over the field's end.
                let rest = u32::from(last - from) % step;
                let start = u32::from(field.min()) + step - 1 - rest;
                match u16::try_from(start).ok().filter(|start| *start <= to) {
                    Some(start) => write!(f, ",{}`", range(start, to, step)),
                    None => f.write_char('`'),
                }
            }
            ParseErrorKind::StepWithoutRange { from, .. } if from >= field.last() => {
                write!(f, "{field} {offender} has a step but no range: write `{from}`")
            }
            ParseErrorKind::StepWithoutRange { from, step, .. } => {
                let last = field.last();
                write!(
                    f,
                    "{field} {offender} has a step but no range: write `{from}-{last}/{step}`"
                )
            }
            ParseErrorKind::StepOutOfRange { min, max, .. } => {
                write!(f, "{field} step {offender} is out of range: allowed is {min}-{max}")
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

    pub(super) fn write_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
struct Repair {
    field: Field,
    first: u16,
    last: u16,
    step: u32,
    has_names: bool,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, number: u16| {
            let name = self.field.names().get(usize::from(number - self.field.min()));
            match name.filter(|_| self.has_names) {
                Some(name) => f.write_str(name),
                None => write!(f, "{number}"),
            }
        };
        write(f, self.first)?;
        if self.first < self.last {
            f.write_char('-')?;
            write(f, self.last)?;
            if self.step > 1 {
                write!(f, "/{}", self.step)?;
            }
        }
        Ok(())
    }
}

/// A crontab line in the form of this language, where that has all its fields
/// and they mean the same; else an example has to do.
struct Crontab<'a>(&'a ParseError);

impl fmt::Display for Crontab<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.offender().split_ascii_whitespace();
        let fields = [(); 5].map(|()| parts.next().unwrap_or_default());
        let [minute, hour, day, month, weekday] = fields;
        let is_whole = parts.next().is_none() && self.0.end <= self.0.excerpt.end();
        // A crontab joins the two by OR.
        let has_both = day != "*" && weekday != "*";
        let are_fields = is_field(minute, Field::Minute)
            && is_field(hour, Field::Hour)
            && is_field(day, Field::Day)
            && is_field(month, Field::Month)
            && is_field(weekday, Field::Weekday);
        if !is_whole || has_both || !are_fields {
            return f.write_str("`*/5 * * * *` is `*:*/5:00`");
        }
        write!(f, "`{minute} {hour} {day} {month} {weekday}` is `")?;
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
