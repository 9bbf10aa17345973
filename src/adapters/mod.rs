//! Moments and time zones from other crates. Each crate has a feature of the same name, and the
//! rest of this crate does not depend on it.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "serde")]
pub mod dialects;
#[cfg(feature = "jiff-02")]
mod jiff_02;
#[cfg(feature = "jiff")]
mod jiff_1;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "time")]
mod time;

#[cfg(feature = "chrono")]
pub use chrono::ChronoZone;

/// Converts an offset to milliseconds.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "jiff-02", feature = "time"))]
const fn millis(seconds: i32) -> i32 {
    seconds * 1000
}
