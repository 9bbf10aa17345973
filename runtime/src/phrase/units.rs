//! Times of day in phrases, unit by unit: `at 5 and 35 minutes past every hour`.

use super::draft::{Clause, Draft};
use super::words::{Clock, HOUR, HOURS, UNITS};

/// The clauses about units of time, in the order in which they are tried.
pub(super) const CLAUSES: [Clause; 4] = [steps, past, of, minute];

/// Reads `every 10 seconds in every 2nd minute of every hour`.
fn steps(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("every each").then_some(())?;
    let count = it.words.number().unwrap_or(1);
    let place = it.words.unit()?;
    let (field, _, _, size) = UNITS[place];
    (it.words.any("in") && size.is_multiple_of(count)).then_some(())?;
    it.insert(field, [0, size - 1], count)?;
    let first = units(it, place)?;
    UNITS[place + 1..first].iter().try_for_each(|(field, ..)| it.fill(*field))
}

/// Reads `at 5 and 35 minutes past every hour`.
fn past(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("at");
    // The unit comes after the numbers.
    let mut ahead = it.words;
    while ahead.number().is_some() || ahead.separator() {}
    let place = ahead.unit()?;
    numbers(it, place)?;
    it.words.unit()?;
    it.words.any("past after").then_some(())?;
    units(it, place)?;
    Some(())
}

/// Reads `at minutes 0 to 20 of every hour`.
fn of(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("at").then_some(())?;
    let place = number_names(it)?;
    is_next(units(it, place)?, place)
}

/// Reads `at minute 15` after `every hour`.
fn minute(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("at").then_some(())?;
    let place = it.words.unit()?;
    numbers(it, place)?;
    let is_hourly = it.interval.take() == Some(HOUR) && place + 1 == HOURS;
    is_hourly.then(|| it.fill(UNITS[HOURS].0))?
}

/// Reads the units that contain the events, and returns the index of the lowest one. It is above
/// the unit `below`.
fn units(it: &mut Draft<'_>, below: usize) -> Option<usize> {
    (below < HOURS).then_some(())?;
    let lowest =
        it.attempt(number_names).map(|place| (place, true)).or_else(|| it.attempt(every_nth));
    let Some((place, is_of)) = lowest else { return hours(it, below) };
    (place > below).then_some(())?;
    if is_of {
        is_next(units(it, place)?, place)?;
    }
    Some(place)
}

fn is_next(place: usize, below: usize) -> Option<()> {
    (place == below + 1).then_some(())
}

/// Reads `minutes 0 to 20 and 40 of`, or `every 7th minute from 0 to 56 of`.
fn number_names(it: &mut Draft<'_>) -> Option<usize> {
    let place = if let Some(place) = it.words.unit() {
        numbers(it, place)?;
        place
    } else {
        let (n, place) = nth(it)?;
        from_to(it, place, n)?;
        place
    };
    it.words.any("of").then_some(place)
}

/// Reads `0 to 20, 40 and every 5th from 45 to 55`.
fn numbers(it: &mut Draft<'_>, place: usize) -> Option<()> {
    it.list(&mut |it| {
        if it.words.any("every") {
            let n = it.words.ordinal()?;
            return from_to(it, place, n);
        }
        let from = it.words.number()?;
        let to = if it.words.to() { it.words.number()? } else { from };
        it.insert(UNITS[place].0, [from, to], 1)
    })
}

fn from_to(it: &mut Draft<'_>, place: usize, step: u32) -> Option<()> {
    it.words.any("from").then_some(())?;
    let from = it.words.number()?;
    let to = it.words.to().then(|| it.words.number())??;
    it.insert(UNITS[place].0, [from, to], step)
}

/// Reads `every 7th minute`, and returns its number and its unit.
fn nth(it: &mut Draft<'_>) -> Option<(u32, usize)> {
    it.words.any("every").then_some(())?;
    let nth = it.words.attempt(|words| Some((words.ordinal()?, words.unit()?)));
    nth.or_else(|| Some((1, it.words.unit()?)))
}

/// Reads `every 2nd minute`, and the hours after it. Returns the index of the unit, and whether
/// another unit follows.
fn every_nth(it: &mut Draft<'_>) -> Option<(usize, bool)> {
    let (n, place) = nth(it)?;
    let (field, _, _, size) = UNITS[place];
    (n < size).then_some(())?;
    if place == HOURS {
        it.attempt(|it| spans(it, n)).or_else(|| it.insert(field, [0, size - 1], n))?;
        return Some((place, false));
    }
    it.insert(field, [0, size - 1], n)?;
    if it.words.any("of") {
        return Some((place, true));
    }
    let has_hours = it.attempt(|it| spans(it, 1)).is_some();
    let above = &UNITS[place + 1..HOURS + usize::from(!has_hours)];
    above.iter().try_for_each(|(field, ..)| it.fill(*field))?;
    Some((place, false))
}

/// Reads `from 09:00 until noon and from 14:00 until 18:00`, with every n-th hour.
fn spans(it: &mut Draft<'_>, n: u32) -> Option<()> {
    let mut before = 0;
    it.list(&mut |it| {
        it.words.any("from").then_some(())?;
        let start = it.words.clock()?;
        let end = it.words.any("until").then(|| it.words.clock())??;
        let [from, to] = [start, end].map(|clock| clock.time / HOUR);
        let to = if to == 0 { 24 } else { to };
        let is_whole = start.time % HOUR + end.time % HOUR == 0;
        // `From 9 until 12 and from 2 until 5`: in the afternoon?
        (is_whole && before <= from && !start.may_be_later(end)).then_some(())?;
        before = to;
        it.insert(UNITS[HOURS].0, [from, to.checked_sub(1)?], n)
    })
}

/// Reads the hours as times: `09:00, 11:00 and 17:00`, `the hour from 09:00`, `the hour`.
fn hours(it: &mut Draft<'_>, below: usize) -> Option<usize> {
    if it.words.all("the hour") {
        if it.words.any("from") {
            let hour = it.words.hour()?;
            it.insert(UNITS[HOURS].0, [hour, hour], 1)?;
        } else {
            it.fill(UNITS[HOURS].0)?;
        }
        return Some(HOURS);
    }
    // Several times are hours; a single one has all units above.
    let list = it.attempt(|it| {
        (below + 1 == HOURS).then_some(())?;
        let (mut before, mut is_open, mut has_half) = (None, false, false);
        it.list(&mut |it| {
            let clock = it.words.clone().clock()?;
            let hour = it.words.hour()?;
            // `Past 1 and 2 pm`, `past 9 and 5`: in the morning, or in the afternoon?
            is_open |= clock.is_open;
            has_half |= clock.has_half;
            let is_clear = before < Some(hour) && !(is_open && has_half);
            before = Some(hour);
            is_clear.then(|| it.insert(UNITS[HOURS].0, [hour, hour], 1))?
        })
    });
    if list.is_some() {
        return Some(HOURS);
    }
    let Clock { time, .. } = it.words.clock()?;
    let above = UNITS.get(below + 1..)?;
    let (_, _, lowest, _) = above.first()?;
    time.is_multiple_of(*lowest).then_some(())?;
    for (field, _, millis, size) in above {
        let value = time / millis % size;
        it.insert(*field, [value, value], 1)?;
    }
    Some(below + 1)
}
