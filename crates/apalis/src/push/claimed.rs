//! [`ClaimPusher`]: pushes the events of stored schedules.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use millicron_history::Backoff;

use super::parts::Push;
use super::queue::Now;
use super::shared::Shared;
use super::sink::{FLUSHES, LONGEST_STEP, poll_left_over};
use crate::job::{GRACE, millis};
use crate::run::key;
use crate::stats::Notice;
use crate::storage::Storage;
use crate::stored::claims::{
    BoxFuture, Claim, Claimed, ClaimedTask, Claims, DroppedEvents, Look, Outcome, REFUSED,
};
use crate::stored::{InvalidSchedule, StoredError};

/// How often to look for rows that were not announced. It is shorter than the default grace, so that an event just
/// after a schedule is created is not missed where changes are not announced.
const LOOK_EVERY: Duration = Duration::from_millis(900);
const _: () = assert!(LOOK_EVERY.as_millis() < GRACE.as_millis(), "events would be missed");

/// How much later than others a machine looks for rows that are due, if another one was faster the last
/// time. So it does not compete with it, and takes over if it dies.
const STANDBY: Duration = Duration::from_millis(100);

/// How long rows must have been due before such a machine claims them, in milliseconds.
const PATIENCE: i64 = 50;

const PAUSES: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5));

/// The number of steps before yielding to other tasks on the same thread.
const STEPS_IN_A_ROW: usize = 64;

/// After how many failures in a row a storage that takes nothing no longer seems to be down, but to refuse the tasks. By
/// then, batches are so small that each task is pushed alone.
const PATIENT: u32 = 6;

/// The most instants to remember of tasks that were pushed ahead.
const MOST_AHEAD: usize = 100_000;

pub(crate) struct ClaimPusher<P> {
    claims: Arc<dyn Claims<P>>,
    state: State<P>,
    listening: Option<BoxFuture<Result<(), StoredError>>>,
    has_changed: Arc<AtomicBool>,
    /// Whether this machine was the first to claim the last rows.
    is_first: bool,
    /// The first event of all rows, if no schedule has changed since it was read.
    first: Option<i64>,
    failures: u32,
    /// How many rows and tasks to claim. It is halved by each failure, and doubled by each success.
    most: usize,
    largest_batch: usize,
    /// When to look for rows in any case, and to listen again if the connection was lost.
    next_look: Duration,
    next_listen: Duration,
    /// When tasks that were pushed ahead are due.
    ahead: BinaryHeap<Reverse<Duration>>,
    /// How often to flush the storage, which may have tasks of a push that failed.
    flushes: usize,
    /// Until when the first claim waits for an earlier push to end.
    flush_until: Option<Duration>,
    /// When the push in progress began, or the last one.
    push_began: Duration,
    /// When the longest push since there was last nothing to claim began and ended. The events of all others may be
    /// missed, so that a machine that is always too slow skips some.
    last_push: Option<(Duration, Duration)>,
}

enum State<P> {
    /// Until a row is due, by the elapsed time, and whether it is certain that one is.
    Waiting(Duration, bool),
    /// Each step has a time limit.
    Claiming(Duration, BoxFuture<Result<Claimed<P>, StoredError>>),
    Pushing(Duration, Claim<P>, Push),
    Committing(Duration, Pushed, BoxFuture<Result<(), StoredError>>),
    /// Gives rows back after a failure, and then waits until a time.
    Releasing(Duration, Duration, BoxFuture<Result<(), StoredError>>),
}

/// What to report once it is stored.
#[derive(Default)]
struct Pushed {
    tasks: u64,
    dropped: Vec<DroppedEvents>,
    invalid: Vec<(String, InvalidSchedule)>,
    /// The keys and the errors of the tasks that the storage refused.
    refused: Vec<String>,
    has_succeeded: bool,
    is_retry: bool,
}

impl<P> ClaimPusher<P> {
    pub(crate) fn new(claims: Arc<dyn Claims<P>>, largest_batch: usize) -> Self {
        Self {
            claims,
            state: State::Waiting(Duration::ZERO, false),
            listening: None,
            has_changed: Arc::default(),
            is_first: true,
            first: None,
            failures: 0,
            most: largest_batch,
            largest_batch,
            next_look: Duration::ZERO,
            next_listen: Duration::ZERO,
            ahead: BinaryHeap::new(),
            flushes: FLUSHES,
            flush_until: None,
            push_began: Duration::ZERO,
            last_push: None,
        }
    }

    /// Whether rows are claimed, or about to be.
    pub(crate) const fn is_busy(&self) -> bool {
        !matches!(self.state, State::Waiting(..)) || self.waits_for_first_flush()
    }

    /// Whether the storage may still have tasks of a push that began before this machine's first claim: that of another
    /// source, or of a future that was dropped.
    const fn waits_for_first_flush(&self) -> bool {
        self.flushes > 0 && self.failures == 0
    }

    /// Whether the last attempt to claim or to push rows has failed.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failures > 0
    }
}

impl<P: Clone + Send + 'static> ClaimPusher<P> {
    /// Pushes what is due. Returns the time after which to call it again, if it is not woken before.
    pub(crate) fn poll<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Option<Duration> {
        self.poll_listening(shared, cx);
        let available = self.notice_available(shared);
        for _ in 0..STEPS_IN_A_ROW {
            match self.poll_step(storage, shared, cx) {
                Poll::Ready(()) => {}
                Poll::Pending => return [self.wait(shared), available].into_iter().flatten().min(),
            }
        }
        Some(Duration::ZERO)
    }

    /// Like [`poll`](Self::poll), but only ends the claim in progress. Returns `None` once no rows are claimed.
    pub(crate) fn poll_end<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Option<Duration> {
        while !matches!(self.state, State::Waiting(..)) {
            if self.poll_step(storage, shared, cx).is_pending() {
                return self.wait(shared);
            }
        }
        None
    }

    fn poll_listening(&mut self, shared: &Shared<P>, cx: &mut Context<'_>) {
        let elapsed = shared.now().elapsed;
        if self.listening.is_none() && elapsed >= self.next_listen {
            let has_changed = Arc::clone(&self.has_changed);
            // It is called while this polls the future, so it need not wake anybody.
            let on_change = Box::new(move || has_changed.store(true, Ordering::Release));
            self.listening = Some(Arc::clone(&self.claims).listen(on_change));
        }
        if let Some(listening) = &mut self.listening
            && let Poll::Ready(result) = listening.as_mut().poll(cx)
        {
            if let Err(error) = result {
                shared.report(&Notice::TableFailed { error: &error });
            }
            self.listening = None;
            self.next_listen = elapsed.saturating_add(LOOK_EVERY);
        }
    }

    /// Announces tasks that were pushed ahead once the storage hands them out. Returns the time until the next ones.
    fn notice_available(&mut self, shared: &Shared<P>) -> Option<Duration> {
        let elapsed = shared.now().elapsed;
        let count = self.ahead.len();
        while self.ahead.peek().is_some_and(|first| first.0 <= elapsed) {
            self.ahead.pop();
        }
        let available = count - self.ahead.len();
        if available > 0 {
            shared.with_queue(|queue| queue.announce(available));
        }
        self.ahead.peek().map(|first| first.0.saturating_sub(elapsed))
    }

    fn poll_step<B: Storage<P>>(
        &mut self,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let now = shared.now();
        if !matches!(self.state, State::Pushing(..)) {
            // A push that was given up may hold locks that the next statements need, until it has ended.
            let _ = poll_left_over(storage, &mut self.flushes, cx);
        }
        match &mut self.state {
            &mut State::Waiting(due, certain) => {
                return self.begin_claim(due, certain, shared, now);
            }
            State::Claiming(_, claiming) => match claiming.as_mut().poll(cx) {
                Poll::Ready(result) => self.claimed(result, shared, now),
                Poll::Pending => return self.check_time(shared, now),
            },
            State::Pushing(_, claim, push) => {
                let is_patient = self.failures >= PATIENT;
                match push.poll((&mut self.flushes, is_patient), claim, storage, shared, cx) {
                    Poll::Ready(Ok(())) => self.pushed(shared, now),
                    Poll::Ready(Err(error)) => {
                        let tasks = claim.tasks.len();
                        let retry_in = self.fail(now);
                        shared.with_queue(|queue| queue.stats.failures += 1);
                        shared.report(&Notice::PushFailed { tasks, error: &*error, retry_in });
                    }
                    Poll::Pending => return self.check_time(shared, now),
                }
            }
            State::Committing(_, pushed, committing) => match committing.as_mut().poll(cx) {
                Poll::Ready(Ok(())) => {
                    let pushed = std::mem::take(pushed);
                    self.committed(pushed, shared, now);
                }
                Poll::Ready(Err(error)) => {
                    self.fail(now);
                    shared.report(&Notice::TableFailed { error: &error });
                }
                Poll::Pending => return self.check_time(shared, now),
            },
            &mut State::Releasing(_, until, ref mut releasing) => {
                // If this fails, the claim ends later.
                if releasing.as_mut().poll(cx).is_pending() {
                    return self.check_time(shared, now);
                }
                self.state = State::Waiting(until, false);
            }
        }
        Poll::Ready(())
    }

    /// Begins to claim rows if some are due, or may be.
    fn begin_claim(
        &mut self,
        due: Duration,
        certain: bool,
        shared: &Shared<P>,
        now: Now,
    ) -> Poll<()> {
        if self.flushes > 0 {
            let until = *self.flush_until.get_or_insert(limit(now));
            if self.waits_for_first_flush() && now.elapsed >= until {
                self.fail(now);
            }
            return Poll::Pending;
        }
        if shared.with_queue(|queue| queue.is_closed) {
            return Poll::Pending;
        }
        let looks = self.failures == 0 && self.must_look(now);
        if now.elapsed < due && !looks {
            return Poll::Pending;
        }
        if looks {
            self.first = None;
        }
        let look = Look {
            most: self.most,
            is_certain: certain && !looks,
            first: self.first,
            patience: if self.is_first { 0 } else { PATIENCE },
            last_push: self.last_push.map(|(began, ended)| {
                let ago = |instant| millis(now.elapsed.saturating_sub(instant));
                (ago(began), ago(ended))
            }),
        };
        let claiming = Arc::clone(&self.claims).claim(look);
        self.state = State::Claiming(limit(now), claiming);
        Poll::Ready(())
    }

    /// Returns whether schedules have changed, or may have.
    fn must_look(&mut self, now: Now) -> bool {
        let is_time = self.next_look <= now.elapsed;
        if is_time {
            self.next_look = now.elapsed.saturating_add(LOOK_EVERY);
        }
        self.has_changed.swap(false, Ordering::AcqRel) || is_time
    }

    fn claimed(&mut self, result: Result<Claimed<P>, StoredError>, shared: &Shared<P>, now: Now) {
        match result {
            Ok(Claimed::Nothing { wait, is_contended, first }) => {
                self.failures = 0;
                self.last_push = None;
                self.first = first;
                if !self.is_first {
                    // Another machine may have pushed more tasks than it takes itself.
                    shared.with_queue(|queue| queue.announce(0));
                }
                self.is_first &= !is_contended;
                let standby = if self.is_first { Duration::ZERO } else { STANDBY };
                let wait = if is_contended { Duration::ZERO } else { wait.unwrap_or(LOOK_EVERY) };
                let due = now.elapsed.saturating_add(wait).saturating_add(standby);
                self.state = State::Waiting(due, self.is_first);
            }
            Ok(Claimed::Rows(claim)) => {
                self.is_first = true;
                let push = Push::new(&claim.tasks);
                self.push_began = now.elapsed;
                self.state = State::Pushing(limit(now), claim, push);
            }
            Err(error) => {
                self.fail(now);
                shared.report(&Notice::TableFailed { error: &error });
            }
        }
    }

    /// Announces the tasks, which workers can have from now on, and stores that they were pushed.
    fn pushed(&mut self, shared: &Shared<P>, now: Now) {
        let state = std::mem::replace(&mut self.state, State::Waiting(now.elapsed, false));
        let State::Pushing(deadline, claim, push) = state else { return };
        let Claim { tasks, mut dropped, invalid, end } = claim;
        let Push { duplicates, rejected, refused, has_succeeded, is_retry, .. } = push;
        let claimed = deadline.saturating_sub(LONGEST_STEP);
        let count = tasks.len().saturating_sub(duplicates + rejected.len() + refused.len());
        let mut available = 0;
        for (index, task) in tasks.iter().enumerate() {
            if refused.contains_key(&index) {
                // All events of the row are decided again.
                dropped.retain(|it| it.row != task.row);
            } else if task.available_in.is_zero() {
                available += 1;
            } else if self.ahead.len() < MOST_AHEAD {
                self.ahead.push(Reverse(claimed.saturating_add(task.available_in)));
            }
        }
        if available > 0 {
            shared.with_queue(|queue| queue.announce(available));
        }
        let rows = refused.iter().map(|(index, error)| (tasks[*index].row, error.clone()));
        let ending = end(Outcome::Pushed(rows.collect()));
        let refused = refused.into_iter().map(|(index, error)| {
            let ClaimedTask { job, scheduled, .. } = &tasks[index];
            format!("`{}`: {error}", key(job, *scheduled))
        });
        let refused = refused.collect();
        let tasks = count as u64;
        let pushed = Pushed { tasks, dropped, invalid, refused, has_succeeded, is_retry };
        self.state = State::Committing(limit(now), pushed, ending);
    }

    /// Reports what has become of the claimed rows.
    fn committed(&mut self, pushed: Pushed, shared: &Shared<P>, now: Now) {
        let Pushed { tasks, dropped, invalid, refused, has_succeeded, is_retry } = pushed;
        shared.with_queue(|queue| {
            queue.stats.pushed += tasks;
            queue.stats.failures += refused.len() as u64;
            for DroppedEvents { skipped, expired, .. } in &dropped {
                queue.stats.skipped += skipped;
                queue.stats.expired += expired;
            }
        });
        for (job, error) in &invalid {
            shared.report(&Notice::Invalid { job, error });
        }
        for DroppedEvents { job, skipped, expired, .. } in &dropped {
            shared.report_dropped(job, *skipped, *expired);
        }
        for error in refused {
            let error: Box<dyn Error + Send + Sync> = error.into();
            shared.report(&Notice::PushFailed { tasks: 1, error: &*error, retry_in: REFUSED });
        }
        self.end_push(now);
        if has_succeeded {
            self.failures = 0;
        }
        if has_succeeded || is_retry {
            self.most = self.most.saturating_mul(2).min(self.largest_batch);
        }
        // Even if the storage has refused everything, since it may take the tasks of other rows.
        self.state = State::Waiting(now.elapsed, false);
    }

    /// Notes how long a push took. A shorter one does not hide it from rows that have waited meanwhile.
    fn end_push(&mut self, now: Now) {
        let length = |(began, ended): (Duration, Duration)| ended.saturating_sub(began);
        let push = (self.push_began, now.elapsed);
        if self.last_push.is_none_or(|last| length(last) < length(push)) {
            self.last_push = Some(push);
        }
    }

    /// Gives up the claimed rows, and returns the time until the next attempt.
    fn fail(&mut self, now: Now) -> Duration {
        let wait = PAUSES.wait(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.most = (self.most / 2).max(1);
        self.flushes = FLUSHES;
        let until = now.elapsed.saturating_add(wait);
        let state = std::mem::replace(&mut self.state, State::Waiting(until, false));
        if matches!(state, State::Pushing(..) | State::Committing(..)) {
            self.end_push(now);
        }
        if let State::Pushing(_, claim, _) = state {
            let releasing = (claim.end)(Outcome::GivenUp);
            self.state = State::Releasing(limit(now), until, releasing);
        }
        wait
    }

    /// Gives up if the current step takes too long.
    fn check_time(&mut self, shared: &Shared<P>, now: Now) -> Poll<()> {
        let (limit, tasks) = match &self.state {
            State::Waiting(..) => return Poll::Pending,
            State::Claiming(limit, _)
            | State::Committing(limit, ..)
            | State::Releasing(limit, ..) => (*limit, None),
            State::Pushing(limit, claim, _) => (*limit, Some(claim.tasks.len())),
        };
        if now.elapsed < limit {
            return Poll::Pending;
        }
        self.fail(now);
        if let Some(tasks) = tasks {
            shared.report(&Notice::PushHangs { tasks, time: LONGEST_STEP });
        } else {
            let error = StoredError::TimedOut(LONGEST_STEP);
            shared.report(&Notice::TableFailed { error: &error });
        }
        Poll::Ready(())
    }

    /// Returns the time until the next step.
    fn wait(&self, shared: &Shared<P>) -> Option<Duration> {
        let elapsed = shared.now().elapsed;
        let until = match self.state {
            // The storage wakes this machine.
            State::Waiting(..) if self.flushes > 0 => {
                let until = self.flush_until.filter(|_| self.waits_for_first_flush())?;
                return Some(until.saturating_sub(elapsed));
            }
            State::Waiting(..) if shared.with_queue(|queue| queue.is_closed) => return None,
            State::Waiting(due, _) if self.failures > 0 => due,
            State::Waiting(due, _) => due.min(self.next_look),
            State::Claiming(limit, _)
            | State::Committing(limit, ..)
            | State::Pushing(limit, ..)
            | State::Releasing(limit, ..) => limit,
        };
        Some(until.saturating_sub(elapsed))
    }
}

/// Returns when a step that begins now must have ended.
const fn limit(now: Now) -> Duration {
    now.elapsed.saturating_add(LONGEST_STEP)
}
