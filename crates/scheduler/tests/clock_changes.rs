//! The clock is set back or forward: intervals, time-outs and retries follow elapsed time; jobs
//! that follow the clock wait or repeat their events.

use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    Clock, Event, Job, ManualClock, Missed, Overlap, Retry, RunContext, Scheduler, SetBack,
    SimulatedJob, Simulator, SystemClock, Timer, Workers,
};

use crate::support::{
    Chance, Log, LogRuns as _, at, events, lock, logged, scaled, scheduler, secs, simulator, start,
    until,
};

const HOUR: Duration = secs(3600);
const TEN_YEARS: Duration = secs(3652 * 86_400);
const MINUTES: Schedule = schedule!("*:*:00");

/// A job that logs the scheduled instant and the lateness of each run.
fn timed(log: &Log<(SystemTime, Duration)>) -> Job {
    let log = log.clone();
    Job::new(move |run: RunContext| log.add((run.scheduled(), run.lateness())))
}

fn add(simulator: &mut Simulator, schedule: Schedule, job: Job) -> SimulatedJob {
    simulator.add(schedule, job, |_| secs(0)).expect("the job is added")
}

/// Intervals follow elapsed time, with their nominal instants and no lateness.
#[test]
fn intervals_go_on_whatever_the_clock_shows() {
    let on_time = |minutes: &[u64]| -> Vec<(SystemTime, Duration)> {
        minutes.iter().map(|minute| (at(60 * minute), secs(0))).collect()
    };
    for jump in [start() - HOUR, start() - TEN_YEARS, start() + HOUR, start() + TEN_YEARS] {
        let (clock, scheduler) = scheduler();
        let runs = Log::new();
        let job = timed(&runs).overlap(Overlap::Queue { max: 99 });
        let job = scheduler.add_job(every(10).minutes(), job).expect("the job is added");
        clock.advance(secs(900));
        assert_eq!(runs.take(), on_time(&[10]));
        clock.set(jump);
        assert_eq!(runs.take(), [], "no time has passed: {jump:?}");
        assert_eq!(job.next_event(), Some(at(1200)));
        clock.advance(secs(299));
        assert_eq!(runs.take(), [], "{jump:?}");
        clock.advance(secs(1));
        assert_eq!(runs.take(), on_time(&[20]), "{jump:?}");
        clock.advance(secs(1800));
        assert_eq!(runs.take(), on_time(&[30, 40, 50]), "{jump:?}");
        // Triggers do not collide with events either.
        assert!(job.trigger_now());
        clock.advance(Duration::ZERO);
        assert_eq!(runs.take(), [(at(3000) + Duration::from_nanos(100), secs(0))]);
        assert_eq!((scheduler.stats().missed, scheduler.stats().late), (0, 0));
    }
}

#[test]
fn a_paused_interval_resumes_by_elapsed_time() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(every(10).minutes(), runs.job()).expect("the job is added");
    assert!(job.pause());
    clock.advance(secs(700));
    clock.set(start() - TEN_YEARS);
    assert!(job.resume());
    assert_eq!(job.next_event(), Some(at(1200)));
    assert_eq!(scheduler.stats().skipped, 1);
    clock.advance(secs(500));
    assert_eq!(runs.take(), [at(1200)]);
}

#[test]
fn a_rescheduled_interval_counts_from_the_clock_as_it_is_set() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(every(10).minutes(), runs.job()).expect("the job is added");
    clock.set(start() - HOUR);
    assert_eq!(job.reschedule(every(7).minutes()), Ok(true));
    clock.advance(secs(420));
    // A schedule in its place follows the clock.
    assert_eq!(job.reschedule(MINUTES), Ok(true));
    clock.advance(secs(60));
    assert_eq!(runs.take(), [start() - HOUR + secs(420), start() - HOUR + secs(460)]);
}

#[test]
fn jobs_that_follow_the_clock_wait_until_it_has_caught_up() {
    for back in [HOUR, TEN_YEARS] {
        let (mut simulator, log) = simulator();
        add(&mut simulator, MINUTES, Job::new(|_| {}));
        simulator.run_for(secs(130));
        simulator.set_clock(at(130) - back);
        simulator.run_for(back);
        let told = format!("set back {}", back.as_secs());
        let expected =
            ["added 40", "run 40 +0", "end 40 Succeeded", "run 100 +0", "end 100 Succeeded", &told];
        assert_eq!(log.take(), expected, "it is told once");
        simulator.run_for(secs(60));
        assert_eq!(log.take(), ["run 160 +0", "end 160 Succeeded"]);
    }
}

#[test]
fn each_time_the_clock_is_set_back_the_observer_is_told_how_long_the_wait_is() {
    let (mut simulator, log) = simulator();
    simulator.run_for(secs(100));
    simulator.set_clock(at(40));
    // Small corrections, as by time synchronization, are not reported.
    simulator.set_clock(at(39));
    simulator.set_clock(at(60));
    simulator.set_clock(at(20));
    simulator.run_for(secs(100));
    simulator.set_clock(at(119));
    simulator.set_clock(at(118) - Duration::from_nanos(100));
    assert_eq!(log.take(), ["set back 60", "set back 80", "set back 2"]);
}

#[test]
fn a_small_correction_is_not_told_and_repeats_nothing() {
    let (mut simulator, log) = simulator();
    add(&mut simulator, MINUTES, Job::new(|_| {}).set_back(SetBack::Repeat));
    simulator.run_for(secs(40));
    simulator.set_clock(at(39));
    simulator.run_for(secs(61));
    let expected = ["added 40", "run 40 +0", "end 40 Succeeded", "run 100 +0", "end 100 Succeeded"];
    assert_eq!(log.take(), expected);
}

#[test]
fn repeated_events_run_again_if_the_job_is_to_repeat_them() {
    for back in [secs(120), HOUR, secs(86_400)] {
        let mut simulator = Simulator::new(start());
        let (repeating, waiting) = (Log::new(), Log::new());
        add(&mut simulator, MINUTES, Job::new(repeating.job()).set_back(SetBack::Repeat));
        add(&mut simulator, MINUTES, Job::new(waiting.job()));
        simulator.run_for(secs(130));
        assert_eq!(repeating.take(), [at(40), at(100)]);
        simulator.set_clock(at(130) - back);
        assert_eq!(repeating.take(), [], "the event before is not repeated at once");
        // First the next minutes, then up to the time that the clock had shown, and beyond.
        simulator.run_for(secs(60));
        assert_eq!(repeating.take(), [at(160) - back], "{back:?}");
        simulator.run_for(back);
        let runs = repeating.take();
        let count = usize::try_from(back.as_secs() / 60).expect("it is small");
        assert_eq!((runs.len(), runs.last()), (count, Some(&at(160))), "{back:?}");
        assert!(runs.is_sorted_by(|one, next| *next == *one + secs(60)));
        assert_eq!(waiting.take(), [at(40), at(100), at(160)]);
    }
}

#[test]
fn a_job_that_repeats_its_events_goes_on_after_a_wrong_date() {
    let mut simulator = Simulator::new(start());
    let runs = Log::new();
    let job = Job::new(runs.job()).set_back(SetBack::Repeat);
    let job = add(&mut simulator, MINUTES, job);
    simulator.run_for(secs(50));
    simulator.set_clock(at(50) - TEN_YEARS);
    simulator.run_for(secs(50));
    assert_eq!(runs.take(), [at(40), at(100) - TEN_YEARS]);
    assert!(simulator.cancel(job));
}

#[test]
fn a_rescheduled_job_goes_on_repeating() {
    let mut simulator = Simulator::new(start());
    let tenths: Schedule = schedule!("*:*:*.*/100");
    let job = add(&mut simulator, tenths.clone(), Job::new(|_| {}).set_back(SetBack::Repeat));
    simulator.run_for(secs(10));
    simulator.set_clock(at(5));
    simulator.run_for(Duration::from_millis(4500));
    assert_eq!(simulator.stats().completed, 145);
    assert_eq!(simulator.reschedule(job, tenths), Ok(true));
    simulator.run_for(Duration::from_millis(500));
    assert_eq!(simulator.stats().completed, 150);
}

#[test]
fn events_repeat_as_often_as_the_clock_is_set_back() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).set_back(SetBack::Repeat);
    let job = add(&mut simulator, MINUTES, job);
    for _ in 0..3 {
        simulator.run_for(secs(110));
        simulator.set_clock(start());
    }
    assert_eq!(runs.take(), [40, 100, 40, 100, 40, 100].map(at));
    // Set back to a time that was already repeated.
    simulator.run_for(secs(50));
    simulator.set_clock(at(20));
    simulator.run_for(secs(100));
    assert_eq!(runs.take(), [40, 40, 100].map(at));
    // The change does not wake a paused job, which repeats nothing when it is resumed.
    assert!(simulator.pause(job));
    simulator.set_clock(start());
    simulator.run_for(secs(110));
    assert_eq!(runs.take(), []);
}

#[test]
fn a_cancelled_job_no_longer_repeats() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let jobs = [(); 3]
        .map(|()| add(&mut simulator, MINUTES, Job::new(runs.job()).set_back(SetBack::Repeat)));
    simulator.run_for(secs(50));
    assert!(simulator.cancel(jobs[1]));
    simulator.set_clock(start());
    simulator.run_for(secs(50));
    assert_eq!(runs.take(), [at(40); 5]);
}

/// The job has no further event, and ends with that run.
#[test]
fn a_job_whose_last_run_is_in_progress_repeats_nothing() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).set_back(SetBack::Repeat).ending(at(100));
    simulator.add(MINUTES, job, |_| secs(50)).expect("the job is added");
    simulator.run_for(secs(120));
    simulator.set_clock(start());
    simulator.run_for(secs(600));
    let expected = [
        "added 40",
        "run 40 +0",
        "end 40 Succeeded",
        "run 100 +0",
        "set back 120",
        "end 100 Succeeded",
        "over",
    ];
    assert_eq!(log.take(), expected);
}

#[test]
fn intervals_do_not_repeat() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).set_back(SetBack::Repeat);
    simulator.add(every(1).minutes(), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(130));
    simulator.set_clock(start());
    simulator.run_for(secs(110));
    assert_eq!(runs.take(), [60, 120, 180, 240].map(at));
}

#[test]
fn anchored_intervals_follow_the_clock() {
    for anchor in ["from", "at"] {
        let (clock, scheduler, log) = logged();
        let interval = match anchor {
            "from" => every(20).minutes().from(at(600)),
            // 22:23:20, after ten minutes.
            _ => every(20).minutes().at("22:23:20"),
        };
        scheduler.add(interval, |_| {}).expect("the job is added");
        clock.advance(secs(600));
        clock.set(start());
        clock.advance(secs(1790));
        let begin = ["added 600", "run 600 +0", "end 600 Succeeded", "set back 600"];
        assert_eq!(log.take(), begin, "{anchor}");
        clock.advance(secs(10));
        assert_eq!(log.take(), ["run 1800 +0", "end 1800 Succeeded"], "{anchor}");
        // At 3000 and 4200 nothing ran.
        clock.set(at(4300));
        let caught_up = ["coalesce 3000 1 4200", "run 4200 +1", "end 4200 Succeeded"];
        assert_eq!(log.take(), caught_up, "{anchor}");
    }
}

#[test]
fn an_anchored_interval_repeats_its_events_if_it_is_to() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let job = Job::new(runs.job()).set_back(SetBack::Repeat);
    let minutes = every(1).minutes().from(start());
    simulator.add(minutes, job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(90));
    simulator.set_clock(at(30));
    simulator.run_for(secs(60));
    assert_eq!(runs.take(), [0, 60, 60].map(at));
}

/// A run that is already due still starts if the clock is set back before that.
#[test]
fn a_due_run_starts_after_the_clock_was_set_back_and_only_once() {
    for is_queued in [false, true] {
        let (mut simulator, _) = simulator();
        let runs = Log::new();
        let job = Job::new(runs.job()).overlap(Overlap::Queue { max: 9 });
        let takes = move |run: &RunContext| secs(if run.number() == 1 { 100 } else { 0 });
        if is_queued {
            // The event at 100 waits for the run of the event at 40, until 140.
            simulator.add(MINUTES, job, takes).expect("the job is added");
        } else {
            // The event at 40 waits for a worker.
            simulator.add(MINUTES, job, |_| secs(0)).expect("the job is added");
            simulator.set_workers(0);
        }
        simulator.run_for(secs(120));
        simulator.set_clock(start() - HOUR);
        simulator.run_for(secs(60));
        simulator.set_workers(1);
        simulator.run_for(secs(0));
        assert_eq!(runs.take(), [at(40), at(100)], "queued: {is_queued}");
        simulator.run_for(HOUR + secs(50));
        assert_eq!(runs.take(), [], "queued: {is_queued}");
        simulator.run_for(secs(60));
        assert_eq!(runs.take(), [at(160)], "queued: {is_queued}");
    }
}

#[test]
fn jitter_and_a_clock_that_is_set_back_run_no_event_early_or_twice() {
    let (mut simulator, _) = simulator();
    let runs = Log::new();
    let sink = runs.clone();
    let run = move |run: RunContext| sink.add((run.scheduled(), run.started()));
    add(&mut simulator, schedule!("*:00:00"), Job::new(run).name("x").jitter(HOUR));
    simulator.run_for(HOUR * 2);
    let before = runs.take();
    let (scheduled, started) = before[0];
    // Set back to between the instant of an event that has run and its delayed start.
    simulator.set_clock(scheduled + secs(1));
    simulator.run_for(HOUR * 3);
    let later = runs.take();
    assert!(later.iter().all(|(instant, _)| before.iter().all(|(other, _)| instant != other)));
    let delay = started.duration_since(scheduled).expect("no run is early");
    assert!(later.iter().all(|(instant, began)| *began == *instant + delay), "{later:?}");
}

#[test]
fn reschedule_ends_the_wait_for_a_clock_that_was_set_back() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(MINUTES, runs.job()).expect("the job is added");
    clock.advance(secs(50));
    clock.set(at(50) - TEN_YEARS);
    assert_eq!(job.next_event(), Some(at(100)));
    assert_eq!(job.reschedule(MINUTES), Ok(true));
    clock.advance(secs(120));
    let then = at(40) - TEN_YEARS;
    assert_eq!(runs.take(), [at(40), then + secs(60), then + secs(120)]);
}

#[test]
fn a_one_shot_job_waits_for_its_instant_by_the_clock() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    scheduler.once(at(100), runs.job()).expect("the job is added");
    scheduler.once_job(at(100), Job::new(runs.job()).name("named")).expect("the job is added");
    clock.advance(secs(90));
    clock.set(start() - HOUR);
    clock.advance(HOUR + secs(99));
    assert_eq!(runs.take(), []);
    clock.advance(secs(1));
    assert_eq!(runs.take(), [at(100), at(100)]);
    clock.advance(HOUR);
    assert_eq!(runs.take(), []);
}

#[test]
fn time_outs_and_retries_go_by_elapsed_time() {
    for jump in [start() - TEN_YEARS, start() + TEN_YEARS] {
        let log = Log::new();
        let sink = log.clone();
        let mut simulator = Simulator::new(start()).observer(move |event: &Event| match event {
            Event::TimedOut { limit, .. } => sink.add(format!("time-out {}", limit.as_secs())),
            Event::Started { run } => {
                sink.add(format!("attempt {} +{:?}", run.attempt(), run.lateness()));
            }
            Event::Finished { duration, .. } => sink.add(format!("end {}", duration.as_secs())),
            _ => {}
        });
        let job = Job::new(|_| Err::<(), _>("it always fails")).timeout(secs(10));
        let job = job.retry(Retry::constant(secs(20)).most(1)).missed(Missed::Skip);
        simulator.once(at(5), job, |_| secs(15)).expect("the job is added");
        simulator.run_for(secs(6));
        assert_eq!(log.take(), ["attempt 1 +0ns"]);
        simulator.set_clock(jump);
        assert_eq!(log.take(), [] as [&str; 0]);
        simulator.run_for(secs(8));
        assert_eq!(log.take(), [] as [&str; 0], "{jump:?}");
        simulator.run_for(secs(1));
        assert_eq!(log.take(), ["time-out 10"], "{jump:?}");
        simulator.run_for(secs(5));
        assert_eq!(log.take(), ["end 15"], "{jump:?}");
        simulator.set_clock(at(50_000));
        simulator.run_for(secs(19));
        assert_eq!(log.take(), [] as [&str; 0], "{jump:?}");
        simulator.run_for(secs(1));
        assert_eq!(log.take(), ["attempt 2 +0ns"], "{jump:?}");
        simulator.run_for(secs(15));
        assert_eq!(log.take(), ["time-out 10", "end 15"], "{jump:?}");
    }
}

/// While the machine sleeps, no elapsed time passes, so the next event may come before a retry.
#[test]
fn a_retry_that_the_next_event_ends_is_reported() {
    let (mut simulator, log) = simulator();
    let retry = Retry::constant(secs(30)).until_next_event();
    let job = Job::new(|_| Err::<(), _>("it always fails")).retry(retry);
    let job = add(&mut simulator, MINUTES, job);
    simulator.run_for(secs(50));
    log.take();
    simulator.set_clock(at(100));
    let expected = ["no retry [40]", "run 100 +0", r#"end 100 Failed("it always fails")"#];
    assert_eq!(log.take(), expected);
    assert!(simulator.cancel(job));
    assert_eq!(log.take(), ["cancel [] Some(160) retries [100]"], "each attempt is reported once");
}

/// A job whose run at 40 fails, and a triggered run that waits until it has been retried.
fn with_waiting_run(job: impl FnOnce(Job) -> Job) -> (Simulator, Log<String>) {
    let (mut simulator, log) = simulator();
    let fails = |run: RunContext| if run.scheduled() == at(40) { Err("it fails") } else { Ok(()) };
    let retry = Retry::constant(secs(30)).until_next_event();
    let all = Job::new(fails).retry(retry).overlap(Overlap::Queue { max: 1 }).missed(Missed::Skip);
    let job = add(&mut simulator, MINUTES, job(all));
    simulator.run_for(secs(50));
    assert!(simulator.trigger_now(job));
    assert_eq!(log.take().len(), 3, "the triggered run waits");
    (simulator, log)
}

#[test]
fn a_run_that_waits_for_a_retry_starts_when_the_next_event_ends_it() {
    // The event at 100 is missed, so the waiting run is the only one.
    let (mut simulator, log) = with_waiting_run(|job| job);
    simulator.set_clock(at(110));
    let expected = ["no retry [40]", "skip 100-100 1 Missed", "run 50 +0", "end 50 Succeeded"];
    assert_eq!(log.take(), expected);
    // The event is on time, and waits for the run.
    let (mut simulator, log) = with_waiting_run(|job| job);
    simulator.set_clock(at(100));
    let runs = ["run 50 +0", "end 50 Succeeded", "run 100 +0", "end 100 Succeeded"];
    assert_eq!(log.take()[1..], runs);
}

#[test]
fn a_job_ends_with_a_run_that_waited_for_a_retry() {
    // Without a further event, the job would wait forever.
    let (mut simulator, log) = with_waiting_run(|job| job.ending(at(100)));
    simulator.set_clock(at(110));
    assert_eq!(log.take()[2..], ["run 50 +0", "end 50 Succeeded", "over"]);
    assert_eq!(simulator.stats().jobs, 0);
    // The run is the last that the job's limit permits.
    let (mut simulator, log) = with_waiting_run(|job| job.most_runs(2));
    simulator.set_clock(at(100));
    let expected =
        ["no retry [40]", "skip 100-100 1 MostRuns", "run 50 +0", "end 50 Succeeded", "over"];
    assert_eq!(log.take(), expected);
    assert_eq!(simulator.stats().jobs, 0);
}

/// Compares jobs with a model: a job that repeats its events runs them each time that the clock
/// passes them; any other job runs only events that the clock passes for the first time.
#[test]
fn events_run_once_for_each_time_that_the_clock_passes_them_if_they_are_to_repeat() {
    for seed in 0..scaled(300) {
        let mut chance = Chance(seed);
        let mut simulator = Simulator::new(start());
        let (repeating, waiting) = (Log::new(), Log::new());
        for (runs, set_back) in [(&repeating, SetBack::Repeat), (&waiting, SetBack::Wait)] {
            let job = Job::new(runs.job()).set_back(set_back).missed(Missed::All { max: 9999 });
            add(&mut simulator, MINUTES, job.overlap(Overlap::Queue { max: 9999 }));
        }
        let (mut repeated, mut once, mut latest) = (Vec::new(), Vec::new(), start());
        for _ in 0..100 {
            let before = simulator.now();
            match chance.below(8) {
                0 => {
                    simulator.set_clock(before - secs(2) - chance.span(HOUR));
                    continue;
                }
                1 => simulator.set_clock(before + chance.span(HOUR)),
                2 => simulator.stall(chance.span(HOUR)),
                _ => simulator.run_for(chance.span(secs(600))),
            }
            let now = simulator.now();
            repeated.extend(events(&MINUTES, before, now));
            if now > latest {
                once.extend(events(&MINUTES, latest, now));
                latest = now;
            }
        }
        assert_eq!(repeating.take(), repeated, "seed {seed}");
        assert_eq!(waiting.take(), once, "seed {seed}");
    }
}

/// Otherwise, a wake-up of the machine would also go unnoticed until then.
#[test]
fn a_change_of_the_system_clock_is_noticed_before_the_next_job_is_due() {
    let sleep = SystemClock.max_sleep(Some(HOUR)).expect("a job waits");
    assert!(sleep <= Duration::from_millis(500), "{sleep:?}");
    assert_eq!(SystemClock.max_sleep(None), None);
}

#[test]
fn the_timer_of_a_manual_clock_sleeps_until_the_clock_is_set() {
    let clock = ManualClock::new(start());
    assert_eq!(clock.max_sleep(Some(HOUR)), None);
    assert_eq!(clock.max_sleep(None), None);
}

/// A clock that is set without waiting for the scheduler. The time since 1970 is its elapsed time.
#[derive(Clone)]
struct PlainClock(Arc<Mutex<PlainReading>>);

struct PlainReading {
    now: SystemTime,
    timer: Option<Weak<dyn Timer>>,
}

impl PlainClock {
    fn set(&self, now: SystemTime) {
        let mut reading = lock(&self.0);
        reading.now = now;
        let timer = reading.timer.as_ref().and_then(Weak::upgrade);
        drop(reading);
        if let Some(timer) = timer {
            timer.clock_changed();
        }
    }
}

impl Clock for PlainClock {
    fn now(&self) -> SystemTime {
        lock(&self.0).now
    }

    fn max_sleep(&self, _: Option<Duration>) -> Option<Duration> {
        None
    }

    fn attach(&self, timer: Weak<dyn Timer>) {
        lock(&self.0).timer = Some(timer);
    }
}

/// Sets a clock when it is dropped.
struct SetOnDrop(PlainClock, SystemTime);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// While the timer drops the missed job, it does not sleep, so the change does not wake it.
#[test]
fn a_change_of_the_clock_is_noticed_while_the_timer_drops_a_job() {
    let clock = PlainClock(Arc::new(Mutex::new(PlainReading { now: start(), timer: None })));
    let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
    let scheduler = builder.start().expect("the scheduler starts");
    let runs = Log::new();
    scheduler.add(every(10).seconds(), runs.job()).expect("the job is added");
    let set = SetOnDrop(clock.clone(), at(20));
    let missed = Job::new(move |_| {
        let _ = &set;
    });
    let missed = missed.missed(Missed::Skip).grace(secs(1));
    scheduler.once_job(at(1), missed).expect("the job is added");
    clock.set(at(5));
    until(|| runs.len() == 1);
    assert_eq!(runs.take(), [at(20)]);
}
