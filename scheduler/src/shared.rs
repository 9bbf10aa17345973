//! [`Shared`]: what the threads of a scheduler have in common, and what each does.
//!
//! One lock guards the [`Core`]. It is held for the steps of that machine alone, which
//! asks timetables: jobs run, observers are told, and what belongs to others is
//! dropped without it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::clock::{Clock, Timer};
use crate::core::{Core, Remains, Start};
use crate::event::{Event, Observer};
use crate::instant::Nanos;
use crate::job::{Completion, Finish, Outcome, RunContext};
use crate::policy::Workers;
use crate::span::Span;

/// How often a thread from outside lets others go first before it sleeps until the lock is
/// free, which is held for less than it takes to fall asleep and to be woken. Four
/// threads that add jobs need half the time of those that do not wait like that.
const TURNS: u32 = 20;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// A job is due sooner than the timer knows, or the clock was set.
    timer: Condvar,
    /// There are runs, or too many workers.
    work: Condvar,
    /// Nothing is due or runs.
    settled: Condvar,
    pub(crate) clock: Box<dyn Clock>,
    observer: Option<Box<dyn Observer>>,
}

/// What the lock guards.
pub(crate) struct State {
    pub(crate) core: Core,
    workers: Workers,
    /// How many threads of the pool there are, and how many wait for work.
    threads: usize,
    idle: usize,
    /// How many threads tell an observer, or drop, what the core has let go of.
    cleaning: usize,
    /// The timer has not yet looked at the clock since it was set.
    is_woken: bool,
}

/// What is to be done when the lock is released.
#[derive(Default)]
#[must_use]
struct After {
    events: Vec<Event>,
    remains: Vec<Remains>,
}

impl After {
    const fn is_empty(&self) -> bool {
        self.events.is_empty() && self.remains.is_empty()
    }
}

impl Shared {
    pub(crate) fn new(
        core: Core,
        clock: Box<dyn Clock>,
        observer: Option<Box<dyn Observer>>,
        workers: Workers,
    ) -> Arc<Self> {
        let state = State { core, workers, threads: 0, idle: 0, cleaning: 0, is_woken: false };
        Arc::new(Self {
            state: Mutex::new(state),
            timer: Condvar::new(),
            work: Condvar::new(),
            settled: Condvar::new(),
            clock,
            observer,
        })
    }

    pub(crate) fn now(&self) -> Nanos {
        self.clock.now().into()
    }

    /// The only code of others under the lock are timetables, whose panics are caught,
    /// and the clock, so that none leaves it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`lock`](Self::lock), for threads from outside, of which there may be many.
    fn lock_in_turn(&self) -> MutexGuard<'_, State> {
        for _ in 0..TURNS {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(TryLockError::Poisoned(error)) => return error.into_inner(),
                Err(TryLockError::WouldBlock) => thread::yield_now(),
            }
        }
        self.lock()
    }

    /// Does something to the core, tells the observer what happened, and lets the
    /// timer and the workers know.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Core) -> T) -> T {
        let mut state = self.lock_in_turn();
        let due = state.core.next_due();
        let changed = change(&mut state.core);
        if state.core.next_due().is_some_and(|next| due.is_none_or(|due| next < due)) {
            self.timer.notify_one();
        }
        self.call_workers(&state);
        let events = state.core.take_events();
        drop(state);
        self.tell(&events);
        changed
    }

    /// As [`with`](Self::with), at an instant, after all that is due then.
    pub(crate) fn with_now<T>(&self, change: impl FnOnce(&mut Core, Nanos) -> T) -> T {
        let (remains, changed) = self.with(|core| {
            // Under the lock, so that the timer decides on nothing in between.
            let now = self.now();
            (core.take_due(now), change(core, now))
        });
        discard_each(remains);
        changed
    }

    /// Tells all runs to end, and returns which these are.
    pub(crate) fn interrupt(&self) -> Vec<RunContext> {
        let fires = self.with(|core| core.fires());
        // Who is woken by that is not to be met by the lock.
        for fire in &fires {
            fire.token.cancel();
        }
        fires
    }

    /// Wakes as many workers as there are runs.
    fn call_workers(&self, state: &State) {
        let ready = state.core.ready();
        if state.workers == Workers::PerRun {
            // Workers of a pool that was may still be there, but take nothing.
            if ready > 0 {
                self.timer.notify_one();
            }
            return;
        }
        match ready.min(state.idle) {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    /// Starts the timer.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let shared = Arc::clone(self);
        thread::Builder::new().name("millicron timer".to_string()).spawn(move || shared.time())?;
        let workers = self.lock().workers;
        self.set_workers(workers)
    }

    /// What the timer does: hands over what is due, and waits for the next.
    fn time(self: &Arc<Self>) {
        let mut state = self.lock();
        while !state.core.is_closed() {
            let remains = state.core.take_due(self.now());
            state.is_woken = false;
            let mut starts = Vec::new();
            if state.workers == Workers::PerRun {
                let now = self.now();
                starts.extend(std::iter::from_fn(|| state.core.start(now)));
            }
            self.call_workers(&state);
            let after = After { events: state.core.take_events(), remains };
            if !(after.is_empty() && starts.is_empty()) {
                drop(self.clean(state, after));
                for start in starts {
                    self.run_apart(start);
                }
                state = self.lock();
                continue;
            }
            self.tell_if_settled(&state);
            let due = state.core.next_due().map(Nanos::time);
            state = match self.clock.patience(due) {
                Some(patience) => {
                    let waited = self.timer.wait_timeout(state, patience);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.timer.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        self.settled.notify_all();
    }

    /// A run in a thread of its own.
    fn run_apart(self: &Arc<Self>, start: Start) {
        let shared = Arc::clone(self);
        let id = start.id;
        // A thread's name can not have what ends a text of C.
        let name = std::format!("millicron {}", start.fire.job_name()).replace('\0', " ");
        let thread = thread::Builder::new().name(name).spawn(move || shared.run(start));
        if let Err(error) = thread {
            let outcome = Outcome::Failed(std::format!("there is no thread for it: {error}"));
            self.finish(id, outcome);
        }
    }

    /// What a worker does: takes runs, until there are too many workers.
    fn work(self: &Arc<Self>) {
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
                self.tell(&events);
                self.run(start);
                state = self.lock();
            } else {
                self.tell_if_settled(&state);
                state.idle += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    fn run(self: &Arc<Self>, start: Start) {
        let Start { id, fire, work } = start;
        let span = Span::of(&fire);
        let completion = || Completion::new(self.clone(), id, span.clone());
        if let Some(outcome) = span.within(|| attempt(|| work.run(&fire, completion))) {
            span.end(&outcome);
            self.finish(id, outcome);
        }
    }

    /// Does what is to be done without the lock.
    fn clean<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        after: After,
    ) -> MutexGuard<'a, State> {
        if after.is_empty() {
            return state;
        }
        state.cleaning += 1;
        drop(state);
        let After { events, remains } = after;
        self.tell(&events);
        discard_each(remains);
        let mut state = self.lock();
        state.cleaning -= 1;
        state
    }

    fn tell(&self, events: &[Event]) {
        let Some(observer) = &self.observer else { return };
        for event in events {
            // What an observer does wrong is not to stop a thread of the scheduler.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| observer.on(event))) {
                discard(panic);
            }
        }
    }

    fn tell_if_settled(&self, state: &State) {
        // What is ready when the scheduler is closed stays so.
        let is_over = state.core.ready() == 0 || state.core.is_closed();
        if is_over && state.core.running() == 0 {
            self.settled.notify_all();
        }
    }

    /// Changes which threads run the jobs. Those that are too many end after what
    /// they run.
    pub(crate) fn set_workers(self: &Arc<Self>, workers: Workers) -> std::io::Result<()> {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.workers, workers);
        let most = if let Workers::Pool(most) = workers { most.max(1) } else { 0 };
        while state.threads < most {
            let shared = Arc::clone(self);
            let name = "millicron worker".to_string();
            match thread::Builder::new().name(name).spawn(move || shared.work()) {
                Ok(_) => state.threads += 1,
                Err(error) => {
                    // With none at all, runs go on as they did.
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

    /// Nothing starts any more, and all threads end when they have run what they
    /// run. Waits for these until then, or for so long.
    pub(crate) fn close(&self, timeout: Duration) {
        let mut state = self.lock();
        state.core.close();
        self.timer.notify_all();
        self.work.notify_all();
        let is_running = |state: &mut State| state.core.running() > 0 || state.cleaning > 0;
        if !timeout.is_zero() {
            let waited = self.settled.wait_timeout_while(state, timeout, is_running);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let events = state.core.take_events();
        drop(state);
        self.tell(&events);
    }
}

impl Finish for Shared {
    fn finish(&self, run: u64, outcome: Outcome) {
        let now = self.now();
        let mut state = self.lock();
        let ready = state.core.ready();
        let remains = state.core.finish(run, outcome, now).into_iter().collect();
        let events = state.core.take_events();
        // A run has waited for this one, and this thread may be no worker.
        if state.core.ready() > ready {
            self.call_workers(&state);
        }
        let state = self.clean(state, After { events, remains });
        self.tell_if_settled(&state);
    }
}

impl Timer for Shared {
    fn next_due(&self) -> Option<SystemTime> {
        self.lock().core.next_due().map(Nanos::time)
    }

    fn wake(&self) {
        self.lock().is_woken = true;
        self.timer.notify_one();
    }

    fn settle(&self) -> bool {
        let mut state = self.lock();
        let is_busy = |state: &mut State| {
            let core = &state.core;
            let is_due = core.next_due().is_some_and(|due| due <= self.now());
            let is_running = core.ready() > 0 || core.running() > 0 || state.cleaning > 0;
            !core.is_closed() && (state.is_woken || is_due || is_running)
        };
        let was_busy = is_busy(&mut state);
        drop(self.settled.wait_while(state, is_busy).unwrap_or_else(PoisonError::into_inner));
        was_busy
    }
}

/// Runs a user's closure, and turns a panic into an outcome.
pub(crate) fn attempt<T: From<Outcome>>(run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|message| (*message).to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        discard(panic);
        Outcome::Panicked(message.unwrap_or_default()).into()
    })
}

/// Drops what belongs to others, which may panic.
pub(crate) fn discard<T>(theirs: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(theirs))) {
        // A panic whose own drop panics is not worth more.
        std::mem::forget(panic);
    }
}

/// The same, of one after the other: of two panics at once no program recovers.
pub(crate) fn discard_each<T>(theirs: impl IntoIterator<Item = T>) {
    for one in theirs {
        discard(one);
    }
}
