//! A crate that denies warnings and all common lints, and forbids others, so that an expansion
//! cannot allow them.
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#![forbid(
    future_incompatible,
    keyword_idents,
    let_underscore,
    nonstandard_style,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    unused,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    meta_variable_misuse,
    missing_abi,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unreachable_pub,
    unsafe_code,
    unused_crate_dependencies,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

use millicron::{Calendar, Moment, Schedule, StaticZone, ZonedSchedule, calendar, schedule, zone};

/// A schedule without tables.
pub const HOURLY: Schedule = schedule!("*:00:00");
/// Schedules with tables.
pub static ALL: [Schedule; 5] = [
    HOURLY,
    schedule!("*.*.* Mon-Fri 09:30:00"),
    schedule!("*.*.13 Fri 12:00:00"),
    schedule!("*.Feb.29 Sat 22-23,0-6:*:0.*/250"),
    schedule!("*.*.32 *:*:*.1,2,3-5,10-20/3"),
];

// These have the names of constants that the macro writes.
const WORDS0: Calendar = calendar!("*.*.* Mon-Fri");
const COUNTING: Calendar = calendar!("*.*.1,15\n2026-01-30");
/// A union with days of its members, every day and other days, with a window over midnight, and with times that are not
/// minutes.
pub const UNION: Schedule = schedule!(
    "22:00:00.250..06:00:00/7m @a; *.*.* B#L *:*:*.*/250 @b; *.*.9 03:00:00; *:*/10:00",
    a = WORDS0,
    b = COUNTING
);

/// Schedules in a time zone, and a zone.
pub static IN_ZONES: [ZonedSchedule<StaticZone>; 2] =
    [schedule!("*.*.* Mon-Fri 09:30:00 America/New_York"), schedule!("*:*/15:00 Europe/Berlin")];
/// A zone.
pub const TOKYO: StaticZone = zone!("Asia/Tokyo");

/// A schedule in the field of a struct.
#[derive(Debug)]
#[non_exhaustive]
pub struct Job {
    /// When the job runs.
    pub schedule: Schedule,
}

impl Default for Job {
    fn default() -> Self {
        Self { schedule: schedule!("*.*.* Sun 03:00:00") }
    }
}

/// A schedule in an associated constant.
pub trait Daily {
    /// When the job runs.
    const SCHEDULE: Schedule = schedule!("09:30:00");
}

impl Daily for Job {}

/// Uses a schedule in a generic function.
pub fn next<M: Moment>(moment: M) -> Option<M::Answer> {
    schedule!("8-17:*/20,59:00").next_event(moment)
}

/// Returns a schedule from a `const` function.
#[must_use]
pub const fn otherwise() -> Schedule {
    schedule!("*:10,20-22:30")
}

#[cfg(test)]
mod tests {
    use super::{ALL, Daily, HOURLY, IN_ZONES, Job, TOKYO, UNION, next, otherwise};

    #[test]
    fn schedules_under_strict_lints_answer() {
        assert_eq!(ALL[0], HOURLY);
        assert_ne!(Job::SCHEDULE, Job::default().schedule);
        assert_eq!(next(0), Some(946_713_600_000));
        assert_eq!(IN_ZONES[1].next_event(0), Some(946_684_800_000 - 3_600_000));
        assert_eq!(HOURLY.in_zone(TOKYO).zone().name(), "Asia/Tokyo");
        assert_eq!(otherwise().next_event(0), Some(946_685_430_000));
    }

    #[test]
    fn a_union_under_strict_lints_counts_its_events() {
        // Two months, from 2026-01-01.
        let range = 1_767_225_600_000_i64..1_772_323_200_000;
        assert_eq!(UNION.count(range.clone()), UNION.events(range).fold(0, |count, _| count + 1));
    }
}
