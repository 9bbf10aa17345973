//! Random schedules, instants and ranges for property tests.
//!
//! If all eight fields were uniformly random, nearly every schedule would have a long list in each
//! field. So the generators first choose one of the shapes that the library handles differently,
//! and then the values within that shape.

pub mod business_days;
pub mod calendars;
pub mod dates;
pub mod field;
pub mod unions;
pub mod windows;

use std::ops::Bound;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::oracle::{END, Oracle, START, midnight};
use field::{
    DAY, HOUR, MILLI, MINUTE, MONTH, SECOND, Text, WEEKDAY, YEAR, free, list, one, start, strided,
};

/// Returns the configuration of a property: a twentieth of `cases`, or all of them if the long tests
/// run in full, with a fixed seed. `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` override both.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: if crate::is_full() { cases } else { cases.div_ceil(crate::SHORT) },
        rng_seed: RngSeed::Fixed(20_000_101),
        // The fixed seed reproduces failures; do not write regression files into the sources.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Returns the configuration of a property whose cases take long, since their calendars are evaluated
/// day by day: an eighth of the cases that others run, but all of them in full.
pub fn slow_cases(full: u32) -> ProptestConfig {
    let config = cases(full);
    let cases = if crate::is_full() { full } else { config.cases.div_ceil(8) };
    ProptestConfig { cases, ..config }
}

/// A well-formed expression in any form. It may never fire.
pub fn expression() -> impl Strategy<Value = String> {
    let date_and_weekday = || {
        (date(), blank()).prop_map(|((date, weekday), blank)| match (date, weekday) {
            (Some(date), Some(weekday)) => format!("{date}{blank}{weekday}"),
            (date, _) => date.unwrap_or_default(),
        })
    };
    // Every day, so that windows follow each other closely, or some days.
    let dates = prop_oneof![1 => Just(String::new()), 2 => date_and_weekday(), 5 => dates::date()];
    let of = |date: Text, time: Text| {
        (edge(), date, blank(), time, edge()).prop_map(|(before, date, blank, time, after)| {
            let blank = if date.is_empty() { "" } else { blank };
            format!("{before}{date}{blank}{time}{after}")
        })
    };
    prop_oneof![
        3 => fields(),
        // At least the date or the time is in one of the newer forms.
        3 => of(dates::date().boxed(), time().boxed()),
        4 => of(dates.boxed(), windows::window().boxed()),
    ]
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        8 => Just(" "),
        1 => Just("\t"),
        1 => Just("  \t "),
    ]
}

fn edge() -> impl Strategy<Value = &'static str> {
    prop_oneof![8 => Just(""), 1 => Just(" "), 1 => Just("\t \t"), 1 => Just("\r\n")]
}

/// A well-formed expression whose date and time are only fields. It may never fire.
pub fn fields() -> impl Strategy<Value = String> {
    (edge(), date(), blank(), blank(), time(), edge()).prop_map(
        |(before, (date, weekday), blank, other, time, after)| match (date, weekday) {
            (None, _) => format!("{before}{time}{after}"),
            (Some(date), None) => format!("{before}{date}{blank}{time}{after}"),
            (Some(date), Some(weekday)) => {
                format!("{before}{date}{blank}{weekday}{other}{time}{after}")
            }
        },
    )
}

/// The optional date and the optional weekday.
fn date() -> impl Strategy<Value = (Option<String>, Option<String>)> {
    let free_date = || date_of(free(&YEAR), free(&MONTH), free(&DAY));
    let months = || prop_oneof![free(&MONTH), list(&MONTH)].boxed();
    let weekday_or_none = || proptest::option::of(free(&WEEKDAY));
    prop_oneof![
        // Every day.
        2 => Just((None, None)),
        1 => (free_date(), weekday_or_none()).prop_map(|(date, weekday)| (Some(date), weekday)),
        // Weekdays only.
        2 => (free_date(), list(&WEEKDAY)).prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        // Days and months, the same in every year except for leap days.
        3 => (date_of(free(&YEAR), months(), list(&DAY)), weekday_or_none())
            .prop_map(|(date, weekday)| (Some(date), weekday)),
        // Days, months and weekdays.
        3 => (date_of(free(&YEAR), months(), list(&DAY)), list(&WEEKDAY))
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        // The same in a few months only, so that years start or end without events.
        2 => (date_of(free(&YEAR), prop_oneof![one(&MONTH), strided(&MONTH)].boxed(), list(&DAY)), list(&WEEKDAY))
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        2 => (date_of(list(&YEAR), prop_oneof![one(&MONTH), strided(&MONTH)].boxed(), strided(&DAY)), list(&WEEKDAY))
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        // A few days in a century.
        2 => (date_of(free(&YEAR), one(&MONTH), late_day()), one(&WEEKDAY))
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        // A few days a month, which repeat after 4 years or, on weekdays, after 28.
        2 => (date_of(free(&YEAR), months(), few_days()), weekday_or_none())
            .prop_map(|(date, weekday)| (Some(date), weekday)),
        3 => (date_of(free(&YEAR), months(), few_days()), few_weekdays())
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
        // A few days of a few years, far apart or at the end of the range.
        2 => (date_of(few_years(), months(), few_days()), proptest::option::of(list(&WEEKDAY)))
            .prop_map(|(date, weekday)| (Some(date), weekday)),
        // Some years only.
        2 => (date_of(list(&YEAR), months(), prop_oneof![free(&DAY), list(&DAY)].boxed()), weekday_or_none())
            .prop_map(|(date, weekday)| (Some(date), weekday)),
        // One day, without a weekday, which it would rarely fall on.
        1 => date_of(one(&YEAR), one(&MONTH), one(&DAY)).prop_map(|date| (Some(date), None)),
        // Anything.
        2 => (date_of(list(&YEAR), list(&MONTH), list(&DAY)), list(&WEEKDAY))
            .prop_map(|(date, weekday)| (Some(date), Some(weekday))),
    ]
}

fn date_of(year: Text, month: Text, day: Text) -> Text {
    (year, month, day).prop_map(|(year, month, day)| format!("{year}.{month}.{day}")).boxed()
}

/// Days that some months lack, or the last day of the month.
fn late_day() -> Text {
    proptest::sample::select(vec!["28", "29", "30", "31", "32", "29,32", "31,32", "29-32"])
        .prop_map(str::to_owned)
        .boxed()
}

/// One day of the month, or a few that are far apart.
fn few_days() -> Text {
    let far = ["1,15", "2,32", "5,32", "13,29", "15,31", "28,32", "1,11,21", "*/15", "20-32/5"];
    let far = proptest::sample::select(far.to_vec()).prop_map(str::to_owned);
    prop_oneof![2 => one(&DAY), 2 => far, 1 => late_day()].boxed()
}

/// One to three weekdays.
fn few_weekdays() -> Text {
    let some = ["0,6", "1,4", "*/3", "2-4", "4-6"];
    let some = proptest::sample::select(some.to_vec()).prop_map(str::to_owned);
    prop_oneof![3 => one(&WEEKDAY), 2 => some].boxed()
}

/// A few years that are far apart, or the last years of the range.
fn few_years() -> Text {
    let years = [
        "2100",
        "2099-2100",
        "2096-2100",
        "2096,2100",
        "2000,2100",
        "2000-2001,2100",
        "2004,2050,2099",
        "*/25",
        "2000-2098/7",
        "2001-2099/2",
        "2003-2063/20",
    ];
    let years = proptest::sample::select(years.to_vec()).prop_map(str::to_owned);
    prop_oneof![3 => years, 1 => one(&YEAR)].boxed()
}

fn time() -> impl Strategy<Value = String> {
    let any = |field| prop_oneof![free(field), one(field), list(field)].boxed();
    prop_oneof![
        // Once a day.
        2 => time_of(one(&HOUR), one(&MINUTE), one(&SECOND), some(one(&MILLI))),
        // Strides: `*` in the higher fields, one strided field, and 0 in the lower fields.
        1 => time_of(strided(&HOUR), start(), start(), none()),
        1 => time_of(free(&HOUR), strided(&MINUTE), start(), none()),
        1 => time_of(free(&HOUR), free(&MINUTE), strided(&SECOND), none()),
        1 => time_of(free(&HOUR), free(&MINUTE), free(&SECOND), some(strided(&MILLI))),
        // One list, with `*` in the higher fields.
        1 => time_of(list(&HOUR), start(), start(), none()),
        1 => time_of(list(&HOUR), free(&MINUTE), free(&SECOND), some(free(&MILLI))),
        1 => time_of(free(&HOUR), list(&MINUTE), one(&SECOND), none()),
        1 => time_of(free(&HOUR), free(&MINUTE), list(&SECOND), some(one(&MILLI))),
        2 => time_of(free(&HOUR), free(&MINUTE), free(&SECOND), some(list(&MILLI))),
        // Several lists.
        2 => time_of(list(&HOUR), list(&MINUTE), list(&SECOND), some(list(&MILLI))),
        3 => time_of(any(&HOUR), any(&MINUTE), any(&SECOND), prop_oneof![none(), some(any(&MILLI))].boxed()),
    ]
}

fn time_of(hour: Text, minute: Text, second: Text, milli: Text) -> Text {
    (hour, minute, second, milli)
        .prop_map(|(hour, minute, second, milli)| format!("{hour}:{minute}:{second}{milli}"))
        .boxed()
}

fn none() -> Text {
    Just(String::new()).boxed()
}

fn some(milli: Text) -> Text {
    milli.prop_map(|milli| format!(".{milli}")).boxed()
}

/// An instant, either fixed or relative to an event of a schedule.
#[derive(Clone, Copy, Debug)]
pub enum Instant {
    Exact(i64),
    /// The index of an event, from the first one, and an offset from it in milliseconds.
    Near(u64, i64),
    /// The index of an event, back from the last one, and an offset from it in milliseconds.
    NearEnd(u64, i64),
}

impl Instant {
    /// Returns the instant for a schedule, which must have events.
    pub fn of(self, oracle: &Oracle) -> i64 {
        match self {
            Instant::Exact(at) => at,
            Instant::Near(index, offset) => oracle.event(index % oracle.total()) + offset,
            Instant::NearEnd(index, offset) => {
                let last = oracle.total() - 1;
                oracle.event(last - index % oracle.total()) + offset
            }
        }
    }
}

pub fn instant() -> impl Strategy<Value = Instant> {
    const DAY: i64 = 86_400_000;
    let offset = || {
        prop_oneof![
            2 => Just(0_i64),
            4 => -3..=3_i64,
            2 => -2000..=2000_i64,
            1 => -2 * DAY..=2 * DAY,
            1 => -800 * DAY..=800 * DAY,
        ]
    };
    let exact = |at: i64, by: i64| Instant::Exact(at.saturating_add(by));
    // Leap days, the leap day that 2100 lacks, and starts of years at which the 28-year cycle of
    // weekdays restarts or breaks off.
    let turns = vec![
        (2000, 2, 29),
        (2000, 3, 1),
        (2028, 1, 1),
        (2056, 2, 29),
        (2084, 1, 1),
        (2096, 2, 29),
        (2096, 12, 31),
        (2099, 12, 31),
        (2100, 1, 1),
        (2100, 2, 28),
        (2100, 3, 1),
        (2100, 12, 31),
    ];
    let turns: Vec<i64> = turns.into_iter().map(|(y, m, d)| midnight(y, m, d)).collect();
    prop_oneof![
        8 => (any::<u64>(), offset()).prop_map(|(index, offset)| Instant::Near(index, offset)),
        // The first and the last few events.
        2 => (0..6_u64, offset()).prop_map(|(index, offset)| Instant::Near(index, offset)),
        2 => (0..6_u64, offset()).prop_map(|(index, offset)| Instant::NearEnd(index, offset)),
        4 => (START..=END).prop_map(Instant::Exact),
        2 => (START / DAY..=END / DAY + 1, -2..=2_i64).prop_map(move |(day, by)| exact(day * DAY, by)),
        2 => (proptest::sample::select(turns), offset()).prop_map(move |(at, by)| exact(at, by)),
        1 => (-2..=2_i64).prop_map(move |by| exact(START, by)),
        1 => (-2..=2_i64).prop_map(move |by| exact(END, by)),
        1 => any::<i64>().prop_map(Instant::Exact),
        1 => (prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0)], -2..=2_i64)
            .prop_map(move |(at, by)| exact(at, by)),
    ]
}

/// A range with any bounds. It may be empty or reversed.
pub fn range() -> impl Strategy<Value = (Bound<Instant>, Bound<Instant>)> {
    let bound = || {
        (0..8_u8, instant()).prop_map(|(kind, at)| match kind {
            0..3 => Bound::Included(at),
            3..6 => Bound::Excluded(at),
            _ => Bound::Unbounded,
        })
    };
    // Both ends near the same event, so that the range contains few events.
    let narrow = (any::<u64>(), -90_000..90_000_i64, -90_000..90_000_i64, 0..4_u8).prop_map(
        |(index, from, to, kind)| {
            let (from, to) = (Instant::Near(index, from), Instant::Near(index, to));
            match kind {
                0 => (Bound::Included(from), Bound::Included(to)),
                1 => (Bound::Included(from), Bound::Excluded(to)),
                2 => (Bound::Excluded(from), Bound::Included(to)),
                _ => (Bound::Excluded(from), Bound::Excluded(to)),
            }
        },
    );
    prop_oneof![3 => (bound(), bound()), 1 => narrow]
}
