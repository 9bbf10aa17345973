//! Tests of schedules in local time: a binary of its own, since the compiler takes as long for a constant of each zone as
//! for all other tests, and compiles both at once.
#![cfg(all(feature = "std", feature = "jiff", feature = "chrono"))]

use millicron_test_support as support;

/// Apart from the others, which are repeated with jiff 0.2.
#[path = "zones/contract.rs"]
mod contract;
#[path = "zones/mod.rs"]
mod zones;
