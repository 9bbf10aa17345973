//! The date strategies.
//!
//! | strategy | days | example |
//! | --- | --- | --- |
//! | [`EveryDay`] | all | `*:00:00` |
//! | [`Weekdays`] | some weekdays, on any date | `*.*.* 1-5 09:30:00` |
//! | [`DayList`] | a list of all days, or of the days in 4 or 28 years | `*.*.1 01:30:00` |
//! | [`DaySteps`] | in equal steps from a date | `2026.01.05/2w Mon,Thu 09:00:00` |
//! | [`YearWord`] | at most 24 days of every year, within 64 days | `*.9.*/2 1-5 10:00:00` |
//! | [`YearRows`] | any other days of the calendar | `*.*.1-7 1-5 10:00:00` |
//! | [`DayBitmap`] | any days | `2026.01.05/2w Fri#2 09:00:00` |

mod day_bitmap;
mod day_list;
mod day_steps;
mod day_tables;
mod every_day;
mod lists;
mod part;
mod plan;
mod ranks;
mod weekdays;
mod window_ends;
mod year_rows;
mod year_summary;
mod year_word;
mod years;

pub use day_bitmap::DayBitmap;
pub use day_list::DayList;
pub use day_steps::DaySteps;
pub(crate) use day_tables::WORDS;
pub use day_tables::{DayTables, DayWords};
pub use every_day::EveryDay;
pub(crate) use part::{ALL_WEEKDAYS, Dates, LIST};
pub use part::{DatePart, YearDays};
pub use plan::DatePlan;
pub use weekdays::Weekdays;
pub(crate) use weekdays::weekday_pattern;
pub use window_ends::{EndRanks, WindowEnds};
pub use year_rows::YearRows;
pub use year_word::YearWord;
pub(crate) use years::{days_before_march, march_weekday};
