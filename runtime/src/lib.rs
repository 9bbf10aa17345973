#![doc = "The calendar, language, planner and search behind the `millicron` crate."]
//!
//! Use [`millicron`](https://docs.rs/millicron) itself: it wraps what is here in
//! its public types, and what is public here only for it and for the code that
//! `schedule!` generates may change with any release.
//!
//! Data goes one way, and each stage has one home:
//!
//! - [`calendar`] knows days, and nothing of schedules;
//! - `parse` reads a text into an [`Expression`], or a [`ParseError`] that
//!   points at the mistake;
//! - `plan` chooses a strategy for the date and one for the time of day;
//! - [`search`] answers for a plan;
//! - [`Schedule`] is a plan that was compiled or parsed, asked in milliseconds.
//!
//! The crate needs neither `std` nor an allocator, and depends on nothing. With
//! the feature `alloc` schedules can be parsed while the program runs.
#![no_std]
#![allow(
    clippy::inline_always,
    reason = "the data of a compiled search are constants only where all of it is inlined"
)]
#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "only the crates of the same version use these types, and match them in full"
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod bits;
pub mod calendar;
mod compile;
mod error;
mod expression;
mod field;
mod handle;
mod parse;
#[cfg(feature = "alloc")]
mod parsed;
mod planner;
mod schedule;
pub mod search;
mod walk;

pub use compile::compile;
pub use error::{ParseError, ParseErrorKind};
pub use expression::{Expression, Fields, Milliseconds};
pub use field::Field;
pub use handle::{Compiled, StaticRef, Str};
pub use schedule::Schedule;
pub use walk::Walk;
