//! A scheduler with jobs of all kinds.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use millicron::{Calendar, Schedule, ZonedSchedule, calendar, every, zone};
use millicron_scheduler::{Event, Job, Missed, Outcome, Overlap, Retry, RunContext, Scheduler};
use tokio::runtime::{Builder, Runtime};

use crate::late::Late;

const JOBS: usize = 100_000;
/// Each job runs once in so many seconds.
const PERIOD: u32 = 120;
const OPEN: Calendar = calendar!("*.*.*");

/// Runs jobs until nobody reads how late they are.
pub(crate) fn run() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let jobs = Arc::new(Jobs {
        // Failed attempts are not logged.
        scheduler: Scheduler::builder().observer(|_: &Event| {}).start().expect("threads"),
        runtime: runtime.expect("threads"),
        late: Late::default(),
    });
    for number in 0..JOBS {
        jobs.add(number);
    }
    let changed = Arc::clone(&jobs);
    thread::spawn(move || changed.change());
    jobs.late.print();
}

struct Jobs {
    scheduler: Scheduler,
    runtime: Runtime,
    late: Late,
}

impl Jobs {
    /// Adds a job of one of ten kinds.
    fn add(&self, number: usize) {
        let late = self.late.clone();
        let note = move |run: &RunContext| late.add(run.lateness());
        let (second, millisecond) = (number % 60, number / 60 % 1000);
        let even = format!("*:*/2:{second}.{millisecond}");
        let schedule = || even.parse::<Schedule>().expect("a schedule");
        let kind = number % 10;
        let job = match kind {
            0 => Job::future(self.runtime.handle(), move |run| {
                note(&run);
                async { tokio::time::sleep(Duration::from_millis(1)).await }
            }),
            1 => Job::deferred(move |run, completion| {
                note(&run);
                thread::yield_now();
                completion.finish(Outcome::Succeeded);
            }),
            2 => Job::new(move |run| {
                note(&run);
                // The first attempt fails.
                if run.attempt() == 1 { Err("not yet") } else { Ok(()) }
            })
            .retry(Retry::constant(Duration::from_millis(50)).most(1)),
            3 => Job::new(move |run| note(&run))
                .overlap(Overlap::Queue { max: 2 })
                .missed(Missed::All { max: 2 }),
            4 => Job::new(move |run| note(&run)).timeout(Duration::from_secs(1)).tag("limited"),
            _ => Job::new(move |run| note(&run)),
        };
        let job = job.name(format!("job {number}")).replace();
        let added = match kind {
            5 => self.scheduler.add_job(every(PERIOD).seconds(), job),
            6 => self.scheduler.add_job(schedule().on(&OPEN).expect("an open day"), job),
            7 => {
                let odd = format!("*:1-59/2:{second}.{millisecond}; {even}");
                self.scheduler.add_job(odd.parse::<Schedule>().expect("a schedule"), job)
            }
            8 => {
                let berlin: ZonedSchedule<_> = schedule().in_zone(zone!("Europe/Berlin"));
                self.scheduler.add_job(berlin, job)
            }
            _ => self.scheduler.add_job(schedule(), job),
        };
        added.expect("a job");
    }

    /// Replaces, pauses and triggers jobs, and adds some that run once, a hundred times a second each.
    fn change(&self) {
        for number in (0..JOBS).cycle().step_by(7) {
            thread::sleep(Duration::from_millis(10));
            self.add(number);
            let other = (number + JOBS / 2) % JOBS;
            if let Some(job) = self.scheduler.job(&format!("job {other}")) {
                job.pause();
                job.resume();
                job.trigger_now();
            }
            let late = self.late.clone();
            let soon = self.scheduler.now() + Duration::from_secs(5);
            let once = self.scheduler.once(soon, move |run| late.add(run.lateness()));
            drop(once.expect("a job"));
        }
    }
}
