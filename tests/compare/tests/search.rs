//! What queries return.

use std::time::SystemTime;

use millicron::{CalendarDigits, Schedule, schedule};
use millicron_compare::{
    chrono_in_zone, cron, croner, cronexpr, crontime, in_chrono, in_jiff, jiff_cron, millicron,
    saffron, zoned,
};

use crate::{SUNDAY, midnights};

/// 30 February.
#[test]
fn a_schedule_without_events() {
    assert!(millicron("*.2.30 0:0:0", SUNDAY, 1).is_err());

    assert_eq!(cron("0 0 0 30 2 *", SUNDAY, 1), Ok(vec![]));
    assert_eq!(jiff_cron("0 0 0 30 2 *", SUNDAY, 1), Ok(vec![]));

    let pattern: croner::Cron = "0 0 30 2 *".parse().expect("accepted");
    let now = chrono_in_zone(SUNDAY);
    assert!(pattern.find_next_occurrence(&now, false).is_err());

    let cron: saffron::Cron = "0 0 30 2 *".parse().expect("accepted");
    assert!(!cron.any() && cron.next_after(now.to_utc()).is_none());

    let crontab = cronexpr::parse_crontab("0 0 30 2 * UTC").expect("accepted");
    assert!(crontab.find_next("2026-11-22T00:00:00Z").is_err());
}

#[test]
fn cronexpr_gives_up_after_four_years() {
    // The next leap day after 2096 is in 2104.
    let spring = "2096-03-01T00:00:00+00:00[UTC]";
    assert!(cronexpr("0 0 29 2 *", spring, 1).is_err());
    assert_eq!(croner("0 0 29 2 *", spring, 1), midnights(["2104-02-29"]));
    assert_eq!(saffron("0 0 29 2 *", spring, 1), midnights(["2104-02-29"]));
}

#[test]
fn jiff_cron_rounds_up_to_a_second_of_another_weekday() {
    let before_monday = "2026-11-22T23:59:59.5+00:00[UTC]";
    let tuesdays = midnights(["2026-11-24"]);
    assert_eq!(jiff_cron("0 0 0 * * TUE", before_monday, 1), midnights(["2026-11-23"]));
    assert_eq!(cron("0 0 0 * * TUE", before_monday, 1), tuesdays);
    assert_eq!(croner("0 0 * * TUE", before_monday, 1), tuesdays);
    assert_eq!(millicron("*.*.* Tue 0:0:0", before_monday, 1), tuesdays);
}

#[test]
fn crontime_may_start_before_its_start_or_pass_over_an_event() {
    let half_past = |day: u8| Ok(vec![format!("2026-11-{day} 09:30:00 +0000")]);
    let early = crontime("0 30 9 * * *", "2026-11-22T09:31:00+00:00[UTC]", 1);
    assert_eq!(early, half_past(22));
    let late = crontime("0 30 9 * * *", "2026-11-22T09:00:30+00:00[UTC]", 1);
    assert_eq!(late, half_past(23));
}

#[test]
fn backwards() {
    let now = chrono_in_zone(SUNDAY);
    let friday = Some("2026-11-20 00:00:00 +0000".to_owned());

    let schedule = Schedule::parse("*.*.* Fri 0:0:0").expect("a schedule");
    assert_eq!(schedule.prev_event(zoned(SUNDAY)).map(|at| in_jiff(&at)), friday);
    let cron: cron::Schedule = "0 0 0 * * FRI".parse().expect("an expression");
    assert_eq!(cron.after(&now).next_back().map(in_chrono), friday);
    let jiff_cron: jiff_cron::Schedule = "0 0 0 * * FRI".parse().expect("an expression");
    assert_eq!(jiff_cron.after(zoned(SUNDAY)).next_back().map(|at| in_jiff(&at)), friday);
    let croner: croner::Cron = "0 0 * * FRI".parse().expect("a pattern");
    assert_eq!(croner.find_previous_occurrence(&now, false).ok().map(in_chrono), friday);
}

/// The others iterate from an instant, in one direction each.
#[test]
fn only_millicron_iterates_over_a_range_from_both_ends() {
    const FRIDAYS: Schedule = schedule!("*.*.* Fri 0:0:0");
    let start = CalendarDigits::new(2026, 1, 1, 0, 0, 0, 0).expect("a date");
    let end = CalendarDigits::new(2027, 1, 1, 0, 0, 0, 0).expect("a date");
    let mut events = FRIDAYS.events(start..end);
    assert_eq!(events.next().map(|at| (at.month(), at.day())), Some((1, 2)));
    assert_eq!(events.next_back().map(|at| (at.month(), at.day())), Some((12, 25)));
    assert_eq!(events.count(), 50);

    // In cron, the two ends of the iterator move away from each other.
    let cron: cron::Schedule = "0 0 0 * * FRI".parse().expect("an expression");
    let now = chrono_in_zone(SUNDAY);
    let mut events = cron.after(&now);
    assert!(events.next_back().is_some_and(|event| event < now));
    assert!(events.next().is_some_and(|event| event > now));
}

#[test]
fn checked_by_the_compiler() {
    const NIGHTLY: Schedule = schedule!("2:30:00");
    assert_eq!(NIGHTLY, Schedule::parse("2:30:00").expect("a schedule"));
}

#[test]
fn types_of_instants() {
    let noon = 1_795_348_800; // 2026-11-22 12:00:00 UTC, in seconds since 1970-01-01
    let schedule = Schedule::parse("12:0:0").expect("a schedule");
    assert!(schedule.matches(noon * 1000));
    assert!(schedule.matches(CalendarDigits::from_millis(noon * 1000)));
    assert!(
        schedule.matches(SystemTime::from(jiff::Timestamp::from_second(noon).expect("an instant")))
    );
    assert!(schedule.matches(jiff::Timestamp::from_second(noon).expect("an instant")));
    assert!(schedule.matches(chrono::DateTime::from_timestamp(noon, 0).expect("an instant")));
    assert!(schedule.matches(time::OffsetDateTime::from_unix_timestamp(noon).expect("an instant")));

    // croner: chrono, and jiff.
    let pattern: croner::Cron = "0 12 * * *".parse().expect("a pattern");
    assert!(
        pattern
            .is_time_matching(&chrono_in_zone("2026-11-22T12:00:00+00:00[UTC]"))
            .is_ok_and(|is| is)
    );
    assert!(pattern.is_time_matching(&zoned("2026-11-22T12:00:00+00:00[UTC]")).is_ok_and(|is| is));
}
