//! The language: what parses, what does not, and the errors.

mod refusals;
mod rules;
#[cfg(feature = "serde")]
mod serde;
mod texts;
