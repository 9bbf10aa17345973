//! [`DaySet`]: the days of a schedule where they depend on a calendar.
//!
//! A calendar is known only to whoever reads a schedule; in a literal, not even to the macro. So the
//! planner writes a [`DayRule`], which has everything but the days of the calendar, and the days
//! follow from both, at run time or in constant evaluation. Everything here is therefore `const`,
//! and works on whole words of days: a loop over all days, or even over months, would take the
//! compiler too long.

mod months;
mod moves;
mod numbered;
mod rule;
mod set;

pub use months::{date_at, day_index};
pub use moves::MovedDates;
pub use rule::{BusinessSteps, DateRule, DayRule};
pub use set::{ALL_DAYS, DaySet, MONDAYS_TO_FRIDAYS, Years};
