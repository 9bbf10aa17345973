//! Code that the tests of all packages share: an oracle and comparisons with it, random schedules, and
//! real servers.
//!
//! It is a separate package, so that it is compiled once. So is the oracle, which is optimized even where the tests are
//! not. Nothing else here runs for long: optimizing the random schedules would take longer than making them.

pub mod compare;
pub mod counts;
pub mod directory;
pub mod generate;
pub mod processes;
#[cfg(unix)]
pub mod servers;
pub mod threads;
pub mod units;

pub use millicron_test_oracle as oracle;

/// Returns whether the long tests run in full, which is the case if `MILLICRON_FULL_TESTS` is set
/// to anything but 0.
pub fn is_full() -> bool {
    std::env::var_os("MILLICRON_FULL_TESTS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// By default, a long test runs one in this many of its cases.
const SHORT: u32 = 20;

/// Returns the size of a long test: a twentieth of `full`, or all of it if the long tests run in full.
pub fn scaled(full: u64) -> u64 {
    if is_full() { full } else { full.div_ceil(SHORT.into()) }
}

/// Returns a twentieth of the items, or all of them if the long tests run in full.
///
/// The sample has one item of each twenty, at varying positions, so that it does not miss patterns
/// that repeat every twenty items.
pub fn sample<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let is_full = is_full();
    let every = SHORT as usize;
    let is_in = move |index: usize| is_full || index % every == index / every * 3 % every;
    items.into_iter().enumerate().filter(move |(index, _)| is_in(*index)).map(|(_, item)| item)
}
