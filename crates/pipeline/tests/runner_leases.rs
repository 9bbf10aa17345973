//! Runners whose history hangs, fails slowly or takes long while claims have to be renewed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::Pipeline;
use millicron_pipeline::{History as _, Need, PipelineRunner, RunState, RunningPipeline};
use millicron_scheduler::{Completion, Job, Outcome, RunContext, Scheduler};

use crate::support::build;
use crate::support::runner::{
    HOUR, Log, midnight, minute, receive, scheduler, secs, until, waiting,
};
use crate::support::scripted::{Call, Down, ScriptCell, Scripted};

/// A load that is in progress until its completion is used.
type Started = (RunContext, Completion);

/// Returns a load at 00:30, and a report in each minute that needs it.
fn pipeline() -> Pipeline {
    let builder = Pipeline::builder().since(minute(30)).job("load", schedule!("00:30:00"), []);
    build(builder.job("report", schedule!("*:*:00"), [Need::last("load")]))
}

/// Returns work that sends its runs.
fn sends(started: Sender<Started>) -> Job {
    Job::deferred(move |context, completion| {
        started.send((context, completion)).expect("the test receives");
    })
}

/// Prepares a runner whose reports wait for a load in progress.
fn runner(scheduler: &Scheduler) -> (PipelineRunner<Scripted>, ScriptCell, Receiver<Started>) {
    let ((history, script), (sender, started)) = (Scripted::new(), channel());
    let runner = pipeline().run_on(scheduler, history).run_job("load", sends(sender));
    (runner.run("report", |_| {}), script, started)
}

/// Starts a runner, and submits the load and the reports until now.
fn start(runner: PipelineRunner<Scripted>) -> RunningPipeline<Scripted> {
    runner.submit_since(minute(30)).start().expect("the pipeline starts")
}

/// Returns whether it is called by the current thread, and not by a thread of a runner.
fn on_this_thread() -> impl Fn() -> bool + Send + Sync + 'static {
    let id = std::thread::current().id();
    move || std::thread::current().id() == id
}

#[test]
fn run_whose_claim_may_have_expired_is_asked_to_end_although_the_history_hangs() {
    let (clock, scheduler) = scheduler();
    let (runner, script, started) = runner(&scheduler);
    clock.set(midnight() + 30 * secs(60));
    let running = start(runner.claim_runs("runner", Duration::from_millis(50)));
    let (load, completion) = receive(&started);
    let (release, released) = channel::<()>();
    let released = Mutex::new(released);
    script.set(move |call| {
        if call == Call::Renew {
            // Until the test ends.
            let _ = released.lock().expect("no panic").recv();
        }
        Ok(())
    });
    until(|| load.token().is_cancelled());
    drop(release);
    // Another runner may have taken it over, so its end is not recorded.
    completion.finish(Outcome::Failed("stopped".to_owned()));
    until(|| waiting(&running).len() == 2);
    let state = running.with_history(|history| history.state("load", minute(30)));
    assert_eq!(state.expect("it is reachable"), None);
}

#[test]
fn run_that_has_lost_its_claim_is_asked_to_end_before_waiting_runs_are_checked() {
    let (clock, scheduler) = scheduler();
    let (runner, script, started) = runner(&scheduler);
    clock.set(midnight() + 35 * secs(60));
    let running = start(runner.claim_runs("runner", HOUR));
    let (load, _completion) = receive(&started);
    let forget = |history: &mut Scripted| history.forget("load", minute(30)..=minute(30));
    running.with_history(forget).expect("it is reachable");
    let was_asked = Log::new();
    let (log, is_refresh) = (was_asked.clone(), on_this_thread());
    script.set(move |call| {
        if call == Call::Read && is_refresh() {
            log.add(load.token().is_cancelled());
        }
        Ok(())
    });
    running.refresh();
    assert_eq!(was_asked.take().first(), Some(&true));
}

#[test]
fn claims_are_renewed_while_many_waiting_runs_are_checked() {
    let (clock, scheduler) = scheduler();
    let (runner, script, started) = runner(&scheduler);
    clock.set(midnight() + 35 * secs(60));
    let lease = Duration::from_millis(60);
    let running = start(runner.claim_runs("runner", lease));
    let (_load, _completion) = receive(&started);
    let calls = Log::new();
    let (log, is_refresh) = (calls.clone(), on_this_thread());
    script.set(move |call| {
        if is_refresh() {
            log.add(call);
            if call == Call::Read {
                std::thread::sleep(lease / 3);
            }
        }
        Ok(())
    });
    running.refresh();
    let calls = calls.take();
    let reads = calls.split(|call| *call == Call::Renew);
    // Whether it has ended, and what it needs.
    let of_one_run = 2;
    assert!(reads.into_iter().all(|reads| reads.len() <= of_one_run), "{calls:?}");
}

#[test]
fn refresh_stops_if_the_history_is_slow_to_fail() {
    let (clock, scheduler) = scheduler();
    let (runner, script, started) = runner(&scheduler);
    clock.set(midnight() + 35 * secs(60));
    let lease = Duration::from_millis(60);
    let running = start(runner.claim_runs("runner", lease));
    let (_load, completion) = receive(&started);
    let calls = Log::new();
    let (log, is_refresh) = (calls.clone(), on_this_thread());
    script.set(move |call| {
        if call == Call::Read && is_refresh() {
            log.add(call);
            std::thread::sleep(lease / 3);
            return Err(Down);
        }
        Ok(())
    });
    running.refresh();
    assert_eq!(calls.take(), [Call::Read]);
    script.set(|_| Ok(()));
    completion.finish(Outcome::Succeeded);
    until(|| waiting(&running).is_empty());
}

#[test]
fn refresh_handles_some_waiting_runs_before_it_checks_the_others() {
    let (clock, scheduler) = scheduler();
    let (history, script) = Scripted::new();
    let (reads, waits) = (Arc::new(AtomicUsize::new(0)), Log::new());
    let (of_script, of_observer, log) = (Arc::clone(&reads), reads, waits.clone());
    script.set(move |_| {
        of_script.fetch_add(1, Ordering::SeqCst);
        Ok(())
    });
    clock.set(midnight() + 180 * secs(60));
    let runner = pipeline().run_on(&scheduler, history).external("load").run("report", |_| {});
    let running = start(runner.on_wait(move |_| log.add(of_observer.load(Ordering::SeqCst))));
    assert_eq!(waits.take().len(), 151);
    let fail = |history: &mut Scripted| history.record_state("load", minute(30), RunState::Failed);
    running.with_history(fail).expect("it is reachable");
    running.refresh();
    // Each of them now waits for a run that has failed.
    let reads = waits.take();
    assert_eq!(reads.len(), 151);
    assert!(reads[0] < reads[150], "the first is reported before the last is checked");
}

#[test]
fn failure_that_a_run_waits_for_is_reported_once() {
    let (clock, scheduler) = scheduler();
    let (history, _script) = Scripted::new();
    let waits = Log::new();
    let log = waits.clone();
    clock.set(midnight() + 30 * secs(60));
    let runner = pipeline().run_on(&scheduler, history).external("load").run("report", |_| {});
    let runner = runner.on_wait(move |wait| log.add(wait.failed.clone()));
    // Without claims, so that only the test refreshes.
    let running = start(runner);
    assert_eq!(waits.take(), [None]);
    let fail = |history: &mut Scripted| history.record_state("load", minute(30), RunState::Failed);
    let forget = |history: &mut Scripted| history.forget("load", minute(30)..=minute(30));
    let failed = [Some("`load` 2026-11-21 00:30:00 failed".to_owned())];
    for _ in 0..2 {
        running.with_history(fail).expect("it is reachable");
        for _ in 0..3 {
            running.refresh();
            running.pause("report").expect("a job");
            running.resume("report").expect("a job");
        }
        assert_eq!(waits.take(), failed);
        // It is repeated elsewhere, and fails again.
        running.with_history(forget).expect("it is reachable");
        running.refresh();
        assert_eq!(waits.take(), []);
    }
    // A wait that begins while the failure is known.
    running.with_history(fail).expect("it is reachable");
    running.refresh();
    assert_eq!(waits.take(), failed);
    clock.advance(secs(60));
    assert_eq!(waits.take(), failed);
    running.refresh();
    assert_eq!(waits.take(), []);
}
