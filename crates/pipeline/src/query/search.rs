//! Finds the runs of a job that select an event of another job.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use millicron::Recurrence as _;

use crate::model::relation::Relation;
use crate::model::timeline::Timeline;

impl Relation<'_> {
    /// Splits a range at the schedule changes of both jobs. Within each part, the selected ranges are
    /// in the order of their runs, so that binary searches find runs.
    pub(super) fn between_changes(&self, range: &RangeInclusive<i64>) -> Vec<RangeInclusive<i64>> {
        let timelines = [&self.job.timeline, &self.upstream.timeline];
        let changes = timelines.into_iter().flat_map(Timeline::changes);
        let mut ends: Vec<i64> = changes.map(|change| change - 1).collect();
        ends.push(i64::MAX);
        ends.sort_unstable();
        let mut start = *range.start();
        let mut parts = Vec::new();
        for end in ends {
            let part = start..=end.min(*range.end());
            if !part.is_empty() {
                start = part.end().saturating_add(1);
                parts.push(part);
            }
        }
        parts
    }

    /// Returns the last run in a part whose selected range starts at or before an event.
    pub(super) fn last_started(&self, part: &RangeInclusive<i64>, event: i64) -> Option<i64> {
        let has_started =
            |run| self.selected_range(run).is_none_or(|selected| selected.first <= event);
        last_with(&self.job.timeline, part, has_started)
    }

    /// Returns the first run in a part whose selected range ends at or after an event.
    pub(super) fn first_not_past(&self, part: &RangeInclusive<i64>, event: i64) -> Option<i64> {
        let is_past = |run| self.selected_range(run).is_none_or(|selected| selected.last < event);
        match last_with(&self.job.timeline, part, is_past) {
            Some(last_past) => self.job.timeline.next_event(last_past),
            None => self.job.timeline.nearest_event(*part.start()),
        }
        .filter(|run| part.contains(run))
    }
}

/// Returns the last event in a range with a property that all earlier events in the range have, by
/// binary search.
fn last_with(
    timeline: &Timeline,
    range: &RangeInclusive<i64>,
    has_property: impl Fn(i64) -> bool,
) -> Option<i64> {
    let (start, end) = (*range.start(), *range.end());
    // Events up to `low` have the property, events from `high` on do not.
    let mut low =
        timeline.nearest_event(start).filter(|event| *event <= end && has_property(*event))?;
    let mut high = timeline.nearest_prev_event(end)?;
    if has_property(high) {
        return Some(high);
    }
    while let Some(next) = timeline.next_event(low).filter(|next| *next < high) {
        let middle = timeline.nearest_prev_event(low.midpoint(high))?.max(next);
        if has_property(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
