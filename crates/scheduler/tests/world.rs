//! [`World`]: simulated jobs with random disturbances, in which every event must be accounted for.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use millicron::Schedule;
use millicron_scheduler::{
    Event, Job, Missed, Overlap, Retry, RunContext, SimulatedJob, Simulator,
};

// Not `crate`: the fuzz targets have this module, too.
use super::support::{Account, Chance, events, lock, secs, start};

pub(crate) const DAY: Duration = secs(86_400);
const JITTER: Duration = secs(3600);

/// The accounts of all jobs.
pub(crate) struct Ledger {
    pub(crate) accounts: Vec<Account>,
    /// The instant at which a job is being cancelled.
    now: SystemTime,
    /// The latest time that the clock showed before it was set back.
    latest: SystemTime,
    paused: HashSet<String>,
    /// The number of reported runs that are not events.
    triggered: u64,
    /// A hash of all events, in order.
    pub(crate) hash: DefaultHasher,
    text: String,
    /// Whether events are hashed, which is slow.
    is_hashed: bool,
}

impl Ledger {
    fn new(is_hashed: bool) -> Self {
        Self {
            accounts: Vec::new(),
            now: start(),
            latest: start(),
            paused: HashSet::new(),
            triggered: 0,
            hash: DefaultHasher::new(),
            text: String::new(),
            is_hashed,
        }
    }

    pub(crate) fn sum(&self, of: impl Fn(&Account) -> u64) -> u64 {
        self.accounts.iter().map(of).sum()
    }

    fn note(&mut self, event: &Event) {
        let Some(name) = event.job_name().map(ToString::to_string) else {
            assert!(matches!(event, Event::ClockSetBack { .. }), "{event:?}");
            return;
        };
        let account = &mut self.accounts[name.parse::<usize>().expect("job names are numbers")];
        let before = account.triggered;
        account.note(event, self.latest);
        self.triggered += account.triggered - before;
        match event {
            Event::Paused { .. } => drop(self.paused.insert(name)),
            Event::Resumed { .. } => assert!(self.paused.remove(&name), "the job was paused"),
            // The job waited for a future event, or for an event that jitter delays by up to an
            // hour. If there is no next event, the job has ended, and its account has no more
            // events either.
            Event::Cancelled { next, .. } if !self.paused.remove(&name) => {
                let has_missed = next.is_some_and(|next| next <= self.now - JITTER);
                assert!(!has_missed, "{name} has missed {next:?}");
            }
            _ => {}
        }
        if self.is_hashed {
            self.text.clear();
            write!(self.text, "{event:?}").expect("writing to a `String` succeeds");
            self.hash.write(self.text.as_bytes());
        }
    }
}

/// A job that has not been cancelled.
#[derive(Clone, Copy)]
struct Live {
    job: SimulatedJob,
    is_paused: bool,
    /// Whether the job may end by itself.
    may_end: bool,
}

/// A simulation with random disturbances.
pub(crate) struct World {
    simulator: Simulator,
    pub(crate) chance: Chance,
    ledger: Arc<Mutex<Ledger>>,
    schedules: Vec<ScheduleEvents>,
    live: Vec<Live>,
    triggered: u64,
}

/// A schedule with its events.
pub(crate) type ScheduleEvents = (Schedule, Arc<Vec<SystemTime>>);

/// Returns schedules with few events a year, so that ten years take seconds; two are hourly.
pub(crate) fn schedules(chance: &mut Chance, end: SystemTime) -> Vec<ScheduleEvents> {
    // The clock may be set past the end.
    let end = end + 100 * DAY;
    let text = |chance: &mut Chance, index: usize| {
        let (hour, minute) = (chance.below(24), chance.below(60));
        match index % 20 {
            0 if index < 40 => format!("*:{minute}:00"),
            1..3 => format!("{hour}:{minute}:00.{}", chance.below(1000)),
            3..12 => format!("*.*.* {} {hour}:{minute}:07", chance.below(7)),
            _ => format!("*.*.{} {hour}:{minute}:00", 1 + chance.below(32)),
        }
    };
    (0..60)
        .map(|index| {
            let schedule: Schedule = text(chance, index).parse().expect("the schedule is valid");
            let events = Arc::new(events(&schedule, start(), end));
            (schedule, events)
        })
        .collect()
}

impl World {
    pub(crate) fn new(
        chance: Chance,
        schedules: Vec<ScheduleEvents>,
        jobs: u64,
        is_hashed: bool,
    ) -> Self {
        let ledger = Arc::new(Mutex::new(Ledger::new(is_hashed)));
        let noted = Arc::clone(&ledger);
        let simulator =
            Simulator::new(start()).observer(move |event: &Event| lock(&noted).note(event));
        let mut world =
            Self { simulator, chance, ledger, schedules, live: Vec::new(), triggered: 0 };
        for _ in 0..jobs {
            world.add();
        }
        world
    }

    fn add(&mut self) {
        let chance = &mut self.chance;
        let (schedule, events) = chance.pick(&self.schedules);
        let now = self.simulator.now();
        let account = Account::new(&events, now);
        // No schedule has a gap of more than two months.
        let ending = (chance.below(8) == 0).then(|| now + 70 * DAY + chance.span(400 * DAY));
        let most_runs = (ending.is_none() && chance.below(8) == 0).then(|| 1 + chance.below(50));
        let mut ledger = lock(&self.ledger);
        let name = ledger.accounts.len().to_string();
        ledger.accounts.push(match ending {
            Some(ending) => account.ending(ending),
            None => account,
        });
        drop(ledger);
        let max = chance.index(5);
        let missed = [Missed::Skip, Missed::Coalesce, Missed::All { max }];
        let overlap = [Overlap::Skip, Overlap::Allow { max }, Overlap::Queue { max }];
        let failures = chance.pick(&[0, 0, 3]);
        let fails = move |run: RunContext| {
            let is_failure = run.number() % 4 < failures && run.attempt() < 6;
            if is_failure { Err("it is one of those") } else { Ok(()) }
        };
        let mut job = Job::new(fails)
            .name(name)
            .tag(chance.pick(&["a", "b"]))
            .missed(chance.pick(&missed))
            .overlap(chance.pick(&overlap))
            .grace(chance.pick(&[Duration::ZERO, secs(1), secs(7200)]));
        if chance.below(4) == 0 {
            job = job.jitter(JITTER);
        }
        let retry = Retry::exponential(secs(600)).longest(secs(3000)).jitter(secs(60)).most(4);
        job = match chance.below(8) {
            0 => job.retry(retry),
            1 => job.retry(retry.until_next_event()).timeout(secs(2000)),
            2 => job.timeout(secs(2000)),
            3 => job.timeout_and_go_on(secs(2000)),
            4 => job.timeout_and_go_on(secs(2000)).retry(retry),
            _ => job,
        };
        if let Some(ending) = ending {
            job = job.ending(ending);
        }
        if let Some(most) = most_runs {
            // Events that wait when the last run starts are not reported, so no event may wait.
            job = job.most_runs(most).missed(Missed::Coalesce).overlap(Overlap::Allow { max });
        }
        let mut slowness = Chance(chance.below(u64::MAX));
        let takes = move |_: &RunContext| match slowness.below(40) {
            0 => slowness.span(10 * DAY),
            1..5 => slowness.span(secs(4000)),
            _ => secs(3),
        };
        let job = self.simulator.add(schedule, job, takes).expect("the job is added");
        let may_end = ending.is_some() || most_runs.is_some();
        self.live.push(Live { job, is_paused: false, may_end });
    }

    /// Disturbs the simulation at random.
    fn disturb(&mut self) {
        let now = self.simulator.now();
        // Often one of the same few jobs, so that paused jobs are resumed.
        let few = self.chance.pick(&[100.min(self.live.len()), self.live.len()]);
        let index = self.chance.index(few);
        let Live { job, is_paused, may_end } = self.live[index];
        match self.chance.below(16) {
            0 => self.simulator.stall(self.chance.span(2 * DAY)),
            1 => self.simulator.set_clock(now + self.chance.span(4 * DAY)),
            // The clock must not be set to before the jobs were added.
            2 => {
                let mut ledger = lock(&self.ledger);
                ledger.latest = ledger.latest.max(now);
                drop(ledger);
                self.simulator.set_clock((now - self.chance.span(3 * DAY)).max(start()));
            }
            3..7 => {
                let live = self.live.swap_remove(index);
                self.cancel(live);
                self.add();
            }
            7..11 if is_paused => {
                assert!(self.simulator.resume(job) || may_end, "the job was paused");
                self.live[index].is_paused = false;
            }
            7..11 => self.live[index].is_paused = self.simulator.pause(job),
            11..13 => {
                // If the job may not run any more, nothing is reported.
                let before = self.reports();
                let will_run = self.simulator.trigger_now(job);
                self.triggered += u64::from(will_run || self.reports() > before);
            }
            13 => {
                let workers = self.chance.pick(&[1, 20, 300, usize::MAX]);
                self.simulator.set_workers(workers);
            }
            _ => {}
        }
    }

    /// Returns how many triggered runs were reported.
    fn reports(&self) -> u64 {
        lock(&self.ledger).triggered
    }

    fn cancel(&mut self, live: Live) {
        lock(&self.ledger).now = self.simulator.now();
        assert!(self.simulator.cancel(live.job) || live.may_end, "the job existed");
        assert!(!self.simulator.cancel(live.job), "the job was removed");
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.simulator.now()
    }

    /// Lets some time pass, and then disturbs the simulation.
    pub(crate) fn go_on(&mut self) {
        let span = self.chance.span(2 * DAY);
        self.simulator.run_for(span);
        for _ in 0..self.chance.below(4) {
            self.disturb();
        }
    }

    /// Cancels all jobs, and checks their accounts.
    pub(crate) fn close(mut self) -> Ledger {
        for live in std::mem::take(&mut self.live) {
            self.cancel(live);
        }
        let Self { simulator, ledger, triggered, .. } = self;
        drop(simulator);
        let ledger = Arc::into_inner(ledger).expect("the simulator was dropped");
        let ledger = ledger.into_inner().expect("no thread panics");
        for (name, account) in ledger.accounts.iter().enumerate() {
            account.check(&name.to_string());
            assert!(account.is_whole(), "{name}");
        }
        assert_eq!(ledger.sum(|account| account.triggered), triggered);
        ledger
    }
}
