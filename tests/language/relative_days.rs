//! Days relative to the month, numbered weekdays, `|`, and steps from a date.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::refusals::{Refusal, refuse};
use super::rules::{at, days, schedule};
use millicron::Field::{Day, Month, Weekday};
use millicron::Schedule;

#[test]
fn known_answers() {
    for (text, after, answers) in [
        ("*.*.L-3 12:00:00", "2026-04-01 00:00:00.000", &["2026-04-27 12:00:00.000"][..]),
        ("*.*.1W 08:00:00", "2026-07-31 12:00:00.000", &["2026-08-03 08:00:00.000"]),
        ("*.*.LW 17:00:00", "2026-05-01 00:00:00.000", &["2026-05-29 17:00:00.000"]),
        ("*.*.* Fri#2 10:00:00", "2026-11-01 00:00:00.000", &["2026-11-13 10:00:00.000"]),
        ("*.*.* Mon#5 10:00:00", "2026-11-01 00:00:00.000", &["2026-11-30 10:00:00.000"]),
        (
            "*.*.13 | Fri 00:00:00",
            "2026-11-06 00:00:00.000",
            &["2026-11-13 00:00:00.000", "2026-11-20 00:00:00.000"],
        ),
        ("2026.01.05/2w Mon,Thu 09:00:00", "2026-01-08 09:00:00.000", &["2026-01-19 09:00:00.000"]),
        (
            "2026.01.05/10d 09:00:00",
            "2025-06-01 00:00:00.000",
            &["2026-01-05 09:00:00.000", "2026-01-15 09:00:00.000"],
        ),
    ] {
        let mut now = at(after);
        for answer in answers {
            now = schedule(text).next_event(now).unwrap();
            assert_eq!(now, at(answer), "{text}");
        }
    }
}

#[test]
fn days_before_the_last_are_skipped_in_months_that_are_too_short() {
    assert_eq!(days("*.2,4.L-3", 2026), ["02-25", "04-27"]);
    assert_eq!(days("*.2.L-3", 2024), ["02-26"]);
    assert_eq!(days("*.1-4.L-30", 2026), ["01-01", "03-01"]);
    assert_eq!(days("*.2.L-28", 2026), [""; 0]);
    assert_eq!(days("*.2.L-28", 2024), ["02-01"]);
    assert_eq!(days("*.1-2.15,L", 2026), ["01-15", "01-31", "02-15", "02-28"]);
    assert_eq!(days("*.2.26-L", 2024), ["02-26", "02-27", "02-28", "02-29"]);
}

#[test]
fn nearest_workdays_stay_in_the_month() {
    // In 2026, August 1, 15 and 29 are Saturdays.
    assert_eq!(days("*.8.1W", 2026), ["08-03"]);
    assert_eq!(days("*.8.2W", 2026), ["08-03"]);
    assert_eq!(days("*.8.14W", 2026), ["08-14"]);
    assert_eq!(days("*.8.15W", 2026), ["08-14"]);
    assert_eq!(days("*.8.16W", 2026), ["08-17"]);
    // May 31 is a Sunday, and October 31 a Saturday.
    assert_eq!(days("*.5.31W", 2026), ["05-29"]);
    assert_eq!(days("*.10.31W", 2026), ["10-30"]);
    assert_eq!(days("*.4,5.31W", 2026), ["05-29"]);
    assert_eq!(days("*.5,10.LW", 2026), ["05-29", "10-30"]);
    // The second-last day of February 2026 is Friday, the last one Saturday.
    assert_eq!(days("*.2.L-1W,LW", 2026), ["02-27"]);
    assert_eq!(days("*.8.L-30W", 2026), ["08-03"]);
}

#[test]
fn numbered_weekdays_count_within_the_month() {
    assert_eq!(days("*.11.* Fri#1", 2026), ["11-06"]);
    assert_eq!(days("*.11.* 5#L", 2026), ["11-27"]);
    assert_eq!(days("*.11.* Mon#5,sun#5,Tue#5", 2026), ["11-29", "11-30"]);
    assert_eq!(days("*.11.* Mon#5,Wed", 2026), ["11-04", "11-11", "11-18", "11-25", "11-30"]);
    assert_eq!(days("*.11.13 Fri#2", 2026), ["11-13"]);
    assert_eq!(days("*.11.L Mon#L,Mon#5", 2026), ["11-30"]);
}

#[test]
fn either_the_day_or_the_weekday_matches() {
    assert_eq!(days("2026.11.13 | Fri", 2026), ["11-06", "11-13", "11-20", "11-27"]);
    assert_eq!(days("*.11.L-1|Mon#1", 2026), ["11-02", "11-29"]);
    assert_eq!(days("*.2.30 | Fri#1", 2026), ["02-06"]);
    assert!("2026.2.30 | Sun#5 0:0:0".parse::<Schedule>().is_err());
    for text in ["*.*.13|Fri 0:0:0", "*.*.13 |Fri 0:0:0", "*.*.13|\t Fri 0:0:0"] {
        assert_eq!(schedule(text), schedule("*.*.13 | Fri 0:0:0"), "{text:?}");
    }
}

#[test]
fn steps_start_from_their_date() {
    assert_eq!(days("2026.12.01/14d", 2026), ["12-01", "12-15", "12-29"]);
    assert!("2026.12.01/14d Mon 12:00:00".parse::<Schedule>().is_err());
    // 2026-12-01 is a Tuesday, so weeks run from Tuesday to Monday.
    assert_eq!(days("2026.12.01/2w Mon,Tue", 2026), ["12-01", "12-07", "12-15", "12-21", "12-29"]);
    assert_eq!(days("2026.12.01/2w", 2026), ["12-01", "12-15", "12-29"]);
    assert_eq!(days("2026.12.01/1d Mon#1,Sun#L", 2026), ["12-07", "12-27"]);
    assert_eq!(days("2026.12.31/366d", 2026), ["12-31"]);
    assert_eq!(days("2026.12.31/366d", 2027), [""; 0]);
    assert_eq!(days("2026.12.31/366d", 2028), ["01-01"]);
    let once = schedule("2026.01.05/4294967295d 9:00:00");
    assert_eq!(once.count(..), 1);
}

fn hash(schedule: &Schedule) -> u64 {
    let mut hasher = DefaultHasher::new();
    schedule.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn schedules_with_the_same_days_are_equal() {
    for (one, other) in [
        ("*.*.* Fri#1,Fri#2,Fri#3,Fri#4,Fri#5", "*.*.* Fri"),
        ("2026.01.05/2w", "2026.01.05/14d"),
        ("2026.1.5/2w", "2026.01.05/0014d"),
        ("2026.01.05/2w Thu,Mon", "2026.01.05/2w 1,4,4"),
        ("*.*.L", "*.*.32"),
        ("*.*.15,L", "*.*.32,15"),
        ("*.*.20-L/3", "*.*.20-32/3"),
        ("*.*.LW,L-3,3W", "*.*.03W,L-03,LW,L-3"),
        ("*.*.* Fri#2", "*.*.8-14 Fri"),
        ("*.*.* Fri#2,5#2", "*.*.* 5#02"),
        ("*.*.* fri#L,Mon", "*.*.* 1,5#L"),
        ("*.*.13|Fri", "*.*.13 | 5"),
    ] {
        let [one, other] = [one, other].map(|date| schedule(&format!("{date} 12:00:00")));
        assert_eq!(one, other);
        assert_eq!(hash(&one), hash(&other), "{one} and {other}");
        for either in [&one, &other] {
            assert_eq!(schedule(&either.to_string()), one);
        }
    }
    let all = schedule("*.*.* Fri#1,Fri#2,Fri#3,Fri#4,Fri#5 12:00:00");
    assert_eq!(all.to_string(), "*.*.* 5 12:00:00");
    for (one, other) in [
        ("2026.01.05/2w", "2026.01.06/2w"),
        ("2026.01.05/2w", "2026.01.05/2d"),
        ("2026.01.05/2w Mon,Tue", "2026.01.05/14d Mon,Tue"),
        ("*.*.L", "*.*.LW"),
        ("*.*.L-1", "*.*.L-2"),
        ("*.*.* Fri#2", "*.*.* Fri#3"),
        ("*.*.13 | Fri", "*.*.13 Fri"),
    ] {
        let [one, other] = [one, other].map(|date| schedule(&format!("{date} 12:00:00")));
        assert_ne!(one, other);
    }
}

/// Invalid days of the month.
const DAYS: &[Refusal] = &[
    ("*.*.L-0 12:00:00", "    ~~^", Day, &["`L-0`", "1 to 30", "`L`"]),
    ("*.*.L-31 12:00:00", "    ~~^^", Day, &["`L-31`", "1 to 30"]),
    ("*.*.W 12:00:00", "    ^", Day, &["`W`", "1-31", "`15W`"]),
    ("*.*.32W 12:00:00", "    ^^~", Day, &["`32W`", "1-31", "write `LW`"]),
    ("*.*.5-10W 12:00:00", "    ~~~~^", Day, &["`5-10W`", "single day", "1-31"]),
];

/// Invalid numbered weekdays, and a weekday that is missing.
const WEEKDAYS: &[Refusal] = &[
    ("*.*.* Fri#0 12:00:00", "      ~~~~^", Weekday, &["`Fri#0`", "1-5", "`L`"]),
    ("*.*.* Fri#6 12:00:00", "      ~~~~^", Weekday, &["`Fri#6`", "1-5", "`L`"]),
    ("*.*.* 1-5#2 12:00:00", "      ~~~^~", Weekday, &["`1-5#2`", "single weekday"]),
    ("*.*.13 | 12:00:00", "       ^", Weekday, &["weekday", "missing", "0-6", "Sun-Sat"]),
];

/// Invalid steps from a date.
const STEPS: &[Refusal] = &[
    ("2026.*.05/14d 12:00:00", "     ~~~~~~~^", Day, &["one date", "plain numbers"]),
    ("*.*.*/2d 12:00:00", "    ~~~^", Day, &["`*/2d` is a step from something other than a date"]),
    ("2026.01.32/3d 12:00:00", "        ~~~~^", Day, &["one date", "plain numbers"]),
    ("*.*.7,1-9/2w 12:00:00", "      ~~~~~^", Day, &["`1-9/2w` is a step from something other"]),
    ("*.*.*/2b 12:00:00", "    ~~~^", Day, &["`2026.01.05/3b`"]),
    ("*.*/2d.5 12:00:00", "     ^", Month, &["unexpected `d`"]),
    (
        "2026.01.05/14 12:00:00",
        "        ~~~^^",
        Day,
        &["days, weeks or business days", "14d`", "14w`"],
    ),
    ("2026.02.29/7d 12:00:00", "~~~~~~~~^^~~~", Day, &["never", "28 days"]),
    ("2026.01.05/0d 12:00:00", "        ~~~^~", Day, &["`0`", "1-4294967295"]),
    ("2026.01.05/7d | Fri 12:00:00", "~~~~~~~~~~~~~~^~~~~", Day, &["`|`", "step"]),
];

#[test]
fn invalid_days_are_refused() {
    refuse(DAYS);
    refuse(WEEKDAYS);
    refuse(STEPS);
}
