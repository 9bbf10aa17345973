//! The types of other crates: as moments, and as zones. Each has a feature of its
//! crate's name, and no other part of this crate knows of it.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
mod civil;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "time")]
mod time;

#[cfg(feature = "chrono")]
pub use chrono::ChronoZone;

/// An offset in milliseconds.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
const fn millis(seconds: i32) -> i32 {
    seconds * 1000
}
