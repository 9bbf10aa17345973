//! What the tests share.

#[cfg(feature = "chrono")]
pub(crate) mod croner_pairs;
pub(crate) mod generate;
#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
pub(crate) mod kinds;
pub(crate) mod oracle;
pub(crate) mod units;
