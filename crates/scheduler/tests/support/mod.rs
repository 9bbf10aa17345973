//! Helpers for all tests: accounts of events, and random numbers.

mod accounts;
mod chance;
mod instants;
mod schedulers;

use std::time::SystemTime;

pub(crate) use self::accounts::Account;
pub(crate) use self::chance::Chance;
pub(crate) use self::instants::{after, at, events, secs, start, to_millis};
#[cfg(all(feature = "tokio", unix))]
pub(crate) use self::schedulers::child;
pub(crate) use self::schedulers::{builder, held, in_child, logged, scheduler, simulator};
use millicron_scheduler::{Event, RunContext};
pub(crate) use millicron_test_support::scaled;
pub(crate) use millicron_test_support::threads::{Log, lock, receive, until, watched, watched_for};

pub(crate) trait LogRuns {
    /// Returns a job that logs the scheduled instant of each run.
    fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static;
}

impl LogRuns for Log<SystemTime> {
    fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.add(run.scheduled())
    }
}

/// A short form of an event.
pub(crate) fn short(event: &Event) -> String {
    match event {
        Event::Added { next, .. } => format!("added {}", after(*next)),
        Event::Started { run } => {
            format!("run {} +{}", after(run.scheduled()), run.coalesced())
        }
        Event::Finished { run, outcome, .. } => {
            format!("end {} {outcome:?}", after(run.scheduled()))
        }
        Event::Skipped { first, last, count, reason, .. } => {
            format!("skip {}-{} {count} {reason:?}", after(*first), after(*last))
        }
        Event::Coalesced { first, count, into, .. } => {
            format!("coalesce {} {count} {}", after(*first), after(*into))
        }
        Event::Cancelled { due, retries, next, .. } => {
            let due: Vec<u64> = due.iter().copied().map(after).collect();
            let retries: Vec<u64> = retries.iter().copied().map(after).collect();
            let retries =
                if retries.is_empty() { String::new() } else { format!(" retries {retries:?}") };
            format!("cancel {due:?} {:?}{retries}", next.map(after))
        }
        Event::RetriesCancelled { retries, .. } => {
            format!("no retry {:?}", retries.iter().copied().map(after).collect::<Vec<_>>())
        }
        Event::Rescheduled { next, .. } => format!("reschedule {:?}", next.map(after)),
        Event::Paused { .. } => "pause".to_owned(),
        Event::Resumed { .. } => "resume".to_owned(),
        Event::Exhausted { .. } => "over".to_owned(),
        Event::TimedOut { run, .. } => format!("time-out {}", after(run.scheduled())),
        Event::ClockSetBack { by } => format!("set back {}", by.as_secs()),
        other => panic!("unexpected kind of event: {other:?}"),
    }
}
