//! Reads that all tests share.

use std::ops::{ControlFlow, RangeInclusive};

use millicron_history::History;

/// The milliseconds of an hour.
pub(crate) const HOUR: i64 = 3_600_000;

pub(crate) fn successes<H: History<Error: std::fmt::Debug>>(
    history: &H,
    job: &str,
    range: RangeInclusive<i64>,
) -> Vec<i64> {
    let mut successes = Vec::new();
    let visited = history.successes(job, range, &mut |success| {
        successes.push(success);
        ControlFlow::Continue(())
    });
    visited.expect("the read succeeds");
    successes
}

pub(crate) fn all<H: History<Error: std::fmt::Debug>>(history: &H, job: &str) -> Vec<i64> {
    successes(history, job, i64::MIN..=i64::MAX)
}

/// Returns the numbers from 0 up to `count`, exclusive.
pub(crate) fn first(count: i64) -> Vec<i64> {
    (0..count).collect()
}
