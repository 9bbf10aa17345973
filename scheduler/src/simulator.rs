//! [`Simulator`]: the scheduler by a virtual clock.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::core::{Core, Start};
use crate::error::AddError;
use crate::event::Observer;
use crate::instant::Nanos;
use crate::job::{Completion, Finish, Job, Outcome, RunContext};
use crate::shared::{attempt, discard, discard_each};
use crate::slots::Key;
use crate::source::EventSource;
use crate::span::Span;
use crate::stats::Stats;
use millicron::{IntervalError, IntoRecurrence};

/// The scheduler by a virtual clock: the same decisions, in the same order, without
/// threads and without waiting.
///
/// A job's closure is called when its run starts, and takes no time; how long the run
/// takes is told by another closure. Stalls, jumps of the clock, cancels, pauses and
/// changes of the workers are put in between. All that happens is told to an
/// [`Observer`], and is the same each time.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use millicron::schedule;
/// use millicron_scheduler::{Event, Job, SkipReason, Simulator};
///
/// let story = Arc::new(Mutex::new(Vec::new()));
/// let told = Arc::clone(&story);
/// let start = UNIX_EPOCH + Duration::from_secs(1_700_000_000); // 22:13:20
/// let mut simulator = Simulator::new(start).observer(move |event: &Event| {
///     told.lock().expect("no panics").push(match event {
///         Event::Started { run } => format!("{} {:?} late", run.number(), run.lateness()),
///         Event::Skipped { count, reason: SkipReason::Overlap, .. } => format!("{count} skipped"),
///         _ => return,
///     });
/// });
///
/// // Each third run takes more than an hour.
/// let slow = |run: &millicron_scheduler::RunContext| {
///     Duration::from_secs(if run.number() % 3 == 0 { 5000 } else { 1 })
/// };
/// simulator.add(schedule!("*:00:00"), Job::new(|_| {}).name("hourly"), slow)?;
/// simulator.run_for(Duration::from_secs(5 * 3600));
/// assert_eq!(*story.lock().expect("no panics"), [
///     "1 0ns late", "2 0ns late", "3 0ns late", "1 skipped", "4 0ns late",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulator {
    core: Core,
    now: Nanos,
    /// From the clock to the time that really passes, in which runs take their time.
    ahead: i64,
    workers: usize,
    /// How long the runs of jobs take.
    takes: HashMap<Key, Takes>,
    /// The runs that go on, by the real time of their ends, in the order in which
    /// they began.
    ends: BTreeMap<(i64, u64), Outcome>,
    observer: Option<Box<dyn Observer>>,
}

/// How long a run takes.
type Takes = Box<dyn FnMut(&RunContext) -> Duration>;

/// A job of a [`Simulator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SimulatedJob(Key);

impl Simulator {
    /// A simulation that begins at an instant, with as many workers as there are
    /// runs.
    #[must_use]
    pub fn new(start: impl Into<SystemTime>) -> Self {
        Self {
            core: Core::new(None, false),
            now: start.into().into(),
            ahead: 0,
            workers: usize::MAX,
            takes: HashMap::new(),
            ends: BTreeMap::new(),
            observer: None,
        }
    }

    /// Who is told of all that happens.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Box::new(observer));
        self.core.watch();
        self
    }

    /// How many runs go on at the most; the others wait.
    pub fn set_workers(&mut self, workers: usize) {
        self.workers = workers;
        self.work();
    }

    /// The time by the virtual clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.now.time()
    }

    /// Adds a job, and tells how long its runs take.
    ///
    /// # Errors
    ///
    /// As [`SchedulerHandle::add`](crate::SchedulerHandle::add).
    pub fn add(
        &mut self,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
        job: Job,
        takes: impl FnMut(&RunContext) -> Duration + 'static,
    ) -> Result<SimulatedJob, AddError> {
        let timetable = match recurrence.into_recurrence(self.now.ceil_millis()) {
            Ok(recurrence) => EventSource::new(recurrence),
            Err(error) => return Err(AddError::Interval(error, job)),
        };
        let mut timetable = Some(timetable);
        let added = self.core.add(job, &mut timetable, self.now);
        discard(timetable);
        let key = added?;
        self.takes.insert(key, Box::new(takes));
        self.work();
        Ok(SimulatedJob(key))
    }

    /// Adds a job that runs once, at an instant, and tells how long that takes.
    ///
    /// # Errors
    ///
    /// As [`SchedulerHandle::once`](crate::SchedulerHandle::once).
    pub fn once(
        &mut self,
        instant: impl Into<SystemTime>,
        job: Job,
        takes: impl FnMut(&RunContext) -> Duration + 'static,
    ) -> Result<SimulatedJob, AddError> {
        let key = self.core.add_once(job, instant.into().into())?;
        self.takes.insert(key, Box::new(takes));
        self.work();
        Ok(SimulatedJob(key))
    }

    /// See [`JobHandle::cancel`](crate::JobHandle::cancel).
    pub fn cancel(&mut self, job: SimulatedJob) -> bool {
        let was_there = self.core.cancel(job.0).carry_out();
        discard(self.takes.remove(&job.0));
        self.work();
        was_there
    }

    /// See [`JobHandle::pause`](crate::JobHandle::pause).
    pub fn pause(&mut self, job: SimulatedJob) -> bool {
        let was_waiting = self.core.pause(job.0);
        self.work();
        was_waiting
    }

    /// See [`JobHandle::resume`](crate::JobHandle::resume).
    pub fn resume(&mut self, job: SimulatedJob) -> bool {
        let resumed = self.core.resume(job.0, self.now);
        let was_paused = resumed.is_some();
        discard(resumed);
        self.work();
        was_paused
    }

    /// See [`JobHandle::trigger_now`](crate::JobHandle::trigger_now).
    pub fn trigger_now(&mut self, job: SimulatedJob) -> bool {
        let will_run = self.core.trigger(job.0, self.now);
        self.work();
        will_run
    }

    /// See [`JobHandle::reschedule`](crate::JobHandle::reschedule): also how the
    /// zone of a job is changed.
    ///
    /// # Errors
    ///
    /// The timetable is nothing to go by.
    pub fn reschedule(
        &mut self,
        job: SimulatedJob,
        recurrence: impl IntoRecurrence<Recurrence: Send + Sync + 'static>,
    ) -> Result<bool, IntervalError> {
        let timetable = EventSource::new(recurrence.into_recurrence(self.now.ceil_millis())?);
        let replaced = self.core.reschedule(job.0, timetable, self.now);
        let was_there = replaced.is_some();
        discard(replaced);
        self.work();
        Ok(was_there)
    }

    /// Goes on for so long.
    pub fn run_for(&mut self, duration: Duration) {
        let end = self.now.after(duration);
        loop {
            let due = self.core.next_due().map(|due| due.max(self.now));
            let ended = self.ends.first_key_value().map(|((end, _), _)| self.shown(*end));
            let Some(next) = [due, ended].into_iter().flatten().min().filter(|next| *next <= end)
            else {
                break;
            };
            self.now = next;
            self.work();
        }
        self.now = end;
        self.tell();
    }

    /// Nothing is done for so long, as when a machine is overloaded or a program
    /// stopped. Time goes on, also for runs.
    pub fn stall(&mut self, duration: Duration) {
        self.now = self.now.after(duration);
        self.work();
    }

    /// The clock is set, forward or back, while no time passes; also what a machine
    /// that sleeps meets with.
    pub fn set_clock(&mut self, now: impl Into<SystemTime>) {
        let now = Nanos::from(now.into());
        self.ahead = self.ahead.saturating_sub(now.0.saturating_sub(self.now.0));
        self.now = now;
        self.work();
    }

    /// Figures.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }

    /// Does all that is to be done now.
    fn work(&mut self) {
        loop {
            self.end_runs();
            discard_each(self.core.take_due(self.now));
            let free = self.workers.saturating_sub(self.core.running());
            let starts = (0..free).map_while(|_| self.core.start(self.now)).collect::<Vec<Start>>();
            self.tell();
            if starts.is_empty() {
                return;
            }
            for start in starts {
                self.begin(start);
            }
        }
    }

    /// What the clock shows, as it is set, at a real time.
    const fn shown(&self, real: i64) -> Nanos {
        Nanos(real.saturating_sub(self.ahead))
    }

    fn begin(&mut self, start: Start) {
        let Start { id, fire, work } = start;
        let took = self.core.key_of(id).and_then(|key| self.takes.get_mut(&key));
        let took = took.map_or(Duration::ZERO, |takes| takes(&fire));
        let span = Span::of(&fire);
        let nobody = || Completion::new(Arc::new(Nobody), id, span.clone());
        let outcome =
            span.within(|| attempt(|| work.run(&fire, nobody))).unwrap_or(Outcome::Succeeded);
        span.end(&outcome);
        let end = self.now.after(took).0.saturating_add(self.ahead);
        self.ends.insert((end, id), outcome);
    }

    /// Ends the runs whose time is over.
    fn end_runs(&mut self) {
        let real = self.now.0.saturating_add(self.ahead);
        while let Some(end) = self.ends.first_entry().filter(|end| end.key().0 <= real) {
            let ((at, id), outcome) = end.remove_entry();
            let job = self.core.key_of(id);
            let remains = self.core.finish(id, outcome, self.shown(at));
            let mut is_gone = |job: &Key| !self.core.has(*job);
            let takes = job.filter(&mut is_gone).and_then(|job| self.takes.remove(&job));
            discard((remains, takes));
        }
    }

    fn tell(&mut self) {
        let events = self.core.take_events();
        if let Some(observer) = &self.observer {
            for event in &events {
                observer.on(event);
            }
        }
    }
}

/// Nobody waits for deferred runs: it is told how long they take.
struct Nobody;

impl Finish for Nobody {
    fn finish(&self, _: u64, _: Outcome) {}
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulator").field("now", &self.now()).finish_non_exhaustive()
    }
}
