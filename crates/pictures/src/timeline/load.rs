//! [`Load`]: the number of concurrent runs.

use std::ops::RangeInclusive;

use millicron::Recurrence;

use super::{JobRow, TimelineJob, length, millis};

/// The number of concurrent runs, and the instant at which the most jobs start together.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// The maximum in each slot.
    pub(super) slots: Vec<u64>,
    /// The maximum from each instant until the next one, in order.
    pub(super) parts: Vec<(i64, u64)>,
    /// The overall maximum, and when it is first reached.
    pub(super) peak: Option<(u64, i64)>,
    /// The instant at which the most jobs start, and their indices.
    pub(super) herd: Option<(i64, Vec<usize>)>,
}

impl Load {
    pub(super) fn new(
        jobs: &[TimelineJob<'_>],
        rows: &[JobRow],
        grid: &[Vec<RangeInclusive<i64>>],
        range: &RangeInclusive<i64>,
    ) -> Self {
        let steps = steps(rows);
        let dense =
            || jobs.iter().zip(rows).filter(|(_, row)| row.starts.is_none()).map(|(job, _)| job);
        let ranges = in_order(grid);
        let mut slots = vec![0_u64; grid.len()];
        let mut parts = Vec::new();
        let mut peak = None::<(u64, i64)>;
        for (range, slot) in &ranges {
            let (count, instant) = most_in(&steps, range);
            let count = count + dense().map(|job| sampled(job, range)).sum::<u64>();
            slots[*slot] = slots[*slot].max(count);
            parts.push((*range.start(), count));
            if count > peak.map_or(0, |(most, _)| most) {
                peak = Some((count, instant));
            }
        }
        Self { slots, parts, peak, herd: herd(jobs, rows, &ranges, range) }
    }

    /// Returns the load in wider slots, each combining `merged` slots.
    pub(super) fn merged(&self, merged: usize) -> impl Iterator<Item = u64> {
        self.slots.chunks(merged.max(1)).map(|slots| slots.iter().copied().max().unwrap_or(0))
    }
}

/// Returns the ranges of the slots in order of time, each with its slot. A slot that the clocks show twice has two
/// ranges, with other slots in between.
fn in_order(grid: &[Vec<RangeInclusive<i64>>]) -> Vec<(&RangeInclusive<i64>, usize)> {
    let ranges = grid.iter().enumerate();
    let ranges = ranges.flat_map(|(slot, ranges)| ranges.iter().map(move |range| (range, slot)));
    let mut ranges = ranges.collect::<Vec<_>>();
    ranges.sort_by_key(|(range, _)| *range.start());
    ranges
}

/// Returns the instants at which the number of runs changes, with the new number.
fn steps(rows: &[JobRow]) -> Vec<(i64, u64)> {
    let mut changes = Vec::new();
    for row in rows {
        for start in row.starts.iter().flatten() {
            // `false` sorts first: a run no longer counts at the instant at which it ends.
            changes.push((start.saturating_add(length(row.duration)), false));
            changes.push((*start, true));
        }
    }
    changes.sort_unstable();
    let mut running = 0_u64;
    let mut steps = Vec::<(i64, u64)>::new();
    for (instant, is_start) in changes {
        running = if is_start { running + 1 } else { running.saturating_sub(1) };
        match steps.last_mut() {
            Some(last) if last.0 == instant => last.1 = running,
            _ => steps.push((instant, running)),
        }
    }
    steps
}

/// Returns the maximum number of runs in a range, and when it is first reached.
fn most_in(steps: &[(i64, u64)], range: &RangeInclusive<i64>) -> (u64, i64) {
    let start = steps.partition_point(|(instant, _)| instant <= range.start());
    let before = start.checked_sub(1).and_then(|index| steps.get(index));
    let mut most = (before.map_or(0, |(_, running)| *running), *range.start());
    for (instant, running) in &steps[start..] {
        if instant > range.end() {
            break;
        }
        if *running > most.0 {
            most = (*running, *instant);
        }
    }
    most
}

/// Returns the maximum number of runs of a job at sampled instants of a range.
pub(super) fn sampled(job: &TimelineJob<'_>, range: &RangeInclusive<i64>) -> u64 {
    let length = length(job.duration.map(millis));
    let (start, end) = (*range.start(), *range.end());
    let events: &dyn Recurrence = job.events;
    // Most jobs start at the beginning of a second or minute.
    let instants = (0..8).map(|eighth| start + (end - start) * eighth / 8);
    let running = |instant: i64| {
        let last = events.nearest_event(instant).filter(|event| *event <= end).unwrap_or(instant);
        events.count(last.saturating_sub(length - 1)..=last)
    };
    instants.map(running).max().unwrap_or(0)
}

/// Returns the first instant at which the most jobs start, and their indices, if there are at least two.
///
/// For jobs that start very often, only the first start in each slot and the starts of other jobs are considered.
fn herd(
    jobs: &[TimelineJob<'_>],
    rows: &[JobRow],
    slots: &[(&RangeInclusive<i64>, usize)],
    range: &RangeInclusive<i64>,
) -> Option<(i64, Vec<usize>)> {
    // The index is `None` for jobs that start very often.
    let mut starts = Vec::<(i64, Option<usize>)>::new();
    let mut dense = Vec::<(usize, &TimelineJob<'_>)>::new();
    for (index, (job, row)) in jobs.iter().zip(rows).enumerate() {
        if let Some(visited) = &row.starts {
            let within = visited.iter().filter(|start| range.contains(start));
            starts.extend(within.map(|start| (*start, Some(index))));
        } else {
            dense.push((index, job));
            let first = |slot: &RangeInclusive<i64>| job.events.nearest_event(*slot.start());
            let first =
                slots.iter().filter_map(|(slot, _)| first(slot).filter(|at| slot.contains(at)));
            starts.extend(first.map(|start| (start, None)));
        }
    }
    starts.sort_unstable();
    let mut herd = None::<(i64, Vec<usize>)>;
    for group in starts.chunk_by(|one, other| one.0 == other.0) {
        let Some((instant, _)) = group.first() else { continue };
        let most = herd.as_ref().map_or(1, |(_, jobs)| jobs.len());
        if group.iter().flat_map(|(_, job)| job).count() + dense.len() <= most {
            continue;
        }
        let often = dense.iter().filter(|(_, job)| job.events.matches(*instant));
        let together = group.iter().filter_map(|(_, job)| *job).chain(often.map(|(job, _)| *job));
        let mut together = together.collect::<Vec<_>>();
        if together.len() > most {
            together.sort_unstable();
            herd = Some((*instant, together));
        }
    }
    herd
}
