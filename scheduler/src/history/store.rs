//! What the recorder reads and writes: starts, ends, and runs that were cut off.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, RunQuery, RunRecord, RunState, StartedRun,
};

use super::event::{
    CutOff, CutOffRun, HistoryError, HistoryEvent, HistoryFailure, RecordedRun, time,
};
use super::message::{AddRequest, Known, ReadRequest, RunKey, StartAnswer, StartRequest};
use super::recorder::{ActiveRun, Recorder, UnrecordedEnd};
use crate::outcome::Outcome;

/// The process that owns a claim is the only one of its name, so its claims need not expire.
const LEASE: Duration = Duration::MAX;

/// Returns how an outcome is recorded.
pub(super) const fn state(outcome: &Outcome) -> RunState {
    if outcome.is_success() { RunState::Succeeded } else { RunState::Failed }
}

fn cannot<E: std::error::Error + Send + Sync + 'static>(
    what: &str,
    job: &str,
) -> impl FnOnce(E) -> HistoryError {
    let what = format!("cannot {what} job `{job}`");
    move |error| HistoryError::new(what, error)
}

impl<H: Claims> Recorder<H> {
    /// Returns what is known of a job that is added, and settles its runs that were cut off.
    pub(super) fn add(&mut self, request: &AddRequest) -> Result<Known, HistoryError> {
        match self.read_known(request) {
            Ok(known) => {
                self.recovered();
                Ok(known)
            }
            Err(error) => {
                self.failed(error.clone());
                match self.settings.failure {
                    HistoryFailure::Hold => Err(error),
                    HistoryFailure::Run => Ok(Known::default()),
                }
            }
        }
    }

    fn read_known(&mut self, request: &AddRequest) -> Result<Known, HistoryError> {
        let AddRequest { name, since, .. } = request;
        self.read_cut_off(name)?;
        let last = self.history.last_run(name).map_err(cannot("read the last run of", name))?;
        let all = self.cut_off.iter().flatten();
        let of_job = all.filter(|(job, _)| ***job == **name).flat_map(|(_, runs)| runs);
        let cut_off = of_job.map(|run| run.claim.scheduled).max();
        let active = self.active.keys().rev().find(|run| run.job == *name);
        let active = active.map(|run| run.scheduled);
        let known = last.map(|(scheduled, _)| scheduled).max(cut_off).max(active);
        if known.is_none() {
            // Events from now on are missed if the process ends before the first of them.
            let first = since.unwrap_or_else(|| self.now().saturating_sub(1));
            let recorded = self.history.record_state(name, first, RunState::Skipped);
            recorded.map_err(cannot("record", name))?;
        }
        let since = known.max(*since);
        let restarts = self.settle(request)?;
        Ok(Known { since, restarts })
    }

    /// Reads which runs had started and not ended when this process was started.
    fn read_cut_off(&mut self, name: &str) -> Result<(), HistoryError> {
        if self.cut_off.is_some() {
            return Ok(());
        }
        let read = self.history.started_runs();
        let mut runs = BTreeMap::<_, Vec<_>>::new();
        for run in read.map_err(cannot("read the runs in progress of", name))? {
            if *run.owner == *self.settings.owner {
                runs.entry(run.claim.job.clone()).or_default().push(run);
            }
        }
        self.cut_off = Some(runs);
        Ok(())
    }

    /// Reports the runs of a job that were cut off, and records those as failed that do not start
    /// again. Returns the others.
    fn settle(&mut self, request: &AddRequest) -> Result<Vec<StartedRun>, HistoryError> {
        let name = &*request.name;
        let mut restarts = Vec::new();
        while let Some(run) = self.next_cut_off(name) {
            let restart =
                matches!(request.cut_off, CutOff::Restart { most } if run.attempts < most);
            self.report_cut_off(request, &run, restart);
            if restart {
                let key = RunKey { job: Arc::clone(&request.name), scheduled: run.claim.scheduled };
                self.restarts.insert(key.clone());
                let active = ActiveRun {
                    serial: request.serial,
                    claim: Some(run.claim.clone()),
                    started: run.started,
                    attempts: run.attempts,
                    is_waiting: false,
                };
                self.active.insert(key, active);
                restarts.push(run);
                continue;
            }
            let record = RunRecord {
                started: run.started,
                ended: Some(self.now()),
                attempts: Some(run.attempts),
                ..RunState::Failed.into()
            };
            let key = RunKey { job: Arc::clone(&request.name), scheduled: run.claim.scheduled };
            if let Err(error) = self.record(&key, Some(&run.claim), record) {
                restarts.push(run);
                self.give_back(name, restarts);
                return Err(error);
            }
        }
        Ok(restarts)
    }

    /// Takes the earliest run of a job that was cut off.
    fn next_cut_off(&mut self, name: &str) -> Option<StartedRun> {
        let runs = self.cut_off.as_mut()?.get_mut(name)?;
        let earliest = runs.iter().enumerate().min_by_key(|(_, run)| run.claim.scheduled)?.0;
        Some(runs.swap_remove(earliest))
    }

    fn report_cut_off(&self, request: &AddRequest, run: &StartedRun, restarts: bool) {
        let Some(scheduled) = time(run.claim.scheduled) else { return };
        let job = Arc::clone(&request.name);
        let (started, attempts) = (run.started.and_then(time), run.attempts);
        let run = CutOffRun { job, scheduled, started, attempts, restarts };
        self.report(&HistoryEvent::CutOff { run });
    }

    /// Takes back runs that a job should have started again.
    pub(super) fn give_back(&mut self, name: &str, runs: Vec<StartedRun>) {
        for run in &runs {
            let key = RunKey { job: name.into(), scheduled: run.claim.scheduled };
            self.active.remove(&key);
            self.restarts.remove(&key);
        }
        let cut_off = self.cut_off.get_or_insert_default();
        cut_off.entry(name.into()).or_default().extend(runs);
    }

    /// Decides whether an attempt may start.
    pub(super) fn start(&mut self, request: &StartRequest) -> StartAnswer {
        let StartRequest { key, is_exclusive, .. } = request;
        let of_job = RunKey { job: Arc::clone(&key.job), scheduled: i64::MIN }..key.clone();
        if *is_exclusive && self.restarts.range(of_job).next().is_some() {
            return StartAnswer::Wait;
        }
        if *is_exclusive {
            self.give_up_retries(|run, other| run.job == key.job && run != key && other.is_waiting);
        }
        if !self.is_paused() {
            match self.claim(request) {
                Ok(answer) => {
                    self.recovered();
                    return answer;
                }
                Err(error) => self.failed(error),
            }
        }
        if self.settings.failure == HistoryFailure::Hold {
            return StartAnswer::Wait;
        }
        self.start_without_claim(request);
        StartAnswer::Start
    }

    fn start_without_claim(&mut self, request: &StartRequest) {
        let now = self.now();
        let run = self.active.entry(request.key.clone()).or_insert(ActiveRun {
            serial: request.serial,
            claim: None,
            started: Some(now),
            attempts: 0,
            is_waiting: false,
        });
        (run.attempts, run.is_waiting) = (request.attempt, false);
    }

    fn claim(&mut self, request: &StartRequest) -> Result<StartAnswer, HistoryError> {
        let StartRequest { key, serial, is_restart, attempt, .. } = request;
        let RunKey { job, scheduled } = key;
        let owner = &*self.settings.owner;
        let known = self.active.get_mut(key).filter(|_| *attempt > 1 || *is_restart);
        if let Some(run) = known {
            if let Some(claim) = &run.claim {
                match self.history.take_over(claim, owner, LEASE) {
                    Ok(claim) => run.claim = Some(claim),
                    Err(ClaimError::Lost) => return Ok(StartAnswer::Refuse),
                    Err(ClaimError::History(error)) => {
                        return Err(cannot("record the start of", job)(error));
                    }
                }
            }
            (run.serial, run.is_waiting) = (*serial, false);
            run.attempts = run.attempts.saturating_add(1);
            return Ok(StartAnswer::Start);
        }
        let claimed = self.history.claim(job, *scheduled, owner, LEASE);
        Ok(match claimed.map_err(cannot("record the start of", job))? {
            ClaimOutcome::Granted(claim) => {
                let run = ActiveRun {
                    serial: *serial,
                    claim: Some(claim),
                    started: Some(self.now()),
                    attempts: *attempt,
                    is_waiting: false,
                };
                self.active.insert(key.clone(), run);
                StartAnswer::Start
            }
            ClaimOutcome::Held { .. } | ClaimOutcome::Ended(_) => StartAnswer::Refuse,
        })
    }

    /// Records how a run ended. A run whose claim is lost was settled by another process.
    pub(super) fn record(
        &mut self,
        key: &RunKey,
        claim: Option<&Claim>,
        record: RunRecord,
    ) -> Result<(), HistoryError> {
        let RunKey { job, scheduled } = key;
        let recorded = match claim {
            Some(claim) => match self.history.record_claimed_run(claim, record) {
                Ok(()) | Err(ClaimError::Lost) => Ok(()),
                Err(ClaimError::History(error)) => Err(error),
            },
            None => self.history.record_run(job, *scheduled, record),
        };
        recorded.map_err(cannot("record the end of", job))
    }

    /// Handles the end of a job. Its runs that wait for their next attempt will not have it, unless a
    /// later process goes on with them.
    pub(super) fn removed(&mut self, name: &Arc<str>, serial: u64, restart: Option<i64>) {
        if self.scheduler.is_closed() {
            return;
        }
        match restart {
            // A gate may have refused it, for example.
            Some(scheduled) => {
                let key = RunKey { job: Arc::clone(name), scheduled };
                if let Some(run) = self.active.remove(&key) {
                    self.give_up(key, run);
                }
            }
            None => self.give_up_retries(|run, other| run.job == *name && other.serial == serial),
        }
    }

    /// Records runs as failed that wait for their next attempt, and will not have it.
    fn give_up_retries(&mut self, is_over: impl Fn(&RunKey, &ActiveRun) -> bool) {
        let over = |run: &RunKey, active: &mut ActiveRun| active.is_waiting && is_over(run, active);
        let over: Vec<_> = self.active.extract_if(.., over).collect();
        for (key, run) in over {
            self.give_up(key, run);
        }
    }

    fn give_up(&mut self, key: RunKey, run: ActiveRun) {
        let ActiveRun { claim, started, attempts, .. } = run;
        let (ended, attempts) = (Some(self.now()), Some(attempts));
        let record = RunRecord { state: RunState::Failed, started, ended, attempts };
        match self.record(&key, claim.as_ref(), record) {
            Ok(()) => self.finished(&key, None),
            Err(error) => {
                self.failed(error);
                let end = UnrecordedEnd { key, claim, record, completion: None };
                self.unrecorded.push_back(end);
            }
        }
    }

    /// Removes old runs of a job, now and then.
    pub(super) fn prune_after_end(&mut self, job: &Arc<str>, last: i64) {
        let ends = self.ends.entry(Arc::clone(job)).or_insert(0);
        *ends += 1;
        // Often enough that a tenth more than asked for is kept, at most.
        let most = self.settings.keep_last.unwrap_or(u64::MAX);
        if *ends < (most / 10).clamp(1, 100) {
            return;
        }
        *ends = 0;
        let pruned = (|| {
            if let Some(most) = self.settings.keep_last {
                self.history.keep_last(&[(job, most)])?;
            }
            if let Some(age) = self.settings.keep_for {
                let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
                // The last run stays, whatever its age.
                let before = self.now().saturating_sub(age).min(last);
                self.history.drop_before(&[(job, before)])?;
            }
            Ok(())
        })();
        if let Err(error) = pruned.map_err(cannot::<H::Error>("remove old runs of", job)) {
            self.failed(error);
        }
    }

    pub(super) fn read(&self, request: &ReadRequest) -> Result<Vec<RecordedRun>, HistoryError> {
        let ReadRequest { name, most, .. } = request;
        let query = RunQuery::new(name, ..).newest_first();
        let mut runs = Vec::new();
        let read = self.history.read(&[query], &mut |_, scheduled, record| {
            // What a new job begins with is no run.
            let run = RecordedRun::new(scheduled, record);
            runs.extend(run.filter(|run| run.state != RunState::Skipped));
            if (runs.len() as u64) < *most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        read.map_err(cannot("read the runs of", name))?;
        runs.truncate(usize::try_from(*most).unwrap_or(usize::MAX));
        Ok(runs)
    }
}
