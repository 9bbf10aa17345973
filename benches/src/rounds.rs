//! Interleaved measurements.
//!
//! The speed of a machine varies over time. So measurements that are compared are in one row, and are
//! taken back to back. A round measures all rows in turn. Each round gives one ratio per row, and the
//! result is the median of all rounds.

use std::time::{Duration, Instant};

/// The time for one measurement in one round. A slow measurement takes longer, since it has a minimum
/// number of passes.
const BUDGET: Duration = Duration::from_millis(8);
const LEAST_PASSES: usize = 3;

/// Measurements that are taken back to back.
#[derive(Debug, Default)]
pub struct Row<'a> {
    measurements: Vec<Measurement<'a>>,
}

impl<'a> Row<'a> {
    /// Adds the measurement of a pass, which has the given number of operations.
    pub fn measure(
        &mut self,
        name: impl Into<String>,
        operations: usize,
        pass: impl FnMut() + 'a,
    ) -> &mut Self {
        self.measurements.push(Measurement {
            name: name.into(),
            operations,
            pass: Pass(Box::new(pass)),
            rounds: Vec::new(),
        });
        self
    }

    /// Returns the nanoseconds per operation, if it was measured.
    #[must_use]
    pub fn ns(&self, name: &str) -> Option<f64> {
        Some(median(self.find(name)?.rounds.clone()))
    }

    /// Returns the ratio of two measurements, if both were taken.
    #[must_use]
    pub fn ratio(&self, name: &str, to: &str) -> Option<f64> {
        let rounds = self.find(name)?.rounds.iter().zip(&self.find(to)?.rounds);
        let ratios = rounds.map(|(this, other)| this / other);
        Some(median(ratios.collect()))
    }

    fn find(&self, name: &str) -> Option<&Measurement<'a>> {
        self.measurements.iter().find(|measurement| measurement.name == name)
    }
}

#[derive(Debug)]
struct Measurement<'a> {
    name: String,
    operations: usize,
    pass: Pass<'a>,
    /// Nanoseconds per operation, in each round.
    rounds: Vec<f64>,
}

impl Measurement<'_> {
    /// Adds a round in which a pass took this many nanoseconds.
    fn add_round(&mut self, ns: f64) {
        #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
        self.rounds.push(ns / self.operations as f64);
    }
}

struct Pass<'a>(Box<dyn FnMut() + 'a>);

impl std::fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pass")
    }
}

/// Measures all rows, `rounds` times.
pub fn run<'a, 'b: 'a>(rows: impl IntoIterator<Item = &'a mut Row<'b>>, rounds: usize) {
    let mut rows: Vec<&mut Row<'b>> = rows.into_iter().collect();
    for _ in 0..rounds {
        for row in &mut rows {
            for measurement in &mut row.measurements {
                let ns = median(time_passes(&mut measurement.pass.0));
                measurement.add_round(ns);
            }
        }
    }
}

/// Returns the nanoseconds of each pass until the time is up.
fn time_passes(pass: &mut dyn FnMut()) -> Vec<f64> {
    // The first pass warms caches and branch predictors.
    pass();
    let start = Instant::now();
    let mut passes = Vec::new();
    while passes.len() < LEAST_PASSES || start.elapsed() < BUDGET {
        let start = Instant::now();
        pass();
        passes.push(start.elapsed().as_secs_f64() * 1e9);
    }
    passes
}

/// Returns the median; NaN if there are no values.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Row, run};

    #[test]
    fn times_are_per_operation_and_medians_of_all_rounds() {
        let mut row = Row::default();
        row.measure("one", 1, || ()).measure("ten", 10, || ());
        for (one, ten) in [(30.0, 60.0), (10.0, 10.0), (20.0, 800.0)] {
            row.measurements[0].add_round(one);
            row.measurements[1].add_round(ten);
        }
        assert_eq!((row.ns("one"), row.ns("ten")), (Some(20.0), Some(6.0)));
        assert_eq!(row.ratio("one", "ten"), Some(5.0));
        assert_eq!((row.ns("other"), row.ratio("one", "other")), (None, None));
    }

    #[test]
    fn passes_are_timed() {
        let mut passes = 0;
        let mut row = Row::default();
        let nap = || std::thread::sleep(std::time::Duration::from_millis(1));
        row.measure("one", 1, || passes += 1).measure("nap", 1, nap);
        run([&mut row], 3);
        assert!(row.ns("nap").is_some_and(|ns| ns >= 1e6));
        drop(row);
        assert!(passes > 3);
    }
}
