//! `millicron run`, with real processes.

mod history;
mod load;
mod metrics;
mod output;
mod page;
mod pipelines;
mod policies;
mod probes;
mod processes;
mod reload;
mod signals;
mod starts;
mod support;
