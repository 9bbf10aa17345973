//! Describes a time field by field: "at 5 and 35 minutes past every hour".

use core::fmt::{self, Write};

use super::set::{FIELDS, HOURS, Run, SHORTEST_STRIDE, Set, Sets};
use super::words::{Noun, Words};
use super::writer::{HOUR, Writer};

/// Writes the lowest field that is not just 0, and the fields above it.
pub(super) fn write(f: &mut Writer<'_>, sets: &Sets<'_>) -> fmt::Result {
    let lowest = sets[..HOURS].iter().position(|set| set.only() != Some(0)).unwrap_or(0);
    let set = sets[lowest];
    if let Some(run) = set.as_run().filter(|run| run.len > 1 && run.is_even(set.size)) {
        write!(f, "{} ", f.words.every)?;
        f.length(u32::from(run.step) * FIELDS[lowest].1)?;
        // The steps continue across the unrestricted units above.
        let above = (lowest + 1..FIELDS.len()).find(|place| !sets[*place].is_full());
        return above.map_or(Ok(()), |place| {
            write!(f, " {} ", f.words.in_)?;
            write_units(f, sets, place)
        });
    }
    write!(f, "{} ", f.words.at)?;
    let noun = noun(f.words, lowest);
    if runs(set).all(Run::is_single) {
        let and = f.words.and;
        f.list(set.values(), and, |f, value| write!(f, "{value}"))?;
        let count = set.only().unwrap_or(2);
        write!(f, " {} {} ", noun.counted(count.into()), f.words.past)?;
        if lowest + 1 == HOURS && runs(sets[HOURS]).all(Run::is_single) {
            return f.list(sets[HOURS].values(), and, |f, hour| f.clock(u32::from(hour) * HOUR));
        }
    } else {
        write_numbers(f, set, noun)?;
        write!(f, " {} ", f.words.of)?;
    }
    write_units(f, sets, lowest + 1)
}

/// Returns the runs by which the values are described: ranges, steps and single numbers.
fn runs(set: Set<'_>) -> impl Iterator<Item = Run> {
    set.runs(3, SHORTEST_STRIDE)
}

const fn noun(words: &Words, place: usize) -> Noun {
    match place {
        0 => words.millisecond,
        1 => words.second,
        2 => words.minute,
        _ => words.hour,
    }
}

/// Writes the units of a field that contain the events, and the fields above it: "every 2nd
/// minute", "minutes 0 and 30 of every hour".
fn write_units(f: &mut Writer<'_>, sets: &Sets<'_>, place: usize) -> fmt::Result {
    let set = sets[place];
    if place == HOURS {
        return write_hours(f, set);
    }
    if sets[place..].iter().all(|set| set.only().is_some()) {
        let time = sets[place..]
            .iter()
            .zip(&FIELDS[place..])
            .fold(0, |time, (set, (_, unit))| time + u32::from(set.only().unwrap_or(0)) * unit);
        return f.clock(time);
    }
    let noun = noun(f.words, place);
    match set.as_run() {
        Some(run) if run.len > 3 && run.is_even(set.size) => {
            write_every_nth(f, run.step, noun)?;
            match (place + 1..FIELDS.len()).find(|place| !sets[*place].is_full()) {
                None => Ok(()),
                Some(HOURS) if every_nth(sets[HOURS]).is_none() => {
                    f.write_str(" ")?;
                    write_spans(f, sets[HOURS])
                }
                Some(above) => {
                    write!(f, " {} ", f.words.of)?;
                    write_units(f, sets, above)
                }
            }
        }
        _ => {
            write_numbers(f, set, noun)?;
            write!(f, " {} ", f.words.of)?;
            write_units(f, sets, place + 1)
        }
    }
}

/// Writes the values of a field: "minutes 0 and 30", "every 5th minute from 10 to 40".
fn write_numbers(f: &mut Writer<'_>, set: Set<'_>, noun: Noun) -> fmt::Result {
    if let Some(run) = set.as_run().filter(|run| run.step > 1 && run.len >= SHORTEST_STRIDE) {
        write_every_nth(f, run.step, noun)?;
        return write!(f, " {} {} {} {}", f.words.from, run.first, f.words.to, run.last);
    }
    write!(f, "{} ", if set.only().is_some() { noun.one } else { noun.many })?;
    let and = f.words.and;
    f.list(runs(set), and, |f, run| {
        let Words { from, to, every, .. } = *f.words;
        match run {
            Run { first, len: 1, .. } => write!(f, "{first}"),
            Run { first, last, step: 1, .. } => write!(f, "{first} {to} {last}"),
            Run { first, last, step, .. } => {
                write!(f, "{every} ")?;
                f.ordinal(step)?;
                write!(f, " {from} {first} {to} {last}")
            }
        }
    })
}

fn write_every_nth(f: &mut Writer<'_>, step: u16, noun: Noun) -> fmt::Result {
    write!(f, "{} ", f.words.every)?;
    if step > 1 {
        f.ordinal(step)?;
        f.write_str(" ")?;
    }
    f.write_str(noun.one)
}

/// Returns the hours that are described as every n-th hour.
fn every_nth(hours: Set<'_>) -> Option<Run> {
    hours.as_run().filter(|run| run.step > 1 && run.len > 3)
}

/// Writes the hours that contain the events: "every hour from 09:00 until noon".
fn write_hours(f: &mut Writer<'_>, hours: Set<'_>) -> fmt::Result {
    let Words { the, from, every, .. } = *f.words;
    let noun = f.words.hour;
    if hours.is_full() {
        return write!(f, "{every} {}", noun.one);
    }
    if let Some(hour) = hours.only() {
        write!(f, "{the} {} {from} ", noun.one)?;
        return f.clock(u32::from(hour) * HOUR);
    }
    let Some(run) = every_nth(hours) else {
        write!(f, "{every} {} ", noun.one)?;
        return write_spans(f, hours);
    };
    write_every_nth(f, run.step, noun)?;
    if run.is_even(hours.size) {
        return Ok(());
    }
    f.write_str(" ")?;
    write_span(f, run)
}

/// Writes the hours as spans of time: "from 09:00 until noon and from 14:00 until 18:00".
fn write_spans(f: &mut Writer<'_>, hours: Set<'_>) -> fmt::Result {
    let and = f.words.and;
    f.list(hours.runs(2, u16::MAX), and, write_span)
}

/// Writes the time from the start of the first hour until the end of the last one.
fn write_span(f: &mut Writer<'_>, hours: Run) -> fmt::Result {
    write!(f, "{} ", f.words.from)?;
    f.clock(u32::from(hours.first) * HOUR)?;
    write!(f, " {} ", f.words.until)?;
    f.end_clock(u32::from(hours.last + 1) * HOUR)
}
