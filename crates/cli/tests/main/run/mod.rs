//! `millicron run`, with real processes.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults;
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
