//! Properties of the public types.

use std::convert::Infallible;
use std::error::Error;

use millicron_pipeline::{
    Explanation, History, MemoryHistory, Missing, Need, Pipeline, PipelineBuilder, PipelineError,
    PipelineRun, Plan, QueryError, Readiness,
};

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

/// A readiness refers to the recurrences of its pipeline.
#[test]
fn readiness_can_be_sent_and_shared() {
    is_send_and_sync::<Readiness<'_>>();
    is_send_and_sync::<Missing<'_>>();
}
