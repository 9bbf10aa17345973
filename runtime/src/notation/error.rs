//! [`DialectError`]: what a dialect cannot express.

use core::fmt;

use super::fields::{is_special_list, starred};
use super::systemd::{days_from_end, has_late_days, is_stride, seconds};
use super::{has_days, has_weekdays};
use crate::expression::LAST_DAY;
#[cfg(feature = "alloc")]
use crate::list::list;
use crate::{Dialect, Expression, Field, Join};

/// An error writing a schedule in a dialect that cannot express it: says what the dialect lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    pub(super) dialect: Dialect,
    /// What the dialect lacks, as the end of a sentence.
    pub(super) missing: &'static str,
    /// The members of a union in the dialect.
    #[cfg(feature = "alloc")]
    pub(super) members: alloc::vec::Vec<alloc::string::String>,
}

impl DialectError {
    pub(super) const fn new(dialect: Dialect, missing: &'static str) -> Self {
        Self {
            dialect,
            missing,
            #[cfg(feature = "alloc")]
            members: alloc::vec::Vec::new(),
        }
    }

    /// Returns the error for a union, whose members are schedules of the dialect.
    #[doc(hidden)]
    #[must_use]
    #[cfg(feature = "alloc")]
    pub const fn of_union(
        dialect: Dialect,
        members: alloc::vec::Vec<alloc::string::String>,
    ) -> Self {
        Self { dialect, missing: "unions", members }
    }

    /// Returns the members of a union, each in the dialect; none if the error is about something
    /// else.
    #[must_use]
    #[cfg(feature = "alloc")]
    pub fn members(&self) -> &[alloc::string::String] {
        &self.members
    }

    /// Returns the error for a dialect, none of which has calendars.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_calendar(dialect: Dialect) -> Self {
        Self::new(dialect, "calendars")
    }

    /// Returns the error for a dialect whose texts cannot have a time zone.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_time_zone(dialect: Dialect) -> Self {
        Self::new(dialect, "time zones in its schedules")
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no {}", self.dialect.name(), self.missing)?;
        #[cfg(feature = "alloc")]
        if !self.members.is_empty() {
            f.write_str(": write one schedule for each member, ")?;
            list(f, self.members.iter(), "and", |f, member| write!(f, "`{member}`"))?;
        }
        Ok(())
    }
}

impl core::error::Error for DialectError {}

/// Returns what a dialect lacks to express an expression, as the end of a sentence.
pub(super) fn missing(expression: &Expression, dialect: Dialect) -> Option<&'static str> {
    let [is_crontab, is_quartz, is_cron_crate, is_systemd] =
        Dialect::ALL.map(|other| other == dialect);
    let window = expression.window.as_ref();
    let relative = &expression.relative;
    let is_either = expression.join == Join::Either;
    let has_both = has_days(expression) && has_weekdays(expression);
    let from_end = days_from_end(expression);
    let rows = [
        (
            window.is_some_and(|window| !is_systemd || !is_stride(window)),
            "windows from one time of day to another with any step",
        ),
        (expression.steps.is_some(), "steps from a date"),
        (!expression.business.moves.is_empty(), "days that are moved to a business day"),
        (expression.business.has_numbers(), "business days by their number in the month"),
        (!is_systemd && expression.millisecond != Expression::ZERO, "milliseconds"),
        (is_crontab && !expression.is_full(Field::Year), "years"),
        (
            is_quartz && expression.next(Field::Year, 2100).is_some(),
            "year 2100: limit the schedule to the years 2000-2099, as in `2000-2099.*.*`",
        ),
        (!is_crontab && is_either, "OR between days of month and weekdays"),
        (
            is_crontab && has_both && !is_either && starred(expression).is_none(),
            "AND between days of month and weekdays, unless one of them is written with `*`",
        ),
        (is_quartz && has_both, "AND between days of month and weekdays"),
        (is_quartz && is_special_list(expression), "lists with `L`, `W` or `#`"),
        (
            (is_cron_crate || is_systemd) && relative.numbered != 0,
            "`#`, the n-th weekday of the month",
        ),
        (
            (is_cron_crate || is_systemd) && relative.nearest | relative.nearest_before_last != 0,
            "`W`, the day from Monday to Friday nearest to a day",
        ),
        (is_cron_crate && from_end != 0, "last day of the month, nor days counted from it"),
        (is_systemd && from_end >> 28 != 0, "days more than 27 days before the last of the month"),
        (
            is_systemd && from_end != 0 && expression.fields.day & !LAST_DAY != 0,
            "list of days that are counted from the start and from the end of the month",
        ),
        (
            is_systemd && has_late_days(from_end),
            "list of days from the end of the month whose n-th item is more than 31 - 3n",
        ),
        (
            is_systemd && seconds(expression).is_none(),
            "lists as long as the fractions of a second need",
        ),
    ];
    rows.into_iter().find(|(is_missing, _)| *is_missing).map(|(_, missing)| missing)
}
