//! Random dates that are more than sets of values: days before the last one, nearest workdays,
//! numbered weekdays, `|`, and steps from a date.

use proptest::prelude::*;

use super::field::{
    DAY, MONTH, Text, WEEKDAY, YEAR, free, items, list, month_day, number, numbered_weekday, one,
    strided,
};
use super::{blank, date_of, few_days, few_weekdays, few_years, late_day};
use crate::oracle::calendar::days;

/// A date and perhaps a weekday.
pub fn date() -> impl Strategy<Value = String> {
    let days = || items(month_day());
    let weekdays = || items(numbered_weekday());
    let all_days = || free(&DAY);
    prop_oneof![
        // Days of the month.
        5 => (years_months_and(days()), weekday_or_none(few_weekdays())).prop_map(join),
        // Numbered weekdays.
        4 => (years_months_and(all_days()), some(weekdays())).prop_map(join),
        1 => (years_months_and(few_days()), some(weekdays())).prop_map(join),
        1 => (years_months_and(list(&DAY)), some(weekdays())).prop_map(join),
        // Both.
        2 => (years_months_and(days()), some(weekdays())).prop_map(join),
        // Either the day of month or the weekday.
        5 => (years_months_and(any_days()), bar(), any_weekdays())
            .prop_map(|(date, bar, weekday)| format!("{date}{bar}{weekday}")),
        // Steps from a date.
        6 => (anchor(), step(), weekday_or_none(any_weekdays()))
            .prop_map(|(date, step, weekday)| join((format!("{date}/{step}"), weekday))),
    ]
}

/// A date of any kind of years and months, with some days.
pub(super) fn years_months_and(days: Text) -> Text {
    let years = prop_oneof![6 => free(&YEAR), 1 => few_years(), 1 => list(&YEAR)];
    let months =
        prop_oneof![4 => free(&MONTH), 1 => one(&MONTH), 1 => list(&MONTH), 1 => strided(&MONTH)];
    date_of(years.boxed(), months.boxed(), days)
}

pub(super) fn any_days() -> Text {
    prop_oneof![
        4 => items(month_day()),
        2 => one(&DAY),
        2 => few_days(),
        1 => list(&DAY),
        1 => late_day(),
        1 => strided(&DAY),
        1 => free(&DAY),
    ]
    .boxed()
}

pub(super) fn any_weekdays() -> Text {
    prop_oneof![
        4 => items(numbered_weekday()),
        2 => one(&WEEKDAY),
        2 => few_weekdays(),
        1 => list(&WEEKDAY),
        1 => free(&WEEKDAY),
    ]
    .boxed()
}

type Weekday = Option<(&'static str, String)>;

fn some(weekday: Text) -> BoxedStrategy<Weekday> {
    (blank(), weekday).prop_map(Some).boxed()
}

fn weekday_or_none(weekday: Text) -> BoxedStrategy<Weekday> {
    prop_oneof![2 => Just(None), 1 => some(free(&WEEKDAY)), 2 => some(weekday)].boxed()
}

fn join((date, weekday): (String, Weekday)) -> String {
    match weekday {
        Some((blank, weekday)) => format!("{date}{blank}{weekday}"),
        None => date,
    }
}

pub(super) fn bar() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just(" | "), 1 => Just("|"), 1 => Just("| "), 1 => Just(" \t|")]
}

/// A date of plain numbers, at any place of the range or near one of its ends.
pub(super) fn anchor() -> impl Strategy<Value = String> {
    let last = days().len() - 1;
    let place = prop_oneof![
        4 => 0..=last,
        2 => (0..60_usize).prop_map(move |weeks| 9500 + weeks * 7),
        1 => 0..40_usize,
        1 => last - 40..=last,
    ];
    (place, any::<bool>()).prop_map(|(place, is_short)| {
        let date = &days()[place];
        if is_short {
            format!("{}.{}.{}", date.year, date.month, date.day)
        } else {
            format!("{}.{:02}.{:02}", date.year, date.month, date.day)
        }
    })
}

fn step() -> impl Strategy<Value = String> {
    let days = prop_oneof![
        6 => number(1..=30),
        2 => number(31..=1000),
        1 => number(1000..=40_000),
        1 => number(1..=u32::MAX),
        2 => proptest::sample::select(vec!["7", "14", "28", "365", "366", "1461", "36889", "36890"])
            .prop_map(str::to_owned),
    ];
    let weeks = prop_oneof![
        8 => number(1..=6),
        2 => number(7..=60),
        1 => number(60..=6000),
        1 => number(1..=u32::MAX),
    ];
    prop_oneof![
        days.prop_map(|days| format!("{days}d")),
        weeks.prop_map(|weeks| format!("{weeks}w")),
    ]
}
