//! What a scheduler reports: to observers, in statistics and lists of jobs, and to `tracing` and
//! `metrics`.

mod event;
mod info;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
mod stats;

pub use self::event::{Event, Observer, SkipReason};
pub use self::info::{JobInfo, JobStatus};
pub use self::stats::Stats;
