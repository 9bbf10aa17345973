//! The language: valid texts, invalid texts, and the errors.

mod messages;
pub(super) mod refusals;
mod relative_days;
mod rules;
#[cfg(feature = "serde")]
mod serde;
mod texts;
mod windows;
