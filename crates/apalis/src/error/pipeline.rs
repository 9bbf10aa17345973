//! [`StartError`] and [`RunError`].

use std::io;

use apalis_core::error::BoxDynError;
use millicron_pipeline::QueryError;
use thiserror::Error;

use super::BuildError;

/// An error of [`PipelineSourceBuilder::start`](crate::PipelineSourceBuilder::start).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The pipeline has no job with the name that was passed to
    /// [`external`](crate::PipelineSourceBuilder::external).
    #[error("the pipeline has no job `{0}`")]
    UnknownJob(String),
    /// A job's name cannot be part of a key.
    #[error(transparent)]
    Jobs(BuildError),
    /// The thread for the history cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// An error of [`PipelineSource::run_again`](crate::PipelineSource::run_again).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The pipeline has no such run, or something else runs the job.
    #[error(transparent)]
    Unknown(BoxDynError),
    /// The history failed.
    #[error("the history failed")]
    History(#[source] BoxDynError),
}

impl RunError {
    pub(crate) fn history(error: impl Into<BoxDynError>) -> Self {
        Self::History(error.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<QueryError<E>> for RunError {
    fn from(error: QueryError<E>) -> Self {
        match error {
            QueryError::History(error) => Self::history(error),
            error => Self::Unknown(error.into()),
        }
    }
}
