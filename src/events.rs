//! [`Events`]: the events of a range.
#![allow(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::fmt;
use core::iter::FusedIterator;

use millicron_runtime::Schedule;

use crate::moment::Sealed;
use crate::query::{ScaleOf, bounds, scale_of};
use crate::timescale::{EventWalk, Timescale};
use crate::{Moment, MomentRange};

/// A double-ended iterator over the events of a range, returned by
/// [`Schedule::events`](crate::Schedule::events) and
/// [`Schedule::upcoming`](crate::Schedule::upcoming).
///
/// [`nth`](Iterator::nth), [`nth_back`](DoubleEndedIterator::nth_back), [`last`](Iterator::last),
/// [`count`](Iterator::count) and [`size_hint`](Iterator::size_hint) do not visit the events: a century
/// costs as much as a minute. For moments with a time zone, these methods also look up the clock
/// changes in the range, and `size_hint` has no upper bound; see
/// [`ZonedSchedule`](crate::ZonedSchedule).
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
///
/// const FRIDAY_13: Schedule = schedule!("*.*.13 Fri 12:00:00");
///
/// let start: CalendarDigits = "2026-01-01 00:00:00.000".parse()?;
/// let fridays: Vec<String> =
///     FRIDAY_13.events(start..).take(3).map(|noon| noon.to_string()).collect();
/// assert_eq!(fridays, [
///     "2026-02-13 12:00:00.000",
///     "2026-03-13 12:00:00.000",
///     "2026-11-13 12:00:00.000",
/// ]);
/// assert_eq!(FRIDAY_13.events(..start).next_back().map(CalendarDigits::year), Some(2025));
/// # Ok::<(), millicron::DigitsError>(())
/// ```
pub struct Events<M: Moment, S: Timescale = <M as Sealed>::Scale> {
    walk: S::Walk,
    /// The timescale of the answers.
    scale: M::Scale,
}

impl<M: Moment, S: Timescale> Events<M, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new<R: MomentRange>(schedule: &Schedule, scale: S, range: &R) -> Self
    where
        R::Moment: Moment<Answer = M> + Sealed<Scale = M::Scale>,
    {
        let own: ScaleOf<R> = scale_of(range);
        let (start, end) = bounds(range, &own);
        Self { walk: scale.walk(schedule, start, end), scale: own }
    }

    /// Writes the next events to `out`, as many as fit, and returns how many it wrote. The
    /// rest of `out` is unchanged. This is the fastest way to list the events of a dense
    /// schedule.
    ///
    /// ```
    /// const QUARTERS: millicron::Schedule = millicron::schedule!("*:*/15:00");
    ///
    /// // From 2000-01-01 00:00:00 to 01:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let mut page = [0; 3];
    /// let mut events = QUARTERS.events(946_684_800_000..=946_688_400_000);
    /// assert_eq!(events.fill(&mut page), 3);
    /// assert_eq!(page, [946_684_800_000, 946_685_700_000, 946_686_600_000]);
    /// assert_eq!(events.fill(&mut page), 2);
    /// assert_eq!(page[..2], [946_687_500_000, 946_688_400_000]);
    /// assert_eq!(events.fill(&mut page), 0);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fill(&mut self, out: &mut [M::Answer]) -> usize {
        let room = out.len();
        let mut rest = out.iter_mut();
        while rest.len() > 0
            && self.walk.next_block(rest.len(), |millis| {
                // Skip an event that the type cannot represent.
                if let Some(event) = M::at(self.scale.clone(), millis)
                    && let Some(slot) = rest.next()
                {
                    *slot = event;
                }
            })
        {}
        room - rest.len()
    }
}

impl<M: Moment, S: Timescale> Iterator for Events<M, S> {
    type Item = M::Answer;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<M::Answer> {
        M::at(self.scale.clone(), self.walk.next()?)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nth(&mut self, n: usize) -> Option<M::Answer> {
        M::at(self.scale.clone(), self.walk.take_nth(n as u64)?)
    }

    /// Returns the exact number of events if it fits a `usize`. In a time zone, counting would take
    /// too long.
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self.walk.known_remaining().map(usize::try_from) {
            Some(Ok(remaining)) => (remaining, Some(remaining)),
            Some(Err(_)) => (usize::MAX, None),
            None => (0, None),
        }
    }

    /// Returns the number of remaining events, at most `usize::MAX`. A 32-bit platform can exceed
    /// that; see [`Schedule::count`](crate::Schedule::count).
    fn count(self) -> usize {
        usize::try_from(self.walk.remaining()).unwrap_or(usize::MAX)
    }

    #[inline]
    fn last(mut self) -> Option<M::Answer> {
        self.next_back()
    }
}

impl<M: Moment, S: Timescale> DoubleEndedIterator for Events<M, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_back(&mut self) -> Option<M::Answer> {
        M::at(self.scale.clone(), self.walk.next_back()?)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nth_back(&mut self, n: usize) -> Option<M::Answer> {
        M::at(self.scale.clone(), self.walk.take_nth_back(n as u64)?)
    }
}

impl<M: Moment, S: Timescale> FusedIterator for Events<M, S> {}

impl<M: Moment, S: Timescale> Clone for Events<M, S> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), scale: self.scale.clone() }
    }
}

impl<M: Moment, S: Timescale> fmt::Debug for Events<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.walk.fmt(f)
    }
}
