//! The search: a plan and an instant give an instant.
//!
//! Instants are *offsets* here: milliseconds since 2000-01-01 00:00:00.000, so that all
//! arithmetic is unsigned and below 2^42. Days count from the same origin.
//!
//! A [`Plan`] has a date part and a time part, each one of a few strategies
//! ([`DatePart`], [`TimePart`]), and combines their answers. It is generic over the
//! strategies. In a compiled schedule they are known, with all their data, and the compiler
//! folds them into straight-line code. In a parsed one they are the enums [`DatePlan`] and
//! [`TimePlan`], and the same code dispatches on them.
//!
//! No search loops over days, months or years, and few branch on data, because a
//! mispredicted branch costs more than all the arithmetic of a search. Candidates are
//! computed side by side and selected. In the time, an offset is rounded up past the last
//! value of a field first, so that no field carries into the one above; a backward search
//! rounds down. The exception is finding an event by its rank, which halves a list of years about
//! seven times if years differ too much to guess.
#![allow(clippy::needless_bitwise_bool, reason = "`&` between booleans avoids the branch of `&&`")]

mod block;
mod date;
mod plan;
mod range;
mod time;
mod value_set;

pub(crate) use block::{Block, PLACES, Span};
pub(crate) use date::{ALL_WEEKDAYS, Dates, LIST, march_weekday, weekday_pattern, winter};
pub use date::{
    DatePart, DatePlan, DayBitmap, DayList, DaySteps, DayTables, EveryDay, Weekdays, YearDays,
    YearRows, YearWord,
};
pub use plan::Plan;
pub(crate) use plan::Search;
pub use range::Bounds;
pub(crate) use range::{DAY, DAYS};
pub use time::{
    DayMinutes, FieldProduct, FixedTime, OneField, Stride, TimePart, TimePlan, WindowSteps,
};
pub use value_set::{MillisecondSet, SingleValue, SmallSet, ValueSet};
