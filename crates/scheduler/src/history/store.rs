//! [`Store`]: the calls of a history that a job history needs.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Duration;

use millicron_history::{
    CallError, Claim, ClaimError, ClaimOutcome, Claims, RunKey, RunQuery, RunRecord, RunState,
    StartedRun, catch_panic,
};

use super::event::RecordedRun;
use crate::error::HistoryError;

/// Only one process at a time uses an owner's name, so its claims need not expire.
const LEASE: Duration = Duration::MAX;

/// A history of any type. Its errors and panics are [`HistoryError`]s.
pub(super) trait Store: Send {
    /// Returns the instant of the last recorded event of a job.
    fn last_event(&self, job: &str) -> Result<Option<i64>, HistoryError>;

    /// Returns an owner's runs that have started but not ended. `job` is for error messages.
    fn runs_in_progress(&self, job: &str, owner: &str) -> Result<Vec<StartedRun>, HistoryError>;

    /// Records that an attempt starts, given the claim of the previous one. Returns `None` if the run
    /// has ended, or another process runs or has settled it.
    fn claim_attempt(
        &mut self,
        run: &RunKey,
        previous: Option<&Claim>,
        owner: &str,
    ) -> Result<Option<Claim>, HistoryError>;

    /// Undoes the recorded start of a run.
    fn undo_start(&mut self, claim: &Claim) -> Result<(), HistoryError>;

    /// Records how a run ended. Does nothing if its claim is lost: another process has settled the run.
    fn record_end(
        &mut self,
        run: &RunKey,
        claim: Option<&Claim>,
        record: RunRecord,
    ) -> Result<(), HistoryError>;

    /// Moves the record of a skipped run to an earlier instant.
    fn move_skipped(&mut self, run: &RunKey, to: i64) -> Result<(), HistoryError>;

    /// Removes the records of a job except the last `most`, and those of events before an instant.
    fn remove_old_runs(
        &mut self,
        job: &str,
        most: Option<u64>,
        before: Option<i64>,
    ) -> Result<(), HistoryError>;

    /// Returns up to `most` recorded runs of a job, latest first.
    fn last_runs(&self, job: &str, most: u64) -> Result<Vec<RecordedRun>, HistoryError>;
}

/// Calls a history. A panic counts as a failure.
fn attempt<T, E: Error + Send + Sync + 'static>(
    what: &str,
    job: &str,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, HistoryError> {
    let what = || format!("cannot {what} job `{job}`");
    match catch_panic(call) {
        Ok(result) => result.map_err(|error| HistoryError::new(what(), error)),
        Err(panic) => Err(HistoryError::new(what(), CallError::Panicked(panic))),
    }
}

/// Separates a lost claim, which becomes `None`, from a failure.
fn unless_lost<T, E>(result: Result<T, ClaimError<E>>) -> Result<Option<T>, E> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ClaimError::Lost) => Ok(None),
        Err(ClaimError::History(error)) => Err(error),
    }
}

impl<H: Claims + Send> Store for H {
    fn last_event(&self, job: &str) -> Result<Option<i64>, HistoryError> {
        let last = attempt("read the last run of", job, || self.last_run(job))?;
        Ok(last.map(|(scheduled, _)| scheduled))
    }

    fn runs_in_progress(&self, job: &str, owner: &str) -> Result<Vec<StartedRun>, HistoryError> {
        let mut runs = attempt("read the runs in progress of", job, || self.started_runs())?;
        runs.retain(|run| *run.owner == *owner);
        Ok(runs)
    }

    fn claim_attempt(
        &mut self,
        RunKey { job, scheduled }: &RunKey,
        previous: Option<&Claim>,
        owner: &str,
    ) -> Result<Option<Claim>, HistoryError> {
        attempt("record the start of", job, || match previous {
            Some(claim) => unless_lost(self.take_over(claim, owner, LEASE)),
            None => Ok(match self.claim(job, *scheduled, owner, LEASE)? {
                ClaimOutcome::Granted(claim) => Some(claim),
                ClaimOutcome::Held { .. } | ClaimOutcome::Ended(_) => None,
            }),
        })
    }

    fn undo_start(&mut self, claim: &Claim) -> Result<(), HistoryError> {
        let release = || unless_lost(self.release(claim));
        attempt("take back the start of", &claim.job, release).map(drop)
    }

    fn record_end(
        &mut self,
        RunKey { job, scheduled }: &RunKey,
        claim: Option<&Claim>,
        record: RunRecord,
    ) -> Result<(), HistoryError> {
        // A skipped run is the first record of a new job.
        let what = if record.state == RunState::Skipped { "record" } else { "record the end of" };
        attempt(what, job, || match claim {
            Some(claim) => unless_lost(self.record_claimed_run(claim, record)).map(drop),
            None => self.record_run(job, *scheduled, record),
        })
    }

    fn move_skipped(
        &mut self,
        RunKey { job, scheduled }: &RunKey,
        to: i64,
    ) -> Result<(), HistoryError> {
        attempt("move the first record of", job, || {
            self.record_state(job, to, RunState::Skipped)?;
            self.forget(job, *scheduled..=*scheduled)
        })
    }

    fn remove_old_runs(
        &mut self,
        job: &str,
        most: Option<u64>,
        before: Option<i64>,
    ) -> Result<(), HistoryError> {
        attempt("remove old runs of", job, || {
            if let Some(most) = most {
                self.keep_last(&[(job, most)])?;
            }
            before.map_or(Ok(()), |before| self.drop_before(&[(job, before)]))
        })
    }

    fn last_runs(&self, job: &str, most: u64) -> Result<Vec<RecordedRun>, HistoryError> {
        // One more than requested, since the first record of a new job is not a run. Rarely, more
        // records are skipped.
        let limit = most.saturating_add(1);
        let (mut runs, mut seen) = (Vec::new(), 0);
        loop {
            let query = RunQuery::new(job, ..).newest_first().skip(seen).limit(limit);
            let before = seen;
            let mut visit = |_, scheduled, record| {
                seen += 1;
                let run = RecordedRun::new(scheduled, record);
                runs.extend(run.filter(|run| run.state != RunState::Skipped));
                ControlFlow::Continue(())
            };
            attempt("read the runs of", job, || self.read(&[query], &mut visit))?;
            if seen - before < limit || runs.len() as u64 >= most {
                break;
            }
        }
        runs.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(runs)
    }
}
