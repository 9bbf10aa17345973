//! [`Shared`]: the threads of a scheduler, and the state that they share.
//!
//! One lock guards the [`Core`]. It is held only while the core makes a decision, which may query
//! recurrences. Jobs, observers, gates and the destructors of users' values run without it.

use std::fmt;
use std::sync::{Arc, PoisonError, TryLockError, Weak};
use std::time::Duration;

use crate::core::{Core, Effects, Key};
use crate::job::Workers;
use crate::panics::catch_panic;
use crate::report::{Event, Observer};
use crate::run::{Outcome, RunId};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard, thread};
use crate::threads::{AnyGate, SchedulerThread, Wakes, WorkerThreads};
use crate::time::{Clock, Now, Timer};

/// How often a user's thread yields before it blocks on the lock. The lock is held for less time
/// than blocking and waking takes: with yielding, four threads add jobs in half the time.
const YIELDS: u32 = 20;

/// The number of due jobs that a worker handles at once, and the timer when the first of a burst are due. A
/// worker with nothing to start handles due jobs itself: their data is still cached when it starts them.
const FEW: usize = if cfg!(shuttle) { 1 } else { 32 };

/// The number of due jobs that one thread handles before it releases the lock: a few milliseconds of work.
const MANY: usize = 8192;

/// How long the timer leaves further due jobs to the workers before it looks after them.
const TURN: Duration = Duration::from_millis(1);

/// How often it leaves them. Then it handles them itself, since late events may count as missed.
const MOST_TURNS: u32 = 16;

/// How a deferred run has ended, and when.
pub(super) type Report = (RunId, Outcome, Now);

pub(crate) struct Shared {
    pub(super) this: Weak<Self>,
    state: Mutex<State>,
    /// How futures have ended, and when. The thread that adds the first of them ends them all once it has
    /// the state's lock, so that no other thread waits for that.
    #[cfg(feature = "tokio")]
    pub(super) reported: Mutex<Vec<Report>>,
    /// Wakes the timer: a job is due sooner than before, or the clock was set.
    timer: Condvar,
    /// Wakes the thread of the observer.
    observing: Condvar,
    /// Wakes threads that wait until nothing is due or in progress.
    idle: Condvar,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    pub(crate) gate: Option<AnyGate>,
}

/// The state that the lock guards.
pub(crate) struct State {
    pub(crate) core: Core,
    pub(crate) worker_threads: WorkerThreads,
    /// Whether the timer has left due jobs to the workers.
    has_left_due: bool,
    /// All threads.
    pub(super) threads: Vec<SchedulerThread>,
    /// The number of threads that carry out [`Effects`], or call the observer.
    pub(crate) busy: usize,
    /// Whether the clock was set and the timer has not read it since.
    clock_changed: bool,
    is_observer_idle: bool,
    /// The number of threads that wait on `idle`. Notifying without waiters would cost a system call.
    waiters: usize,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The formatter may block or call the scheduler, so the lock is released first.
        let stats = self.lock().core.stats();
        f.debug_struct("Shared").field("stats", &stats).finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn new(
        core: Core,
        clock: Box<dyn Clock>,
        observer: Option<Box<dyn Observer>>,
        gate: Option<AnyGate>,
        workers: Workers,
    ) -> Arc<Self> {
        let worker_threads = WorkerThreads::new(workers);
        let state = State {
            core,
            worker_threads,
            has_left_due: false,
            threads: Vec::new(),
            busy: 0,
            clock_changed: false,
            is_observer_idle: false,
            waiters: 0,
        };
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            state: Mutex::new(state),
            #[cfg(feature = "tokio")]
            reported: Mutex::default(),
            timer: Condvar::new(),
            observing: Condvar::new(),
            idle: Condvar::new(),
            clock,
            observer,
            gate,
        })
    }

    /// Reads both clocks. If a clock panics, the clock of the operating system is read instead.
    pub(crate) fn now(&self) -> Now {
        let read =
            |clock: &dyn Clock| Now { clock: clock.now().into(), elapsed: clock.elapsed().into() };
        catch_panic(|| read(&*self.clock)).unwrap_or_else(|_| read(&crate::time::SystemClock))
    }

    /// Locks, ignoring poison: the only users' code under the lock are recurrences and the clock,
    /// whose panics are caught.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
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

    /// Changes the core, wakes the timer and the workers as needed, and carries out the effects.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Core) -> T) -> T {
        let mut state = self.lock_with_yields();
        let changed = change(&mut state.core);
        let prepared = self.prepare(&mut state);
        drop(state);
        if let Some((effects, wakes)) = prepared {
            self.wake(&wakes);
            // On this user's thread, so that no other thread waits for it.
            for (during, message) in effects.carry_out() {
                self.report_panic(during, message);
            }
        }
        changed
    }

    /// Wakes the timer and the observer as needed, and returns what to do after releasing the lock, if anything.
    fn prepare(&self, state: &mut State) -> Option<(Effects, Wakes)> {
        if state.core.take_is_sooner() {
            self.timer.notify_one();
        }
        if state.core.has_events() && state.is_observer_idle {
            self.observing.notify_one();
        }
        let ready = state.core.ready();
        let has_to_act = state.core.has_effects() || state.worker_threads.must_wake(ready);
        has_to_act.then(|| (state.core.take_effects(), state.worker_threads.wakes(ready)))
    }

    /// Changes a job at the current instant, after its events that are due by then.
    pub(crate) fn with_job<T>(&self, key: Key, change: impl FnOnce(&mut Core, Now) -> T) -> T {
        self.with(|core| {
            // Read under the lock, so that the timer makes no decision in between.
            let now = self.now();
            core.settle(key, now);
            change(core, now)
        })
    }

    /// Releases the lock to carry out the effects of decisions: wakes threads, drops users' values
    /// and cancels tokens. If there is nothing to do, keeps the lock and returns it.
    pub(crate) fn release_lock<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
    ) -> Option<MutexGuard<'a, State>> {
        let Some((effects, wakes)) = self.prepare(&mut state) else { return Some(state) };
        state.busy += usize::from(!effects.is_empty());
        drop(state);
        self.wake(&wakes);
        self.carry_out(effects);
        None
    }

    /// Wakes threads, and starts missing ones.
    fn wake(&self, wakes: &Wakes) {
        wakes.wake();
        if wakes.starts > 0 {
            // If a thread cannot be started, its run waits for another one, or fails if there are
            // none.
            drop(self.start_workers(wakes.starts));
        }
    }

    /// Carries out effects, which `busy` counts unless they are empty.
    fn carry_out(&self, effects: Effects) {
        if effects.is_empty() {
            return;
        }
        let panics = effects.carry_out();
        let mut state = self.lock();
        state.busy -= 1;
        for (during, message) in panics {
            state.core.note(Event::Panicked { during, message });
            self.observing.notify_one();
        }
        self.notify_if_idle(&state);
    }

    /// Reports a panic of users' code that is not a job.
    pub(crate) fn report_panic(&self, during: &'static str, message: String) {
        self.with(|core| core.note(Event::Panicked { during, message }));
    }

    /// Starts the timer, the workers and the thread of the observer.
    pub(crate) fn start(&self) -> std::io::Result<()> {
        self.spawn("millicron timer", false, |shared, is_busy| shared.run_timer(is_busy))?;
        if self.observer.is_some() {
            // Busy before it begins, since it ends only after the last event of the last run.
            self.spawn("millicron observer", true, |shared, _| shared.run_observer())?;
        }
        let workers = self.lock().worker_threads.workers;
        self.set_workers(workers)
    }

    /// The timer thread: makes due runs ready, and sleeps until the next job is due.
    fn run_timer(&self, is_busy: &AtomicBool) {
        let mut state = self.lock();
        let mut turns = 0;
        while !state.core.is_closed() {
            let now = self.now();
            let free = state.worker_threads.free();
            let most = if turns < MOST_TURNS { free.clamp(FEW, MANY) } else { MANY };
            let is_all = state.core.take_due(now, most);
            turns = if is_all { 0 } else { turns + 1 };
            is_busy.store(true, Ordering::Relaxed);
            let kept = self.release_lock(state);
            is_busy.store(false, Ordering::Relaxed);
            let was_released = kept.is_none();
            state = kept.unwrap_or_else(|| self.lock());
            if was_released && (is_all || state.core.is_closed()) {
                continue;
            }
            if !is_all {
                state = self.leave_due(state);
                continue;
            }
            state.clock_changed = false;
            self.notify_if_idle(&state);
            let wait = state.core.time_to_next(now);
            let sleep = catch_panic(|| self.clock.max_sleep(wait)).unwrap_or(wait);
            state = self.sleep_timer(state, sleep);
        }
        self.notify_if_idle(&state);
    }

    /// Leaves due jobs to the workers for a while, or until none is left.
    fn leave_due<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.has_left_due = true;
        state = if cfg!(shuttle) {
            // Its time-outs never elapse.
            drop(state);
            thread::yield_now();
            self.lock()
        } else {
            self.sleep_timer(state, Some(TURN))
        };
        state.has_left_due = false;
        state
    }

    /// Waits until the timer is woken, or for a time.
    fn sleep_timer<'a>(
        &self,
        state: MutexGuard<'a, State>,
        time: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        match time {
            Some(time) => {
                let waited = self.timer.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.timer.wait(state).unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Handles due jobs on a worker with nothing to start, until there is something. With a thread for each
    /// run, the timer handles them all.
    pub(super) fn take_due(&self, state: &mut State, now: Now) {
        if state.worker_threads.workers == Workers::PerRun {
            return;
        }
        for _ in 0..MANY / FEW {
            if state.core.ready() > 0 {
                return;
            }
            if state.core.take_due(now, FEW) {
                if std::mem::take(&mut state.has_left_due) {
                    self.timer.notify_one();
                }
                return;
            }
        }
    }

    /// The observer thread: passes events to the observer.
    fn run_observer(&self) {
        let Some(observer) = &self.observer else { return };
        let mut state = self.lock();
        loop {
            let events = state.core.take_events();
            if events.is_empty() {
                self.notify_if_idle(&state);
                if state.core.is_closed() && !Self::is_active(&state) {
                    state.core.stop_observing();
                    return;
                }
                state.is_observer_idle = true;
                state = self.observing.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.is_observer_idle = false;
                continue;
            }
            state.busy += 1;
            drop(state);
            for event in events {
                // The panic hook has reported the panic; there is nowhere else to report it.
                drop(catch_panic(|| observer.on(&event)));
            }
            state = self.lock();
            state.busy -= 1;
        }
    }

    /// Wakes waiting threads if nothing is due or in progress.
    pub(crate) fn notify_if_idle(&self, state: &State) {
        if state.core.ready() == 0 && !Self::is_active(state) {
            if state.waiters > 0 {
                self.idle.notify_all();
            }
            if state.core.is_closed() {
                self.observing.notify_all();
            }
        }
    }

    /// Changes the threads that run jobs. Surplus threads end after their current run.
    pub(crate) fn set_workers(&self, workers: Workers) -> std::io::Result<()> {
        let mut state = self.lock();
        if state.core.is_closed() {
            return Ok(());
        }
        let before = std::mem::replace(&mut state.worker_threads.workers, workers);
        let threads = state.worker_threads.threads();
        let fill = state.worker_threads.fill();
        // Idle threads end, or continue to wait with a limit.
        let is_unlimited = workers == Workers::PerRun;
        let wakes = if is_unlimited || state.worker_threads.is_too_large() {
            state.worker_threads.wake_all()
        } else {
            Wakes::default()
        };
        drop(state);
        wakes.wake();
        let started = self.start_workers(fill.starts);
        let state = self.lock();
        if started.is_err() && threads == 0 && state.worker_threads.threads() == 0 {
            let mut state = state;
            state.worker_threads.workers = before;
        } else {
            // Ready runs may now have a thread each.
            drop(self.release_lock(state));
        }
        started
    }

    /// Prevents further starts, and cancels the tokens of runs in progress. All threads end after
    /// their current run.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.core.close();
        let wakes = state.worker_threads.wake_all();
        self.timer.notify_all();
        self.observing.notify_all();
        // Threads that wait for a clock need not wait for the runs in progress.
        self.idle.notify_all();
        // Before the effects, which may take long.
        wakes.wake();
        drop(self.release_lock(state));
    }

    /// Whether users' code is still running, or events wait for the observer.
    pub(crate) fn is_active(state: &State) -> bool {
        state.core.running() > 0 || state.busy > 0 || state.core.has_events()
    }

    /// Waits up to `timeout` until no run is in progress.
    pub(crate) fn wait(&self, timeout: Duration) {
        let mut state = self.lock();
        state.waiters += 1;
        let waited = self.idle.wait_timeout_while(state, timeout, |state| Self::is_active(state));
        waited.unwrap_or_else(PoisonError::into_inner).0.waiters -= 1;
    }

    /// Joins the threads, after [`close`](Self::close), except threads that are still executing
    /// users' code.
    pub(crate) fn join(&self) {
        let this = thread::current().id();
        loop {
            let mut state = self.lock();
            let is_active = Self::is_active(&state);
            let ends = |thread: &mut SchedulerThread| {
                let is_free = !is_active || !thread.is_busy.load(Ordering::Relaxed);
                is_free && thread.handle.thread().id() != this
            };
            let ending: Vec<SchedulerThread> = state.threads.extract_if(.., ends).collect();
            drop(state);
            // Repeats because a thread may have been started meanwhile.
            if ending.is_empty() {
                return;
            }
            for thread in ending {
                // The scheduler's own threads do not panic.
                drop(thread.handle.join());
            }
        }
    }
}

impl Timer for Shared {
    fn time_to_next(&self) -> Option<Duration> {
        let now = self.now();
        self.lock().core.time_to_next(now)
    }

    fn clock_changed(&self) {
        self.lock().clock_changed = true;
        self.timer.notify_one();
    }

    fn wait_until_idle(&self) -> bool {
        let mut state = self.lock();
        let now = self.now();
        let is_busy = |state: &mut State| {
            let core = &mut state.core;
            let is_due = core.time_to_next(now).is_some_and(|wait| wait.is_zero());
            let is_waiting = state.clock_changed || is_due || core.ready() > 0;
            !state.core.is_closed() && (is_waiting || Self::is_active(state))
        };
        let was_busy = is_busy(&mut state);
        state.waiters += 1;
        state = self.idle.wait_while(state, is_busy).unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        was_busy
    }
}
