//! [`Events`]: the events of a range.
#![expect(
    clippy::inline_always,
    reason = "so that a constant schedule is still one where it is searched, whatever the program around it"
)]

use core::fmt;
use core::iter::FusedIterator;

use crate::Moment;
use crate::clock::{Clock, Steps};
use crate::moment::Read;

/// The events of a range, from both ends; made by
/// [`Schedule::events`](crate::Schedule::events).
///
/// [`nth`](Iterator::nth), [`nth_back`](DoubleEndedIterator::nth_back),
/// [`last`](Iterator::last), [`count`](Iterator::count) and
/// [`size_hint`](Iterator::size_hint) do not enumerate: a century costs what a
/// minute costs. By the clocks of a zone, though, each change of these in the range
/// costs some look-ups, and `size_hint` tells nothing; see
/// [`ZonedSchedule`](crate::ZonedSchedule).
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
///
/// const NOON: Schedule = schedule!("*.*.13 Fri 12:00:00");
///
/// let start: CalendarDigits = "2026-01-01 00:00:00.000".parse()?;
/// let fridays: Vec<String> = NOON.events(start..).take(3).map(|noon| noon.to_string()).collect();
/// assert_eq!(fridays, [
///     "2026-02-13 12:00:00.000",
///     "2026-03-13 12:00:00.000",
///     "2026-11-13 12:00:00.000",
/// ]);
/// assert_eq!(NOON.events(..start).next_back().map(CalendarDigits::year), Some(2025));
/// # Ok::<(), millicron::DigitsError>(())
/// ```
pub struct Events<M: Moment, C: Clock = <M as Read>::Clock> {
    walk: C::Walk,
    /// That of the answers.
    clock: M::Clock,
}

impl<M: Moment, C: Clock> Events<M, C> {
    #[inline]
    pub(crate) fn new(walk: C::Walk, clock: M::Clock) -> Self {
        Self { walk, clock }
    }

    /// Writes the next events to `out`, as many as there are and it has room
    /// for, and returns how many; what is beyond these stays as it was. Dense
    /// schedules are written many at a time.
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
    #[inline(always)]
    pub fn fill(&mut self, out: &mut [M::Answer]) -> usize {
        let room = out.len();
        let mut rest = out.iter_mut();
        while rest.len() > 0
            && self.walk.next_block(rest.len(), |millis| {
                // An answer that its type can not hold takes no place.
                if let Some(event) = M::at(&self.clock, millis)
                    && let Some(slot) = rest.next()
                {
                    *slot = event;
                }
            })
        {}
        room - rest.len()
    }
}

impl<M: Moment, C: Clock> Iterator for Events<M, C> {
    type Item = M::Answer;

    #[inline(always)]
    fn next(&mut self) -> Option<M::Answer> {
        M::at(&self.clock, self.walk.next()?)
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<M::Answer> {
        M::at(&self.clock, self.walk.take_nth(n as u64)?)
    }

    /// Exact, but where it is more than a `usize` holds. By the clocks of a zone it
    /// takes too long to know.
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self.walk.known_remaining().map(usize::try_from) {
            Some(Ok(remaining)) => (remaining, Some(remaining)),
            Some(Err(_)) => (usize::MAX, None),
            None => (0, None),
        }
    }

    /// The number of events left; `usize::MAX` where it is more than that, which
    /// only a platform of 32 bits or fewer can meet. See
    /// [`Schedule::count`](crate::Schedule::count).
    fn count(self) -> usize {
        usize::try_from(self.walk.remaining()).unwrap_or(usize::MAX)
    }

    #[inline]
    fn last(mut self) -> Option<M::Answer> {
        self.next_back()
    }
}

impl<M: Moment, C: Clock> DoubleEndedIterator for Events<M, C> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<M::Answer> {
        M::at(&self.clock, self.walk.next_back()?)
    }

    #[inline(always)]
    fn nth_back(&mut self, n: usize) -> Option<M::Answer> {
        M::at(&self.clock, self.walk.take_nth_back(n as u64)?)
    }
}

impl<M: Moment, C: Clock> FusedIterator for Events<M, C> {}

impl<M: Moment<Clock: Clone>, C: Clock<Walk: Clone>> Clone for Events<M, C> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), clock: self.clock.clone() }
    }
}

impl<M: Moment, C: Clock<Walk: fmt::Debug>> fmt::Debug for Events<M, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.walk, f)
    }
}
