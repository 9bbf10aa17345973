//! [`StartQueue`]: starts runs, which wait while the machine lacks the resources for another process.

use std::collections::VecDeque;
use std::mem::{replace, take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use millicron_scheduler::{Completion, Job, Retry, RunContext, SchedulerHandle};

use super::settings::SharedSettings;
use crate::run::process::Spawner;

/// How many runs of a pipeline are in progress at once. Others wait: when a laptop has slept, there may be thousands.
pub(super) const MOST_OF_PIPELINE: usize = 64;

/// How soon to try again when the machine lacks the resources for another process.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A run that is to start.
pub(super) struct QueuedRun {
    pub(super) settings: SharedSettings,
    pub(super) number: u64,
    pub(super) run: RunContext,
    pub(super) completion: Completion,
    /// Whether a start has failed for lack of resources.
    pub(super) is_delayed: bool,
}

/// The runs that wait to be started, and the number of those in progress.
pub(super) struct StartQueue {
    /// How many may be in progress at once.
    most: usize,
    scheduler: SchedulerHandle,
    spawner: Arc<Spawner>,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    running: usize,
    waiting: VecDeque<QueuedRun>,
    /// Whether a start has failed for lack of resources, and nothing has given a reason to try again since.
    is_paused: bool,
    /// Whether a timer will try again. It may outlast a pause, which also ends when a run does.
    has_timer: bool,
    is_stopped: bool,
}

impl StartQueue {
    pub(super) fn new(most: usize, scheduler: SchedulerHandle, spawner: Arc<Spawner>) -> Arc<Self> {
        Arc::new(Self { most, scheduler, spawner, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a run once few enough are in progress.
    pub(super) fn add(self: &Arc<Self>, mut run: QueuedRun) {
        let queue = Arc::clone(self);
        run.completion = run.completion.intercept(move |outcome, completion| {
            completion.finish(outcome);
            let mut state = queue.lock();
            state.running = state.running.saturating_sub(1);
            let has_next = !state.waiting.is_empty();
            drop(state);
            if has_next {
                queue.start_later(None);
            }
        });
        let mut state = self.lock();
        if state.is_stopped {
            drop(state);
            self.spawner.log_dropped([&run.run]);
        } else {
            state.waiting.push_back(run);
            drop(state);
            self.start();
        }
    }

    /// Starts runs until enough are in progress.
    fn start(self: &Arc<Self>) {
        loop {
            let next = self.lock().next(self.most);
            let Some(QueuedRun { settings, number, run, completion, is_delayed }) = next else {
                return;
            };
            match self.spawner.try_start(&settings.get(), number, &run, completion) {
                Ok(()) => {}
                Err(error) if error.is_temporary => {
                    let completion = self.spawner.delay(*error, is_delayed);
                    let run = QueuedRun { settings, number, run, completion, is_delayed: true };
                    return self.put_back(run);
                }
                Err(error) => self.spawner.fail(*error),
            }
        }
    }

    /// Lets a run wait until the machine may have the resources for it.
    fn put_back(self: &Arc<Self>, run: QueuedRun) {
        let mut state = self.lock();
        if state.is_stopped {
            drop(state);
            return self.spawner.log_dropped([&run.run]);
        }
        state.running -= 1;
        state.waiting.push_front(run);
        state.is_paused = true;
        let has_timer = replace(&mut state.has_timer, true);
        drop(state);
        if !has_timer {
            self.start_later(Some(TRY_AGAIN));
        }
    }

    /// Starts runs on a worker, after a wait: the main thread, which reaps, must not wait for a start.
    fn start_later(self: &Arc<Self>, wait: Option<Duration>) {
        let queue = Arc::clone(self);
        let is_timer = wait.is_some();
        // A retry waits for as long even if the clock is set.
        let attempts = if is_timer { 2 } else { 1 };
        let start = move |run: RunContext| {
            if run.attempt() < attempts {
                return Err("the wait begins");
            }
            let mut state = queue.lock();
            state.is_paused = false;
            state.has_timer &= !is_timer;
            drop(state);
            queue.start();
            Ok(())
        };
        let retry = Retry::constant(wait.unwrap_or_default()).most(1);
        let job = Job::new(start).retry(retry).internal();
        // A scheduler that is closed starts nothing more.
        drop(self.scheduler.once_job_beyond_capacity(UNIX_EPOCH, job));
    }

    /// Cancels a run that waits to be started. Returns whether there was one.
    pub(super) fn cancel(&self, run: &RunContext) -> bool {
        let is_it = |queued: &QueuedRun| {
            queued.run.scheduled() == run.scheduled() && queued.run.job_name() == run.job_name()
        };
        let mut state = self.lock();
        let index = state.waiting.iter().position(is_it);
        let queued = index.and_then(|index| state.waiting.remove(index));
        // Its completion counts one less in progress.
        state.running += usize::from(queued.is_some());
        drop(state);
        let Some(QueuedRun { number, run, completion, .. }) = queued else { return false };
        self.spawner.cancel(number, &run, completion);
        true
    }

    /// Prevents further starts, and logs the runs that were waiting.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        let queued = take(&mut state.waiting);
        drop(state);
        self.spawner.log_dropped(queued.iter().map(|queued| &queued.run));
    }
}

impl QueueState {
    /// Takes the next run, if it may start.
    fn next(&mut self, most: usize) -> Option<QueuedRun> {
        if self.is_paused || self.running >= most {
            return None;
        }
        let run = self.waiting.pop_front()?;
        self.running += 1;
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use millicron_scheduler::{ManualClock, Scheduler};

    use super::{QueuedRun, StartQueue, TRY_AGAIN};
    use crate::run::jobs::settings::SharedSettings;
    use crate::run::testing;

    #[test]
    fn one_timer_tries_again_however_many_runs_end_meanwhile() {
        let clock = ManualClock::new(UNIX_EPOCH);
        let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("threads");
        // With room for no run, only the test decides which starts fail.
        let queue = StartQueue::new(0, scheduler.handle(), testing::children().spawner);
        let fail = || {
            let (run, completion) = testing::run_started_at(0);
            let settings = SharedSettings::of(testing::settings());
            queue.lock().running += 1;
            queue.put_back(QueuedRun { settings, number: 1, run, completion, is_delayed: true });
        };
        // Also after the timer has fired.
        for _ in 0..2 {
            for _ in 0..3 {
                fail();
                // As at the end of another run.
                queue.start_later(None);
                clock.advance(Duration::ZERO);
                assert!(!queue.lock().is_paused);
                assert_eq!(scheduler.jobs().count(), 1);
            }
            clock.advance(TRY_AGAIN);
            assert_eq!(scheduler.jobs().count(), 0);
        }
    }
}
