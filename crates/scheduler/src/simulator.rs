//! [`Simulator`]: a scheduler with a virtual clock.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millicron::{IntervalError, IntoRecurrence};

use crate::core::{AssignedRun, Core, Key};
use crate::error::AddError;
use crate::job::{Completion, EventSource, Job, OutcomeSink};
use crate::panics::{catch_panic, discard};
use crate::report::{Observer, Stats};
use crate::run::{Outcome, RunContext, RunId, Span};
use crate::time::{Nanos, Now};

/// A scheduler with a virtual clock: it makes the same decisions as a
/// [`Scheduler`](crate::Scheduler), without threads and without waiting.
///
/// A job's closure is called when a run starts, and takes no virtual time; a second closure returns
/// how long the run takes. A [deferred](Job::deferred) run succeeds after that time, whatever its
/// [`Completion`] reports. Between calls of [`run_for`](Self::run_for) you can stall the simulated
/// program, set its clock, cancel or pause jobs, and change the number of workers. An
/// [`Observer`] receives every event. The same calls always have the same result.
///
/// A panic of a job is the outcome of its run, as in a scheduler. A panic of the observer, or of a
/// closure that returns a duration, reaches the caller.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use millicron::schedule;
/// use millicron_scheduler::{Event, Job, RunContext, Simulator, SkipReason};
///
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let lines = Arc::clone(&log);
/// let start = UNIX_EPOCH + Duration::from_secs(1_700_000_000); // 22:13:20
/// let mut simulator = Simulator::new(start).observer(move |event: &Event| {
///     lines.lock().unwrap().push(match event {
///         Event::Started { run } => format!("{} started", run.number()),
///         Event::Skipped { count, reason: SkipReason::Overlap, .. } => format!("{count} skipped"),
///         _ => return,
///     });
/// });
///
/// // Every third run takes more than an hour.
/// let duration = |run: &RunContext| {
///     Duration::from_secs(if run.number() % 3 == 0 { 5000 } else { 1 })
/// };
/// simulator.add(schedule!("*:00:00"), Job::new(|_| {}).name("hourly"), duration)?;
/// simulator.run_for(Duration::from_secs(5 * 3600));
/// assert_eq!(
///     *log.lock().unwrap(),
///     ["1 started", "2 started", "3 started", "1 skipped", "4 started"],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulator {
    core: Core,
    now: Nanos,
    /// Elapsed time minus the clock's time, in nanoseconds. The durations of runs are elapsed time,
    /// regardless of the clock.
    ahead: i64,
    workers: usize,
    /// How long the runs of each job take, by its number.
    durations: HashMap<u64, RunDuration>,
    /// The runs in progress, keyed by the elapsed time at which they end, and by the order in which
    /// they started.
    ends: BTreeMap<(i64, u64), (RunId, Outcome)>,
    /// The number of runs that have started.
    started: u64,
    observer: Option<Box<dyn Observer>>,
}

/// Returns how long a run takes.
type RunDuration = Box<dyn FnMut(&RunContext) -> Duration>;

/// A job in a [`Simulator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SimulatedJob(Key);

impl Simulator {
    /// Creates a simulation that begins at an instant, with unlimited workers.
    #[must_use]
    pub fn new(start: impl Into<SystemTime>) -> Self {
        Self {
            core: Core::new(None, false, false),
            now: start.into().into(),
            ahead: 0,
            workers: usize::MAX,
            durations: HashMap::new(),
            ends: BTreeMap::new(),
            started: 0,
            observer: None,
        }
    }

    /// Sets the observer that receives every [`Event`](crate::Event) from now on.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Box::new(observer));
        self.core.observe_all();
        self
    }

    /// Sets the maximum number of concurrent runs. Further runs wait.
    pub fn set_workers(&mut self, workers: usize) {
        self.workers = workers;
        self.process();
    }

    /// Returns the time of the virtual clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.now.time()
    }

    /// Adds a job. `duration` returns how long each run takes.
    ///
    /// # Errors
    ///
    /// See [`AddError`].
    pub fn add(
        &mut self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
        duration: impl FnMut(&RunContext) -> Duration + 'static,
    ) -> Result<SimulatedJob, AddError> {
        let now = self.reading();
        let (source, job) = EventSource::of(recurrence, job, now)?;
        let added = self.core.add(job, source, now);
        self.added(added, duration)
    }

    /// Adds a job that runs once, at an instant. `duration` returns how long the run takes.
    ///
    /// # Errors
    ///
    /// See [`AddError`].
    pub fn once(
        &mut self,
        instant: impl Into<SystemTime>,
        job: Job,
        duration: impl FnMut(&RunContext) -> Duration + 'static,
    ) -> Result<SimulatedJob, AddError> {
        let now = self.reading();
        let added = self.core.add_once(job, instant.into().into(), || now);
        self.added(added, duration)
    }

    fn added(
        &mut self,
        added: Result<Key, AddError>,
        duration: impl FnMut(&RunContext) -> Duration + 'static,
    ) -> Result<SimulatedJob, AddError> {
        if let Ok(key) = &added {
            self.durations.insert(key.serial, Box::new(duration));
        }
        self.process();
        added.map(SimulatedJob)
    }

    /// Removes a job; see [`JobHandle::cancel`](crate::JobHandle::cancel).
    pub fn cancel(&mut self, job: SimulatedJob) -> bool {
        let now = self.reading();
        let existed = self.core.cancel(job.0, || now);
        self.process();
        existed
    }

    /// Pauses a job; see [`JobHandle::pause`](crate::JobHandle::pause).
    pub fn pause(&mut self, job: SimulatedJob) -> bool {
        let was_waiting = self.core.pause(job.0);
        self.process();
        was_waiting
    }

    /// Resumes a job; see [`JobHandle::resume`](crate::JobHandle::resume).
    pub fn resume(&mut self, job: SimulatedJob) -> bool {
        let was_paused = self.core.resume(job.0, self.reading());
        self.process();
        was_paused
    }

    /// Runs a job now; see [`JobHandle::trigger_now`](crate::JobHandle::trigger_now).
    pub fn trigger_now(&mut self, job: SimulatedJob) -> bool {
        let will_run = self.core.trigger(job.0, self.reading());
        self.process();
        will_run
    }

    /// Replaces the recurrence of a job, for example with the same schedule in another time zone;
    /// see [`JobHandle::reschedule`](crate::JobHandle::reschedule).
    ///
    /// # Errors
    ///
    /// Returns an error if the interval is invalid. The job keeps its recurrence.
    pub fn reschedule(
        &mut self,
        job: SimulatedJob,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
    ) -> Result<bool, IntervalError> {
        let source = EventSource::new(recurrence.into_recurrence(self.now.ceil_millis())?);
        let existed = self.core.reschedule(job.0, source, self.reading());
        self.process();
        Ok(existed)
    }

    /// Runs the simulation for a duration of virtual time, but not past April 2262, where the clock's
    /// range ends.
    pub fn run_for(&mut self, duration: Duration) {
        let end = self.now.after(duration);
        // At the end of the range, no more time passes, although runs may be due after it.
        while self.now < Nanos(i64::MAX) {
            let wait = self.core.time_to_next(self.reading());
            let due = wait.map(|wait| self.now.after(wait));
            let ended = self.ends.first_key_value().map(|((end, _), _)| self.clock_at(*end));
            let Some(next) = [due, ended].into_iter().flatten().min().filter(|next| *next <= end)
            else {
                break;
            };
            self.now = next;
            self.process();
        }
        self.now = end;
        self.notify_observer();
    }

    /// Lets time pass while the scheduler does nothing, as on an overloaded machine or in a stopped
    /// program. Runs in progress continue.
    pub fn stall(&mut self, duration: Duration) {
        self.now = self.now.after(duration);
        self.process();
    }

    /// Sets the clock, forward or back, while no time passes. Setting it forward also simulates a
    /// machine that slept.
    pub fn set_clock(&mut self, now: impl Into<SystemTime>) {
        // First notice the time before the change, as a scheduler's timer does.
        self.process();
        let now = Nanos::from(now.into());
        self.ahead = self.ahead.saturating_sub(now.0.saturating_sub(self.now.0));
        self.now = now;
        self.process();
    }

    /// Returns the scheduler's counts and measurements so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }

    /// Ends and starts runs until nothing more happens at the current instant.
    fn process(&mut self) {
        loop {
            self.end_runs();
            let now = self.reading();
            while !self.core.take_due(now, usize::MAX) {}
            let free = self.workers.saturating_sub(self.core.running());
            let starts: Vec<AssignedRun> = (0..free).map_while(|_| self.core.start(now)).collect();
            let effects = self.core.take_effects();
            for job in effects.removed_jobs() {
                drop(discard(self.durations.remove(&job)));
            }
            drop(effects.carry_out());
            self.notify_observer();
            if starts.is_empty() {
                return;
            }
            for start in starts {
                self.begin(start);
            }
        }
    }

    /// Returns the readings of both clocks.
    const fn reading(&self) -> Now {
        Now { clock: self.now, elapsed: Nanos(self.now.0.saturating_add(self.ahead)) }
    }

    /// Converts elapsed time to clock time, as the clock is currently set.
    const fn clock_at(&self, elapsed: i64) -> Nanos {
        Nanos(elapsed.saturating_sub(self.ahead))
    }

    fn begin(&mut self, start: AssignedRun) {
        let AssignedRun { id, context, work, .. } = start;
        let duration = self.duration(id, &context);
        let span = Span::of(&context);
        let completion = || Completion::new(Arc::new(IgnoreOutcome), id, span.clone());
        let Some(work) = work else { return };
        let (ended, _) = span.in_scope(|| catch_panic(|| work.run(context, &completion)));
        let outcome = match ended {
            Ok(outcome) => outcome.unwrap_or(Outcome::Succeeded),
            Err(panic) => Outcome::Panicked(panic),
        };
        span.record_outcome(&outcome);
        let end = self.reading().elapsed.after(duration);
        self.ends.insert((end.0, self.started), (id, outcome));
        self.started += 1;
    }

    /// Returns how long a run takes that starts now.
    fn duration(&mut self, id: RunId, run: &RunContext) -> Duration {
        let Some(job) = self.core.job_of(id) else { return Duration::ZERO };
        let Some(duration) = self.durations.get_mut(&job.serial) else { return Duration::ZERO };
        let time = duration(run);
        // A plain one-shot job is removed when its run starts.
        if !self.core.contains(job) {
            drop(discard(self.durations.remove(&job.serial)));
        }
        time
    }

    /// Ends the runs whose duration has elapsed.
    fn end_runs(&mut self) {
        let now = self.reading().elapsed;
        while let Some(end) = self.ends.first_entry().filter(|end| end.key().0 <= now.0) {
            let ((at, _), (id, outcome)) = end.remove_entry();
            let now = Now { clock: self.clock_at(at), elapsed: Nanos(at) };
            drop(self.core.finish(id, outcome, now));
        }
    }

    fn notify_observer(&mut self) {
        let events = self.core.take_events();
        if let Some(observer) = &self.observer {
            for event in &events {
                observer.on(event);
            }
        }
    }
}

/// Ignores the outcomes of deferred runs: in a simulation they end after their duration.
struct IgnoreOutcome;

impl OutcomeSink for IgnoreOutcome {
    fn report(&self, _: RunId, _: Outcome) {}

    fn retry_after(&self, _: RunId) -> Option<Duration> {
        None
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulator").field("now", &self.now()).finish_non_exhaustive()
    }
}
