//! [`State`]: which runs of a pipeline wait, and which are going.
//!
//! ```text
//!    due, submitted ──▶ is it ready? ──yes──▶ going ──▶ it succeeds ──▶ recorded
//!                         │ no   ▲                          │
//!                         ▼      └──── is what needs it ready now?
//!                       waiting ── its patience ends ──▶ going, or failed
//! ```
//!
//! One lock guards what waits and the history. Jobs are added to the scheduler, and
//! runs are ended, without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::format;
use std::ops::ControlFlow;
use std::string::{String, ToString as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use std::vec::Vec;

use super::{Patience, WaitingRun};
use crate::clock::Civil;
use crate::dependency::{History, Pipeline, Readiness, Run};
use crate::moment::{Moment as _, Read as _};
use crate::scheduler::job::{Again, Completion, Finish, Work};
use crate::scheduler::shared::attempt;
use crate::scheduler::timetable::Timetable;
use crate::scheduler::{Error, Fire, Job, JobHandle, Outcome, Remote};

pub(super) struct State<H> {
    pub(super) remote: Remote,
    pub(super) pipeline: Pipeline,
    /// What each job does; `None` of those that run elsewhere.
    work: Vec<Option<Again>>,
    patience: Patience,
    inner: Mutex<Inner<H>>,
}

struct Inner<H> {
    history: H,
    /// The runs that are due and not ready, the earliest first, each with the end of
    /// its patience.
    waiting: BTreeMap<Place, Option<JobHandle>>,
    /// Those that are ready, while the scheduler has no room for them.
    crowded: BTreeSet<Place>,
    /// Those that the scheduler has, until they have ended.
    going: BTreeSet<Place>,
    /// What makes runs due.
    due: Vec<JobHandle>,
    is_cancelled: bool,
}

/// A run: its event, in milliseconds, and the place of its job.
type Place = (i64, usize);

/// A run that the scheduler is to have; with why it fails, if it does.
struct Start {
    run: Place,
    failure: Option<String>,
}

/// A run that waits no longer, and the end of its patience.
struct Released {
    start: Start,
    patience: Option<JobHandle>,
}

impl<H> Inner<H> {
    /// Those that there was no room for, which there may be now.
    fn take_crowded(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.crowded).into_iter().collect()
    }
}

impl<H: History<Error: fmt::Display> + Send + 'static> State<H> {
    pub(super) fn new(
        remote: Remote,
        pipeline: Pipeline,
        history: H,
        work: Vec<Option<Again>>,
        patience: Patience,
    ) -> Self {
        let inner = Inner {
            history,
            waiting: BTreeMap::new(),
            crowded: BTreeSet::new(),
            going: BTreeSet::new(),
            due: Vec::new(),
            is_cancelled: false,
        };
        Self { remote, pipeline, work, patience, inner: Mutex::new(inner) }
    }

    /// The code of others under the lock is the history. One that panics leaves
    /// nothing half done here.
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

    pub(super) fn has_succeeded(&self, run: Run<'_>) -> Result<bool, H::Error> {
        let mut has_succeeded = false;
        let range = run.scheduled..=run.scheduled;
        self.lock().history.successes(run.job, range, &mut |_| {
            has_succeeded = true;
            ControlFlow::Break(())
        })?;
        Ok(has_succeeded)
    }

    /// Whether a run is ready, and else what it waits for.
    fn ask(&self, (scheduled, place): Place, history: &H) -> Result<Option<String>, String> {
        match self.pipeline.ready(self.pipeline.name(place), scheduled, history) {
            Ok(Readiness::Ready) => Ok(None),
            Ok(Readiness::Waiting(waiting)) => Ok(Some(waiting.to_string())),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Starts a run, or lets it wait. Returns whether it was not there before.
    pub(super) fn submit(self: &Arc<Self>, place: usize, scheduled: i64) -> bool {
        let run = (scheduled, place);
        let mut inner = self.lock();
        let is_there = inner.waiting.contains_key(&run) || inner.going.contains(&run);
        if is_there || inner.is_cancelled || self.work[place].is_none() {
            return false;
        }
        let crowded = inner.take_crowded();
        let released = self.take_ready(&mut inner, crowded);
        let ready = self.ask(run, &inner.history);
        if let Ok(Some(_)) = ready {
            inner.waiting.insert(run, None);
        } else {
            inner.going.insert(run);
        }
        drop(inner);
        self.release(released);
        match ready {
            Ok(Some(_)) => self.lose_patience_with(run),
            ready => self.start(Start { run, failure: ready.err() }),
        }
        true
    }

    /// Lets the patience with a run end.
    fn lose_patience_with(self: &Arc<Self>, run: Place) {
        let (Patience::GiveUp(patience) | Patience::StartAnyway(patience)) = self.patience else {
            return;
        };
        let Some(end) = self.remote.shared.now().time().checked_add(patience) else { return };
        let state = Arc::clone(self);
        // Without room for this, it waits for longer.
        let Ok(handle) = self.remote.once(end, move |_: &Fire| state.expire(run)) else { return };
        match self.lock().waiting.get_mut(&run) {
            Some(waiting) => *waiting = Some(handle),
            None => {
                handle.cancel();
            }
        }
    }

    /// The patience with a run has ended.
    fn expire(self: &Arc<Self>, run: Place) {
        let mut inner = self.lock();
        if inner.waiting.remove(&run).is_none() {
            return;
        }
        let failure = match self.patience {
            Patience::GiveUp(patience) => {
                let missing = self.ask(run, &inner.history).unwrap_or_else(Some);
                let missing = missing.unwrap_or_default();
                Some(format!("it waited {patience:?} for {missing}"))
            }
            Patience::StartAnyway(_) | Patience::Forever => None,
        };
        inner.going.insert(run);
        drop(inner);
        self.start(Start { run, failure });
    }

    /// Gives a run to the scheduler, which is going from then on.
    fn start(self: &Arc<Self>, Start { run, failure }: Start) {
        let (scheduled, place) = run;
        let state = Arc::clone(self);
        let job = Job::deferred(move |fire, completion| match &failure {
            Some(failure) => state.end(run, Outcome::Failed(failure.clone()), completion),
            None => state.begin(run, &fire, completion),
        });
        let job = job.name(self.pipeline.name(place));
        let Some(instant) = time(scheduled) else { return };
        if let Err(error) = self.remote.once_job(instant, job) {
            let mut inner = self.lock();
            inner.going.remove(&run);
            if matches!(error, Error::Full(_)) && !inner.is_cancelled {
                inner.waiting.insert(run, None);
                inner.crowded.insert(run);
            }
        }
    }

    /// What the scheduler does for a run.
    fn begin(self: &Arc<Self>, run: Place, fire: &Fire, completion: Completion) {
        let (_, place) = run;
        let Some(work) = self.work[place].clone() else { return };
        let span = completion.span().clone();
        let relay = Arc::new(Relay {
            state: Arc::clone(self),
            run,
            completion: Mutex::new(Some(completion)),
        });
        let deferred = || Completion::new(relay.clone(), 0, span);
        if let Some(outcome) = attempt(Work::Again(work), fire, deferred) {
            relay.finish(0, outcome);
        }
    }

    /// A run has ended. What it lets start is given to the scheduler before that knows of
    /// the end, so that it is at no time without anything to do.
    fn end(self: &Arc<Self>, run: Place, outcome: Outcome, completion: Completion) {
        let (scheduled, place) = run;
        self.lock().going.remove(&run);
        let outcome = match outcome {
            Outcome::Ended => match self.succeed(place, scheduled) {
                Ok(()) => Outcome::Ended,
                Err(error) => Outcome::Failed(format!("it could not be recorded: {error}")),
            },
            outcome => outcome,
        };
        completion.end(outcome);
        let mut inner = self.lock();
        let crowded = inner.take_crowded();
        let ready = self.take_ready(&mut inner, crowded);
        drop(inner);
        self.release(ready);
    }

    /// Records a success, and starts what is ready since.
    pub(super) fn succeed(self: &Arc<Self>, place: usize, scheduled: i64) -> Result<(), H::Error> {
        let mut inner = self.lock();
        inner.history.record(self.pipeline.name(place), scheduled)?;
        let needs = |run: &Place| self.pipeline.needs(run.1, place);
        let waiting = inner.waiting.keys().copied().filter(needs).collect();
        let ready = self.take_ready(&mut inner, waiting);
        drop(inner);
        self.release(ready);
        Ok(())
    }

    /// Takes out those of some runs that wait and are ready.
    fn take_ready(&self, inner: &mut Inner<H>, runs: Vec<Place>) -> Vec<Released> {
        let mut released = Vec::new();
        for run in runs {
            let failure = match self.ask(run, &inner.history) {
                Ok(Some(_)) => continue,
                ready => ready.err(),
            };
            let Some(patience) = inner.waiting.remove(&run) else { continue };
            inner.crowded.remove(&run);
            inner.going.insert(run);
            released.push(Released { start: Start { run, failure }, patience });
        }
        released
    }

    fn release(self: &Arc<Self>, released: Vec<Released>) {
        for Released { start, patience } in released {
            if let Some(patience) = patience {
                patience.cancel();
            }
            self.start(start);
        }
    }

    /// Starts all that waits and is ready.
    pub(super) fn look_again(self: &Arc<Self>) {
        let mut inner = self.lock();
        let waiting = inner.waiting.keys().copied().collect();
        let ready = self.take_ready(&mut inner, waiting);
        drop(inner);
        self.release(ready);
    }

    pub(super) fn waiting(&self) -> Vec<WaitingRun> {
        let inner = self.lock();
        let waiting = inner.waiting.keys().filter_map(|&run| {
            let (scheduled, place) = run;
            let job = self.pipeline.name(place);
            let reason = match self.ask(run, &inner.history) {
                Ok(Some(reason)) | Err(reason) => reason,
                Ok(None) => "room in the scheduler".to_string(),
            };
            Some(WaitingRun {
                job: job.to_string(),
                scheduled: time(scheduled)?,
                reason,
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
        handles.extend(waiting.into_values().flatten());
        inner.crowded.clear();
        drop(inner);
        for handle in handles {
            handle.cancel();
        }
    }
}

/// What is told of the end of a run, before the scheduler is.
struct Relay<H> {
    state: Arc<State<H>>,
    run: Place,
    /// `None` when it has ended.
    completion: Mutex<Option<Completion>>,
}

impl<H: History<Error: fmt::Display> + Send + 'static> Finish for Relay<H> {
    fn finish(&self, _: u64, outcome: Outcome) {
        let completion = self.completion.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(completion) = completion {
            self.state.end(self.run, outcome, completion);
        }
    }
}

/// The events of a job of a pipeline.
pub(super) struct Due<H> {
    pub(super) state: Arc<State<H>>,
    pub(super) place: usize,
}

impl<H: Send + 'static> Timetable for Due<H> {
    fn next(&self, after: SystemTime) -> Option<SystemTime> {
        let events = self.state.pipeline.events(self.place);
        let event = events.nearest(after.reading().millis.checked_add(1)?)?;
        time(event)
    }

    fn last(&self, until: SystemTime) -> Option<SystemTime> {
        let events = self.state.pipeline.events(self.place);
        time(events.nearest_prev(until.reading().millis)?)
    }

    fn count(&self, after: SystemTime, until: SystemTime) -> u64 {
        let [after, until] = [after, until].map(|instant| instant.reading().millis);
        let events = self.state.pipeline.events(self.place);
        after.checked_add(1).map_or(0, |first| events.count(first, until))
    }
}

/// An event, for the scheduler.
fn time(event: i64) -> Option<SystemTime> {
    SystemTime::at(&Civil, event)
}
