//! [`RunLog`].

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use millicron_history::Claims;
use millicron_scheduler::{Event, Observer, RunContext, SchedulerHandle};

use super::SchedulerSource;
use super::earlier::{Earlier, LastRuns, number};
use super::runs::{JobRuns, Name};
use super::state::State;
use crate::recorded::OUTCOMES;
use crate::source::{Job, Run, RunState, Runs, SourceError};

/// Keeps the last runs of a scheduler's jobs in memory: the scheduler's observer.
///
/// Clones share the runs. The last 50 runs of each job are kept, and 100,000 in all. The last run of each of up to
/// 10,000 jobs is kept in addition. What jobs write is not kept.
///
/// ```
/// use millicron::schedule;
/// use millicron_board::{Board, RunLog};
/// use millicron_scheduler::{Job, Scheduler};
///
/// let log = RunLog::new();
/// let scheduler = Scheduler::builder().observer(log.clone()).start()?;
/// scheduler.add_job(schedule!("*:00:00"), Job::new(|_| {}).name("report"))?;
/// let page = Board::new(log.source(&scheduler)).public().router();
/// # drop(page);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To observe the events in another way, too, pass a closure that calls [`Observer::on`] of the log.
#[derive(Clone)]
pub struct RunLog(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    earlier: Option<Earlier>,
}

impl RunLog {
    /// Returns a log without runs.
    #[must_use]
    pub fn new() -> Self {
        Self::of(50, 100_000, None)
    }

    fn of(most_of_job: usize, most: usize, earlier: Option<Earlier>) -> Self {
        Self(Arc::new(Inner { state: Mutex::new(State::new(most_of_job, most)), earlier }))
    }

    /// Returns an empty log that keeps a number of runs of each job, and a number in all. It keeps the last run of each of
    /// up to 10,000 jobs in addition.
    #[must_use]
    pub fn with_limits(most_of_job: usize, most: usize) -> Self {
        Self::of(most_of_job, most, None)
    }

    /// Returns an empty log that also shows the runs in a history, by the names of their jobs: those of before a
    /// restart, and those that the log does not keep any more.
    ///
    /// Pass a handle of its own on the history in which the jobs record their runs, such as
    /// `SqliteHistory::open_read_only`.
    #[must_use]
    pub fn with_history(history: impl Claims + Send + 'static) -> Self {
        Self::of(50, 100_000, Some(Earlier::new(Box::new(Mutex::new(history)))))
    }

    /// Returns the source of a scheduler that this log observes.
    #[must_use]
    pub fn source(&self, scheduler: impl AsRef<SchedulerHandle>) -> SchedulerSource {
        SchedulerSource::new(self.clone(), scheduler.as_ref().clone())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the version of the log, and the jobs that have changed since an earlier version. `None` if that is not
    /// known: then all may have changed.
    ///
    /// It is for sources of your own, whose [`changes`](crate::Source::changes) have this version.
    #[must_use]
    pub fn changed_since(&self, since: Option<u64>) -> (u64, Option<Vec<Arc<str>>>) {
        let state = self.lock();
        (state.version(), since.and_then(|since| state.changed_since(since)))
    }

    /// Notes that something about a job has changed, such as its schedule.
    pub fn touch(&self, job: &str) {
        self.lock().touch(&job.into());
    }

    /// Records that a run of a job was skipped for a reason that the scheduler does not know.
    pub fn skip(&self, job: &str, scheduled: SystemTime, reason: &str) {
        self.lock().skip(&job.into(), scheduled, reason);
    }

    /// Sets what a job's runs say: how many are in progress, the last one, and how the last ones ended.
    pub fn set_runs(&self, job: &mut Job) {
        let earlier = self.0.earlier.as_ref();
        // Without its history, the overview is still useful. The list of runs reports the error.
        let _ = earlier.map(|earlier| earlier.read(&[job.name.as_str().into()]));
        let earlier = earlier.and_then(|earlier| earlier.last(&job.name)).unwrap_or_default();
        let state = self.lock();
        let runs = state.runs(&job.name);
        let newest = || runs.into_iter().flat_map(JobRuns::newest_first);
        let is_running = |run: &&Run| run.state == RunState::Running;
        job.running = u64::try_from(newest().filter(is_running).count()).unwrap_or(u64::MAX);
        let LastRuns { outcomes, last } = earlier;
        let started = newest().find(|run| run.state != RunState::Skipped);
        job.last = started.or_else(|| newest().next()).cloned().or(last);
        let first = newest().next_back().map_or(i64::MAX, |run| run.id);
        let has_ended = |run: &&Run| run.ended.is_some() || run.state == RunState::Skipped;
        let is_logged = |id: i64| newest().any(|run| number(run.scheduled) == id);
        let before = outcomes.iter().filter(|(id, _)| *id < first && !is_logged(*id));
        let before = before.map(|(_, outcome)| *outcome);
        let ended = newest().filter(has_ended).map(|run| run.state).chain(before);
        job.outcomes = ended.take(OUTCOMES).collect();
        job.outcomes.reverse();
    }

    /// Reads the earlier runs of jobs at once.
    pub(super) fn read_earlier(&self, jobs: &[Name]) {
        let _ = self.0.earlier.as_ref().map(|earlier| earlier.read(jobs));
    }

    /// Returns a page of a job's runs, as [`Source::runs`](crate::Source::runs) does.
    ///
    /// # Errors
    ///
    /// The history cannot be read.
    pub fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let most = limit.saturating_add(1);
        let state = self.lock();
        let logged = || state.runs(job).into_iter().flat_map(JobRuns::newest_first);
        let is_before = |run: &&Run| before.is_none_or(|before| run.id < before);
        let mut runs = logged().filter(is_before).take(most).cloned().collect::<Vec<_>>();
        // A late run has a higher number in the log than in the history, perhaps one of another page.
        let known = logged().map(|run| run.scheduled).collect::<HashSet<_>>();
        drop(state);
        if let Some(earlier) = &self.0.earlier {
            let mut recorded = earlier.before(job, before, most.saturating_add(known.len()))?;
            recorded.retain(|run| !known.contains(&run.scheduled));
            runs.extend(recorded);
        }
        runs.sort_by_key(|run| Reverse(run.id));
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        Ok(Runs::new(runs, has_more))
    }

    /// Returns a run that is in progress, by its [number](Run::id): its [token](RunContext::token) cancels it.
    #[must_use]
    pub fn in_progress(&self, job: &str, run: i64) -> Option<RunContext> {
        self.lock().runs(job)?.in_progress(run).cloned()
    }
}

impl Default for RunLog {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for RunLog {
    fn on(&self, event: &Event) {
        self.lock().handle(event);
    }
}

impl fmt::Debug for RunLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunLog").finish_non_exhaustive()
    }
}
