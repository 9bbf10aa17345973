//! [`DialectError`]: what a dialect cannot express.

use core::fmt;

use crate::Dialect;

/// An error writing a schedule in a dialect that cannot express it: says what the dialect lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    pub(super) dialect: Dialect,
    pub(super) missing: Missing,
}

/// What a dialect lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Milliseconds,
    Years,
    LastYear,
    Windows,
    DateSteps,
    /// Days of month and weekdays that must both match.
    Both,
    /// Days of month or weekdays, one of which must match.
    Either,
    /// `L`.
    LastDay,
    /// `L-n` too far from the end.
    FarFromEnd,
    /// Days counted from the end, too far from it for their places in the list.
    LateDays,
    /// Days counted from the end, together with other days.
    MixedDays,
    /// `aW`.
    NearestWeekdays,
    /// `a#k`.
    NumberedWeekdays,
    /// A list with `L`, `W` or `#`.
    SpecialLists,
    LongLists,
    TimeZones,
}

impl DialectError {
    /// Returns the error for a dialect whose texts cannot have a time zone.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_time_zone(dialect: Dialect) -> Self {
        Self { dialect, missing: Missing::TimeZones }
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, missing } = self;
        let article = if *dialect == Dialect::CronCrate { "the " } else { "" };
        write!(f, "{article}{dialect} has no ")?;
        f.write_str(match (missing, dialect) {
            (Missing::Milliseconds, _) => "milliseconds",
            (Missing::Years, _) => "years",
            (Missing::LastYear, _) => {
                "year 2100: limit the schedule to the years 2000-2099, as in `2000-2099.*.*`"
            }
            (Missing::Windows, _) => "windows from one time of day to another with any step",
            (Missing::DateSteps, _) => "steps in days or weeks from a date",
            (Missing::Both, Dialect::Crontab) => {
                "AND between days of month and weekdays, unless one of them is written with `*`"
            }
            (Missing::Both, _) => "AND between days of month and weekdays",
            (Missing::Either, _) => "OR between days of month and weekdays",
            (Missing::LastDay, _) => "last day of the month, nor days counted from it",
            (Missing::FarFromEnd, _) => "days more than 27 days before the last of the month",
            (Missing::LateDays, _) => {
                "list of days from the end of the month whose n-th item is more than 31 - 3n"
            }
            (Missing::MixedDays, _) => {
                "list of days that are counted from the start and from the end of the month"
            }
            (Missing::NearestWeekdays, _) => "`W`, the day from Monday to Friday nearest to a day",
            (Missing::NumberedWeekdays, _) => "`#`, the n-th weekday of the month",
            (Missing::SpecialLists, _) => "lists with `L`, `W` or `#`",
            (Missing::TimeZones, _) => "time zones in its schedules",
            (Missing::LongLists, _) => "lists as long as the fractions of a second need",
        })
    }
}

impl core::error::Error for DialectError {}
