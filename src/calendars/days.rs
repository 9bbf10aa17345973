//! [`CalendarDays`]: the days of a calendar, one after the other.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use millicron_runtime as runtime;

use super::{Calendar, CivilDate, date_of};

/// A double-ended iterator over the days of a calendar, returned by [`Calendar::iter`].
pub struct CalendarDays<D> {
    calendar: runtime::Calendar,
    /// How many days precede the remaining ones.
    start: u32,
    /// How many days precede those that were taken from the back.
    end: u32,
    dates: PhantomData<fn() -> D>,
}

impl<D: CivilDate> CalendarDays<D> {
    pub(super) fn of(calendar: &Calendar) -> Self {
        let end = calendar.len();
        Self { calendar: calendar.0.clone(), start: 0, end, dates: PhantomData }
    }

    fn at(&self, rank: u32) -> Option<D> {
        date_of(self.calendar.tables().select(rank))
    }
}

impl<D: CivilDate> Iterator for CalendarDays<D> {
    type Item = D;

    fn next(&mut self) -> Option<D> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<D> {
        let skipped = u32::try_from(n).unwrap_or(u32::MAX);
        let rank = self.start.saturating_add(skipped).min(self.end);
        self.start = (rank + 1).min(self.end);
        if rank < self.end { self.at(rank) } else { None }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = (self.end - self.start) as usize;
        (remaining, Some(remaining))
    }

    fn count(self) -> usize {
        self.len()
    }

    fn last(mut self) -> Option<D> {
        self.next_back()
    }
}

impl<D: CivilDate> DoubleEndedIterator for CalendarDays<D> {
    fn next_back(&mut self) -> Option<D> {
        self.nth_back(0)
    }

    fn nth_back(&mut self, n: usize) -> Option<D> {
        let skipped = u32::try_from(n).unwrap_or(u32::MAX);
        let end = self.end.saturating_sub(skipped).max(self.start);
        let rank = end.checked_sub(1).filter(|rank| *rank >= self.start);
        self.end = rank.unwrap_or(self.start);
        self.at(rank?)
    }
}

impl<D: CivilDate> ExactSizeIterator for CalendarDays<D> {}

impl<D: CivilDate> FusedIterator for CalendarDays<D> {}

impl<D> Clone for CalendarDays<D> {
    fn clone(&self) -> Self {
        Self { calendar: self.calendar.clone(), ..*self }
    }
}

impl<D> fmt::Debug for CalendarDays<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remaining = self.end - self.start;
        f.debug_struct("CalendarDays").field("remaining", &remaining).finish_non_exhaustive()
    }
}
