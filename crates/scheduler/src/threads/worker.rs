//! What a worker thread does: takes runs, executes them, and reports how they ended.

use std::sync::Arc;

use crate::core::{AssignedRun, Ended};
use crate::job::{Completion, OutcomeSink, Workers};
use crate::panics::catch_panic;
use crate::run::{Outcome, RunId, Span};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{MutexGuard, thread};
use crate::threads::{Answer, AnswerSink, Shared, State, WorkerThreads};

impl Shared {
    /// Executes runs on a worker thread, until there are too many workers or the scheduler is
    /// closed.
    pub(crate) fn run_worker(self: &Arc<Self>, is_busy: &AtomicBool) {
        let is_woken = Arc::new(AtomicBool::new(false));
        let mut last: Option<(RunId, Outcome)> = None;
        let mut state = self.lock();
        state.worker_threads.arrive();
        loop {
            let (ended, started) = self.turn(&mut state, last.take());
            if ended.is_some() || started.is_some() {
                is_busy.store(true, Ordering::Relaxed);
                // Counted until the closure returns, which may be after the end of a deferred run.
                state.busy += 1;
                drop(self.release_lock(state));
                if let Some(ended) = ended {
                    self.report_end(&ended);
                }
                last = started.and_then(|run| self.execute(run));
                state = self.lock();
                state.busy -= 1;
                is_busy.store(false, Ordering::Relaxed);
                continue;
            }
            is_busy.store(true, Ordering::Relaxed);
            let kept = self.release_lock(state);
            is_busy.store(false, Ordering::Relaxed);
            let Some(kept) = kept else {
                state = self.lock();
                continue;
            };
            match self.pause(kept, &is_woken) {
                Some(woken) => state = woken,
                None => return,
            }
        }
    }

    /// Ends the last run and takes the next one, under one lock.
    fn turn(
        &self,
        state: &mut State,
        last: Option<(RunId, Outcome)>,
    ) -> (Option<Box<Ended>>, Option<AssignedRun>) {
        let now = self.now();
        let ended = last.and_then(|(id, outcome)| state.core.finish(id, outcome, now));
        if state.worker_threads.is_too_large() {
            return (ended, None);
        }
        self.take_due(state, now);
        (ended, state.core.start(now))
    }

    /// Parks until there is a run. Returns `None` if the thread must end.
    fn pause<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        is_woken: &Arc<AtomicBool>,
    ) -> Option<MutexGuard<'a, State>> {
        self.notify_if_idle(&state);
        if state.worker_threads.is_too_large() || state.core.is_closed() {
            state.worker_threads.leave();
            return None;
        }
        state.worker_threads.sleep(thread::current(), is_woken);
        loop {
            let is_limited = state.worker_threads.workers != Workers::PerRun;
            drop(state);
            if is_limited {
                thread::park();
            } else {
                thread::park_timeout(WorkerThreads::LONGEST_IDLE);
            }
            state = self.lock();
            if is_woken.load(Ordering::Relaxed) {
                state.worker_threads.arrive();
                return Some(state);
            }
            // Parking may end spuriously, but then losing an idle thread does no harm.
            if state.worker_threads.workers == Workers::PerRun
                && state.worker_threads.give_up(is_woken)
            {
                state.worker_threads.leave();
                return None;
            }
        }
    }

    /// Executes a run on this thread, or asks its gate first. Returns the outcome, unless the run
    /// ends later.
    fn execute(self: &Arc<Self>, run: AssignedRun) -> Option<(RunId, Outcome)> {
        if run.work.is_some() {
            self.report_start(&run);
        }
        let AssignedRun { id, context, work, .. } = run;
        let Some(work) = work else {
            if let Some(gate) = &self.gate {
                gate(&context, Answer::new(Arc::clone(self) as _, id));
            }
            return None;
        };
        let span = self.guarded("a subscriber of `tracing`", || Span::of(&context));
        let span = span.unwrap_or_default();
        let completion = || {
            let sink: Arc<dyn OutcomeSink> = Arc::clone(self) as _;
            Completion::new(sink, id, span.clone())
        };
        let (ended, panic) = span.in_scope(|| catch_panic(|| work.run(context, &completion)));
        if let Some(message) = panic {
            self.report_panic("a subscriber of `tracing`", message);
        }
        // If there is no outcome, the run's completion reports it.
        let outcome = ended.unwrap_or_else(|panic| Some(Outcome::Panicked(panic)));
        if let Some(outcome) = &outcome {
            self.guarded("a subscriber of `tracing`", || span.record_outcome(outcome));
        }
        self.guarded("a subscriber of `tracing`", || span.close());
        Some((id, outcome?))
    }

    /// Calls users' code that is not a job, and reports its panic.
    pub(crate) fn guarded<T>(&self, during: &'static str, call: impl FnOnce() -> T) -> Option<T> {
        let called = catch_panic(call);
        called.map_err(|message| self.report_panic(during, message)).ok()
    }
}

impl AnswerSink for Shared {
    fn answer(&self, run: RunId, answer: Result<bool, String>) {
        let may_start = answer.unwrap_or_else(|message| {
            self.report_panic("a gate", message);
            false
        });
        self.with(|core| core.answer_gate(run, may_start));
        let state = self.lock();
        self.notify_if_idle(&state);
    }
}
