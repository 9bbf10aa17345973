//! Lists of the days of some dates.

use super::part::Dates;
use super::years::{MARCH, Year};
use crate::bits;

/// A day after all other days.
pub(super) const NEVER: u16 = u16::MAX;

/// Writes the days of some dates in the given years and returns how many there are; `None` if there
/// is no room for all of them and one more.
pub(super) fn list(out: &mut [u16], dates: &Dates, years: u128) -> Option<usize> {
    let mut years = years & dates.years;
    if dates.days.are_leap_days() {
        years &= u128::MAX / 15;
    }
    let mut len = 0;
    while years != 0 {
        let year = Year::at(years.trailing_zeros());
        years &= years - 1;
        len = list_year(out, len, dates, year)?;
    }
    // `list_year` may have written beyond the last day.
    if let Some(slot) = out.get_mut(len) {
        *slot = NEVER;
    }
    Some(len)
}

/// Appends the days of a year to the first `len` days, and returns the new length.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a day of the range")]
fn list_year(out: &mut [u16], mut len: usize, dates: &Dates, year: &Year) -> Option<usize> {
    let mut first = u32::from(year.march).wrapping_sub(MARCH);
    for index in 0..6 {
        let mut days = dates.days.word(year.shape, year.row, index);
        // The first one is always written, because it is hard to predict whether there is one.
        *out.get_mut(len)? = first.wrapping_add(bits::first(days)) as u16;
        len += usize::from(days != 0);
        days &= days.wrapping_sub(1);
        while days != 0 {
            *out.get_mut(len)? = first.wrapping_add(bits::first(days)) as u16;
            len += 1;
            days &= days - 1;
        }
        first = first.wrapping_add(64);
    }
    Some(len)
}
