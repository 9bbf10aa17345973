//! Schedules in crontab, Quartz and the cron crate.

use core::fmt::{self, Write};

use super::{has_days, has_weekdays, write_values, write_weekday_names};
use crate::expression::{LAST_DAY, List, bits_of};
use crate::{Dialect, Expression, Field, Join, RelativeDays};

/// Whether one of `L`, `W` and `#` is in a list with other items.
pub(super) fn is_special_list(expression: &Expression) -> bool {
    let RelativeDays { before_last, nearest, nearest_before_last, numbered } = expression.relative;
    let last = expression.fields.day & LAST_DAY;
    let special = before_last.count_ones()
        + nearest.count_ones()
        + nearest_before_last.count_ones()
        + last.count_ones();
    let days = (expression.fields.day & !LAST_DAY).count_ones();
    let weekdays = expression.fields.weekday.count_ones();
    special > 0 && special + days > 1 || numbered != 0 && numbered.count_ones() + weekdays > 1
}

/// Returns which of day and weekday can be written as `*/n`, and `n`. In crontab, day and weekday
/// are joined by AND if one of them begins with `*`.
pub(super) fn starred(expression: &Expression) -> Option<(Field, u32)> {
    let steps = |count: u32, step: u32| {
        (0..count).step_by(step as usize).fold(0, |set, bit| set | 1_u64 << bit)
    };
    let of_days = (2..=31).find(|step| expression.fields.day == steps(31, *step));
    let of_weekdays = (2..=7).find(|step| expression.fields.weekday == steps(7, *step));
    let days = of_days.filter(|_| !expression.relative.has_days());
    let weekdays = of_weekdays.filter(|_| expression.relative.numbered == 0);
    days.map(|step| (Field::Day, step)).or(weekdays.map(|step| (Field::Weekday, step)))
}

/// Writes an expression that a dialect can express.
pub(super) fn write(
    expression: &Expression,
    dialect: Dialect,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let fields: &[Field] = match dialect {
        Dialect::Crontab if expression.fields.second == 1 => &[Field::Minute, Field::Hour],
        _ => &[Field::Second, Field::Minute, Field::Hour],
    };
    for field in fields {
        write_field(expression, f, *field)?;
        f.write_char(' ')?;
    }
    let is_quartz = dialect == Dialect::Quartz;
    let (has_days, has_weekdays) = (has_days(expression), has_weekdays(expression));
    let is_both = has_days && has_weekdays && expression.join == Join::Both;
    let starred = starred(expression).filter(|_| is_both);
    match starred {
        Some((Field::Day, step)) => write!(f, "*/{step}")?,
        _ if has_days => write_days(expression, f)?,
        _ => f.write_char(if is_quartz && has_weekdays { '?' } else { '*' })?,
    }
    f.write_char(' ')?;
    write_field(expression, f, Field::Month)?;
    f.write_char(' ')?;
    match starred {
        Some((Field::Weekday, step)) => write!(f, "*/{step}")?,
        _ if has_weekdays => write_weekdays(expression, dialect, f)?,
        _ => f.write_char(if is_quartz { '?' } else { '*' })?,
    }
    let are_all_years = match dialect {
        Dialect::Quartz => expression.count(Field::Year) == 100,
        _ => expression.is_full(Field::Year),
    };
    if are_all_years {
        return Ok(());
    }
    f.write_char(' ')?;
    write_values(expression, &mut List::new(f), Field::Year, 1, "-")
}

/// Writes a field. A list never begins with `*/n`: cron gives a field that begins with `*` another
/// meaning, of days and weekdays and at clock changes.
fn write_field(expression: &Expression, f: &mut fmt::Formatter<'_>, field: Field) -> fmt::Result {
    let mut runs = expression.runs(field);
    let is_whole = runs.next().is_some_and(|run| run.is_whole(field)) && runs.next().is_none();
    if is_whole {
        return expression.write_field(f, field, 1);
    }
    write_values(expression, &mut List::new(f), field, 1, "-")
}

fn write_days(expression: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut list = List::new(f);
    write_values(expression, &mut list, Field::Day, 1, "-")?;
    if expression.fields.day & LAST_DAY != 0 {
        list.next()?.write_char('L')?;
    }
    expression.write_relative_days(&mut list, 1)
}

fn write_weekdays(
    expression: &Expression,
    dialect: Dialect,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut list = List::new(f);
    let weekdays = expression.fields.weekday;
    write_weekday_names(weekdays, &mut list, [0, 1, 2, 3, 4, 5, 6], "-", |f, weekday| {
        let name = Field::Weekday.name_of(weekday).unwrap_or_default();
        name.chars().try_for_each(|c| f.write_char(c.to_ascii_uppercase()))
    })?;
    for bit in bits_of(expression.relative.numbered) {
        let weekday = u16::try_from(bit % 7).unwrap_or_default();
        let weekday = dialect.weekday_number(weekday);
        match bit / 7 {
            5 => write!(list.next()?, "{weekday}L")?,
            index => write!(list.next()?, "{weekday}#{}", index + 1)?,
        }
    }
    Ok(())
}
