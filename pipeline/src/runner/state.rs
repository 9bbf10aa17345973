//! [`State`]: which runs of a pipeline wait, and which are going.
//!
//! ```text
//!    due, submitted ──▶ is it ready? ──yes──▶ going ──▶ it succeeds ──▶ recorded
//!                         │ no   ▲                          │
//!                         ▼      └──── has it waited for this?
//!                       waiting ── its patience ends ──▶ going, or failed
//! ```
//!
//! A run that waits is [watching](Watch) one of the runs that it misses, and is asked
//! about again when that succeeds: so a success costs little, however many wait.
//!
//! One lock guards what waits and the history. Jobs are added to the scheduler and
//! cancelled, and runs are ended, without it.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use millicron::Recurrence;
use millicron_scheduler::{Completion, Job, JobHandle, Outcome, RunContext, SchedulerHandle, Task};

use super::{Patience, WaitingRun};
use crate::{History, Pipeline, Readiness, Reason, Run, Waiting};

pub(super) struct State<H> {
    pub(super) remote: SchedulerHandle,
    pub(super) pipeline: Pipeline,
    /// What each job does; `None` of those that run elsewhere.
    work: Vec<Option<Task>>,
    patience: Patience,
    inner: Mutex<Inner<H>>,
}

struct Inner<H> {
    history: H,
    /// The runs that are due and not ready, the earliest first.
    waiting: BTreeMap<Place, Parked>,
    /// Which of these are watching what.
    watching: BTreeMap<Watch, BTreeSet<Place>>,
    /// Those that the history could not tell of when they should have been asked about
    /// again.
    doubtful: BTreeSet<Place>,
    /// Those that the scheduler has, until they have ended.
    going: BTreeSet<Place>,
    /// What makes runs due.
    due: Vec<JobHandle>,
    is_cancelled: bool,
}

/// A run: its event, in milliseconds, and the place of its job.
type Place = (i64, usize);

/// What can let a run start: the success of a run of the job at a place, or, without
/// an instant, any success of that job.
type Watch = (usize, Option<i64>);

/// A run that waits.
#[derive(Default)]
struct Parked {
    watches: Vec<Watch>,
    /// The end of the patience with it.
    patience: Option<JobHandle>,
}

/// What is to be done without the lock.
#[derive(Default)]
#[must_use]
struct After {
    starts: Vec<Place>,
    ends: Vec<JobHandle>,
}

/// Whether a run may start.
enum Verdict {
    Ready,
    Waiting(Vec<Watch>),
    /// The history does not tell, and why.
    Unknown(String),
}

impl<H> Inner<H> {
    /// Lets a run wait.
    fn park(&mut self, run: Place, watches: Vec<Watch>) {
        for watch in &watches {
            self.watching.entry(*watch).or_default().insert(run);
        }
        self.waiting.entry(run).or_default().watches = watches;
    }

    /// A run watches nothing any more.
    fn unwatch(&mut self, run: Place) {
        let watches = self.waiting.get_mut(&run).map(|parked| std::mem::take(&mut parked.watches));
        for watch in watches.unwrap_or_default() {
            if let Some(runs) = self.watching.get_mut(&watch) {
                runs.remove(&run);
                if runs.is_empty() {
                    self.watching.remove(&watch);
                }
            }
        }
    }

    /// Takes out a run that waits, which then is going.
    fn take(&mut self, run: Place) -> Option<Parked> {
        self.unwatch(run);
        self.doubtful.remove(&run);
        let parked = self.waiting.remove(&run)?;
        self.going.insert(run);
        Some(parked)
    }

    /// The runs that a success may let start.
    fn watching(&self, place: usize, scheduled: i64) -> Vec<Place> {
        let watches = [(place, None), (place, Some(scheduled))];
        let watching = watches.iter().filter_map(|watch| self.watching.get(watch));
        watching.flatten().chain(&self.doubtful).copied().collect()
    }
}

impl<H: History<Error: fmt::Display> + Send + 'static> State<H> {
    pub(super) fn new(
        remote: SchedulerHandle,
        pipeline: Pipeline,
        history: H,
        work: Vec<Option<Task>>,
        patience: Patience,
    ) -> Self {
        let inner = Inner {
            history,
            waiting: BTreeMap::new(),
            watching: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            going: BTreeSet::new(),
            due: Vec::new(),
            is_cancelled: false,
        };
        Self { remote, pipeline, work, patience, inner: Mutex::new(inner) }
    }

    /// The only code of others under the lock is the history, whose panics are caught where
    /// something is half done.
    fn lock(&self) -> MutexGuard<'_, Inner<H>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn places_with_work(&self) -> Vec<usize> {
        let places = self.work.iter().enumerate();
        places.filter_map(|(place, work)| work.as_ref().map(|_| place)).collect()
    }

    pub(super) fn keep(&self, due: JobHandle) {
        self.lock().due.push(due);
    }

    pub(super) fn with_history<T>(&self, ask: impl FnOnce(&mut H) -> T) -> T {
        ask(&mut self.lock().history)
    }

    /// The runs of a time that have not succeeded.
    pub(super) fn missing(&self, since: i64, until: i64) -> Result<Vec<Place>, H::Error> {
        let inner = self.lock();
        let mut missing = Vec::new();
        for run in self.pipeline.plan(since..=until) {
            if let Some(place) = self.pipeline.place(run.job)
                && !has_succeeded(&inner.history, run)?
            {
                missing.push((run.scheduled, place));
            }
        }
        Ok(missing)
    }

    /// Whether a run is ready, and else what it watches.
    fn judge(&self, (scheduled, place): Place, history: &H) -> Verdict {
        let ask = || match self.pipeline.ready(self.pipeline.name(place), scheduled, history) {
            Ok(Readiness::Ready) => Verdict::Ready,
            Ok(Readiness::Waiting(waiting)) => {
                let mut watches = Vec::new();
                self.watch(&waiting, &mut watches);
                Verdict::Waiting(watches)
            }
            Err(error) => Verdict::Unknown(error.to_string()),
        };
        calm(ask).unwrap_or_else(Verdict::Unknown)
    }

    /// What has to succeed, at the least, before waiting ends: of several reasons the
    /// first, of alternatives one of each.
    fn watch(&self, waiting: &Waiting<'_>, watches: &mut Vec<Watch>) {
        let (job, instant) = match waiting.reasons().first() {
            Some(Reason::AnyOf(alternatives)) => {
                for alternative in alternatives {
                    self.watch(alternative, watches);
                }
                return;
            }
            Some(Reason::Latest { job, .. }) => (*job, None),
            Some(Reason::Runs { job, missing, needed }) => {
                let first = missing.stretches().first().map(|stretch| stretch.first);
                // Where some are enough, it may be any.
                (*job, first.filter(|_| *needed == missing.count()))
            }
            None => return,
        };
        watches.extend(self.pipeline.place(job).map(|place| (place, instant)));
    }

    /// Starts a run, or lets it wait. Returns whether it will start some time.
    pub(super) fn submit(self: &Arc<Self>, run: Place, unless_succeeded: bool) -> bool {
        let (scheduled, place) = run;
        let mut inner = self.lock();
        let is_there = inner.waiting.contains_key(&run) || inner.going.contains(&run);
        if is_there || inner.is_cancelled || self.work[place].is_none() {
            return false;
        }
        let run_of = Run { scheduled, job: self.pipeline.name(place) };
        let has_succeeded = || has_succeeded(&inner.history, run_of).is_ok_and(|it| it);
        if unless_succeeded && calm(has_succeeded).is_ok_and(|it| it) {
            return false;
        }
        let verdict = self.judge(run, &inner.history);
        let failure = match verdict {
            Verdict::Waiting(watches) => {
                inner.park(run, watches);
                drop(inner);
                self.lose_patience_with(run);
                return true;
            }
            Verdict::Ready => None,
            Verdict::Unknown(error) => Some(error),
        };
        inner.going.insert(run);
        drop(inner);
        self.start(run, failure)
    }

    /// Lets the patience with a run end.
    fn lose_patience_with(self: &Arc<Self>, run: Place) {
        let (Patience::GiveUp(patience) | Patience::StartAnyway(patience)) = self.patience else {
            return;
        };
        let Some(end) = self.remote.now().checked_add(patience) else { return };
        let state = Arc::clone(self);
        let job = Job::once(move |_| state.expire(run));
        let Ok(handle) = self.remote.add_run(end, job) else { return };
        let mut inner = self.lock();
        if let Some(parked) = inner.waiting.get_mut(&run) {
            parked.patience = Some(handle);
            return;
        }
        drop(inner);
        handle.cancel();
    }

    /// The patience with a run has ended.
    fn expire(self: &Arc<Self>, run: Place) {
        let mut inner = self.lock();
        if !inner.waiting.contains_key(&run) {
            return;
        }
        let failure = match self.patience {
            Patience::GiveUp(patience) => {
                let reason = self.reason(run, &inner.history);
                reason.map(|reason| format!("it waited {patience:?} for {reason}"))
            }
            Patience::StartAnyway(_) | Patience::Forever => None,
        };
        inner.take(run);
        drop(inner);
        self.start(run, failure);
    }

    /// What a run waits for, in words, if it does.
    fn reason(&self, (scheduled, place): Place, history: &H) -> Option<String> {
        let ask = || match self.pipeline.ready(self.pipeline.name(place), scheduled, history) {
            Ok(readiness) => readiness.waiting().map(|waiting| waiting.to_string()),
            Err(error) => Some(error.to_string()),
        };
        calm(ask).unwrap_or_else(Some)
    }

    /// Gives a run that is going to the scheduler; with why it fails, if it does. Returns
    /// whether the scheduler takes it.
    fn start(self: &Arc<Self>, run: Place, failure: Option<String>) -> bool {
        let (scheduled, place) = run;
        let state = Arc::clone(self);
        let job = Job::deferred(move |fire, completion| match &failure {
            Some(failure) => state.end(run, Outcome::Failed(failure.clone()), completion),
            None => state.begin(run, &fire, completion),
        });
        let job = job.name(self.pipeline.name(place));
        let is_taken =
            time(scheduled).and_then(|instant| self.remote.add_run(instant, job).ok()).is_some();
        if !is_taken {
            self.lock().going.remove(&run);
        }
        is_taken
    }

    /// What the scheduler does for a run.
    fn begin(self: &Arc<Self>, run: Place, fire: &RunContext, completion: Completion) {
        let (_, place) = run;
        let work = self.work[place].clone().filter(|_| !self.lock().is_cancelled);
        let Some(work) = work else {
            let outcome = Outcome::Failed("the pipeline was cancelled".to_string());
            return self.end(run, outcome, completion);
        };
        let state = Arc::clone(self);
        work.begin(
            fire,
            completion.intercept(move |outcome, completion| {
                state.end(run, outcome, completion);
            }),
        );
    }

    /// A run has ended. What it lets start is given to the scheduler before that knows of
    /// the end, so that it is at no time without anything to do.
    fn end(self: &Arc<Self>, run: Place, outcome: Outcome, completion: Completion) {
        let mut inner = self.lock();
        let (scheduled, place) = run;
        let recorded = match outcome {
            Outcome::Succeeded => {
                let name = self.pipeline.name(place);
                let record = || inner.history.record(name, scheduled).map_err(|it| it.to_string());
                calm(record).and_then(|recorded| recorded)
            }
            _ => Ok(()),
        };
        inner.going.remove(&run);
        let outcome = match (outcome, recorded) {
            (Outcome::Succeeded, Ok(())) => {
                let after = self.ask_again(&mut inner, place, scheduled);
                drop(inner);
                self.carry_out(after);
                Outcome::Succeeded
            }
            (outcome, recorded) => {
                drop(inner);
                let failed = recorded.map_err(|error| format!("it could not be recorded: {error}"));
                failed.map_or_else(Outcome::Failed, |()| outcome)
            }
        };
        completion.finish(outcome);
    }

    /// Records a success, and starts what is ready since.
    pub(super) fn succeed(self: &Arc<Self>, place: usize, scheduled: i64) -> Result<(), H::Error> {
        let mut inner = self.lock();
        inner.history.record(self.pipeline.name(place), scheduled)?;
        let after = self.ask_again(&mut inner, place, scheduled);
        drop(inner);
        self.carry_out(after);
        Ok(())
    }

    /// Starts all that waits and is ready.
    pub(super) fn look_again(self: &Arc<Self>) {
        let mut inner = self.lock();
        let waiting: Vec<Place> = inner.waiting.keys().copied().collect();
        let after = self.release(&mut inner, waiting);
        drop(inner);
        self.carry_out(after);
    }

    fn ask_again(&self, inner: &mut Inner<H>, place: usize, scheduled: i64) -> After {
        let watching = inner.watching(place, scheduled);
        self.release(inner, watching)
    }

    /// Takes out those of some runs that wait and are ready.
    fn release(&self, inner: &mut Inner<H>, runs: Vec<Place>) -> After {
        let mut after = After::default();
        for run in runs {
            match self.judge(run, &inner.history) {
                Verdict::Ready => {
                    let Some(parked) = inner.take(run) else { continue };
                    after.starts.push(run);
                    after.ends.extend(parked.patience);
                }
                Verdict::Waiting(watches) => {
                    inner.unwatch(run);
                    inner.doubtful.remove(&run);
                    inner.park(run, watches);
                }
                Verdict::Unknown(_) => {
                    inner.doubtful.insert(run);
                }
            }
        }
        after
    }

    fn carry_out(self: &Arc<Self>, After { starts, ends }: After) {
        for end in ends {
            end.cancel();
        }
        for run in starts {
            self.start(run, None);
        }
    }

    pub(super) fn waiting(&self) -> Vec<WaitingRun> {
        let inner = self.lock();
        let waiting = inner.waiting.keys().filter_map(|&run| {
            let (scheduled, place) = run;
            let job = self.pipeline.name(place);
            let reason = self.reason(run, &inner.history);
            Some(WaitingRun {
                job: job.to_string(),
                scheduled: time(scheduled)?,
                // Another process may have recorded what it has waited for.
                reason: reason.unwrap_or_else(|| "somebody to look again".to_string()),
                run: Run { scheduled, job }.to_string(),
            })
        });
        waiting.collect()
    }

    pub(super) fn cancel(&self) {
        let mut inner = self.lock();
        inner.is_cancelled = true;
        let mut handles = std::mem::take(&mut inner.due);
        let waiting = std::mem::take(&mut inner.waiting);
        handles.extend(waiting.into_values().filter_map(|parked| parked.patience));
        inner.watching.clear();
        inner.doubtful.clear();
        drop(inner);
        for handle in handles {
            handle.cancel();
        }
    }
}

fn has_succeeded<H: History>(history: &H, run: Run<'_>) -> Result<bool, H::Error> {
    let mut has_succeeded = false;
    history.successes(run.job, run.scheduled..=run.scheduled, &mut |_| {
        has_succeeded = true;
        ControlFlow::Break(())
    })?;
    Ok(has_succeeded)
}

/// What a history tells, unless it panics.
fn calm<T>(ask: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        // Its own drop may panic, too.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(panic);
        }
        "the history has panicked".to_string()
    })
}

/// The events of a job of a pipeline.
pub(super) struct Due<H> {
    pub(super) state: Arc<State<H>>,
    pub(super) place: usize,
}

impl<H: Send + 'static> Recurrence for Due<H> {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.state.pipeline.events(self.place).next_event(instant)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.state.pipeline.events(self.place).nearest_prev_event(instant)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        self.state.pipeline.events(self.place).count(range)
    }
}

/// The instant of an event; `None` if the platform cannot represent it.
fn time(event: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(event.unsigned_abs());
    if event < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}
