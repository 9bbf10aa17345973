//! [`Plan`]: all runs in a range, in dependency order.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;
use core::iter::FusedIterator;

use millicron::Recurrence as _;

use crate::ready::Run;
use crate::requirement::{Job, RequiredEvents};

/// An iterator over all runs in a range, each after the runs that it needs; made by
/// [`Pipeline::plan`](crate::Pipeline::plan).
// Each job has a next run, which is free or waits until another job is past the last event that the
// run needs of it. The earliest free run comes next. The needs of a run never reach further back
// than those of the job's earlier runs, so waiting for a single event is enough.
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Plan<'a> {
    jobs: &'a [Job],
    cursors: Vec<Cursor>,
    /// The jobs whose next run is free, the earliest first.
    free: BinaryHeap<Reverse<(i64, usize)>>,
    start: i64,
    end: i64,
}

/// The position in the events of a job.
#[derive(Clone)]
struct Cursor {
    /// The next run, if the range has another one.
    next: Option<i64>,
    /// The jobs that wait for this one to pass an event: pairs of the event and the job.
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
        for index in 0..jobs.len() {
            plan.enqueue(index);
        }
        plan
    }

    /// Frees the next run of a job, or makes it wait for another job.
    fn enqueue(&mut self, index: usize) {
        let Some(scheduled) = self.cursors[index].next else { return };
        let job = &self.jobs[index];
        for requirement in &job.requirements {
            let upstream = &self.jobs[requirement.upstream].timeline;
            let required = requirement.required_events(&job.timeline, upstream, scheduled);
            let Some(RequiredEvents { first, last }) = required else { continue };
            let last = if requirement.rule.has_check_point() { first } else { last };
            let cursor = &mut self.cursors[requirement.upstream];
            let is_past = cursor.next.is_none_or(|next| next > last);
            if !is_past && (self.start..=self.end).contains(&last) {
                cursor.waiting.push(Reverse((last, index)));
                return;
            }
        }
        self.free.push(Reverse((scheduled, index)));
    }
}

impl<'a> Iterator for Plan<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let Reverse((scheduled, index)) = self.free.pop()?;
        let job = &self.jobs[index];
        let next = job.timeline.next_event(scheduled).filter(|event| *event <= self.end);
        self.cursors[index].next = next;
        while let Some(Reverse((event, waiting))) = self.cursors[index].waiting.peek().copied()
            && next.is_none_or(|next| next > event)
        {
            self.cursors[index].waiting.pop();
            self.enqueue(waiting);
        }
        self.enqueue(index);
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
