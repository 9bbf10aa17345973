//! Quantiles of how late runs start.

use std::time::Duration;

/// Quantiles in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
}

/// Returns the quantiles, which are NaN if there are no values.
pub fn percentiles(late: &mut [Duration]) -> Lateness {
    late.sort_unstable();
    let micros = |percent: usize| {
        let value = late.get(late.len() * percent / 100);
        value.map_or(f64::NAN, |late| late.as_secs_f64() * 1e6)
    };
    Lateness { p50: micros(50), p99: micros(99) }
}
