//! The proleptic Gregorian calendar: day numbers, civil dates and weekdays.
//!
//! A *day number* counts days from 1970-01-01, which is day 0. The conversions
//! follow C. Neri and L. Schneider, "Euclidean affine functions and their
//! application to calendar algorithms", Software: Practice and Experience 53
//! (2023), 937-970, with multiplications and shifts in place of divisions and
//! tables. Whole cycles of 400 years are subtracted first, so the algorithm
//! is correct for every day that an `i64` of milliseconds can represent.

/// Milliseconds in a day: 86,400,000, without leap seconds.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::{MILLIS_PER_DAY, day_number};
///
/// // 2021-02-28 00:00:00.000, in milliseconds since 1970.
/// assert_eq!(day_number(2021, 2, 28) * MILLIS_PER_DAY, 1_614_470_400_000);
/// ```
pub const MILLIS_PER_DAY: i64 = DAY_MILLIS as i64;

/// Milliseconds in a day, as the type of times of day.
pub(crate) const DAY_MILLIS: u32 = 86_400_000;

/// Days in the 400 years after which the Gregorian calendar repeats.
const DAYS_PER_CYCLE: i64 = 146_097;

/// Days from 0000-03-01, the origin of the algorithm, to 1970-01-01.
const EPOCH_SHIFT: i64 = 719_468;

/// Whether `year` has a 29 February. Accepts any year; year 0 is 1 BC.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::is_leap_year;
///
/// assert!(is_leap_year(2000) && is_leap_year(2024));
/// assert!(!is_leap_year(2100) && !is_leap_year(2023));
/// ```
#[must_use]
#[inline]
pub const fn is_leap_year(year: i32) -> bool {
    // A multiple of 100 is a multiple of 400 if and only if it is a multiple of 16.
    if year % 100 == 0 { year % 16 == 0 } else { year % 4 == 0 }
}

/// Returns the number of days in a month (1-12), 28-31; 0 for any other month.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::days_in_month;
///
/// assert_eq!(days_in_month(2024, 2), 29);
/// assert_eq!(days_in_month(2100, 2), 28);
/// assert_eq!(days_in_month(2024, 13), 0);
/// ```
#[must_use]
#[inline]
pub const fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        // Long and short months alternate, except that July and August are both long.
        1..=12 => 30 + ((month + (month >> 3)) & 1),
        _ => 0,
    }
}

/// Returns the day number of a civil date: days since 1970-01-01, negative before it.
///
/// The date is not validated: a day beyond the end of the month counts from the first of the
/// month, and the result for a month outside 1-12 is unspecified. Use [`days_in_month`] to
/// validate dates. No year overflows.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::day_number;
///
/// assert_eq!(day_number(1970, 1, 1), 0);
/// assert_eq!(day_number(2000, 3, 1), 11_017);
/// assert_eq!(day_number(1969, 12, 31), -1);
/// ```
#[must_use]
#[inline]
pub const fn day_number(year: i32, month: u8, day: u8) -> i64 {
    // January and February are months 13 and 14 of the previous year, so that the leap day
    // comes last.
    let is_early = month <= 2;
    let year = year as i64 - is_early as i64;
    let month = month as i64 + if is_early { 12 } else { 0 };
    let cycle = year.div_euclid(400);
    let year = year.rem_euclid(400);
    let century = year / 100;
    let days_before_year = 1461 * year / 4 - century + century / 4;
    let days_before_month = (979 * month - 2919) / 32;
    cycle * DAYS_PER_CYCLE + days_before_year + days_before_month + day as i64 - 1 - EPOCH_SHIFT
}

/// Returns the civil date of a day number, as year, month (1-12) and day (1-31).
///
/// Correct for every day that an `i64` of milliseconds can represent, which is within
/// ±106,751,991,168. Beyond that the date is unspecified.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::civil_date;
///
/// assert_eq!(civil_date(0), (1970, 1, 1));
/// assert_eq!(civil_date(11_016), (2000, 2, 29));
/// ```
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "each quotient and remainder is bounded by the algorithm; the proof is in the paper"
)]
pub const fn civil_date(day_number: i64) -> (i32, u8, u8) {
    let shifted = day_number.wrapping_add(EPOCH_SHIFT);
    let cycle = shifted.div_euclid(DAYS_PER_CYCLE);
    let day_of_cycle = shifted.rem_euclid(DAYS_PER_CYCLE) as u32;

    let n1 = 4 * day_of_cycle + 3;
    let century = n1 / 146_097;
    let n2 = 4 * (n1 % 146_097 / 4) + 3;
    // Multiplying by 2^32 / 1461, rounded up, leaves the year of the century
    // in the upper half and the day of the year, scaled, in the lower half.
    let product = 2_939_745 * n2 as u64;
    let year_of_century = (product >> 32) as u32;
    let day_of_year = product as u32 / 2_939_745 / 4;
    let n3 = 2141 * day_of_year + 197_913;
    let month = n3 >> 16;
    let day = (n3 & 0xffff) / 2141 + 1;

    let is_early = day_of_year >= 306;
    let year = cycle * 400 + (100 * century + year_of_century + is_early as u32) as i64;
    let month = if is_early { month - 12 } else { month };
    (year as i32, month as u8, day as u8)
}

/// Returns the weekday of a day number, 0-6: 0 is Sunday, 6 is Saturday.
///
/// ```
/// # use millicron_runtime as millicron;
/// use millicron::calendar::weekday;
///
/// assert_eq!(weekday(0), 4); // 1970-01-01 was a Thursday
/// ```
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a remainder of 7 is from 0 to 6")]
pub const fn weekday(day_number: i64) -> u8 {
    (day_number.rem_euclid(7) + 4) as u8 % 7
}

/// Returns the shape of a year, 0-13: whether it is a leap year, and the weekday of its 1 January.
/// Years of the same shape have the same calendar. Common years from a Sunday are 0, leap years from
/// a Saturday 13.
#[must_use]
pub(crate) const fn year_shape(year: i32) -> usize {
    is_leap_year(year) as usize * 7 + weekday(day_number(year, 1, 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_have_fourteen_shapes() {
        // Every shape occurs within 400 years.
        let mut seen = [None; 14];
        for year in 1600..2000 {
            let kind = (days_in_month(year, 2), weekday(day_number(year, 1, 1)));
            assert_eq!(*seen[year_shape(year)].get_or_insert(kind), kind, "{year}");
            assert_eq!(year_shape(year), year_shape(year + 400));
        }
        let mut seen = seen.map(|kind| kind.expect("fourteen shapes"));
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
