//! Dates as days of the range, and the ends of months.

use super::set::DaySet;
use crate::bits;
use crate::calendar::days_in_month;
use crate::search::DAYS;

/// The months of the range.
const MONTHS: usize = 12 * 101;

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

/// The first day of each month.
pub(super) static FIRST_DAYS: DaySet = {
    let mut days = DaySet::EMPTY;
    let mut month = 0;
    while month < MONTHS {
        days.insert(STARTS[month] as u32);
        month += 1;
    }
    days
};

/// Returns the last day of each month. It is no constant of its own because of its size.
pub(super) const fn last_days() -> DaySet {
    let mut days = FIRST_DAYS.earlier();
    days.insert(DAYS - 1);
    days
}

/// Returns the index of a date from 2000 to 2100, counted from 2000-01-01. For an earlier date, it is
/// -1, and for a later one the number of days in the range.
#[must_use]
#[inline]
pub const fn day_index(year: i32, month: u8, day: u8) -> i32 {
    if year < FIRST_YEAR {
        return -1;
    }
    if year > LAST_YEAR {
        return DAYS.cast_signed();
    }
    let month = (year - FIRST_YEAR).cast_unsigned() * 12 + month as u32 - 1;
    bits::element(&STARTS, month, 0) as i32 + day as i32 - 1
}

/// Returns the year, the month and the day of an index below the number of days in the range.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a month and a day")]
pub const fn date_at(index: u32) -> (i32, u8, u8) {
    // No month begins further than a few days from where it would if all had the same length.
    const MONTHS_PER_DAY: u32 = (12 << 16) * 4 / 1461;
    let guess = (index * MONTHS_PER_DAY) >> 16;
    let is_early = bits::element(&STARTS, guess, u16::MAX) as u32 > index;
    let is_late = bits::element(&STARTS, guess + 1, u16::MAX) as u32 <= index;
    let month = guess + is_late as u32 - is_early as u32;
    let day = index - bits::element(&STARTS, month, 0) as u32 + 1;
    (FIRST_YEAR + (month / 12).cast_signed(), (month % 12) as u8 + 1, day as u8)
}

/// The first year of the range.
const FIRST_YEAR: i32 = 2000;
/// The last year of the range.
const LAST_YEAR: i32 = 2100;

#[cfg(test)]
mod tests {
    use super::{date_at, day_index};
    use crate::calendar::civil_date;
    use crate::handle::FIRST_DAY;
    use crate::search::DAYS;

    #[test]
    fn indices_and_dates_agree_with_the_calendar() {
        for index in 0..DAYS {
            let date @ (year, month, day) = civil_date(FIRST_DAY + i64::from(index));
            assert_eq!(date_at(index), date);
            assert_eq!(day_index(year, month, day), index.cast_signed());
        }
        assert_eq!(day_index(1999, 12, 31), -1);
        assert_eq!(day_index(i32::MIN, 1, 1), -1);
        assert_eq!(day_index(2101, 1, 1), DAYS.cast_signed());
        assert_eq!(day_index(i32::MAX, 12, 31), DAYS.cast_signed());
    }
}
