//! Tests of the router, with a source in memory.

mod acting;
mod client;
mod fake;
mod feed;
mod hardening;
mod hosts;
mod pictures;
mod reading;
mod sessions;
