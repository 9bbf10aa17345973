//! The date of Easter, from the tables of the Book of Common Prayer.

use super::calendar::{Date, days};

/// The month and day of the Paschal full moon for each golden number, from 1. The table is that for
/// 1900 to 2199.
const FULL_MOONS: [(usize, usize); 19] = [
    (4, 14),
    (4, 3),
    (3, 23),
    (4, 11),
    (3, 31),
    (4, 18),
    (4, 8),
    (3, 28),
    (4, 16),
    (4, 5),
    (3, 25),
    (4, 13),
    (4, 2),
    (3, 22),
    (4, 10),
    (3, 30),
    (4, 17),
    (4, 7),
    (3, 27),
];

/// Returns Easter of a year from 2000 to 2100: the first Sunday after the Paschal full moon.
pub fn easter(year: usize) -> &'static Date {
    let golden_number = year % 19 + 1;
    let (month, day) = FULL_MOONS[golden_number - 1];
    let is_full_moon = |date: &&Date| [date.year, date.month, date.day] == [year, month, day];
    let mut after = days().iter().skip_while(|date| !is_full_moon(date)).skip(1);
    after.find(|date| date.weekday == 0).expect("each of the years has an Easter")
}
