//! Guarantees about the types: sizes, auto traits, and no allocations.

use std::hint::black_box;
use std::iter::FusedIterator;

use allocation_counter::measure;
use millicron::{CalendarDigits, Events, Field, ParseError, ParseErrorKind, Schedule, schedule};

const fn is_free_to_move<T: Send + Sync + Unpin + 'static>() {}
const fn is_an_iterator<T: DoubleEndedIterator + FusedIterator + Clone>() {}

const _: () = {
    is_free_to_move::<Schedule>();
    is_free_to_move::<Events<i64>>();
    is_free_to_move::<ParseError>();
    is_free_to_move::<ParseErrorKind>();
    is_free_to_move::<CalendarDigits>();
    is_free_to_move::<Field>();
    is_an_iterator::<Events<i64>>();
    is_an_iterator::<Events<CalendarDigits>>();
    is_an_iterator::<Events<std::time::SystemTime>>();
};

#[test]
fn public_types_are_small() {
    assert!(size_of::<Schedule>() <= 16);
    assert_eq!(size_of::<Option<Schedule>>(), size_of::<Schedule>());
    assert!(size_of::<ParseError>() <= 128);
    assert!(size_of::<CalendarDigits>() <= 16);
}

/// A schedule for each search strategy and each kind of date.
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

fn use_all_of(schedule: &Schedule) {
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
        let used = measure(|| use_all_of(schedule));
        assert_eq!(used.count_total, 0, "{schedule}");
    }
    let used = measure(|| {
        // Created where it is used.
        use_all_of(&schedule!("*.*.13 5 *:00:00"));
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn parsing_allocates_once_and_queries_never_allocate() {
    for schedule in &COMPILED {
        let text = schedule.expression();
        let mut parsed = None;
        let used = measure(|| parsed = text.parse::<Schedule>().ok());
        // One allocation holds everything; only a long text has its own.
        let pieces = if text.len() <= 46 { 1 } else { 2 };
        assert!((1..=pieces).contains(&used.count_total), "{text}");
        assert_eq!(used.count_current.unsigned_abs(), used.count_total, "{text}");
        let pieces = used.count_current;
        let parsed = parsed.expect("it is compiled, too");
        let used = measure(|| use_all_of(&parsed));
        assert_eq!(used.count_total, 0, "{text}");
        // Comparing compiled and parsed schedules does not allocate.
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
            let error = black_box(text).parse::<Schedule>().expect_err("a refusal");
            black_box((error.kind(), error.span()));
        });
        assert_eq!(used.count_total, 0, "{text}");
    }
}

#[test]
fn allocations_are_counted() {
    // If the counter were not installed, every test above would pass.
    let used = measure(|| drop(black_box(Box::new(1))));
    assert_eq!(used.count_total, 1);
}

/// README.md shows an example that also runs by itself.
#[test]
fn the_readme_shows_the_example_of_zones() {
    let (_, code) = include_str!("../../examples/zones.rs").split_once("\n\n").expect("a heading");
    assert!(include_str!("../../README.md").contains(&format!("```rust\n{code}```\n")));
}
