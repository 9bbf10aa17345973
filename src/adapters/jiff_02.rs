//! jiff 0.2, which calls `ZonedDateTime` `Zoned`.

use ::jiff_02 as library;
use ::jiff_02::Zoned as ZonedDateTime;

use super::millis;

#[path = "jiff.rs"]
#[cfg_attr(
    feature = "jiff",
    expect(clippy::duplicate_mod, reason = "one source for both versions")
)]
mod adapter;
