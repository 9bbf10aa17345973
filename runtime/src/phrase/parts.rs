//! Parts of dates in phrases: `25 December`, `the 10th to the 15th`.

use super::draft::Draft;
use crate::Field;
use crate::calendar::days_in_month;

/// Reads the date from which steps count: `from 5 January 2026`.
pub(super) fn start(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("from starting beginning since").then_some(())?;
    it.words.any("on from");
    let (month, day) = read_month_day(it)?;
    it.words.any(",");
    let year = it.words.year()?;
    let is_day = day <= u16::from(days_in_month(year.into(), u8::try_from(month).ok()?));
    is_day.then(|| set(&mut it.start, [year, month, day]))?
}

/// Sets a value that has not been set, or only to the same.
pub(super) fn set<T: PartialEq>(slot: &mut Option<T>, value: T) -> Option<()> {
    let is_new = slot.as_ref().is_none_or(|old| *old == value);
    *slot = Some(value);
    is_new.then_some(())
}

/// Reads `25 December` or `December 25th`.
pub(super) fn read_month_day(it: &mut Draft<'_>) -> Option<(u16, u16)> {
    let day = |it: &mut Draft<'_>| {
        let day = it.words.ordinal().or_else(|| it.words.number())?;
        u16::try_from(day).ok().filter(|day| (1..=31).contains(day))
    };
    let month_first = it.attempt(|it| Some((it.words.name(Field::Month)?, day(it)?)));
    month_first.or_else(|| {
        it.attempt(|it| {
            let day = day(it)?;
            it.words.any("of");
            Some((it.words.name(Field::Month)?, day))
        })
    })
}

/// Reads `the 10th`, or `the 10th to the 15th`.
pub(super) fn ordinal_range(it: &mut Draft<'_>) -> Option<[u32; 2]> {
    it.words.any("the");
    let from = it.words.ordinal()?;
    let to = it.words.attempt(|words| {
        words.to().then_some(())?;
        words.any("the");
        words.ordinal()
    });
    Some([from, to.unwrap_or(from)])
}

/// Reads `the 3rd day before the last day`, and returns how many days before.
pub(super) fn days_before_last(it: &mut Draft<'_>) -> Option<u32> {
    it.words.any("the");
    let n = it.words.ordinal().unwrap_or(1);
    (it.words.any("day") && it.words.all("before the last day")).then_some(n)
}
