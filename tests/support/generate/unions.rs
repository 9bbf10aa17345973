//! Random unions, most of whose members share days or times, so that they have events in common.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::business_days::{self, expression_with_calendar};
use super::calendars::NAMES;
use super::field::{HOUR, MILLI, MINUTE, SECOND, Text, free, list, one, start, strided};
use super::{blank, dates, expression, none, some, time, time_of, windows};
use crate::oracle::MAX_MEMBERS;

/// A well-formed union, mostly of two to five members, and sometimes of up to 16 or of only one. It
/// may name any of the calendars, and each of its members may never fire.
pub fn union() -> impl Strategy<Value = String> {
    let anything = prop_oneof![expression().boxed(), expression_with_calendar().boxed()].boxed();
    let members = prop_oneof![
        3 => members_of(anything.clone()),
        // The same days with different times, or the same times on different days.
        4 => date_or_none().prop_flat_map(|date| members_of(with_date(date, any_time()))),
        3 => any_time().prop_flat_map(|time| members_of(with_time(date_or_none(), time))),
        // Different days and times, but few of each.
        4 => members_of(schedule(common_date(), common_time())),
        // Times with one restricted field each, or windows from about the same time on.
        2 => any::<Option<u8>>().prop_flat_map(|date| members_of(schedule(fixed_date(date), stride()))),
        2 => (date_or_none(), 0..24_u8)
            .prop_flat_map(|(date, hour)| members_of(with_date(date, window_from(hour)))),
        // Many members with few events a day.
        1 => vec(schedule(common_date(), once()), 6..=MAX_MEMBERS),
        1 => vec(schedule(common_date(), once()), MAX_MEMBERS),
        1 => vec(anything, 1),
    ];
    let repeats = proptest::bool::weighted(0.1);
    (members, vec(separator(), MAX_MEMBERS), end(), repeats).prop_map(
        |(mut members, separators, end, repeats)| {
            if repeats && (2..MAX_MEMBERS).contains(&members.len()) {
                members.push(members[0].clone());
            }
            // `;` is needed after a single member to make it a union.
            let end = if members.len() == 1 && end.is_empty() { ";" } else { end };
            let mut text = String::new();
            for (place, (member, separator)) in members.iter().zip(separators).enumerate() {
                text += if place == 0 { "" } else { separator };
                text += member;
            }
            text + end
        },
    )
}

fn members_of(member: Text) -> impl Strategy<Value = Vec<String>> {
    vec(member, 2..=5)
}

fn separator() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just("; "), 2 => Just(";"), 1 => Just(" ;\n"), 1 => Just("\t;\r\n ")]
}

fn end() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just(""), 1 => Just(";"), 1 => Just(" ;\n")]
}

/// A schedule on any of some dates at any of some times. A few have a calendar.
fn schedule(date: Text, time: Text) -> Text {
    let calendar = prop_oneof![
        4 => Just(String::new()),
        1 => select(&NAMES[..]).prop_map(|name| format!(" @{name}")),
    ];
    (date, blank(), time, calendar)
        .prop_map(|(date, blank, time, calendar)| {
            let blank = if date.is_empty() { "" } else { blank };
            format!("{date}{blank}{time}{calendar}")
        })
        .boxed()
}

fn with_date(date: String, time: Text) -> Text {
    schedule(Just(date).boxed(), time)
}

fn with_time(date: Text, time: String) -> Text {
    schedule(date, Just(time).boxed())
}

fn date_or_none() -> Text {
    prop_oneof![
        2 => Just(String::new()),
        3 => dates::date(),
        3 => business_days::date(),
        3 => common_date(),
    ]
    .boxed()
}

/// A few dates that have many days in common.
const COMMON_DATES: [&str; 22] = [
    "",
    "*.*.* *",
    "*.*.* Mon-Fri",
    "*.*.* Sat,Sun",
    "*.*.* Mon#1",
    "*.*.1,15",
    "*.*.L",
    "*.*.LW",
    "*.*.1-7",
    "*.1,7.*",
    "*.*.1 | Mon",
    "2000.01.01/2d",
    "2000.01.03/2w Mon,Fri",
    "*.*.* B",
    "*.*.* B#1",
    "*.*.* B#L",
    "*.*.1>B",
    "*.*.L>B!",
    "*.*.15<B-1",
    "2000.01.01/2b",
    "2096-2100.*.*",
    "2100.12.31",
];

fn common_date() -> Text {
    select(&COMMON_DATES[..]).prop_map(str::to_owned).boxed()
}

fn fixed_date(choice: Option<u8>) -> Text {
    let dates = ["*.*.* Mon-Fri", "*.*.1", "*.*.L", "2000.01.01/3d"];
    let date = choice.map_or("", |choice| dates[usize::from(choice) % dates.len()]);
    Just(date.to_owned()).boxed()
}

fn any_time() -> Text {
    prop_oneof![3 => time().boxed(), 2 => windows::window().boxed(), 2 => common_time()].boxed()
}

/// A few times that have many instants in common.
const COMMON_TIMES: [&str; 18] = [
    "00:00:00",
    "12:00:00",
    "23:59:59.999",
    "0,12:00:00",
    "9-17:00:00",
    "*:00:00",
    "*:*/15:00",
    "*:*/20:00",
    "*:*/7:00",
    "*:*:00",
    "*:*:*/10",
    "00:00:00../20m",
    "09:00:00..17:00:00/30m",
    "09:00:00..=17:00:00/40m",
    "12:00:00..=12:00:00/6h",
    "12:00:00..=12:00:00/4h",
    "22:00:00..=02:00:00/30m",
    "20:00:00..06:00:00/45m",
];

fn common_time() -> Text {
    select(&COMMON_TIMES[..]).prop_map(str::to_owned).boxed()
}

/// A time with `*` above one strided field or list.
fn stride() -> Text {
    prop_oneof![
        1 => time_of(strided(&HOUR), start(), start(), none()),
        3 => time_of(free(&HOUR), strided(&MINUTE), start(), none()),
        2 => time_of(free(&HOUR), free(&MINUTE), strided(&SECOND), none()),
        2 => time_of(free(&HOUR), free(&MINUTE), free(&SECOND), some(strided(&MILLI))),
        1 => time_of(free(&HOUR), list(&MINUTE), start(), none()),
        1 => time_of(free(&HOUR), free(&MINUTE), free(&SECOND), some(list(&MILLI))),
    ]
    .boxed()
}

/// A window that begins at an hour, or a little later.
fn window_from(hour: u8) -> Text {
    let start = select(vec!["00:00", "00:00", "00:00", "15:00", "00:30", "00:00.250"]);
    let length = 1..=24_u8;
    let step = select(vec![
        "1m", "5m", "7m", "10m", "15m", "20m", "40m", "1h", "90m", "6h", "24h", "1s", "2s", "7s",
        "90s", "250ms", "500ms", "10ms", "1s500ms",
    ]);
    (start, length, any::<bool>(), step)
        .prop_map(move |(start, length, is_inclusive, step)| {
            let end = (hour + length) % 24;
            let range = if is_inclusive { "..=" } else { ".." };
            format!("{hour:02}:{start}{range}{end:02}:00:00/{step}")
        })
        .boxed()
}

/// A time with one event or a few events a day, often the same.
fn once() -> Text {
    let hour = prop_oneof![
        one(&HOUR),
        select(vec!["0", "9", "12", "9-17", "*/6"]).prop_map(str::to_owned)
    ];
    let minute = select(vec!["00", "30"]).prop_map(str::to_owned);
    prop_oneof![
        4 => time_of(hour.boxed(), minute.boxed(), start(), none()),
        1 => time_of(one(&HOUR), one(&MINUTE), one(&SECOND), some(one(&MILLI))),
    ]
    .boxed()
}
