//! [`Timeline`]: the events of a job, across changes of its schedule.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::ops::RangeInclusive;

use millicron::{Neighbors, Period, Recurrence, Schedule, Unit};

use super::gap::Gap;

/// A recurrence that a pipeline and its clones share.
pub(crate) type SharedRecurrence = Arc<dyn Recurrence + Send + Sync>;

/// The events of a job, from one schedule after another.
#[derive(Clone)]
pub(crate) struct Timeline {
    /// Previous schedules, in order of time. Most jobs have none.
    previous: Vec<ScheduleVersion>,
    current: ScheduleVersion,
}

/// A schedule of a job, and the time during which it applies.
#[derive(Clone)]
pub(crate) struct ScheduleVersion {
    pub(crate) recurrence: SharedRecurrence,
    pub(crate) period: Period,
    /// The first millisecond in which the schedule applies.
    first: i64,
    /// The last millisecond in which the schedule applies.
    last: i64,
    /// The last change to a longer period, or the beginning of the pipeline. No run before this
    /// instant is needed.
    pub(crate) reset: i64,
    /// Whether `reset` is the beginning of the pipeline.
    pub(crate) is_initial: bool,
    /// `None` until it is [measured](Timeline::measure_gaps); few needs require it.
    gap: Option<Gap>,
}

impl ScheduleVersion {
    fn new(recurrence: SharedRecurrence, first: i64, last: i64, before: Option<&Self>) -> Self {
        let period = recurrence.period();
        let (reset, is_initial) = match before {
            Some(before) if before.period >= period => (before.reset, before.is_initial),
            before => (first, before.is_none()),
        };
        Self { recurrence, period, first, last, reset, is_initial, gap: None }
    }

    /// Returns the shortest gap between two events.
    pub(crate) fn gap(&self) -> Gap {
        self.gap.unwrap_or_else(|| Gap::of(&*self.recurrence))
    }
}

impl Timeline {
    /// Creates a timeline from `since` on, with the events of each previous schedule until the
    /// instant at which it was replaced, and then of the current one.
    pub(crate) fn new(
        since: i64,
        previous: BTreeMap<i64, SharedRecurrence>,
        current: SharedRecurrence,
    ) -> Self {
        let mut versions: Vec<ScheduleVersion> = Vec::new();
        let mut first = since;
        for (until, recurrence) in previous {
            // A schedule that ended before the beginning never applied.
            if until > first {
                let last = until - 1;
                versions.push(ScheduleVersion::new(recurrence, first, last, versions.last()));
                first = until;
            }
        }
        let current = ScheduleVersion::new(current, first, i64::MAX, versions.last());
        Self { previous: versions, current }
    }

    /// Measures the shortest gaps once, so that no query has to.
    pub(crate) fn measure_gaps(&mut self) {
        for version in self.previous.iter_mut().chain([&mut self.current]) {
            version.gap = Some(version.gap());
        }
    }

    /// Returns the schedules, in order of time.
    pub(crate) fn versions(&self) -> impl DoubleEndedIterator<Item = &ScheduleVersion> {
        self.previous.iter().chain(once(&self.current))
    }

    /// Returns the instants at which the schedule changed, in order.
    pub(crate) fn changes(&self) -> impl Iterator<Item = i64> {
        self.previous.iter().filter_map(|version| version.last.checked_add(1))
    }

    /// Returns whether a cron expression without a time zone is among the schedules.
    pub(crate) fn is_civil(&self) -> bool {
        let recurrences = self.versions().map(|version| &version.recurrence);
        recurrences.into_iter().any(|it| it.schedule().is_some() && !it.is_zoned())
    }

    /// Returns whether the schedule never changed.
    pub(crate) const fn is_uniform(&self) -> bool {
        self.previous.is_empty()
    }

    /// Returns the schedule that applies at an instant. Before the beginning, it is the first one.
    pub(crate) fn version_at(&self, instant: i64) -> &ScheduleVersion {
        self.previous.iter().find(|version| instant <= version.last).unwrap_or(&self.current)
    }

    /// Returns the current schedule.
    pub(crate) const fn current(&self) -> &ScheduleVersion {
        &self.current
    }

    /// Returns the first event, of a schedule even if it is before the beginning of the pipeline. Other recurrences may have
    /// events at any time before it.
    pub(crate) fn first_event(&self) -> Option<i64> {
        let ScheduleVersion { recurrence, last, .. } = self.versions().next()?;
        let first = recurrence.schedule().and_then(|_| recurrence.nearest_event(i64::MIN));
        first.filter(|event| event <= last).or_else(|| self.nearest_event(i64::MIN))
    }

    /// Returns the previous, the current and the next event at an instant.
    pub(crate) fn neighbors(&self, instant: i64) -> Neighbors<i64> {
        let current = self.nearest_prev_event(instant);
        let previous = current.and_then(|current| self.prev_event(current));
        Neighbors { previous, current, next: self.next_event(instant) }
    }
}

impl Recurrence for Timeline {
    #[inline]
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.nearest_event(instant.checked_add(1)?)
    }

    #[inline]
    fn nearest_event(&self, instant: i64) -> Option<i64> {
        let mut events =
            self.versions().filter(|version| instant <= version.last).filter_map(|version| {
                let event = version.recurrence.nearest_event(instant.max(version.first));
                event.filter(|event| *event <= version.last)
            });
        events.next()
    }

    #[inline]
    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let versions = self.versions().rev().filter(|version| version.first <= instant);
        let mut events = versions.filter_map(|version| {
            let event = version.recurrence.nearest_prev_event(instant.min(version.last));
            event.filter(|event| *event >= version.first)
        });
        events.next()
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (first, last) = range.into_inner();
        let count = |version: &ScheduleVersion| {
            let (first, last) = (first.max(version.first), last.min(version.last));
            if first > last { 0 } else { version.recurrence.count(first..=last) }
        };
        self.versions().map(count).sum()
    }

    fn nth_prev_event(&self, until: i64, mut skipped: u64) -> Option<i64> {
        let mut versions = self.versions().rev();
        while let Some(version) = versions.next() {
            let until = until.min(version.last);
            // Count the events only if there is an earlier schedule to continue with.
            let count = match versions.size_hint() {
                (0, _) => u64::MAX,
                _ => version.recurrence.count(version.first..=until),
            };
            if count > skipped {
                let event = version.recurrence.nth_prev_event(until, skipped);
                return event.filter(|event| *event >= version.first);
            }
            skipped -= count;
        }
        None
    }

    fn offset_at(&self, instant: i64) -> Option<i32> {
        self.version_at(instant).recurrence.offset_at(instant)
    }

    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        self.version_at(instant).recurrence.unit_start(unit, instant, back)
    }

    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        self.version_at(instant).recurrence.unit_end(unit, instant)
    }

    fn schedule(&self) -> Option<&Schedule> {
        self.current.recurrence.schedule()
    }

    fn period(&self) -> Period {
        self.current.period
    }

    fn is_zoned(&self) -> bool {
        self.versions().any(|version| version.recurrence.is_zoned())
    }

    fn zone_name(&self) -> Option<&str> {
        self.current.recurrence.zone_name()
    }
}
