//! [`ClaimPusher`]: pushes the events of stored schedules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use millicron_history::Backoff;

use super::queue::Now;
use super::shared::{Shared, build_task};
use super::sink::{FLUSHES, Failure, LONGEST_STEP, poll_flush, poll_left_over, poll_send};
use crate::run::{Run, key};
use crate::stats::Notice;
use crate::storage::Storage;
use crate::stored::StoredError;
use crate::stored::claims::{BoxFuture, Claim, Claimed, Claims, DroppedEvents, Look};

/// How often to look for rows that were not announced.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How much later than others a machine looks for rows that are due, if another one was faster the last
/// time. So it does not compete with it, and takes over if it dies.
const STANDBY: Duration = Duration::from_millis(100);

/// How long rows must have been due before such a machine claims them, in milliseconds.
const PATIENCE: i64 = 50;

const PAUSES: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5));

/// The number of steps before yielding to other tasks on the same thread.
const STEPS_IN_A_ROW: usize = 64;

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
    /// When to look for rows in any case, and to listen again if the connection was lost.
    next_look: Duration,
    next_listen: Duration,
    /// When tasks that were pushed ahead are due.
    ahead: BinaryHeap<Reverse<Duration>>,
    /// How often to flush the storage, which may have tasks of a push that failed.
    flushes: usize,
}

enum State<P> {
    /// Until a row is due, by the elapsed time, and whether it is certain that one is.
    Waiting(Duration, bool),
    /// Each step has a time limit.
    Claiming(Duration, BoxFuture<Result<Claimed<P>, StoredError>>),
    Pushing(Duration, Claim<P>, Push),
    Committing(Duration, u64, BoxFuture<Result<(), StoredError>>),
}

/// The progress of a push.
#[derive(Default)]
struct Push {
    /// Parts of the tasks that are still to be pushed, the next one last.
    parts: Vec<Range<usize>>,
    /// The number of tasks of the current part that the storage has accepted.
    sent: usize,
    has_succeeded: bool,
    duplicates: usize,
    /// The tasks whose payload cannot be encoded.
    rejected: BTreeSet<usize>,
    /// The rows whose tasks the storage refuses although it takes others.
    refused: BTreeMap<usize, String>,
}

impl<P> ClaimPusher<P> {
    pub(crate) fn new(claims: Arc<dyn Claims<P>>) -> Self {
        Self {
            claims,
            state: State::Waiting(Duration::ZERO, false),
            listening: None,
            has_changed: Arc::default(),
            is_first: true,
            first: None,
            failures: 0,
            next_look: Duration::ZERO,
            next_listen: Duration::ZERO,
            ahead: BinaryHeap::new(),
            flushes: FLUSHES,
        }
    }

    /// Whether rows are claimed.
    pub(crate) const fn is_busy(&self) -> bool {
        !matches!(self.state, State::Waiting(..))
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
        let due = self.notice_due(shared);
        for _ in 0..STEPS_IN_A_ROW {
            match self.poll_step(storage, shared, cx) {
                Poll::Ready(()) => {}
                Poll::Pending => return [self.wait(shared), due].into_iter().flatten().min(),
            }
        }
        Some(Duration::ZERO)
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

    /// Announces tasks that were pushed ahead once they fall due. Returns the time until the next one.
    fn notice_due(&mut self, shared: &Shared<P>) -> Option<Duration> {
        let elapsed = shared.now().elapsed;
        let count = self.ahead.len();
        while self.ahead.peek().is_some_and(|first| first.0 <= elapsed) {
            self.ahead.pop();
        }
        let due = count - self.ahead.len();
        if due > 0 {
            shared.with_queue(|queue| queue.announce(due));
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
        match &mut self.state {
            &mut State::Waiting(due, certain) => {
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
                    is_certain: certain && !looks,
                    first: self.first,
                    patience: if self.is_first { 0 } else { PATIENCE },
                };
                let claiming = Arc::clone(&self.claims).claim(look);
                self.state = State::Claiming(limit(now), claiming);
            }
            State::Claiming(_, claiming) => match claiming.as_mut().poll(cx) {
                Poll::Ready(result) => self.claimed(result, shared, now),
                Poll::Pending => return self.check_time(shared, now),
            },
            State::Pushing(_, claim, push) => {
                match push.poll(&mut self.flushes, claim, storage, shared, cx) {
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
                    shared.with_queue(|queue| queue.stats.pushed += *pushed);
                    self.failures = 0;
                    self.state = State::Waiting(now.elapsed, false);
                }
                Poll::Ready(Err(error)) => {
                    self.fail(now);
                    shared.report(&Notice::TableFailed { error: &error });
                }
                Poll::Pending => return self.check_time(shared, now),
            },
        }
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
                for (job, error) in &claim.invalid {
                    shared.report(&Notice::Invalid { job, error });
                }
                for DroppedEvents { job, skipped, expired } in &claim.dropped {
                    shared.report_dropped(job, *skipped, *expired);
                }
                self.state = State::Pushing(limit(now), claim, Push::default());
                if let State::Pushing(_, claim, push) = &mut self.state {
                    push.parts.push(0..claim.tasks.len());
                }
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
        let State::Pushing(deadline, Claim { tasks, commit, .. }, push) = state else { return };
        let claimed = deadline.saturating_sub(LONGEST_STEP);
        let count = tasks.len().saturating_sub(push.duplicates + push.rejected.len());
        let refused: Vec<_> = push.refused.into_iter().collect();
        let mut due = 0;
        for task in &tasks {
            if task.due_in.is_zero() {
                due += 1;
            } else if self.ahead.len() < MOST_AHEAD {
                self.ahead.push(Reverse(claimed.saturating_add(task.due_in)));
            }
        }
        if due > 0 {
            shared.with_queue(|queue| queue.announce(due));
        }
        self.state = State::Committing(limit(now), count as u64, commit(refused));
    }

    /// Gives up the claimed rows, and returns the time until the next attempt.
    fn fail(&mut self, now: Now) -> Duration {
        let wait = PAUSES.wait(self.failures);
        self.failures = self.failures.saturating_add(1);
        self.flushes = FLUSHES;
        self.state = State::Waiting(now.elapsed.saturating_add(wait), false);
        wait
    }

    /// Gives up if the current step takes too long.
    fn check_time(&mut self, shared: &Shared<P>, now: Now) -> Poll<()> {
        let (limit, tasks) = match &self.state {
            State::Waiting(..) => return Poll::Pending,
            State::Claiming(limit, _) | State::Committing(limit, ..) => (*limit, None),
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
            State::Waiting(..) if shared.with_queue(|queue| queue.is_closed) => return None,
            State::Waiting(due, _) if self.failures > 0 => due,
            State::Waiting(due, _) => due.min(self.next_look),
            State::Claiming(limit, _)
            | State::Committing(limit, ..)
            | State::Pushing(limit, ..) => limit,
        };
        Some(until.saturating_sub(elapsed))
    }
}

/// Returns when a step that begins now must have ended.
const fn limit(now: Now) -> Duration {
    now.elapsed.saturating_add(LONGEST_STEP)
}

impl Push {
    /// Pushes all tasks. If the storage refuses a part, pushes its halves, to find the duplicates and the
    /// tasks that it does not take. Returns an error if it takes none.
    fn poll<P: Clone, B: Storage<P>>(
        &mut self,
        flushes: &mut usize,
        claim: &Claim<P>,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Failure>> {
        while let Some(part) = self.parts.last().cloned() {
            let result = ready!(self.poll_part(part.clone(), flushes, claim, storage, shared, cx));
            self.parts.pop();
            self.sent = 0;
            let Err(error) = result else {
                self.has_succeeded = true;
                continue;
            };
            *flushes = FLUSHES;
            let is_duplicate = (shared.settings.is_duplicate)(&*error);
            if part.len() > 1 {
                let middle = part.start + part.len() / 2;
                self.parts.push(middle..part.end);
                self.parts.push(part.start..middle);
            } else if is_duplicate {
                self.has_succeeded = true;
                self.duplicates += 1;
                shared.with_queue(|queue| queue.stats.duplicates += 1);
            } else {
                let is_last = self.parts.is_empty();
                if !self.has_succeeded && (is_last || !self.refused.is_empty()) {
                    return Poll::Ready(Err(error));
                }
                self.refused.insert(claim.tasks[part.start].row, error.to_string());
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_part<P: Clone, B: Storage<P>>(
        &mut self,
        part: Range<usize>,
        flushes: &mut usize,
        claim: &Claim<P>,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Failure>> {
        ready!(poll_left_over(storage, flushes, cx));
        while self.sent < part.len() {
            let index = part.start + self.sent;
            let task = &claim.tasks[index];
            let (job, scheduled) = (&*task.job, task.scheduled);
            let make = || {
                let run = Run::new(job, scheduled, task.payload.clone());
                build_task(run, key(job, scheduled), task.max_attempts, task.priority)
            };
            if let Some(error) = ready!(poll_send(storage, make, cx))?
                && self.rejected.insert(index)
            {
                shared.reject(job, scheduled, &*error);
            }
            self.sent += 1;
        }
        poll_flush(storage, cx)
    }
}
