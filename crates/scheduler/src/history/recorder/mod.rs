//! [`Recorder`]: decides which attempts start, and records how runs end.
//!
//! One thread owns the recorder and its history, so neither the timer nor a runtime waits for it.

mod add;
mod start;

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millicron_history::{Backoff, Claim, HistoryThread, RunKey, RunRecord, RunState, catch_panic};

pub(super) use self::add::{Known, Restart};
use super::event::{HistoryEvent, RecordedRun};
use super::health::Health;
use super::settings::{HistoryFailure, Settings};
use super::store::Store;
use crate::error::HistoryError;
use crate::job::Completion;
use crate::run::{CancellationToken, Outcome};
use crate::scheduler::SchedulerHandle;
use crate::time::Nanos;

/// The waits before a failed history is retried.
const BACKOFF: Backoff = Backoff::new(FIRST_WAIT, Duration::from_secs(5));
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// How often to check whether the scheduler is closed while it would wait for runs that are held.
const CLOSED_CHECK: Duration = Duration::from_millis(100);

/// The maximum number of waiting ends, or starts, to record before other calls, which workers may wait for.
const MOST_AT_ONCE: usize = 64;

pub(super) struct Recorder {
    store: Box<dyn Store>,
    settings: Settings,
    scheduler: SchedulerHandle,
    /// The runs that have started, or wait to start, and whose end is not recorded.
    runs: BTreeMap<RunKey, OpenRun>,
    /// Whether `runs` contains the runs of an earlier process.
    has_read_cut_off: bool,
    jobs: BTreeMap<Arc<str>, JobProgress>,
    /// The number of failures of the history in a row.
    failures: u32,
    health: Arc<Health>,
    /// When to retry what waits for the history.
    retry_at: Option<Instant>,
    /// The run whose end could not be recorded when the ends were last retried.
    failed_end: Option<RunKey>,
}

#[derive(Default)]
struct JobProgress {
    /// The instant of the job's first record, if this process has written it.
    first_record: Option<i64>,
    /// The number of ends since old runs were last removed. `None` if this process has not removed
    /// any yet.
    ends: Option<u64>,
}

/// A run whose end is not recorded.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct OpenRun {
    stage: Stage,
    /// Distinguishes successive jobs with the same name.
    serial: u64,
    /// `None` if the run has not started, or the history failed when it did.
    claim: Option<Claim>,
    /// Whether the history may have granted another claim even though it returned an error.
    is_unanswered: bool,
    /// Whether it is a run of an earlier process that is restarted.
    is_restart: bool,
    /// Whether a later event, which ends its retries, was to start since.
    is_overtaken: bool,
    /// Whether it was reported that the run was cut off, and that it is not restarted.
    is_reported: bool,
    /// When the first attempt started, in milliseconds.
    started: Option<i64>,
    /// The number of attempts, including those in earlier processes.
    attempts: u32,
}

#[derive(Default)]
enum Stage {
    /// It was cut off in an earlier process, and its job has not been added in this one.
    CutOff,
    /// It was cut off in an earlier process, and will be restarted.
    Restarting,
    /// An attempt waits for the history, or for a restarted run to end.
    Held(Box<Attempt>),
    Running,
    /// Its attempt goes on, but the scheduler no longer waits for it.
    GivenUp,
    /// It waits for its next attempt.
    #[default]
    Retrying,
    /// It has ended. The completion is missing if nothing waits for the record.
    Ended(RunRecord, Option<(Outcome, Completion)>),
}

/// An attempt of a run, which may start if its recorder agrees.
pub(super) struct Attempt {
    pub(super) run: RunKey,
    pub(super) serial: u64,
    /// The number of the attempt, counted from 1 across processes.
    pub(super) number: u32,
    /// Whether it waits for earlier runs of the job that are restarted.
    pub(super) is_exclusive: bool,
    /// Whether the job's other runs are not retried once this one is due.
    pub(super) ends_at_next_event: bool,
    /// Whether the scheduler has given up the run while the attempt was held.
    pub(super) is_given_up: bool,
    pub(super) token: CancellationToken,
    pub(super) completion: Completion,
    pub(super) start: Box<dyn FnOnce(Completion) + Send>,
    pub(super) recorder: HistoryThread<Recorder>,
}

impl Attempt {
    pub(super) fn start(self) {
        (self.start)(self.completion);
    }

    /// Ends a run that has run before, or that another process runs.
    fn refuse(self) {
        self.completion.finish(Outcome::Succeeded);
    }

    /// Ends an attempt of a run that was given up, which is not retried again.
    fn give_up(self) {
        self.token.cancel();
        let text = "the run was given up when a later event started";
        self.completion.finish(Outcome::Failed(text.to_owned()));
    }
}

/// An attempt that has ended.
pub(super) struct EndedAttempt {
    pub(super) run: RunKey,
    /// In milliseconds.
    pub(super) started: i64,
    pub(super) outcome: Outcome,
    pub(super) completion: Completion,
    /// Whether the run will be retried, unless its job is cancelled or the next event comes first.
    pub(super) is_retried: bool,
}

/// Returns the keys of all runs of a job.
fn runs_of(job: &Arc<str>) -> RangeInclusive<RunKey> {
    let key = |scheduled| RunKey { job: Arc::clone(job), scheduled };
    key(i64::MIN)..=key(i64::MAX)
}

impl Recorder {
    pub(super) fn new(
        store: Box<dyn Store>,
        settings: Settings,
        scheduler: SchedulerHandle,
    ) -> Self {
        let health = Arc::new(Health::new(settings.failure));
        Self {
            store,
            settings,
            scheduler,
            runs: BTreeMap::new(),
            has_read_cut_off: false,
            jobs: BTreeMap::new(),
            failures: 0,
            health,
            retry_at: None,
            failed_end: None,
        }
    }

    /// Returns what workers see of the failures.
    pub(super) fn health(&self) -> Arc<Health> {
        Arc::clone(&self.health)
    }

    /// Retries what waits for the history, if it is time. Returns when to call this again.
    pub(super) fn work(&mut self) -> Option<Instant> {
        let retry_at = self.retry_at?;
        if self.scheduler.is_closed() {
            self.drop_held();
        }
        if retry_at <= Instant::now() {
            let has_more = self.retry();
            let is_waiting = |run: &OpenRun| matches!(run.stage, Stage::Held(_) | Stage::Ended(..));
            let again = Instant::now() + if has_more { Duration::ZERO } else { FIRST_WAIT };
            let is_needed = self.runs.values().any(is_waiting);
            self.retry_at = self.retry_at.map(|at| at.max(again)).filter(|_| is_needed);
        }
        // If runs may start without the history, few are held, but very many may have ended.
        let is_held = self.settings.failure == HistoryFailure::Hold
            && self.runs.values().any(|run| matches!(run.stage, Stage::Held(_)));
        let soon = Instant::now() + CLOSED_CHECK;
        self.retry_at.map(|at| if is_held { at.min(soon) } else { at })
    }

    /// Drops the attempts that have not started: the next process catches up on their events.
    fn drop_held(&mut self) {
        let held = self.runs.extract_if(.., |_, run| matches!(run.stage, Stage::Held(_)));
        drop(held.collect::<Vec<_>>());
    }

    /// Retries what waits for the history. Returns whether there may be more to record at once.
    fn retry(&mut self) -> bool {
        if self.record_ends(MOST_AT_ONCE) == Some(MOST_AT_ONCE) {
            return true;
        }
        // Even if an end could not be recorded: the history may fail for that run alone.
        let retry_at = self.retry_at.replace(Instant::now());
        let has_more = self.start_held();
        self.retry_at = self.retry_at.max(retry_at);
        has_more
    }

    /// Makes sure that [`work`](Self::work) is called again.
    fn retry_later(&mut self) {
        self.retry_at.get_or_insert_with(|| Instant::now() + FIRST_WAIT);
    }

    /// Whether the history failed recently. Until it is retried, it is not called for starts and
    /// ends.
    fn is_paused(&self) -> bool {
        self.failures > 0 && self.retry_at.is_some_and(|at| at > Instant::now())
    }

    /// Handles the end of an attempt.
    pub(super) fn end(&mut self, ended: EndedAttempt) {
        let EndedAttempt { run: key, started, outcome, completion, is_retried } = ended;
        let ended = Some(self.now());
        let Some(run) = self.runs.get_mut(&key) else { return completion.finish(outcome) };
        let is_given_up = matches!(run.stage, Stage::GivenUp);
        if is_retried && !is_given_up && !run.is_overtaken {
            run.stage = Stage::Retrying;
            return completion.finish(outcome);
        }
        let state = if outcome.is_success() { RunState::Succeeded } else { RunState::Failed };
        let (started, attempts) = (run.started.or(Some(started)), Some(run.attempts));
        let record = RunRecord { state, started, ended, attempts };
        run.stage = Stage::Ended(record, Some((outcome, completion)));
        if self.try_to_record(&key) || self.settings.failure == HistoryFailure::Hold {
            return;
        }
        let Some(run) = self.runs.get_mut(&key) else { return };
        let is_restart = run.is_restart;
        if let Stage::Ended(_, completion) = &mut run.stage
            && let Some((outcome, completion)) = completion.take()
        {
            completion.finish(outcome);
        }
        if is_restart {
            self.start_held();
        }
    }

    /// Records the end of a run, unless the history failed recently. Returns whether it is recorded.
    fn try_to_record(&mut self, key: &RunKey) -> bool {
        let is_recorded = !self.is_paused() && self.record_end(key);
        if !is_recorded {
            self.retry_later();
        }
        is_recorded
    }

    /// Records up to `most` ends that are not recorded yet. Returns how many, or `None` if the history
    /// fails. The next call then begins with the ends after the one that failed, so that it does not hold up others.
    fn record_ends(&mut self, most: usize) -> Option<usize> {
        let failed = self.failed_end.take();
        let failed = failed.as_ref();
        let later = failed.map(|key| self.runs.range::<RunKey, _>((Excluded(key), Unbounded)));
        let until = failed.map_or(Unbounded, Included);
        let others = self.runs.range::<RunKey, _>((Unbounded, until));
        let ended = later.into_iter().flatten().chain(others);
        let ended = ended.filter(|(_, run)| matches!(run.stage, Stage::Ended(..)));
        let ended: Vec<RunKey> = ended.map(|(key, _)| key.clone()).take(most).collect();
        self.failed_end = ended.iter().find(|key| !self.record_end(key)).cloned();
        self.failed_end.is_none().then_some(ended.len())
    }

    /// Records the end of a run, and then ends it: removes old runs, and starts the attempts that
    /// waited for it. Returns whether it is recorded.
    fn record_end(&mut self, key: &RunKey) -> bool {
        let Some(OpenRun { stage: Stage::Ended(record, _), .. }) = self.runs.get(key) else {
            return true;
        };
        if let Err(error) = self.store_end(key, *record) {
            self.failed(error);
            return false;
        }
        self.recovered();
        let run = self.runs.remove(key);
        self.remove_old_runs(key);
        let Some(OpenRun { is_restart, stage: Stage::Ended(_, completion), .. }) = run else {
            return true;
        };
        if let Some((outcome, completion)) = completion {
            completion.finish(outcome);
        }
        if is_restart {
            self.start_held();
        }
        true
    }

    /// Stores the end of a run, and removes its claim.
    fn store_end(&mut self, key: &RunKey, record: RunRecord) -> Result<(), HistoryError> {
        let is_unanswered = self.runs.get(key).is_some_and(|run| run.is_unanswered);
        // A claim that stays in the history never expires. Once the record is removed as an old one,
        // the run would count as cut off.
        let granted = if is_unanswered { self.granted_claim(key)? } else { None };
        let Some(run) = self.runs.get_mut(key) else { return Ok(()) };
        run.claim = granted.or_else(|| run.claim.take());
        run.is_unanswered = false;
        self.store.record_end(key, run.claim.as_ref(), record)
    }

    /// Handles the end of a job, given the instant of the run if the job was a restart. Its runs that
    /// wait for their next attempt are given up, unless the scheduler is closed: then a later process
    /// continues them.
    pub(super) fn job_removed(&mut self, job: &Arc<str>, serial: u64, restart: Option<i64>) {
        if self.scheduler.is_closed() {
            return;
        }
        let Some(scheduled) = restart else {
            self.give_up(job, |_, run| {
                matches!(run.stage, Stage::Retrying) && run.serial == serial
            });
            self.jobs.remove(job);
            return;
        };
        // A gate may have refused the run.
        self.give_up(job, |key, run| {
            let is_waiting = matches!(run.stage, Stage::Restarting | Stage::Retrying);
            is_waiting && key.scheduled == scheduled
        });
        self.start_held();
    }

    /// Handles that the scheduler has given up a run: one that waits for its next attempt, or whose attempt
    /// goes on.
    pub(super) fn given_up(&mut self, run: &RunKey, serial: u64) {
        let Some(open) = self.runs.get_mut(run) else { return };
        match &mut open.stage {
            // Before its first attempt starts, the run does not have its serial number.
            Stage::Held(attempt) if attempt.serial == serial => attempt.is_given_up = true,
            Stage::Running if open.serial == serial => {
                open.stage = Stage::GivenUp;
                self.start_held();
            }
            Stage::Retrying if open.serial == serial => self.give_up(&run.job, |key, _| key == run),
            _ => {}
        }
    }

    /// Records runs of a job as failed whose next attempt will not start.
    fn give_up(&mut self, job: &Arc<str>, is_over: impl Fn(&RunKey, &OpenRun) -> bool) {
        let ended = Some(self.now());
        let mut over = Vec::new();
        for (key, run) in self.runs.range_mut(runs_of(job)) {
            if is_over(key, run) {
                let (started, attempts) = (run.started, Some(run.attempts));
                let record = RunRecord { state: RunState::Failed, started, ended, attempts };
                run.stage = Stage::Ended(record, None);
                over.push(key.clone());
            }
        }
        for key in over {
            self.try_to_record(&key);
        }
    }

    /// Removes old runs of a job, though not after every end.
    fn remove_old_runs(&mut self, RunKey { job, scheduled }: &RunKey) {
        let keep = self.settings.keep;
        let ends = &mut self.jobs.entry(Arc::clone(job)).or_default().ends;
        // Often enough to keep at most a tenth more than requested, even in short-lived processes.
        match ends {
            Some(ends) if *ends + 1 < (keep.most.unwrap_or(u64::MAX) / 10).clamp(1, 100) => {
                *ends += 1;
                return;
            }
            _ => *ends = Some(0),
        }
        let before = keep.longest.map(|age| {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            // The last run is kept, regardless of its age.
            self.now().saturating_sub(age).min(*scheduled)
        });
        if let Err(error) = self.store.remove_old_runs(job, keep.most, before) {
            self.failed(error);
        }
    }

    pub(super) fn last_runs(&self, job: &str, most: u64) -> Result<Vec<RecordedRun>, HistoryError> {
        self.store.last_runs(job, most)
    }

    /// Returns the time of the scheduler's clock in milliseconds.
    fn now(&self) -> i64 {
        Nanos::from(self.scheduler.now()).millis()
    }

    /// Notes that the history failed, and reports the first failure.
    fn failed(&mut self, error: HistoryError) {
        self.retry_at = Some(Instant::now() + BACKOFF.wait(self.failures));
        self.failures = self.failures.saturating_add(1);
        self.health.set_failing(true);
        if self.failures == 1 {
            self.report(&HistoryEvent::Failed { error });
        }
    }

    /// Notes that the history works, and reports a recovery.
    fn recovered(&mut self) {
        if std::mem::take(&mut self.failures) > 0 {
            self.health.set_failing(false);
            self.report(&HistoryEvent::Recovered);
        }
    }

    fn report(&self, event: &HistoryEvent) {
        // The panic hook reports a panic of the observer.
        drop(catch_panic(|| (self.settings.observer)(event)));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.record_ends(usize::MAX).is_none() {
            // Those after the one that failed.
            self.record_ends(usize::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::mpsc::channel;
    use std::time::SystemTime;

    use millicron_history::MemoryHistory;

    use super::*;
    use crate::history::JobHistory;
    use crate::job::Job;
    use crate::report::Event;
    use crate::scheduler::Scheduler;

    /// No test takes that long.
    const LONG: Duration = Duration::from_hours(1);

    fn key(scheduled: i64) -> RunKey {
        RunKey { job: "job".into(), scheduled }
    }

    /// A scheduler, and a recorder without a thread.
    fn recorder(failure: HistoryFailure) -> (Scheduler, Recorder) {
        let scheduler = Scheduler::builder().observer(|_: &Event| {}).start().expect("threads");
        let settings = Settings { failure, observer: Box::new(|_| {}), ..Settings::default() };
        let recorder = Recorder::new(Box::new(MemoryHistory::new()), settings, scheduler.handle());
        (scheduler, recorder)
    }

    /// Begins a number of attempts while the history fails, so that they are held.
    fn hold(scheduler: &Scheduler, recorder: &mut Recorder, number: i64) {
        let source = std::io::Error::other("no disk");
        recorder.failed(HistoryError::new("cannot record".to_owned(), source));
        recorder.retry_at = Some(Instant::now() + LONG);
        for attempt in attempts(scheduler, 0..number) {
            assert!(recorder.begin(Box::new(attempt)).is_none(), "it is held");
        }
    }

    /// Returns attempts of runs.
    fn attempts(scheduler: &Scheduler, instants: Range<i64>) -> Vec<Attempt> {
        // Where attempts report that they are dropped.
        let thread = JobHistory::new(scheduler, MemoryHistory::new()).expect("a thread").recorder;
        let (sender, runs) = channel();
        let attempt = |scheduled| {
            let sender = sender.clone();
            let job = Job::deferred(move |run, completion| drop(sender.send((run, completion))));
            scheduler.once_job(SystemTime::now(), job).expect("added");
            let (run, completion) = runs.recv().expect("it runs");
            Attempt {
                run: key(scheduled),
                serial: 0,
                number: 1,
                is_exclusive: false,
                ends_at_next_event: false,
                is_given_up: false,
                token: run.token().clone(),
                completion,
                start: Box::new(drop),
                recorder: thread.clone(),
            }
        };
        instants.map(attempt).collect()
    }

    #[test]
    fn closing_does_not_wait_until_a_failing_history_is_retried() {
        let (scheduler, mut recorder) = recorder(HistoryFailure::Hold);
        hold(&scheduler, &mut recorder, 1);
        let again = recorder.work().expect("a run is held");
        assert!(again <= Instant::now() + CLOSED_CHECK);
        let closing = scheduler.close();
        recorder.work();
        assert_eq!(closing.wait(Duration::from_mins(1)).len(), 0);
    }

    #[test]
    fn few_attempts_start_before_the_calls_that_workers_wait_for() {
        let (scheduler, mut recorder) = recorder(HistoryFailure::Hold);
        hold(&scheduler, &mut recorder, 200);
        recorder.retry_at = Some(Instant::now());
        let held = |recorder: &Recorder| {
            recorder.runs.values().filter(|run| matches!(run.stage, Stage::Held(_))).count()
        };
        let mut left = 200;
        while left > 0 {
            // Whenever this returns, the thread executes the calls that wait.
            let again = recorder.work();
            let started = left - held(&recorder);
            assert!((1..=MOST_AT_ONCE).contains(&started), "{started} at once");
            left -= started;
            assert_eq!(again.is_some_and(|at| at <= Instant::now()), left > 0, "the others follow");
        }
    }

    #[test]
    fn an_attempt_does_not_overtake_earlier_ones_of_its_job() {
        let (scheduler, mut recorder) = recorder(HistoryFailure::Hold);
        let number = i64::try_from(MOST_AT_ONCE).expect("a few") + 1;
        hold(&scheduler, &mut recorder, number);
        recorder.retry_at = Some(Instant::now());
        recorder.work();
        for attempt in attempts(&scheduler, number..number + 1) {
            assert!(recorder.begin(Box::new(attempt)).is_none(), "an earlier one is held");
        }
    }

    /// Otherwise, the thread would retry them all the time.
    #[test]
    fn attempts_that_wait_for_a_restarted_run_are_not_retried_at_once() {
        let (scheduler, mut recorder) = recorder(HistoryFailure::Hold);
        hold(&scheduler, &mut recorder, 200);
        for run in recorder.runs.values_mut() {
            if let Stage::Held(attempt) = &mut run.stage {
                attempt.is_exclusive = true;
            }
        }
        let restarted = OpenRun { stage: Stage::Running, is_restart: true, ..OpenRun::default() };
        recorder.runs.insert(key(-1), restarted);
        recorder.retry_at = Some(Instant::now());
        let before = Instant::now();
        assert!(recorder.work().is_some_and(|at| at >= before + FIRST_WAIT));
    }

    #[test]
    fn few_ends_are_recorded_before_the_calls_that_workers_wait_for() {
        let (_scheduler, mut recorder) = recorder(HistoryFailure::Run);
        for scheduled in 0..200 {
            let stage = Stage::Ended(RunState::Succeeded.into(), None);
            recorder.runs.insert(key(scheduled), OpenRun { stage, ..OpenRun::default() });
        }
        recorder.retry_at = Some(Instant::now());
        while !recorder.runs.is_empty() {
            let left = recorder.runs.len();
            // Whenever this returns, the thread executes the calls that wait.
            let again = recorder.work();
            let ended = left - recorder.runs.len();
            assert!((1..=MOST_AT_ONCE).contains(&ended), "{ended} at once");
            let is_over = recorder.runs.is_empty();
            assert_eq!(again.is_none_or(|at| at > Instant::now()), is_over, "the others follow");
        }
        let runs = recorder.last_runs("job", 999).expect("memory does not fail");
        assert_eq!(runs.len(), 200);
    }
}
