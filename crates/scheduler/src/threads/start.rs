//! Starts the threads of a scheduler, and fails runs for which none can be started.

use std::io;
use std::sync::Arc;

use super::shared::{Shared, State};
use super::worker_threads::SchedulerThread;
use crate::run::Outcome;
use crate::sync::atomic::AtomicBool;
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{MutexGuard, is_finished};

impl Shared {
    /// Starts a thread, which is joined when the scheduler closes, unless it is busy then.
    pub(super) fn spawn(
        &self,
        name: &str,
        is_busy: bool,
        run: fn(&Arc<Self>, &Arc<AtomicBool>),
    ) -> io::Result<()> {
        let Some(shared) = self.this.upgrade() else { return Ok(()) };
        let is_busy = Arc::new(AtomicBool::new(is_busy));
        let flag = Arc::clone(&is_busy);
        let handle = spawn(name, move || run(&shared, &flag))?;
        let mut state = self.lock();
        // Without overflow, since the size of a pool is not limited.
        let most = state.worker_threads.threads().saturating_mul(2).saturating_add(2);
        if state.threads.len() > most {
            state.threads.retain(|thread| !is_finished(&thread.handle));
        }
        state.threads.push(SchedulerThread { handle, is_busy });
        Ok(())
    }

    /// Starts workers, which are already counted. If there are none because none can be started, the ready
    /// runs fail.
    pub(super) fn start_workers(&self, count: usize) -> io::Result<()> {
        for index in 0..count {
            if let Err(error) = self.spawn("millicron worker", false, |shared, is_busy| {
                shared.run_worker(is_busy);
            }) {
                let mut state = self.lock();
                state.worker_threads.forget_starts(count - index);
                // Failing a run releases the lock, which tries to start workers for the others, so this
                // call may be nested. The outer one fails those as well.
                if state.worker_threads.threads() == 0 && !state.worker_threads.fails_runs {
                    self.fail_ready(state, &error);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Fails the ready runs while there are no workers, because no thread could be started for them.
    fn fail_ready<'a>(&'a self, mut state: MutexGuard<'a, State>, error: &io::Error) {
        state.worker_threads.fails_runs = true;
        while state.worker_threads.threads() == 0 {
            let now = self.now();
            let Some(mut run) = state.core.start(now) else { break };
            if run.work.is_none() {
                // Its gate is not asked, since no worker could wait for the answer.
                let Some(begun) = state.core.begin_granted(run.id, now) else { continue };
                run = begun;
            }
            let text = format!("cannot start a thread for the run: {error}");
            let ended = state.core.finish(run.id, Outcome::Failed(text), now);
            state.busy += 1;
            drop(self.release_lock(state));
            self.report_start(&run);
            self.guarded("a destructor", || drop(run));
            ended.inspect(|ended| self.report_end(ended));
            state = self.lock();
            state.busy -= 1;
        }
        state.worker_threads.fails_runs = false;
        self.notify_if_idle(&state);
        drop(self.release_lock(state));
    }
}

/// Starts a thread.
fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    #[cfg(test)]
    tests::refuse_thread()?;
    thread::Builder::new().name(name.to_string()).spawn(run)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::{Duration, UNIX_EPOCH};

    use millicron::every;

    use super::*;
    use crate::core::Core;
    use crate::job::{EventSource, Job, Missed, Overlap, Workers};
    use crate::report::{Event, Stats};
    use crate::run::RunContext;
    use crate::threads::{AnyGate, blocking_gate};
    use crate::time::{ManualClock, Nanos, Now};

    thread_local! {
        /// How many more threads cannot be started from this thread.
        static REFUSED: Cell<usize> = const { Cell::new(0) };
        /// How many can be started before those.
        static STARTED: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn refuse_thread() -> io::Result<()> {
        let started = STARTED.get();
        if started > 0 {
            STARTED.set(started - 1);
            return Ok(());
        }
        let refused = REFUSED.get();
        REFUSED.set(refused.saturating_sub(1));
        if refused == 0 { Ok(()) } else { Err(io::Error::other("no more threads")) }
    }

    /// Makes runs ready all at once, without a worker, when a number of threads cannot be started. Waits until
    /// all have ended.
    fn run_without_threads(runs: u64, refused: usize, gate: Option<AnyGate>) -> Stats {
        let clock = Box::new(ManualClock::new(UNIX_EPOCH));
        let core = Core::new(None, true, gate.is_some());
        let shared = Shared::new(core, clock, None, gate, Workers::PerRun);
        let at = |seconds: u64| {
            let elapsed = Nanos::from(Duration::from_secs(seconds));
            Now { clock: elapsed, elapsed }
        };
        let all = Missed::All { max: usize::MAX };
        let job = Job::new(|_| ()).missed(all).overlap(Overlap::Allow { max: usize::MAX });
        REFUSED.set(refused);
        shared.with(|core| {
            let (source, job) =
                EventSource::of(every(1).seconds(), job, at(0)).expect("it is valid");
            core.add(job, source, at(0)).expect("the job is added");
            assert!(core.take_due(at(runs), 1000), "one job is due");
        });
        REFUSED.set(0);
        let is_over = |state: &State| state.core.stats().completed == runs && state.busy == 0;
        while !is_over(&shared.lock()) {
            thread::yield_now();
        }
        shared.close();
        shared.join();
        let core = &mut shared.lock().core;
        let stats = core.stats();
        assert_eq!((stats.ready, stats.running), (0, 0));
        let events = core.take_events();
        let begun = events.iter().filter(|event| matches!(event, Event::Started { .. })).count();
        assert_eq!(begun as u64, runs, "each run starts before it fails");
        stats
    }

    #[test]
    fn any_number_of_runs_fail_if_no_thread_can_be_started() {
        const RUNS: u64 = 10_000;
        // A stack that calls nested this deep would overflow.
        let test = thread::Builder::new().stack_size(512 * 1024);
        let test = test.spawn(|| run_without_threads(RUNS, usize::MAX, None));
        let stats = test.expect("the thread starts").join().expect("it does not panic");
        assert_eq!((stats.completed, stats.failed), (RUNS, RUNS));
    }

    #[test]
    fn runs_fail_without_asking_their_gate_if_no_thread_can_be_started() {
        let gate = blocking_gate(|_: &RunContext| panic!("it is not asked"));
        let stats = run_without_threads(10, usize::MAX, Some(gate));
        assert_eq!((stats.completed, stats.failed), (10, 10));
    }

    #[test]
    fn a_pool_without_a_limit_has_the_threads_that_can_be_started() {
        let clock = Box::new(ManualClock::new(UNIX_EPOCH));
        let core = Core::new(None, false, false);
        let shared = Shared::new(core, clock, None, None, Workers::Pool(usize::MAX));
        STARTED.set(3);
        REFUSED.set(1);
        shared.start().expect_err("no more threads");
        // One of them is the timer.
        assert_eq!(shared.lock().worker_threads.threads(), 2);
        shared.close();
        shared.join();
    }

    #[test]
    fn workers_are_kept_if_no_thread_can_be_started_for_others() {
        let clock = Box::new(ManualClock::new(UNIX_EPOCH));
        let core = Core::new(None, false, false);
        let shared = Shared::new(core, clock, None, None, Workers::PerRun);
        REFUSED.set(1);
        shared.set_workers(Workers::Pool(2)).expect_err("no thread");
        assert_eq!(shared.lock().worker_threads.workers, Workers::PerRun);
        STARTED.set(1);
        REFUSED.set(1);
        shared.set_workers(Workers::Pool(2)).expect_err("only one thread");
        assert_eq!(shared.lock().worker_threads.workers, Workers::Pool(2));
        shared.close();
        shared.join();
    }

    /// A handle is needed to wait for the end of its thread.
    #[test]
    fn the_handles_of_all_threads_are_kept_until_they_have_ended() {
        let clock = Box::new(ManualClock::new(UNIX_EPOCH));
        let core = Core::new(None, false, false);
        let shared = Shared::new(core, clock, None, None, Workers::Pool(20));
        shared.start().expect("the threads start");
        for _ in 0..100 {
            shared.set_workers(Workers::Pool(1)).expect("no thread is missing");
            while shared.lock().worker_threads.threads() > 1 {
                thread::yield_now();
            }
            shared.set_workers(Workers::Pool(2)).expect("a thread starts");
        }
        let state = shared.lock();
        let live = state.threads.iter().filter(|thread| !is_finished(&thread.handle)).count();
        assert!(live >= 3, "{live}: the timer and two workers");
        assert!(state.threads.len() < 50, "{}", state.threads.len());
        drop(state);
        shared.close();
        shared.join();
    }

    #[test]
    fn runs_start_as_soon_as_a_thread_can_be_started() {
        let stats = run_without_threads(10, 3, None);
        assert_eq!((stats.completed, stats.failed), (10, 3));
    }
}
