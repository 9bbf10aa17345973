//! Western Easter.

use crate::calendar::day_number;
use crate::days::DaySet;
use crate::expression::bits_of;
use crate::handle::FIRST_DAY;
use crate::search::DAYS;

/// Returns the month and the day of Easter Sunday in the Gregorian calendar.
///
/// The algorithm is the anonymous one of 1876 in the form of J. Meeus, "Astronomical Algorithms"
/// (1991), chapter 8.
#[expect(clippy::many_single_char_names, reason = "the names of the book")]
const fn easter_sunday(year: i32) -> (u8, u8) {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (b - (b + 8) / 25 + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let days = h + l - 7 * m + 114;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a date")]
    ((days / 31) as u8, (days % 31 + 1) as u8)
}

/// Returns the days at a distance from Easter in some years, as in an
/// [`Expression`](crate::Expression).
pub(super) fn days_from_easter(years: [u64; 2], offset: i32) -> DaySet {
    let mut days = DaySet::EMPTY;
    let [first, rest] = years.map(bits_of);
    for year in first.chain(rest.map(|year| year + 64)) {
        let year = 2000 + year.cast_signed();
        let (month, day) = easter_sunday(year);
        let day = day_number(year, month, day) + i64::from(offset) - FIRST_DAY;
        if let Some(day) = u32::try_from(day).ok().filter(|day| *day < DAYS) {
            days.insert(day);
        }
    }
    days
}
