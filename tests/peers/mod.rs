//! Comparisons with other crates.

#[cfg(feature = "chrono")]
mod croner;
