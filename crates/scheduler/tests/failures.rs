//! What jobs may return, and where failures are reported.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    AddError, CancellationToken, Event, Job, Outcome, Overlap, RunContext, SimulatedJob, Simulator,
};

use crate::support::{Log, builder, in_child, lock, scheduler, secs, start};

const MINUTES: Schedule = schedule!("*:*:00");

/// An error with a source.
#[derive(Debug)]
struct Caused(&'static str, Option<Box<Caused>>);

impl fmt::Display for Caused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Caused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|source| source as _)
    }
}

fn caused() -> Caused {
    let io = Caused("no route to host", None);
    Caused("the upload failed", Some(Box::new(Caused("no connection", Some(Box::new(io))))))
}

const CHAIN: &str = "the upload failed: no connection: no route to host";

#[test]
fn a_refused_job_is_an_error_of_anyhow() {
    let (_clock, scheduler) = scheduler();
    let add_twice = || -> anyhow::Result<()> {
        for _ in 0..2 {
            scheduler.add_job(MINUTES, Job::new(|_| {}).name("backup"))?;
        }
        Ok(())
    };
    let error = add_twice().expect_err("the name is taken");
    assert!(error.to_string().contains("`backup`"), "{error}");
    assert!(error.is::<AddError>());
}

/// Runs a job once, and returns its outcome.
fn outcome_of(job: Job) -> Outcome {
    let outcomes = Log::new();
    let sink = outcomes.clone();
    let mut simulator = Simulator::new(start()).observer(move |event: &Event| {
        if let Event::Finished { outcome, .. } = event {
            sink.add(outcome.clone());
        }
    });
    simulator.once(start(), job, |_| secs(0)).expect("the job is added");
    let [outcome] = &outcomes.take()[..] else { panic!("it runs once") };
    outcome.clone()
}

#[test]
fn an_outcome_has_the_whole_chain_of_sources() {
    let failed = |text: &str| Outcome::Failed(text.to_owned());
    let in_context = |_| Err::<(), _>(anyhow::Error::new(caused()).context("the run failed"));
    assert_eq!(outcome_of(Job::new(in_context)), failed(&format!("the run failed: {CHAIN}")));
    assert_eq!(outcome_of(Job::new(|_| Err::<(), _>(caused()))), failed(CHAIN));
    let boxed = |_| Err::<(), Box<dyn Error>>(caused().into());
    assert_eq!(outcome_of(Job::new(boxed)), failed(CHAIN));
    // If an error repeats the text of its source, the text appears once.
    let repeating = |_| Err::<(), _>(Caused("a: b", Some(Box::new(Caused("b", None)))));
    assert_eq!(outcome_of(Job::new(repeating)), failed("a: b"));
}

#[test]
fn a_job_may_return_any_result() {
    assert_eq!(outcome_of(Job::new(|_| Ok::<u32, fmt::Error>(7))), Outcome::Succeeded);
    assert_eq!(outcome_of(Job::new(|_| std::fs::metadata("."))), Outcome::Succeeded);
    let text = |_| Err::<Vec<u8>, String>("no paper".to_owned());
    assert_eq!(outcome_of(Job::new(text)), Outcome::Failed("no paper".to_owned()));
    assert_eq!(outcome_of(Job::once(|_| Outcome::Abandoned)), Outcome::Abandoned);
    let parsed = |_| "7 apples".parse::<u32>();
    assert!(matches!(outcome_of(Job::new_mut(parsed)), Outcome::Failed(_)));
}

#[test]
fn a_job_that_never_returns_panics_as_its_outcome() {
    let panicked = |text: &str| Outcome::Panicked(text.to_owned());
    assert_eq!(outcome_of(Job::new(|_| panic!("not yet"))), panicked("not yet"));
    assert_eq!(outcome_of(Job::once(|_| panic!("not yet"))), panicked("not yet"));
    let (clock, scheduler) = scheduler();
    scheduler.add(every(1).minutes(), |_| unimplemented!()).expect("the job is added");
    scheduler.once(start(), |_| unimplemented!()).expect("the job is added");
    clock.advance(secs(60));
    assert_eq!(scheduler.stats().failed, 2);
}

/// The first failure of each job is written to standard error, unless an observer or a subscriber
/// receives all failures.
#[test]
fn without_observer_and_subscriber_first_failures_are_written_to_standard_error() {
    let name =
        "failures::without_observer_and_subscriber_first_failures_are_written_to_standard_error";
    let Some(written) = in_child(name) else {
        for is_observed in [false, true] {
            let (clock, builder) = builder();
            let builder = if is_observed { builder.observer(|_: &Event| {}) } else { builder };
            let scheduler = builder.start().expect("the scheduler starts");
            let name = if is_observed { "observed" } else { "upload" };
            let job = Job::new(|_| Err::<(), _>(caused())).name(name);
            scheduler.add_job(MINUTES, job).expect("the job is added");
            let job = Job::new(
                |run: RunContext| {
                    if run.number() == 2 { Err("the second") } else { Ok(()) }
                },
            );
            scheduler.add_job(MINUTES, job).expect("the job is added");
            scheduler.once(start(), |_| Err::<(), _>("only once")).expect("the job is added");
            clock.advance(secs(300));
            assert_eq!(scheduler.stats().failed, 5 + 1 + 1);
        }
        return;
    };
    let lines: Vec<&str> = written.lines().filter(|line| line.starts_with("millicron: ")).collect();
    assert_eq!(lines.len(), 3, "{written}");
    for expected in
        [&format!("job upload failed: {CHAIN}"), "failed: the second", "failed: only once"]
    {
        assert_eq!(lines.iter().filter(|line| line.contains(expected)).count(), 1, "{written}");
    }
}

/// The tokens of the runs in progress, by job.
type Tokens = Arc<Mutex<Vec<(u64, CancellationToken)>>>;

#[test]
fn cancelling_one_of_many_jobs_cancels_its_own_tokens_only() {
    let tokens = Tokens::default();
    let mut simulator = Simulator::new(start());
    simulator.set_workers(6000);
    let jobs: Vec<SimulatedJob> = (0..5000)
        .map(|job| {
            let sink = Arc::clone(&tokens);
            let run = move |run: RunContext| lock(&sink).push((job, run.token().clone()));
            let takes = |_: &RunContext| secs(1000);
            let added = if job % 5 == 0 {
                simulator.once(start() + secs(1), Job::once(run), takes)
            } else {
                let run = Job::new(run).overlap(Overlap::Allow { max: 3 });
                simulator.add(every(1).seconds(), run, takes)
            };
            added.expect("the job is added")
        })
        .collect();
    // Of 13,000 runs, 6000 are in progress and 7000 wait for a worker.
    simulator.run_for(secs(3));
    assert_eq!((simulator.stats().running, simulator.stats().ready), (6000, 7000));
    let cancelled: HashSet<u64> = (0..5000).filter(|job| job % 7 == 3).collect();
    for (job, handle) in (0..).zip(&jobs) {
        if cancelled.contains(&job) {
            // A one-shot job is removed when its run starts.
            assert!(simulator.cancel(*handle) || job % 5 == 0);
        }
    }
    let begun = lock(&tokens).len();
    assert_eq!(begun, 6000);
    for (job, token) in lock(&tokens).iter() {
        assert_eq!(token.is_cancelled(), cancelled.contains(job), "job {job}");
    }
    // Waiting runs of cancelled jobs do not start, and no longer count as ready.
    let ready = simulator.stats().ready;
    simulator.set_workers(usize::MAX);
    let tokens = lock(&tokens);
    assert_eq!(tokens.len() - begun, ready);
    assert!(tokens[begun..].iter().all(|(job, _)| !cancelled.contains(job)));
    let recurring = (0..5000).filter(|job| job % 5 != 0 && !cancelled.contains(job)).count();
    let of_recurring = tokens.iter().filter(|(job, _)| job % 5 != 0 && !cancelled.contains(job));
    assert_eq!(of_recurring.count(), 3 * recurring);
}
