//! [`WorkerThreads`]: the threads that execute runs.

use std::sync::Arc;
use std::time::Duration;

use crate::job::Workers;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::thread::{JoinHandle, Thread};

/// The threads that execute runs: their number and limit, and which of them are idle.
///
/// A thread that finds nothing to do parks. The thread that makes a run ready wakes one worker for it:
/// the one that became idle last, whose memory is still cached. The others keep sleeping.
#[derive(Debug)]
pub(crate) struct WorkerThreads {
    pub(crate) workers: Workers,
    /// The number of threads, including threads that are being started.
    threads: usize,
    /// The number of threads that were woken or started, but have not looked for a run yet.
    coming: usize,
    /// Whether a thread is failing the ready runs, because no worker can be started.
    pub(crate) fails_runs: bool,
    idle: Vec<IdleThread>,
}

/// A thread that is parked until it is woken.
#[derive(Debug)]
struct IdleThread {
    thread: Thread,
    is_woken: Arc<AtomicBool>,
}

/// The threads to wake and to start, once the lock is released.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct Wakes {
    woken: Vec<Thread>,
    /// The number of threads to start, which are already counted.
    pub(crate) starts: usize,
}

impl Wakes {
    /// Wakes the threads.
    pub(crate) fn wake(&self) {
        for thread in &self.woken {
            thread.unpark();
        }
    }
}

impl WorkerThreads {
    /// How long a thread of [`Workers::PerRun`] stays idle before it ends.
    pub(crate) const LONGEST_IDLE: Duration = Duration::from_secs(10);

    pub(crate) const fn new(workers: Workers) -> Self {
        Self { workers, threads: 0, coming: 0, fails_runs: false, idle: Vec::new() }
    }

    /// Returns the number of threads.
    pub(crate) const fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the maximum number of threads.
    fn most(&self) -> usize {
        match self.workers {
            Workers::Pool(most) => most.max(1),
            Workers::PerRun => usize::MAX,
        }
    }

    /// Returns how many more runs could start now.
    pub(crate) const fn free(&self) -> usize {
        match self.workers {
            Workers::Pool(_) => self.idle.len(),
            Workers::PerRun => usize::MAX,
        }
    }

    /// Whether there are threads to wake or start, so that each of `ready` runs finds one.
    pub(crate) const fn must_wake(&self, ready: usize) -> bool {
        ready > self.coming && self.free() > 0
    }

    /// Returns the threads to wake or start so that each of `ready` runs finds one.
    pub(crate) fn wakes(&mut self, ready: usize) -> Wakes {
        let wanted = ready.saturating_sub(self.coming);
        let mut wakes = Wakes::default();
        for _ in 0..wanted {
            let Some(idle) = self.idle.pop() else { break };
            idle.is_woken.store(true, Ordering::Relaxed);
            wakes.woken.push(idle.thread);
        }
        self.coming += wakes.woken.len();
        if self.workers == Workers::PerRun {
            wakes.starts = wanted - wakes.woken.len();
            self.threads += wakes.starts;
            self.coming += wakes.starts;
        }
        wakes
    }

    /// Counts the threads that a pool lacks, and returns them to be started.
    pub(crate) fn fill(&mut self) -> Wakes {
        let Workers::Pool(most) = self.workers else { return Wakes::default() };
        let starts = most.max(1).saturating_sub(self.threads);
        self.threads += starts;
        self.coming += starts;
        Wakes { woken: Vec::new(), starts }
    }

    /// Returns all idle threads, to let them notice that there are too many or that the scheduler
    /// is closed.
    pub(crate) fn wake_all(&mut self) -> Wakes {
        let mut wakes = Wakes::default();
        for IdleThread { thread, is_woken } in self.idle.drain(..) {
            is_woken.store(true, Ordering::Relaxed);
            wakes.woken.push(thread);
        }
        self.coming += wakes.woken.len();
        wakes
    }

    /// Records that a woken or started thread looks for a run.
    pub(crate) const fn arrive(&mut self) {
        self.coming = self.coming.saturating_sub(1);
    }

    /// Records that threads could not be started.
    pub(crate) const fn forget_starts(&mut self, starts: usize) {
        self.threads = self.threads.saturating_sub(starts);
        self.coming = self.coming.saturating_sub(starts);
    }

    /// Whether there are more threads than there should be.
    pub(crate) fn is_too_large(&self) -> bool {
        self.threads > self.most()
    }

    /// Records that a thread ends.
    pub(crate) const fn leave(&mut self) {
        self.threads = self.threads.saturating_sub(1);
    }

    /// Records that a thread is about to park.
    pub(crate) fn sleep(&mut self, thread: Thread, is_woken: &Arc<AtomicBool>) {
        is_woken.store(false, Ordering::Relaxed);
        self.idle.push(IdleThread { thread, is_woken: Arc::clone(is_woken) });
    }

    /// Records that a thread has been idle for too long. Returns whether it may end.
    pub(crate) fn give_up(&mut self, is_woken: &Arc<AtomicBool>) -> bool {
        let place = self.idle.iter().position(|idle| Arc::ptr_eq(&idle.is_woken, is_woken));
        if let Some(place) = place {
            self.idle.remove(place);
        }
        place.is_some()
    }
}

/// A thread of a scheduler, to be joined when it closes.
#[derive(Debug)]
pub(crate) struct SchedulerThread {
    pub(crate) handle: JoinHandle<()>,
    /// Whether it executes users' code, which may take any time.
    pub(crate) is_busy: Arc<AtomicBool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::thread;

    /// Adds an idle thread.
    fn add_idle(threads: &mut WorkerThreads) {
        threads.sleep(thread::current(), &Arc::default());
    }

    #[test]
    fn as_many_threads_of_a_pool_are_woken_as_there_are_runs_and_idle_threads() {
        let mut pool = WorkerThreads::new(Workers::Pool(2));
        assert_eq!((pool.fill().starts, pool.threads()), (2, 2));
        assert!(!pool.must_wake(9), "no thread is idle");
        add_idle(&mut pool);
        assert!(!pool.must_wake(2), "both threads look for a run");
        let wakes = pool.wakes(9);
        assert_eq!((wakes.woken.len(), wakes.starts), (1, 0));
        add_idle(&mut pool);
        assert!(!pool.must_wake(3), "so does the woken one");
        assert_eq!(pool.wake_all().woken.len(), 1);
        add_idle(&mut pool);
        assert!(!pool.must_wake(4) && pool.must_wake(5));
    }

    #[test]
    fn threads_are_started_for_runs_without_an_idle_thread() {
        let mut threads = WorkerThreads::new(Workers::PerRun);
        add_idle(&mut threads);
        let wakes = threads.wakes(3);
        assert_eq!((wakes.woken.len(), wakes.starts, threads.threads()), (1, 2, 2));
        assert!(!threads.must_wake(3) && threads.must_wake(4));
    }
}
