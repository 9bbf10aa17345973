//! Periods and gaps of schedules, compared with lists of events.
//!
//! The seed is fixed, so results are reproducible. To test other cases, set
//! `PROPTEST_RNG_SEED`; to change the number of cases for each property, set `PROPTEST_CASES`.

use std::time::Duration;

use crate::support::generate::{cases, fields};
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

/// Returns the oracle of an expression, or `None` if it never fires.
fn oracle_of(text: &str) -> Option<Oracle> {
    Some(Oracle::new(text)).filter(|oracle| !oracle.never_fires())
}

#[track_caller]
fn check_period(text: &str, unit: Unit, count: u64) {
    assert_eq!(parse(text).period(), Period { unit, count }, "{text}");
}

#[test]
fn unit_of_a_time_is_above_its_highest_restricted_field() {
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
    check_period("0-23/24:00:00", Unit::Day, 1);
    check_period("5:*:*.*", Unit::Day, 3_600_000);
}

#[test]
fn unit_of_a_restricted_date_is_week_month_or_year() {
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
fn dates_that_exclude_less_than_half_do_not_affect_the_period() {
    check_period("*.*.* 1-5 09:30:00", Unit::Day, 1);
    check_period("*.*.* Mon-Fri 9-17:*/30:00", Unit::Day, 9 * 2);
    check_period("*.*.* 0-5 *:*:*.*", Unit::Millisecond, 1);
    check_period("*.1-7.* 00:00:00", Unit::Day, 1);
    check_period("*.*.1-16 00:00:00", Unit::Day, 1);
    check_period("*.2-12.2-31 1 00:00:00", Unit::Week, 1);
}

#[test]
fn years_do_not_affect_the_period() {
    check_period("2030.*.* 00:00:00", Unit::Day, 1);
    check_period("*/4.*.* *:00:00", Unit::Hour, 1);
    check_period("2030.*.* Sun 00:00:00", Unit::Week, 1);
    // The year with the most events counts: 2099 has fewer in each period.
    check_period("2099,2100.*.1-15 Fri 00:00:00", Unit::Month, 3);
    check_period("2000,2099.*.2-32 Mon,Tue,Sun 00:00:00", Unit::Week, 3);
    // Only the week of Monday, 29 February 2072, has both days, after more weeks than 28 years have.
    check_period("2017-2043,2045-2072.2,3,5,7,9,10,12.*/2 Mon,Tue 00:00:00", Unit::Week, 2);
}

#[test]
fn fields_that_exclude_nothing_do_not_affect_the_period() {
    check_period("*.*.* * 00:00:00", Unit::Day, 1);
    check_period("2000-2100.1-12.1-31 0-6 3:00:00", Unit::Day, 1);
    check_period("*.*.1-32 0-6 0-23:0-59:30", Unit::Minute, 1);
    check_period("*.*.*/1 0-23/1:07:30", Unit::Hour, 1);
    check_period("0-23:0-59:0-59.0-999", Unit::Millisecond, 1);
    // If the last day of a month is not the 31st, it is a day that is listed anyway.
    check_period("*.*.1-30,32 3:00:00", Unit::Day, 1);
}

#[test]
fn period_displays_its_count_and_unit() {
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
    assert_eq!(format!("{:^11}|", parse("2:01:04").period()), "  1 a day  |");
}

#[test]
fn periods_are_ordered_by_their_length() {
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
    let periods = ascending.map(|text| parse(text).period());
    assert!(periods.is_sorted_by(|a, b| a < b), "{periods:?}");
    // Different times of day can have the same period.
    assert_eq!(parse("2:01:04").period(), parse("3:00:01").period());
}

/// The shortest gap, the longest gap, the number of gaps and their total length. Lengths are in
/// milliseconds.
type GapStatistics = (u64, u64, u64, u64);

#[track_caller]
fn gaps(text: &str) -> Option<GapStatistics> {
    let gaps = parse(text).gaps()?;
    let millis = |length: Duration| u64::try_from(length.as_millis()).expect("less than 2^64 ms");
    let span = millis(gaps.span());
    let mean = u128::from(span) * 1_000_000 / u128::from(gaps.count());
    assert_eq!(gaps.mean().as_nanos(), mean, "{text}");
    Some((millis(gaps.shortest()), millis(gaps.longest()), gaps.count(), span))
}

/// Returns the same statistics, from a list of all events.
fn listed_gaps(oracle: &Oracle) -> Option<GapStatistics> {
    let events: Vec<i64> = (0..oracle.total()).map(|index| oracle.event(index)).collect();
    let gaps = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let count = u64::try_from(events.len() - 1).expect("usize should fit in u64");
    Some((gaps().min()?, gaps().max()?, count, gaps().sum()))
}

#[test]
fn gaps_of_a_single_event_are_none() {
    assert_eq!(gaps("2030.1.1 00:00:00"), None);
    assert_eq!(gaps("2100.12.31 23:59:59.999"), None);
    assert_eq!(gaps("2100.2.32 12:00:00.5"), None);
    assert_eq!(gaps("2030.1.1 00:00:00.0,7"), Some((7, 7, 1, 7)));
}

#[test]
fn gaps_report_exact_lengths_and_counts() {
    const A_DAY: u64 = DAY.unsigned_abs();
    const AN_HOUR: u64 = HOUR.unsigned_abs();
    let days = 36_890;
    assert_eq!(gaps("*:*:*.*"), Some((1, 1, days * A_DAY - 1, days * A_DAY - 1)));
    let twice = gaps("1,13:01:04");
    assert_eq!(
        twice,
        Some((12 * AN_HOUR, 12 * AN_HOUR, 2 * days - 1, (2 * days - 1) * 12 * AN_HOUR))
    );
    let (shortest, longest, ..) = gaps("1,4:01:04").expect("several events");
    assert_eq!((shortest, longest), (3 * AN_HOUR, 21 * AN_HOUR));
    // The shortest gap is from second 56 to second 0.
    let (shortest, longest, ..) = gaps("*:*:*/7").expect("several events");
    assert_eq!((shortest, longest), (4000, 7000));
    let (shortest, longest, ..) = gaps("*.*.32 12:00:00").expect("several events");
    assert_eq!((shortest, longest), (28 * A_DAY, 31 * A_DAY));
    // From 2000 to 2096, since 2100 is not a leap year.
    let (shortest, longest, count, _) = gaps("*.2.29 12:00:00").expect("several events");
    assert_eq!((shortest, longest, count), (1461 * A_DAY, 1461 * A_DAY, 24));
    let (_, longest, ..) = gaps("*.2.29 Sun 12:00:00").expect("several events");
    assert_eq!(longest, 28 * 1461 / 4 * A_DAY);
}

/// Generates expressions with at most 30 000 events: with few days, or few times of day.
fn sparse() -> impl Strategy<Value = String> {
    const MOST: u64 = 30_000;
    let few_years = (2000..=2100_u32, 0..12_u32, 0..8_u8).prop_map(|(from, by, month)| {
        let years = format!("{from}-{}", (from + by).min(2100));
        if month < 4 { format!("{years}.*.*") } else { format!("{years}.{month},11.*") }
    });
    // If a random expression has too many events, restrict its dates and then its hours.
    (fields(), few_years, 0..24_u8).prop_filter_map("too many events", |(text, date, hour)| {
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

#[test]
fn unit_of_steps_from_a_date_is_not_shorter_than_a_step() {
    check_period("2026.01.05/1d 09:00:00", Unit::Day, 1);
    check_period("2026.01.05/2d 09:00:00", Unit::Week, 4);
    check_period("2026.01.05/1w Mon,Thu 09:00:00", Unit::Week, 2);
    check_period("2026.01.05/10d 09:00:00", Unit::Month, 4);
    check_period("2026.01.05/2w Mon,Thu 09:00:00", Unit::Month, 5);
    check_period("2026.01.05/100d 09:00:00", Unit::Year, 4);
    check_period("2026.01.05/1d Mon 09:00:00", Unit::Week, 1);
    check_period("2026.01.05/1w Mon 09:00:00", Unit::Week, 1);
    check_period("2026.01.05/1d 1-5 09:00:00", Unit::Day, 1);
    check_period("2026.01.05/1w 1-5 09:00:00", Unit::Day, 1);
    check_period("2026.01.05/1d *:*/5:00", Unit::Hour, 12);
    check_period("2026.01.05/2w Fri#2 09:00:00", Unit::Month, 1);
    check_period("2026.01.05/3b 09:00:00", Unit::Week, 2);
    check_period("2026.01.05/20b 09:00:00", Unit::Month, 2);
}

#[test]
fn days_relative_to_the_month_are_monthly() {
    check_period("*.*.LW 17:00:00", Unit::Month, 1);
    check_period("*.*.L-3,15W 12:00:00", Unit::Month, 2);
    check_period("*.*.* Fri#2 10:00:00", Unit::Month, 1);
    check_period("*.3.* Fri#2 10:00:00", Unit::Year, 1);
    check_period("*.*.13 | Fri 00:00:00", Unit::Month, 6);
}

#[test]
fn a_window_is_daily_unless_its_dates_are_not() {
    check_period("00:00:00../7m", Unit::Day, 206);
    check_period("*.*.* 1-5 09:30:00..16:00:00/15m", Unit::Day, 26);
    // On most days, one window ends and another one begins.
    check_period("*.*.* 1-5 22:00:00..06:00:00/30m", Unit::Day, 16);
    check_period("*.*.* Fri 22:00:00..06:00:00/30m", Unit::Week, 16);
}

#[test]
fn gaps_of_windows_steps_and_relative_days_match_the_list_of_all_events() {
    for text in [
        "*.*.LW 17:00:00",
        "*.*.1W,L-29 08:00:00",
        "*.*.13 | Fri 00:00:00",
        "*.*.* Mon#5,Fri#L 10,12:00:00",
        "2026.01.05/2w Mon,Thu 09:00:00",
        "2026.01.05/10d 09:00:00..12:00:00/7m",
        "2026.01.05/2w Fri#2 09:00:00",
        "2026-2027.*.* 00:00:00../7m",
        "*.*.* Fri 22:00:00..06:00:00/30m",
        "2026.*.* 1-5 22:00:00..06:00:00/30m",
        "2026.*.* 22:00:00..21:00:00/7h",
        "*.*.* Fri 09:00:00..=09:00:00/1h",
        "2026.*.* 1-5 00:00:00..=24:00:00/8h",
        "2026.01.05/3d 09:00:00..=09:00:00/24h",
        "2026.01.05/1d 1-5 09:00:00..=09:00:00/24h",
        "2100.12.31 22:00:00..06:00:00/1h",
        "2100.10,12.31 22:00:00..=22:00:00/3h",
        "2100.10,12.29 22:00:00..=22:00:00/3h",
    ] {
        let oracle = oracle_of(text).expect("events");
        assert_eq!(gaps(text), listed_gaps(&oracle), "{text}");
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn gaps_match_the_list_of_all_events(text in sparse()) {
        let Some(oracle) = oracle_of(&text) else { return Ok(()) };
        prop_assert_eq!(gaps(&text), listed_gaps(&oracle), "{}", text);
    }

    /// If all weeks are alike, three weeks contain the shortest and the longest gap.
    #[test]
    fn gaps_of_identical_weeks_match_three_weeks(days in "[0-6](,[0-6]){0,3}|\\*", time in time()) {
        let text = format!("*.*.* {days} {time}");
        let oracle = Oracle::new(&text);
        let events = oracle.events(&(START..START + 21 * DAY), usize::MAX);
        let lengths = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
        let (shortest, longest, count, span) = gaps(&text).expect("several events");
        let expected = lengths().min().zip(lengths().max());
        prop_assert_eq!(Some((shortest, longest)), expected, "{}", text);
        let [first, last] = [oracle.event(0), oracle.event(oracle.total() - 1)];
        prop_assert_eq!((count, span), (oracle.total() - 1, last.abs_diff(first)), "{}", text);
    }

    #[test]
    fn periods_match_the_oracle_sets(text in fields()) {
        if oracle_of(&text).is_none() {
            return Ok(());
        }
        let sets = Sets::read(&text).expect("a well-formed text");
        let unit = unit(&sets);
        let expected = Period { unit, count: most_in(unit, &sets) };
        prop_assert_eq!(parse(&text).period(), expected, "{}", text);
    }
}

/// Generates times with at most a thousand events a day.
fn time() -> impl Strategy<Value = String> {
    let hours = prop_oneof!["[0-9]", "1[0-9],3,2[0-3]", Just("*".to_owned()), "\\*/[2-9]"];
    let minutes = prop_oneof!["[1-5]?[0-9]", "[1-5][0-9],[0-9]", "\\*/[1-3][0-9]"];
    let seconds = prop_oneof!["[1-5]?[0-9]", "[1-5][0-9],[0-9]"];
    let millis = prop_oneof![Just(String::new()), "\\.[1-9]?[0-9]", "\\.[1-9][0-9]{2},[0-9]"];
    (hours, minutes, seconds, millis).prop_map(|(hours, minutes, seconds, millis)| {
        format!("{hours}:{minutes}:{seconds}{millis}")
    })
}
