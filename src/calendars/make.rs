//! Makes calendars from dates, schedules and other calendars.

use core::fmt;
use core::ops::{BitAnd, BitOr, Not, Sub};

use millicron_runtime::days::DaySet;
use millicron_runtime::{self as runtime, FIRST_DAY};

use super::text::IsoDate;
use super::{Calendar, CivilDate, DAYS, index};
use crate::Schedule;
use crate::calendar::MILLIS_PER_DAY;

/// A date outside 2000-2100, which no calendar can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateOutOfRange {
    date: (i32, u8, u8),
}

impl fmt::Display for DateOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is outside the range of calendars: expected a date from 2000-01-01 to 2100-12-31",
            IsoDate(self.date)
        )
    }
}

impl core::error::Error for DateOutOfRange {}

impl Calendar {
    fn of(days: &DaySet) -> Self {
        Self(runtime::Calendar::new(days))
    }

    fn days(&self) -> DaySet {
        DaySet(*self.0.tables().words())
    }

    /// Returns the calendar of some dates, in any order. Without dates, it is empty.
    ///
    /// # Errors
    ///
    /// Returns an error if a date is outside 2000-2100.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits};
    ///
    /// let christmas: CalendarDigits = "2026-12-25 00:00:00".parse()?;
    /// let holidays = Calendar::from_dates([christmas])?;
    /// assert_eq!(holidays.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_dates<D: CivilDate>(
        dates: impl IntoIterator<Item = D>,
    ) -> Result<Self, DateOutOfRange> {
        let mut days = DaySet::EMPTY;
        for date in dates {
            match u32::try_from(index(&date)) {
                Ok(day) if day < DAYS => days.insert(day),
                _ => return Err(DateOutOfRange { date: date.date() }),
            }
        }
        Ok(Self::of(&days))
    }

    /// Returns the calendar of the days on which a schedule has events.
    ///
    /// ```
    /// use millicron::{Calendar, schedule};
    ///
    /// let fridays = Calendar::from_schedule(&schedule!("*.*.13 Fri 12:00:00"));
    /// assert_eq!(fridays, Calendar::parse("*.*.13 Fri")?);
    /// # Ok::<(), millicron::CalendarError>(())
    /// ```
    #[must_use]
    pub fn from_schedule(schedule: &Schedule) -> Self {
        let mut days = DaySet::EMPTY;
        let mut event = schedule.nearest_event(i64::MIN);
        while let Some(at) = event {
            let day = at.div_euclid(MILLIS_PER_DAY);
            if let Ok(day) = u32::try_from(day - FIRST_DAY) {
                days.insert(day);
            }
            event = schedule.nearest_event((day + 1) * MILLIS_PER_DAY);
        }
        Self::of(&days)
    }
}

/// Implements an operator for calendars and references to them.
macro_rules! operator {
    ($(#[$doc:meta])* $Operator:ident, $operate:ident, $on_days:ident) => {
        $(#[$doc])*
        impl $Operator<&Calendar> for &Calendar {
            type Output = Calendar;

            fn $operate(self, other: &Calendar) -> Calendar {
                Calendar::of(&self.days().$on_days(&other.days()))
            }
        }

        $(#[$doc])*
        impl $Operator for Calendar {
            type Output = Self;

            fn $operate(self, other: Self) -> Self {
                $Operator::$operate(&self, &other)
            }
        }

        $(#[$doc])*
        impl $Operator<&Self> for Calendar {
            type Output = Self;

            fn $operate(self, other: &Self) -> Self {
                $Operator::$operate(&self, other)
            }
        }

        $(#[$doc])*
        impl $Operator<Calendar> for &Calendar {
            type Output = Calendar;

            fn $operate(self, other: Calendar) -> Calendar {
                $Operator::$operate(self, &other)
            }
        }
    };
}

operator! {
    /// The days of either calendar.
    BitOr, bitor, or
}
operator! {
    /// The days of both calendars.
    BitAnd, bitand, and
}
operator! {
    /// The days of the first calendar that the second one does not have.
    Sub, sub, minus
}

/// The days from 2000 to 2100 that the calendar does not have.
impl Not for &Calendar {
    type Output = Calendar;

    fn not(self) -> Calendar {
        Calendar::of(&DaySet::ALL.minus(&self.days()))
    }
}

/// The days from 2000 to 2100 that the calendar does not have.
impl Not for Calendar {
    type Output = Self;

    fn not(self) -> Self {
        !&self
    }
}
