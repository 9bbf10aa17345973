//! [`Keeper`]: the thread that owns the history.

use std::collections::HashMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::task::Waker;
use std::time::{Duration, Instant};

use millicron_pipeline::{Claim, Claims, Pipeline, RunState, error_message};

use super::claims::HeldClaim;
use super::link::{ClaimStep, Command, RecordError};
use super::open::{OpenRuns, RunKey};
use crate::events::selection::PendingTask;
use crate::job::millis;
use crate::push::queue::{Now, until};
use crate::push::shared::Shared;
use crate::stats::Notice;

/// The maximum number of open runs whose needs one scan examines, so that a scan stays short if
/// many runs wait. Runs that are unlocked by this process do not wait for a scan.
const RUNS_OF_A_SCAN: usize = 256;

/// How often to reread the whole window, to find runs whose records other programs have forgotten.
const LOAD_EVERY: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) owner: String,
    pub(crate) lease: Duration,
    pub(crate) scan_every: Duration,
    pub(crate) patience: Duration,
    /// In milliseconds.
    pub(crate) catch_up: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            owner: format!("process {}", std::process::id()),
            lease: Duration::from_mins(1),
            scan_every: Duration::from_secs(5),
            patience: Duration::from_mins(5),
            catch_up: 7 * 24 * 3_600_000,
        }
    }
}

pub(crate) struct Keeper<P, H> {
    shared: Arc<Shared<P>>,
    waker_id: u64,
    pipeline: Pipeline,
    history: H,
    pub(super) settings: Settings,
    /// The first event of each job that is not due yet, and whether all earlier events are known to
    /// be open or ended.
    jobs: Vec<(Option<i64>, bool)>,
    pub(super) open: OpenRuns,
    /// The claims of the runs that tasks of this process are executing.
    pub(super) claims: HashMap<RunKey, HeldClaim>,
    pub(super) renew_at: Instant,
    scan_at: Duration,
    load_at: Duration,
    /// The last run that a scan examined.
    examined: RunKey,
}

impl<P, H: Claims> Keeper<P, H> {
    pub(crate) fn new(
        shared: &Arc<Shared<P>>,
        pipeline: Pipeline,
        history: H,
        settings: Settings,
        waker: &Waker,
    ) -> Self {
        let waker_id = shared.with_queue(|queue| {
            let id = queue.new_id();
            queue.register(id, waker);
            id
        });
        let jobs = vec![(None, false); shared.plans.len()];
        Self {
            shared: Arc::clone(shared),
            waker_id,
            pipeline,
            history,
            settings,
            jobs,
            open: OpenRuns::default(),
            claims: HashMap::new(),
            renew_at: Instant::now(),
            scan_at: Duration::ZERO,
            load_at: Duration::ZERO,
            examined: (i64::MIN, 0),
        }
    }

    /// Handles requests until all senders are dropped.
    pub(crate) fn run(mut self, commands: &Receiver<Command>) {
        loop {
            self.proceed();
            let command = match self.wait() {
                Some(wait) => commands.recv_timeout(wait),
                None => commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match command {
                Ok(command) => self.handle(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Returns the time until there is something to do even without a request.
    fn wait(&self) -> Option<Duration> {
        let renew = self.renew_at.saturating_duration_since(Instant::now());
        let renew = (!self.claims.is_empty()).then_some(renew);
        if self.is_closed() {
            return renew;
        }
        let now = self.shared.now();
        let due = self.jobs.iter().filter_map(|(next, _)| Some(until((*next)?, now))).min();
        let scan = self.scan_at.saturating_sub(now.elapsed);
        let wait = due.map_or(scan, |due| due.min(scan));
        [self.shared.clock.max_sleep(Some(wait)), renew].into_iter().flatten().min()
    }

    fn is_closed(&self) -> bool {
        self.shared.with_queue(|queue| queue.is_closed)
    }

    /// Renews claims, scans, and handles runs that have become due.
    fn proceed(&mut self) {
        self.renew_if_due();
        if self.is_closed() {
            return;
        }
        let now = self.shared.now();
        if now.elapsed >= self.scan_at {
            self.scan(now);
        }
        let mut due = Vec::new();
        for index in 0..self.jobs.len() {
            while let (Some(next), true) = self.jobs[index]
                && next <= now.clock
            {
                self.open.add((next, index));
                due.push((next, index));
                self.jobs[index].0 = self.event_after(index, next);
            }
        }
        let checked = due.into_iter().try_for_each(|run| self.check(run, now));
        self.report(checked);
    }

    fn handle(&mut self, command: Command) {
        let now = self.shared.now();
        match command {
            Command::Wake(is_ringing) => is_ringing.store(false, Ordering::Release),
            Command::Scan(reply) => {
                self.scan(now);
                self.proceed();
                let _ = reply.send(());
            }
            Command::Claim { job, scheduled, link, reply } => {
                // If the task is gone, the guard is dropped, which releases the claim.
                let step = self.claim(&job, scheduled, link, now);
                match &step {
                    Ok(ClaimStep::Unknown(error)) => {
                        self.shared.report(&Notice::UnknownRun { job: &job, scheduled, error });
                    }
                    Ok(_) => {}
                    Err(error) => self.report(Err(error.clone())),
                }
                drop(reply.send(step));
            }
            Command::Record { claim, state, reply } => {
                let recorded = self.record(&claim, state);
                let is_recorded = recorded.is_ok();
                if let Err(RecordError::History(error)) = &recorded {
                    self.report(Err(error.clone()));
                }
                drop(reply.send(recorded));
                if is_recorded && !self.is_closed() {
                    let unlocked = self.unlock(&claim, state, now);
                    self.report(unlocked);
                }
            }
            Command::Release(claim) => self.release(&claim),
            Command::RunAgain { job, runs, reply } => {
                drop(reply.send(self.run_again(&job, &runs, now)));
            }
        }
    }

    /// Scans the open runs.
    fn scan(&mut self, now: Now) {
        self.scan_at = now.elapsed.saturating_add(self.settings.scan_every);
        let scanned = self.try_scan(now);
        self.report(scanned);
    }

    fn try_scan(&mut self, now: Now) -> Result<(), String> {
        let loads = now.elapsed >= self.load_at;
        for index in 0..self.jobs.len() {
            if loads {
                self.load(index, now)?;
            } else {
                self.close_ended(index)?;
            }
        }
        if loads {
            self.load_at = now.elapsed.saturating_add(LOAD_EVERY);
        }
        let mut claimed = None;
        for run in self.open.wanted(self.examined, now.elapsed, RUNS_OF_A_SCAN) {
            self.examined = run;
            self.push_if_ready(run, now, &mut claimed)?;
        }
        Ok(())
    }

    /// Removes a job's runs that have ended from the open runs.
    fn close_ended(&mut self, index: usize) -> Result<(), String> {
        let Some(range) = self.open.range(index) else { return Ok(()) };
        for scheduled in self.ended(index, range)? {
            self.open.remove((scheduled, index));
        }
        Ok(())
    }

    /// Returns the recorded runs of a job in a range.
    fn ended(&mut self, index: usize, range: RangeInclusive<i64>) -> Result<Vec<i64>, String> {
        let name = Arc::clone(&self.shared.plans[index].name);
        self.ask(|history, _| {
            let mut ended = Vec::new();
            let visited = history.states(&name, range, &mut |scheduled, _| {
                ended.push(scheduled);
                ControlFlow::Continue(())
            });
            visited.map(|()| ended).map_err(|error| error_message(&error))
        })
    }

    /// Finds a job's open runs in the catch-up window.
    fn load(&mut self, index: usize, now: Now) -> Result<(), String> {
        let start = now.clock.saturating_sub(self.settings.catch_up);
        let ended = self.ended(index, start..=now.clock)?;
        let mut ended = ended.into_iter().peekable();
        let mut event = self.event_after(index, start.saturating_sub(1));
        while let Some(at) = event.filter(|at| *at <= now.clock) {
            while ended.next_if(|ended| *ended < at).is_some() {}
            if ended.peek() == Some(&at) {
                self.open.remove((at, index));
            } else {
                self.open.add((at, index));
            }
            event = self.event_after(index, at);
        }
        self.jobs[index] = (event, true);
        Ok(())
    }

    /// Pushes a task for an open run, unless it has ended by now or is not ready.
    fn check(&mut self, run @ (scheduled, index): RunKey, now: Now) -> Result<(), String> {
        let name = Arc::clone(&self.shared.plans[index].name);
        let state = self.ask(|history, _| {
            history.state(&name, scheduled).map_err(|error| error_message(&error))
        })?;
        if state.is_some() {
            self.open.remove(run);
            return Ok(());
        }
        self.push_if_ready(run, now, &mut None)
    }

    /// Pushes a task for an open run if it is ready.
    fn push_if_ready(
        &mut self,
        run @ (scheduled, index): RunKey,
        now: Now,
        claimed: &mut Option<Vec<Claim>>,
    ) -> Result<(), String> {
        let name = Arc::clone(&self.shared.plans[index].name);
        if self.claims.contains_key(&run)
            || !self.open.is_wanted(run, now.elapsed)
            || !self.is_ready(&name, scheduled)?
        {
            return Ok(());
        }
        if self.open.is_pushed(run) && self.is_claimed(&name, scheduled, claimed)? {
            self.open.lose_task(run, now.elapsed.saturating_add(self.settings.lease));
        } else {
            self.push(run, now);
        }
        Ok(())
    }

    pub(super) fn is_ready(&mut self, job: &str, scheduled: i64) -> Result<bool, String> {
        self.ask(|history, pipeline| {
            let ready =
                pipeline.ready(job, scheduled, history).map_err(|error| error_message(&error))?;
            Ok(ready.is_ready())
        })
    }

    /// Returns whether a run has an unexpired claim, in this process or another.
    fn is_claimed(
        &mut self,
        job: &str,
        scheduled: i64,
        claimed: &mut Option<Vec<Claim>>,
    ) -> Result<bool, String> {
        if claimed.is_none() {
            let started = self
                .ask(|history, _| history.started_runs().map_err(|error| error_message(&error)))?;
            let started = started.into_iter().filter(|run| !run.has_expired);
            *claimed = Some(started.map(|run| run.claim).collect());
        }
        let is_run = |claim: &Claim| &*claim.job == job && claim.scheduled == scheduled;
        Ok(claimed.as_ref().is_some_and(|claimed| claimed.iter().any(is_run)))
    }

    fn push(&mut self, run @ (scheduled, job): RunKey, now: Now) {
        let repetition = if !self.open.is_pushed(run) {
            0
        } else if self.open.is_local(run) {
            now.clock.max(1)
        } else {
            // All machines make the same further task, unless the period ends in between. This
            // machine makes at most one per period.
            let period = self.settings.patience.min(self.settings.lease);
            now.clock.div_euclid(millis(period)).max(1)
        };
        self.open.push(run, now.elapsed, self.settings.patience);
        self.shared
            .with_queue(|queue| queue.add(PendingTask { scheduled, job, failures: 0, repetition }));
    }

    /// Pushes tasks for the runs that the end of a run has unlocked.
    fn unlock(&mut self, claim: &Claim, state: RunState, now: Now) -> Result<(), String> {
        let range = now.clock.saturating_sub(self.settings.catch_up)..=now.clock;
        let unlocked = self.ask(|history, pipeline| {
            let runs =
                pipeline.runs_unlocked_by(&claim.job, claim.scheduled, state, history, range);
            let runs = runs.map_err(|error| error_message(&error))?;
            Ok(runs.into_iter().map(|run| (run.scheduled, run.job.to_string())).collect::<Vec<_>>())
        })?;
        for (scheduled, job) in unlocked {
            // Something else runs external jobs.
            let Ok(index) = self.index(&job) else { continue };
            self.open.add((scheduled, index));
            self.check((scheduled, index), now)?;
        }
        Ok(())
    }

    fn run_again(&mut self, job: &str, runs: &RangeInclusive<i64>, now: Now) -> Result<(), String> {
        let index = self.index(job)?;
        self.ask(|history, _| {
            history.forget_all(&[(job, runs.clone())]).map_err(|error| error_message(&error))
        })?;
        let last = now.clock.min(*runs.end());
        let mut event = self.event_after(index, runs.start().saturating_sub(1));
        while let Some(at) = event.filter(|at| *at <= last) {
            self.lose_claim((at, index));
            // The storage remembers the run's first task.
            self.open.lose_own_task((at, index));
            self.check((at, index), now)?;
            event = self.event_after(index, at);
        }
        Ok(())
    }

    /// Calls a function with the history, and turns a panic into an error.
    pub(super) fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut H, &Pipeline) -> Result<T, String>,
    ) -> Result<T, String> {
        let Self { history, pipeline, .. } = self;
        let answer = catch_unwind(AssertUnwindSafe(|| question(history, pipeline)));
        answer.unwrap_or_else(|_| Err("the history panicked".to_string()))
    }

    fn event_after(&self, index: usize, instant: i64) -> Option<i64> {
        let job = self.pipeline.job(&self.shared.plans[index].name).ok()?;
        let next = catch_unwind(AssertUnwindSafe(|| job.recurrence().next_event(instant)));
        next.ok().flatten().filter(|next| *next > instant)
    }

    pub(super) fn index(&self, job: &str) -> Result<usize, String> {
        let index = self.shared.plans.binary_search_by(|plan| (*plan.name).cmp(job));
        index.map_err(|_| format!("the pipeline does not run a job `{job}`"))
    }

    pub(super) fn report(&self, result: Result<(), String>) {
        if let Err(error) = result {
            self.shared.report(&Notice::HistoryFailed { error: &error });
        }
    }
}

impl<P, H> Drop for Keeper<P, H> {
    fn drop(&mut self) {
        self.shared.with_queue(|queue| queue.unregister(self.waker_id));
    }
}
