//! [`Plan`]: all runs of a range, in an order that holds every need.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;
use core::iter::FusedIterator;

use crate::demand::{Demand, Job};
use crate::need::Rule;
use crate::ready::Run;
use millicron::Recurrence as _;

/// All runs of a range, in an order that holds every need; made by
/// [`Pipeline::plan`](super::Pipeline::plan).
///
/// Each job has a next run. It is free, or waits until another job is past the last
/// event that it needs of it; the earliest of those that are free comes next. No need
/// reaches back before that of an earlier run, so one event is all to wait for.
#[derive(Clone)]
#[must_use = "it does nothing unless it is asked"]
pub struct Plan<'a> {
    jobs: &'a [Job],
    cursors: Vec<Cursor>,
    /// The jobs whose next run is free, the earliest first.
    free: BinaryHeap<Reverse<(i64, usize)>>,
    start: i64,
    end: i64,
}

/// Where a job is.
#[derive(Clone)]
struct Cursor {
    /// Its next run, if one is left in the range.
    next: Option<i64>,
    /// The jobs that wait for it, each for an event of it to be past.
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(jobs: &'a [Job], start: i64, end: i64) -> Self {
        let first = |job: &Job| job.timeline.nearest_event(start).filter(|event| *event <= end);
        let cursors = jobs
            .iter()
            .map(|job| Cursor { next: first(job), waiting: BinaryHeap::new() })
            .collect();
        let mut plan = Self { jobs, cursors, free: BinaryHeap::new(), start, end };
        for place in 0..jobs.len() {
            plan.settle(place);
        }
        plan
    }

    /// Frees the next run of a job, or lets it wait for what it needs first.
    fn settle(&mut self, place: usize) {
        let Some(scheduled) = self.cursors[place].next else { return };
        let job = &self.jobs[place];
        for leaf in &job.leaves {
            let upstream = &self.jobs[leaf.upstream].timeline;
            let demand = leaf.demand(&job.timeline, upstream, scheduled);
            let Some(Demand { first, last }) = demand else { continue };
            let last = if leaf.rule == Rule::Latest { first } else { last };
            let cursor = &mut self.cursors[leaf.upstream];
            let is_past = cursor.next.is_none_or(|next| next > last);
            if !is_past && (self.start..=self.end).contains(&last) {
                cursor.waiting.push(Reverse((last, place)));
                return;
            }
        }
        self.free.push(Reverse((scheduled, place)));
    }
}

impl<'a> Iterator for Plan<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let Reverse((scheduled, place)) = self.free.pop()?;
        let job = &self.jobs[place];
        let next = job.timeline.next_event(scheduled).filter(|event| *event <= self.end);
        self.cursors[place].next = next;
        while let Some(Reverse((event, waiting))) = self.cursors[place].waiting.peek().copied()
            && next.is_none_or(|next| next > event)
        {
            self.cursors[place].waiting.pop();
            self.settle(waiting);
        }
        self.settle(place);
        Some(Run { job: &job.name, scheduled })
    }
}

impl FusedIterator for Plan<'_> {}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("next", &self.free.peek().map(|Reverse((scheduled, _))| scheduled))
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}
