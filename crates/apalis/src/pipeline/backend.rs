//! [`PipedPipeline`]: a pipeline and a storage as one backend of apalis.

use std::fmt;
use std::task::{Context, Poll};

use apalis_core::backend::{Backend, BackendConfig, TaskSink, WireFormatBackend};
use apalis_core::task::Task;
use apalis_core::worker::context::WorkerContext;
use tower_layer::Stack;

use super::layer::ClaimLayer;
use crate::error::PipeError;
use crate::run::Run;
use crate::worker::backend::PipedSource;

/// A backend that pushes the tasks of a [`PipelineSource`](crate::PipelineSource) into a storage,
/// and hands out the storage's tasks; returned by
/// [`PipelineSource::pipe_to`](crate::PipelineSource::pipe_to).
///
/// It is a [`PipedSource`] whose workers claim each run and record how it ended.
pub struct PipedPipeline<P, B: Backend> {
    source: PipedSource<P, B>,
    layer: ClaimLayer,
}

impl<P, B: Backend> PipedPipeline<P, B> {
    pub(crate) const fn new(source: PipedSource<P, B>, layer: ClaimLayer) -> Self {
        Self { source, layer }
    }

    /// Returns the storage.
    pub const fn storage(&self) -> &B {
        self.source.storage()
    }
}

impl<P, B, K, T> Backend for PipedPipeline<P, B>
where
    P: Clone + Send + 'static,
    B: Backend<Task = Task<T>> + BackendConfig<Kind = K> + TaskSink<Run<P>, K> + Unpin,
{
    type Task = B::Task;
    type Error = PipeError<B::Error>;

    fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        self.source.poll_ready(cx, worker)
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        self.source.poll_next(cx, worker)
    }

    fn poll_close(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Self::Error>> {
        self.source.poll_close(cx, worker)
    }
}

impl<P, B: Backend + BackendConfig> BackendConfig for PipedPipeline<P, B> {
    type Args = B::Args;
    type Id = B::Id;
    type Kind = B::Kind;
    type Config = B::Config;
    type Layer = Stack<ClaimLayer, B::Layer>;

    fn config(&self) -> &Self::Config {
        self.source.config()
    }

    fn middleware(&mut self, worker: &mut WorkerContext) -> Self::Layer {
        Stack::new(self.layer.clone(), self.source.middleware(worker))
    }
}

impl<P, B: Backend + WireFormatBackend> WireFormatBackend for PipedPipeline<P, B> {
    type Codec = B::Codec;
    type Compact = B::Compact;

    fn codec(&self) -> &Self::Codec {
        self.source.codec()
    }
}

impl<P, B: Backend + fmt::Debug> fmt::Debug for PipedPipeline<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipedPipeline").field(&self.source).finish()
    }
}
