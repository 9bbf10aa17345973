//! Tests of the source over a scheduler.

mod acting;
mod changes;
mod history;
mod jobs;
mod runs;
mod support;
