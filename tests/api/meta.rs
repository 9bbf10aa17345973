//! Guarantees about the types: size, auto traits and allocations.

use std::fmt::Write;
use std::hint::black_box;
use std::iter::FusedIterator;

use allocation_counter::measure;
use millicron::{
    CalendarDigits, Dialect, DialectError, Events, Field, ParseError, ParseErrorKind, Schedule,
    schedule,
};

const fn is_send_and_sync<T: Send + Sync + Unpin + 'static>() {}
const fn is_double_ended<T: DoubleEndedIterator + FusedIterator + Clone>() {}

const _: () = {
    is_send_and_sync::<Schedule>();
    is_send_and_sync::<Events<i64>>();
    is_send_and_sync::<ParseError>();
    is_send_and_sync::<ParseErrorKind>();
    is_send_and_sync::<CalendarDigits>();
    is_send_and_sync::<Dialect>();
    is_send_and_sync::<DialectError>();
    is_send_and_sync::<Field>();
    is_double_ended::<Events<i64>>();
    is_double_ended::<Events<CalendarDigits>>();
    is_double_ended::<Events<std::time::SystemTime>>();
};

#[test]
fn size() {
    assert!(size_of::<Schedule>() <= 16);
    assert_eq!(size_of::<Option<Schedule>>(), size_of::<Schedule>());
    assert!(size_of::<ParseError>() <= 128);
    assert!(size_of::<CalendarDigits>() <= 16);
}

/// A schedule for each search strategy and for each kind of date.
static COMPILED: [Schedule; 8] = [
    schedule!("*:00:00"),
    schedule!("*:*:*.*/5"),
    schedule!("*:*:*.1,2,3-5,10-20/3"),
    schedule!("*.*.* 1-5 09:30:00"),
    schedule!("*.*.32 12:00:00"),
    schedule!("*.02.29 6 12:00:00"),
    schedule!("2100.12.31 23:59:59.999"),
    schedule!("*.*.20-32/5 5 1,3-9/2,15,20-23:5,10-20/3,44:*/13"),
];

fn run_all_queries(schedule: &Schedule) {
    for at in [i64::MIN, 0, 1_614_513_600_000, 4_000_000_000_123, i64::MAX] {
        let at = black_box(at);
        black_box(schedule.next_event(at));
        black_box(schedule.nearest_event(at));
        black_box(schedule.prev_event(CalendarDigits::from_millis(at)));
        black_box(schedule.nearest_prev_event(at));
        black_box(schedule.matches(at));
        black_box(schedule.count(at..));
        let mut events = schedule.events(..at);
        let mut filled = [0; 5];
        black_box(events.fill(&mut filled));
        black_box((events.next(), events.next_back(), events.nth(7), events.nth_back(7)));
        black_box((events.size_hint(), events.clone().count(), events.last()));
    }
    let copy = black_box(schedule.clone());
    assert_eq!(copy, *schedule);
    black_box(copy.expression());
}

#[test]
fn queries_of_compiled_schedules_never_allocate() {
    for schedule in &COMPILED {
        let used = measure(|| run_all_queries(schedule));
        assert_eq!(used.count_total, 0, "{schedule}");
    }
    let used = measure(|| {
        // A temporary rather than a static.
        run_all_queries(&schedule!("*.*.13 5 *:00:00"));
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn parsing_short_texts_allocates_once_and_queries_never() {
    for schedule in &COMPILED {
        let text = schedule.expression();
        let mut parsed = None;
        let used = measure(|| parsed = text.parse::<Schedule>().ok());
        // A schedule is a single allocation; a long text is stored in a second one.
        let pieces = if text.len() <= 46 { 1 } else { 2 };
        assert!((1..=pieces).contains(&used.count_total), "{text}");
        assert_eq!(used.count_current.unsigned_abs(), used.count_total, "{text}");
        let pieces = used.count_current;
        let parsed = parsed.expect("a compiled expression");
        let used = measure(|| run_all_queries(&parsed));
        assert_eq!(used.count_total, 0, "{text}");
        // Comparing a compiled with a parsed schedule does not allocate.
        let used = measure(|| assert!(parsed == *schedule));
        assert_eq!(used.count_total, 0, "{text}");
        let left = measure(|| drop(parsed)).count_current;
        assert_eq!(left, -pieces, "{text}");
    }
}

#[test]
fn parse_errors_never_allocate() {
    for text in ["", "24:00:00", "*.2.30 0:0:0", "*/5 * * * *", "１:0:0"] {
        let used = measure(|| {
            let error = black_box(text).parse::<Schedule>().expect_err("an invalid expression");
            black_box((error.kind(), error.span()));
        });
        assert_eq!(used.count_total, 0, "{text}");
    }
}

/// Discards what is written.
struct Sink;

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        black_box(text);
        Ok(())
    }
}

#[test]
fn translating_a_text_of_another_dialect_never_allocates() {
    let parse_native = |text: &str| text.parse::<Schedule>().expect_err("another dialect");
    for text in ["*/5 * * * *", "CRON_TZ=UTC @daily", "Mon..Fri 9:30", "H H * * *"] {
        let used = measure(|| {
            let native = parse_native(black_box(text));
            let dialect = Dialect::Quartz.parse(black_box(text)).expect_err("another dialect");
            write!(Sink, "{native:#} {dialect:#}").expect("a sink");
        });
        assert_eq!(used.count_total, 0, "{text}");
    }
}

#[test]
fn allocations_are_counted() {
    // If the counter did not work, the other tests would pass regardless.
    let used = measure(|| drop(black_box(Box::new(1))));
    assert_eq!(used.count_total, 1);
}

/// README.md contains an example that is also a runnable program.
#[test]
fn readme_contains_the_zones_example() {
    let (_, code) = include_str!("../../examples/zones.rs").split_once("\n\n").expect("a heading");
    assert!(include_str!("../../README.md").contains(&format!("```rust\n{code}```\n")));
}
