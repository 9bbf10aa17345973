#![doc = "The calendar, language, planner and search behind the `millicron` crate."]
//!
//! Use [`millicron`](https://docs.rs/millicron) itself: it wraps what is here in
//! its public types, and what is public here only for it and for the code that
//! `schedule!` generates may change with any release.
//!
//! Data goes one way, and each stage has one home:
//!
//! - [`calendar`] and [`CalendarDigits`] know days, and nothing of schedules;
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

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod bits;
pub mod calendar;
mod digits;
mod error;
mod expression;
mod field;
mod parse;
#[cfg(feature = "alloc")]
mod parsed;
mod plan;
mod schedule;
pub mod search;
#[cfg(feature = "std")]
mod system_time;
mod walk;

pub use digits::{CalendarDigits, DigitsError};
pub use error::{ParseError, ParseErrorKind};
pub use expression::{Expression, Fields, Milliseconds};
pub use field::Field;
pub use schedule::{Compiled, Schedule, Static, Text};
#[cfg(feature = "std")]
pub use system_time::floor_millis;
pub use walk::Walk;

use search::{DatePlan, Plan, TimePlan};

/// Reads a schedule and plans its search. This is what `schedule!` does while
/// the program is compiled, and what parsing does while it runs.
///
/// # Errors
///
/// A text that is not a schedule, or one that would never fire.
///
/// ```
/// // Once an hour, on every day from 2000 to 2100.
/// assert_eq!(millicron_runtime::compile("*:30:00")?.bounds.count, 24 * 36_890);
/// # Ok::<(), millicron_runtime::ParseError>(())
/// ```
#[inline]
pub fn compile(text: &str) -> Result<Plan<DatePlan, TimePlan>, ParseError> {
    let mut plan = Plan::empty();
    fill(&mut plan, text)?;
    Ok(plan)
}

/// Reads a schedule, and plans its search in the place where that will stay: a
/// plan is large.
fn fill(plan: &mut Plan<DatePlan, TimePlan>, text: &str) -> Result<(), ParseError> {
    let located = parse::parse(text)?;
    plan.fill(&located.expression).map_err(|plan::Never(field)| {
        let end = if field == Field::Weekday { located.weekday.end } else { located.date.end };
        ParseError::new(ParseErrorKind::Never { field }, text, located.date.start..end)
    })
}
