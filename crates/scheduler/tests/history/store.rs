//! A history in memory that processes share, and that can fail, block, or be cut off from a process.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, History, MemoryHistory, RunQuery, RunRecord, RunState,
    StartedRun,
};

use crate::support::{at, lock, to_millis};

/// The error of a [`Store`] that fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store is switched off")
    }
}

impl std::error::Error for Failure {}

/// A history that several processes share. Each has a clone.
#[derive(Debug)]
pub(crate) struct Store {
    history: Arc<Mutex<MemoryHistory>>,
    fails: Arc<AtomicBool>,
    /// The maximum number of records that a query has requested.
    most_read: Arc<AtomicU64>,
    /// The jobs whose ends cannot be recorded.
    refused: Arc<Mutex<HashSet<String>>>,
    /// Whether the answer of the next claim is lost.
    loses_answer: Arc<AtomicBool>,
    /// Whether the next run to be taken over is forgotten just before.
    forgets: Arc<AtomicBool>,
    /// Whether the next call panics.
    panics: Arc<AtomicBool>,
    /// The number of calls that wait for [`Store::direct`].
    waiting: Arc<AtomicUsize>,
    /// The process that is alive. The clones of other processes fail.
    alive: Arc<AtomicU64>,
    process: u64,
}

impl Default for Store {
    fn default() -> Self {
        // The clock by which runs are cut off. The scheduler has its own.
        let history = MemoryHistory::new().with_clock(|| to_millis(at(41)));
        Self {
            history: Arc::new(Mutex::new(history)),
            fails: Arc::default(),
            most_read: Arc::default(),
            refused: Arc::default(),
            loses_answer: Arc::default(),
            forgets: Arc::default(),
            panics: Arc::default(),
            waiting: Arc::default(),
            alive: Arc::default(),
            process: 0,
        }
    }
}

impl Clone for Store {
    fn clone(&self) -> Self {
        Self {
            history: Arc::clone(&self.history),
            fails: Arc::clone(&self.fails),
            most_read: Arc::clone(&self.most_read),
            refused: Arc::clone(&self.refused),
            loses_answer: Arc::clone(&self.loses_answer),
            forgets: Arc::clone(&self.forgets),
            panics: Arc::clone(&self.panics),
            waiting: Arc::clone(&self.waiting),
            alive: Arc::clone(&self.alive),
            process: self.alive.load(Ordering::SeqCst),
        }
    }
}

impl Store {
    /// Makes all calls fail, or succeed again.
    pub(crate) fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// Returns the maximum number of records that a query has requested since the last call of
    /// this.
    pub(crate) fn most_read(&self) -> u64 {
        self.most_read.swap(0, Ordering::SeqCst)
    }

    /// Makes calls that record an end of a job fail, or succeed again.
    pub(crate) fn refuse_ends(&self, job: &str, refuses: bool) {
        let mut jobs = lock(&self.refused);
        if refuses {
            jobs.insert(job.to_owned());
        } else {
            jobs.remove(job);
        }
    }

    /// Grants the next claim, but makes the call fail.
    pub(crate) fn lose_answer(&self) {
        self.loses_answer.store(true, Ordering::SeqCst);
    }

    /// Forgets the next run to be taken over just before.
    pub(crate) fn forget(&self) {
        self.forgets.store(true, Ordering::SeqCst);
    }

    /// Makes the next call panic.
    pub(crate) fn panic(&self) {
        self.panics.store(true, Ordering::SeqCst);
    }

    fn answer<T, E: From<Failure>>(&self, result: Result<T, E>) -> Result<T, E> {
        if self.loses_answer.swap(false, Ordering::SeqCst) { Err(Failure.into()) } else { result }
    }

    /// Cuts off all clones that exist.
    pub(crate) fn cut(&self) {
        let _history = self.direct();
        self.alive.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the history itself. Other calls wait while the guard is held.
    pub(crate) fn direct(&self) -> MutexGuard<'_, MemoryHistory> {
        lock(&self.history)
    }

    /// Whether a call waits until the guard of [`direct`](Self::direct) is dropped.
    pub(crate) fn hangs(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Returns the records of each job, by instant, in seconds after the start.
    pub(crate) fn records(&self, job: &str) -> HashMap<i64, RunRecord> {
        let mut records = HashMap::new();
        let read = self.direct().read(&[RunQuery::new(job, ..)], &mut |_, scheduled, record| {
            records.insert(scheduled, record);
            ControlFlow::Continue(())
        });
        read.expect("a history in memory does not fail");
        records
    }

    /// Records a success at a number of seconds after the start.
    pub(crate) fn direct_record(&self, job: &str, after: u64) {
        let recorded = self.direct().record(job, to_millis(at(after)));
        recorded.expect("a history in memory does not fail");
    }

    /// Records a run as skipped at a number of seconds after the start.
    pub(crate) fn direct_skip(&self, job: &str, after: u64) {
        let recorded = self.direct().record_state(job, to_millis(at(after)), RunState::Skipped);
        recorded.expect("a history in memory does not fail");
    }

    /// Claims a run at a number of seconds after the start.
    pub(crate) fn direct_claim(&self, job: &str, after: u64, owner: &str) {
        let claimed = self.direct().claim(job, to_millis(at(after)), owner, Duration::MAX);
        let claimed = claimed.expect("a history in memory does not fail");
        assert!(matches!(claimed, ClaimOutcome::Granted(_)), "{claimed:?}");
    }

    /// Returns the number of runs that have started but not ended.
    pub(crate) fn direct_started(&self) -> usize {
        self.direct().started_runs().expect("a history in memory does not fail").len()
    }

    fn open(&self) -> Result<MutexGuard<'_, MemoryHistory>, Failure> {
        assert!(!self.panics.swap(false, Ordering::SeqCst), "a panic that the test needs");
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let history = self.direct();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let is_alive = self.process == self.alive.load(Ordering::SeqCst);
        if !is_alive || self.fails.load(Ordering::SeqCst) { Err(Failure) } else { Ok(history) }
    }
}

fn infallible<T, E>(result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|_| unreachable!("a history in memory does not fail"))
}

fn lost<T, E>(result: Result<T, ClaimError<E>>) -> Result<T, ClaimError<Failure>> {
    result.map_err(|_| ClaimError::Lost)
}

impl History for Store {
    type Error = Failure;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Failure> {
        infallible(self.open()?.record_runs(runs))
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let history = self.open()?;
        for query in queries {
            self.most_read.fetch_max(query.limit, Ordering::SeqCst);
        }
        infallible(history.read(queries, visit))
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Failure> {
        infallible(self.open()?.forget_all(runs))
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Failure> {
        infallible(self.open()?.drop_before(jobs))
    }
}

impl Claims for Store {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Failure> {
        let outcome = infallible(self.open()?.claim(job, scheduled, owner, lease));
        self.answer(outcome)
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Failure>> {
        lost(self.open()?.renew(claim, lease))
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Failure>> {
        lost(self.open()?.release(claim))
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<Failure>> {
        if lock(&self.refused).contains(&*claim.job) {
            return Err(Failure.into());
        }
        lost(self.open()?.record_claimed_run(claim, record))
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<Failure>> {
        if self.forgets.swap(false, Ordering::SeqCst) {
            self.forget_all(&[(&claim.job, claim.scheduled..=claim.scheduled)])?;
        }
        let taken = lost(self.open()?.take_over(claim, owner, lease));
        self.answer(taken)
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, Failure> {
        infallible(self.open()?.started_runs())
    }
}
