//! [`Load`]: how many runs there are at once.

use std::ops::RangeInclusive;

use millicron::Recurrence;

use super::{Row, TimelineJob, length, millis};

/// How many runs there are at once, and where most jobs start together.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// The most at once in each slot.
    pub(super) slots: Vec<u64>,
    /// The most at once, and when that is first.
    pub(super) peak: Option<(u64, i64)>,
    /// The instant at which most jobs start, and these.
    pub(super) herd: Option<(i64, Vec<usize>)>,
}

impl Load {
    pub(super) fn new(
        jobs: &[TimelineJob<'_>],
        rows: &[Row],
        grid: &[Vec<RangeInclusive<i64>>],
        range: &RangeInclusive<i64>,
    ) -> Self {
        let steps = steps(rows);
        let dense =
            || jobs.iter().zip(rows).filter(|(_, row)| row.starts.is_none()).map(|(job, _)| job);
        let mut slots = Vec::new();
        let mut peak = None::<(u64, i64)>;
        for ranges in grid {
            let mut most = 0;
            for range in ranges {
                let (count, instant) = most_in(&steps, range);
                let count = count + dense().map(|job| sampled(job, range)).sum::<u64>();
                most = most.max(count);
                if count > peak.map_or(0, |(most, _)| most) {
                    peak = Some((count, instant));
                }
            }
            slots.push(most);
        }
        Self { slots, peak, herd: herd(jobs, rows, range) }
    }

    /// Returns the load in wider slots, each of which combines `merged` slots.
    pub(super) fn merged(&self, merged: usize) -> impl Iterator<Item = u64> {
        self.slots.chunks(merged.max(1)).map(|slots| slots.iter().copied().max().unwrap_or(0))
    }
}

/// Returns the instants at which the number of runs changes, with the number from then on.
fn steps(rows: &[Row]) -> Vec<(i64, u64)> {
    let mut changes = Vec::new();
    for row in rows {
        for start in row.starts.iter().flatten() {
            // False is less than true: a run that ends at an instant does not run then.
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

/// Returns the most runs in a range, and when that is first.
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

/// Returns how many runs of a job there are at some instants of a range at most.
fn sampled(job: &TimelineJob<'_>, range: &RangeInclusive<i64>) -> u64 {
    let length = length(job.duration.map(millis));
    let (start, end) = (*range.start(), *range.end());
    let events: &dyn Recurrence = job.events;
    // Most start at the beginning of a second, or of a minute.
    let instants = (0..8).map(|eighth| start + (end - start) * eighth / 8);
    let running = |instant: i64| {
        let last = events.nearest_event(instant).filter(|event| *event <= end).unwrap_or(instant);
        events.count(last.saturating_sub(length - 1)..=last)
    };
    instants.map(running).max().unwrap_or(0)
}

/// Returns the first instant at which the most jobs start, and these, if there are at least two.
fn herd(
    jobs: &[TimelineJob<'_>],
    rows: &[Row],
    range: &RangeInclusive<i64>,
) -> Option<(i64, Vec<usize>)> {
    let mut starts = Vec::new();
    for (job, row) in rows.iter().enumerate() {
        let within = row.starts.iter().flatten().filter(|start| range.contains(start));
        starts.extend(within.map(|start| (*start, job)));
    }
    starts.sort_unstable();
    let mut most: &[(i64, usize)] = &[];
    for group in starts.chunk_by(|one, other| one.0 == other.0) {
        if group.len() > most.len() {
            most = group;
        }
    }
    let (instant, _) = *most.first()?;
    let starts = |job: &TimelineJob<'_>, row: &Row| match &row.starts {
        Some(starts) => starts.binary_search(&instant).is_ok(),
        None => job.events.matches(instant),
    };
    let all = jobs.iter().zip(rows).enumerate().filter(|(_, (job, row))| starts(job, row));
    let all = all.map(|(index, _)| index).collect::<Vec<_>>();
    (all.len() > 1).then_some((instant, all))
}
