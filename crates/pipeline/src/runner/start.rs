//! Starts runs that are ready, and makes the others wait.

use alloc::collections::VecDeque;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use std::sync::Arc;
use std::time::Instant;

use millicron::{Moment as _, Recurrence as _, system_time};
use millicron_scheduler::{Completion, Job, Outcome, RunContext};

use super::runs::{RunKey, Stage, Watch};
use super::state::{Inner, PendingCalls, State, call, cancel_all};
use crate::{Claims, PipelineRun, Readiness, Reason, Waiting};

/// Which recorded runs not to submit.
#[derive(Clone, Copy)]
pub(super) enum Unless {
    Never,
    Ended,
}

/// What a run does when a worker takes it.
pub(super) enum Step {
    Work,
    /// Gives up the run, and records it as failed.
    GiveUp(String),
    /// Fails the run without recording it, because the history failed.
    Refuse(String),
}

impl<H: Claims + Send + 'static> State<H> {
    /// Returns what a run waits for; `None` if it is ready.
    pub(super) fn waiting_for(
        &self,
        run: RunKey,
        history: &H,
    ) -> Result<Option<Waiting<'_>>, String> {
        let PipelineRun { scheduled, job } = self.run(run);
        call(|| self.pipeline.ready(job, scheduled, history)).map(Readiness::waiting)
    }

    /// Returns what must succeed before a wait can end: the first of several reasons, and one reason
    /// for each alternative.
    fn watches(&self, waiting: &Waiting<'_>) -> Vec<Watch> {
        let (job, scheduled) = match waiting.reasons().first() {
            Some(Reason::AnyOf(alternatives)) => {
                return alternatives.iter().flat_map(|it| self.watches(it)).collect();
            }
            Some(Reason::Latest { job, .. }) => (*job, None),
            Some(Reason::Last { job, scheduled, .. }) => (*job, Some(*scheduled)),
            Some(Reason::Runs { job, missing, needed }) => {
                let first = missing.ranges().first().map(|range| range.first);
                // If only some of the runs are needed, it may be any of them.
                (*job, first.filter(|_| *needed == missing.count()))
            }
            None => {
                debug_assert!(false, "a run waits for a reason");
                return Vec::new();
            }
        };
        let index = self.pipeline.index(job);
        debug_assert!(index.is_some(), "a reason names a job of the pipeline");
        let watch = |index| match scheduled {
            None => Watch::Job(index),
            Some(scheduled) => Watch::Run(RunKey { scheduled, index }),
        };
        index.map(watch).into_iter().collect()
    }

    /// Starts a run, or makes it wait. Returns whether the run was accepted.
    pub(super) fn submit(self: &Arc<Self>, run: RunKey, unless: Unless) -> bool {
        let mut inner = self.lock();
        if inner.runs.contains(run) || inner.is_cancelled || self.jobs[run.index].task().is_none() {
            return false;
        }
        let PipelineRun { scheduled, job } = self.run(run);
        let state = || call(|| inner.history.state(job, scheduled));
        // If the history fails, the check of the run finds that.
        if matches!(unless, Unless::Ended) && state().is_ok_and(|state| state.is_some()) {
            return false;
        }
        let is_paused = inner.paused.contains(&run.index);
        let step = match self.waiting_for(run, &inner.history) {
            Ok(None) if !is_paused => Step::Work,
            Err(message) if !is_paused => Step::Refuse(message),
            waiting => {
                let watches = match &waiting {
                    Ok(Some(waiting)) => self.watches(waiting),
                    Ok(None) => Vec::new(),
                    Err(_) => vec![Watch::All],
                };
                inner.runs.wait(run, watches);
                // Whoever has paused the job knows that it waits.
                let waits = match waiting {
                    Ok(Some(waiting)) => self.begun_wait(&mut inner, run, &waiting),
                    _ => None,
                };
                drop(inner);
                self.report_waits(waits);
                self.limit_wait(run);
                return true;
            }
        };
        inner.runs.add_active(run);
        drop(inner);
        self.start(run, step)
    }

    /// Starts the run of a job's last event, whatever it needs, and forgets how it ended before.
    /// Returns whether it was accepted.
    pub(super) fn trigger_now(self: &Arc<Self>, index: usize) -> Result<bool, H::Error> {
        let now = self.scheduler.now().position().millis;
        let last = self.pipeline.timeline(index).nearest_prev_event(now);
        let Some(scheduled) = last.filter(|_| self.jobs[index].task().is_some()) else {
            return Ok(false);
        };
        let run = RunKey { scheduled, index };
        let mut inner = self.lock();
        // Its runs follow each other.
        let has_earlier = self.pipeline.needs(index, index) && inner.runs.has_earlier(run);
        let is_stopped = inner.is_cancelled || self.scheduler.is_closed();
        if is_stopped || inner.runs.is_active(run) || has_earlier {
            return Ok(false);
        }
        let job = self.pipeline.name(index);
        if inner.history.state(job, scheduled)?.is_some() {
            // Runs that need it wait for its new end, and it can be claimed again.
            inner.history.forget(job, scheduled..=scheduled)?;
        }
        let unused = inner.runs.activate(run);
        drop(inner);
        cancel_all(unused);
        Ok(self.start(run, Step::Work))
    }

    /// Hands an active run to the scheduler. Returns whether the scheduler accepted it.
    pub(super) fn start(self: &Arc<Self>, run: RunKey, step: Step) -> bool {
        let activation =
            Activation { state: Arc::clone(self), run, number: self.lock().runs.activation(run) };
        let retry = match step {
            Step::Work => self.jobs[run.index].retry,
            Step::GiveUp(_) | Step::Refuse(_) => None,
        };
        let job = Job::deferred(move |context, completion| {
            let Activation { state, run, .. } = &activation;
            match &step {
                Step::Work => state.begin(*run, &context, completion),
                Step::GiveUp(reason) => state.give_up(*run, reason, completion),
                Step::Refuse(reason) => state.refuse(*run, reason.clone(), completion),
            }
        });
        let job = job.name(self.pipeline.name(run.index));
        let job = match retry {
            Some(retry) => job.retry(retry),
            None => job,
        };
        let handle = system_time(run.scheduled)
            .and_then(|instant| self.scheduler.once_job_beyond_capacity(instant, job).ok());
        let mut inner = self.lock();
        let Some(handle) = handle else {
            inner.runs.finish(run);
            return false;
        };
        let unused = inner.runs.set_handle(run, handle);
        drop(inner);
        // The run has ended and is not retried.
        cancel_all(unused);
        true
    }

    /// Starts the work of a run, on a worker of the scheduler.
    fn begin(self: &Arc<Self>, run: RunKey, context: &RunContext, completion: Completion) {
        let inner = self.lock();
        let work = self.jobs[run.index].task().filter(|_| !inner.is_cancelled);
        let Some(work) = work else {
            drop(inner);
            return self.refuse(run, "the pipeline was cancelled".to_string(), completion);
        };
        if context.attempt() > 1 && inner.runs.stage(run) != Some(Stage::Retrying) {
            // The claim was lost while this attempt started.
            drop(inner);
            return completion.finish(Outcome::Succeeded);
        }
        let Some(completion) = self.claim_or_complete(inner, run, completion) else { return };
        let (state, context_of_end) = (Arc::clone(self), context.clone());
        work.begin(
            context,
            completion.intercept(move |outcome, completion| {
                state.end_attempt(run, &context_of_end, outcome, completion);
            }),
        );
    }

    /// Activates the waiting runs that the end of a run has made ready.
    pub(super) fn recheck(&self, inner: &mut Inner<H>, ended: RunKey) -> PendingCalls {
        let affected = inner.runs.affected_by(ended);
        for run in &affected {
            // If what it waits for has failed again, that is reported again.
            inner.runs.set_reported(*run, None);
        }
        self.activate_ready(inner, affected)
    }

    /// Activates the ready runs among some waiting runs, and drops those that another runner has ended.
    ///
    /// The history may have failed for a single run only. But if it was slow to fail, it is probably
    /// unreachable, and the remaining runs are not checked.
    pub(super) fn activate_ready(&self, inner: &mut Inner<H>, runs: Vec<RunKey>) -> PendingCalls {
        let mut pending = PendingCalls::default();
        let mut runs = VecDeque::from(runs);
        while let Some(run) = runs.pop_front() {
            // Checking many runs may take longer than a lease.
            pending.cancel.extend(Self::renew_due_claims(inner));
            // A run may be listed twice if it watches two successes.
            if !inner.runs.is_waiting(run) {
                continue;
            }
            let began = Instant::now();
            if self.check(inner, run, &mut runs, &mut pending).is_err() {
                // The history may have recovered when any run ends.
                inner.runs.watch(run, Watch::All);
                // It may give up somewhat before its limit.
                if began.elapsed() >= self.retry_limit / 2 {
                    pending.is_history_down = true;
                    break;
                }
            }
        }
        for run in runs {
            inner.runs.watch(run, Watch::All);
        }
        pending
    }

    /// Activates a waiting run that is ready, or drops it if another runner has ended it, and adds
    /// those that its end may make ready to `affected`. Returns an error if the history failed.
    fn check(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        affected: &mut VecDeque<RunKey>,
        pending: &mut PendingCalls,
    ) -> Result<(), String> {
        if self.has_ended_elsewhere(inner, run)? {
            pending.cancel.extend(inner.runs.drop_wait(run));
            affected.extend(inner.runs.affected_by(run));
            return Ok(());
        }
        match self.waiting_for(run, &inner.history)? {
            Some(waiting) => {
                inner.runs.wait(run, self.watches(&waiting));
                pending.waits.extend(self.failed_wait(inner, run, &waiting)?);
            }
            None if inner.paused.contains(&run.index) => {
                if !inner.runs.is_held(run) {
                    inner.runs.wait(run, Vec::new());
                }
            }
            None if inner.runs.is_held(run) => {
                if self.take_over(inner, run) {
                    pending.start.push(run);
                }
            }
            None => {
                pending.cancel.extend(inner.runs.activate(run));
                pending.start.push(run);
            }
        }
        Ok(())
    }

    /// Returns whether a run that is claimed before it starts has ended. It cannot start any more.
    fn has_ended_elsewhere(&self, inner: &Inner<H>, run: RunKey) -> Result<bool, String> {
        if inner.runs.claims.is_none() {
            return Ok(false);
        }
        let PipelineRun { scheduled, job } = self.run(run);
        call(|| inner.history.state(job, scheduled)).map(|state| state.is_some())
    }

    pub(super) fn call_scheduler(self: &Arc<Self>, pending: PendingCalls) {
        let PendingCalls { start, cancel, waits, is_history_down: _ } = pending;
        cancel_all(cancel);
        self.report_waits(waits);
        for run in start {
            self.start(run, Step::Work);
        }
    }
}

/// A run in the hands of the scheduler. If the scheduler drops it before its end, because a gate refuses it or its job
/// is cancelled, it is no longer active.
struct Activation<H: Claims + Send + 'static> {
    state: Arc<State<H>>,
    run: RunKey,
    number: Option<u64>,
}

impl<H: Claims + Send + 'static> Drop for Activation<H> {
    fn drop(&mut self) {
        let mut inner = self.state.lock();
        if self.number.is_some() && inner.runs.activation(self.run) == self.number {
            inner.runs.finish(self.run);
        }
    }
}
