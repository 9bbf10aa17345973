//! Properties of the public types.

use std::convert::Infallible;
use std::error::Error;

use millicron_pipeline::{
    Explanation, History, MemoryHistory, Missing, Need, Pipeline, PipelineBuilder, PipelineError,
    PipelineRun, Plan, QueryError, Readiness, Reason,
};

use crate::support::{HOUR, SATURDAY, build, pipeline, ready};

fn is_error<T: Error + Send + Sync + 'static>() {}
fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn errors_are_errors_that_can_be_sent_and_shared() {
    is_error::<PipelineError>();
    is_error::<QueryError>();
    is_error::<QueryError<std::io::Error>>();
    #[cfg(feature = "sqlite")]
    is_error::<millicron_pipeline::SqliteError>();
    #[cfg(feature = "sqlite")]
    is_error::<QueryError<millicron_pipeline::SqliteError>>();
    #[cfg(feature = "scheduler")]
    is_error::<millicron_pipeline::StartError<Infallible>>();
}

#[test]
fn pipelines_can_be_sent_and_shared() {
    is_send_and_sync::<Pipeline>();
    is_send_and_sync::<PipelineBuilder>();
    is_send_and_sync::<MemoryHistory>();
    is_send_and_sync::<Need<'_>>();
    is_send_and_sync::<PipelineRun<'_>>();
    is_send_and_sync::<Plan<'_>>();
    is_send_and_sync::<Explanation<'_>>();
    is_send_and_sync::<Box<dyn History<Error = Infallible> + Send + Sync>>();
    #[cfg(feature = "scheduler")]
    is_send_and_sync::<millicron_pipeline::RunningPipeline<MemoryHistory>>();
}

#[test]
fn debug_output_is_never_empty() {
    let builder = pipeline(&[("up", "3:00:00", &[]), ("job", "4:00:00", &[Need::all("up")])]);
    assert_ne!(format!("{builder:?}"), "");
    let pipeline = build(builder);
    assert_ne!(format!("{pipeline:?}"), "");
    let run = SATURDAY + 4 * HOUR;
    let waiting = ready(&pipeline, "job", run, &MemoryHistory::new()).waiting().expect("waiting");
    let [Reason::Runs { missing, .. }] = waiting.reasons() else { panic!("{waiting}") };
    assert_ne!(format!("{missing:?}"), "");
    assert_ne!(format!("{:?}", pipeline.job("job").expect("a job")), "");
    assert_ne!(format!("{:?}", pipeline.plan(..).expect("a plan")), "");
    assert_ne!(format!("{:?}", pipeline.downstream("job", run, ..).expect("a run")), "");
    #[cfg(feature = "scheduler")]
    {
        let (_clock, scheduler) = crate::support::runner::scheduler();
        let runner = pipeline.run_on(&scheduler, MemoryHistory::new());
        let runner = runner.external("up").external("job");
        assert_ne!(format!("{runner:?}"), "");
        assert_ne!(format!("{:?}", runner.start().expect("the pipeline starts")), "");
    }
}

/// A readiness refers to the recurrences of its pipeline.
#[test]
fn readiness_can_be_sent_and_shared() {
    is_send_and_sync::<Readiness<'_>>();
    is_send_and_sync::<Missing<'_>>();
}
