//! The date strategies.
//!
//! | strategy | days | example |
//! | --- | --- | --- |
//! | [`EveryDay`] | all | `*:00:00` |
//! | [`Weekdays`] | some weekdays, on any date | `*.*.* 1-5 09:30:00` |
//! | [`DayList`] | a list of all days, or of those in 4 or 28 years | `*.*.1 01:30:00` |
//! | [`YearWord`] | at most 24 days of every year, within 64 days | `*.9.*/2 1-5 10:00:00` |
//! | [`YearRows`] | any others | `*.*.1-7 1-5 10:00:00` |

mod day_list;
mod every_day;
mod lists;
mod part;
mod plan;
mod weekdays;
mod year_rows;
mod year_summary;
mod year_word;
mod years;

pub use day_list::DayList;
pub use every_day::EveryDay;
pub use part::DatePart;
pub(crate) use part::{ALL_WEEKDAYS, Dates, LIST};
pub use plan::DatePlan;
pub use weekdays::Weekdays;
pub use year_rows::YearRows;
pub use year_word::YearWord;
