//! Moves days to business days, by the conventions of ISDA (section 4.12 of the 2006 definitions):
//! following, preceding, and both modified.

use super::months::{FIRST_DAYS, last_days};
use super::set::{DaySet, Years};
use crate::bits;
use crate::search::WORDS;

/// Dates that are moved in the same way, each to the nearest business day at or after it, or at or
/// before it.
#[derive(Clone, Copy, Debug)]
pub struct MovedDates {
    /// The dates as written.
    pub dates: Years,
    /// Whether they are moved back.
    pub is_back: bool,
    /// Whether a date that would leave its month is moved the other way.
    pub is_modified: bool,
    /// By how many business days to move further: later if positive.
    pub offset: i8,
}

impl MovedDates {
    /// Returns the business days to which the dates are moved.
    pub(super) const fn days(&self, business: &DaySet) -> DaySet {
        let dates = self.dates.days();
        let moved = if self.is_modified {
            let leaving = leaving_month(&dates, business, self.is_back);
            let others = adjusted(&leaving, business, !self.is_back);
            adjusted(&dates.minus(&leaving), business, self.is_back).or(&others)
        } else {
            adjusted(&dates, business, self.is_back)
        };
        match self.offset {
            0 => moved,
            offset => shifted(&moved, business, offset),
        }
    }
}

/// Returns the dates that have no business day between themselves and the end of their month or, if
/// `is_back`, its beginning: those that this end passes on its way to a business day.
const fn leaving_month(dates: &DaySet, business: &DaySet, is_back: bool) -> DaySet {
    let ends = if is_back { FIRST_DAYS } else { last_days() };
    dates.and(&Adjusted::of(&ends, business, !is_back).passed)
}

/// Returns the first business day at or after each date or, if `is_back`, the last one at or before
/// it.
pub(super) const fn adjusted(dates: &DaySet, business: &DaySet, is_back: bool) -> DaySet {
    Adjusted::of(dates, business, is_back).days
}

/// Dates that are moved to business days.
struct Adjusted {
    /// The business days to which they are moved.
    days: DaySet,
    /// The other days on the way, including the dates themselves.
    passed: DaySet,
}

impl Adjusted {
    /// Moves dates forward or, if `is_back`, backward.
    ///
    /// An addition does it for a word at a time: where a run of other days is all ones, adding a date
    /// in it carries into the bit behind it, which is the next business day. In the run, the first
    /// date and the days after it turn to zeros, except for further dates.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
    const fn of(dates: &DaySet, business: &DaySet, is_back: bool) -> Self {
        let (mut days, mut passed) = (DaySet::EMPTY, DaySet::EMPTY);
        let (mut step, mut carry) = (0, 0);
        while step < WORDS {
            // Backwards, the last day comes first.
            let index = if is_back { WORDS - 1 - step } else { step };
            let (date, target) = (dates.0[index], business.0[index]);
            let (mut sum, mut others) = (date & !target, !target);
            if is_back {
                (sum, others) = (sum.reverse_bits(), others.reverse_bits());
            }
            carry += sum as u128 + others as u128;
            sum = carry as u64;
            carry >>= 64;
            if is_back {
                sum = sum.reverse_bits();
            }
            days.0[index] = (sum | date) & target;
            passed.0[index] = (!sum | date) & !target;
            step += 1;
        }
        Self { days, passed }
    }
}

/// Moves business days by a number of business days.
const fn shifted(days: &DaySet, business: &DaySet, offset: i8) -> DaySet {
    let mut moved = DaySet::EMPTY;
    let mut index = 0;
    while index < WORDS {
        let mut rest = days.0[index];
        while rest != 0 {
            let day = first_of(index) + rest.trailing_zeros();
            if let Some(day) = later(business, day, offset) {
                moved.insert(day);
            }
            rest &= rest - 1;
        }
        index += 1;
    }
    moved
}

/// Returns the business day that is `offset` business days later than a business day.
const fn later(business: &DaySet, day: u32, offset: i8) -> Option<u32> {
    let is_back = offset < 0;
    let mut index = day as usize / 64;
    let mut left = offset.unsigned_abs() as u32;
    // The business days of the word beyond the day.
    let place = day % 64;
    let mut word =
        business.0[index] & if is_back { !(u64::MAX << place) } else { u64::MAX << 1 << place };
    while left > word.count_ones() {
        left -= word.count_ones();
        if is_back && index == 0 || !is_back && index + 1 == WORDS {
            return None;
        }
        index = if is_back { index - 1 } else { index + 1 };
        word = business.0[index];
    }
    let rank = if is_back { word.count_ones() - left } else { left - 1 };
    Some(first_of(index) + bits::select(word, rank))
}

/// Returns the first day of a word.
#[expect(clippy::cast_possible_truncation, reason = "below 2^16")]
const fn first_of(index: usize) -> u32 {
    64 * index as u32
}
