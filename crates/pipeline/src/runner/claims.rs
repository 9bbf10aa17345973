//! Claims runs in a history that several runners share.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io;
use std::sync::{Arc, MutexGuard, Weak};
use std::time::{Duration, Instant};

use millicron_history::{HeldClaims, HistoryThread, catch_panic};
use millicron_scheduler::{Completion, JobHandle, Outcome};

use super::leases::Leases;
use super::runs::{RunKey, Stage};
use super::state::{Inner, State, call, cancel_all};
use crate::{ClaimOutcome, Claims, PipelineRun};

/// Why a run cannot be started.
pub(super) enum NotClaimed {
    /// Another runner has claimed it.
    Held,
    /// The run has ended.
    Ended,
    /// The history failed, with this message.
    Failed(String),
}

impl<H: Claims + Send + 'static> State<H> {
    /// Claims an active run, if runs are claimed and this runner does not hold a valid claim already.
    pub(super) fn claim(&self, inner: &mut Inner<H>, run: RunKey) -> Result<(), NotClaimed> {
        let Inner { history, runs, .. } = inner;
        let Some(claims) = &mut runs.claims else { return Ok(()) };
        if call(|| claims.keep(history, &run)).map_err(NotClaimed::Failed)? {
            return Ok(());
        }
        let PipelineRun { scheduled, job } = self.run(run);
        match call(|| claims.claim(history, job, scheduled, run, ())) {
            Ok(ClaimOutcome::Granted(_)) => Ok(()),
            Ok(ClaimOutcome::Held { .. }) => Err(NotClaimed::Held),
            Ok(ClaimOutcome::Ended(_)) => Err(NotClaimed::Ended),
            Err(message) => Err(NotClaimed::Failed(message)),
        }
    }

    /// Claims an active run for an attempt, which is completed if the run cannot be started.
    pub(super) fn claim_or_complete(
        self: &Arc<Self>,
        mut inner: MutexGuard<'_, Inner<H>>,
        run: RunKey,
        completion: Completion,
    ) -> Option<Completion> {
        match self.claim(&mut inner, run) {
            Ok(()) => {
                inner.runs.set_stage(run, Stage::InProgress);
                return Some(completion);
            }
            Err(NotClaimed::Failed(error)) => {
                drop(inner);
                self.refuse(run, format!("cannot claim the run: {error}"), completion);
            }
            Err(external) => {
                self.leave(inner, run, &external);
                completion.finish(Outcome::Succeeded);
            }
        }
        None
    }

    /// Leaves an active run to another runner, unless it has ended.
    pub(super) fn leave(
        self: &Arc<Self>,
        mut inner: MutexGuard<'_, Inner<H>>,
        run: RunKey,
        external: &NotClaimed,
    ) {
        if matches!(external, NotClaimed::Ended) {
            inner.runs.finish(run);
            let pending = self.recheck(&mut inner, run);
            drop(inner);
            self.call_scheduler(pending);
        } else {
            inner.runs.hold(run);
        }
    }

    /// Claims a run that another runner had claimed if that claim has expired. Returns whether the
    /// run can be started.
    pub(super) fn take_over(&self, inner: &mut Inner<H>, run: RunKey) -> bool {
        // The wait of a held run has no limit.
        drop(inner.runs.activate(run));
        let claimed = self.claim(inner, run);
        match claimed {
            Ok(()) => {}
            Err(NotClaimed::Ended) => inner.runs.finish(run),
            Err(NotClaimed::Held | NotClaimed::Failed(_)) => inner.runs.hold(run),
        }
        claimed.is_ok()
    }

    /// Releases the claims of the runs that wait for a worker or for their next attempt. A run that is
    /// starting after all is claimed again.
    pub(super) fn release_idle(inner: &mut Inner<H>) {
        for claim in inner.runs.take_idle_claims() {
            // If this fails, the lease expires.
            drop(catch_panic(|| inner.history.release(&claim)));
        }
    }

    /// Renews all claims. Returns the jobs to cancel: those of runs whose claims are lost.
    pub(super) fn renew_claims(inner: &mut Inner<H>) -> Vec<JobHandle> {
        let Inner { history, runs, .. } = inner;
        let mut lost = Vec::new();
        if let Some(claims) = &mut runs.claims {
            // A history that fails may recover before the lease expires.
            drop(catch_panic(|| claims.renew(history, |run, _| lost.push(run))));
        }
        lost.into_iter().filter_map(|run| runs.lose_claim(run)).collect()
    }

    /// Renews all claims if it is time to. Returns the jobs to cancel.
    pub(super) fn renew_due_claims(inner: &mut Inner<H>) -> Vec<JobHandle> {
        let renew_at = inner.runs.claims.as_ref().and_then(HeldClaims::renew_at);
        let is_due = renew_at.is_some_and(|at| at <= Instant::now());
        if is_due { Self::renew_claims(inner) } else { Vec::new() }
    }

    /// Starts the thread that renews claims and looks for the ends of other runners' runs, and the
    /// thread that cancels runs whose claims may have expired. They end when the state is dropped.
    ///
    /// They are not jobs on the scheduler, because all workers may be busy for longer than a lease.
    pub(super) fn keep_claims(self: &Arc<Self>) -> io::Result<()> {
        let inner = self.lock();
        let leases = Arc::clone(&inner.runs.leases);
        let lease = inner.runs.claims.as_ref().map(HeldClaims::lease);
        drop(inner);
        let Some(lease) = lease else { return Ok(()) };
        let interval = (lease / 3).max(Duration::from_millis(1));
        let mut next_refresh = Instant::now().checked_add(interval);
        let refresh = move |state: &mut Weak<Self>| {
            let state = state.upgrade()?;
            if next_refresh? <= Instant::now() {
                state.refresh();
                next_refresh = Instant::now().checked_add(interval);
            }
            let refresh_at = next_refresh?;
            // A refresh may have taken a part of the time until the next renewal.
            let mut inner = state.lock();
            let lost = Self::renew_due_claims(&mut inner);
            let renew_at = inner.runs.claims.as_ref().and_then(HeldClaims::renew_at);
            drop(inner);
            cancel_all(lost);
            Some(renew_at.map_or(refresh_at, |at| at.min(refresh_at)))
        };
        let state = Box::new(Arc::downgrade(self));
        let renewals = HistoryThread::start("claims of a pipeline", state, refresh)?;
        let watch = move |leases: &mut Arc<Leases<RunKey>>| {
            // Claims that are granted meanwhile are valid for longer than the interval.
            let wait = leases.stop_expired().map_or(interval, |valid_for| valid_for.min(interval));
            Instant::now().checked_add(wait.max(Duration::from_millis(1)))
        };
        let watch = HistoryThread::start("leases of a pipeline", Box::new(leases), watch)?;
        let is_first = self.renewals.set(renewals).is_ok() && self.watch.set(watch).is_ok();
        debug_assert!(is_first, "a pipeline starts once");
        Ok(())
    }
}
