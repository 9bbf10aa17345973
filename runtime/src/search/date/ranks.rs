//! Finds the year of the day with a rank.

use crate::bits;

/// Returns the year of the day with `rank` days before it, given the number of days before each
/// year, the total, and their [`slope`].
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the years of the range")]
pub(super) fn year_of<const SIZE: usize>(before: &[u16; SIZE], slope: u32, rank: u32) -> u32 {
    if slope == 0 {
        // Bisection is faster than comparing all counts.
        return before[1..SIZE - 1].partition_point(|count| u32::from(*count) <= rank) as u32;
    }
    let guess = guess(slope, rank);
    let is_before = |year| u32::from(u32::from(bits::element(before, year, 0)) <= rank);
    // The last year that has begun, of the guess, the year before it and the year after it.
    guess + is_before(guess) + is_before(guess + 1) - 1
}

/// Guesses the year. The guess is right, or off by one.
#[inline(always)]
const fn guess(slope: u32, rank: u32) -> u32 {
    (rank * slope) >> 14
}

/// Returns the approximate number of years per day, in 2^14ths; 0 if a guess could be off by more
/// than one year.
#[expect(clippy::cast_possible_truncation, reason = "the years of the range")]
pub(super) fn slope(before: &[u16]) -> u32 {
    let [first @ .., total] = before else { return 0 };
    let years = first.len() as u32;
    let slope = (years << 14).checked_div((*total).into()).unwrap_or(0);
    // It suffices to check the guesses for the first and the last day of each year.
    let is_off = (0..).zip(before.windows(2)).fold(slope > 1 << 14, |is_off, (year, ends)| {
        let [start, end] = [u32::from(ends[0]), u32::from(ends[1]).saturating_sub(1)];
        is_off | (guess(slope, start) + 1 < year) | (guess(slope, end) > year + 1)
    });
    if is_off { 0 } else { slope }
}
