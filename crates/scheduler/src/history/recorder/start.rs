//! Starts attempts, once the history has recorded that they start.

use std::mem;
use std::ops::Range;
use std::sync::Arc;

use millicron_history::{Claim, RunKey};

use super::{Attempt, MOST_AT_ONCE, OpenRun, Recorder, Stage};
use crate::error::HistoryError;
use crate::history::HistoryFailure;
use crate::job::{Completion, Job, Work};
use crate::run::Outcome;

/// How far the first record of a job moves, in milliseconds: beyond the second in which an interval may begin before its
/// job is added.
const FIRST_RECORD_MOVES: i64 = 1_000;

impl Recorder {
    /// Returns an attempt that may start now. Otherwise, it is refused, or held until it may start.
    pub(in crate::history) fn begin(&mut self, attempt: Box<Attempt>) -> Option<Box<Attempt>> {
        let key = attempt.run.clone();
        let mut run = match self.runs.remove(&key) {
            None if attempt.number == 1 => OpenRun::default(),
            Some(run) if run.is_continued_by(&attempt) => run,
            other => {
                self.runs.extend(other.map(|run| (key, run)));
                if attempt.number > 1 {
                    attempt.give_up();
                } else {
                    // The event is repeated, since the clock was set back.
                    attempt.refuse();
                }
                return None;
            }
        };
        match self.may_start(&attempt, &mut run) {
            Some(true) => {
                run.stage = if attempt.is_given_up { Stage::GivenUp } else { Stage::Running };
                self.runs.insert(key, run);
                Some(attempt)
            }
            Some(false) => {
                attempt.refuse();
                None
            }
            None => {
                run.stage = Stage::Held(attempt);
                self.runs.insert(key, run);
                self.retry_later();
                None
            }
        }
    }

    /// Returns whether an attempt may start, or `None` if it must wait.
    fn may_start(&mut self, attempt: &Attempt, run: &mut OpenRun) -> Option<bool> {
        let Attempt { run: key, number, .. } = attempt;
        // Before the attempt is held: its event ends the retries that it would otherwise wait for.
        if attempt.ends_at_next_event {
            for (_, earlier) in self.runs.range_mut(earlier_than(key)) {
                earlier.is_overtaken = true;
            }
            self.give_up_retries(&key.job);
        }
        if attempt.is_exclusive {
            if self.has_earlier_restart(key) {
                return None;
            }
            self.give_up_retries(&key.job);
        }
        let must_wait = self.is_paused() || self.has_earlier_held(key);
        let is_claimed = if must_wait { None } else { self.try_to_claim(key, run) };
        let may_start = match self.settings.failure {
            HistoryFailure::Hold => is_claimed?,
            HistoryFailure::Run => is_claimed.unwrap_or(true),
        };
        if may_start {
            if run.attempts == 0 {
                run.started = Some(self.now());
            }
            (run.serial, run.attempts) = (attempt.serial, *number);
        }
        Some(may_start)
    }

    /// Whether an earlier run of the job is restarted and has not ended.
    fn has_earlier_restart(&self, key: &RunKey) -> bool {
        let is_over = |run: &OpenRun| match run.stage {
            Stage::GivenUp => true,
            // If runs may start without the history, they need not wait for a record.
            Stage::Ended(..) => self.settings.failure == HistoryFailure::Run,
            _ => false,
        };
        self.earlier(key).any(|run| run.is_restart && !is_over(run))
    }

    /// Whether an earlier run of the job waits to start. Runs that may start without the history need not wait
    /// for it.
    fn has_earlier_held(&self, key: &RunKey) -> bool {
        self.settings.failure == HistoryFailure::Hold
            && self.earlier(key).any(|run| matches!(run.stage, Stage::Held(_)))
    }

    /// Returns the earlier runs of the job.
    fn earlier(&self, key: &RunKey) -> impl Iterator<Item = &OpenRun> {
        self.runs.range(earlier_than(key)).map(|(_, run)| run)
    }

    /// Gives up the runs of a job that wait for their next attempt.
    fn give_up_retries(&mut self, job: &Arc<str>) {
        self.give_up(job, |_, run| matches!(run.stage, Stage::Retrying));
    }

    /// Claims an attempt. Returns whether it is granted, or `None` if the history failed.
    fn try_to_claim(&mut self, key: &RunKey, run: &mut OpenRun) -> Option<bool> {
        match self.claim(key, run) {
            Ok(is_granted) => {
                self.recovered();
                Some(is_granted)
            }
            Err(error) => {
                run.is_unanswered = true;
                self.failed(error);
                None
            }
        }
    }

    fn claim(&mut self, key: &RunKey, run: &mut OpenRun) -> Result<bool, HistoryError> {
        if run.attempts > 0 && run.claim.is_none() {
            // The history failed when the run started.
            return Ok(true);
        }
        self.make_way(key)?;
        let claim = self.store.claim_attempt(key, run.claim.as_ref(), &self.settings.owner)?;
        run.claim = match claim {
            // An earlier call was perhaps granted even though it returned an error: the connection may
            // have failed after that.
            None if run.is_unanswered => self.granted_claim(key)?,
            claim => claim,
        };
        run.is_unanswered = false;
        Ok(run.claim.is_some())
    }

    /// Moves the first record of a new job away from an event. An interval that begins just before its job is added may
    /// have an event at that instant.
    fn make_way(&mut self, key: &RunKey) -> Result<(), HistoryError> {
        if let Some(job) = self.jobs.get_mut(&key.job)
            && job.first_record == Some(key.scheduled)
        {
            self.store.move_skipped(key, key.scheduled.saturating_sub(FIRST_RECORD_MOVES))?;
            job.first_record = None;
        }
        Ok(())
    }

    /// Returns the claim of a run in progress.
    pub(super) fn granted_claim(&self, key: &RunKey) -> Result<Option<Claim>, HistoryError> {
        let runs = self.store.runs_in_progress(&key.job, &self.settings.owner)?;
        let mut claims = runs.into_iter().map(|run| run.claim);
        Ok(claims.find(|claim| *claim.job == *key.job && claim.scheduled == key.scheduled))
    }

    /// Starts the held attempts that may start now, a few at a time. Returns whether there may be more. They start
    /// when the history is retried.
    pub(super) fn start_held(&mut self) -> bool {
        let is_held = |run: &OpenRun| matches!(run.stage, Stage::Held(_));
        let held = self.runs.iter().filter(|(_, run)| is_held(run));
        let held: Vec<RunKey> = held.map(|(key, _)| key.clone()).collect();
        let mut begun = 0;
        for key in held {
            if begun == MOST_AT_ONCE {
                return true;
            }
            let Some(run) = self.runs.get_mut(&key) else { continue };
            match mem::take(&mut run.stage) {
                Stage::Held(attempt) => self.begin_on_worker(attempt),
                stage => run.stage = stage,
            }
            // An attempt that is still held waits for a restarted run, and does not count: it would be
            // the next to begin with, too.
            begun += usize::from(!self.runs.get(&key).is_some_and(is_held));
        }
        false
    }

    /// Starts an attempt on another worker if it may start now. Otherwise, it is refused, or held
    /// until it may start.
    pub(in crate::history) fn begin_on_worker(&mut self, attempt: Box<Attempt>) {
        if let Some(attempt) = self.begin(attempt) {
            self.start_on_worker(attempt);
        }
    }

    /// Passes an attempt to a worker.
    fn start_on_worker(&self, attempt: Box<Attempt>) {
        let mut attempt = GrantedAttempt(Some(attempt));
        let mut job = Job::of(Work::Once(Box::new(move |_, _: &dyn Fn() -> Completion| {
            if let Some(attempt) = attempt.0.take() {
                attempt.start();
            }
            Some(Outcome::Succeeded)
        })));
        job.policy_mut().has_passed_gate = true;
        let scheduler = &self.scheduler;
        // If the job is refused, the attempt is dropped, which undoes its start.
        drop(scheduler.once_job_beyond_capacity(scheduler.now(), job));
    }

    /// Undoes the recorded start of a run that no worker has begun, because the scheduler was closed.
    /// The next process catches up on the event. If there were earlier attempts, the run counts as cut
    /// off.
    fn not_started(&mut self, key: &RunKey) {
        if let Some(OpenRun { claim: Some(claim), attempts: 1, .. }) = self.runs.remove(key)
            && let Err(error) = self.store.undo_start(&claim)
        {
            self.failed(error);
        }
    }
}

/// Returns the keys of all earlier runs of a job.
fn earlier_than(key: &RunKey) -> Range<RunKey> {
    RunKey { job: Arc::clone(&key.job), scheduled: i64::MIN }..key.clone()
}

impl OpenRun {
    /// Whether the run waits for an attempt, rather than for an event with the same instant.
    const fn is_continued_by(&self, attempt: &Attempt) -> bool {
        let is_waiting = matches!(self.stage, Stage::Restarting | Stage::Retrying);
        is_waiting && (attempt.number > 1 || self.attempts == 0)
    }
}

/// An attempt that a worker will start. If it is dropped before that, its recorder undoes the start.
struct GrantedAttempt(Option<Box<Attempt>>);

impl Drop for GrantedAttempt {
    fn drop(&mut self) {
        if let Some(attempt) = self.0.take() {
            let recorder = attempt.recorder.clone();
            recorder.send(move |recorder| recorder.not_started(&attempt.run));
        }
    }
}
