//! Dates as days of the range, and the ends of months.

use super::set::DaySet;
use crate::bits;
use crate::calendar::days_in_month;
use crate::search::DAYS;

/// The months of the range.
const MONTHS: usize = 12 * 101;

/// The starts of the months and of the month after the range, each in one number that is easy to
/// compare: the day in the upper half, the years after 2000 and the month (1-12) in the lower two bytes.
#[expect(clippy::cast_possible_truncation, reason = "months are below 2^16")]
static STARTS: [u32; MONTHS + 1] = {
    let mut starts = [0; MONTHS + 1];
    let (mut index, mut first) = (0, 0);
    while index <= MONTHS as u32 {
        let (year, month) = (index / 12, index % 12 + 1);
        starts[index as usize] = first << 16 | year << 8 | month;
        first += days_in_month(2000 + year.cast_signed(), month as u8) as u32;
        index += 1;
    }
    assert!(starts[MONTHS] >> 16 == DAYS);
    starts
};

/// The mean number of months in a day, in 2^16ths.
const MONTHS_PER_DAY: u32 = (12 << 16) * 4 / 1461;

/// The first day of each month.
pub(super) static FIRST_DAYS: DaySet = {
    let mut days = DaySet::EMPTY;
    let mut month = 0;
    while month < MONTHS {
        days.insert(STARTS[month] >> 16);
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
    let years = year.wrapping_sub(FIRST_YEAR).cast_unsigned();
    if years > YEARS {
        return if year < FIRST_YEAR { -1 } else { DAYS.cast_signed() };
    }
    let month = years * 12 + month as u32 - 1;
    (bits::element(&STARTS, month, 0) >> 16).cast_signed() + day as i32 - 1
}

/// Returns the year, the month and the day of an index below the number of days in the range.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a month and a day")]
pub const fn date_at(index: u32) -> (i32, u8, u8) {
    // If all months had the same length, the day before the date would be in its month or in the one
    // before that.
    let guess = (index.saturating_sub(1) * MONTHS_PER_DAY) >> 16;
    let first = bits::element(&STARTS, guess, 0);
    let second = bits::element(&STARTS, guess + 1, u32::MAX);
    // Not lower than the start of a month on the same day, whatever its year and month are.
    let date = index << 16 | 0xffff;
    let start = if second <= date { second } else { first };
    let day = ((date - start) >> 16) + 1;
    (FIRST_YEAR + ((start >> 8) as u8) as i32, start as u8, day as u8)
}

/// The first year of the range.
const FIRST_YEAR: i32 = 2000;
/// The years of the range after the first one.
const YEARS: u32 = 100;

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
