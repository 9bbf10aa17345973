//! [`PipelineRuns`]: pushes tasks for the runs of a pipeline, claims runs, and records how they ended.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::error::Error;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{iter, mem};

use futures_channel::oneshot;
use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, HeldClaims, RunKey, RunQuery, RunState, StartedRun,
    catch_panic,
};
use millicron_pipeline::Pipeline;

use super::open::{Cause, OpenRuns, Turn};
use super::scan::{RUNS_OF_A_STEP, STANDBY, Scan, last_read};
use super::settings::PipelineSettings;
use super::thread::{Granted, Runs, report};
use crate::error::RunError;
use crate::events::selection::PendingTask;
use crate::job::millis;
use crate::push::queue::{Now, until};
use crate::push::shared::Shared;
use crate::stats::Notice;

/// How often to reread the whole window, to find runs whose records other programs have forgotten.
const LOAD_EVERY: Duration = Duration::from_hours(1);

/// A pipeline and its history, which are used on a [thread](super::thread::PipelineThread).
pub(crate) struct PipelineRuns<P, H> {
    shared: Arc<Shared<P>>,
    pipeline: Pipeline,
    history: H,
    settings: PipelineSettings,
    /// The first event of each job that is not due yet. All earlier events are known to be open or
    /// ended, unless the events have not been loaded.
    next_events: Vec<Option<i64>>,
    open: OpenRuns,
    /// Open runs that may be ready, so that they need not wait for a scan.
    candidates: VecDeque<RunKey>,
    /// The claims of the runs that tasks of this process are executing. A task drops its handler when
    /// its sender is dropped.
    claims: HeldClaims<RunKey, oneshot::Sender<Infallible>>,
    /// The scan in progress.
    scan: Option<Scan>,
    /// When the scan continues, or the next one begins.
    scan_at: Duration,
    load_at: Duration,
    /// Those who wait for the next scan.
    waiting: Vec<oneshot::Sender<Infallible>>,
}

impl<P: Send + Sync, H: Claims + Send> Runs for PipelineRuns<P, H> {
    fn work(&mut self) -> Option<Instant> {
        if self.claims.renew_at().is_some_and(|at| at <= Instant::now()) {
            // If this fails, the history may recover before the leases expire.
            let renew = |runs: &mut Self| {
                let renewed = runs.claims.renew(&mut runs.history, |_, lost| drop(lost));
                renewed.map_err(RunError::history)
            };
            drop(report(self, renew));
        }
        if self.is_closed() {
            (self.scan, self.waiting) = (None, Vec::new());
        } else {
            let now = self.shared.now();
            let pause_at = Scan::pause_at(self.claims.renew_at());
            self.add_due(now);
            if report(self, |runs| runs.push_candidates(now, pause_at)).is_err() {
                // They are open, so a scan finds them.
                self.candidates.clear();
            }
            if self.candidates.is_empty() && now.elapsed >= self.scan_at {
                self.continue_scan(now, pause_at);
            }
        }
        self.next_work()
    }

    fn refresh(&mut self, done: oneshot::Sender<Infallible>) {
        self.waiting.push(done);
        self.scan_at = Duration::ZERO;
    }

    fn claim(&mut self, job: &str, scheduled: i64) -> Result<Option<Granted>, RunError> {
        let granted = self.try_claim(job, scheduled);
        if let Err(RunError::Unknown(error)) = &granted {
            self.shared.report(&Notice::UnknownRun { job, scheduled, error: &**error });
        }
        granted
    }

    fn record(&mut self, claim: &Claim, state: RunState) -> Result<bool, RunError> {
        let run = self.key(&claim.job, claim.scheduled)?;
        let is_recorded = match self.history.record_claimed(claim, state) {
            Ok(()) => true,
            Err(ClaimError::Lost) => false,
            Err(ClaimError::History(error)) => return Err(RunError::history(error)),
        };
        self.remove_claim(&run, claim);
        if is_recorded {
            self.open.remove(&run);
        }
        Ok(is_recorded)
    }

    fn unlock(&mut self, claim: &Claim, state: RunState) -> Result<(), RunError> {
        if self.is_closed() {
            return Ok(());
        }
        let now = self.shared.now();
        let range = now.clock.saturating_sub(self.settings.catch_up)..=now.clock;
        let Claim { job, scheduled, .. } = claim;
        let unlocked =
            self.pipeline.runs_unlocked_by(job, *scheduled, state, &self.history, range)?;
        // Something else runs external jobs, which have no key here.
        let unlocked = unlocked.iter().filter_map(|run| self.key(run.job, run.scheduled).ok());
        for run in unlocked.collect::<Vec<_>>() {
            self.add_candidate(run);
        }
        self.work();
        Ok(())
    }

    fn release(&mut self, claim: &Claim) {
        if let Ok(run) = self.key(&claim.job, claim.scheduled) {
            self.remove_claim(&run, claim);
        }
        // If this fails, the lease expires.
        drop(catch_panic(|| self.history.release(claim)));
    }

    fn run_again(&mut self, job: &str, runs: &RangeInclusive<i64>) -> Result<(), RunError> {
        let now = self.shared.now();
        let index = self.index(job)?;
        self.history.forget_all(&[(job, runs.clone())]).map_err(RunError::history)?;
        let runs = self.runs_in(index, *runs.start()..=now.clock.min(*runs.end()));
        for run in runs.collect::<Vec<_>>() {
            self.claims.remove(&run);
            // The storage remembers the run's first task.
            self.open.lose_own_task(&run);
            self.add_candidate(run);
        }
        self.work();
        Ok(())
    }

    fn history_failed(&self, error: &(dyn Error + 'static)) {
        self.shared.report(&Notice::HistoryFailed { error });
    }
}

impl<P: Send + Sync, H: Claims + Send> PipelineRuns<P, H> {
    pub(crate) fn new(
        shared: Arc<Shared<P>>,
        pipeline: Pipeline,
        history: H,
        settings: PipelineSettings,
    ) -> Self {
        Self {
            next_events: vec![None; shared.plans.len()],
            shared,
            pipeline,
            history,
            open: OpenRuns::default(),
            candidates: VecDeque::new(),
            claims: HeldClaims::new(&settings.owner, settings.lease),
            settings,
            scan: None,
            scan_at: Duration::ZERO,
            load_at: Duration::ZERO,
            waiting: Vec::new(),
        }
    }

    fn is_closed(&self) -> bool {
        self.shared.with_queue(|queue| queue.is_closed)
    }

    /// Returns when there is something to do even without a call.
    fn next_work(&self) -> Option<Instant> {
        let renew = self.claims.renew_at();
        if self.is_closed() {
            return renew;
        }
        let now = self.shared.now();
        let scan = self.scan_at.saturating_sub(now.elapsed);
        if scan.is_zero() || !self.candidates.is_empty() {
            return Some(Instant::now());
        }
        let due = self.next_events.iter().flatten().min().map(|next| until(*next, now));
        let wait =
            self.shared.settings.clock.max_sleep(Some(due.map_or(scan, |due| due.min(scan))));
        let wake = wait.and_then(|wait| Instant::now().checked_add(wait));
        [renew, wake].into_iter().flatten().min()
    }

    /// Adds the runs that have become due. The first machine pushes those that are ready. On other machines, they
    /// wait for a scan, but workers ask for the tasks.
    fn add_due(&mut self, now: Now) {
        let is_first = self.shared.with_queue(|queue| queue.is_first);
        let oldest = now.clock.saturating_sub(self.settings.catch_up);
        let mut left = 0;
        for index in 0..self.next_events.len() {
            // The machine has slept, or its clock was set forward.
            if self.next_events[index].is_some_and(|next| next < oldest) {
                self.next_events[index] = self.event_after(index, oldest.saturating_sub(1));
            }
            while let Some(scheduled) = self.next_events[index].filter(|next| *next <= now.clock) {
                let run = self.key_at(index, scheduled);
                self.next_events[index] = self.event_after(index, scheduled);
                let job = self.pipeline.job(&run.job);
                let is_contended = job.is_ok_and(|job| job.needs().len() == 0);
                self.open.add_due(run.clone(), is_contended);
                if is_first {
                    self.candidates.push_back(run);
                } else {
                    left += usize::from(is_contended);
                }
            }
        }
        if left > 0 {
            self.shared.with_queue(|queue| queue.announce(left));
        }
    }

    fn add_candidate(&mut self, run: RunKey) {
        self.open.add(run.clone());
        self.candidates.push_back(run);
    }

    /// Pushes tasks for candidates that are ready, until an instant.
    fn push_candidates(&mut self, now: Now, pause_at: Instant) -> Result<(), RunError> {
        while let Some(run) = self.candidates.pop_front() {
            if !self.has_ended(&run)? {
                let was_pushed = self.open.get(&run).is_some_and(|open| open.pushes > 0);
                let claims = if was_pushed { self.read_claims()? } else { Vec::new() };
                self.push_if_ready(&run, &claims, now, Turn::Ours)?;
            }
            if Instant::now() >= pause_at {
                break;
            }
        }
        Ok(())
    }

    /// Continues the scan, or begins one, until it has ended or `pause_at`.
    fn continue_scan(&mut self, now: Now, pause_at: Instant) {
        let mut scan = self.scan.take().unwrap_or_else(|| self.begin_scan(now));
        let began = *scan.began.get_or_insert(now.elapsed);
        let is_done = report(self, |runs| {
            while !runs.step(&mut scan, now, pause_at)? {
                if Instant::now() >= pause_at {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        let pause = match is_done {
            Ok(false) => {
                self.scan = Some(scan);
                return;
            }
            Ok(true) => {
                if scan.window.is_some() {
                    self.load_at = began.saturating_add(LOAD_EVERY);
                }
                let took = self.shared.now().elapsed.saturating_sub(began);
                // A history that is slow must not be scanned all the time.
                let soon = if scan.has_left_runs { STANDBY } else { Duration::MAX };
                took.max(self.settings.refresh_every.min(soon))
            }
            Err(_) => {
                (scan.waiting, self.waiting) = (Vec::new(), Vec::new());
                // How long the history fails says nothing about how long a scan takes, and claims end meanwhile.
                (scan.began, scan.claims) = (None, None);
                self.scan = Some(scan);
                self.settings.refresh_every
            }
        };
        if self.waiting.is_empty() {
            self.scan_at = self.shared.now().elapsed.saturating_add(pause);
        }
    }

    /// Begins a scan. Events from now on are no part of it: they are pushed when they are due.
    fn begin_scan(&mut self, now: Now) -> Scan {
        let loads = now.elapsed >= self.load_at;
        if loads {
            for index in 0..self.next_events.len() {
                self.next_events[index] = self.event_after(index, now.clock);
            }
        }
        let window = now.clock.saturating_sub(self.settings.catch_up)..=now.clock;
        // Whoever asks for a scan has recorded runs, and whoever starts knows of no other machine.
        let is_ours = !self.waiting.is_empty() || self.load_at.is_zero();
        let turn = if is_ours { Turn::Ours } else { Turn::Others };
        Scan::new(turn, loads.then_some(window), mem::take(&mut self.waiting))
    }

    /// Does a step of a scan. Returns whether it was the last one.
    fn step(&mut self, scan: &mut Scan, now: Now, pause_at: Instant) -> Result<bool, RunError> {
        if scan.job < self.next_events.len() {
            self.read_job(scan)?;
            return Ok(false);
        }
        let Some(claims) = &scan.claims else {
            scan.claims = Some(self.read_claims()?);
            return Ok(false);
        };
        let after = scan.examined.as_ref();
        let wanted = self.open.wanted(after, now.elapsed, scan.turn, RUNS_OF_A_STEP);
        for run in &wanted {
            // A run that fails or panics must not stop the scan each time.
            scan.examined = Some(run.clone());
            scan.has_left_runs |= self.push_if_ready(run, claims, now, scan.turn)?;
            if Instant::now() >= pause_at {
                return Ok(false);
            }
        }
        Ok(wanted.len() < RUNS_OF_A_STEP)
    }

    /// Reads records of a scan's next job. Removes runs that have ended from the open runs, and adds
    /// those in the window that have not ended.
    fn read_job(&mut self, scan: &mut Scan) -> Result<(), RunError> {
        let index = scan.job;
        let job = Arc::clone(&self.shared.plans[index].name);
        let range = scan.rest.clone().or_else(|| scan.window.clone());
        let Some(range) = range.or_else(|| self.open.range(&job)) else {
            scan.job += 1;
            return Ok(());
        };
        let mut end = *range.end();
        let mut runs = Vec::new();
        if scan.window.is_some() {
            runs.extend(self.runs_in(index, range.clone()).take(RUNS_OF_A_STEP));
            end = last_read(runs.iter().map(|run| run.scheduled), end);
        }
        let ended = self.ended(&job, *range.start()..=end)?;
        end = last_read(ended.iter().copied(), end);
        for scheduled in &ended {
            self.open.remove(&self.key_at(index, *scheduled));
        }
        runs.retain(|run| run.scheduled <= end && ended.binary_search(&run.scheduled).is_err());
        for run in runs {
            self.open.add(run);
        }
        scan.rest = (end < *range.end()).then(|| end + 1..=*range.end());
        scan.job += usize::from(scan.rest.is_none());
        Ok(())
    }

    /// Returns the first recorded runs of a job in a range, in ascending order.
    fn ended(&self, job: &str, range: RangeInclusive<i64>) -> Result<Vec<i64>, RunError> {
        let mut ended = Vec::new();
        let query = RunQuery::new(job, range).limit(RUNS_OF_A_STEP as u64);
        let visited = self.history.read(&[query], &mut |_, scheduled, _| {
            ended.push(scheduled);
            ControlFlow::Continue(())
        });
        visited.map(|()| ended).map_err(RunError::history)
    }

    /// Returns whether a run has ended. If so, it is no longer open.
    fn has_ended(&mut self, run: &RunKey) -> Result<bool, RunError> {
        let state = self.history.state(&run.job, run.scheduled).map_err(RunError::history)?;
        if state.is_some() {
            self.open.remove(run);
        }
        Ok(state.is_some())
    }

    fn is_ready(&self, run: &RunKey) -> Result<bool, RunError> {
        Ok(self.pipeline.ready(&run.job, run.scheduled, &self.history)?.is_ready())
    }

    /// Returns the claims that have not expired, in this process or another. Open runs whose claims
    /// have expired are marked.
    fn read_claims(&mut self) -> Result<Vec<Claim>, RunError> {
        let mut claims = Vec::new();
        for StartedRun { claim, has_expired, .. } in
            self.history.started_runs().map_err(RunError::history)?
        {
            if !has_expired {
                claims.push(claim);
            } else if let Ok(run) = self.key(&claim.job, claim.scheduled) {
                self.open.expire_claim(&run, claim.token);
            }
        }
        Ok(claims)
    }

    /// Pushes a task for an open run if it is ready, given all claims. Returns whether the run is left to other
    /// machines for now.
    fn push_if_ready(
        &mut self,
        run: &RunKey,
        claims: &[Claim],
        now: Now,
        turn: Turn,
    ) -> Result<bool, RunError> {
        let open = self.open.get(run).filter(|open| open.is_wanted(now.elapsed, turn));
        let Some(open) = open.filter(|_| self.claims.get(run).is_none()) else { return Ok(false) };
        if !self.is_ready(run)? {
            return Ok(false);
        }
        let is_run = |claim: &Claim| *claim.job == *run.job && claim.scheduled == run.scheduled;
        if claims.iter().any(is_run) {
            self.open.lose_task(run, now.elapsed.saturating_add(self.claims.lease()));
            return Ok(false);
        }
        if open.is_left_to_others(turn) {
            self.open.leave(run, now.elapsed.saturating_add(STANDBY));
            return Ok(true);
        }
        let after = self.settings.push_again_after.unwrap_or(self.claims.lease());
        // All machines make the same task, except after a loss that only this one knows.
        let repetition = match open.cause {
            _ if open.pushes == 0 => 0,
            Cause::ExpiredClaim(token) => -token,
            Cause::OwnLoss => now.clock.max(1),
            // Unless the period ends in between. This machine makes at most one per period.
            Cause::Wait => now.clock.div_euclid(millis(after.min(self.claims.lease()))).max(1),
        };
        let is_contended = open.pushes == 0 && open.is_contended;
        let task = PendingTask::new(run.scheduled, self.index(&run.job)?);
        let task = PendingTask { repetition, is_contended, ..task };
        self.open.push(run, now.elapsed, after);
        self.shared.with_queue(|queue| queue.add(task));
        Ok(false)
    }

    fn try_claim(&mut self, job: &str, scheduled: i64) -> Result<Option<Granted>, RunError> {
        let run = self.key(job, scheduled)?;
        if self.has_ended(&run)? {
            return Ok(None);
        }
        // Upstream runs may have been forgotten for a rerun since the task was pushed.
        if !self.is_ready(&run)? {
            self.open.lose_own_task(&run);
            return Ok(None);
        }
        let (task, lost) = oneshot::channel();
        let claimed = self.claims.claim(&mut self.history, job, scheduled, run.clone(), task);
        let again_at = self.shared.now().elapsed.saturating_add(self.claims.lease());
        match claimed.map_err(RunError::history)? {
            ClaimOutcome::Granted(claim) => {
                let lease = self.claims.get(&run).map(|held| held.lease.clone());
                self.open.note_task(run, again_at);
                Ok(lease.map(|lease| Granted { claim, lease, lost }))
            }
            ClaimOutcome::Held { .. } => {
                // This may be the only task.
                self.open.lose_task(&run, again_at);
                Ok(None)
            }
            ClaimOutcome::Ended(_) => {
                self.open.remove(&run);
                Ok(None)
            }
        }
    }

    /// Removes a claim, unless a later claim of the same run has replaced it.
    fn remove_claim(&mut self, run: &RunKey, claim: &Claim) {
        if self.claims.get(run).is_some_and(|held| held.claim.token == claim.token) {
            self.claims.remove(run);
        }
    }

    /// A recurrence that panics or contradicts itself has no further events.
    fn event_after(&self, index: usize, instant: i64) -> Option<i64> {
        let job = self.pipeline.job(&self.shared.plans[index].name).ok()?;
        let next = catch_panic(|| job.recurrence().next_event(instant));
        next.ok().flatten().filter(|next| *next > instant)
    }

    /// Returns a job's runs in a range, in ascending order.
    fn runs_in(
        &self,
        index: usize,
        range: RangeInclusive<i64>,
    ) -> impl Iterator<Item = RunKey> + '_ {
        let first = self.event_after(index, range.start().saturating_sub(1));
        let runs = iter::successors(first, move |event| self.event_after(index, *event));
        let runs = runs.take_while(move |event| event <= range.end());
        runs.map(move |scheduled| self.key_at(index, scheduled))
    }

    fn index(&self, job: &str) -> Result<usize, RunError> {
        let index = self.shared.plans.binary_search_by(|plan| (*plan.name).cmp(job));
        let unknown = || format!("the pipeline does not run a job `{job}`").into();
        index.map_err(|_| RunError::Unknown(unknown()))
    }

    fn key(&self, job: &str, scheduled: i64) -> Result<RunKey, RunError> {
        Ok(self.key_at(self.index(job)?, scheduled))
    }

    fn key_at(&self, index: usize, scheduled: i64) -> RunKey {
        RunKey { job: Arc::clone(&self.shared.plans[index].name), scheduled }
    }
}
