#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod api;
mod asked;
mod board;
mod failure;
mod feed;
#[cfg(any(feature = "pipeline", feature = "stored"))]
mod known;
#[cfg(any(feature = "pipeline", feature = "scheduler", feature = "stored"))]
mod pace;
#[cfg(feature = "pipeline")]
mod pipeline;
#[cfg(any(feature = "pipeline", feature = "scheduler", feature = "stored"))]
mod recorded;
#[cfg(feature = "scheduler")]
mod scheduler;
mod shared;
mod source;
#[cfg(feature = "stored")]
mod stored;
mod zone;

pub use board::Board;
#[cfg(feature = "pipeline")]
pub use pipeline::RecordedPipeline;
#[cfg(feature = "scheduler")]
pub use scheduler::{RunLog, SchedulerSource};
pub use source::{
    Action, ActionKind, Changes, Conflict, Draft, Editor, Invalid, Job, JobState, Need, Output,
    Pattern, Preview, Run, RunState, Runs, Source, SourceError,
};
#[cfg(feature = "stored")]
pub use stored::StoredSource;
