//! The threads of a scheduler, and what they share.

mod deferred;
mod gate;
mod report;
mod shared;
mod start;
mod worker;
mod worker_threads;

pub use self::gate::Gate;
#[cfg(feature = "tokio")]
pub(crate) use self::gate::async_gate;
pub(crate) use self::gate::{Answer, AnswerSink, AnyGate, blocking_gate};
pub(crate) use self::shared::{Shared, State};
pub(crate) use self::worker_threads::{SchedulerThread, Wakes, WorkerThreads};
