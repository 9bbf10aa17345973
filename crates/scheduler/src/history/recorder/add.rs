//! Adds jobs, and settles their runs that were cut off.

use std::sync::Arc;

use millicron_history::{RunKey, RunRecord, RunState};

use super::{OpenRun, Recorder, Stage, runs_of};
use crate::error::HistoryError;
use crate::history::{HistoryEvent, HistoryFailure, time};
use crate::job::CutOff;

/// What the history knows about a job to be added.
#[derive(Default)]
pub(in crate::history) struct Known {
    /// Events up to this instant have run, in milliseconds. `None` for a new job.
    pub(in crate::history) since: Option<i64>,
    pub(in crate::history) restarts: Vec<Restart>,
}

/// A run to restart.
#[derive(Clone, Copy)]
pub(in crate::history) struct Restart {
    /// The instant of the event, in milliseconds.
    pub(in crate::history) scheduled: i64,
    /// The number of attempts in earlier processes.
    pub(in crate::history) attempts: u32,
}

impl Recorder {
    /// Returns what is known about a job to be added, and settles its runs that were cut off. According to
    /// the program, events up to `since` have run, in milliseconds.
    pub(in crate::history) fn add(
        &mut self,
        job: &Arc<str>,
        since: Option<i64>,
        cut_off: CutOff,
    ) -> Result<Known, HistoryError> {
        match self.read_known(job, since, cut_off) {
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

    fn read_known(
        &mut self,
        job: &Arc<str>,
        since: Option<i64>,
        cut_off: CutOff,
    ) -> Result<Known, HistoryError> {
        self.read_cut_off(job)?;
        let last = self.store.last_event(job)?;
        let open = self.runs.range(runs_of(job)).next_back().map(|(key, _)| key.scheduled);
        let known = last.max(open);
        if known.is_none() {
            // Recorded so that events from now on count as missed if the process ends before the
            // first.
            let first = since.unwrap_or_else(|| self.now().saturating_sub(1));
            let key = RunKey { job: Arc::clone(job), scheduled: first };
            self.store.record_end(&key, None, RunState::Skipped.into())?;
            self.jobs.entry(Arc::clone(job)).or_default().first_record = Some(first);
        }
        if let Some(last) = known.filter(|last| *last > self.now()).and_then(time) {
            self.report(&HistoryEvent::Ahead { job: Arc::clone(job), last });
        }
        Ok(Known { since: known.max(since), restarts: self.settle(job, cut_off)? })
    }

    /// Reads the runs that had started but not ended when this process started. `job` is for error
    /// messages.
    fn read_cut_off(&mut self, job: &str) -> Result<(), HistoryError> {
        if !self.has_read_cut_off {
            for started in self.store.runs_in_progress(job, &self.settings.owner)? {
                let claim = &started.claim;
                let key = RunKey { job: Arc::from(&*claim.job), scheduled: claim.scheduled };
                // Runs of this process may have started already, if the history failed before.
                self.runs.entry(key).or_insert_with(|| OpenRun {
                    stage: Stage::CutOff,
                    started: Some(started.started),
                    attempts: started.attempts,
                    claim: Some(started.claim),
                    ..OpenRun::default()
                });
            }
            self.has_read_cut_off = true;
        }
        Ok(())
    }

    /// Settles a job's runs that were cut off: reports the runs that are not restarted, and records them
    /// as failed. Returns the others, which are reported when they are restarted.
    fn settle(&mut self, job: &Arc<str>, cut_off: CutOff) -> Result<Vec<Restart>, HistoryError> {
        let ended = Some(self.now());
        let mut restarts = Vec::new();
        let runs = self.runs.range(runs_of(job));
        let runs = runs.filter(|(_, run)| matches!(run.stage, Stage::CutOff));
        for key in runs.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            let Some(run) = self.runs.get_mut(&key) else { continue };
            let (attempts, scheduled) = (run.attempts, key.scheduled);
            if matches!(cut_off, CutOff::Restart { most } if attempts < most) {
                (run.stage, run.is_restart) = (Stage::Restarting, true);
                restarts.push(Restart { scheduled, attempts });
                continue;
            }
            let (state, started, attempts) = (RunState::Failed, run.started, Some(attempts));
            let record = RunRecord { state, started, ended, attempts };
            // First, since nothing would report a recorded run if the process were killed in between.
            if !std::mem::replace(&mut run.is_reported, true) {
                self.report_cut_off(&key, false);
            }
            let claim = self.runs.get(&key).and_then(|run| run.claim.as_ref());
            if let Err(error) = self.store.record_end(&key, claim, record) {
                self.give_back(job, &restarts);
                return Err(error);
            }
            self.runs.remove(&key);
        }
        Ok(restarts)
    }

    /// Reports the runs of a job that will be restarted.
    pub(in crate::history) fn report_restarts(&self, job: &Arc<str>, restarts: &[Restart]) {
        for restart in restarts {
            let key = RunKey { job: Arc::clone(job), scheduled: restart.scheduled };
            self.report_cut_off(&key, true);
        }
    }

    fn report_cut_off(&self, key: &RunKey, restarts: bool) {
        if let Some(run) = self.runs.get(key)
            && let Some(scheduled) = time(key.scheduled)
        {
            let job = Arc::clone(&key.job);
            let (started, attempts) = (run.started.and_then(time), run.attempts);
            let event = HistoryEvent::CutOff { job, scheduled, started, attempts, restarts };
            self.report(&event);
        }
    }

    /// Takes back runs that a job should have restarted.
    pub(in crate::history) fn give_back(&mut self, job: &Arc<str>, restarts: &[Restart]) {
        for restart in restarts {
            let key = RunKey { job: Arc::clone(job), scheduled: restart.scheduled };
            if let Some(run) = self.runs.get_mut(&key) {
                (run.stage, run.is_restart) = (Stage::CutOff, false);
            }
        }
    }
}
