//! Tests of the public interface of `millicron`, by area.
//
// `search::expansions` needs these lints, which only take effect at the crate root.
#![deny(future_incompatible, rust_2021_compatibility, rust_2024_compatibility)]

mod api;
#[cfg(feature = "std")]
mod calendar;
#[cfg(feature = "std")]
mod calendars;
#[cfg(feature = "std")]
mod describe;
#[cfg(feature = "std")]
mod dialects;
#[cfg(feature = "std")]
mod intervals;
#[cfg(feature = "std")]
mod language;
#[cfg(feature = "std")]
mod moments;
#[cfg(feature = "std")]
mod periods;
#[cfg(feature = "std")]
mod phrases;
#[cfg(feature = "std")]
mod recurrences;
#[cfg(feature = "std")]
mod search;

#[cfg(feature = "std")]
use millicron_test_support as support;
