//! jiff 0.2 with the names of jiff 1.

pub use jiff_02::Zoned as ZonedDateTime;
pub use jiff_02::*;
