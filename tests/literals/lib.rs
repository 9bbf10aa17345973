//! Compares schedules in literals with the oracle, and with the same texts parsed at run time.
//!
//! The program of this package writes programs with random literals, which call [`check`]: `scripts/check-literals`.

use std::process::ExitCode;

use millicron::calendar::MILLIS_PER_DAY;
use millicron::{Calendar, CalendarDigits, Schedule};
use millicron_test_support::compare::{calls, compare_events, compare_queries};
use millicron_test_support::generate::{instant, range};
use millicron_test_support::oracle::{Oracle, read_calendars};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// Returns a runner whose random choices a seed determines.
#[must_use]
pub fn runner(seed: u64) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: 1,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Compares literals with their texts, and prints those that answer otherwise. They may name the calendars, which are
/// given with their names and texts.
///
/// # Panics
///
/// Panics if a calendar has other days than its text, or its text cannot be read.
#[must_use]
pub fn check(
    seed: u64,
    calendars: &[(&str, &str, Calendar)],
    literals: &[(&str, Schedule)],
) -> ExitCode {
    let texts: Vec<_> = calendars.iter().map(|(name, text, _)| (*name, *text)).collect();
    let days = read_calendars(&texts).expect("calendars that the oracle reads");
    let parsed_calendars = Calendar::parse_all(texts).expect("calendars that the library reads");
    for (name, text, calendar) in calendars {
        assert_eq!(*calendar, parsed_calendars[*name], "{text:?}");
        let date = |day: i64| CalendarDigits::from_millis(day * MILLIS_PER_DAY);
        assert!(calendar.iter::<CalendarDigits>().eq(days[*name].days().map(date)), "{text:?}");
    }

    // Many, since a literal takes longer to compile than to compare.
    let questions = (vec(instant(), 32), vec(range(), 8), range(), vec(calls(), 0..40));
    let mut seeded = runner(seed);
    let mut code = ExitCode::SUCCESS;
    for (text, literal) in literals {
        let oracle = Oracle::with_calendars(text, &days);
        let mut runner = TestRunner::new_with_rng(seeded.config().clone(), seeded.new_rng());
        let result = runner.run(&questions, |(instants, ranges, range, calls)| {
            let parsed = Schedule::parse_with(text, &parsed_calendars)
                .map_err(|error| TestCaseError::fail(format!("{error:#}")))?;
            // `==` may compare texts alone, so answers are compared before.
            for (schedule, origin) in [(literal, "compiled"), (&parsed, "parsed")] {
                compare_queries(schedule, &oracle, &instants, &ranges)
                    .and_then(|()| compare_events(schedule, &oracle, range, &calls))
                    .map_err(|error| TestCaseError::fail(format!("{origin}: {error}")))?;
            }
            prop_assert_eq!(literal, &parsed);
            prop_assert_eq!(literal.expression(), parsed.expression());
            prop_assert_eq!(literal.to_string(), parsed.to_string());
            Ok(())
        });
        if let Err(error) = result {
            eprintln!("seed {seed}: {text:?}: {error}");
            code = ExitCode::FAILURE;
        }
    }
    code
}
