//! [`Spawner`] and [`Children`]: start processes, enforce their time limits, and reap them.
//!
//! Process 1, or a process that adopts orphans, must reap processes that it did not start. So [`reap_any`] accepts any
//! process, and only [`Children`] knows which ones are its own. Starting a process holds a lock shared, and reaping any
//! process holds it exclusively, so each process is known before it is reaped, and none is taken from the standard
//! library while it starts one. Reaping never waits for that lock, since a start may take long, for example from a disk
//! that does not respond. Meanwhile, only known processes are reaped, and those of known groups whose first process was
//! reaped. A process that is being started is in our group or in a new one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::iter;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_history::RunState;
use millicron_history::error_message;
use millicron_pipeline::EndedRun;
use millicron_scheduler::{Completion, Outcome, RunContext};
use mio::unix::pipe;
use rustix::process::{Pid, Signal};

use super::start::{self, Process};
use super::wait::{is_alive, reap_any, reap_member, reap_process};
use crate::file::Command;
use crate::run::events;
use crate::run::history::RunWriter;
use crate::run::log::{
    LogLevel, OutputThread, Pipes, Record, RunEnd, RunLabel, StartedRun, timestamp,
};
use crate::run::metrics;

/// When to reap again if a start was in progress.
const REAP_AGAIN: Duration = Duration::from_millis(5);

/// How many cancelled runs without a process are remembered.
const MOST_CANCELLED: usize = 64;

/// How a run failed that was cancelled.
const CANCELLED: &str = "cancelled";

/// How the runs of a job are started. A reload may replace it.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) command: Arc<Command>,
    /// How long a command may take.
    pub(crate) limit: Option<Duration>,
    /// Whether several runs may be in progress.
    pub(crate) may_overlap: bool,
}

/// Starts commands, on any thread.
pub(crate) struct Spawner {
    /// Held shared while a process is started, and exclusively while processes are reaped.
    lock: RwLock<()>,
    started: Sender<Child>,
    output: OutputThread,
    history: Option<RunWriter>,
    runs: AtomicUsize,
    /// Called after each start, since a process may have to be ended at once.
    wake: Box<dyn Fn() + Send + Sync>,
}

/// A run whose command was not started.
pub(crate) struct NotStarted {
    label: RunLabel,
    message: String,
    completion: Completion,
    /// Whether it may be started later.
    pub(crate) is_temporary: bool,
}

/// A process that was started.
#[derive(Debug)]
struct Child {
    run: usize,
    label: Arc<RunLabel>,
    completion: Completion,
    pid: Pid,
    pipes: Arc<Pipes>,
    began: Instant,
    limit: Option<Duration>,
    state: GroupState,
    /// When to signal it next.
    deadline: Option<Instant>,
    /// How it ended, while other processes of its group are still running.
    status: Option<ExitStatus>,
}

/// Why a command was ended.
#[derive(Clone, Copy, Debug)]
enum Reason {
    TimedOut(Duration),
    Cancelled,
    Stopped,
}

/// How far a process group has been ended.
#[derive(Clone, Copy, Debug)]
enum GroupState {
    Running,
    /// It was sent SIGTERM.
    Terminating(Reason),
    Killed(Reason),
}

impl Spawner {
    /// Starts the command of a run. `completion` is finished when the command ends.
    pub(crate) fn try_start(
        &self,
        settings: &Settings,
        number: u64,
        run: &RunContext,
        completion: Completion,
    ) -> Result<(), Box<NotStarted>> {
        let mut label = label(number, run, settings.may_overlap);
        let guard = self.lock.read().unwrap_or_else(PoisonError::into_inner);
        let (began, started) = (Instant::now(), Timestamp::now());
        let Process { pid, stdout, stderr } = match start::start(&settings.command, run) {
            Ok(process) => process,
            Err(error) => {
                let message = format!("cannot be started: {}", error_message(&error));
                let is_temporary = start::is_temporary(&error);
                let error = NotStarted { label, message, completion, is_temporary };
                return Err(Box::new(error));
            }
        };
        label.pid = Some(pid.as_raw_nonzero().get());
        let (id, label) = (self.runs.fetch_add(1, Ordering::Relaxed), Arc::new(label));
        let (stdout, stderr) = (pipe::Receiver::from(stdout), pipe::Receiver::from(stderr));
        for pipe in [&stdout, &stderr] {
            // Otherwise, the output thread would wait for this command alone.
            drop(pipe.set_nonblocking(true));
        }
        let pipes = Arc::new(Pipes::new(stdout, stderr));
        let run = StartedRun { id, label: Arc::clone(&label), started, pipes: Arc::clone(&pipes) };
        // Before the process can be reaped, so its start is written before its end.
        self.output.add(run);
        let child = Child {
            run: id,
            label,
            completion,
            pid,
            pipes,
            began,
            limit: settings.limit,
            state: GroupState::Running,
            deadline: None,
            status: None,
        };
        // The receiver lives as long as this program.
        drop(self.started.send(child));
        drop(guard);
        (self.wake)();
        Ok(())
    }

    /// Ends a run that was not started.
    pub(crate) fn fail(&self, error: NotStarted) {
        let NotStarted { label, message, completion, .. } = error;
        let record = failed(&message, "", label.attempt, &completion);
        self.output.log(record.of_run(Cow::Owned(label.clone())));
        // The page, which shows this, does not name the command.
        self.finish(&label, Some("it cannot be started".to_owned()), completion);
        (self.wake)();
    }

    /// Ends a run that was cancelled before it was started.
    pub(crate) fn cancel(&self, number: u64, run: &RunContext, completion: Completion) {
        let label = label(number, run, false);
        let record = failed(CANCELLED, "", label.attempt, &completion);
        self.output.log(record.of_run(Cow::Owned(label.clone())));
        self.finish(&label, Some(CANCELLED.to_owned()), completion);
        (self.wake)();
    }

    /// Logs that a run was not started yet, unless that is known, and returns its completion.
    pub(crate) fn delay(&self, error: NotStarted, is_known: bool) -> Completion {
        let NotStarted { label, message, completion, .. } = error;
        if !is_known {
            let message = format!("waits, since it {message}");
            let record = Record::warning("waiting", message);
            self.output.log(record.of_run(Cow::Owned(label)));
        }
        completion
    }

    /// Logs that runs do not start, because `run` is stopping.
    pub(crate) fn log_dropped<'r>(&self, runs: impl IntoIterator<Item = &'r RunContext>) {
        let mut dropped = BTreeMap::<String, Vec<_>>::new();
        for run in runs {
            dropped.entry(run.job_name().to_string()).or_default().push(run.scheduled());
        }
        for (job, runs) in dropped {
            if let Some(record) = events::dropped(&runs, 0, &self.output) {
                self.output.log(record.of_job(job));
            }
        }
    }

    /// Records that a run was skipped.
    pub(crate) fn record_skip(&self, run: &EndedRun) {
        if let Some(history) = &self.history {
            history.add(&run.job, timestamp(run.scheduled), 0, run.state);
        }
    }

    /// Records how a run ended, and finishes it.
    fn finish(&self, label: &RunLabel, failure: Option<String>, completion: Completion) {
        if let Some(history) = &self.history {
            let state = failure.as_ref().map_or(RunState::Succeeded, |_| RunState::Failed);
            history.add(&label.job, label.scheduled, label.attempt, state);
        }
        completion.finish(failure.map_or(Outcome::Succeeded, Outcome::Failed));
    }
}

/// The running processes.
pub(crate) struct Children {
    pub(crate) spawner: Arc<Spawner>,
    started: Receiver<Child>,
    /// How long a process group may take to end before it is killed.
    kill_after: Duration,
    by_group: HashMap<Pid, Child>,
    /// The deadlines of all groups, the earliest first.
    deadlines: BTreeSet<(Instant, i32)>,
    /// When to reap again, because a process has ended, or because a start was in progress.
    reap_again: Option<Instant>,
    /// Groups that outlive the process that began them, while their end is awaited.
    headless: Vec<Pid>,
    /// Groups that commands left in the background.
    background: HashSet<Pid>,
    /// The last runs that were cancelled when they had no process, since they may have been about to start.
    cancelled: VecDeque<RunContext>,
    /// Whether processes get SIGTERM as soon as they have started.
    is_stopping: bool,
    /// How many groups were killed because they did not end.
    pub(crate) killed: u64,
    /// How many of them were killed while stopping.
    pub(crate) killed_when_stopping: u64,
}

impl Children {
    pub(crate) fn new(
        output: OutputThread,
        kill_after: Duration,
        history: Option<RunWriter>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let (sender, started) = channel();
        let spawner = Arc::new(Spawner {
            lock: RwLock::new(()),
            started: sender,
            output,
            history,
            runs: AtomicUsize::new(0),
            wake: Box::new(wake),
        });
        Self {
            spawner,
            started,
            kill_after,
            by_group: HashMap::new(),
            deadlines: BTreeSet::new(),
            reap_again: None,
            headless: Vec::new(),
            background: HashSet::new(),
            cancelled: VecDeque::new(),
            is_stopping: false,
            killed: 0,
            killed_when_stopping: 0,
        }
    }

    /// Returns how many process groups are running.
    pub(crate) fn count(&mut self) -> usize {
        self.adopt();
        self.by_group.len()
    }

    /// Returns how many ended commands have left processes of their groups behind.
    pub(crate) fn count_background(&self) -> usize {
        self.background.len()
    }

    /// Takes over the processes that were started.
    fn adopt(&mut self) {
        while let Ok(child) = self.started.try_recv() {
            let group = child.pid;
            // An earlier group had the same ID.
            self.background.remove(&group);
            let deadline = child.limit.and_then(|limit| child.began.checked_add(limit));
            let is_cancelled = self.cancelled.iter().any(|run| child.is_attempt_of(run));
            self.by_group.insert(group, child);
            self.set_deadline(group, deadline);
            if self.is_stopping {
                self.terminate(group, Reason::Stopped);
            } else if is_cancelled {
                self.terminate(group, Reason::Cancelled);
            }
        }
    }

    fn set_deadline(&mut self, group: Pid, deadline: Option<Instant>) {
        let Some(child) = self.by_group.get_mut(&group) else { return };
        let number = group.as_raw_nonzero().get();
        if let Some(before) = std::mem::replace(&mut child.deadline, deadline) {
            self.deadlines.remove(&(before, number));
        }
        self.deadlines.extend(deadline.map(|deadline| (deadline, number)));
    }

    /// Lets [`enforce`](Self::enforce) reap the processes that have ended.
    pub(crate) fn reap_soon(&mut self) {
        self.reap_again = Some(Instant::now());
    }

    /// Reaps the processes that have ended.
    pub(crate) fn reap(&mut self) {
        let spawner = Arc::clone(&self.spawner);
        let guard = spawner.lock.try_write();
        self.adopt();
        let is_starting = guard.is_err();
        let ended: Vec<_> = if is_starting {
            self.reap_again = Instant::now().checked_add(REAP_AGAIN);
            let known = self.by_group.values().filter(|child| child.status.is_none());
            known.filter_map(|child| reap_process(child.pid)).collect()
        } else {
            self.reap_again = None;
            iter::from_fn(reap_any).collect()
        };
        drop(guard);
        let mut orphans = 0;
        for (pid, status) in ended {
            orphans += u64::from(!self.ended(pid, status));
        }
        if is_starting {
            // Otherwise, these groups would stay alive until the start returns.
            let left = self.headless.iter().chain(&self.background);
            let reaped = left.flat_map(|group| iter::from_fn(|| reap_member(*group)));
            orphans += reaped.count() as u64;
        }
        for group in std::mem::take(&mut self.headless) {
            if is_alive(group) {
                self.headless.push(group);
            } else if let Some(status) = self.by_group.get(&group).and_then(|child| child.status) {
                self.end(group, status);
            }
        }
        self.background.retain(|group| is_alive(*group));
        metrics::reaped(orphans, self.killed);
    }

    /// Handles the end of a process. Returns whether it was started here.
    fn ended(&mut self, pid: Pid, status: ExitStatus) -> bool {
        let Some(child) = self.by_group.get_mut(&pid).filter(|child| child.status.is_none()) else {
            return false;
        };
        // A command that was sent SIGTERM has ended once its whole group has.
        if matches!(child.state, GroupState::Terminating(_)) && is_alive(pid) {
            child.status = Some(status);
            self.headless.push(pid);
        } else {
            self.end(pid, status);
        }
        true
    }

    fn end(&mut self, group: Pid, status: ExitStatus) {
        self.set_deadline(group, None);
        let Some(child) = self.by_group.remove(&group) else { return };
        let has_left = is_alive(group);
        if has_left {
            self.background.insert(group);
        }
        let Child { run: id, label, completion, pipes, .. } = child;
        let failure = child.state.failure(status);
        let seconds = child.began.elapsed().as_secs_f64();
        let record = match &failure {
            None => Record::info("succeeded", format!("succeeded in {seconds:.3}s")),
            Some(message) => {
                failed(message, &format!(", after {seconds:.3}s"), label.attempt, &completion)
            }
        };
        metrics::ended(&label.job, failure.is_none());
        // Before the next run can start. Neither call waits for the reader of the output.
        let record = record.ended(seconds, status);
        let run = RunEnd { id, label: Arc::clone(&label), record };
        self.spawner.output.end(run, (!has_left).then_some(&pipes));
        self.spawner.finish(&label, failure, completion);
    }

    /// Returns when to call [`enforce`](Self::enforce) next.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let first = self.deadlines.first().map(|(deadline, _)| *deadline);
        [first, self.reap_again].into_iter().flatten().min()
    }

    /// Reaps processes that have ended, and ends those that have run for too long.
    pub(crate) fn enforce(&mut self, now: Instant) {
        self.adopt();
        // Also if a process must be signalled: it may have ended, unnoticed while this process was suspended.
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.reap();
        }
        while let Some((deadline, number)) = self.deadlines.first().copied()
            && deadline <= now
        {
            self.deadlines.pop_first();
            let Some(group) = Pid::from_raw(number) else { continue };
            match self.by_group.get(&group).map(|child| (child.state, child.limit)) {
                Some((GroupState::Running, Some(limit))) => {
                    self.terminate(group, Reason::TimedOut(limit));
                }
                Some((GroupState::Terminating(_), _)) => self.kill(group),
                _ => {}
            }
        }
    }

    /// Sends SIGTERM to the processes of a run. Returns whether it has any.
    pub(crate) fn cancel(&mut self, run: &RunContext) -> bool {
        // A run whose processes have ended is not cancelled.
        self.reap();
        let groups = self.by_group.iter().filter(|(_, child)| child.is_attempt_of(run));
        let groups = groups.map(|(group, _)| *group).collect::<Vec<_>>();
        for group in &groups {
            self.terminate(*group, Reason::Cancelled);
        }
        !groups.is_empty()
    }

    /// Sends SIGTERM to the processes of a run as soon as it has any.
    pub(crate) fn cancel_at_start(&mut self, run: &RunContext) {
        self.cancelled.push_back(run.clone());
        if self.cancelled.len() > MOST_CANCELLED {
            self.cancelled.pop_front();
        }
    }

    /// Sends SIGTERM to all processes, and to those that start from now on.
    pub(crate) fn terminate_all(&mut self) {
        // A run whose processes have ended is not stopped.
        self.reap();
        self.is_stopping = true;
        for group in self.groups() {
            self.terminate(group, Reason::Stopped);
        }
        for group in &self.background {
            start::signal_group(*group, Signal::TERM);
            start::signal_group(*group, Signal::CONT);
        }
    }

    /// Kills all processes.
    pub(crate) fn kill_all(&mut self) {
        self.terminate_all();
        for group in self.groups() {
            self.kill(group);
        }
        self.background.retain(|group| is_alive(*group));
        for group in std::mem::take(&mut self.background) {
            self.signal_kill(group);
            self.background.insert(group);
        }
    }

    fn groups(&self) -> Vec<Pid> {
        self.by_group.keys().copied().collect()
    }

    fn terminate(&mut self, group: Pid, reason: Reason) {
        let Some(child) = self.by_group.get_mut(&group) else { return };
        if !matches!(child.state, GroupState::Running) {
            return;
        }
        child.state = GroupState::Terminating(reason);
        self.set_deadline(group, Instant::now().checked_add(self.kill_after));
        start::signal_group(group, Signal::TERM);
        // A stopped process could not end.
        start::signal_group(group, Signal::CONT);
    }

    fn kill(&mut self, group: Pid) {
        let Some(child) = self.by_group.get_mut(&group) else { return };
        let GroupState::Terminating(reason) = child.state else { return };
        // The ID of an empty group whose first process was reaped may be reused.
        if child.status.is_none() || is_alive(group) {
            child.state = GroupState::Killed(reason);
            self.set_deadline(group, None);
            self.signal_kill(group);
        }
    }

    fn signal_kill(&mut self, group: Pid) {
        self.killed += 1;
        self.killed_when_stopping += u64::from(self.is_stopping);
        start::signal_group(group, Signal::KILL);
    }
}

impl Child {
    /// An event may run again, so the instant of the start counts too.
    fn is_attempt_of(&self, run: &RunContext) -> bool {
        let RunLabel { job, attempt, scheduled, started, .. } = &*self.label;
        *scheduled == timestamp(run.scheduled())
            && *started == timestamp(run.started())
            && *attempt == run.attempt()
            && *job == run.job_name().to_string()
    }
}

impl GroupState {
    /// Returns why a run whose command ended in this state failed, if it did.
    fn failure(self, status: ExitStatus) -> Option<String> {
        let failure = start::failure(status);
        let (Self::Terminating(reason) | Self::Killed(reason)) = self else { return failure };
        let ended = failure.map_or_else(String::new, |failure| format!(" ({failure})"));
        Some(match reason {
            Reason::TimedOut(limit) => format!("timed out after {limit:?}{ended}"),
            Reason::Cancelled => format!("{CANCELLED}{ended}"),
            Reason::Stopped => format!("stopped{ended}"),
        })
    }
}

/// Identifies a run that was not started.
fn label(number: u64, run: &RunContext, is_one_of_many: bool) -> RunLabel {
    RunLabel {
        job: run.job_name().to_string(),
        number,
        attempt: run.attempt(),
        scheduled: timestamp(run.scheduled()),
        started: timestamp(run.started()),
        pid: None,
        is_one_of_many,
    }
}

/// Returns the record of an attempt that has failed, perhaps `after` some time.
fn failed(message: &str, after: &str, attempt: u32, completion: &Completion) -> Record<'static> {
    let is_retried = completion.retry_after().is_some();
    let (level, then) = match (is_retried, attempt) {
        (true, _) => (LogLevel::Warning, "; another attempt follows".to_owned()),
        (false, 1) => (LogLevel::Error, String::new()),
        (false, _) => (LogLevel::Error, format!("; gave up after {attempt} attempts")),
    };
    Record::new(level, "failed", format!("{message}{after}{then}")).retried(is_retried)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::{GroupState, Reason};
    use crate::run::testing;

    #[test]
    fn a_process_that_has_ended_is_reaped_by_the_next_look_at_deadlines() {
        let mut children = testing::children();
        let (run, completion) = testing::run_started_at(1);
        let started = children.spawner.try_start(&testing::settings(), 1, &run, completion);
        assert!(started.is_ok());
        // While another start is in progress, so that only this process is reaped.
        let spawner = Arc::clone(&children.spawner);
        let _start = spawner.lock.read().expect("no test panics");
        while children.count() > 0 {
            children.reap_soon();
            assert!(children.deadline().is_some_and(|deadline| deadline <= Instant::now()));
            children.enforce(Instant::now());
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_cancelled_run_does_not_end_a_later_run_of_the_same_event() {
        for (cancelled, started, expected) in [(1, 1, true), (1, 2, false)] {
            let mut children = testing::children();
            children.cancel_at_start(&testing::run_started_at(cancelled).0);
            let (run, completion) = testing::run_started_at(started);
            let started = children.spawner.try_start(&testing::settings(), 1, &run, completion);
            assert!(started.is_ok());
            assert_eq!(children.count(), 1);
            let states = children.by_group.values().map(|child| child.state);
            let is_cancelled = |state| matches!(state, GroupState::Terminating(Reason::Cancelled));
            assert_eq!(states.map(is_cancelled).collect::<Vec<_>>(), [expected]);
        }
    }
}
