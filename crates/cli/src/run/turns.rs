//! [`Turns`]: limits how many runs of a pipeline are in progress at once.

use std::collections::VecDeque;
use std::mem::{replace, take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millicron_scheduler::{Completion, Job, RunContext, SchedulerHandle};

use super::children::Spawner;
use super::jobs::{SharedSettings, current};

/// How many runs of a pipeline are in progress at once. Others wait for their turn: when a laptop has slept, there may
/// be thousands.
const MOST_AT_ONCE: usize = 64;

/// How soon to try again when the machine lacks the resources for another process.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A run that is to start.
pub(super) struct Turn {
    settings: SharedSettings,
    number: u64,
    pub(super) run: RunContext,
    completion: Completion,
    /// Whether a start has failed for want of resources.
    is_delayed: bool,
}

/// The runs of a pipeline that wait for their turn, and those in progress.
pub(super) struct Turns {
    scheduler: SchedulerHandle,
    spawner: Arc<Spawner>,
    queue: Mutex<TurnQueue>,
}

#[derive(Default)]
struct TurnQueue {
    running: usize,
    waiting: VecDeque<Turn>,
    /// Whether a start has failed for want of resources, and a timer will try again.
    is_short: bool,
    is_stopped: bool,
}

impl Turns {
    pub(super) fn new(scheduler: SchedulerHandle, spawner: Arc<Spawner>) -> Arc<Self> {
        Arc::new(Self { scheduler, spawner, queue: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, TurnQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a run when it is its turn.
    pub(super) fn add(
        self: &Arc<Self>,
        settings: SharedSettings,
        number: u64,
        run: RunContext,
        completion: Completion,
    ) {
        let turns = Arc::clone(self);
        let completion = completion.intercept(move |outcome, completion| {
            completion.finish(outcome);
            turns.end();
        });
        let turn = Turn { settings, number, run, completion, is_delayed: false };
        let mut queue = self.lock();
        if !queue.is_stopped {
            queue.waiting.push_back(turn);
            let is_short = queue.is_short;
            drop(queue);
            if !is_short {
                self.start();
            }
        }
        // Else the run ends when `turn` is dropped, after the lock.
    }

    /// Starts the runs whose turn it is.
    fn start(self: &Arc<Self>) {
        loop {
            let next = self.lock().next();
            let Some(Turn { settings, number, run, completion, is_delayed }) = next else { return };
            let started = self.spawner.try_start(&current(&settings), number, &run, completion);
            match started {
                Ok(()) => {}
                Err(error) if error.is_temporary => {
                    let completion = self.spawner.delay(*error, is_delayed);
                    let turn = Turn { settings, number, run, completion, is_delayed: true };
                    return self.put_back(turn);
                }
                Err(error) => self.spawner.fail(*error),
            }
        }
    }

    /// Lets a run wait until the machine may have the resources for it.
    fn put_back(self: &Arc<Self>, turn: Turn) {
        let mut queue = self.lock();
        if !queue.is_stopped {
            queue.running -= 1;
            queue.waiting.push_front(turn);
            let has_timer = replace(&mut queue.is_short, true);
            drop(queue);
            if !has_timer {
                self.start_in(TRY_AGAIN);
            }
        }
    }

    /// Starts the next run after one has ended.
    fn end(self: &Arc<Self>) {
        let mut queue = self.lock();
        queue.running = queue.running.saturating_sub(1);
        let has_next = !queue.waiting.is_empty();
        drop(queue);
        if has_next {
            self.start_in(Duration::ZERO);
        }
    }

    /// Starts runs on a worker: the main thread, which reaps, must not wait for a start.
    fn start_in(self: &Arc<Self>, wait: Duration) {
        let turns = Arc::clone(self);
        let start = move |_| {
            if wait == TRY_AGAIN {
                turns.lock().is_short = false;
            }
            turns.start();
        };
        let job = Job::once(start).internal();
        let instant = self.scheduler.now().checked_add(wait);
        // A scheduler that is closed starts nothing more.
        drop(instant.map(|instant| self.scheduler.once_job_beyond_capacity(instant, job)));
    }

    /// Prevents further starts. Returns the runs that were waiting for their turn.
    pub(super) fn stop(&self) -> VecDeque<Turn> {
        let mut queue = self.lock();
        queue.is_stopped = true;
        take(&mut queue.waiting)
    }
}

impl TurnQueue {
    /// Takes the run whose turn it is.
    fn next(&mut self) -> Option<Turn> {
        if self.running >= MOST_AT_ONCE {
            return None;
        }
        let turn = self.waiting.pop_front()?;
        self.running += 1;
        Some(turn)
    }
}
