//! [`Missing`]: runs that have not succeeded, as ranges.

use alloc::vec::Vec;
use core::fmt;
use core::ops::{ControlFlow, RangeInclusive};

use millicron::Recurrence;
use millicron_history::History;

use crate::timestamp::Timestamp;

/// The events in a range at which a job has not succeeded.
///
/// Consecutive missing events form one [`MissingRange`], however many there are, so memory depends
/// only on how often missing events and successes alternate.
#[derive(Clone)]
pub struct Missing<'a> {
    schedule: &'a (dyn Recurrence + Sync),
    ranges: Vec<MissingRange>,
}

/// Consecutive missing events of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the two ends and a count")]
pub struct MissingRange {
    /// The first event, in milliseconds since 1970-01-01 00:00:00.
    pub first: i64,
    /// The last event, in milliseconds since 1970-01-01 00:00:00. It may equal the first.
    pub last: i64,
    /// The number of events.
    pub count: u64,
}

impl<'a> Missing<'a> {
    /// Returns the events of a schedule in a range at which a job has not succeeded.
    ///
    /// The time depends on the number of successes in the range, not on the number of missing
    /// events.
    ///
    /// # Errors
    ///
    /// The history could not be read.
    ///
    /// ```
    /// use millicron::{Schedule, schedule};
    /// use millicron_pipeline::{History, MemoryHistory, Missing};
    ///
    /// static HOURLY: Schedule = schedule!("*:00:00");
    ///
    /// let start = 1_614_470_400_000; // 2021-02-28 00:00:00
    /// let mut history = MemoryHistory::new();
    /// history.record("hourly", start + 3_600_000)?;
    /// let missing = Missing::find(&history, "hourly", &HOURLY, start..=start + 3 * 3_600_000)?;
    /// assert_eq!(missing.count(), 3);
    /// let hours: Vec<i64> = missing.instants().map(|at| (at - start) / 3_600_000).collect();
    /// assert_eq!(hours, [0, 2, 3]);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    pub fn find<H: History + ?Sized>(
        history: &H,
        job: &str,
        schedule: &'a (dyn Recurrence + Sync),
        range: RangeInclusive<i64>,
    ) -> Result<Self, H::Error> {
        Self::without(schedule, range.clone(), |remove| {
            history.successes(job, range, &mut |success| {
                remove(success);
                ControlFlow::Continue(())
            })
        })
    }

    /// Returns the events of a schedule in a range, without the runs that `each` passes on, in
    /// ascending order.
    pub(crate) fn without<E>(
        schedule: &'a (dyn Recurrence + Sync),
        range: RangeInclusive<i64>,
        each: impl FnOnce(&mut dyn FnMut(i64)) -> Result<(), E>,
    ) -> Result<Self, E> {
        let (start, end) = range.into_inner();
        let up_to_end = |event: Option<i64>| event.filter(|event| *event <= end);
        let mut ranges = Vec::new();
        let mut push = |first, until| {
            // `first` is an event, unless the recurrence contradicts itself.
            let last = schedule.nearest_prev_event(until).unwrap_or(first);
            ranges.push(MissingRange { first, last, count: schedule.count(first..=last) });
        };
        // The first event not yet known to be recorded or missing.
        let mut pending = up_to_end(schedule.nearest_event(start));
        each(&mut |run| {
            let Some(first) = pending.filter(|first| *first <= run) else { return };
            if first < run {
                // A record that is not at an event does not count.
                if schedule.nearest_prev_event(run) != Some(run) {
                    return;
                }
                push(first, run - 1);
            }
            pending = up_to_end(schedule.next_event(run));
        })?;
        if let Some(first) = pending {
            push(first, end);
        }
        Ok(Self { schedule, ranges })
    }

    /// Returns the number of missing events.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.count).sum()
    }

    /// Returns whether no event is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the missing events as ranges, in order.
    #[must_use]
    pub fn ranges(&self) -> &[MissingRange] {
        &self.ranges
    }

    /// Returns the missing events one by one, in milliseconds since 1970-01-01 00:00:00, in order.
    pub fn instants(&self) -> impl Iterator<Item = i64> {
        self.ranges.iter().flat_map(move |MissingRange { first, last, .. }| {
            let mut from = Some(*first);
            core::iter::from_fn(move || {
                let event = self.schedule.nearest_event(from?).filter(|event| event <= last)?;
                from = event.checked_add(1);
                Some(event)
            })
        })
    }
}

/// The maximum number of ranges that a message lists.
const LISTED: usize = 5;

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.ranges.iter().take(LISTED).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let MissingRange { first, last, count } = *range;
            let [first, last] = [first, last].map(|event| Timestamp::of(self.schedule, event));
            write!(f, "{separator}{first}")?;
            match count {
                1 => {}
                2 => write!(f, ", {last}")?,
                _ => write!(f, " … {last} ({count})")?,
            }
        }
        if let Some(rest) = self.ranges.get(LISTED..).filter(|rest| !rest.is_empty()) {
            let count: u64 = rest.iter().map(|range| range.count).sum();
            write!(f, " and {count} more")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.ranges).finish()
    }
}

impl PartialEq for Missing<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.ranges == other.ranges
    }
}

impl Eq for Missing<'_> {}
