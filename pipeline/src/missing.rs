//! [`Missing`]: runs that have not succeeded, without a list of them.

use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

use crate::words::Instant;
use millicron::Recurrence;

/// The events of a range at which a job has not succeeded; made by
/// [`History::missing`](super::History::missing).
///
/// What matters is how often a missing event follows one that is not: events that
/// follow each other are one [`Stretch`], however many.
#[derive(Clone)]
pub struct Missing<'a> {
    schedule: &'a dyn Recurrence,
    stretches: Vec<Stretch>,
    /// While it is made: the first event that is not decided.
    open: Option<i64>,
    end: i64,
}

/// Events that follow each other, all of them missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the first and the last event")]
pub struct Stretch {
    /// The first.
    pub first: i64,
    /// The last, which may be the first.
    pub last: i64,
    /// How many.
    pub count: u64,
}

impl<'a> Missing<'a> {
    /// What is missing in a range before anything has succeeded; to be
    /// [closed](Self::close).
    pub(crate) fn before(schedule: &'a dyn Recurrence, range: RangeInclusive<i64>) -> Self {
        let (start, end) = range.into_inner();
        let open = schedule.nearest_event(start).filter(|event| *event <= end);
        Self { schedule, stretches: Vec::new(), open, end }
    }

    /// The next success, after all that were told before.
    pub(crate) fn succeed(&mut self, instant: i64) {
        let Some(open) = self.open.filter(|open| *open <= instant) else { return };
        if open < instant {
            // What is no event stands for nothing.
            if self.schedule.nearest_prev_event(instant) != Some(instant) {
                return;
            }
            self.push(open, instant - 1);
        }
        self.open = self.schedule.nearest_event(instant + 1).filter(|event| *event <= self.end);
    }

    /// Nothing else has succeeded.
    pub(crate) fn close(mut self) -> Self {
        if let Some(open) = self.open.take() {
            self.push(open, self.end);
        }
        self
    }

    fn push(&mut self, first: i64, until: i64) {
        let last = self.schedule.nearest_prev_event(until).unwrap_or(first);
        self.stretches.push(Stretch { first, last, count: self.schedule.count(first..=last) });
    }

    /// How many events are missing.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.stretches.iter().map(|stretch| stretch.count).sum()
    }

    /// Whether none is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// The events that are missing, each with those that follow it at once.
    #[must_use]
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The events that are missing, one by one, in order.
    pub fn instants(&self) -> impl Iterator<Item = i64> {
        self.stretches.iter().flat_map(move |Stretch { first, last, .. }| {
            let mut from = Some(*first);
            core::iter::from_fn(move || {
                let event = self.schedule.nearest_event(from?).filter(|event| event <= last)?;
                from = event.checked_add(1);
                Some(event)
            })
        })
    }
}

/// As many stretches as a person reads.
const FEW: usize = 5;

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, stretch) in self.stretches.iter().take(FEW).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let Stretch { first, last, count } = *stretch;
            write!(f, "{separator}{}", Instant(first))?;
            match count {
                1 => {}
                2 => write!(f, ", {}", Instant(last))?,
                _ => write!(f, " … {} ({count})", Instant(last))?,
            }
        }
        if let Some(rest) = self.stretches.get(FEW..).filter(|rest| !rest.is_empty()) {
            let count: u64 = rest.iter().map(|stretch| stretch.count).sum();
            write!(f, " and {count} more")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.stretches).finish()
    }
}

impl PartialEq for Missing<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.stretches == other.stretches
    }
}

impl Eq for Missing<'_> {}
