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
