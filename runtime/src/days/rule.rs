//! [`DayRule`]: the days of a schedule, but for those of its calendar.

use super::moves::MovedDates;
use super::set::DaySet;
use crate::search::{DayTables, WORDS};
use crate::{Moves, bits};

/// Days that depend on no calendar.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are two in a rule, used once")]
pub enum DateRule {
    /// Every day.
    All,
    /// Some days.
    Days(DaySet),
}

impl DateRule {
    pub(crate) const fn days(&self) -> DaySet {
        match self {
            Self::All => DaySet::ALL,
            Self::Days(days) => *days,
        }
    }
}

/// Every n-th business day from a day on, counted from the first one at or after it.
#[derive(Clone, Copy, Debug)]
pub struct BusinessSteps {
    /// The day to start from.
    pub from: u32,
    /// The distance in business days, at least 1.
    pub step: u32,
}

/// The days of a schedule, but for those of its calendar.
#[derive(Clone, Copy, Debug)]
pub struct DayRule {
    /// The days that the date selects by itself.
    pub dates: DateRule,
    /// The weekdays that are given as such, if the weekday part has business days too.
    pub weekdays: Option<DateRule>,
    /// The days of the months and years, if days and weekdays are joined by OR.
    pub either_within: Option<DateRule>,
    /// `B`.
    pub is_every: bool,
    /// See [`BusinessDays::numbered`](crate::BusinessDays).
    pub numbered: u32,
    /// See [`BusinessDays::before_last`](crate::BusinessDays).
    pub before_last: u32,
    /// The dates that are moved.
    pub moves: [Option<MovedDates>; Moves::MOST],
    /// Steps in business days, in place of all others.
    pub steps: Option<BusinessSteps>,
    /// Whether all days are days of the calendar.
    pub is_restricted: bool,
}

impl DayRule {
    /// Whether the days are all those of the calendar, whose tables then serve the schedule.
    #[must_use]
    pub fn is_calendar(&self) -> bool {
        let is_plain = matches!(
            self,
            Self { dates: DateRule::All, weekdays: None, steps: None, is_restricted: true, .. }
        );
        is_plain && self.moves.iter().all(Option::is_none)
    }

    /// Returns the days of the schedule, given its business days.
    #[must_use]
    pub const fn days(&self, business: &DaySet) -> DaySet {
        let days = self.days_anywhere(business);
        if self.is_restricted { days.and(business) } else { days }
    }

    /// Returns the days of the schedule with their tables, in one pass less than [`days`](Self::days) needs.
    #[must_use]
    pub const fn tables(&self, business: &DaySet) -> DayTables {
        let within = if self.is_restricted { business } else { &DaySet::ALL };
        self.days_anywhere(business).tables_within(within)
    }

    /// Returns the days, even if they are not in the calendar but must be.
    const fn days_anywhere(&self, business: &DaySet) -> DaySet {
        if let Some(steps) = &self.steps {
            return steps.days(business);
        }
        let mut days = self.dates.days();
        if let Some(weekdays) = &self.weekdays {
            let mut others = weekdays.days();
            if self.is_every {
                others = others.or(business);
            }
            if self.numbered | self.before_last != 0 {
                others = others.or(&business.numbered(self.numbered, self.before_last));
            }
            days = match &self.either_within {
                Some(within) => days.or(&others).and(&within.days()),
                None => days.and(&others),
            };
        }
        let mut index = 0;
        while index < self.moves.len() {
            if let Some(moved) = &self.moves[index] {
                days = days.or(&moved.days(business));
            }
            index += 1;
        }
        days
    }
}

impl BusinessSteps {
    const fn days(self, business: &DaySet) -> DaySet {
        let mut days = DaySet::EMPTY;
        // How many business days to skip.
        let mut skipped = 0;
        let mut index = self.from as usize / 64;
        let mut rest = business.0[index] & u64::MAX << (self.from % 64);
        loop {
            while skipped < rest.count_ones() {
                let place = bits::select(rest, skipped);
                days.0[index] |= 1 << place;
                rest &= u64::MAX << place << 1;
                skipped = self.step - 1;
            }
            skipped -= rest.count_ones();
            index += 1;
            if index == WORDS {
                return days;
            }
            rest = business.0[index];
        }
    }
}
