//! What the benches of `millicron` have in common.
//!
//! - [`cases`]: the schedules, and the loops that ask them, one by one;
//! - [`instants`]: when they are asked;
//! - [`floors`]: the least work that an answer of its kind could do;
//! - [`peers`]: other crates, and how each of them says a case;
//! - [`rounds`]: measurements that take turns;
//! - [`table`]: figures beside the bounds that were asked for.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "only the benches use these types"
)]

pub mod cases;
pub mod floors;
pub mod instants;
pub mod loops;
pub mod peers;
pub mod rounds;
pub mod table;

// The same second opinion that the tests of `millicron` go by.
#[path = "../../tests/support/oracle/mod.rs"]
mod oracle;

use std::time::Duration;

use criterion::Criterion;

/// Criterion, set so that a subject with hundreds of benches takes minutes.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(20)
        .configure_from_args()
}

/// Whether the program was started to measure: `cargo bench` says so, and
/// `cargo test` does not.
#[must_use]
pub fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
