//! A calendar that only counts days, one after the other.

use std::sync::OnceLock;

/// Days from 1970-01-01 to 2000-01-01: thirty years and the leap days of 1972, 76, 80, 84, 88, 92
/// and 96.
pub const FIRST_DAY: i64 = 30 * 365 + 7;

#[derive(Clone, Copy, Debug)]
pub struct Date {
    /// Days since 1970-01-01.
    pub number: i64,
    pub year: usize,
    pub month: usize,
    pub day: usize,
    /// 0 is Sunday.
    pub weekday: usize,
    pub month_length: usize,
    pub last_of_month: bool,
}

impl Date {
    /// Returns the first and the last day of the month, in days since 1970-01-01.
    pub fn month_days(&self) -> (i64, i64) {
        let place = place_of(self.number);
        let (first, last) = (place + 1 - self.day, place + self.month_length - self.day);
        (days()[first].number, days()[last].number)
    }

    /// Returns the weekday of another day of the same month.
    pub fn weekday_of(&self, day: usize) -> usize {
        // Five weeks, so that the sum is not negative.
        (self.weekday + 35 + day - self.day) % 7
    }

    /// Returns the day from Monday to Friday that is nearest to another day of the same month.
    pub fn nearest_workday(&self, day: usize) -> usize {
        let is_workday = |other: &usize| (1..=5).contains(&self.weekday_of(*other));
        let workdays = (1..=self.month_length).filter(is_workday);
        workdays.min_by_key(|other| other.abs_diff(day)).expect("a month has workdays")
    }
}

/// Every day from 2000-01-01 to 2100-12-31, in order.
pub fn days() -> &'static [Date] {
    static DAYS: OnceLock<Vec<Date>> = OnceLock::new();
    DAYS.get_or_init(|| {
        let mut days = Vec::new();
        let (mut number, mut weekday) = (FIRST_DAY, 6); // a Saturday
        for year in 2000..=2100 {
            for month in 1..=12 {
                let length = month_length(year, month);
                for day in 1..=length {
                    let last_of_month = day == length;
                    days.push(Date {
                        number,
                        year,
                        month,
                        day,
                        weekday,
                        month_length: length,
                        last_of_month,
                    });
                    number += 1;
                    weekday = if weekday == 6 { 0 } else { weekday + 1 };
                }
            }
        }
        days
    })
}

/// Returns a date of the range by its year, month and day.
pub fn find_date(date: [usize; 3]) -> Option<&'static Date> {
    let place = days().binary_search_by_key(&date, |date| [date.year, date.month, date.day]);
    place.ok().map(|place| &days()[place])
}

/// Returns the date of a day of the range.
pub fn date_of(day: i64) -> &'static Date {
    &days()[place_of(day)]
}

/// Returns the place of a day among the days of the range.
pub fn place_of(day: i64) -> usize {
    usize::try_from(day - FIRST_DAY).expect("a day of the range")
}

fn month_length(year: usize, month: usize) -> usize {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(400) => 29,
        2 if year.is_multiple_of(100) => 28,
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        _ => 31,
    }
}
