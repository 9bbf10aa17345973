#![doc = "The calendar, language, planner and search behind the `millicron` crate."]
//!
//! Use [`millicron`](https://docs.rs/millicron) instead: it wraps these types in its own
//! interface. Anything here may change in any release.
//!
//! Data flows one way:
//!
//! - [`calendar`] converts between days and civil dates;
//! - [`compile()`] parses a text into an [`Expression`], or a [`ParseError`] that points at the
//!   offending characters, and plans its search: it chooses one strategy for the date and one
//!   for the time of day;
//! - [`search`] contains the strategies;
//! - [`Schedule`] is a compiled or a parsed plan, queried in milliseconds; [`Walk`] iterates
//!   over its events.
//!
//! The crate has no dependencies and needs neither `std` nor an allocator. With the `alloc`
//! feature, schedules can be parsed at run time.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "alloc"),
    allow(dead_code, unused_imports, reason = "without an allocator, nothing is planned")
)]
#![allow(
    clippy::inline_always,
    reason = "the compiler folds the data of a search into its code only if all of it is inlined"
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

mod advice;
mod bits;
pub mod calendar;
#[cfg(feature = "alloc")]
mod calendar_text;
#[cfg(feature = "alloc")]
mod compile;
mod const_or_owned;
pub mod days;
mod dialect;
mod dots;
mod error;
mod expression;
mod field;
mod handle;
mod list;
#[cfg(feature = "alloc")]
mod members;
mod named;
mod notation;
pub mod overlap;
mod parse;
#[cfg(feature = "alloc")]
mod parsed;
#[cfg(feature = "alloc")]
mod phrase;
#[cfg(feature = "alloc")]
mod planner;
mod schedule;
mod schedule_ref;
pub mod search;
mod spans;
#[cfg(not(feature = "alloc"))]
mod uninhabited;
#[cfg(feature = "alloc")]
mod union;
mod union_plan;
mod walk;
#[cfg(feature = "alloc")]
mod zoned;

#[cfg(feature = "alloc")]
pub use calendar_text::{
    CalendarError, CalendarStep, calendars_named_in, circular_calendar, compile_calendar,
    parse_calendar,
};
#[cfg(feature = "alloc")]
pub use compile::{OnCalendar, Planned, PlannedMember, PlannedUnion, compile, compile_with_zone};
pub use dialect::Dialect;
pub use dots::split_at_dots;
pub use error::{ParseError, ParseErrorKind};
pub use expression::{
    BusinessDays, DateSteps, Expression, Fields, Join, Milliseconds, Move, Moves, RelativeDays,
    StepUnit, Window,
};
pub use field::{Field, is_like_weekdays};
pub use handle::{
    Compiled, CompiledUnion, FIRST_DAY, FIRST_INSTANT, LAST_DAY, LAST_INSTANT, Schedule, StaticRef,
    Str,
};
pub use list::list;
#[cfg(feature = "alloc")]
pub use members::{MemberDays, without_last_semicolon};
pub use named::Calendar;
#[cfg(feature = "alloc")]
pub use named::Calendars;
pub use notation::{DialectError, Notation};
#[cfg(feature = "alloc")]
pub use phrase::Phrase;
pub use schedule_ref::ScheduleRef;
pub use spans::Spans;
pub use union_plan::{CountMembers, Events, MOST_MEMBERS, Pair, PlanOf, UnionPlan};
pub use walk::Walk;
#[cfg(feature = "alloc")]
pub use zoned::{
    ZonedParseError, ZonedParseErrorKind, Zones, find_zone, nearest_names, parse_zoned,
    zone_in_dialect,
};

/// The README, whose example is a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
