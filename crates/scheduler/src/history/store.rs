//! The recorder's reads and writes: starts, ends, and runs that were cut off.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, RunQuery, RunRecord, RunState, StartedRun,
};

use super::event::{
    CutOff, CutOffRun, HistoryError, HistoryEvent, HistoryFailure, RecordedRun, time,
};
use super::message::{AddRequest, HeldRun, Known, ReadRequest, RunKey, StartAnswer, StartRequest};
use super::recorder::{OpenRun, Recorder, UnrecordedEnd};
use crate::panics::catch_panic;
use crate::run::outcome::Outcome;

/// Only one process at a time uses an owner's name, so its claims need not expire.
const LEASE: Duration = Duration::MAX;

/// Converts an outcome to the state to record.
pub(super) const fn state(outcome: &Outcome) -> RunState {
    if outcome.is_success() { RunState::Succeeded } else { RunState::Failed }
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
        Err(message) => Err(HistoryError::new(what(), io::Error::other(panicked(&message)))),
    }
}

fn panicked(message: &str) -> String {
    format!("the history has panicked: {message}")
}

/// Separates a lost claim, which becomes `None`, from a failure.
fn unless_lost<T, E>(result: Result<T, ClaimError<E>>) -> Result<Option<T>, E> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ClaimError::Lost) => Ok(None),
        Err(ClaimError::History(error)) => Err(error),
    }
}

impl<H: Claims> Recorder<H> {
    /// Returns what is known about a job to be added, and settles its runs that were cut off.
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
        let last = attempt("read the last run of", name, || self.history.last_run(name))?;
        let all = self.cut_off.iter().flatten();
        let of_job = all.filter(|(job, _)| ***job == **name).flat_map(|(_, runs)| runs);
        let cut_off = of_job.map(|run| run.claim.scheduled).max();
        let active = self.active.keys().rev().find(|run| run.job == *name);
        let active = active.map(|run| run.scheduled);
        let known = last.map(|(scheduled, _)| scheduled).max(cut_off).max(active);
        if known.is_none() {
            // Recorded so that events from now on count as missed if the process ends before the
            // first.
            let first = since.unwrap_or_else(|| self.now().saturating_sub(1));
            attempt("record", name, || self.history.record_state(name, first, RunState::Skipped))?;
        }
        if let Some(last) = known.filter(|last| *last > self.now()).and_then(time) {
            self.report(&HistoryEvent::Ahead { job: Arc::clone(name), last });
        }
        let since = known.max(*since);
        let restarts = self.settle(request)?;
        Ok(Known { since, restarts })
    }

    /// Reads the runs that had started but not ended when this process started.
    fn read_cut_off(&mut self, name: &str) -> Result<(), HistoryError> {
        if self.cut_off.is_some() {
            return Ok(());
        }
        let mut runs = BTreeMap::<_, Vec<_>>::new();
        for run in self.started_runs(name)? {
            runs.entry(run.claim.job.clone()).or_default().push(run);
        }
        self.cut_off = Some(runs);
        Ok(())
    }

    /// Reads this owner's runs that have started but not ended. `name` is for error messages.
    fn started_runs(&self, name: &str) -> Result<Vec<StartedRun>, HistoryError> {
        let read = || self.history.started_runs();
        let mut runs = attempt("read the runs in progress of", name, read)?;
        runs.retain(|run| *run.owner == *self.settings.owner);
        Ok(runs)
    }

    /// Settles a job's runs that were cut off: records the runs that are not restarted as failed, and
    /// reports them. Returns the others, which are reported when they are restarted.
    fn settle(&mut self, request: &AddRequest) -> Result<Vec<StartedRun>, HistoryError> {
        let name = &*request.name;
        let mut restarts = Vec::new();
        while let Some(run) = self.next_cut_off(name) {
            let restart =
                matches!(request.cut_off, CutOff::Restart { most } if run.attempts < most);
            if restart {
                let key = RunKey { job: Arc::clone(&request.name), scheduled: run.claim.scheduled };
                self.restarts.insert(key.clone());
                let active = OpenRun {
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
            self.report_cut_off(&request.name, &run, false);
        }
        Ok(restarts)
    }

    /// Takes the earliest run of a job among its runs that were cut off.
    fn next_cut_off(&mut self, name: &str) -> Option<StartedRun> {
        let runs = self.cut_off.as_mut()?.get_mut(name)?;
        let earliest = runs.iter().enumerate().min_by_key(|(_, run)| run.claim.scheduled)?.0;
        Some(runs.swap_remove(earliest))
    }

    pub(super) fn report_cut_off(&self, job: &Arc<str>, run: &StartedRun, restarts: bool) {
        let Some(scheduled) = time(run.claim.scheduled) else { return };
        let job = Arc::clone(job);
        let (started, attempts) = (run.started.and_then(time), run.attempts);
        let run = CutOffRun { job, scheduled, started, attempts, restarts };
        self.report(&HistoryEvent::CutOff { run });
    }

    /// Takes back runs that a job should have restarted.
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
        let StartRequest { key, is_exclusive, ends_retries, .. } = request;
        let of_job = RunKey { job: Arc::clone(&key.job), scheduled: i64::MIN }..key.clone();
        if *is_exclusive && self.restarts.range(of_job).next().is_some() {
            return StartAnswer::Wait;
        }
        let state = self.jobs.entry(Arc::clone(&key.job)).or_default();
        state.latest = state.latest.max(Some(key.scheduled));
        if *ends_retries {
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
        let run = self.active.entry(request.key.clone()).or_insert(OpenRun {
            serial: request.serial,
            claim: None,
            started: Some(now),
            attempts: 0,
            is_waiting: false,
        });
        (run.attempts, run.is_waiting) = (request.attempt, false);
        if self.unanswered.remove(&request.key) {
            // The claim may have been replaced by one whose token is not known.
            run.claim = None;
        }
    }

    fn claim(&mut self, request: &StartRequest) -> Result<StartAnswer, HistoryError> {
        let StartRequest { key, serial, is_restart, attempt, .. } = request;
        let known = self.active.get(key).filter(|_| *attempt > 1 || *is_restart);
        let granted = match known {
            // The history failed when the run started.
            Some(OpenRun { claim: None, .. }) => None,
            Some(OpenRun { claim: Some(claim), .. }) => {
                let claim = claim.clone();
                let Some(claim) = self.take_over(key, &claim)? else {
                    self.active.remove(key);
                    self.restarts.remove(key);
                    return Ok(StartAnswer::Refuse);
                };
                Some(claim)
            }
            None => {
                let Some(claim) = self.claim_new(key)? else { return Ok(StartAnswer::Refuse) };
                Some(claim)
            }
        };
        let now = self.now();
        let run = self.active.entry(key.clone()).or_insert(OpenRun {
            serial: *serial,
            claim: None,
            started: Some(now),
            attempts: attempt.saturating_sub(1),
            is_waiting: false,
        });
        (run.serial, run.claim, run.is_waiting) = (*serial, granted, false);
        run.attempts = run.attempts.saturating_add(1);
        Ok(StartAnswer::Start)
    }

    /// Claims a run that has not started. Returns `None` if the run has ended, or belongs to
    /// another process.
    fn claim_new(&mut self, key: &RunKey) -> Result<Option<Claim>, HistoryError> {
        let RunKey { job, scheduled } = key;
        let (owner, history) = (&*self.settings.owner, &mut self.history);
        let claim = || history.claim(job, *scheduled, owner, LEASE);
        match attempt("record the start of", job, claim) {
            Ok(ClaimOutcome::Granted(claim)) => {
                self.unanswered.remove(key);
                Ok(Some(claim))
            }
            Ok(ClaimOutcome::Held { owner, .. }) if *owner == *self.settings.owner => {
                self.granted_unanswered(key)
            }
            Ok(ClaimOutcome::Held { .. } | ClaimOutcome::Ended(_)) => {
                self.unanswered.remove(key);
                Ok(None)
            }
            Err(error) => {
                self.unanswered.insert(key.clone());
                Err(error)
            }
        }
    }

    /// Claims a run for its next attempt. Returns `None` if another process has settled the run.
    fn take_over(&mut self, key: &RunKey, claim: &Claim) -> Result<Option<Claim>, HistoryError> {
        let (owner, history) = (&*self.settings.owner, &mut self.history);
        let take_over = || unless_lost(history.take_over(claim, owner, LEASE));
        match attempt("record the start of", &key.job, take_over) {
            Ok(Some(claim)) => {
                self.unanswered.remove(key);
                Ok(Some(claim))
            }
            Ok(None) => self.granted_unanswered(key),
            Err(error) => {
                self.unanswered.insert(key.clone());
                Err(error)
            }
        }
    }

    /// Returns the claim that an earlier call was granted even though it returned an error: the
    /// connection may have failed after the history granted the claim.
    fn granted_unanswered(&mut self, key: &RunKey) -> Result<Option<Claim>, HistoryError> {
        if !self.unanswered.contains(key) {
            return Ok(None);
        }
        let claims = self.started_runs(&key.job)?.into_iter().map(|run| run.claim);
        let mut claims =
            claims.filter(|claim| *claim.job == *key.job && claim.scheduled == key.scheduled);
        self.unanswered.remove(key);
        Ok(claims.next())
    }

    /// Undoes the recorded start of a run that no worker has begun.
    pub(super) fn not_started(&mut self, held: HeldRun) {
        if !self.scheduler.is_closed() {
            return self.hold(held);
        }
        let key = held.task.key(&held.context);
        // The next process catches up on the event. If there were earlier attempts, the run counts
        // as cut off.
        let run = self.active.extract_if(key.clone()..=key, |_, run| run.attempts <= 1).next();
        if let Some((key, OpenRun { claim: Some(claim), .. })) = run {
            let release = || unless_lost(self.history.release(&claim));
            if let Err(error) = attempt("take back the start of", &key.job, release) {
                self.failed(error);
            }
        }
    }

    /// Records how a run ended. If the claim is lost, another process has settled the run.
    pub(super) fn record(
        &mut self,
        key: &RunKey,
        claim: Option<&Claim>,
        record: RunRecord,
    ) -> Result<(), HistoryError> {
        let RunKey { job, scheduled } = key;
        attempt("record the end of", job, || match claim {
            Some(claim) => unless_lost(self.history.record_claimed_run(claim, record)).map(drop),
            None => self.history.record_run(job, *scheduled, record),
        })
    }

    /// Handles the end of a job. Its runs that wait for their next attempt are given up, unless the
    /// scheduler is closed: then a later process continues them.
    pub(super) fn removed(&mut self, name: &Arc<str>, serial: u64, restart: Option<i64>) {
        if self.scheduler.is_closed() {
            return;
        }
        let Some(scheduled) = restart else {
            self.give_up_retries(|run, other| run.job == *name && other.serial == serial);
            self.jobs.remove(name);
            return;
        };
        // The run may still be active, for example if a gate refused it.
        let key = RunKey { job: Arc::clone(name), scheduled };
        if let Some(run) = self.active.remove(&key) {
            self.give_up(key, run);
        }
    }

    /// Records runs as failed whose next attempt will not start.
    fn give_up_retries(&mut self, is_over: impl Fn(&RunKey, &OpenRun) -> bool) {
        let over = |run: &RunKey, active: &mut OpenRun| active.is_waiting && is_over(run, active);
        let over: Vec<_> = self.active.extract_if(.., over).collect();
        for (key, run) in over {
            self.give_up(key, run);
        }
    }

    fn give_up(&mut self, key: RunKey, run: OpenRun) {
        let OpenRun { claim, started, attempts, .. } = run;
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

    /// Removes old runs of a job, though not after every end.
    pub(super) fn prune_after_end(&mut self, job: &Arc<str>, last: i64) {
        let ends = &mut self.jobs.entry(Arc::clone(job)).or_default().ends;
        // Often enough to keep at most a tenth more than requested, even in short-lived processes.
        let most = self.settings.keep_last.unwrap_or(u64::MAX);
        match ends {
            Some(ends) if *ends + 1 < (most / 10).clamp(1, 100) => {
                *ends += 1;
                return;
            }
            _ => *ends = Some(0),
        }
        let now = self.now();
        let pruned = attempt("remove old runs of", job, || {
            if let Some(most) = self.settings.keep_last {
                self.history.keep_last(&[(job, most)])?;
            }
            if let Some(age) = self.settings.keep_for {
                let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
                // The last run is kept, regardless of its age.
                let before = now.saturating_sub(age).min(last);
                self.history.drop_before(&[(job, before)])?;
            }
            Ok::<_, H::Error>(())
        });
        if let Err(error) = pruned {
            self.failed(error);
        }
    }

    pub(super) fn read(&self, request: &ReadRequest) -> Result<Vec<RecordedRun>, HistoryError> {
        let ReadRequest { name, most, .. } = request;
        // One more than requested, since the first record of a new job is not a run. Rarely, more
        // records are skipped.
        let limit = most.saturating_add(1);
        let (mut runs, mut seen) = (Vec::new(), 0);
        loop {
            let query = RunQuery::new(name, ..).newest_first().skip(seen).limit(limit);
            let before = seen;
            let mut visit = |_, scheduled, record| {
                seen += 1;
                let run = RecordedRun::new(scheduled, record);
                runs.extend(run.filter(|run| run.state != RunState::Skipped));
                ControlFlow::Continue(())
            };
            attempt("read the runs of", name, || self.history.read(&[query], &mut visit))?;
            if seen - before < limit || runs.len() as u64 >= *most {
                break;
            }
        }
        runs.truncate(usize::try_from(*most).unwrap_or(usize::MAX));
        Ok(runs)
    }
}
