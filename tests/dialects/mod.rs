//! Texts of other dialects: what they mean, what is refused, and the way back.

mod advice;
mod arbitrary;
mod meaning;
mod migration;
mod recognition;
mod refusals;
mod round_trips;
#[cfg(feature = "serde")]
mod serde;
