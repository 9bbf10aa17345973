//! Measures three queries on a schedule that fires every five seconds: the first ten events of a
//! year, the number of events in that year, and the last of them.
//!
//! Each library answers in UTC, in its shortest way. Parsing is included. In this workspace, debug
//! builds optimize the runtime of `millicron`; users' debug builds do not. To measure what users see:
//!
//! ```sh
//! cargo run -p millicron-compare --example every_5_seconds \
//!     --config profile.dev.package.millicron-runtime.opt-level=0
//! ```

use std::str::FromStr;
use std::time::Instant;

use chrono::{DateTime, TimeZone as _, Utc};
use jiff::Zoned;
use jiff::tz::TimeZone;

/// 2026-01-01 00:00:00 and 2027-01-01 00:00:00 UTC, in seconds since 1970-01-01.
const YEAR: [i64; 2] = [1_767_225_600, 1_798_761_600];

/// The first ten events, the number of events, and the last event, in seconds since 1970-01-01.
type Answers = (Vec<i64>, usize, Option<i64>);

type Library = fn() -> Answers;

fn main() {
    let libraries: [(&str, Library); 5] = [
        ("millicron, compiled", compiled),
        ("millicron, parsed", parsed),
        ("croner", croner),
        ("cron", cron),
        ("jiff-cron", jiff_cron),
    ];
    let first = (YEAR[0]..).step_by(5).take(10).collect();
    let expected = (first, 6_307_200, Some(YEAR[1] - 5));
    for (name, answers) in libraries {
        let start = Instant::now();
        let answers = answers();
        println!("{name:<20} {:>12.3} ms", start.elapsed().as_secs_f64() * 1000.0);
        assert_eq!(answers, expected, "{name}");
    }
}

fn compiled() -> Answers {
    const EVERY_5_SECONDS: millicron::Schedule = millicron::schedule!("*:*:*/5");
    millicron(&EVERY_5_SECONDS)
}

fn parsed() -> Answers {
    millicron(&millicron::Schedule::parse("*:*:*/5").expect("a schedule"))
}

fn millicron(schedule: &millicron::Schedule) -> Answers {
    let [start, end] = YEAR.map(|second| second * 1000);
    let seconds = |millis: i64| millis / 1000;
    let events = schedule.events(start..end);
    let first = events.clone().take(10).map(seconds).collect();
    (first, events.clone().count(), events.last().map(seconds))
}

fn croner() -> Answers {
    let cron = croner::Cron::from_str("*/5 * * * * *").expect("a pattern");
    let [start, end] = YEAR.map(chrono_instant);
    let first = cron.iter_from(start, croner::Direction::Forward).take(10);
    let count =
        cron.iter_from(start, croner::Direction::Forward).take_while(|at| *at < end).count();
    let last = cron.find_previous_occurrence(&end, false).ok();
    (first.map(|at| at.timestamp()).collect(), count, last.map(|at| at.timestamp()))
}

fn cron() -> Answers {
    let schedule = cron::Schedule::from_str("*/5 * * * * *").expect("an expression");
    let [start, end] = [chrono_instant(YEAR[0] - 1), chrono_instant(YEAR[1])];
    let first = schedule.after(&start).take(10);
    let count = schedule.after(&start).take_while(|at| *at < end).count();
    let last = schedule.after(&end).next_back();
    (first.map(|at| at.timestamp()).collect(), count, last.map(|at| at.timestamp()))
}

fn jiff_cron() -> Answers {
    let schedule = jiff_cron::Schedule::from_str("*/5 * * * * *").expect("an expression");
    let [start, end] = [jiff_instant(YEAR[0] - 1), jiff_instant(YEAR[1])];
    let first = schedule.after(start.clone()).take(10);
    let count = schedule.after(start.clone()).take_while(|at| *at < end).count();
    let last = schedule.after(end.clone()).next_back();
    let seconds = |at: Zoned| at.timestamp().as_second();
    (first.map(seconds).collect(), count, last.map(seconds))
}

fn chrono_instant(second: i64) -> DateTime<Utc> {
    Utc.timestamp_opt(second, 0).single().expect("an instant")
}

fn jiff_instant(second: i64) -> Zoned {
    jiff::Timestamp::from_second(second).expect("an instant").to_zoned(TimeZone::UTC)
}
