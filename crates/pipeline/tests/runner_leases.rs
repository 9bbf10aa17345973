//! Runners whose history hangs, fails slowly or takes long while claims have to be renewed.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::Pipeline;
use millicron_pipeline::{History as _, Need, PipelineRunner, RunningPipeline};
use millicron_scheduler::{Completion, Job, Outcome, RunContext, Scheduler};

use crate::support::build;
use crate::support::runner::{midnight, minute, receive, scheduler, secs, until, waiting};
use crate::support::scripted::{Call, ScriptCell, Scripted};

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
