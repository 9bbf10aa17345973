//! [`Simulation`]: runs the jobs of a file on the library's simulator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan, ZonedDateTime};
use millicron_pictures::{HourLoad, number};
use millicron_scheduler::{Event, Job, JobName, SimulatedJob, Simulator, SkipReason};

use crate::error::Error;
use crate::file::{JobEntry, JobFile};
use crate::query::schedule::note_years;

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
    pub(crate) start: ZonedDateTime,
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
    /// The runs in progress.
    running: u64,
}

impl Simulation {
    /// Simulates the jobs of a file from the start to before the end.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many events.
    pub(crate) fn run(&self, file: &JobFile) -> Result<Results, Error> {
        let end = self.end()?;
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
            ..Results::default()
        }));
        // The simulator excludes its start and includes its end.
        let begin = range.start.checked_sub(INSTANT).map_err(Error::of)?;
        let mut simulator = Simulator::new(SystemTime::try_from(begin).map_err(Error::of)?)
            .observer(observer(file, self.start.time_zone().clone(), Arc::clone(&results)));
        if let Some(workers) = self.workers {
            simulator.set_workers(workers);
        }
        let mut jobs = Vec::new();
        for entry in &file.jobs {
            // The simulator refuses schedules without further events.
            if entry.schedule.next_event(begin).is_some() {
                let job = entry.policies.set_on(Job::new(|_| {}).name(&*entry.name));
                // A command that takes longer is killed.
                let limit = entry.policies.timeout.unwrap_or(Duration::MAX);
                let taken = self.duration_of(entry).min(limit);
                let job = simulator.add(entry.schedule.clone(), job, move |_: &_| taken);
                jobs.push(job.map_err(Error::of)?);
            }
        }
        let slept_from = self.advance(&mut simulator, &jobs, &end, events)?;
        drop(simulator);
        let results = Arc::try_unwrap(results).map_err(|_| Error::new("the simulation goes on"))?;
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.note_load(range.end, self.start.time_zone());
        for (entry, job) in file.jobs.iter().zip(&mut results.jobs) {
            if entry.policies.timeout.is_some_and(|limit| limit < self.duration_of(entry)) {
                job.timed_out = job.runs;
                results.total.timed_out += job.runs;
            }
            if let Some(from) = slept_from {
                let missed = entry.schedule.count(from..range.end);
                job.missed += missed;
                results.total.missed += missed;
            }
        }
        Ok(results)
    }

    /// Notes that there are no events, if the simulation is partly outside the years of schedules.
    pub(crate) fn note_years(&self) -> Result<(), Error> {
        let last = self.end()?.timestamp().checked_sub(INSTANT).map_err(Error::of)?;
        note_years([self.start.timestamp(), last], self.start.time_zone());
        Ok(())
    }

    fn end(&self) -> Result<ZonedDateTime, Error> {
        self.start.checked_add(i64::from(self.days).days()).map_err(Error::of)
    }

    /// Returns how long a run of a job would take without its timeout.
    fn duration_of(&self, entry: &JobEntry) -> Duration {
        entry.duration.unwrap_or(self.duration)
    }

    /// Simulates until the end, and shows progress in a terminal.
    ///
    /// Returns the first instant of the last sleep if the machine does not wake up before the end.
    fn advance(
        &self,
        simulator: &mut Simulator,
        jobs: &[SimulatedJob],
        end: &ZonedDateTime,
        events: u64,
    ) -> Result<Option<Timestamp>, Error> {
        let last = end.checked_sub(INSTANT).map_err(Error::of)?;
        let progress = Progress::new(simulator, self.days, length(simulator, &last), events);
        let mut slept_from = None;
        for (asleep, awake) in self.sleeps(end)? {
            progress.run_until(simulator, &asleep);
            if awake < *end {
                simulator.stall(length(simulator, &awake));
                continue;
            }
            // Runs in progress still end, but no run starts.
            for job in jobs {
                simulator.cancel(*job);
            }
            let now = Timestamp::try_from(simulator.now()).map_err(Error::of)?;
            slept_from = Some(now.checked_add(INSTANT).map_err(Error::of)?);
            break;
        }
        progress.run_until(simulator, &last);
        Ok(slept_from)
    }

    /// Returns when the machine falls asleep before an end, and when it wakes up. It may be asleep at the start.
    ///
    /// An event at the instant when it falls asleep still runs.
    fn sleeps(&self, end: &ZonedDateTime) -> Result<Vec<(ZonedDateTime, ZonedDateTime)>, Error> {
        let Some((from, to)) = self.sleep else { return Ok(Vec::new()) };
        let at = |time: Time, date: Date| {
            date.to_datetime(time).to_zoned_datetime(end.time_zone().clone()).map_err(Error::of)
        };
        let mut sleeps = Vec::new();
        let first = self.start.date().yesterday().map_err(Error::of)?;
        for date in first.series(1.day()).take_while(|date| *date <= end.date()) {
            let next = if to > from { date } else { date.tomorrow().map_err(Error::of)? };
            let (asleep, awake) = (at(from, date)?, at(to, next)?);
            if asleep < awake && awake > self.start && asleep < *end {
                sleeps.push((asleep, awake));
            }
        }
        Ok(sleeps)
    }
}

/// The progress of a simulation, which is shown on standard error if it takes long and that is a terminal.
#[derive(Debug)]
struct Progress {
    /// The simulated time at the start.
    start: SystemTime,
    days: u16,
    /// The simulated time between two checks of the clock.
    step: Duration,
    /// Counts simulated seconds.
    bar: ProgressBar,
}

impl Progress {
    fn new(simulator: &Simulator, days: u16, length: Duration, events: u64) -> Self {
        let steps = u32::try_from(events / EVENTS_A_STEP).unwrap_or(u32::MAX);
        let step = (length / steps.max(1)).max(Duration::from_secs(1));
        let seconds = Some(length.as_secs());
        let bar = ProgressBar::with_draw_target(seconds, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{wide_bar} {msg}, {eta} left");
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { start: simulator.now(), days, step, bar }
    }

    /// Simulates until an instant, or until the simulator's clock stops, and shows progress.
    fn run_until(&self, simulator: &mut Simulator, until: &ZonedDateTime) {
        loop {
            let rest = length(simulator, until);
            if rest.is_zero() {
                break;
            }
            let before = simulator.now();
            simulator.run_for(rest.min(self.step));
            // The clock stops at the end of its range in 2262, long after the last event.
            if simulator.now() == before {
                break;
            }
            let done = simulator.now().duration_since(self.start).unwrap_or_default().as_secs();
            let day = (done / (24 * 60 * 60) + 1).min(self.days.into());
            self.bar.set_message(format!("day {day} of {}", self.days));
            self.bar.set_position(done);
            if self.bar.is_hidden() && self.bar.elapsed() >= PATIENCE {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn length(simulator: &Simulator, until: &ZonedDateTime) -> Duration {
    let until = SystemTime::try_from(until.timestamp()).unwrap_or(SystemTime::UNIX_EPOCH);
    until.duration_since(simulator.now()).unwrap_or_default()
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
        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
        results.count(event, index, &zone);
    }
}

impl JobResult {
    fn count(&mut self, event: &Event) {
        match event {
            Event::Started { run } => {
                self.runs += 1;
                self.running += 1;
                self.most = self.most.max(self.running);
                self.latest = self.latest.max(run.lateness());
            }
            Event::Finished { .. } => self.running = self.running.saturating_sub(1),
            Event::Skipped { count, reason: SkipReason::Overlap, .. } => self.overlapped += count,
            Event::Skipped { count, .. } | Event::Coalesced { count, .. } => self.missed += count,
            _ => {}
        }
    }
}

impl Results {
    /// Counts an event of job `index`.
    fn count(&mut self, event: &Event, index: usize, zone: &TimeZone) {
        self.note_hours(event, zone);
        if let Event::Started { run } = event
            && self.total.running == self.total.most
        {
            self.most_at = Some(run.started());
        }
        for result in self.jobs.get_mut(index).into_iter().chain([&mut self.total]) {
            result.count(event);
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
            let running = self.total.running + 1;
            self.raise(instant, zone, running);
            self.hour(instant, zone).starts += 1;
        }
    }

    /// Counts the runs in progress in all hours until an instant.
    fn note_load(&mut self, until: Timestamp, zone: &TimeZone) {
        let from = self.counted.replace(until).unwrap_or(until);
        let running = self.total.running;
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
