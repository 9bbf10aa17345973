//! Lists of the days of some dates.

use super::part::Dates;
use super::weekdays::weekday_pattern;
use super::years::Year;
use crate::bits;

/// A day after all others.
pub(super) const NEVER: u16 = u16::MAX;

/// Writes the days of some dates in the given years, and returns how many there are; `None` if
/// there is no room for them and one more.
pub(super) fn list(out: &mut [u16], dates: &Dates, years: u128) -> Option<usize> {
    let mut years = years & dates.years;
    if dates.rows[..6] == [0; 6] {
        // Only 29 February: leap years.
        years &= u128::MAX / 15;
    }
    let patterns = patterns(dates);
    let mut len = 0;
    while years != 0 {
        let year = Year::at(years.trailing_zeros());
        years &= years - 1;
        len = list_year(out, len, dates, &patterns, year)?;
    }
    // `list_year` may have written beyond the last day.
    if let Some(slot) = out.get_mut(len) {
        *slot = NEVER;
    }
    Some(len)
}

/// Returns the weekdays of some dates as bits over 64 days, by the weekday of the first day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a weekday, or up to five words on")]
fn patterns(dates: &Dates) -> [u64; 12] {
    core::array::from_fn(|first| weekday_pattern(dates.weekdays, first as u32))
}

/// Appends the days of a year to the first `len` days, and returns the new length.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a day of the range")]
fn list_year(
    out: &mut [u16],
    mut len: usize,
    dates: &Dates,
    patterns: &[u64; 12],
    year: &Year,
) -> Option<usize> {
    let row: &[u64; 6] = dates.rows.get(year.row.into()..)?.first_chunk()?;
    let patterns: &[u64; 6] = patterns.get(year.first_weekday.into()..)?.first_chunk()?;
    let mut first = year.start();
    for index in 0..6 {
        let mut days = row[index] & patterns[index];
        // The first is written unconditionally: whether there is one is hard to predict.
        *out.get_mut(len)? = (first + bits::first(days)) as u16;
        len += usize::from(days != 0);
        days &= days.wrapping_sub(1);
        while days != 0 {
            *out.get_mut(len)? = (first + bits::first(days)) as u16;
            len += 1;
            days &= days - 1;
        }
        first += 64;
    }
    Some(len)
}
