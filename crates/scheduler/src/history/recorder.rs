//! [`Recorder`]: the thread that reads and writes a history.
//!
//! Only this thread uses the history, so neither the timer nor a runtime waits for it. Workers
//! report starts and ends of runs to it, in [`Message`]s.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use millicron_history::{Claim, Claims, RunRecord, StartedRun};

use super::event::{HistoryError, HistoryEvent, HistoryFailure};
use super::message::{EndedRun, HeldRun, HeldStep, Message, RunKey, StartAnswer};
use super::store::state;
use super::{HistoryObserver, Settings};
use crate::job::completion::Completion;
use crate::job::{Job, Work};
use crate::panics::catch_panic;
use crate::run::outcome::Outcome;
use crate::scheduler::handle::SchedulerHandle;
use crate::time::instant::Nanos;

/// The first and the longest wait before a failed history is retried.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

pub(super) struct Recorder<H> {
    pub(super) history: H,
    pub(super) settings: Settings,
    pub(super) scheduler: SchedulerHandle,
    /// The runs that had started but not ended when the recorder started, by job. `None` until they
    /// are read.
    pub(super) cut_off: Option<BTreeMap<Box<str>, Vec<StartedRun>>>,
    /// The runs that have started but not ended.
    pub(super) active: BTreeMap<RunKey, OpenRun>,
    /// The active runs that are restarts, until they have ended.
    pub(super) restarts: BTreeSet<RunKey>,
    /// The runs whose claims the history may have granted even though it returned an error.
    pub(super) unanswered: BTreeSet<RunKey>,
    /// The runs that wait for the history or for the end of a restart.
    held: VecDeque<HeldRun>,
    /// The ends that are not recorded yet.
    pub(super) unrecorded: VecDeque<UnrecordedEnd>,
    /// The state of each job.
    pub(super) jobs: BTreeMap<Arc<str>, RecordedJobState>,
    /// How long to wait before the history is retried, if it has failed.
    wait: Option<Duration>,
    /// When the history was last retried or failed.
    tried: Instant,
}

#[derive(Default)]
pub(super) struct RecordedJobState {
    /// The last event that has started in this process, in milliseconds.
    pub(super) latest: Option<i64>,
    /// The number of ends since old runs were last removed. `None` if this process has not removed
    /// any yet.
    pub(super) ends: Option<u64>,
}

/// A run that has started but not ended.
pub(super) struct OpenRun {
    /// Distinguishes successive jobs with the same name.
    pub(super) serial: u64,
    /// `None` if the history failed when the run started.
    pub(super) claim: Option<Claim>,
    /// When the first attempt started, in milliseconds.
    pub(super) started: Option<i64>,
    pub(super) attempts: u32,
    /// Whether it waits for its next attempt.
    pub(super) is_waiting: bool,
}

/// The end of a run that is not recorded yet.
pub(super) struct UnrecordedEnd {
    pub(super) key: RunKey,
    pub(super) claim: Option<Claim>,
    pub(super) record: RunRecord,
    /// The end of the run itself, if it also waits.
    pub(super) completion: Option<(Outcome, Completion)>,
}

impl<H: Claims> Recorder<H> {
    pub(super) fn new(history: H, settings: Settings, scheduler: SchedulerHandle) -> Self {
        Self {
            history,
            settings,
            scheduler,
            cut_off: None,
            active: BTreeMap::new(),
            restarts: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            held: VecDeque::new(),
            unrecorded: VecDeque::new(),
            jobs: BTreeMap::new(),
            wait: None,
            tried: Instant::now(),
        }
    }

    /// Handles messages until all senders are dropped.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        loop {
            let message = if self.has_work() {
                if self.tried.elapsed() >= self.wait() {
                    drop(catch_panic(|| self.try_again()));
                    self.tried = Instant::now();
                }
                messages.recv_timeout(self.wait().saturating_sub(self.tried.elapsed()))
            } else {
                messages.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match message {
                Ok(message) => {
                    // For example, the destructor of a job may panic.
                    if catch_panic(|| self.handle(message)).is_err() {
                        self.wait.get_or_insert(FIRST_WAIT);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    drop(catch_panic(|| self.record_again()));
                    return;
                }
            }
        }
    }

    fn has_work(&self) -> bool {
        !self.held.is_empty() || !self.unrecorded.is_empty()
    }

    fn wait(&self) -> Duration {
        self.wait.unwrap_or(FIRST_WAIT)
    }

    /// Whether the history failed recently. Until it is retried, it is not called for starts and
    /// ends.
    pub(super) fn is_paused(&self) -> bool {
        self.wait.is_some_and(|wait| self.tried.elapsed() < wait)
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Add(request, reply) => drop(reply.send(self.add(&request))),
            Message::Restarts(name, runs, reply) => {
                for run in &runs {
                    self.report_cut_off(&name, run, true);
                }
                drop(reply.send(Ok(runs)));
            }
            Message::GiveBack(name, runs) => self.give_back(&name, runs),
            Message::Start(request, reply) => drop(reply.send(self.start(&request))),
            Message::Hold(held) => self.hold(*held),
            Message::NotStarted(held) => self.not_started(*held),
            Message::End(ended) => self.end(*ended),
            Message::Removed { name, serial, restart } => self.removed(&name, serial, restart),
            Message::Read(request) => drop(request.reply.send(self.read(&request))),
        }
    }

    pub(super) fn hold(&mut self, held: HeldRun) {
        self.held.push_back(held);
    }

    /// Retries what failed.
    fn try_again(&mut self) {
        if self.scheduler.is_closed() {
            // These runs have not started, so the next process catches up on their events.
            self.held.clear();
        }
        if self.record_again() {
            self.start_held();
        }
    }

    /// Records the ends that are not recorded yet, in order. Returns whether all are recorded now.
    fn record_again(&mut self) -> bool {
        while let Some(end) = self.unrecorded.pop_front() {
            if let Err(error) = self.record(&end.key, end.claim.as_ref(), end.record) {
                self.failed(error);
                self.unrecorded.push_front(end);
                return false;
            }
            self.recovered();
            let UnrecordedEnd { key, completion, .. } = end;
            self.finished(&key, completion);
        }
        true
    }

    /// Starts the waiting runs that may start now.
    pub(super) fn start_held(&mut self) {
        for held in mem::take(&mut self.held) {
            let request = held.task.request(&held.context);
            match self.start(&request) {
                StartAnswer::Wait => self.held.push_back(held),
                StartAnswer::Refuse => held.completion.finish(Outcome::Succeeded),
                StartAnswer::Start => self.start_on_worker(held),
            }
        }
    }

    /// Passes a held run to a worker.
    fn start_on_worker(&self, held: HeldRun) {
        let step = HeldStep::new(held);
        let mut job = Job::of(Work::Once(Box::new(move |_, _: &dyn Fn() -> Completion| {
            step.begin();
            Some(Outcome::Succeeded)
        })));
        job.policy_mut().has_passed_gate = true;
        let scheduler = &self.scheduler;
        // If the job is refused, the step is dropped, which notifies the recorder.
        drop(scheduler.once_job_beyond_capacity(scheduler.now(), job));
    }

    /// Handles the end of an attempt.
    fn end(&mut self, ended: EndedRun) {
        let EndedRun { key, started, outcome, completion, is_retried, ends_at_next_event, _done } =
            ended;
        let latest = self.jobs.get(&key.job).and_then(|job| job.latest);
        let is_retried = is_retried && !(ends_at_next_event && latest > Some(key.scheduled));
        if is_retried && let Some(run) = self.active.get_mut(&key) {
            run.is_waiting = true;
            return completion.finish(outcome);
        }
        let run = self.active.remove(&key);
        let started = run.as_ref().and_then(|run| run.started).unwrap_or(started);
        let record = RunRecord {
            state: state(&outcome),
            started: Some(started),
            ended: Some(self.now()),
            attempts: Some(run.as_ref().map_or(1, |run| run.attempts)),
        };
        let claim = run.and_then(|run| run.claim);
        let mut completion = Some((outcome, completion));
        if !self.is_paused() {
            match self.record(&key, claim.as_ref(), record) {
                Ok(()) => {
                    self.recovered();
                    return self.finished(&key, completion);
                }
                Err(error) => self.failed(error),
            }
        }
        if self.settings.failure == HistoryFailure::Run
            && let Some((outcome, completion)) = completion.take()
        {
            completion.finish(outcome);
        }
        self.unrecorded.push_back(UnrecordedEnd { key, claim, record, completion });
    }

    /// Continues after the end of a run is recorded: removes old runs, ends the run, and starts
    /// runs that waited for it.
    pub(super) fn finished(&mut self, key: &RunKey, completion: Option<(Outcome, Completion)>) {
        self.prune_after_end(&key.job, key.scheduled);
        let was_restart = self.restarts.remove(key);
        if let Some((outcome, completion)) = completion {
            completion.finish(outcome);
        }
        if was_restart {
            self.start_held();
        }
    }

    /// Returns the time of the scheduler's clock in milliseconds.
    pub(super) fn now(&self) -> i64 {
        Nanos::from(self.scheduler.now()).millis()
    }

    /// Notes that the history failed, and reports the first failure.
    pub(super) fn failed(&mut self, error: HistoryError) {
        self.tried = Instant::now();
        let wait = self.wait.map_or(FIRST_WAIT, |wait| wait.saturating_mul(2).min(LONGEST_WAIT));
        if self.wait.replace(wait).is_none() {
            self.report(&HistoryEvent::Failed { error });
        }
    }

    /// Notes that the history works, and reports a recovery.
    pub(super) fn recovered(&mut self) {
        if self.wait.take().is_some() {
            self.report(&HistoryEvent::Recovered);
        }
    }

    pub(super) fn report(&self, event: &HistoryEvent) {
        match &self.settings.observer {
            // The panic hook reports a panic of the observer.
            Some(HistoryObserver(observer)) => drop(catch_panic(|| observer(event))),
            None => super::report_to_standard_error(event),
        }
    }
}
