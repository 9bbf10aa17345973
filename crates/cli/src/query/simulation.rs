//! [`Simulation`]: runs the jobs of a file on the library's simulator.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan, Zoned};
use millicron_pictures::{HourLoad, Length, number};
use millicron_scheduler::{Event, Job, JobName, SimulatedJob, Simulator, SkipReason};

use crate::error::Error;
use crate::file::{JobEntry, JobFile};

/// How long to wait before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// About how many events are simulated between two checks of the clock.
const EVENTS_A_STEP: u64 = 100_000;

/// The most events to simulate; more would take too long.
const MAX_EVENTS: u64 = 100_000_000;

/// The resolution of time.
const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

/// What to simulate.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub(crate) start: Zoned,
    pub(crate) days: u16,
    /// The duration of jobs without their own.
    pub(crate) duration: Duration,
    /// The most runs at once.
    pub(crate) workers: Option<usize>,
    /// When the machine sleeps each day.
    pub(crate) sleep: Option<(Time, Time)>,
}

/// The results of a simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    pub(crate) jobs: Vec<JobResult>,
    pub(crate) total: JobResult,
    /// When the most runs were in progress for the first time.
    pub(crate) most_at: Option<SystemTime>,
    pub(crate) hours: [HourLoad; 24],
    running: Vec<u64>,
    running_in_all: u64,
    /// The instant up to which the load by hour is counted.
    counted: Option<Timestamp>,
    /// A quarter of an hour and its hour of the day, which is the same throughout: clocks change between quarters.
    quarter: Option<(i64, usize)>,
}

/// The results of one job, or of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JobResult {
    pub(crate) runs: u64,
    /// The events that were skipped because a run was in progress.
    pub(crate) overlapped: u64,
    /// The missed events, which were skipped or covered by a later run, or for which the machine never woke up.
    pub(crate) missed: u64,
    /// The runs ended by their timeout.
    pub(crate) timed_out: u64,
    /// The most runs at once.
    pub(crate) most: u64,
    /// The longest delay of a run.
    pub(crate) latest: Duration,
}

impl Simulation {
    /// Simulates the jobs of a file from the start to before the end.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many events.
    pub(crate) fn run(&self, file: &JobFile) -> Result<Results, Error> {
        let end = self.start.checked_add(i64::from(self.days).days()).map_err(Error::new)?;
        let range = self.start.timestamp()..end.timestamp();
        let count = |job: &JobEntry| job.schedule.count(range.clone());
        let events = file.jobs.iter().map(count).fold(0, u64::saturating_add);
        if events > MAX_EVENTS {
            let [events, most] = [events, MAX_EVENTS].map(number);
            return Err(Error::new(format_args!(
                "{events} events are too many to simulate, and {most} are the most"
            ))
            .hint("choose fewer `--days`, or leave out jobs that run each millisecond"));
        }
        let results = Arc::new(Mutex::new(Results {
            jobs: vec![JobResult::default(); file.jobs.len()],
            running: vec![0; file.jobs.len()],
            ..Results::default()
        }));
        // The simulator excludes its start and includes its end.
        let begin = range.start.checked_sub(INSTANT).map_err(Error::new)?;
        let mut simulator = Simulator::new(SystemTime::from(begin)).observer(observer(
            file,
            self.start.time_zone().clone(),
            Arc::clone(&results),
        ));
        if let Some(workers) = self.workers {
            simulator.set_workers(workers);
        }
        let mut jobs = Vec::new();
        for (index, entry) in file.jobs.iter().enumerate() {
            // The simulator refuses schedules without further events.
            if entry.schedule.next_event(begin).is_some() {
                jobs.push(self.add(&mut simulator, index, entry, &results)?);
            }
        }
        let slept_from = self.advance(&mut simulator, &jobs, events)?;
        drop(simulator);
        let results = Arc::try_unwrap(results).map_err(|_| Error::new("the simulation goes on"))?;
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(from) = slept_from {
            results.miss(file, from..range.end);
        }
        results.note_load(range.end, self.start.time_zone());
        Ok(results)
    }

    fn add(
        &self,
        simulator: &mut Simulator,
        index: usize,
        entry: &JobEntry,
        results: &Arc<Mutex<Results>>,
    ) -> Result<SimulatedJob, Error> {
        let policies = &entry.policies;
        let job = policies.set_on(Job::new(|_| {}).name(&*entry.name));
        let duration = entry.duration.unwrap_or(self.duration);
        // A command that takes longer is killed.
        let limit = policies.timeout.filter(|limit| *limit < duration);
        let results = Arc::clone(results);
        let taken = move |_: &_| {
            if limit.is_some() {
                let mut results = lock(&results);
                results.total.timed_out += 1;
                if let Some(job) = results.jobs.get_mut(index) {
                    job.timed_out += 1;
                }
            }
            limit.unwrap_or(duration)
        };
        simulator.add(entry.schedule.clone(), job, taken).map_err(Error::new)
    }

    /// Simulates until the end, and shows progress in a terminal.
    ///
    /// Returns the first instant of the last sleep if the machine does not wake up before the end.
    fn advance(
        &self,
        simulator: &mut Simulator,
        jobs: &[SimulatedJob],
        events: u64,
    ) -> Result<Option<Timestamp>, Error> {
        let end = self.start.checked_add(i64::from(self.days).days()).map_err(Error::new)?;
        let last = end.checked_sub(INSTANT).map_err(Error::new)?;
        let mut progress = Progress::new(simulator, self.days, length(simulator, &last), events);
        let mut slept_from = None;
        for (asleep, awake) in self.sleeps(&end)? {
            progress.run_until(simulator, &asleep);
            if awake < end {
                simulator.stall(length(simulator, &awake));
                continue;
            }
            // Runs in progress still end, but no run starts.
            for job in jobs {
                simulator.cancel(*job);
            }
            let now = Timestamp::try_from(simulator.now()).map_err(Error::new)?;
            slept_from = Some(now.checked_add(INSTANT).map_err(Error::new)?);
            break;
        }
        progress.run_until(simulator, &last);
        Ok(slept_from)
    }

    /// Returns when the machine falls asleep before an end, and when it wakes up. It may be asleep at the start.
    ///
    /// An event at the instant when it falls asleep still runs.
    fn sleeps(&self, end: &Zoned) -> Result<Vec<(Zoned, Zoned)>, Error> {
        let Some((from, to)) = self.sleep else { return Ok(Vec::new()) };
        let at = |time: Time, date: Date| {
            date.to_datetime(time).to_zoned(end.time_zone().clone()).map_err(Error::new)
        };
        let mut sleeps = Vec::new();
        let first = self.start.date().yesterday().map_err(Error::new)?;
        for date in first.series(1.day()).take_while(|date| *date <= end.date()) {
            let next = if to > from { date } else { date.tomorrow().map_err(Error::new)? };
            let (asleep, awake) = (at(from, date)?, at(to, next)?);
            if asleep < awake && awake > self.start && asleep < *end {
                sleeps.push((asleep, awake));
            }
        }
        Ok(sleeps)
    }
}

/// The progress of a simulation, which is shown if it takes long.
#[derive(Debug)]
struct Progress {
    begin: Instant,
    /// The simulated time at the start.
    start: SystemTime,
    length: Duration,
    days: u16,
    /// The simulated time between two checks of the clock.
    step: Duration,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new(simulator: &Simulator, days: u16, length: Duration, events: u64) -> Self {
        let steps = u32::try_from(events / EVENTS_A_STEP).unwrap_or(u32::MAX);
        let step = (length / steps.max(1)).max(Duration::from_secs(1));
        let (begin, start) = (Instant::now(), simulator.now());
        Self { begin, start, length, days, step, bar: None }
    }

    /// Simulates until an instant, and shows progress.
    fn run_until(&mut self, simulator: &mut Simulator, until: &Zoned) {
        loop {
            let rest = length(simulator, until);
            if rest.is_zero() {
                break;
            }
            simulator.run_for(rest.min(self.step));
            self.show(simulator.now());
        }
    }

    fn show(&mut self, now: SystemTime) {
        let taken = self.begin.elapsed();
        if taken < PATIENCE {
            return;
        }
        let done = now.duration_since(self.start).unwrap_or_default();
        let bar = self.bar.get_or_insert_with(|| progress_bar(self.length.as_secs()));
        let part = done.as_secs_f64() / self.length.as_secs_f64().max(1.0);
        let left = taken.as_secs_f64() * (1.0 / part.max(1e-9) - 1.0);
        let left = Duration::try_from_secs_f64(left.ceil()).unwrap_or_default();
        let day = (done.as_secs() / (24 * 60 * 60) + 1).min(self.days.into());
        bar.set_message(format!("day {day} of {}, {} left", self.days, Length::from(left)));
        bar.set_position(done.as_secs());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns a progress bar on standard error, hidden unless that is a terminal.
fn progress_bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_bar} {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn length(simulator: &Simulator, until: &Zoned) -> Duration {
    SystemTime::from(until.timestamp()).duration_since(simulator.now()).unwrap_or_default()
}

fn lock(results: &Mutex<Results>) -> MutexGuard<'_, Results> {
    results.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an observer that counts events.
fn observer(
    file: &JobFile,
    zone: TimeZone,
    results: Arc<Mutex<Results>>,
) -> impl Fn(&Event) + Send + Sync + 'static {
    let names = file.jobs.iter().map(|job| job.name.clone()).zip(0..);
    let indices: HashMap<String, usize> = names.collect();
    move |event| {
        let Some(JobName::Given(name)) = event.job_name() else { return };
        let Some(index) = indices.get(&**name).copied() else { return };
        lock(&results).count(event, index, &zone);
    }
}

impl JobResult {
    /// Counts a start.
    fn start(&mut self, lateness: Duration, running: u64) {
        self.runs += 1;
        self.latest = self.latest.max(lateness);
        self.most = self.most.max(running);
    }
}

impl Results {
    /// Counts the events of all jobs in a range as missed.
    fn miss(&mut self, file: &JobFile, range: Range<Timestamp>) {
        for (entry, job) in file.jobs.iter().zip(&mut self.jobs) {
            let count = entry.schedule.count(range.clone());
            job.missed += count;
            self.total.missed += count;
        }
    }

    /// Counts an event of job `index`.
    fn count(&mut self, event: &Event, index: usize, zone: &TimeZone) {
        self.note_hours(event, zone);
        let (Some(job), Some(running)) = (self.jobs.get_mut(index), self.running.get_mut(index))
        else {
            return;
        };
        match event {
            Event::Started { run } => {
                let started = run.started();
                *running += 1;
                self.running_in_all += 1;
                if self.running_in_all > self.total.most {
                    self.most_at = Some(started);
                }
                job.start(run.lateness(), *running);
                self.total.start(run.lateness(), self.running_in_all);
            }
            Event::Finished { .. } => {
                *running = running.saturating_sub(1);
                self.running_in_all = self.running_in_all.saturating_sub(1);
            }
            Event::Skipped { count, reason, .. } => {
                for result in [job, &mut self.total] {
                    match reason {
                        SkipReason::Overlap => result.overlapped += count,
                        _ => result.missed += count,
                    }
                }
            }
            Event::Coalesced { count, .. } => {
                job.missed += count;
                self.total.missed += count;
            }
            _ => {}
        }
    }

    /// Counts the load until a start or an end, and the start itself.
    fn note_hours(&mut self, event: &Event, zone: &TimeZone) {
        let instant = match event {
            Event::Started { run } => run.started(),
            Event::Finished { run, duration, .. } => run.started() + *duration,
            _ => return,
        };
        let Ok(instant) = Timestamp::try_from(instant) else { return };
        self.note_load(instant, zone);
        if let Event::Started { .. } = event {
            let running = self.running_in_all + 1;
            self.raise(instant, zone, running);
            self.hour(instant, zone).starts += 1;
        }
    }

    /// Counts the runs in progress in all hours until an instant.
    fn note_load(&mut self, until: Timestamp, zone: &TimeZone) {
        let from = self.counted.replace(until).unwrap_or(until);
        let running = self.running_in_all;
        if running > 0 {
            // After a day, the same hours repeat.
            let hours = until.duration_since(from).as_hours().clamp(0, 24);
            for hours in 0..=hours {
                let instant = from.checked_add(SignedDuration::from_hours(hours));
                if let Ok(instant) = instant {
                    self.raise(instant, zone, running);
                }
            }
            // The last hour may have begun since. A run that ends with an hour is not in the next one.
            let last = until.checked_sub(SignedDuration::from_nanos(1)).unwrap_or(until).max(from);
            self.raise(last, zone, running);
        }
    }

    /// Counts the runs in progress at an instant.
    fn raise(&mut self, instant: Timestamp, zone: &TimeZone, running: u64) {
        let hour = self.hour(instant, zone);
        hour.most = hour.most.max(running);
    }

    /// Returns the load in the hour of an instant.
    fn hour(&mut self, instant: Timestamp, zone: &TimeZone) -> &mut HourLoad {
        let quarter = instant.as_second().div_euclid(15 * 60);
        let hour = match self.quarter {
            Some((known, hour)) if known == quarter => hour,
            _ => usize::from(zone.to_datetime(instant).hour().unsigned_abs()) % 24,
        };
        self.quarter = Some((quarter, hour));
        &mut self.hours[hour]
    }
}
