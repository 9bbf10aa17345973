//! The scheduler with the system clock: every operation from many threads at once, and schedules of
//! milliseconds.
//!
//! `MILLICRON_REAL_TIME_SECONDS=60` makes the real-time test take a minute.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    Event, Job, JobHandle, JobName, Missed, Overlap, RunContext, Scheduler, SchedulerHandle,
    Workers,
};

use crate::support::{Account, Chance, events, lock, secs, until, watched, watched_for};

/// Counts of starts, ends and changes, by the jobs, the observer and the test.
#[derive(Default)]
struct Counts {
    /// Closures that have begun, and closures that have returned or are about to panic.
    begun: AtomicU64,
    ended: AtomicU64,
    /// Events that the observer received.
    observed_starts: AtomicU64,
    observed_ends: AtomicU64,
    added: AtomicU64,
    removed: AtomicU64,
    /// Runs of jobs without a name that started before their instant. Only jobs with a name are
    /// intervals, whose instants follow the elapsed time instead of the clock.
    early: AtomicU64,
}

fn add(to: &AtomicU64) {
    to.fetch_add(1, Ordering::Relaxed);
}

fn get(of: &AtomicU64) -> u64 {
    of.load(Ordering::Relaxed)
}

/// A job that counts its runs; one in fifty panics in every run.
fn job(counts: &Arc<Counts>, chance: &mut Chance) -> Job {
    let counts = Arc::clone(counts);
    let panics = chance.below(50) == 0;
    let run = move |run: RunContext| {
        add(&counts.begun);
        if run.started() < run.scheduled() && matches!(run.job_name(), JobName::Number(_)) {
            add(&counts.early);
        }
        add(&counts.ended);
        // Without `panic!`, which would print a thousand messages.
        if panics {
            std::panic::resume_unwind(Box::new("it panics"));
        }
    };
    let missed = [Missed::Coalesce, Missed::Skip, Missed::All { max: 3 }];
    let overlap = [Overlap::Skip, Overlap::Allow { max: 2 }, Overlap::Queue { max: 2 }];
    Job::new(run).missed(chance.pick(&missed)).overlap(chance.pick(&overlap))
}

/// Performs random operations until it is stopped, and counts them.
fn disturb(
    scheduler: &SchedulerHandle,
    counts: &Arc<Counts>,
    seed: u64,
    performed: &AtomicU64,
    is_over: &AtomicBool,
) {
    let mut chance = Chance(seed);
    let mut handles: Vec<JobHandle> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        add(performed);
        let now = SystemTime::now();
        let added = match chance.below(12) {
            0 => scheduler.once_job(
                now + Duration::from_micros(chance.below(3000)),
                job(counts, &mut chance),
            ),
            1 => {
                let n = u32::try_from(1 + chance.below(20)).expect("the number is small");
                scheduler.add_job(every(n).milliseconds(), job(counts, &mut chance).name("named"))
            }
            2 => scheduler.add_job(schedule!("*:*:*.*/3"), job(counts, &mut chance)),
            step => {
                if let Some(handle) = handles.get(chance.index(handles.len())).cloned() {
                    act(step, &handle, scheduler);
                    if step < 6 {
                        handles.retain(|handle| handle.name().is_some());
                    }
                }
                continue;
            }
        };
        if let Ok(handle) = added {
            handles.push(handle);
        }
        if handles.len() > 60 {
            handles.swap_remove(chance.index(handles.len())).cancel();
        }
    }
}

fn act(step: u64, handle: &JobHandle, scheduler: &SchedulerHandle) {
    match step {
        3 => drop(handle.cancel()),
        4 | 5 => drop(handle.pause()),
        6 | 7 => drop(handle.resume()),
        8 | 9 => drop(handle.trigger_now()),
        10 if matches!(handle.name(), Some(JobName::Given(_))) => {
            handle.reschedule(every(4).milliseconds()).expect("the interval is valid");
        }
        10 => {
            handle.reschedule(schedule!("*:*:*.*/4")).expect("the schedule has events");
        }
        _ => {
            let kinds = [Workers::Pool(1), Workers::Pool(4), Workers::PerRun];
            let kind = kinds
                [usize::try_from(scheduler.stats().completed % 3).expect("the number is small")];
            scheduler.set_workers(kind).expect("the workers start");
        }
    }
}

fn observer(counts: &Arc<Counts>) -> impl Fn(&Event) + Send + Sync + 'static {
    let counts = Arc::clone(counts);
    move |event: &Event| {
        add(match event {
            Event::Added { .. } => &counts.added,
            Event::Started { .. } => &counts.observed_starts,
            Event::Finished { .. } => &counts.observed_ends,
            Event::Cancelled { .. } | Event::Exhausted { .. } => &counts.removed,
            _ => return,
        });
    }
}

#[test]
fn concurrent_random_operations_keep_the_counts_consistent() {
    let counts = Arc::new(Counts::default());
    for seed in 0..3 {
        let (of_all, before) = (Arc::clone(&counts), get(&counts.begun));
        watched(move || {
            let counts = of_all;
            let builder = Scheduler::builder().observer(observer(&counts)).capacity(200);
            let scheduler =
                builder.workers(Workers::Pool(3)).start().expect("the scheduler starts");
            let is_over = Arc::new(AtomicBool::new(false));
            let performed: [Arc<AtomicU64>; 6] = Default::default();
            let threads = (seed * 10..).zip(&performed).map(|(seed, performed)| {
                let (scheduler, is_over) = (scheduler.handle(), Arc::clone(&is_over));
                let (counts, performed) = (Arc::clone(&counts), Arc::clone(performed));
                thread::spawn(move || disturb(&scheduler, &counts, seed, &performed, &is_over))
            });
            let threads: Vec<_> = threads.collect();
            // On a busy machine, some threads may not be executed for seconds.
            let all_continue = || {
                for performed in &performed {
                    let before = get(performed);
                    until(|| get(performed) >= before + 20);
                }
            };
            thread::sleep(Duration::from_millis(600));
            all_continue();
            until(|| get(&counts.begun) >= before + 100);
            // The scheduler is closed while the threads continue.
            assert!(scheduler.close_and_wait(secs(60)).is_empty());
            let begun = get(&counts.begun);
            thread::sleep(Duration::from_millis(50));
            all_continue();
            is_over.store(true, Ordering::Relaxed);
            for thread in threads {
                thread.join().expect("no thread panics");
            }
            assert_eq!(get(&counts.begun), begun, "nothing runs after closing");
            let waiting = scheduler.stats().waiting as u64;
            assert_eq!(scheduler.stats().running, 0);
            assert!(get(&counts.added) >= get(&counts.removed) + waiting);
            until(|| get(&counts.observed_ends) == get(&counts.observed_starts));
            drop(scheduler);
        });
        assert_eq!(get(&counts.begun), get(&counts.ended));
        assert_eq!(get(&counts.begun), get(&counts.observed_starts));
        assert_eq!(get(&counts.early), 0);
    }
}

/// How often each run was executed, by job name and scheduled instant.
type Runs = Arc<Mutex<HashMap<(String, SystemTime), u64>>>;

/// Accounts by job name.
type Accounts = Arc<Mutex<HashMap<String, Account>>>;

/// An observer that keeps accounts.
fn keeper(accounts: &Accounts) -> impl Fn(&Event) + Send + Sync + 'static {
    let accounts = Arc::clone(accounts);
    move |event: &Event| {
        let name = event.job_name().expect("the event is of a job").to_string();
        lock(&accounts)
            .get_mut(&name)
            .expect("every job has an account")
            .note(event, SystemTime::UNIX_EPOCH);
    }
}

#[test]
fn in_real_time_no_event_is_early_lost_or_run_twice() {
    let seconds = std::env::var("MILLICRON_REAL_TIME_SECONDS");
    let seconds =
        seconds.map_or(3, |text| text.parse().expect("the variable is a number of seconds"));
    watched_for(secs(seconds + 300), move || {
        let accounts: Accounts = Arc::default();
        let scheduler =
            Scheduler::builder().observer(keeper(&accounts)).start().expect("the scheduler starts");
        let cases: [(&str, Schedule); 4] = [
            ("1", schedule!("*:*:*.*")),
            ("5", schedule!("*:*:*.*/5")),
            ("10", schedule!("*:*:*.*/10")),
            ("250", schedule!("*:*:*.*/250")),
        ];
        let runs = Runs::default();
        let began = SystemTime::now();
        let handles = cases.map(|(name, schedule)| {
            // Includes extra time for a busy machine.
            let all = Arc::new(events(&schedule, began, began + secs(seconds + 100)));
            lock(&accounts).insert(name.to_owned(), Account::new(&all, began));
            let (counted, name) = (Arc::clone(&runs), name.to_owned());
            let run = move |run: RunContext| {
                let run = (run.job_name().to_string(), run.scheduled());
                *lock(&counted).entry(run).or_default() += 1;
            };
            let job = Job::new(run).name(name.clone()).missed(Missed::All { max: 5000 });
            let job = job.overlap(Overlap::Queue { max: 1000 });
            (name, scheduler.add_job(schedule, job).expect("the job is added"))
        });
        let stop = SystemTime::now() + secs(seconds);
        thread::sleep(secs(seconds));
        for (name, handle) in &handles {
            until(|| handle.next_event().is_some_and(|next| next > stop));
            assert!(handle.cancel());
            until(|| lock(&accounts)[name].is_complete());
        }
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
        for (name, _) in &handles {
            let account = &lock(&accounts)[name];
            account.check(name);
            println!("every {name} ms: {} run of {}", account.run, account.reported());
            let runs = lock(&runs);
            let of_job = runs.iter().filter(|((job, _), _)| job == name);
            assert!(of_job.clone().all(|(_, runs)| *runs == 1), "no run is executed twice");
            assert_eq!(of_job.count() as u64, account.run, "every reported run was executed");
        }
    });
}
