//! Business days by their number in the month.

use super::set::DaySet;
use crate::calendar::days_in_month;
use crate::search::DAYS;

/// The months of the range.
pub(super) const MONTHS: usize = 12 * 101;

/// The first day of each month, and the day after the range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "days and months are below 2^16"
)]
static STARTS: [u16; MONTHS + 1] = {
    let mut starts = [0; MONTHS + 1];
    let mut month = 0;
    while month < MONTHS {
        let len = days_in_month(2000 + month as i32 / 12, (month % 12) as u8 + 1);
        starts[month + 1] = starts[month] + len as u16;
        month += 1;
    }
    assert!(starts[MONTHS] as u32 == DAYS);
    starts
};

/// Returns the first day of a month and its length, 28-31.
pub(super) const fn month_at(month: usize) -> (u32, u32) {
    let [start, end] = [STARTS[month] as u32, STARTS[month + 1] as u32];
    (start, end - start)
}

impl DaySet {
    /// Returns the days of this set with some numbers in their month: bit k - 1 of `numbered` for
    /// the k-th, bit n of `before_last` for the n-th before the last.
    pub(super) const fn numbered(&self, numbered: u32, before_last: u32) -> Self {
        let mut chosen = Self::EMPTY;
        let mut month = 0;
        while month < MONTHS {
            let (start, len) = month_at(month);
            let days = self.part(start, len);
            let mut rest = days;
            // The number of the next day, and how many come after it.
            let (mut number, mut after) = (0, days.count_ones());
            let mut taken = 0;
            while rest != 0 {
                after -= 1;
                if (numbered >> number | before_last >> after) & 1 == 1 {
                    taken |= rest & rest.wrapping_neg();
                }
                rest &= rest - 1;
                number += 1;
            }
            chosen.add_part(start, taken);
            month += 1;
        }
        chosen
    }
}
