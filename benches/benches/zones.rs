//! Schedules in local time, compared with the same query in civil time and the offset lookups that it
//! takes. An argument sets the number of rounds.

use std::hint::black_box;

use chrono_tz::Tz;
use jiff::Zoned;
use jiff::tz::TimeZone;
use millicron::{ChronoZone, Offsets, Zone, ZonedSchedule};
use millicron_benches::cases::CASES;
use millicron_benches::instants::{self, CENTURY, DAY, MINUTE, Span};
use millicron_benches::is_bench;
use millicron_benches::rounds::{self, Row};
use millicron_benches::table::{Bound, Table};

const ROUNDS: usize = 15;

const ZONE: &str = "America/New_York";

/// The largest number of events that an iteration visits.
const EVENTS: u64 = 1000;

/// A year, in milliseconds.
const YEAR: i64 = 365 * DAY;
const DECADE: i64 = 10 * YEAR;

fn main() {
    let zones = (TimeZone::get(ZONE), ZONE.parse::<Tz>());
    let (Ok(jiff), Ok(chrono)) = zones else {
        eprintln!("the databases have no {ZONE}");
        return;
    };
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    println!("{}", questions("jiff", &jiff, rounds));
    println!("{}", questions("chrono", &ChronoZone(chrono), rounds));
    println!("{}", moments(&jiff, rounds));
    println!("{}", counts("jiff", &jiff, rounds));
    println!("{}", counts("chrono", &ChronoZone(chrono), rounds));
}

/// Compares a query with its parts: the lookup of the instant, the query in civil time, and the lookup
/// of the answer. Each depends on the one before, so together they take longer than each alone.
fn questions(name: &str, zone: &impl Zone, rounds: usize) -> Table {
    let instants = instants::random();
    let title = format!("{name}: one search in {ZONE}");
    let headers = [
        "case",
        "in civil time, ns",
        "look-up of an instant, ns",
        "of a civil time, ns",
        "next, ns",
        "next / its parts (≤ 1)",
        "prev, ns",
        "prev / its parts (≤ 1)",
        "matches, ns",
    ];
    let mut table = Table::new(&title, &headers);
    for case in CASES {
        let schedule = case.compiled.schedule();
        let zoned = schedule.in_zone(zone);
        let mut row = Row::default();
        let all = instants.len();
        row.measure("civil", all, || {
            each(black_box(&instants), |t| black_box(schedule).next_event(t).unwrap_or(0));
        });
        row.measure("offset", all, || {
            each(black_box(&instants), |t| zone.offset_at(t).into());
        });
        row.measure("offsets", all, || {
            each(black_box(&instants), |t| offset_of(zone.offsets_of(t)));
        });
        row.measure("parts of next", all, || {
            each(black_box(&instants), |t| {
                let event = schedule.next_event(t + i64::from(zone.offset_at(t))).unwrap_or(0);
                event - offset_of(zone.offsets_of(event))
            });
        });
        row.measure("parts of prev", all, || {
            each(black_box(&instants), |t| {
                let event = schedule.prev_event(t + i64::from(zone.offset_at(t))).unwrap_or(0);
                event - offset_of(zone.offsets_of(event))
            });
        });
        row.measure("next", all, || {
            each(black_box(&instants), |t| zoned.next_event(t).unwrap_or(0));
        });
        row.measure("prev", all, || {
            each(black_box(&instants), |t| zoned.prev_event(t).unwrap_or(0));
        });
        row.measure("matches", all, || {
            each(black_box(&instants), |t| zoned.matches(t).into());
        });
        rounds::run([&mut row], rounds);
        table
            .row(case.label)
            .figure(row.ns("civil"), Bound::None)
            .figure(row.ns("offset"), Bound::None)
            .figure(row.ns("offsets"), Bound::None)
            .figure(row.ns("next"), Bound::None)
            .figure(row.ratio("next", "parts of next"), Bound::AtMost(1.0))
            .figure(row.ns("prev"), Bound::None)
            .figure(row.ratio("prev", "parts of prev"), Bound::AtMost(1.0))
            .figure(row.ns("matches"), Bound::None);
    }
    table
}

/// Returns an offset of a lookup, so that it is used.
fn offset_of(offsets: Offsets) -> i64 {
    match offsets {
        Offsets::One(offset) => offset.into(),
        Offsets::Gap { before, .. } | Offsets::Fold { before, .. } => before.into(),
    }
}

/// Adds up the answers at all instants.
fn each(instants: &[i64], ask: impl Fn(i64) -> i64) {
    black_box(instants.iter().fold(0_i64, |sum, &t| sum.wrapping_add(ask(t))));
}

/// Measures moments that carry their zone, and iteration.
fn moments(zone: &TimeZone, rounds: usize) -> Table {
    let instants = instants::random();
    let at = |t: i64| jiff::Timestamp::from_millisecond(t).map(|at| at.to_zoned(zone.clone()));
    let moments: Vec<Zoned> = instants.iter().filter_map(|&t| at(t).ok()).collect();
    let title = format!("jiff: `Zoned` in {ZONE}, and an event of many");
    let headers = ["case", "in i64, ns", "in `Zoned`, ns", "forward, ns", "backward, ns"];
    let mut table = Table::new(&title, &headers);
    for case in CASES {
        let schedule = case.compiled.schedule();
        let zoned = schedule.in_zone(zone);
        // Few schedules have fewer events.
        let len = schedule.count(instants::RANGE).min(EVENTS);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let mut row = Row::default();
        row.measure("i64", instants.len(), || {
            each(black_box(&instants), |t| zoned.next_event(t).unwrap_or(0));
        });
        row.measure("zoned", moments.len(), || {
            for moment in black_box(&moments) {
                black_box(black_box(schedule).next_event(moment));
            }
        });
        row.measure("forward", len, || {
            black_box(zoned.events(instants::RANGE).take(len).fold(0_i64, i64::wrapping_add));
        });
        row.measure("backward", len, || {
            black_box(zoned.events(instants::RANGE).rev().take(len).fold(0_i64, i64::wrapping_add));
        });
        rounds::run([&mut row], rounds);
        table
            .row(case.label)
            .figure(row.ns("i64"), Bound::None)
            .figure(row.ns("zoned"), Bound::None)
            .figure(row.ns("forward"), Bound::None)
            .figure(row.ns("backward"), Bound::None);
    }
    table
}

/// Measures counting, for ranges of several lengths.
fn counts(name: &str, zone: &impl Zone, rounds: usize) -> Table {
    const LENGTHS: [i64; 5] = [MINUTE, DAY, YEAR, DECADE, CENTURY];
    const SPANS: usize = 64;
    let title = format!("{name}: count in {ZONE}, by the length of the range, ns");
    let headers = ["case", "a minute", "a day", "a year", "ten years", "a century"];
    let mut table = Table::new(&title, &headers);
    for case in CASES {
        let schedule = case.compiled.schedule();
        let zoned = schedule.in_zone(zone);
        let spans = LENGTHS.map(|length| instants::spans(schedule, length));
        let mut row = Row::default();
        for (length, spans) in LENGTHS.iter().zip(&spans) {
            row.measure(length.to_string(), SPANS, || count(&zoned, black_box(&spans[..SPANS])));
        }
        rounds::run([&mut row], rounds);
        let mut cells = table.row(case.label);
        for length in LENGTHS {
            cells.figure(row.ns(&length.to_string()), Bound::None);
        }
    }
    table
}

fn count(zoned: &ZonedSchedule<impl Zone>, spans: &[Span]) {
    for span in spans {
        black_box(zoned.count(span.start..span.end));
    }
}
