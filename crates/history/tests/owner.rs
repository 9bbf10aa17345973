//! The thread that owns a history, and claims that are held.

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use millicron_history::{
    CallError, Claim, ClaimError, ClaimOutcome, Claims, HeldClaims, History, HistoryThread,
    MemoryHistory, RunQuery, RunRecord, RunState, StartedRun,
};

/// How long a test waits for another thread at most.
const LIMIT: Duration = Duration::from_mins(1);

/// A history, with a channel that is closed when it is dropped.
struct State {
    history: MemoryHistory,
    pending: Vec<i64>,
    _alive: Sender<()>,
}

/// Starts a thread whose work records what is pending.
fn start() -> (HistoryThread<State>, Receiver<()>) {
    let (alive, ended) = channel();
    let state = State { history: MemoryHistory::new(), pending: Vec::new(), _alive: alive };
    let work = |state: &mut State| {
        for at in state.pending.drain(..) {
            state.history.record("job", at).expect("memory does not fail");
        }
        None
    };
    (HistoryThread::start("test", Box::new(state), work).expect("a thread"), ended)
}

#[test]
fn calls_are_executed_in_order_and_work_follows_them() {
    let (thread, _) = start();
    for at in 0..100 {
        thread.send(move |state| state.pending.push(at));
    }
    assert!(thread.flush(LIMIT));
    let recorded = thread.call(|state| {
        let mut recorded = Vec::new();
        let visited = state.history.successes("job", 0..=99, &mut |at| {
            recorded.push(at);
            ControlFlow::Continue(())
        });
        visited.map(|()| recorded)
    });
    assert_eq!(recorded, Ok(Ok((0..100).collect())));
}

#[test]
fn flush_gives_up_after_its_limit() {
    let (thread, _) = start();
    let (release, released) = channel::<()>();
    thread.send(move |_| {
        let _ = released.recv();
    });
    assert!(!thread.flush(Duration::from_millis(1)));
    drop(release);
    assert!(thread.flush(LIMIT));
}

#[test]
fn panics_are_errors_and_the_thread_continues() {
    let (thread, _) = start();
    let error = thread.call(|_| panic!("no disk")).map(|()| "no error").expect_err("a panic");
    assert_eq!(error.to_string(), "a call of the history has panicked");
    assert_eq!(std::error::Error::source(&error).expect("a cause").to_string(), "no disk");
    thread.send(|_| panic!("no disk"));
    assert_eq!(thread.call(|state| state.history.len()), Ok(0));
}

#[test]
fn thread_does_not_wait_for_itself() {
    let (thread, _) = start();
    let own = thread.clone();
    assert_eq!(thread.call(move |_| own.call(|_| ())), Ok(Err(CallError::OwnThread)));
    let (own, (flushed, was_flushed)) = (thread.clone(), channel());
    thread.send(move |_| {
        let _ = flushed.send(own.flush(Duration::MAX));
    });
    assert_eq!(was_flushed.recv_timeout(LIMIT), Ok(false));
}

#[test]
fn last_handle_ends_the_thread_after_what_was_sent() {
    let (thread, ended) = start();
    let (executed, was_executed) = channel();
    let clone = thread.clone();
    drop(thread);
    clone.send(move |_| {
        let _ = executed.send(());
    });
    drop(clone);
    assert_eq!(was_executed.recv_timeout(LIMIT), Ok(()));
    assert_eq!(
        ended.recv_timeout(LIMIT),
        Err(RecvTimeoutError::Disconnected),
        "the state is dropped"
    );
}

#[test]
fn work_is_done_when_it_is_due() {
    let (done, is_done) = channel();
    let work = move |left: &mut u32| {
        let _ = done.send(());
        *left = left.saturating_sub(1);
        (*left > 0).then(Instant::now)
    };
    let thread = HistoryThread::start("test", Box::new(3), work).expect("a thread");
    for _ in 0..3 {
        assert_eq!(is_done.recv_timeout(LIMIT), Ok(()), "nothing is sent to the thread");
    }
    drop(thread);
}

#[test]
fn work_that_is_due_is_not_delayed_by_calls_that_keep_coming() {
    let work = |log: &mut Vec<&str>| {
        // It is always due, also before the test sends anything.
        if log.len() < 100 {
            log.push("work");
        }
        Some(Instant::now())
    };
    let thread = HistoryThread::start("test", Box::new(Vec::new()), work).expect("a thread");
    let (release, released) = channel::<()>();
    thread.send(move |log| {
        let _ = released.recv();
        log.clear();
    });
    for _ in 0..3 {
        thread.send(|log| log.push("call"));
    }
    drop(release);
    let log = thread.call(|log| log.clone()).expect("no call panics");
    assert_eq!(log.get(..6), Some(["work", "call"].repeat(3).as_slice()));
}

#[test]
fn work_is_not_done_before_it_is_due() {
    for wait in [None, Some(Duration::from_hours(1))] {
        let work = move |done: &mut u32| {
            *done += 1;
            wait.map(|wait| Instant::now() + wait)
        };
        let thread = HistoryThread::start("test", Box::new(0), work).expect("a thread");
        let before = thread.call(|done| *done).expect("no call panics");
        std::thread::sleep(Duration::from_millis(50));
        let after = thread.call(|done| *done).expect("no call panics");
        // After the first call, it is done once, and then not until the next call.
        assert!(after <= before + 1, "{before}, then {after}");
    }
}

#[test]
fn debug_output_of_a_thread_has_its_id() {
    let (thread, _) = start();
    let debug = format!("{thread:?}");
    assert!(debug.starts_with("HistoryThread { id: ThreadId("), "{debug}");
}

#[test]
fn claims_are_due_for_renewal_after_a_third_of_their_lease() {
    let mut history = MemoryHistory::new();
    let lease = Duration::from_hours(3);
    let mut claims = HeldClaims::new("owner", lease);
    assert_eq!(claims.lease(), lease);
    let before = Instant::now();
    let outcome = claims.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    let is_due_after = |claims: &HeldClaims<i64, ()>, before: Instant| {
        let due = claims.renew_at().expect("a claim is held");
        before + lease / 3 <= due && due <= Instant::now() + lease / 3
    };
    assert!(is_due_after(&claims, before));
    let before = Instant::now();
    let renewed = claims.renew(&mut history, |run, _| panic!("lost {run}"));
    renewed.expect("memory does not fail");
    assert!(is_due_after(&claims, before));
}

#[test]
fn clones_of_a_lease_follow_its_renewals() {
    let mut history = MemoryHistory::new().with_clock(|| 0);
    let mut claims = HeldClaims::new("owner", Duration::from_millis(20));
    let outcome = claims.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    let lease = claims.get(&1).expect("it is held").lease.clone();
    while !lease.remaining().is_zero() {
        std::thread::yield_now();
    }
    // A busy machine may interrupt a renewal for longer than the lease.
    let is_longer = (0..1_000).any(|_| {
        let renewed = claims.renew(&mut history, |run, _| panic!("lost {run}"));
        renewed.expect("memory does not fail");
        !lease.remaining().is_zero()
    });
    assert!(is_longer);
}

#[test]
fn held_claims_are_renewed_until_they_are_lost() {
    let now = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let mut history = MemoryHistory::new().with_clock(move || clock.load(Ordering::SeqCst));
    let lease = Duration::from_mins(1);
    let mut ours = HeldClaims::new("ours", lease);
    let mut theirs = HeldClaims::new("theirs", lease);
    for at in [1, 2] {
        let outcome = ours.claim(&mut history, "job", at, at, ()).expect("memory does not fail");
        assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    }
    let of_first = ours.get(&1).expect("it is held").lease.clone();
    assert!(of_first.remaining() > lease / 2);

    // Renewed twice, so that it is held for longer than its first lease.
    for millis in [40_000, 80_000] {
        now.store(millis, Ordering::SeqCst);
        let renewed = ours.renew(&mut history, |run, _| panic!("lost {run}"));
        renewed.expect("memory does not fail");
    }
    let outcome = theirs.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Held { .. }));

    now.store(200_000, Ordering::SeqCst);
    let outcome = theirs.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    let mut lost = Vec::new();
    let renewed = ours.renew(&mut history, |run, held| lost.push((run, held.claim.scheduled)));
    renewed.expect("memory does not fail");
    assert_eq!(lost, [(1, 1)]);
    assert!(ours.get(&1).is_none() && ours.get(&2).is_some());

    history.record_state("job", 2, RunState::Failed).expect("memory does not fail");
    drop(ours.remove(&2));
    assert_eq!(ours.renew_at(), None);
}

#[test]
fn claim_that_may_have_expired_is_renewed_before_it_is_kept() {
    let now = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let mut history = MemoryHistory::new().with_clock(move || clock.load(Ordering::SeqCst));
    let lease = Duration::from_millis(1);
    let [mut ours, mut theirs] = ["ours", "theirs"].map(|owner| HeldClaims::new(owner, lease));
    assert_eq!(ours.keep(&mut history, &1), Ok(false), "it is not claimed");
    let outcome = ours.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    let expire = |claims: &HeldClaims<i64, ()>| {
        now.fetch_add(1, Ordering::SeqCst);
        let lease = claims.get(&1).expect("it is held").lease.clone();
        while !lease.remaining().is_zero() {
            std::thread::yield_now();
        }
    };
    expire(&ours);
    assert_eq!(ours.keep(&mut history, &1), Ok(true));
    let outcome = theirs.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Held { .. }), "it was renewed");
    expire(&ours);
    let outcome = theirs.claim(&mut history, "job", 1, 1, ()).expect("memory does not fail");
    assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    assert_eq!(ours.keep(&mut history, &1), Ok(false));
    assert!(ours.get(&1).is_none());
}

#[derive(Debug)]
struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection")
    }
}

impl std::error::Error for Down {}

/// A history whose claims cannot be renewed. It takes a time to find that.
struct Unreachable {
    memory: MemoryHistory,
    delay: Duration,
    /// The runs whose claims were to be renewed.
    tried: Vec<i64>,
}

impl History for Unreachable {
    type Error = Down;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Down> {
        let Ok(()) = self.memory.record_runs(runs);
        Ok(())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Down> {
        let Ok(()) = self.memory.read(queries, visit);
        Ok(())
    }

    fn forget_all(&mut self, _: &[(&str, RangeInclusive<i64>)]) -> Result<(), Down> {
        Err(Down)
    }

    fn drop_before(&mut self, _: &[(&str, i64)]) -> Result<(), Down> {
        Err(Down)
    }
}

impl Claims for Unreachable {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Down> {
        let Ok(outcome) = self.memory.claim(job, scheduled, owner, lease);
        Ok(outcome)
    }

    fn renew(&mut self, claim: &Claim, _: Duration) -> Result<(), ClaimError<Down>> {
        self.tried.push(claim.scheduled);
        std::thread::sleep(self.delay);
        Err(ClaimError::History(Down))
    }

    fn release(&mut self, _: &Claim) -> Result<(), ClaimError<Down>> {
        Err(ClaimError::History(Down))
    }

    fn record_claimed_run(&mut self, _: &Claim, _: RunRecord) -> Result<(), ClaimError<Down>> {
        Err(ClaimError::History(Down))
    }

    fn take_over(&mut self, _: &Claim, _: &str, _: Duration) -> Result<Claim, ClaimError<Down>> {
        Err(ClaimError::History(Down))
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, Down> {
        Err(Down)
    }
}

/// Claims three runs in a history that takes a time to fail. Returns which claims three renewals
/// then try to renew.
fn tried_renewals(lease: Duration, delay: Duration) -> [Vec<i64>; 3] {
    let mut history = Unreachable { memory: MemoryHistory::new(), delay, tried: Vec::new() };
    let mut claims = HeldClaims::new("owner", lease);
    for at in 1..=3 {
        let outcome = claims.claim(&mut history, "job", at, at, ()).expect("a claim");
        assert!(matches!(outcome, ClaimOutcome::Granted(_)));
    }
    [(); 3].map(|()| {
        let renewed = claims.renew(&mut history, |run, _| panic!("lost {run}"));
        assert!(renewed.is_err());
        std::mem::take(&mut history.tried)
    })
}

#[test]
fn renewal_that_fails_slowly_leaves_other_claims_for_the_next_time() {
    let lease = Duration::from_millis(60);
    assert_eq!(tried_renewals(lease, lease / 6), [[1], [2], [3]]);
}

#[test]
fn renewal_that_fails_fast_is_tried_for_all_claims() {
    assert_eq!(tried_renewals(Duration::MAX, Duration::ZERO), [[1, 2, 3]; 3]);
}
