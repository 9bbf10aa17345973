//! What may be wrong with a pipeline, a query, or the start of a pipeline.

mod build;
mod query;
#[cfg(feature = "scheduler")]
mod start;

pub use build::{Impossible, PipelineError, PipelineProblem, Setting};
pub use query::QueryError;
#[cfg(feature = "scheduler")]
pub use start::{JobProblem, StartError};
