//! Combinations of policies: retries and the next event, gates and cancellation, limits and triggers,
//! jitter and clocks that are set back; and failures that must not end or block a thread of the
//! scheduler.

#[cfg(feature = "tokio")]
use std::sync::Arc;
use std::sync::mpsc::channel;
#[cfg(feature = "tokio")]
use std::task::{Context, Poll, Wake, Waker};
#[cfg(feature = "tokio")]
use std::time::Duration;

use millicron::{every, schedule};
use millicron_scheduler::{
    Event, Job, ManualClock, Missed, Overlap, Retry, RunContext, SetBack, Simulator,
};
#[cfg(feature = "tokio")]
use millicron_scheduler::{Outcome, Scheduler};

#[cfg(feature = "tokio")]
use crate::support::until;
use crate::support::{
    Log, LogRuns as _, at, builder, held, receive, scheduler, secs, short, simulator, start,
    watched,
};

#[test]
fn an_attempt_in_progress_at_the_next_event_is_the_last() {
    let (mut simulator, log) = simulator();
    let retry = Retry::constant(secs(1)).until_next_event();
    let job = Job::new(|run| if run.scheduled() == at(10) { Err("no data") } else { Ok(()) });
    let job = job.retry(retry).overlap(Overlap::Queue { max: 3 });
    simulator.add(schedule!("*:*:*/10"), job, |_| secs(4)).expect("the job is added");
    simulator.run_for(secs(30));
    // Attempts at 10 and 15; the attempt at 20, when the next event is due, is the last.
    let starts = |log: &[String]| log.iter().filter(|line| *line == "run 10 +0").count();
    let log = log.take();
    assert_eq!(starts(&log), 3, "{log:?}");
    assert!(log.contains(&"end 20 Succeeded".to_owned()), "{log:?}");
}

#[test]
fn a_ready_retry_is_not_reported_as_due() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| Err::<(), _>("no data")).retry(Retry::constant(secs(5)));
    let job = simulator.add(schedule!("*:*:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(42));
    // No worker takes the retry at 45.
    simulator.set_workers(0);
    simulator.run_for(secs(5));
    assert_eq!(simulator.stats().ready, 1);
    assert!(simulator.cancel(job));
    assert_eq!(simulator.stats().ready, 0);
    assert_eq!(log.take().last().map(String::as_str), Some("cancel [] Some(100) retries [40]"));
}

#[test]
fn a_run_whose_gate_is_asked_does_not_start_after_its_job_was_cancelled() {
    for is_once in [false, true] {
        let (asked, questions) = channel();
        let (answer, answers) = channel::<()>();
        let answers = std::sync::Mutex::new(answers);
        let (clock, builder) = builder();
        let log = Log::new();
        let sink = log.clone();
        let gate = move |_: &RunContext| {
            asked.send(()).expect("the test receives it");
            receive(&answers.lock().expect("no thread panics"));
            true
        };
        let builder = builder.gate(gate).observer(move |event: &Event| sink.add(short(event)));
        let scheduler = builder.start().expect("the scheduler starts");
        let runs = Log::new();
        let job = if is_once {
            scheduler.once(start(), runs.job())
        } else {
            scheduler.add(every(10).seconds().immediately(), runs.job())
        };
        let job = job.expect("the job is added");
        receive(&questions);
        assert!(job.cancel(), "it has not started");
        answer.send(()).expect("the gate receives it");
        clock.advance(secs(1));
        assert_eq!((runs.take(), scheduler.stats().completed), (Vec::new(), 0));
        let next = if is_once { "None" } else { "Some(10)" };
        assert_eq!(log.take(), ["added 0".to_owned(), format!("cancel [0] {next}")]);
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
    }
}

#[test]
fn a_paused_job_ends_after_its_last_triggered_run() {
    let (clock, scheduler) = scheduler();
    let job = Job::new(|_| {}).name("x").most_runs(1);
    let job = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    assert!(job.pause() && job.trigger_now());
    clock.advance(secs(1));
    assert_eq!((job.name(), scheduler.job("x").is_some()), (None, false));
}

#[test]
fn events_beyond_the_last_run_are_skipped_and_triggers_refused() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).missed(Missed::All { max: 10 }).most_runs(2);
    simulator.add(schedule!("*:*:*/10"), job, |_| secs(1)).expect("the job is added");
    simulator.stall(secs(49));
    simulator.run_for(secs(100));
    let log = log.take();
    assert!(log.contains(&"skip 30-40 2 MostRuns".to_owned()), "{log:?}");
    assert_eq!(log.last().map(String::as_str), Some("over"));

    let (_clock, scheduler) = scheduler();
    let (job, _runs) = held();
    let job = job.overlap(Overlap::Queue { max: 9 }).most_runs(2);
    let job = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    assert_eq!([(); 4].map(|()| job.trigger_now()), [true, true, false, false]);
}

#[test]
fn repeated_events_follow_those_that_jitter_holds_up_or_a_pause() {
    let start_at = |delayed: &mut Simulator, log: &Log<String>| {
        delayed.run_for(secs(600));
        log.take().into_iter().filter(|line| line.starts_with("run")).collect::<Vec<_>>()
    };
    // Jitter delays the event at 40 when the clock is set back.
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).name("x").jitter(secs(10)).set_back(SetBack::Repeat);
    simulator.add(schedule!("*:*/10:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(400));
    simulator.set_clock(at(398));
    let runs = start_at(&mut simulator, &log);
    assert_eq!(runs[0], "run 400 +0", "{runs:?}");

    let (mut simulator, log) = crate::support::simulator();
    let job = Job::new(|_| {}).set_back(SetBack::Repeat);
    let job = simulator.add(schedule!("*:*/5:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(450));
    assert!(simulator.pause(job));
    simulator.set_clock(at(50));
    assert!(simulator.resume(job));
    let runs = start_at(&mut simulator, &log);
    assert_eq!(runs, ["run 100 +0", "run 400 +0", "run 100 +0", "run 400 +0"]);
}

#[test]
fn a_clock_need_not_wait_for_runs_of_a_closed_scheduler() {
    let (clock, scheduler) = scheduler();
    let (job, runs) = held();
    scheduler.add_job(every(1).seconds(), job).expect("the job is added");
    let advancing = std::thread::spawn({
        let clock: ManualClock = clock.clone();
        move || clock.advance(secs(1))
    });
    let run = receive(&runs);
    drop(scheduler.close());
    watched(move || advancing.join().expect("no thread panics"));
    drop((run, clock));
}

/// A waker that panics.
#[cfg(feature = "tokio")]
struct Broken;

#[cfg(feature = "tokio")]
impl Wake for Broken {
    fn wake(self: Arc<Self>) {
        panic!("a waker");
    }
}

#[cfg(feature = "tokio")]
#[test]
fn a_waker_that_panics_ends_no_thread() {
    let panics = Log::new();
    let sink = panics.clone();
    let observer = move |event: &Event| {
        if let Event::Panicked { during, message } = event {
            sink.add(format!("{during}: {message}"));
        }
    };
    let builder = Scheduler::builder().observer(observer);
    let scheduler = builder.start().expect("the scheduler starts");
    let (job, runs) = held();
    let (go_on, signal) = channel::<()>();
    let job = job.timeout(Duration::from_millis(1));
    let handle = scheduler.add_job(every(1).hours(), job).expect("the job is added");
    assert!(handle.trigger_now());
    let (run, completion) = receive(&runs);
    let waiting = run.clone();
    let (polled, states) = channel();
    let task = std::thread::spawn(move || {
        let mut cancelled = Box::pin(waiting.token().cancelled());
        let waker = Waker::from(Arc::new(Broken));
        // Either the token is already cancelled, or its waker panics when it is.
        polled.send(cancelled.as_mut().poll(&mut Context::from_waker(&waker))).expect("a test");
        receive(&signal);
    });
    until(|| scheduler.stats().timed_out == 1);
    let has_waited = receive(&states) == Poll::Pending;
    // The task waits as long as its waker may be used.
    until(|| !has_waited || panics.len() == 1);
    go_on.send(()).expect("the task receives it");
    task.join().expect("no thread panics");
    assert!(panics.take().iter().all(|panic| panic == "a waker: a waker"));
    completion.finish(Outcome::Succeeded);
    let ran = Log::new();
    scheduler.once(start(), ran.job()).expect("the job is added");
    until(|| ran.len() == 1);
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
}

#[test]
fn a_one_shot_job_runs_within_its_first_and_last_instant_or_not_at_all() {
    let (_clock, scheduler) = scheduler();
    let limited = || Job::once(|_| {}).starting(at(10)).ending(at(20));
    for (instant, is_accepted) in [(9, false), (10, true), (20, true), (21, false)] {
        let added = scheduler.once_job(at(instant), limited());
        assert_eq!(added.is_ok(), is_accepted, "{instant}");
    }
}

#[test]
fn what_is_due_for_longest_runs_first_whatever_it_goes_by() {
    let (mut simulator, log) = simulator();
    simulator.set_workers(1);
    let interval = Job::new(|_| {}).missed(Missed::All { max: 9 });
    simulator.add(every(60).seconds(), interval, |_| secs(0)).expect("the job is added");
    simulator.once(at(90), Job::once(|_| {}), |_| secs(0)).expect("the job is added");
    simulator.stall(secs(100));
    simulator.run_for(secs(1));
    let log = log.take();
    let of = |text: &str| log.iter().position(|line| line == text);
    assert!(of("run 60 +0") < of("run 90 +0"), "{log:?}");
}

#[test]
fn boxed_errors_are_outcomes_of_closures_and_futures() {
    type Boxed = Box<dyn std::error::Error + Send + Sync>;
    let (clock, scheduler) = scheduler();
    let outcomes = Log::new();
    let sink = outcomes.clone();
    let failing = move |_| -> Result<u32, Boxed> {
        sink.add("closure");
        Err("no data")?
    };
    scheduler.once(at(1), failing).expect("the job is added");
    scheduler
        .once(at(2), |_| -> Result<(), Box<dyn std::error::Error>> { Err("no data")? })
        .expect("the job is added");
    clock.advance(secs(3));
    assert_eq!((scheduler.stats().failed, outcomes.take()), (2, vec!["closure"]));
}
