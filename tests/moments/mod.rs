//! The types that queries accept.

#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
mod adapters;
mod civil;
#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
mod conversions;
#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
mod instants;
#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
mod kinds;

use crate::support::oracle::{END, Oracle, START};
use millicron::Schedule;

const TEXTS: [&str; 6] = [
    "*:*:*.*",
    "*:00:00",
    "*:*:*.1,2,3-5,10-20/3",
    "*.*.32 1-5 23:59:59.999",
    "2000.1.1 00:00:00",
    "2100.12.31 23:59:59.999",
];

fn both(text: &str) -> (Schedule, Oracle) {
    (text.parse().expect("a schedule"), Oracle::new(text))
}

/// Returns civil times in milliseconds at and next to edges: the limits of schedules, the epoch,
/// midnights and events.
fn edges() -> impl Iterator<Item = i64> {
    let edges = [
        START,
        END,
        0,
        -86_400_000,
        -10_000_000_000_000,
        10_000_000_000_000,
        1_614_470_400_000,
        1_614_513_600_000,
        1_614_513_600_004,
        1_614_556_799_999,
    ];
    edges.into_iter().flat_map(|place| place - 2..=place + 2)
}
