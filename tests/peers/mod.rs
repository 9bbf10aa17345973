//! Comparisons with other crates.

#[cfg(feature = "chrono")]
mod croner;
#[cfg(feature = "chrono")]
mod croner_pairs;
