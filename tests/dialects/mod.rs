//! Texts in other dialects: their meaning, refused texts, and writing schedules back.

mod advice;
mod arbitrary;
mod meaning;
mod migration;
mod recognition;
mod refusals;
mod round_trips;
#[cfg(feature = "serde")]
mod serde;
mod spans;
