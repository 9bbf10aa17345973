//! The claims of `MIGRATION.md` about the interfaces of other crates and the meaning of their expressions.

use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::{Cron, Direction};
use jiff::tz::TimeZone;
use millicron::{Dialect, Fold, Gap, ParseError, Schedule, schedule};
use millicron_compare::{chrono_in_zone, croner, in_jiff, zoned};

use crate::{SUNDAY, midnights};

const GUIDE: &str = include_str!("../../../MIGRATION.md");

/// An answer in a form that both sides share.
trait Answer {
    fn answer(self) -> String;
}

impl Answer for Option<DateTime<Tz>> {
    fn answer(self) -> String {
        format!("{self:?}")
    }
}

impl Answer for Option<DateTime<Utc>> {
    fn answer(self) -> String {
        format!("{self:?}")
    }
}

impl<E> Answer for Result<DateTime<Tz>, E> {
    fn answer(self) -> String {
        self.ok().answer()
    }
}

impl<E> Answer for Result<bool, E> {
    fn answer(self) -> String {
        self.is_ok_and(|answer| answer).to_string()
    }
}

impl Answer for bool {
    fn answer(self) -> String {
        self.to_string()
    }
}

/// The rows of a table: both expressions as written, and their answers. `each` is for iterators, whose
/// first events are compared; `same` is for expressions without comparable answers.
macro_rules! rows {
    ($($kind:ident: $theirs:expr => $ours:expr;)+) => {
        [$((stringify!($theirs), stringify!($ours), rows!(@ $kind $theirs, $ours))),+]
    };
    (@ one $theirs:expr, $ours:expr) => { ($theirs.answer(), $ours.answer()) };
    (@ each $theirs:expr, $ours:expr) => {
        (first_events($theirs), first_events($ours))
    };
    (@ same $theirs:expr, $ours:expr) => {{
        let _ = ($theirs, $ours);
        (String::new(), String::new())
    }};
}

fn first_events<Z: chrono::TimeZone>(events: impl Iterator<Item = DateTime<Z>>) -> String {
    format!("{:?}", events.take(20).collect::<Vec<_>>())
}

/// Compares the rows with the table of the guide that follows `column`, and their answers.
#[track_caller]
fn check(column: &str, rows: &[(&str, &str, (String, String))]) {
    let (_, table) = GUIDE.split_once(&format!("| {column} | millicron |\n")).expect("a table");
    let lines: Vec<_> = table.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
    let compact = |text: &str| text.split_whitespace().collect::<String>();
    let expected: Vec<String> =
        rows.iter().map(|(theirs, ours, _)| compact(&format!("|`{theirs}`|`{ours}`|"))).collect();
    assert_eq!(lines.into_iter().map(compact).collect::<Vec<_>>(), expected);
    for (theirs, ours, (their_answer, our_answer)) in rows {
        assert_eq!(their_answer, our_answer, "{theirs} and {ours}");
    }
}

#[test]
fn the_interface_of_cron_is_as_in_the_guide() -> Result<(), ParseError> {
    // A year in the future, so that the events do not depend on the current time.
    let text = "0 30 9 * * Mon-Fri 2080";
    let expression = cron::Schedule::from_str(text).expect("an expression");
    let schedule = Dialect::CronCrate.parse(text)?;
    let start = chrono_in_zone("2080-06-03T09:30:00+00:00[UTC]");
    check(
        "`cron`",
        &rows! {
            same: cron::Schedule::from_str(text) => Dialect::CronCrate.parse(text);
            each: expression.upcoming(Utc) => schedule.upcoming(Utc::now());
            one: expression.upcoming(Utc).next() => schedule.next_event(Utc::now());
            each: expression.after(&start) => schedule.upcoming(start);
            one: expression.after(&start).next() => schedule.next_event(start);
            each: expression.after(&start).rev() => schedule.events(..start).rev();
            one: expression.after(&start).next_back() => schedule.prev_event(start);
            one: expression.after(&start).nth(100) => schedule.upcoming(start).nth(100);
            one: expression.includes(start) => schedule.matches(start);
            same: expression.source() => schedule.to_dialect(Dialect::CronCrate);
            one: expression.timeunitspec_eq(&expression) => schedule == schedule;
        },
    );
    Ok(())
}

#[test]
fn the_interface_of_croner_is_as_in_the_guide() -> Result<(), ParseError> {
    let text = "30 9 * * MON-FRI";
    let pattern = Cron::from_str(text).expect("a pattern");
    let schedule = Dialect::Crontab.parse(text)?;
    let start = chrono_in_zone("2026-11-20T09:30:00+00:00[UTC]");
    check(
        "`croner`",
        &rows! {
            same: Cron::from_str(text) => Dialect::Crontab.parse(text);
            one: pattern.find_next_occurrence(&start, false) => schedule.next_event(start);
            one: pattern.find_next_occurrence(&start, true) => schedule.nearest_event(start);
            one: pattern.find_previous_occurrence(&start, false) => schedule.prev_event(start);
            one: pattern.find_previous_occurrence(&start, true)
                => schedule.nearest_prev_event(start);
            one: pattern.is_time_matching(&start) => schedule.matches(start);
            each: pattern.iter_after(start) => schedule.upcoming(start);
            each: pattern.iter_from(start, Direction::Forward) => schedule.events(start..);
            each: pattern.iter_before(start) => schedule.events(..start).rev();
            same: pattern.describe() => schedule.describe();
            same: pattern.as_str() => schedule.to_dialect(Dialect::Crontab);
        },
    );
    Ok(())
}

#[test]
fn patterns_of_croner_mean_what_the_guide_says() {
    assert_eq!(croner("0 0 13 * +FRI", SUNDAY, 1), midnights(["2027-08-13"]));
    let mondays = midnights(["2026-11-23", "2026-11-30"]);
    assert_eq!(croner("0 0 ? * MON", SUNDAY, 2), mondays);
    assert_eq!(croner("0 0 0 1 1 * 2030", SUNDAY, 1), midnights(["2030-01-01"]));
    let second = midnights(["2026-12-08", "2026-12-09", "2026-12-10", "2026-12-11", "2026-12-14"]);
    assert_eq!(croner("0 0 * * MON-FRI#2", SUNDAY, 5), second);
    let second = Schedule::parse("*.*.8-14 Mon-Fri 00:00:00").expect("a schedule");
    let days = second.upcoming(zoned(SUNDAY)).take(5).map(|day| in_jiff(&day));
    assert_eq!(croner("0 0 * * MON-FRI#2", SUNDAY, 5), Ok(days.collect()));
    for refused in ["5/15 * * * *", "0 0 L-3 * *", "@midnight"] {
        assert!(croner(refused, SUNDAY, 1).is_err(), "{refused}");
    }
    let odd_days_and_mondays = midnights(["2026-11-23", "2026-11-25", "2026-11-27", "2026-11-29"]);
    assert_eq!(croner("0 0 */2 * MON", SUNDAY, 4), odd_days_and_mondays);
}

#[test]
fn croner_reads_names_stars_and_weekdays_as_the_guide_says() {
    let mornings = |days: [&str; 3]| Ok(days.map(|day| format!("{day} 09:00:00 +0000")).to_vec());
    let daily = ["2026-11-22", "2026-11-23", "2026-11-24"];
    assert_eq!(croner("@DAILY", SUNDAY, 2), midnights(["2026-11-23", "2026-11-24"]));
    let mondays = ["2026-11-23", "2026-11-30", "2026-12-07"];
    assert_eq!(croner("0 9 * * JAN", SUNDAY, 3), mornings(mondays));
    assert_eq!(croner("0 9 * * SUN-SUN", SUNDAY, 3), mornings(daily));
    for refused in ["0 9 *,15 * *", "0 9 * * FRI-0"] {
        assert!(Cron::from_str(refused).is_err(), "{refused}");
    }
    // In 2027, the last day of January is a Sunday.
    let workdays = ["2026-11-30", "2026-12-31", "2027-01-29"];
    assert_eq!(croner("0 9 L,LW * *", SUNDAY, 3), mornings(workdays));
    assert!(Cron::from_str("0 9 * * L").is_ok());
    let error = "CronScheduler time search limit exceeded.";
    assert_eq!(croner("0 9 * * L", SUNDAY, 1), Err(error.to_owned()));
}

#[test]
fn years_of_cron_count_from_1970() {
    let expression = cron::Schedule::from_str("0 0 0 1 1 * */4").expect("an expression");
    let start = chrono_in_zone(SUNDAY);
    let dialect = Dialect::CronCrate.parse("0 0 0 1 1 * */4").expect("an expression");
    assert_eq!(expression.after(&start).next(), dialect.next_event(start));
    let native = schedule!("*/4.1.1 00:00:00");
    assert_ne!(expression.after(&start).next(), native.next_event(start));
}

/// Compares with the answers of Quartz and systemd, in New York.
#[track_caller]
fn check_clock_change(schedule: &Schedule, gap: Gap, fold: Fold, after: &str, expected: &[&str]) {
    let zone = TimeZone::get("America/New_York").expect("a zone");
    let schedule = schedule.in_zone(zone).with_gap(gap).with_fold(fold);
    let start = zoned(&format!("{after}[America/New_York]"));
    let events = schedule.upcoming(start).take(expected.len());
    assert_eq!(events.map(|event| in_jiff(&event)).collect::<Vec<_>>(), expected);
}

/// The answers are those of `CronExpression.getTimeAfter` in Quartz 2.3.2.
#[test]
fn clock_changes_can_be_handled_as_quartz_does() {
    let daily = schedule!(quartz "0 30 2 * * ?");
    let hourly = schedule!(quartz "0 30 * * * ?");
    let check = |schedule, after, expected: &[&str]| {
        check_clock_change(schedule, Gap::Skip, Fold::Second, after, expected);
    };
    check(&daily, "2026-03-07T07:00:00-05:00", &["2026-03-09 02:30:00 -0400"]);
    let around_gap = ["2026-03-08 01:30:00 -0500", "2026-03-08 03:30:00 -0400"];
    check(&hourly, "2026-03-08T01:00:00-05:00", &around_gap);
    let early = schedule!(quartz "0 30 1 * * ?");
    check(&early, "2026-10-31T08:00:00-04:00", &["2026-11-01 01:30:00 -0500"]);
    let around_fold = ["2026-11-01 00:30:00 -0400", "2026-11-01 01:30:00 -0500"];
    check(&hourly, "2026-11-01T00:00:00-04:00", &around_fold);
}

/// The answers are those of `systemd_passes_over_a_gap_and_the_second_pass_of_a_fold`.
#[test]
fn clock_changes_can_be_handled_as_systemd_does() {
    let check = |schedule, after, expected: &[&str]| {
        check_clock_change(schedule, Gap::Skip, Fold::First, after, expected);
    };
    let daily = schedule!(systemd "02:30");
    check(&daily, "2026-03-07T07:00:00-05:00", &["2026-03-09 02:30:00 -0400"]);
    let hours = ["2026-11-01 01:30:00 -0400", "2026-11-01 02:30:00 -0500"];
    check(&schedule!(systemd "*:30"), "2026-11-01T01:00:00-04:00", &hours);
}

#[test]
fn clock_changes_can_be_handled_as_cron_does() {
    let zone = TimeZone::get("America/New_York").expect("a zone");
    for text in ["0 30 1 * * *", "0 30 2 * * *", "0 30 1,2 * * *", "0 0 * * * *"] {
        let expression = cron::Schedule::from_str(text).expect(text);
        let schedule = Dialect::CronCrate.parse(text).expect(text);
        let zoned_schedule = schedule.in_zone(zone.clone());
        let like_cron = zoned_schedule.with_gap(Gap::Skip).with_fold(Fold::Both);
        for start in ["2026-03-07T12:00:00-05:00", "2026-10-31T12:00:00-04:00"] {
            let start = format!("{start}[America/New_York]");
            let theirs = expression.after(&chrono_in_zone(&start)).take(40);
            let mut theirs: Vec<i64> = theirs.map(|event| event.timestamp()).collect();
            theirs.sort_unstable(); // events in a fold are not in order
            let ours = like_cron.upcoming(zoned(&start)).take(40);
            let ours: Vec<i64> = ours.map(|event| event.timestamp().as_second()).collect();
            assert_eq!(theirs, ours, "{text} after {start}");
        }
    }
}
