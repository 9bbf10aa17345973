//! The threads of a scheduler, and what they share.

mod gate;
mod report;
mod shared;
mod worker;
mod worker_threads;

#[cfg(feature = "tokio")]
pub(crate) use self::gate::AsyncGate;
pub use self::gate::Gate;
pub(crate) use self::gate::{AnswerSink, AnyGate};
pub(crate) use self::shared::{Shared, State};
pub(crate) use self::worker_threads::{SchedulerThread, Wakes, WorkerThreads};
