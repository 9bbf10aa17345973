//! Runs that wait for others, and what happens when they have waited too long.

use std::sync::{Arc, MutexGuard};

use alloc::format;
use alloc::string::{String, ToString as _};

use millicron::system_time;
use millicron_history::catch_panic;
use millicron_scheduler::Job;

use super::claims::NotClaimed;
use super::report::WaitingRun;
use super::runs::RunKey;
use super::start::Step;
use super::state::{Inner, State, call, cancel_all};
use super::wait_policy::WaitPolicy;
use crate::{Claims, PipelineRun, Reason, RunState, Waiting};

impl<H: Claims + Send + 'static> State<H> {
    /// Returns the description of a waiting run, if the platform can represent its instant.
    pub(super) fn waiting_run(&self, inner: &Inner<H>, key: RunKey) -> Option<WaitingRun> {
        let (reason, failed) = match self.waiting_for(key, &inner.history) {
            Ok(Some(waiting)) => (waiting.to_string(), self.failed(inner, key).unwrap_or_default()),
            Ok(None) if inner.paused.contains(&key.index) => {
                ("its job to be resumed".to_string(), None)
            }
            Ok(None) if inner.runs.is_held(key) => {
                ("the runner that has claimed it".to_string(), None)
            }
            // Another process may have recorded the success that the run waited for.
            Ok(None) => ("a refresh".to_string(), None),
            Err(message) => (message, None),
        };
        self.describe(key, reason, failed)
    }

    fn describe(&self, key: RunKey, reason: String, failed: Option<String>) -> Option<WaitingRun> {
        let run = self.run(key);
        let (job, scheduled) = (run.job.to_string(), system_time(run.scheduled)?);
        Some(WaitingRun { job, scheduled, reason, failed, run: self.text(key) })
    }

    /// Returns, as text, the first run that a waiting run watches although it has ended.
    fn failed(&self, inner: &Inner<H>, run: RunKey) -> Result<Option<String>, String> {
        let watched = inner.runs.watched(run);
        // A run that was submitted again may still succeed.
        for key in watched.into_iter().filter(|key| !inner.runs.contains(*key)) {
            let PipelineRun { scheduled, job } = self.run(key);
            if let Some(state) = call(|| inner.history.state(job, scheduled))? {
                return Ok(Some(format!("{} {state}", self.text(key))));
            }
        }
        Ok(None)
    }

    /// Returns a wait that begins, to report it, if there is an observer.
    pub(super) fn begun_wait(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        waiting: &Waiting<'_>,
    ) -> Option<WaitingRun> {
        self.observers.on_wait.as_ref()?;
        let failed = self.failed(inner, run).unwrap_or_default();
        inner.runs.set_reported(run, failed.clone());
        self.describe(run, waiting.to_string(), failed)
    }

    /// Returns the wait of a run for one that has failed, to report it, unless it was reported or
    /// there is no observer.
    pub(super) fn failed_wait(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        waiting: &Waiting<'_>,
    ) -> Result<Option<WaitingRun>, String> {
        if self.observers.on_wait.is_none() {
            return Ok(None);
        }
        let failed = self.failed(inner, run)?;
        let is_news = inner.runs.set_reported(run, failed.clone()) && failed.is_some();
        let wait = is_news.then(|| self.describe(run, waiting.to_string(), failed));
        Ok(wait.flatten())
    }

    /// Reports waits to the observer. Its panics have no effect.
    pub(super) fn report_waits(&self, waits: impl IntoIterator<Item = WaitingRun>) {
        let Some(on_wait) = &self.observers.on_wait else { return };
        for wait in waits {
            drop(catch_panic(|| on_wait(&wait)));
        }
    }

    /// Adds jobs that end a run's wait, if it is limited.
    pub(super) fn limit_wait(self: &Arc<Self>, run: RunKey) {
        let Some(restarts) = self.lock().runs.restarts(run) else { return };
        for (&upstream, &policy) in &self.jobs[run.index].limits {
            // A run may be submitted before it is due.
            let now = self.scheduler.now();
            let start = system_time(run.scheduled).map_or(now, |due| now.max(due));
            let end = policy.limit().and_then(|wait| start.checked_add(wait));
            let Some(end) = end else { continue };
            let state = Arc::clone(self);
            let end_wait = move |_| state.end_wait(run, restarts, (upstream, policy));
            let job = Job::once(end_wait).internal();
            let Ok(handle) = self.scheduler.once_job_beyond_capacity(end, job) else { return };
            let unused = self.lock().runs.add_timeout(run, handle);
            cancel_all(unused);
        }
    }

    /// Starts or gives up a run that has waited as long as a policy allows, for one job or any.
    fn end_wait(
        self: &Arc<Self>,
        run: RunKey,
        restarts: u64,
        (upstream, policy): (Option<usize>, WaitPolicy),
    ) {
        let mut inner = self.lock();
        // The limits are restarted when the job is resumed.
        let is_current = inner.runs.restarts(run) == Some(restarts);
        if !is_current || inner.paused.contains(&run.index) {
            return;
        }
        let upstream = upstream.map(|index| self.pipeline.name(index));
        let blocks = |waiting: &Waiting<'_>| upstream.is_none_or(|job| waits_for(waiting, job));
        let reason = match self.waiting_for(run, &inner.history) {
            Ok(Some(waiting)) if !blocks(&waiting) => return,
            Ok(waiting) => waiting.map(|waiting| waiting.to_string()),
            Err(message) => Some(message),
        };
        let given_up = |limit| reason.map(|reason| format!("waited {limit:?} for {reason}"));
        let step = match policy {
            WaitPolicy::FailAfter(limit) => given_up(limit).map_or(Step::Work, Step::GiveUp),
            WaitPolicy::SkipAfter(limit) => match given_up(limit) {
                Some(reason) => return self.skip(inner, run, reason),
                None => Step::Work,
            },
            WaitPolicy::StartAfter(_) => Step::Work,
            WaitPolicy::Forever => {
                debug_assert!(false, "only a limited wait ends");
                Step::Work
            }
        };
        let unused = inner.runs.activate(run);
        drop(inner);
        cancel_all(unused);
        self.start(run, step);
    }

    /// Records a waiting run as skipped.
    fn skip(self: &Arc<Self>, mut inner: MutexGuard<'_, Inner<H>>, run: RunKey, reason: String) {
        let unused = inner.runs.activate(run);
        let recorded = match self.claim(&mut inner, run) {
            Ok(()) => self.record_end(&mut inner, run, RunState::Skipped),
            Err(NotClaimed::Failed(message)) => Err(message),
            Err(external) => {
                self.leave(inner, run, &external);
                return cancel_all(unused);
            }
        };
        let pending = recorded.map(|()| {
            inner.runs.finish(run);
            self.recheck(&mut inner, run)
        });
        drop(inner);
        cancel_all(unused);
        match pending {
            Ok(pending) => {
                self.call_scheduler(pending);
                self.tell(run, RunState::Skipped, Some(reason));
            }
            Err(error) => {
                let reason = format!("cannot record that the run is skipped: {error}");
                self.start(run, Step::Refuse(reason));
            }
        }
    }
}

/// Returns whether a wait cannot end before another run of a job has ended.
fn waits_for(waiting: &Waiting<'_>, upstream: &str) -> bool {
    waiting.reasons().iter().any(|reason| match reason {
        Reason::Latest { job, .. } | Reason::Last { job, .. } | Reason::Runs { job, .. } => {
            *job == upstream
        }
        Reason::AnyOf(alternatives) => alternatives.iter().all(|it| waits_for(it, upstream)),
    })
}
