//! Periods and gaps, compared with lists of events.
//!
//! The seed is fixed, so results are reproducible. Set `PROPTEST_RNG_SEED` for other cases and
//! `PROPTEST_CASES` for more of them.

use std::time::Duration;

use crate::support::generate::{cases, expression};
use crate::support::oracle::text::Sets;
use crate::support::oracle::{Oracle, START};
use crate::support::units::{most_in, unit};
use millicron::{Period, Schedule, Unit};
use proptest::prelude::*;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn parse(text: &str) -> Schedule {
    text.parse().expect("a schedule")
}

/// Returns the oracle of a text, if it has events.
fn fires(text: &str) -> Option<Oracle> {
    Some(Oracle::new(text)).filter(|oracle| !oracle.never_fires())
}

#[track_caller]
fn check_period(text: &str, unit: Unit, count: u64) {
    assert_eq!(parse(text).period(), Period { unit, count }, "{text}");
}

#[test]
fn times_recur_in_the_unit_above_their_highest_restricted_field() {
    check_period("*:*:*.*", Unit::Millisecond, 1);
    check_period("*:*:*.*/5", Unit::Second, 200);
    check_period("*:*:*.0", Unit::Second, 1);
    check_period("*:*:*", Unit::Second, 1);
    check_period("*:*:*.998,999", Unit::Second, 2);
    check_period("*:*:03.*", Unit::Minute, 1000);
    check_period("*:*:*/7", Unit::Minute, 9);
    check_period("*:*:00", Unit::Minute, 1);
    check_period("*:*/5:03", Unit::Hour, 12);
    check_period("*:01:04", Unit::Hour, 1);
    check_period("*:05:*", Unit::Hour, 60);
    check_period("*:1-58:*.*", Unit::Hour, 58 * 60 * 1000);
    check_period("1,13:01:04", Unit::Day, 2);
    check_period("2:01:04", Unit::Day, 1);
    check_period("0:*:00", Unit::Day, 60);
    check_period("*/2:00:00", Unit::Day, 12);
    check_period("*/24:00:00", Unit::Day, 1);
    check_period("5:*:*.*", Unit::Day, 3_600_000);
}

#[test]
fn dates_recur_in_weeks_months_and_years() {
    check_period("*.*.* 1,4 09:30:00", Unit::Week, 2);
    check_period("*.*.* Sun *:00:00", Unit::Week, 24);
    check_period("*.*.* 0-2 *:*:*.*", Unit::Week, 3 * 86_400_000);
    check_period("*.*.32 12:00:00", Unit::Month, 1);
    check_period("*.*.31 12:00:00", Unit::Month, 1);
    check_period("*.*.31,32 12:00:00", Unit::Month, 1);
    check_period("*.*.30,32 12:00:00", Unit::Month, 2);
    check_period("*.*.28-32 12:00:00", Unit::Month, 4);
    check_period("*.*.* Fri 12:00:00", Unit::Week, 1);
    check_period("*.*.13 Fri 00:00:00", Unit::Month, 1);
    check_period("*.*.1-7 Mon 9,18:00:00", Unit::Month, 2);
    check_period("*.*.1-15 Mon 00:00:00", Unit::Month, 3);
    check_period("*.1,4,7,10.1 00:00:00", Unit::Year, 4);
    check_period("*.1-6.* 00:00:00", Unit::Year, 182);
    check_period("*.2.* 00:00:00", Unit::Year, 29);
    check_period("2001-2003.2.* 00:00:00", Unit::Year, 28);
    check_period("*/4.2.29 00:00:00", Unit::Year, 1);
    check_period("2030.1.1 00:00:00", Unit::Year, 1);
}

#[test]
fn dates_that_exclude_less_than_half_do_not_change_the_period() {
    check_period("*.*.* 1-5 09:30:00", Unit::Day, 1);
    check_period("*.*.* Mon-Fri 9-17:*/30:00", Unit::Day, 9 * 2);
    check_period("*.*.* 0-5 *:*:*.*", Unit::Millisecond, 1);
    check_period("*.1-7.* 00:00:00", Unit::Day, 1);
    check_period("*.*.1-16 00:00:00", Unit::Day, 1);
    check_period("*.2-12.2-31 1 00:00:00", Unit::Week, 1);
}

#[test]
fn years_do_not_change_the_period() {
    check_period("2030.*.* 00:00:00", Unit::Day, 1);
    check_period("*/4.*.* *:00:00", Unit::Hour, 1);
    check_period("2030.*.* Sun 00:00:00", Unit::Week, 1);
    // 2099 has fewer.
    check_period("2099,2100.*.1-15 Fri 00:00:00", Unit::Month, 3);
    check_period("2000,2099.*.2-32 Mon,Tue,Sun 00:00:00", Unit::Week, 3);
}

#[test]
fn fields_that_match_everything_do_not_change_the_period() {
    check_period("*.*.* * 00:00:00", Unit::Day, 1);
    check_period("2000-2100.1-12.1-31 0-6 3:00:00", Unit::Day, 1);
    check_period("*.*.1-32 0-6 0-23:0-59:30", Unit::Minute, 1);
    check_period("*.*.*/1 0-23/1:07:30", Unit::Hour, 1);
    check_period("0-23:0-59:0-59.0-999", Unit::Millisecond, 1);
    // The last day of a month is the 31st, or one of those before it.
    check_period("*.*.1-30,32 3:00:00", Unit::Day, 1);
}

#[test]
fn periods_are_displayed_in_words() {
    let shown = |text: &str| parse(text).period().to_string();
    assert_eq!(shown("*:*:*.*"), "1 a millisecond");
    assert_eq!(shown("*:*:*.*/5"), "200 a second");
    assert_eq!(shown("*:*:*/7"), "9 a minute");
    assert_eq!(shown("*:*/5:03"), "12 an hour");
    assert_eq!(shown("1,13:01:04"), "2 a day");
    assert_eq!(shown("*.*.* 1-5 09:30:00"), "1 a day");
    assert_eq!(shown("*.*.* 1,4 09:30:00"), "2 a week");
    assert_eq!(shown("*.*.32 12:00:00"), "1 a month");
    assert_eq!(shown("2030.1.1 00:00:00"), "1 a year");
    assert_eq!(format!("{:>6}|{:<6}|", Unit::Day, Unit::Hour), "   day|hour  |");
}

#[test]
fn periods_are_ordered_by_length() {
    let ascending = [
        "*:*:*.*",
        "*:*:*.*/5",
        "*:*:*",
        "*:*:*/7",
        "*:*:00",
        "*:*/5:03",
        "*:01:04",
        "*/2:00:00",
        "1,13:01:04",
        "3:01:03",
        "*.*.* Mon,Thu 09:30:00",
        "*.*.* Sun 00:00:00",
        "*.*.1,15 00:00:00",
        "*.*.1 00:00:00",
        "*.1,7.1 00:00:00",
        "*.1.1 00:00:00",
    ];
    let cycles = ascending.map(|text| parse(text).period());
    assert!(cycles.is_sorted_by(|a, b| a < b), "{cycles:?}");
    // Schedules with the same period are equally long, whatever their times.
    assert_eq!(parse("2:01:04").period(), parse("3:00:01").period());
}

/// The shortest gap, the longest gap, the number of gaps, and the time from the first event to the
/// last, in milliseconds.
type Lengths = (u64, u64, u64, u64);

#[track_caller]
fn gaps(text: &str) -> Option<Lengths> {
    let gaps = parse(text).gaps()?;
    let millis = |length: Duration| u64::try_from(length.as_millis()).expect("a century");
    let span = millis(gaps.span());
    let mean = u128::from(span) * 1_000_000 / u128::from(gaps.count());
    assert_eq!(gaps.mean().as_nanos(), mean, "{text}");
    Some((millis(gaps.shortest()), millis(gaps.longest()), gaps.count(), span))
}

/// Returns the same from a list of all events.
fn listed(oracle: &Oracle) -> Option<Lengths> {
    let events: Vec<i64> = (0..oracle.total()).map(|index| oracle.event(index)).collect();
    let gaps = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let count = u64::try_from(events.len() - 1).expect("a count");
    Some((gaps().min()?, gaps().max()?, count, gaps().sum()))
}

#[test]
fn schedules_with_one_event_have_no_gaps() {
    assert_eq!(gaps("2030.1.1 00:00:00"), None);
    assert_eq!(gaps("2100.12.31 23:59:59.999"), None);
    assert_eq!(gaps("2100.2.32 12:00:00.5"), None);
    assert_eq!(gaps("2030.1.1 00:00:00.0,7"), Some((7, 7, 1, 7)));
}

#[test]
fn gaps_are_exact() {
    const A_DAY: u64 = DAY.unsigned_abs();
    const AN_HOUR: u64 = HOUR.unsigned_abs();
    let days = 36_890;
    assert_eq!(gaps("*:*:*.*"), Some((1, 1, days * A_DAY - 1, days * A_DAY - 1)));
    let twice = gaps("1,13:01:04");
    assert_eq!(
        twice,
        Some((12 * AN_HOUR, 12 * AN_HOUR, 2 * days - 1, (2 * days - 1) * 12 * AN_HOUR))
    );
    let (shortest, longest, ..) = gaps("1,4:01:04").expect("many");
    assert_eq!((shortest, longest), (3 * AN_HOUR, 21 * AN_HOUR));
    // From second 56 to second 0.
    let (shortest, longest, ..) = gaps("*:*:*/7").expect("many");
    assert_eq!((shortest, longest), (4000, 7000));
    let (shortest, longest, ..) = gaps("*.*.32 12:00:00").expect("many");
    assert_eq!((shortest, longest), (28 * A_DAY, 31 * A_DAY));
    // 2000 to 2096, since 2100 has no such day.
    let (shortest, longest, count, _) = gaps("*.2.29 12:00:00").expect("many");
    assert_eq!((shortest, longest, count), (1461 * A_DAY, 1461 * A_DAY, 24));
    let (_, longest, ..) = gaps("*.2.29 Sun 12:00:00").expect("some");
    assert_eq!(longest, 28 * 1461 / 4 * A_DAY);
}

/// Texts with few enough events to list: few days or few times.
fn sparse() -> impl Strategy<Value = String> {
    const MOST: u64 = 30_000;
    let few_years = (2000..=2100_u32, 0..12_u32, 0..8_u8).prop_map(|(from, by, month)| {
        let years = format!("{from}-{}", (from + by).min(2100));
        if month < 4 { format!("{years}.*.*") } else { format!("{years}.{month},11.*") }
    });
    // Any text, with other years or hours if it has too many events.
    (expression(), few_years, 0..24_u8).prop_filter_map("too many", |(text, date, hour)| {
        let total = |text: &str| Oracle::new(text).total();
        if total(&text) <= MOST {
            return Some(text);
        }
        let time = text.split_ascii_whitespace().next_back()?.to_owned();
        let (_, rest) = time.split_once(':')?;
        let tries = [
            format!("{date} {time}"),
            format!("{date} {hour}:{rest}"),
            format!("2100.*.1,32 {hour}:{rest}"),
        ];
        tries.into_iter().find(|text| total(text) <= MOST)
    })
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn gaps_match_the_list_of_all_events(text in sparse()) {
        let Some(oracle) = fires(&text) else { return Ok(()) };
        prop_assert_eq!(gaps(&text), listed(&oracle), "{}", text);
    }

    /// If every week is the same, three weeks contain every gap.
    #[test]
    fn gaps_of_weekly_schedules_match_three_weeks(days in "[0-6](,[0-6]){0,3}|\\*", time in time()) {
        let text = format!("*.*.* {days} {time}");
        let oracle = Oracle::new(&text);
        let events = oracle.events(&(START..START + 21 * DAY), usize::MAX);
        let gaps_of = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
        let (shortest, longest, count, span) = gaps(&text).expect("many");
        prop_assert_eq!(Some((shortest, longest)), gaps_of().min().zip(gaps_of().max()), "{}", text);
        let [first, last] = [oracle.event(0), oracle.event(oracle.total() - 1)];
        prop_assert_eq!((count, span), (oracle.total() - 1, last.abs_diff(first)), "{}", text);
    }

    #[test]
    fn periods_match_the_sets_of_the_oracle(text in expression()) {
        if fires(&text).is_none() {
            return Ok(());
        }
        let sets = Sets::read(&text).expect("a well-formed text");
        let unit = unit(&sets);
        let expected = Period { unit, count: most_in(unit, &sets) };
        prop_assert_eq!(parse(&text).period(), expected, "{}", text);
    }
}

/// Up to a thousand times of day.
fn time() -> impl Strategy<Value = String> {
    let hours = prop_oneof!["[0-9]", "1[0-9],3,2[0-3]", Just("*".to_owned()), "\\*/[2-9]"];
    let minutes = prop_oneof!["[1-5]?[0-9]", "[1-5][0-9],[0-9]", "\\*/[1-3][0-9]"];
    let seconds = prop_oneof!["[1-5]?[0-9]", "[1-5][0-9],[0-9]"];
    let millis = prop_oneof![Just(String::new()), "\\.[1-9]?[0-9]", "\\.[1-9][0-9]{2},[0-9]"];
    (hours, minutes, seconds, millis).prop_map(|(hours, minutes, seconds, millis)| {
        format!("{hours}:{minutes}:{seconds}{millis}")
    })
}
