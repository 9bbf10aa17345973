//! The days that an expression has in each shape of year.

use crate::calendar::days_in_month;
use crate::expression::{Fields, LAST_DAY};
use crate::search::{Dates, YearDays, days_before_march, march_weekday, weekday_pattern};
use crate::{Expression, Field, Join, RelativeDays};

/// The months from March on: the days before them, counted from 1 March, and their lengths.
const FROM_MARCH: [(u32, u32); 10] = {
    let mut months = [(0, 0); 10];
    let (mut start, mut month) = (0, 3);
    while month <= 12 {
        let len = days_in_month(2001, month) as u32;
        months[month as usize - 3] = (start, len);
        start += len;
        month += 1;
    }
    months
};

/// Returns the days of an expression without steps from a date.
pub(super) fn days_of(expression: &Expression) -> Dates {
    let RelativeDays { numbered, nearest, nearest_before_last, .. } = expression.relative;
    let is_product =
        expression.join == Join::Both && numbered | u64::from(nearest | nearest_before_last) == 0;
    let has_weekdays = !is_product || !expression.is_full(Field::Weekday);
    let [low, high] = expression.fields.year;
    let years = u128::from(low) | u128::from(high) << 64;
    let mut days = YearDays::EMPTY;
    let of_seven_years = if is_product {
        fill_product(&mut days, expression)
    } else {
        fill_months(&mut days, expression)
    };
    Dates { days, years, has_weekdays, about: of_seven_years * years.count_ones() / 7 }
}

/// Fills in the days of dates that are on some weekdays. Returns about how many days there are in
/// seven leap years.
fn fill_product(out: &mut YearDays, expression: &Expression) -> u32 {
    let days = |month: u32, len: u32| {
        if has_month(expression, month) { days_of_month(expression, len) } else { 0 }
    };
    let mut rest = [0; 6];
    for (month, (start, len)) in (2..).zip(FROM_MARCH) {
        put(&mut rest, start, days(month, len));
    }
    let before_march = [28, 29].map(|len| days(0, 31) << (33 - len) | days(1, len) << (64 - len));
    let weekdays = expression.fields.weekdays();
    let patterns = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|first| weekday_pattern(weekdays, first));
    for (shape, word) in (0..).zip(out.before_march_mut()) {
        // 1 March is the 64th day of this word, one day after nine weeks.
        let first = (march_weekday(shape) as usize + 6) % 7;
        *word = before_march[usize::from(shape >= 7)] & patterns[first];
    }
    for (weekday, words) in out.since_march_mut().iter_mut().enumerate() {
        for (index, word) in words.iter_mut().enumerate() {
            // 64 days later, the weekday has advanced by one.
            *word = rest[index] & patterns[weekday + index];
        }
    }
    let per_year: u32 = rest.iter().chain(&before_march[1..]).map(|word| word.count_ones()).sum();
    per_year * weekdays.count_ones()
}

/// Fills in the days of any dates, month by month. Returns how many days there are in seven leap
/// years.
fn fill_months(out: &mut YearDays, expression: &Expression) -> u32 {
    // A month has one of 28 shapes: its length and the weekday of its first day.
    let shapes = [28, 29, 30, 31]
        .map(|len| [0, 1, 2, 3, 4, 5, 6].map(|weekday| joined_days(expression, len, weekday)));
    let days = |month: u32, len: u32, weekday: u32| {
        let days = shapes[(len & 3) as usize][weekday as usize % 7];
        if has_month(expression, month) { days } else { 0 }
    };
    let mut count = 0;
    for (shape, word) in (0..).zip(out.before_march_mut()) {
        let (first, len) = (shape % 7, days_before_march(shape) - 31);
        *word = days(0, 31, first) << (33 - len) | days(1, len, first + 31) << (64 - len);
        count += if shape < 7 { 0 } else { word.count_ones() };
    }
    for (weekday, words) in (0..).zip(out.since_march_mut()) {
        let mut rest = [0; 6];
        for (month, (start, len)) in (2..).zip(FROM_MARCH) {
            put(&mut rest, start, days(month, len, weekday + start));
        }
        words.copy_from_slice(&rest[..5]);
        count += words.iter().map(|word| word.count_ones()).sum::<u32>();
    }
    count
}

/// Adds the days of a month to the words of a year.
fn put(words: &mut [u64; 6], start: u32, days: u64) {
    let (word, place) = (start as usize / 64, start % 64);
    words[word] |= days << place;
    words[word + 1] |= days >> 1 >> (63 - place);
}

/// Whether a month, counted from 0, is in the set of months.
const fn has_month(expression: &Expression, month: u32) -> bool {
    expression.fields.month >> month & 1 == 1
}

/// Returns the days of a month of `len` days that the day of month alone selects, as bits, except
/// days that depend on the weekday.
const fn days_of_month(expression: &Expression, len: u32) -> u64 {
    let Fields { day, .. } = expression.fields;
    let last_day = if day & LAST_DAY == 0 { 0 } else { 1 << (len - 1) };
    let all = u64::MAX >> (64 - len);
    (day & !LAST_DAY | last_day | from_end(expression.relative.before_last, len)) & all
}

/// Returns the days of a month of `len` days that are some days before the last one.
const fn from_end(before_last: u32, len: u32) -> u64 {
    (before_last.reverse_bits() as u64) << len >> 32
}

/// Returns the days of a month of `len` days that starts on `weekday`, as bits.
fn joined_days(expression: &Expression, len: u32, weekday: u32) -> u64 {
    let RelativeDays { nearest, nearest_before_last, .. } = expression.relative;
    let all = u64::MAX >> (64 - len);
    let targets = u64::from(nearest) & all | from_end(nearest_before_last, len);
    let days = days_of_month(expression, len) | nearest_working_days(targets, len, weekday);
    let weekdays = weekdays_of_month(expression, len, weekday);
    match expression.join {
        Join::Both => days & weekdays,
        Join::Either => days | weekdays,
    }
}

/// Returns the days from Monday to Friday that are nearest to some days, in the same month.
fn nearest_working_days(targets: u64, len: u32, weekday: u32) -> u64 {
    let [sundays, saturdays] =
        [1, 1 << 6].map(|weekdays| targets & weekday_pattern(weekdays, weekday));
    // The 1st moves forward over the weekend, and the last day back.
    let first = saturdays & 1;
    let last = sundays & 1 << (len - 1);
    targets & !(sundays | saturdays)
        | saturdays >> 1
        | first << 2
        | (sundays & !last) << 1
        | last >> 2
}

/// Returns the days of a month that the weekday alone selects.
fn weekdays_of_month(expression: &Expression, len: u32, weekday: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    let on = |weekdays: u64| weekday_pattern(weekdays as u8, weekday);
    let all = u64::MAX >> (64 - len);
    let relative = &expression.relative;
    if relative.numbered == 0 {
        return on(expression.fields.weekday) & all;
    }
    let last_week = on(relative.weekdays(6)) & 0x7f << (len - 7);
    let numbered = (1..=5).fold(last_week, |days, number| {
        days | on(relative.weekdays(number)) & 0x7f << (7 * (number - 1))
    });
    (on(expression.fields.weekday) | numbered) & all
}
