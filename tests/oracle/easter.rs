//! The date of Easter, from the tables of the Book of Common Prayer.

use std::sync::LazyLock;

use super::calendar::{Date, days, find_date, place_of};

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

/// Returns Easter of a year from 2000 to 2100.
pub fn easter(year: usize) -> &'static Date {
    static EASTERS: LazyLock<Vec<&Date>> = LazyLock::new(|| (2000..=2100).map(find).collect());
    EASTERS[year - 2000]
}

/// Finds the first Sunday after the Paschal full moon.
fn find(year: usize) -> &'static Date {
    let golden_number = year % 19 + 1;
    let (month, day) = FULL_MOONS[golden_number - 1];
    let full_moon = find_date([year, month, day]).expect("a date of the range");
    let mut after = days()[place_of(full_moon.number)..].iter().skip(1);
    after.find(|date| date.weekday == 0).expect("each of the years has an Easter")
}
