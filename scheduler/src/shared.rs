//! [`Shared`]: the threads of a scheduler, and the state that they share.
//!
//! One lock guards the [`Core`]. It is held only while the core makes a decision, which may query
//! recurrences. Jobs run, observers are called, and users' values are dropped without it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::clock::{Clock, Timer};
use crate::completion::{Completion, OutcomeSink};
use crate::core::{Core, RemovedJob, StartedRun};
use crate::event::{Event, Observer};
use crate::instant::Nanos;
use crate::outcome::Outcome;
use crate::panics::{catch_panic, discard_each};
use crate::policy::Workers;
use crate::run::RunContext;
use crate::span::Span;

/// How often a user's thread yields before it blocks on the lock. The lock is held for less time
/// than it takes to block and wake up: with yielding, four threads add jobs in half the time.
const YIELDS: u32 = 20;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Wakes the timer: a job is due sooner than before, or the clock was set.
    timer: Condvar,
    /// Wakes the workers: runs are ready, or there are too many workers.
    work: Condvar,
    /// Wakes those who wait until nothing is due or in progress.
    idle: Condvar,
    pub(crate) clock: Box<dyn Clock>,
    observer: Option<Box<dyn Observer>>,
}

/// What the lock guards.
struct State {
    core: Core,
    workers: Workers,
    /// The number of threads in the pool.
    threads: usize,
    /// The number of threads in the pool that wait for work.
    idle_threads: usize,
    /// The number of threads that carry out [`Effects`].
    busy_with_effects: usize,
    /// Whether the clock was set and the timer has not read it since.
    clock_changed: bool,
}

/// Calls of users' code that a decision of the core leads to, for when the lock is released.
#[must_use]
struct Effects {
    /// For the observer.
    events: Vec<Event>,
    /// To drop.
    removed: Vec<RemovedJob>,
}

impl Effects {
    const fn is_empty(&self) -> bool {
        self.events.is_empty() && self.removed.is_empty()
    }
}

impl Shared {
    pub(crate) fn new(
        core: Core,
        clock: Box<dyn Clock>,
        observer: Option<Box<dyn Observer>>,
        workers: Workers,
    ) -> Arc<Self> {
        let state = State {
            core,
            workers,
            threads: 0,
            idle_threads: 0,
            busy_with_effects: 0,
            clock_changed: false,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            timer: Condvar::new(),
            work: Condvar::new(),
            idle: Condvar::new(),
            clock,
            observer,
        })
    }

    pub(crate) fn now(&self) -> Nanos {
        self.clock.now().into()
    }

    /// Locks, ignoring poison: the only users' code under the lock are recurrences, whose panics
    /// are caught, and the clock, which must not panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks from a user's thread. Many such threads may compete for the lock.
    fn lock_with_yields(&self) -> MutexGuard<'_, State> {
        for _ in 0..YIELDS {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(TryLockError::Poisoned(error)) => return error.into_inner(),
                Err(TryLockError::WouldBlock) => thread::yield_now(),
            }
        }
        self.lock()
    }

    /// Changes the core, wakes the timer and the workers as needed, and calls the observer.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Core) -> T) -> T {
        let mut state = self.lock_with_yields();
        let due = state.core.next_due();
        let changed = change(&mut state.core);
        if state.core.next_due().is_some_and(|next| due.is_none_or(|due| next < due)) {
            self.timer.notify_one();
        }
        self.wake_workers(&state);
        let events = state.core.take_events();
        drop(state);
        self.notify_observer(&events);
        changed
    }

    /// Changes the core at the current instant, after everything that is due by then.
    pub(crate) fn with_now<T>(&self, change: impl FnOnce(&mut Core, Nanos) -> T) -> T {
        let (removed, changed) = self.with(|core| {
            // Read under the lock, so that the timer decides nothing in between.
            let now = self.now();
            (core.take_due(now), change(core, now))
        });
        discard_each(removed);
        changed
    }

    /// Cancels the tokens of all runs in progress, and returns these runs.
    pub(crate) fn cancel_runs(&self) -> Vec<RunContext> {
        let runs = self.with(|core| core.active_runs());
        // Without the lock, which the tasks that this wakes may need.
        for run in &runs {
            run.token.cancel();
        }
        runs
    }

    /// Wakes the threads that start ready runs.
    fn wake_workers(&self, state: &State) {
        let ready = state.core.ready();
        if state.workers == Workers::PerRun {
            // The timer starts them. Workers of an earlier pool may still exist, but take nothing.
            if ready > 0 {
                self.timer.notify_one();
            }
            return;
        }
        match ready.min(state.idle_threads) {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    /// Starts the timer and the workers.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let shared = Arc::clone(self);
        thread::Builder::new()
            .name("millicron timer".to_string())
            .spawn(move || shared.run_timer())?;
        let workers = self.lock().workers;
        self.set_workers(workers)
    }

    /// The timer thread: makes due runs ready, and sleeps until the next job is due.
    fn run_timer(self: &Arc<Self>) {
        let mut state = self.lock();
        while !state.core.is_closed() {
            let removed = state.core.take_due(self.now());
            state.clock_changed = false;
            let mut starts = Vec::new();
            if state.workers == Workers::PerRun {
                let now = self.now();
                starts.extend(std::iter::from_fn(|| state.core.start(now)));
            }
            self.wake_workers(&state);
            let effects = Effects { events: state.core.take_events(), removed };
            if !(effects.is_empty() && starts.is_empty()) {
                drop(self.carry_out(state, effects));
                for start in starts {
                    self.run_on_new_thread(start);
                }
                state = self.lock();
                continue;
            }
            self.notify_if_idle(&state);
            let due = state.core.next_due().map(Nanos::time);
            state = match self.clock.max_sleep(due) {
                Some(sleep) => {
                    let waited = self.timer.wait_timeout(state, sleep);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.timer.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        self.idle.notify_all();
    }

    fn run_on_new_thread(self: &Arc<Self>, start: StartedRun) {
        let shared = Arc::clone(self);
        let id = start.id;
        // The name of a thread cannot contain NUL.
        let name = format!("millicron {}", start.context.job_name()).replace('\0', " ");
        let thread = thread::Builder::new().name(name).spawn(move || shared.execute(start));
        if let Err(error) = thread {
            self.report(id, Outcome::Failed(format!("cannot start a thread for the run: {error}")));
        }
    }

    /// A worker thread: executes runs, until there are too many workers.
    fn run_worker(self: &Arc<Self>) {
        let mut state = self.lock();
        loop {
            let most = if let Workers::Pool(most) = state.workers { most.max(1) } else { 0 };
            if state.threads > most || state.core.is_closed() {
                state.threads -= 1;
                return;
            }
            let now = if state.core.ready() > 0 { self.now() } else { Nanos(0) };
            if let Some(start) = state.core.start(now) {
                let events = state.core.take_events();
                drop(state);
                self.notify_observer(&events);
                self.execute(start);
                state = self.lock();
            } else {
                self.notify_if_idle(&state);
                state.idle_threads += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle_threads -= 1;
            }
        }
    }

    /// Executes a run on this thread.
    fn execute(self: &Arc<Self>, start: StartedRun) {
        let StartedRun { id, context, work } = start;
        let span = Span::of(&context);
        let completion = || Completion::new(self.clone(), id, span.clone());
        let ended = span.in_scope(|| catch_panic(|| work.run(&context, completion)));
        // Without an outcome, the completion of the run reports it.
        if let Some(outcome) = ended.unwrap_or_else(|panic| Some(Outcome::Panicked(panic))) {
            span.record_outcome(&outcome);
            self.report(id, outcome);
        }
    }

    /// Calls users' code, without the lock.
    fn carry_out<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        effects: Effects,
    ) -> MutexGuard<'a, State> {
        if effects.is_empty() {
            return state;
        }
        state.busy_with_effects += 1;
        drop(state);
        let Effects { events, removed } = effects;
        self.notify_observer(&events);
        discard_each(removed);
        let mut state = self.lock();
        state.busy_with_effects -= 1;
        state
    }

    fn notify_observer(&self, events: &[Event]) {
        let Some(observer) = &self.observer else { return };
        for event in events {
            // A panicking observer must not end a thread of the scheduler.
            drop(catch_panic(|| observer.on(event)));
        }
    }

    fn notify_if_idle(&self, state: &State) {
        // Runs that are ready when the scheduler closes never start.
        let is_done = state.core.ready() == 0 || state.core.is_closed();
        if is_done && state.core.running() == 0 {
            self.idle.notify_all();
        }
    }

    /// Changes the threads that run jobs. Surplus threads end after their current run.
    pub(crate) fn set_workers(self: &Arc<Self>, workers: Workers) -> std::io::Result<()> {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.workers, workers);
        let most = if let Workers::Pool(most) = workers { most.max(1) } else { 0 };
        while state.threads < most {
            let shared = Arc::clone(self);
            let name = "millicron worker".to_string();
            match thread::Builder::new().name(name).spawn(move || shared.run_worker()) {
                Ok(_) => state.threads += 1,
                Err(error) => {
                    // Without any thread, keep the workers as they were.
                    if state.threads == 0 {
                        state.workers = before;
                    }
                    return Err(error);
                }
            }
        }
        self.work.notify_all();
        self.timer.notify_one();
        Ok(())
    }

    /// Prevents further starts, and waits up to `timeout` until no run is in progress. All threads
    /// end after their current run.
    pub(crate) fn close(&self, timeout: Duration) {
        let mut state = self.lock();
        state.core.close();
        self.timer.notify_all();
        self.work.notify_all();
        let is_running =
            |state: &mut State| state.core.running() > 0 || state.busy_with_effects > 0;
        if !timeout.is_zero() {
            let waited = self.idle.wait_timeout_while(state, timeout, is_running);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let events = state.core.take_events();
        drop(state);
        self.notify_observer(&events);
    }
}

impl OutcomeSink for Shared {
    fn report(&self, run: u64, outcome: Outcome) {
        let now = self.now();
        let mut state = self.lock();
        let ready = state.core.ready();
        let removed = state.core.finish(run, outcome, now).into_iter().collect();
        let events = state.core.take_events();
        // A run was queued behind this one, and this thread need not be a worker.
        if state.core.ready() > ready {
            self.wake_workers(&state);
        }
        let state = self.carry_out(state, Effects { events, removed });
        self.notify_if_idle(&state);
    }
}

impl Timer for Shared {
    fn next_due(&self) -> Option<SystemTime> {
        self.lock().core.next_due().map(Nanos::time)
    }

    fn clock_changed(&self) {
        self.lock().clock_changed = true;
        self.timer.notify_one();
    }

    fn wait_until_idle(&self) -> bool {
        let mut state = self.lock();
        let is_busy = |state: &mut State| {
            let core = &state.core;
            let is_due = core.next_due().is_some_and(|due| due <= self.now());
            let is_running = core.ready() > 0 || core.running() > 0 || state.busy_with_effects > 0;
            !core.is_closed() && (state.clock_changed || is_due || is_running)
        };
        let was_busy = is_busy(&mut state);
        drop(self.idle.wait_while(state, is_busy).unwrap_or_else(PoisonError::into_inner));
        was_busy
    }
}
