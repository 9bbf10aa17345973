//! [`Rules`]: reads the values and ranges that the dialects share.

use core::ops::Range;

use crate::error::Detail;
use crate::parse::reader::Reader;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind};

/// What a dialect allows in a field.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    pub(super) field: Field,
    pub(super) min: u16,
    pub(super) max: u16,
    /// The longest step after `*` or a single value.
    pub(super) max_step: u32,
    /// The longest step of a range.
    pub(super) max_range_step: u32,
    /// Whether values are days counted from the end of the month.
    pub(super) is_from_end: bool,
}

/// An item of a list: `*`, `a` or `a-b`, each with or without a step.
pub(super) struct Item {
    pub(super) span: Range<usize>,
    pub(super) from: u16,
    pub(super) to: Option<u16>,
    pub(super) step: Option<u32>,
}

/// A value, and whether it is a name.
struct Value(u16, bool);

impl Rules {
    pub(super) fn of(dialect: Dialect, field: Field) -> Self {
        let (min, max) = dialect.range(field);
        let (max_step, max_range_step) = match (dialect, field) {
            (Dialect::Crontab | Dialect::Systemd, _) | (Dialect::Quartz, Field::Year) => {
                (u32::MAX, u32::MAX)
            }
            (Dialect::Quartz, _) => (u32::from(max), u32::MAX),
            (Dialect::CronCrate, _) => (u32::from(max), u32::from(max)),
        };
        Self { dialect, field, min, max, max_step, max_range_step, is_from_end: false }
    }

    /// Reads an item: `*`, `a`, `a-b`, `*/n`, `a/n` or `a-b/n`, with the range separator of
    /// the dialect.
    pub(super) fn item(&self, reader: &mut Reader<'_>) -> Result<Item, ParseError> {
        let Self { dialect, field, .. } = *self;
        let start = reader.at;
        // In Quartz, `/n` is `*/n`.
        let is_slash = dialect == Dialect::Quartz && reader.peek() == Some(b'/');
        if is_slash || reader.skip(b'*') || self.skip_question_mark(reader) {
            let step = reader.step(field, self.max_step)?;
            let span = start..reader.at;
            return Ok(Item { span, from: self.min, to: Some(self.max), step });
        }
        let Value(from, is_name) = self.value(reader)?;
        let is_systemd = dialect == Dialect::Systemd;
        let is_range = if is_systemd { reader.skip_dots() } else { reader.skip(b'-') };
        let to = if is_range {
            let Value(to, is_also_name) = self.value(reader)?;
            let is_mixed = is_name != is_also_name && dialect != Dialect::Crontab;
            if is_mixed {
                return reader.refuse(Detail::MixedRange, field, start..reader.at);
            }
            // If the week ends with a Sunday, as in `FRI-SUN`.
            let is_last_sunday =
                dialect == Dialect::Crontab && field == Field::Weekday && to == 0 && from > 0;
            Some(if is_last_sunday { 7 } else { to })
        } else {
            None
        };
        let is_step_allowed = match dialect {
            Dialect::Quartz => !is_name,
            Dialect::CronCrate => !is_name || to.is_some(),
            Dialect::Crontab | Dialect::Systemd => true,
        };
        if reader.peek() == Some(b'/') && !is_step_allowed {
            return reader.refuse(Detail::StepAfterName, field, start..reader.item_end());
        }
        let max_step = if to.is_some() { self.max_range_step } else { self.max_step };
        let step = reader.step(field, max_step)?;
        let wraps = dialect == Dialect::Quartz && field != Field::Year;
        if let Some(to) = to.filter(|to| from > *to && !wraps) {
            let step = step.unwrap_or(1);
            let kind = ParseErrorKind::Descending { field, from, to, step };
            let detail = if self.is_from_end { Detail::FromEnd } else { Detail::None };
            return reader.error_with(kind, detail, start..reader.at);
        }
        Ok(Item { span: start..reader.at, from, to, step })
    }

    /// Skips a `?` where it means `*`.
    fn skip_question_mark(&self, reader: &mut Reader<'_>) -> bool {
        self.dialect == Dialect::CronCrate
            && matches!(self.field, Field::Day | Field::Weekday)
            && reader.skip(b'?')
    }

    /// Reads a number or a name.
    fn value(&self, reader: &mut Reader<'_>) -> Result<Value, ParseError> {
        let start = reader.at;
        let Self { field, min, max, .. } = *self;
        let has_short_years = self.dialect == Dialect::Systemd && field == Field::Year;
        match reader.number().map(u16::try_from) {
            None => self.name(reader).map(|value| Value(value, true)),
            Some(Ok(value)) if (min..=max).contains(&value) => Ok(Value(value, false)),
            Some(Ok(value @ 0..100)) if has_short_years => {
                Ok(Value(if value < 70 { 2000 } else { 1900 } + value, false))
            }
            Some(_) => {
                reader.error(ParseErrorKind::OutOfRange { field, min, max }, start..reader.at)
            }
        }
    }

    /// Reads a name. Returns its number in the dialect.
    pub(super) fn name(&self, reader: &mut Reader<'_>) -> Result<u16, ParseError> {
        let Self { dialect, field, .. } = *self;
        let start = reader.at;
        let mut name = reader.word(field)?;
        if let (Field::Weekday, Some((day, "L" | "l"))) = (field, name.split_at_checked(3)) {
            // As in `FRIL`, the last Friday of the month.
            (name, reader.at) = (day, reader.at - 1);
        }
        let has_names = dialect != Dialect::Systemd || field == Field::Weekday;
        let value = match dialect {
            Dialect::Crontab | Dialect::Quartz => field.value_named(name),
            Dialect::CronCrate if field == Field::Weekday && name.eq_ignore_ascii_case("tues") => {
                Some(2)
            }
            Dialect::CronCrate if field == Field::Weekday && name.eq_ignore_ascii_case("thurs") => {
                Some(4)
            }
            Dialect::CronCrate | Dialect::Systemd => field.value_with_name(name),
        };
        match value.filter(|_| has_names) {
            Some(weekday) if field == Field::Weekday => Ok(dialect.weekday_number(weekday)),
            Some(value) => Ok(value),
            // Jenkins replaces `H` with a value for each job.
            None if dialect == Dialect::Crontab && name == "H" => {
                reader.error(ParseErrorKind::NotFixed, start..reader.item_end())
            }
            None => reader.error(ParseErrorKind::UnknownName { field }, start..reader.at),
        }
    }

    /// Adds the values of an item to a field, except years that schedules do not have.
    pub(super) fn insert(&self, expression: &mut Expression, item: &Item) {
        let Self { dialect, field, min, max, .. } = *self;
        // `a/n` continues to the end of the field, `a` does not.
        let end = match (item.to, item.step) {
            (Some(to), _) => to,
            (None, Some(_)) => max,
            (None, None) => item.from,
        };
        let step = item.step.unwrap_or(1);
        if item.from <= end && field != Field::Weekday {
            let skipped = u32::from(field.min_value().saturating_sub(item.from)).div_ceil(step);
            let from = u32::from(item.from).saturating_add(skipped.saturating_mul(step));
            let (from, end) = (u16::try_from(from).unwrap_or(u16::MAX), end.min(field.max_value()));
            if from <= end {
                expression.insert(field, from..=end, step);
            }
            return;
        }
        // A range that wraps around the end of the field.
        let len = max - min + 1;
        let end = if end < item.from { end + len } else { end };
        for value in (item.from..=end).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
            let value = if value > max { value - len } else { value };
            let value = if field == Field::Weekday { dialect.weekday(value) } else { value };
            expression.insert(field, value..=value, 1);
        }
    }
}
