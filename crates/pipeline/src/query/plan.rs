//! [`Plan`]: all runs in a range, in dependency order.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeInclusive;

use millicron::{MomentRange, Recurrence as _};

use crate::error::QueryError;
use crate::model::job::Job;
use crate::model::pipeline::Pipeline;
use crate::model::relation::{EventRange, Relation};
use crate::model::run::PipelineRun;

impl Pipeline {
    /// Returns all runs in a range, each after the runs that it needs. Runs outside the range are
    /// assumed to have succeeded.
    ///
    /// Runs are in order of their instants, except where a run needs a later one. The runs of one
    /// job are always in order. A run that needs [any of](crate::Need::any_of) several runs, or [at
    /// least](crate::Need::at_least) some of them, comes after all of them.
    ///
    /// The iterator is lazy. Its memory depends on the number of jobs, not on the length of the
    /// range.
    ///
    /// # Errors
    ///
    /// A civil time is passed to a pipeline with a time zone.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("report", schedule!("00:00:00"), [Need::all("load")])
    ///     .job("load", schedule!("*/12:00:00"), [])
    ///     .build()?;
    ///
    /// let day = 86_400_000;
    /// let start = 1_795_219_200_000_i64; // 2026-11-21 00:00:00
    /// let runs: Vec<String> = pipeline.plan(start..start + day)?.map(|run| run.to_string()).collect();
    /// assert_eq!(runs, [
    ///     "`load` 2026-11-21 00:00:00",
    ///     "`report` 2026-11-21 00:00:00",
    ///     "`load` 2026-11-21 12:00:00",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, range: impl MomentRange) -> Result<Plan<'_>, QueryError> {
        self.millis(&range).map(|range| Plan::new(&self.jobs, range))
    }
}

/// An iterator over all runs in a range, each after the runs that it needs; returned by
/// [`Pipeline::plan`](crate::Pipeline::plan).
// Each job has a next run. It is free, or waits until another job has passed the last event that
// the run needs from it. The earliest free run comes next. The needs of a run never reach further
// back than the needs of the job's earlier runs, so waiting for a single event is enough.
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Plan<'a> {
    jobs: &'a [Job],
    cursors: Vec<Cursor>,
    /// The jobs whose next run is free, the earliest first.
    free: BinaryHeap<Reverse<(i64, usize)>>,
    end: i64,
}

/// The position in the events of a job.
#[derive(Clone)]
struct Cursor {
    /// The next run, if the range contains one.
    next: Option<i64>,
    /// The jobs that wait for this one to pass an event, as pairs of the event and the waiting job.
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(jobs: &'a [Job], range: RangeInclusive<i64>) -> Self {
        Self::of_some(jobs, range, |_| true)
    }

    /// Returns the plan of some of the jobs, by their indices.
    pub(crate) fn of_some(
        jobs: &'a [Job],
        range: RangeInclusive<i64>,
        is_included: impl Fn(usize) -> bool,
    ) -> Self {
        let (start, end) = range.into_inner();
        let first = |(index, job): (usize, &Job)| {
            let event = job.timeline.nearest_event(start);
            event.filter(|event| *event <= end && is_included(index))
        };
        let cursor = |next| Cursor { next, waiting: BinaryHeap::new() };
        let cursors = jobs.iter().enumerate().map(first).map(cursor).collect();
        let mut plan = Self { jobs, cursors, free: BinaryHeap::new(), end };
        for index in 0..jobs.len() {
            plan.enqueue(index);
        }
        plan
    }

    /// Frees the next run of a job, or makes it wait for another job.
    fn enqueue(&mut self, index: usize) {
        let Some(scheduled) = self.cursors[index].next else { return };
        let job = &self.jobs[index];
        for relation in Relation::of(self.jobs, job) {
            let required = relation.required_events(scheduled);
            let Some(EventRange { first, last }) = required else { continue };
            let cursor = &mut self.cursors[relation.requirement.upstream];
            // The plan does not wait for runs after the range.
            let is_past = first > self.end || cursor.next.is_none_or(|next| next > last);
            if !is_past {
                cursor.waiting.push(Reverse((last, index)));
                return;
            }
        }
        self.free.push(Reverse((scheduled, index)));
    }
}

impl Plan<'_> {
    /// Returns the next run: its instant, and the index of its job.
    pub(crate) fn next_run(&mut self) -> Option<(i64, usize)> {
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
        Some((scheduled, index))
    }
}

impl<'a> Iterator for Plan<'a> {
    type Item = PipelineRun<'a>;

    fn next(&mut self) -> Option<PipelineRun<'a>> {
        let (scheduled, index) = self.next_run()?;
        Some(PipelineRun { job: &self.jobs[index].name, scheduled })
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
