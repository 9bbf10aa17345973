//! Schedules on calendars, unions, and calendars themselves. An argument sets the number of rounds.

use std::fmt::Write as _;
use std::hint::black_box;

use millicron::{Calendar, CalendarDigits, Schedule, calendar, schedule};
use millicron_benches::instants::{self, CENTURY};
use millicron_benches::loops::{Loops, Source, Subject};
use millicron_benches::rounds::{self, Row};
use millicron_benches::table::{Bound, Table};
use millicron_benches::{floors, is_bench};

const ROUNDS: usize = 15;

/// The days from Monday to Friday, so that the same schedules can be written without a calendar.
const OFFICE: Calendar = calendar!("*.*.* Mon-Fri");

fn main() {
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    println!("{}", searches(rounds));
    println!("{}", unions(rounds));
    println!("{}", arithmetic(rounds));
    println!("{}", making(rounds));
}

/// Returns a subject whose schedule is a constant in its loops.
macro_rules! subject {
    ($schedule:expr) => {{
        #[derive(Debug)]
        enum This {}

        impl Source for This {
            #[inline]
            fn schedule(_: &Schedule) -> &Schedule {
                const SCHEDULE: &Schedule = &$schedule;
                SCHEDULE
            }
        }

        Subject::new(const { &Loops::of::<This>() }, $schedule)
    }};
}

/// Measures the searches of schedules on a calendar, compared with the same schedules without one.
fn searches(rounds: usize) -> Table {
    let pairs = [
        (
            "a fixed time",
            subject!(schedule!("*.*.* Mon-Fri 09:30:00")),
            subject!(schedule!("09:30:00 @OFFICE", OFFICE)),
        ),
        (
            "a window",
            subject!(schedule!("*.*.* Mon-Fri 09:30:00..16:00:00/15m")),
            subject!(schedule!("09:30:00..16:00:00/15m @OFFICE", OFFICE)),
        ),
        (
            "lists",
            subject!(schedule!("*.*.* Mon-Fri 9,12,17:*/10:00")),
            subject!(schedule!("9,12,17:*/10:00 @OFFICE", OFFICE)),
        ),
        (
            "dates",
            subject!(schedule!("*.*.15W 12:00:00")),
            subject!(schedule!("*.*.15W 12:00:00 @OFFICE", OFFICE)),
        ),
        (
            "business days",
            subject!(schedule!("*.*.* Mon-Fri 12:00:00")),
            subject!(schedule!("*.*.* B#3,B#L 12:00:00 @OFFICE", OFFICE)),
        ),
    ];
    let instants = instants::random();
    let mut rows: Vec<_> = pairs
        .iter()
        .map(|(_, plain, on)| {
            let mut row = Row::default();
            for (name, subject) in [("plain", plain), ("on", on)] {
                let len = instants.len();
                row.measure(format!("next {name}"), len, || {
                    black_box(subject.next(black_box(&instants)));
                });
                row.measure(format!("prev {name}"), len, || {
                    black_box(subject.prev(black_box(&instants)));
                });
                row.measure(format!("matches {name}"), len, || {
                    black_box(subject.matches(black_box(&instants)));
                });
            }
            row.measure("floor", instants.len(), || {
                black_box(floors::dates(black_box(&instants)));
            });
            row
        })
        .collect();
    rounds::run(&mut rows, rounds);
    let headers = [
        "on a calendar",
        "next, ns",
        "next / without (≤ 1.5)",
        "next / floor (≤ 0.9)",
        "prev / without (≤ 1.5)",
        "prev / floor (≤ 0.9)",
        "matches / without (≤ 1.5)",
        "matches / floor (≤ 0.9)",
    ];
    let mut table = Table::new("Compiled schedules on a calendar", &headers);
    for ((label, ..), row) in pairs.iter().zip(&rows) {
        let mut cells = table.row(label);
        cells.figure(row.ns("next on"), Bound::None);
        for query in ["next", "prev", "matches"] {
            let on = format!("{query} on");
            cells.figure(row.ratio(&on, &format!("{query} plain")), Bound::AtMost(1.5));
            cells.figure(row.ratio(&on, "floor"), Bound::AtMost(0.9));
        }
    }
    table
}

/// Measures unions, compared with their members.
fn unions(rounds: usize) -> Table {
    let cases = [
        (
            "apart",
            subject!(schedule!(
                "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00; *.*.* Wed-Fri 09:30:00..16:00:00/15m"
            )),
            vec![
                subject!(schedule!("*.*.* Mon 09:00:00")),
                subject!(schedule!("*.*.* Tue 10:00:00")),
                subject!(schedule!("*.*.* Wed-Fri 09:30:00..16:00:00/15m")),
            ],
        ),
        (
            "the same days",
            subject!(schedule!("*:*/2:00; *:*/3:00; *:*/5:00")),
            vec![
                subject!(schedule!("*:*/2:00")),
                subject!(schedule!("*:*/3:00")),
                subject!(schedule!("*:*/5:00")),
            ],
        ),
        (
            "overlapping days",
            subject!(schedule!(
                "*.*.* Mon-Fri 9-17:*/10:00; *.*.1,15 *:*/15:00; *.*.* B#L 12:00:00 @OFFICE",
                OFFICE
            )),
            vec![
                subject!(schedule!("*.*.* Mon-Fri 9-17:*/10:00")),
                subject!(schedule!("*.*.1,15 *:*/15:00")),
                subject!(schedule!("*.*.* B#L 12:00:00 @OFFICE", OFFICE)),
            ],
        ),
    ];
    let instants = &instants::random();
    let spans: Vec<_> =
        cases.iter().map(|(_, union, _)| instants::spans(union.schedule(), CENTURY)).collect();
    let mut rows: Vec<_> = cases
        .iter()
        .zip(&spans)
        .map(|((_, union, members), spans)| {
            let mut row = Row::default();
            row.measure("next", instants.len(), move || {
                black_box(union.next(black_box(instants)));
            });
            row.measure("next of members", instants.len(), move || {
                for member in members {
                    black_box(member.next(black_box(instants)));
                }
            });
            row.measure("count", spans.len(), || {
                black_box(union.count(black_box(spans)));
            });
            row.measure("count of a member", spans.len() * members.len(), move || {
                for member in members {
                    black_box(member.count(black_box(spans)));
                }
            });
            row.measure("nth", spans.len(), || {
                black_box(union.nth(black_box(spans)));
            });
            row
        })
        .collect();
    rounds::run(&mut rows, rounds);
    let headers = [
        "a union of three",
        "next, ns",
        "next / sum of its members (≤ 1.3)",
        "count of a century, ns",
        "count / count of a member (≤ 20)",
        "nth, ns",
    ];
    let mut table = Table::new("Compiled unions", &headers);
    for ((label, ..), row) in cases.iter().zip(&rows) {
        table
            .row(label)
            .figure(row.ns("next"), Bound::None)
            .figure(row.ratio("next", "next of members"), Bound::AtMost(1.3))
            .figure(row.ns("count"), Bound::None)
            .figure(row.ratio("count", "count of a member"), Bound::AtMost(20.0))
            .figure(row.ns("nth"), Bound::None);
    }
    table
}

/// Measures business-day arithmetic.
fn arithmetic(rounds: usize) -> Table {
    let dates: Vec<_> = instants::random().into_iter().map(CalendarDigits::from_millis).collect();
    let mut rows = [2, -5, 250].map(|n| {
        let mut row = Row::default();
        let dates = &dates;
        row.measure("add", dates.len(), move || {
            for date in dates {
                black_box(OFFICE.add(black_box(*date), n));
            }
        });
        row
    });
    rounds::run(&mut rows, rounds);
    let mut table = Table::new("Business days", &["days", "`add`, ns (≤ 10)"]);
    for (n, row) in ["2", "-5", "250"].into_iter().zip(&rows) {
        table.row(n).figure(row.ns("add"), Bound::AtMost(10.0));
    }
    table
}

/// Measures how long it takes to make calendars and schedules at run time.
fn making(rounds: usize) -> Table {
    let mut dates = String::from("*.*.* Mon-Fri\n");
    let mut rules = dates.clone();
    for line in 0..1000 {
        let (year, month, day) = (2000 + line % 100, line % 12 + 1, line % 28 + 1);
        let _ = writeln!(dates, "- {year}-{month:02}-{day:02}  # a holiday");
        let _ = writeln!(rules, "- {year}.{month}.{day}");
    }
    let calendars = [("office", OFFICE)];
    let mut row = Row::default();
    row.measure("dates", 1, || {
        black_box(Calendar::parse(black_box(&dates)).is_ok());
    });
    row.measure("rules", 1, || {
        black_box(Calendar::parse(black_box(&rules)).is_ok());
    });
    let texts = [
        ("on", "*.*.* 09:30:00..=16:00:00/15m @office"),
        ("numbered", "*.*.* B#3,B#L-2 09:00:00 @office"),
        ("moved", "*.*.15>B,25<B!-2 12:00:00 @office"),
        ("union", "*:*/2:00; *:*/3:00 @office"),
    ];
    for (name, text) in texts {
        row.measure(name, 1, || {
            black_box(Schedule::parse_with(black_box(text), &calendars).is_ok());
        });
    }
    rounds::run([&mut row], rounds);
    let mut table = Table::new("Making calendars and schedules", &["", "µs"]);
    let microseconds = |name| row.ns(name).map(|ns| ns / 1000.0);
    table
        .row("a calendar of 1,000 ISO dates (≤ 200)")
        .figure(microseconds("dates"), Bound::AtMost(200.0));
    table
        .row("a calendar of 1,000 rules (≤ 200)")
        .figure(microseconds("rules"), Bound::AtMost(200.0));
    for (name, text) in texts {
        let bound = if name == "union" { Bound::None } else { Bound::AtMost(50.0) };
        table.row(&format!("`{text}` (≤ 50, but for unions)")).figure(microseconds(name), bound);
    }
    table
}
