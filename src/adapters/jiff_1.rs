//! jiff 1.

use ::jiff as library;
use ::jiff::ZonedDateTime;

use super::millis;

#[path = "jiff.rs"]
mod adapter;
