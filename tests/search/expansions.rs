//! Compiles the snapshots of the macro's expansions like handwritten code, so that all lints apply
//! to them. Most lints ignore code that a macro expands to.
#![deny(
    warnings,
    let_underscore,
    nonstandard_style,
    rust_2018_idioms,
    unused,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    missing_debug_implementations,
    missing_docs,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]

use millicron::{CalendarDigits, Schedule};

/// Includes each snapshot in a module of the same name.
macro_rules! snapshots {
    ($($name:ident),* $(,)?) => {
        $(
            #[allow(clippy::redundant_pub_crate, reason = "`unreachable_pub` requires it")]
            mod $name {
                include!(concat!("../../macros/tests/expansions/", stringify!($name), ".rs"));
            }
        )*

        const SNAPSHOTS: &[(&str, Schedule)] = &[$((stringify!($name), $name::SCHEDULE)),*];
    };
}

snapshots!(
    dates_at,
    dates_dense,
    dates_on_weekdays_at,
    dates_on_weekdays_stride,
    every_day_product_one_millisecond,
    every_day_product_milliseconds,
    every_day_millis,
    every_day_once,
    every_day_one_millisecond_field,
    every_day_one_small_field,
    every_day_stride,
    day_list_at,
    day_or_weekday_at,
    day_steps_at,
    window,
    year_word_at,
    weekdays_at,
);

#[test]
fn every_snapshot_is_compiled() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/macros/tests/expansions");
    let files = std::fs::read_dir(folder).expect("the folder of the snapshots");
    assert_eq!(files.count(), SNAPSHOTS.len());
}

#[test]
fn snapshots_answer_like_parsed_schedules() {
    let starts = [
        CalendarDigits::MIN,
        CalendarDigits::new(2028, 2, 29, 12, 0, 0, 0).expect("a leap day"),
        CalendarDigits::MAX,
    ];
    for (name, compiled) in SNAPSHOTS {
        let parsed: Schedule = compiled.expression().parse().expect("a compiled expression");
        assert_eq!(&parsed, compiled, "{name}");
        for start in starts {
            let next = |schedule: &Schedule| schedule.events(start..).take(100).collect::<Vec<_>>();
            assert_eq!(next(&parsed), next(compiled), "{name} from {start}");
            let back = |schedule: &Schedule| {
                let events = schedule.events(..start).rev();
                events.take(100).collect::<Vec<_>>()
            };
            assert_eq!(back(&parsed), back(compiled), "{name} until {start}");
        }
    }
}
