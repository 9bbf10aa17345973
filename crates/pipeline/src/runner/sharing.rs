//! [`Sharing`]: claims runs in a history that several runners share.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use millicron_scheduler::JobHandle;

use super::runs::RunKey;
use super::state::{Inner, PendingCalls, State, catch_panic};
use crate::{Claim, ClaimError, ClaimOutcome, Claims, History, Run, RunState, error_message};

/// How a runner claims runs.
pub(super) struct Sharing<H> {
    owner: Box<str>,
    lease: Duration,
    methods: Methods<H>,
}

/// The methods of [`Claims`], which not every history implements.
struct Methods<H> {
    claim: fn(&mut H, Run<'_>, &str, Duration) -> Result<ClaimOutcome, String>,
    renew: fn(&mut H, &Claim, Duration) -> ClaimResult,
    record: fn(&mut H, &Claim, RunState) -> ClaimResult,
    release: fn(&mut H, &Claim) -> ClaimResult,
}

/// The result of an operation on a claim.
pub(super) struct ClaimResult(Result<(), ClaimError<String>>);

/// Whether a run can be started.
pub(super) enum ClaimStep {
    /// The runner has claimed it, or runs are not claimed.
    Granted,
    /// Another runner has claimed it.
    Held,
    /// The run has ended.
    Ended,
    /// The history failed, with this message.
    Failed(String),
}

impl ClaimResult {
    fn new<E: std::error::Error + 'static>(result: Result<(), ClaimError<E>>) -> Self {
        Self(result.map_err(|error| match error {
            ClaimError::Lost => ClaimError::Lost,
            ClaimError::History(error) => ClaimError::History(error_message(&error)),
        }))
    }

    pub(super) const fn is_lost(&self) -> bool {
        matches!(self.0, Err(ClaimError::Lost))
    }

    pub(super) fn into_result(self) -> Result<(), String> {
        self.0.map_err(|error| match error {
            ClaimError::Lost => "the claim is lost".to_string(),
            ClaimError::History(message) => message,
        })
    }
}

impl<H: Claims> Sharing<H> {
    pub(super) fn new(owner: &str, lease: Duration) -> Self {
        let methods = Methods {
            claim: |history: &mut H, run, owner, lease| {
                let outcome = history.claim(run.job, run.scheduled, owner, lease);
                outcome.map_err(|error| error_message(&error))
            },
            renew: |history, claim, lease| ClaimResult::new(history.renew(claim, lease)),
            record: |history, claim, state| ClaimResult::new(history.record_claimed(claim, state)),
            release: |history, claim| ClaimResult::new(history.release(claim)),
        };
        Self { owner: owner.into(), lease, methods }
    }
}

impl<H> Sharing<H> {
    pub(super) fn record(&self, history: &mut H, claim: &Claim, state: RunState) -> ClaimResult {
        (self.methods.record)(history, claim, state)
    }

    pub(super) fn release(&self, history: &mut H, claim: &Claim) -> ClaimResult {
        (self.methods.release)(history, claim)
    }
}

impl<H: History + Send + 'static> State<H> {
    /// Claims an active run, if runs are claimed and this runner has not claimed it already.
    pub(super) fn claim(&self, inner: &mut Inner<H>, run: RunKey) -> ClaimStep {
        inner.runs.set_retrying(run, false);
        let Some(sharing) = &self.settings.sharing else { return ClaimStep::Granted };
        if inner.runs.claim(run).is_some() {
            return ClaimStep::Granted;
        }
        let Sharing { owner, lease, methods } = sharing;
        let claim = || (methods.claim)(&mut inner.history, self.run(run), owner, *lease);
        match catch_panic(claim) {
            Ok(Ok(ClaimOutcome::Granted(claim))) => {
                inner.runs.set_claim(run, Some(claim));
                ClaimStep::Granted
            }
            Ok(Ok(ClaimOutcome::Held { .. })) => ClaimStep::Held,
            Ok(Ok(ClaimOutcome::Ended(_))) => ClaimStep::Ended,
            Ok(Err(message)) | Err(message) => ClaimStep::Failed(message),
        }
    }

    /// Leaves an active run to another runner, unless it has ended.
    pub(super) fn leave(
        &self,
        inner: &mut Inner<H>,
        run: RunKey,
        elsewhere: &ClaimStep,
    ) -> PendingCalls {
        if matches!(elsewhere, ClaimStep::Ended) {
            inner.runs.finish(run);
            return self.recheck(inner, run);
        }
        inner.runs.hold(run);
        PendingCalls::default()
    }

    /// Claims a run that another runner had claimed if that claim has expired. Returns whether the
    /// run can be started.
    pub(super) fn take_over(&self, inner: &mut Inner<H>, run: RunKey) -> bool {
        // The wait of a held run has no limit.
        drop(inner.runs.activate(run));
        match self.claim(inner, run) {
            ClaimStep::Granted => true,
            ClaimStep::Ended => {
                inner.runs.finish(run);
                false
            }
            ClaimStep::Held | ClaimStep::Failed(_) => {
                inner.runs.hold(run);
                false
            }
        }
    }

    /// Releases the claims of the runs that wait for their next attempt. A run that is starting
    /// after all is claimed again.
    pub(super) fn release_retries(&self, inner: &mut Inner<H>) {
        let Some(sharing) = &self.settings.sharing else { return };
        let Inner { history, runs, .. } = inner;
        for claim in runs.take_claims_of_retries() {
            // If this fails, the lease expires.
            drop(catch_panic(|| sharing.release(history, &claim)));
        }
    }

    /// Renews all claims. Returns the jobs of the runs whose claims are lost.
    pub(super) fn renew_claims(&self, inner: &mut Inner<H>) -> Vec<JobHandle> {
        let Some(sharing) = &self.settings.sharing else { return Vec::new() };
        let Inner { history, runs, .. } = inner;
        let mut lost = Vec::new();
        for (run, claim) in runs.claims() {
            let renew = || (sharing.methods.renew)(history, &claim, sharing.lease);
            // A history that fails may recover before the lease expires.
            if catch_panic(renew).is_ok_and(|renewed| renewed.is_lost()) {
                runs.set_claim(run, None);
                lost.extend(runs.handle(run));
            }
        }
        lost
    }

    /// Starts the thread that renews claims and looks for the ends of other runners' runs. It ends
    /// when the sender, which the state owns, is dropped.
    ///
    /// It is not a job on the scheduler, because all workers may be busy for longer than a lease.
    pub(super) fn keep_claims(self: &Arc<Self>, stop: Receiver<()>) -> io::Result<()> {
        let Some(Sharing { lease, .. }) = &self.settings.sharing else { return Ok(()) };
        let interval = (*lease / 3).max(Duration::from_millis(1));
        let state = Arc::downgrade(self);
        let renew = move || {
            while stop.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let Some(state) = state.upgrade() else { return };
                state.refresh();
            }
        };
        thread::Builder::new().name("claims of a pipeline".to_string()).spawn(renew).map(drop)
    }
}
