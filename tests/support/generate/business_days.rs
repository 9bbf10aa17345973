//! Random schedules with days of a calendar: `B` and its places in the month, days moved to `B`, every
//! n-th `B`, and `@name`.

use proptest::prelude::*;
use proptest::sample::select;

use super::calendars::NAMES;
use super::dates::{anchor, any_days, any_weekdays, bar, years_months_and};
use super::field::{DAY, Text, free, items, list, month_day, number, numbered_weekday};
use super::{blank, dates, edge, few_days, time, windows};

/// A well-formed expression with days of a calendar, which may be any of the [`NAMES`]. It may never
/// fire.
pub fn expression_with_calendar() -> impl Strategy<Value = String> {
    let dates = prop_oneof![
        6 => date().prop_map(|date| (date, false)),
        // Dates without `B`, which only a calendar restricts.
        2 => dates::date().prop_map(|date| (date, true)),
        1 => Just((String::new(), true)),
    ];
    let times = prop_oneof![2 => time().boxed(), 1 => windows::window().boxed()];
    (edge(), dates, blank(), times, calendar(), edge()).prop_map(
        |(before, (date, needs_calendar), blank, time, (space, name), after)| {
            let blank = if date.is_empty() { "" } else { blank };
            match name {
                None if !needs_calendar => format!("{before}{date}{blank}{time}{after}"),
                name => {
                    let name = name.unwrap_or(NAMES[0]);
                    format!("{before}{date}{blank}{time}{space}@{name}{after}")
                }
            }
        },
    )
}

/// White space and the name of a calendar, or no calendar.
fn calendar() -> impl Strategy<Value = (&'static str, Option<&'static str>)> {
    (blank(), prop_oneof![2 => Just(None), 3 => select(&NAMES[..]).prop_map(Some)])
}

/// A date and perhaps a weekday, with days of a calendar.
pub fn date() -> impl Strategy<Value = String> {
    let weekdays = || items(business_day());
    let of_weekday = |(date, blank, weekday)| format!("{date}{blank}{weekday}");
    prop_oneof![
        // `B` and its places in the month.
        5 => (years_months_and(free(&DAY)), blank(), weekdays()).prop_map(of_weekday),
        1 => (years_months_and(few_days()), blank(), weekdays()).prop_map(of_weekday),
        1 => (years_months_and(items(month_day())), blank(), weekdays()).prop_map(of_weekday),
        // Moved days, alone and in lists with others.
        8 => years_months_and(items(moved_day())),
        2 => years_months_and(items(prop_oneof![moved_day(), month_day(), list(&DAY)].boxed())),
        // Either the day of month or a day of the calendar.
        3 => (years_months_and(any_days()), bar(), weekdays())
            .prop_map(|(date, bar, weekday)| format!("{date}{bar}{weekday}")),
        // Steps from a date.
        4 => (anchor(), step()).prop_map(|(date, step)| format!("{date}/{step}b")),
        2 => (anchor(), number(1..=30), select(vec!["d", "w"]), blank(), weekdays())
            .prop_map(|(date, n, unit, blank, weekday)| format!("{date}/{n}{unit}{blank}{weekday}")),
    ]
}

/// Any item of a list of weekdays, mostly one with `B`.
fn business_day() -> Text {
    let nth = prop_oneof![3 => number(1..=5), 2 => number(1..=23), 1 => number(1..=31)];
    prop_oneof![
        3 => Just("B".to_owned()),
        4 => nth.prop_map(|nth| format!("B#{nth}")),
        2 => Just("B#L".to_owned()),
        3 => before().prop_map(|days| format!("B#L-{days}")),
        1 => numbered_weekday(),
        1 => any_weekdays().prop_filter("`*` is alone", |weekdays| !weekdays.split(',').any(|item| item == "*")),
    ]
    .boxed()
}

/// A day of the month that is moved to a day of the calendar.
fn moved_day() -> Text {
    let day = prop_oneof![
        3 => number(1..=31),
        2 => select(vec!["1", "15", "25", "28", "29", "30", "31"]).prop_map(str::to_owned),
        3 => Just("L".to_owned()),
        2 => before().prop_map(|days| format!("L-{days}")),
    ];
    let way = select(vec![">B", "<B", ">B!", "<B!"]);
    let days = || prop_oneof![3 => number(1..=3), 1 => number(1..=25), 1 => number(1..=99)];
    let offset = prop_oneof![
        4 => Just(String::new()),
        2 => days().prop_map(|days| format!("+{days}")),
        2 => days().prop_map(|days| format!("-{days}")),
    ];
    (day, way, offset).prop_map(|(day, way, offset)| format!("{day}{way}{offset}")).boxed()
}

fn before() -> Text {
    prop_oneof![3 => number(1..=5), 1 => number(1..=30)].boxed()
}

/// A number of days of the calendar.
fn step() -> Text {
    prop_oneof![
        6 => number(1..=10),
        2 => number(1..=300),
        1 => number(300..=40_000),
        1 => number(1..=u32::MAX),
    ]
    .boxed()
}
