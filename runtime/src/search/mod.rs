//! The search: a plan and an instant give an instant.
//!
//! Instants are *offsets* here: milliseconds since 2000-01-01 00:00:00.000, the
//! start of the range, so that all arithmetic is unsigned and below 2^42. Days
//! count from the same origin.
//!
//! A plan has a date part and a time part, each one of a few strategies
//! ([`DatePart`], [`TimePart`]), and a strategy answers for its part alone. [`Plan`]
//! puts the two answers together. The types are generic over the strategies: in
//! a compiled schedule they are known, with all their data, and the compiler
//! folds them to straight-line code; in a parsed one they are the enums
//! [`DatePlan`] and [`TimePlan`], and the same code dispatches on these.
//!
//! No search loops over days, months or years, and none branches on data where
//! the outcome would be hard to predict: a mispredicted branch costs more than
//! all the arithmetic of a search. Candidates are computed side by side and
//! selected; or, in the time, what cannot have an answer below a digit is rounded
//! up to the digit's next value before anything is looked up, or down where the
//! search goes backward, so that no digit carries. Only to select an event by its
//! rank may halve a list of years, some five times.
//!
//! What was tried, in nanoseconds for `next` at random instants, on a machine
//! where a round trip to the civil date and time and back took 8 to 9:
//!
//! - Dates alone (`*.*.01 01:30:00`): to scan the words of two years for one that
//!   has days took 6.9; with the day on the other side of a word in a table, 6.5;
//!   with the years' properties as bytes in place of bits of a word, 5.5; with the
//!   place of a row as one of these, 4.5. A list of the days of four years takes
//!   3.1, and is walked at 1.3 an event where words of a row took 2.4.
//! - Dates on weekdays (`*.9.*/2 1-5 10:00:00`), in the same steps: 10.2, 7.9, 7.4
//!   and 5.6; 4.9 without the time of day; 4.6 with fewer steps to a bit. To look up
//!   a day of the next year in the same table as one of this year, which needs 21
//!   kinds of years in place of 14 shapes, gave 4.3; to keep indices that are never
//!   out of bounds out of the way, 3.9. With a word for each shape of year, where that
//!   holds all days of a year: 3.0.
//! - One time a day: to compute the time of day and to compare it took 1.0 more
//!   than to round the offset up to a day.
//! - A time on few dates (`*.4.6,7 * *:*:*.1,2,3-5,10-20/3`): 9.5 where the time is
//!   always computed, 6.5 at that point behind the branch in `ceil`.
//! - Lists of several digits (`1,3-9/2:5,10-20/3:*/13`): 8.3 digit by digit; 6.0 on
//!   masks of which those below a digit that moves are empty; 4.6 with a table of
//!   the next hour; 4.2 with a bitmap of the day's minutes; 3.5 with that and rounding
//!   up. Rounding up without the bitmap took 4.1.
//! - One list (`*:*:*.1,2,3-5,10-20/3`): 3.6 where the digit carries, 2.4 with
//!   rounding up, 2.1 with no division for milliseconds.
//! - A function pointer for each search of each schedule: no faster than one trait
//!   object for all, and each schedule compiled eight functions: a release build
//!   took 26 to 34 ms a schedule, and takes 2 to 4.
//! - Lists of weekdays (`*.*.31 3 12:14:34`): 4.5 with four days compared one by one,
//!   3.5 with all four in one word.
//! - `prev` of one list: 3.6 with a case for words without a bit, 2.8 without it. Of
//!   several: 4.8 and 4.6 in these steps; 4.4 with minutes counted without the day; 4.1
//!   where a time is rounded down to its minute, and not up to look before that. To
//!   count the minutes of a day from 1, so that none is below 0, was no faster.
//! - `nth` of one list: 11 where the value is found by counting bits, 6.5 where the
//!   lowest are listed; of several, 30 and 11.5. Rows of years took 47 with counts of
//!   each four years and take 37 with those of each: what is looked up is needed for
//!   what is looked up next, six times over. Where all days of a year are in one word:
//!   11 with these listed and the year guessed.
//! - Iteration where each event is compared with the end of the range, and the place of
//!   a reversed bit is found by subtraction: 1.1 an event of one list, 1.2 backward, 1.3
//!   of days listed as bits. With blocks that are cut to the range once, and count
//!   down: 0.9, 0.75 and, by index, 0.9. A function that took and returned the block to be
//!   cut made all slower than before: it kept the block in memory.
//! - Parsing a list of weekdays (`*.*.20-32/5 5 12:14:34`): 750 with the days of each
//!   stretch counted where the index is, each waiting for the last, and a plan moved
//!   twice; 670 without; 550 with each shape of year listed once, and its days copied
//!   eight at a time. Copied from the first year of that shape, which has just been
//!   written, it took 700.
//! - Iteration by arrays of the next 32 events, filled by the strategy: 1.6 to 1.7
//!   times as slow as bits in a register for lists of times and of weekdays, since
//!   an array keeps the whole iterator in memory.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "`&` between booleans is meant: `&&` would be a branch"
)]

mod block;
mod date;
mod plan;
mod range;
mod time;
mod value_set;

pub(crate) use block::{Block, PLACES, Span};
pub(crate) use date::{ALL_WEEKDAYS, Dates, LIST};
pub use date::{DatePart, DatePlan, DayList, EveryDay, Weekdays, YearRows, YearWord};
pub use plan::Plan;
pub(crate) use plan::Search;
pub use range::Bounds;
pub(crate) use range::{DAY, DAY_MILLIS, DAYS};
pub use time::{DayMinutes, FieldProduct, FixedTime, OneField, Stride, TimePart, TimePlan};
pub use value_set::{MillisecondSet, SingleValue, SmallSet, ValueSet};
