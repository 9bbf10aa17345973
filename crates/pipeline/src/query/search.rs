//! Binary searches in the events of a job. They rely on selected ranges being in the order of their
//! runs.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use millicron::Recurrence as _;

use crate::model::timeline::Timeline;

/// Splits a range at the schedule changes of two jobs. Within each part, search ranges are in the
/// order of their runs.
pub(crate) fn between_changes(
    timelines: [&Timeline; 2],
    range: &RangeInclusive<i64>,
) -> Vec<RangeInclusive<i64>> {
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

/// Returns the last event in a range with a property that all earlier events in the range have, by
/// binary search.
pub(crate) fn last_with(
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

/// Returns the first event in a range with a property that all later events in the range have, by
/// binary search.
pub(crate) fn first_with(
    timeline: &Timeline,
    range: &RangeInclusive<i64>,
    has_property: impl Fn(i64) -> bool,
) -> Option<i64> {
    let first = match last_with(timeline, range, |event| !has_property(event)) {
        Some(last_without) => timeline.next_event(last_without),
        None => timeline.nearest_event(*range.start()),
    };
    first.filter(|event| range.contains(event))
}
