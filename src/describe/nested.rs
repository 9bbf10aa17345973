//! Describes the time part of a schedule field by field: "at 5 and 35 minutes past every hour".

use core::fmt::{self, Write};

use super::set::{FIELDS, HOURS, Run, SHORTEST_STRIDE, Set, Sets, earliest};
use super::words::{Counted, HOUR, Length, Ordinal};
use super::writer::Writer;
use crate::Field;
use millicron_runtime::list;

/// Writes the lowest field that is not just 0, and the fields above it.
pub(super) fn write(f: &mut Writer<'_>, sets: &Sets) -> fmt::Result {
    let lowest = sets[..HOURS].iter().position(|set| set.only() != Some(0)).unwrap_or(0);
    let (set, (field, unit)) = (&sets[lowest], FIELDS[lowest]);
    if let Some(run) = set.as_run().filter(|run| run.is_even(set.size)) {
        write!(f, "every {}", Length(u32::from(run.step) * unit))?;
        // The steps continue across the unrestricted units above.
        let Some(above) = restricted_from(sets, lowest + 1) else { return Ok(()) };
        f.write_str(" in ")?;
        return write_units(f, sets, above);
    }
    f.write_str("at ")?;
    if runs(set).all(Run::is_single) {
        list(f, set.values(), "and", |f, value| write!(f, "{value}"))?;
        let count = set.only().unwrap_or(2);
        write!(f, " {} past ", Counted(count.into(), field))?;
        if lowest + 1 == HOURS && runs(&sets[HOURS]).all(Run::is_single) {
            return list(f, sets[HOURS].values(), "and", write_hour);
        }
    } else {
        write_numbers(f, set, field)?;
        f.write_str(" of ")?;
    }
    write_units(f, sets, lowest + 1)
}

/// Returns the runs by which the values are described: ranges, steps and single numbers.
fn runs(set: &Set) -> impl Iterator<Item = Run> {
    set.runs(3, SHORTEST_STRIDE)
}

/// Returns the index of the first field from `place` on that does not have all values.
fn restricted_from(sets: &Sets, place: usize) -> Option<usize> {
    (place..FIELDS.len()).find(|place| !sets[*place].is_full())
}

/// Writes the units of a field that contain the events, and the fields above it: "every 2nd
/// minute", "minutes 0 and 30 of every hour".
fn write_units(f: &mut Writer<'_>, sets: &Sets, place: usize) -> fmt::Result {
    let (set, (field, _)) = (&sets[place], FIELDS[place]);
    if place == HOURS {
        return write_hours(f, set);
    }
    if sets[place..].iter().all(|set| set.only().is_some()) {
        return write!(f, "{}", f.clock(earliest(sets, place..FIELDS.len())));
    }
    let run = set.as_run().filter(|run| run.len > 3 && run.is_even(set.size));
    let Some(run) = run else {
        write_numbers(f, set, field)?;
        f.write_str(" of ")?;
        return write_units(f, sets, place + 1);
    };
    write_every_nth(f, run.step, field)?;
    match restricted_from(sets, place + 1) {
        None => Ok(()),
        Some(HOURS) if every_nth(&sets[HOURS]).is_none() => write_spans(f, &sets[HOURS]),
        Some(above) => {
            f.write_str(" of ")?;
            write_units(f, sets, above)
        }
    }
}

/// Writes the values of a field: "minutes 0 and 30", "every 5th minute from 10 to 40".
fn write_numbers(f: &mut Writer<'_>, set: &Set, field: Field) -> fmt::Result {
    if let Some(run) = set.as_run().filter(|run| run.step > 1 && run.len >= SHORTEST_STRIDE) {
        write_every_nth(f, run.step, field)?;
        return write!(f, " from {} to {}", run.first, run.last);
    }
    let plural = if set.only().is_some() { "" } else { "s" };
    write!(f, "{field}{plural} ")?;
    list(f, runs(set), "and", |f, run| match run {
        Run { first, len: 1, .. } => write!(f, "{first}"),
        Run { first, last, step: 1, .. } => write!(f, "{first} to {last}"),
        Run { first, last, step, .. } => {
            write!(f, "every {} from {first} to {last}", Ordinal(step.into()))
        }
    })
}

fn write_every_nth(f: &mut Writer<'_>, step: u16, field: Field) -> fmt::Result {
    match step {
        1 => write!(f, "every {field}"),
        _ => write!(f, "every {} {field}", Ordinal(step.into())),
    }
}

/// Returns the hours that are described as every n-th hour.
fn every_nth(hours: &Set) -> Option<Run> {
    hours.as_run().filter(|run| run.step > 1 && run.len > 3)
}

/// Writes the hours that contain the events: "every hour from 09:00 until noon".
fn write_hours(f: &mut Writer<'_>, hours: &Set) -> fmt::Result {
    if hours.is_full() {
        return f.write_str("every hour");
    }
    if let Some(hour) = hours.only() {
        f.write_str("the hour from ")?;
        return write_hour(f, hour);
    }
    let Some(run) = every_nth(hours) else {
        f.write_str("every hour")?;
        return write_spans(f, hours);
    };
    write_every_nth(f, run.step, Field::Hour)?;
    if run.is_even(hours.size) {
        return Ok(());
    }
    f.write_str(" ")?;
    write_span(f, run)
}

/// Writes a space and the hours as spans of time: "from 09:00 until noon and from 14:00 until
/// 18:00".
fn write_spans(f: &mut Writer<'_>, hours: &Set) -> fmt::Result {
    f.write_str(" ")?;
    list(f, hours.runs(2, u32::MAX), "and", write_span)
}

/// Writes the time from the start of the first hour until the end of the last one.
fn write_span(f: &mut Writer<'_>, hours: Run) -> fmt::Result {
    let [start, end] = [hours.first, hours.last + 1].map(|hour| f.clock(u32::from(hour) * HOUR));
    write!(f, "from {start} until {end}")
}

fn write_hour(f: &mut Writer<'_>, hour: u16) -> fmt::Result {
    write!(f, "{}", f.clock(u32::from(hour) * HOUR))
}
