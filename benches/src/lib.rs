//! Shared code of the benches of `millicron`.
//!
//! - [`cases`]: the schedules;
//! - [`instants`]: the instants of the queries;
//! - [`floors`]: the least work that an answer of each kind takes;
//! - [`lateness`]: quantiles of how late runs start;
//! - [`cpu`]: the CPU time of the process;
//! - [`peers`]: other crates, and how each of them expresses a case;
//! - [`pipelines`]: a pipeline of a thousand jobs;
//! - [`rounds`]: interleaved measurements;
//! - [`table`]: tables of measurements and their bounds.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "only the benches use these types"
)]

pub mod cases;
pub mod cpu;
pub mod floors;
pub mod instants;
pub mod lateness;
pub mod loops;
pub mod peers;
pub mod pipelines;
pub mod rounds;
pub mod table;

// The oracle of the tests of `millicron`.
use millicron_test_support::oracle;

use std::time::Duration;

use criterion::Criterion;

/// Returns a configuration of Criterion with which hundreds of benchmarks take only minutes.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(20)
        .configure_from_args()
}

/// Returns whether the program should measure: `cargo bench` passes a flag, and `cargo test` does not.
#[must_use]
pub fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
