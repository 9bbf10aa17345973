//! [`Push`]: pushes the tasks of claimed rows, in smaller and smaller parts if the storage refuses them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter::once;
use std::ops::Range;
use std::task::{Context, Poll, ready};

use super::shared::{Shared, build_task};
use super::sink::{FLUSHES, Failure, poll_flush, poll_left_over, poll_send};
use crate::run::{Run, key};
use crate::storage::Storage;
use crate::stored::claims::{Claim, ClaimedTask};

/// How often the storage may fail before a push is given up, unless it takes some of the tasks.
const MOST_FAILURES: usize = 64;

/// The progress of a push.
#[derive(Default)]
pub(super) struct Push {
    /// Parts of the tasks that are still to be pushed.
    parts: VecDeque<Range<usize>>,
    /// The number of tasks of the current part that the storage has accepted.
    sent: usize,
    pub(super) has_succeeded: bool,
    pub(super) duplicates: usize,
    /// The tasks whose payload cannot be encoded.
    pub(super) rejected: BTreeSet<usize>,
    /// The tasks that the storage refuses although it takes others.
    pub(super) refused: BTreeMap<usize, String>,
    failures: usize,
    /// Whether all tasks are pushed again. A storage that takes none of them has probably refused all, and need not be
    /// down.
    pub(super) is_retry: bool,
}

impl Push {
    pub(super) fn new<P>(tasks: &[ClaimedTask<P>]) -> Self {
        let is_retry = !tasks.is_empty() && tasks.iter().all(|task| task.is_retry);
        Self { parts: once(0..tasks.len()).collect(), is_retry, ..Self::default() }
    }

    /// Pushes all tasks. If the storage refuses a part, pushes its halves later, to find the duplicates and the
    /// tasks that it does not take. Returns an error if it takes none, unless the caller is patient or they are pushed
    /// again.
    pub(super) fn poll<P: Clone, B: Storage<P>>(
        &mut self,
        (flushes, is_patient): (&mut usize, bool),
        claim: &Claim<P>,
        storage: &mut B,
        shared: &Shared<P>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Failure>> {
        while let Some(part) = self.parts.front().cloned() {
            let result = ready!(self.poll_part(part.clone(), flushes, claim, storage, shared, cx));
            self.parts.pop_front();
            self.sent = 0;
            let Err(error) = result else {
                self.has_succeeded = true;
                continue;
            };
            *flushes = FLUSHES;
            if (shared.settings.is_duplicate)(&*error) {
                // The storage works.
                self.has_succeeded = true;
                if part.len() == 1 {
                    self.duplicates += 1;
                    shared.with_queue(|queue| queue.stats.duplicates += 1);
                    continue;
                }
            }
            self.failures += 1;
            if part.len() > 1 {
                let middle = part.start + part.len() / 2;
                self.parts.extend([part.start..middle, middle..part.end]);
            } else {
                self.refused.insert(part.start, error.to_string());
            }
            let is_over = self.parts.is_empty() && !is_patient;
            let is_down = !self.has_succeeded && !self.is_retry;
            if is_down && (is_over || self.failures >= MOST_FAILURES) {
                return Poll::Ready(Err(error));
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
