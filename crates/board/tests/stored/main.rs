//! Tests of the sources that read databases and histories.

mod changes;
mod database;
mod editor;
mod http;
mod jobs;
mod pipeline;
mod runs;
