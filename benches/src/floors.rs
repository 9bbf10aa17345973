//! The floors: the least work that an answer of each kind takes.

use std::hint::black_box;

use crate::instants::START;
use crate::loops::sum;

const DAY: u32 = 86_400_000;

/// Returns the next full hour with one division: the minimum for a schedule with equal steps.
#[inline]
#[must_use]
pub fn stride(t: i64) -> i64 {
    const P: i64 = 3_600_000;
    t - t % P + P
}

/// The calendar digits of an instant, one register each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Civil {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    milli: u32,
}

/// Days from 1996-03-01, the start of a cycle of four years, to 2000-01-01.
const SHIFT: u32 = 1_401;
/// Days from 2000-01-01 to 2100-03-01. In every other fourth year, the day before 1 March is a
/// leap day.
const AFTER_2100_02: u32 = 36_584;

/// Converts an instant from 2000-01-01 to 2100-12-31 to civil date and time.
///
/// After Neri and Schneider, "Euclidean affine functions and their application
/// to calendar algorithms" (2023), simplified for the short range: 2100 is its only year that is
/// divisible by four and not a leap year, so the correction for centuries is one addition.
#[inline]
fn to_civil(t: i64) -> Civil {
    #![allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "every value fits in the range; the wrapping subtraction is exact modulo 2^32"
    )]
    let t = (t - START) as u64;
    // 86,400,000 is 84,375 times 1,024, and the range divided by 1,024 fits in 32
    // bits.
    let day = (t >> 10) as u32 / 84_375;
    let time = (t as u32).wrapping_sub(day.wrapping_mul(DAY));

    let n = day + SHIFT + u32::from(day >= AFTER_2100_02);
    let p = 2_939_745 * u64::from(4 * n + 3);
    let year_of_march = (p >> 32) as u32;
    let day_of_year = p as u32 / 2_939_745 / 4;
    let q = 2_141 * day_of_year + 197_913;
    let (month, day) = (q >> 16, (q & 0xffff) / 2_141);
    let next_year = u32::from(day_of_year >= 306);

    // Three independent divisions. Extracting digit by digit with multiplications alone took
    // between 8 % less and 17 % more, depending on the build.
    let (hours, minutes, seconds) = (time / 3_600_000, time / 60_000, time / 1_000);
    Civil {
        year: 1996 + year_of_march + next_year,
        month: month - 12 * next_year,
        day: day + 1,
        hour: hours,
        minute: minutes - 60 * hours,
        second: seconds - 60 * minutes,
        milli: time - 1_000 * seconds,
    }
}

/// Converts civil date and time to an instant. The inverse of [`to_civil`], from the same paper.
#[inline]
fn from_civil(c: &Civil) -> i64 {
    let last_year = u32::from(c.month <= 2);
    let year = c.year - 1996 - last_year;
    let month = c.month + 12 * last_year;
    let n = 1_461 * year / 4 + (979 * month - 2_919) / 32 + c.day - 1;
    let day = n - SHIFT - u32::from(n > AFTER_2100_02 + SHIFT);
    let time = ((c.hour * 60 + c.minute) * 60 + c.second) * 1_000 + c.milli;
    START + i64::from(day) * i64::from(DAY) + i64::from(time)
}

/// Converts an instant to civil date and time and back, as a schedule with dates would if it split
/// the instant into digits and composed the answer from digits.
///
/// The digits pass through `black_box`. Otherwise the compiler would remove the time of day, since
/// `60 * h + (m - 60 * h)` is `m`, and the round trip would take 40 % less.
#[inline]
#[must_use]
pub fn date(t: i64) -> i64 {
    let civil = to_civil(t);
    from_civil(black_box(&civil))
}

/// Returns the sum of [`stride`] over all instants.
#[inline(never)]
#[must_use]
pub fn strides(instants: &[i64]) -> i64 {
    sum(instants, |&t| stride(t))
}

/// Returns the sum of [`date`] over all instants.
#[inline(never)]
#[must_use]
pub fn dates(instants: &[i64]) -> i64 {
    sum(instants, |&t| date(t))
}

/// Writes `start + i * step` to each element: the minimum for filling a slice with events.
#[inline(never)]
pub fn fill(out: &mut [i64], start: i64, step: i64) {
    for (i, place) in (0_i64..).zip(out) {
        *place = start + i * step;
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Datelike, Timelike};

    use super::{Civil, DAY, date, from_civil, stride, to_civil};
    use crate::instants::{END, RANGE, START, random};

    #[test]
    fn digits_are_those_of_chrono() {
        // A step of just under a day visits every day and many times of day.
        for t in RANGE.step_by(DAY as usize - 12_345_678) {
            let known = DateTime::from_timestamp_millis(t).expect("in range");
            let civil = Civil {
                year: known.year_ce().1,
                month: known.month(),
                day: known.day(),
                hour: known.hour(),
                minute: known.minute(),
                second: known.second(),
                milli: known.timestamp_subsec_millis(),
            };
            assert_eq!(to_civil(t), civil);
        }
    }

    #[test]
    fn digits_lead_back_to_the_instant() {
        let ends_of_days = (START..END)
            .step_by(DAY as usize)
            .flat_map(|midnight| [midnight, midnight + i64::from(DAY) - 1]);
        let hour = START..START + 3_600_000;
        for t in ends_of_days.chain(hour) {
            assert_eq!(from_civil(&to_civil(t)), t);
        }
    }

    #[test]
    fn yardsticks_answer() {
        for t in random() {
            assert_eq!(date(t), t);
            assert!(stride(t) > t && stride(t) - t <= 3_600_000);
        }
    }
}
