//! [`Notation`]: writes a schedule in a dialect.

mod error;
mod fields;
mod systemd;

use core::fmt;

pub use error::DialectError;

use crate::expression::List;
use crate::{Dialect, Expression, Field};

/// A schedule that a dialect can express. Its `Display` is the text.
#[derive(Debug)]
pub struct Notation {
    expression: Expression,
    dialect: Dialect,
}

impl Notation {
    /// Returns the notation of an expression without a calendar in a dialect, which parses to an equal schedule.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the expression.
    ///
    /// ```
    /// use millicron_runtime::{Dialect, Notation, compile};
    ///
    /// let (_, expression) = compile(Some(Dialect::Systemd), "Mon..Fri 9:30")?;
    /// let notation = Notation::of(&expression, Dialect::Crontab).unwrap();
    /// assert_eq!(notation.to_string(), "30 9 * * MON-FRI");
    /// # Ok::<(), millicron_runtime::ParseError>(())
    /// ```
    pub fn of(expression: &Expression, dialect: Dialect) -> Result<Self, DialectError> {
        let mut expression = *expression;
        if expression.holds_all(Field::Day) {
            // Days 1 to 30 and the last one are all days.
            expression.fields.day = Expression::MIDNIGHTS.fields.day;
        }
        if let Some(with_weekdays) = expression.with_weekdays_for_business_days() {
            expression = with_weekdays;
            expression.normalize();
        }
        match error::missing(&expression, dialect) {
            None => Ok(Self { expression, dialect }),
            Some(missing) => Err(DialectError::new(dialect, missing)),
        }
    }

    /// Returns the notation of an expression like [`of`](Self::of), but leaves out the year 2100 for
    /// Quartz, and adds it for other dialects if no other year is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the expression.
    pub fn ignoring_2100(expression: &Expression, dialect: Dialect) -> Result<Self, DialectError> {
        let mut other = expression.through_2100();
        let is_quartz = dialect == Dialect::Quartz;
        if is_quartz {
            other.fields.year[1] ^= Expression::YEAR_2100;
        }
        let is_same =
            if is_quartz { other.fields.year != [0; 2] } else { other.is_full(Field::Year) };
        Self::of(if is_same { &other } else { expression }, dialect)
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dialect {
            Dialect::Systemd => systemd::write(&self.expression, f),
            dialect => fields::write(&self.expression, dialect, f),
        }
    }
}

/// Whether the day of month does not match every day.
fn has_days(expression: &Expression) -> bool {
    !expression.is_full(Field::Day) || expression.relative.has_days()
}

/// Whether the weekday does not match every day.
fn has_weekdays(expression: &Expression) -> bool {
    !expression.is_full(Field::Weekday) || expression.relative.numbered != 0
}

/// Writes the values of a field, other than day 32: three or more in equal steps as a range.
fn write_values(
    expression: &Expression,
    list: &mut List<'_, '_>,
    field: Field,
    width: usize,
    range: &str,
) -> fmt::Result {
    expression.runs(field).try_for_each(|run| run.write(list.next()?, width, range))
}

/// Writes weekdays by their names, three or more in a row as a range. `order` lists the days of the
/// week.
fn write_weekday_names(
    weekdays: u64,
    list: &mut List<'_, '_>,
    order: [u16; 7],
    range: &str,
    write_name: fn(&mut fmt::Formatter<'_>, u16) -> fmt::Result,
) -> fmt::Result {
    let rows = order.split(|day| weekdays >> day & 1 == 0);
    for row in rows {
        match *row {
            [start, _, .., end] => {
                let f = list.next()?;
                write_name(f, start)?;
                f.write_str(range)?;
                write_name(f, end)?;
            }
            _ => row.iter().try_for_each(|day| write_name(list.next()?, *day))?,
        }
    }
    Ok(())
}
