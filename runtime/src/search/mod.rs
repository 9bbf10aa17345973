//! The search: from a plan and an instant to an instant.
//!
//! Instants are *offsets* here: milliseconds since 2000-01-01 00:00:00.000, so that all
//! arithmetic is unsigned and below 2^42. Days count from the same origin.
//!
//! A [`Plan`] has a date part and a time part, each with one of a few strategies ([`DatePart`],
//! [`TimePart`]), and combines their answers. It is generic over the strategies. In a compiled
//! schedule, the strategies and all their data are known, and the compiler folds them into
//! straight-line code. In a parsed schedule, they are the enums [`DatePlan`] and [`TimePlan`], and
//! the same code dispatches on them.
//!
//! No search loops over days, months or years, and few branch on data, because a mispredicted
//! branch costs more than all the arithmetic of a search. Candidates are computed side by side and
//! selected. In the time part, an offset is first rounded up past the last value of a field, so
//! that no field carries into the one above; a backward search rounds down. The exception is
//! finding an event by its rank, which bisects what it cannot guess: a list of years in about seven
//! steps, or the words of a bitmap in about ten.
#![allow(clippy::needless_bitwise_bool, reason = "`&` between booleans avoids the branch of `&&`")]

mod bitmap;
mod block;
mod date;
mod day_times;
mod plan;
mod range;
mod time;
mod value_set;

pub use bitmap::MillisecondSet;
pub(crate) use block::{Block, Enclosing, PLACES, Span};
pub(crate) use date::{
    ALL_WEEKDAYS, Dates, LIST, WORDS, days_before_march, march_weekday, weekday_pattern,
};
pub use date::{
    DatePart, DatePlan, DayBitmap, DayList, DaySteps, DayTables, DayWords, EndRanks, EveryDay,
    Weekdays, WindowEnds, YearDays, YearRows, YearWord,
};
pub use day_times::DayTimes;
pub use plan::Plan;
pub(crate) use plan::Search;
pub use range::Bounds;
pub(crate) use range::{DAY, DAYS};
pub use time::{FieldProduct, FixedTime, OneField, Stride, TimePart, TimePlan, WindowSteps};
pub use value_set::{SingleValue, SmallSet, ValueSet};
