//! [`Downstream`]: the runs that used a run.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeInclusive;

use millicron::{Moment, MomentRange};

use super::plan::Plan;
use crate::error::QueryError;
use crate::model::job::Job;
use crate::model::pipeline::Pipeline;
use crate::model::relation::Relation;
use crate::model::run::PipelineRun;

impl Pipeline {
    /// Returns the runs in a range that used a run, directly or through other runs in the range.
    /// These are the runs to rerun if its result was wrong. The range usually ends at the current
    /// time.
    ///
    /// A run used another one if one of its needs selects it:
    ///
    /// - [`all`](crate::Need::all) and [`at_least`](crate::Need::at_least) select every run in the
    ///   interval, and [`any_of`](crate::Need::any_of) selects the runs of all alternatives.
    /// - [`last`](crate::Need::last) and [`self_previous`](crate::Need::self_previous) select a
    ///   single run.
    /// - [`latest`](crate::Need::latest) and [`classic`](crate::Need::classic) select the runs from
    ///   the [check point](crate#the-check-point) to the run itself, or to the end of an earlier
    ///   check period if they look back. If the check point is later than that, they select only
    ///   the run at the check point.
    ///
    /// A history does not record what a run has read. With alternatives, `at_least` or a check
    /// point, some of these runs may not have used the wrong run after all. Conversely, a run that
    /// waited for a check point may be missing from the result if it started because of an upstream
    /// run after its own instant.
    ///
    /// Each run comes after those that it used. Otherwise, runs are in order of their instants. The
    /// run itself is not included.
    ///
    /// The iterator is lazy: its time and memory depend on the number of jobs and on the runs taken
    /// from it, not on the length of the range.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job, the job has no event at `scheduled`, or a civil time is passed
    /// to a pipeline with a time zone.
    ///
    /// # Example
    ///
    /// The load at 17:00 was wrong. To rerun it and all runs that used it,
    /// [forget](crate::History::forget) their records, so that the runs wait for each other again.
    ///
    /// ```
    /// use millicron::{CalendarDigits, schedule};
    /// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let pipeline = Pipeline::builder()
    ///     .since(at("2026-11-20 00:00:00")?)
    ///     .job("load", schedule!("*:00:00"), [])
    ///     .job("report", schedule!("6,18:00:00"), [Need::all("load")])
    ///     .job("bill", schedule!("23:00:00"), [Need::last("report")])
    ///     .build()?;
    /// let now = at("2026-11-22 00:00:00")?;
    /// let mut history = MemoryHistory::new();
    /// for run in pipeline.plan(..now)? {
    ///     history.record(run.job, run.scheduled)?;
    /// }
    ///
    /// let wrong = at("2026-11-20 17:00:00")?;
    /// let used = pipeline.downstream("load", wrong, ..now)?;
    /// let used = used.map(|run| (run.job, run.scheduled..=run.scheduled));
    /// let forgotten: Vec<_> = used.chain([("load", wrong..=wrong)]).collect();
    /// history.forget_all(&forgotten)?;
    ///
    /// // Runs without a record are run again, in the order of the plan.
    /// let mut again = Vec::new();
    /// for run in pipeline.plan(..now)? {
    ///     if history.state(run.job, run.scheduled)?.is_none() {
    ///         assert!(pipeline.ready(run.job, run.scheduled, &history)?.is_ready());
    ///         again.push(run.to_string());
    ///         history.record(run.job, run.scheduled)?;
    ///     }
    /// }
    /// assert_eq!(again, [
    ///     "`load` 2026-11-20 17:00:00",
    ///     "`report` 2026-11-20 18:00:00",
    ///     "`bill` 2026-11-20 23:00:00",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn downstream(
        &self,
        job: &str,
        scheduled: impl Moment,
        runs: impl MomentRange,
    ) -> Result<Downstream<'_>, QueryError> {
        let (index, scheduled) = self.find_run(job, scheduled)?;
        let range = self.millis(&runs)?;
        Ok(Downstream::new(&self.jobs, range, (scheduled, index)))
    }
}

/// An iterator over the runs that used a run; returned by [`Pipeline::downstream`].
// A plan of the reachable jobs gives the order. A run of the plan is in the result if an earlier
// run of the result has added it to the pending runs.
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Downstream<'a> {
    jobs: &'a [Job],
    is_reachable: Vec<bool>,
    /// The runs of each job that are in the result but were not returned yet.
    pending: Vec<Events>,
    range: RangeInclusive<i64>,
    plan: Plan<'a>,
}

impl<'a> Downstream<'a> {
    fn new(jobs: &'a [Job], range: RangeInclusive<i64>, run: (i64, usize)) -> Self {
        let mut downstream = Self {
            jobs,
            is_reachable: reachable(jobs, run.1),
            pending: vec![Events::default(); jobs.len()],
            plan: Plan::new(&[], range.clone()),
            range,
        };
        downstream.add_users_of(run);
        if let Some(start) = downstream.earliest_run() {
            downstream.restart(start);
        }
        downstream
    }

    /// Adds the runs that select a run.
    fn add_users_of(&mut self, (event, upstream): (i64, usize)) {
        for index in &self.jobs[upstream].downstream {
            for relation in Relation::between(self.jobs, *index, upstream) {
                for part in relation.between_changes(&self.range) {
                    let last = relation.last_started(&part, event);
                    let first = last
                        .and_then(|last| relation.first_not_past(&(*part.start()..=last), event));
                    self.pending[*index].0.extend(first.zip(last));
                }
            }
        }
    }

    fn first_pending(&self) -> Option<i64> {
        self.pending.iter().filter_map(Events::first).min()
    }

    /// Returns an instant that is not after any run to be returned.
    ///
    /// A run may use a later run, so it may be before all pending runs. Therefore, this searches
    /// for each job's first run that may use an event or a later one, until no earlier run is
    /// found.
    fn earliest_run(&self) -> Option<i64> {
        let mut earliest: Vec<Option<i64>> = self.pending.iter().map(Events::first).collect();
        let mut changed: BTreeSet<usize> = (0..self.jobs.len()).collect();
        // A chain of searches visits each job once, unless a recurrence contradicts itself.
        for _ in 0..self.jobs.len() {
            for index in core::mem::take(&mut changed) {
                let Some(event) = earliest[index] else { continue };
                for user in &self.jobs[index].downstream {
                    let first = self.first_user_from((event, index), *user);
                    if first.is_some_and(|first| earliest[*user].is_none_or(|run| first < run)) {
                        earliest[*user] = first;
                        changed.insert(*user);
                    }
                }
            }
        }
        earliest.into_iter().flatten().min()
    }

    /// Returns the first run of a job that may select an event or a later one.
    fn first_user_from(&self, (event, upstream): (i64, usize), user: usize) -> Option<i64> {
        let firsts = Relation::between(self.jobs, user, upstream).flat_map(|relation| {
            let parts = relation.between_changes(&self.range).into_iter();
            parts.filter_map(move |part| relation.first_not_past(&part, event))
        });
        firsts.min()
    }

    /// Restarts the plan at an instant. No run to be returned is before it.
    fn restart(&mut self, start: i64) {
        let range = start..=*self.range.end();
        self.plan = Plan::of_some(self.jobs, range, |index| self.is_reachable[index]);
    }
}

impl<'a> Iterator for Downstream<'a> {
    type Item = PipelineRun<'a>;

    fn next(&mut self) -> Option<PipelineRun<'a>> {
        let mut skipped = 0;
        loop {
            self.first_pending()?;
            let (scheduled, index) = self.plan.next_run()?;
            // The runs of a job are in order, so no earlier run is pending.
            if self.pending[index].remove_up_to(scheduled) {
                self.add_users_of((scheduled, index));
                return Some(PipelineRun { scheduled, job: &self.jobs[index].name });
            }
            skipped += 1;
            // Restart the plan later to skip the runs between pending ones.
            if skipped > self.jobs.len() {
                skipped = 0;
                if let Some(start) = self.earliest_run().filter(|start| *start > scheduled) {
                    self.restart(start);
                }
            }
        }
    }
}

impl FusedIterator for Downstream<'_> {}

impl fmt::Debug for Downstream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Downstream")
            .field("first", &self.first_pending())
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// Returns which jobs need a job, directly or indirectly.
fn reachable(jobs: &[Job], index: usize) -> Vec<bool> {
    let mut is_reachable = vec![false; jobs.len()];
    let mut queue = vec![index];
    while let Some(index) = queue.pop() {
        for next in &jobs[index].downstream {
            if !core::mem::replace(&mut is_reachable[*next], true) {
                queue.push(*next);
            }
        }
    }
    is_reachable
}

/// A set of a job's events, as ranges that may overlap.
#[derive(Clone, Default)]
struct Events(BTreeSet<(i64, i64)>);

impl Events {
    fn first(&self) -> Option<i64> {
        self.0.first().map(|(first, _)| *first)
    }

    /// Removes an event and all earlier events. Returns whether the set contained the event.
    fn remove_up_to(&mut self, event: i64) -> bool {
        let mut contains = false;
        while let Some((_, last)) = self.0.first().copied().filter(|(first, _)| *first <= event) {
            self.0.pop_first();
            contains |= event <= last;
            if event < last {
                self.0.insert((event + 1, last));
            }
        }
        contains
    }
}
