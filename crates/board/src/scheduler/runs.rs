//! [`JobRuns`]: the last runs of a job.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::unix_millis;
use millicron_scheduler::{Outcome, RunContext, SkipReason};

use crate::source::{Run, RunState};

/// The longest message that is kept, in bytes.
const LONGEST_MESSAGE: usize = 2000;

/// The last runs of a job.
#[derive(Debug, Default)]
pub(super) struct JobRuns {
    /// In the order in which they started.
    entries: VecDeque<Entry>,
    /// The number of the latest run.
    last_id: i64,
}

#[derive(Debug)]
struct Entry {
    run: Run,
    /// While an attempt is in progress.
    context: Option<RunContext>,
    /// When the last attempt ended, in milliseconds since 1970.
    attempt_ended: Option<i64>,
    /// Tells entries of all jobs apart, later ones have larger numbers.
    age: u64,
    /// The number of skipped events, and why they were skipped.
    skipped: Option<(u64, String)>,
}

/// Which entries have come and gone.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) added: Option<u64>,
    pub(super) dropped: Vec<u64>,
}

impl JobRuns {
    /// Returns the runs, the latest first.
    pub(super) fn newest_first(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.entries.iter().rev().map(|entry| &entry.run)
    }

    /// Returns the ages of all entries.
    pub(super) fn ages(&self) -> impl Iterator<Item = u64> {
        self.entries.iter().map(|entry| entry.age)
    }

    /// Returns the attempt of a run that is in progress.
    pub(super) fn in_progress(&self, id: i64) -> Option<&RunContext> {
        self.entries.iter().find(|entry| entry.run.id == id)?.context.as_ref()
    }

    /// Drops the oldest entry, unless it is the only one. Returns whether it did.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let oldest = self.entries.iter().enumerate().min_by_key(|(_, entry)| entry.age);
        let Some((index, _)) = oldest.filter(|_| self.entries.len() > 1) else { return false };
        self.entries.remove(index);
        true
    }

    /// Drops the runs that have not ended, whose ends may be unknown. Returns their ages.
    pub(super) fn drop_unfinished(&mut self) -> Vec<u64> {
        let is_open = |entry: &Entry| entry.run.ended.is_none() && entry.skipped.is_none();
        let ages = self.entries.iter().filter(|entry| is_open(entry)).map(|entry| entry.age);
        let ages = ages.collect();
        self.entries.retain(|entry| !is_open(entry));
        ages
    }

    /// Records the start of an attempt.
    pub(super) fn start(&mut self, context: &RunContext, age: u64, most: usize) -> Change {
        let (entry, change) = self.entry(context, age, most);
        if let Some(entry) = entry {
            entry.run.state = RunState::Running;
            entry.run.message = None;
            entry.run.attempts = context.attempt();
            entry.context = Some(context.clone());
        }
        change
    }

    /// Records the end of an attempt.
    pub(super) fn finish(
        &mut self,
        context: &RunContext,
        (outcome, duration): (&Outcome, Duration),
        is_retried: bool,
        (age, most): (u64, usize),
    ) -> Change {
        // Its start may have been lost.
        let (entry, change) = self.entry(context, age, most);
        if let Some(Entry { run, context: attempt, attempt_ended, .. }) = entry {
            *attempt = None;
            *attempt_ended = Some(unix_millis(context.started() + duration));
            run.attempts = context.attempt();
            run.state = match outcome {
                Outcome::Succeeded => RunState::Succeeded,
                _ if is_retried => RunState::Retrying,
                _ => RunState::Failed,
            };
            run.message = message(outcome);
            run.ended = attempt_ended.filter(|_| !is_retried);
        }
        change
    }

    /// Records that runs are not attempted again: they have ended with their last attempts.
    pub(super) fn give_up(&mut self, retries: &[SystemTime]) {
        for retry in retries.iter().copied().map(unix_millis) {
            let waits =
                |entry: &&mut Entry| entry.waits_for_retry() && entry.run.scheduled == retry;
            if let Some(entry) = self.entries.iter_mut().rev().find(waits) {
                entry.run.state = RunState::Failed;
                entry.run.ended = entry.attempt_ended;
            }
        }
    }

    /// Records skipped events. Those in a row are one entry.
    pub(super) fn skip(
        &mut self,
        first: SystemTime,
        (count, reason): (u64, &str),
        (age, most): (u64, usize),
    ) -> Change {
        let mut change = Change::default();
        let is_same = |entry: &Entry| entry.skipped.as_ref().is_some_and(|(_, why)| why == reason);
        if !self.entries.back().is_some_and(is_same) {
            let state = RunState::Skipped;
            let run = Run { state, ..Run::new(self.next_id(first), unix_millis(first)) };
            let skipped = Some((0, reason.to_owned()));
            change =
                self.push(Entry { run, context: None, attempt_ended: None, age, skipped }, most);
        }
        if let Some(Entry { run, skipped: Some((total, reason)), .. }) = self.entries.back_mut() {
            *total = total.saturating_add(count);
            let events =
                if *total == 1 { "an event".to_owned() } else { format!("{total} events") };
            run.message = Some(format!("{events}: {reason}"));
        }
        change
    }

    /// Returns the entry of a run, which may be new.
    fn entry(
        &mut self,
        context: &RunContext,
        age: u64,
        most: usize,
    ) -> (Option<&mut Entry>, Change) {
        let scheduled = unix_millis(context.scheduled());
        let is_it = |entry: &Entry| match &entry.context {
            Some(attempt) => attempt.scheduled() == context.scheduled(),
            None => entry.waits_for_retry() && entry.run.scheduled == scheduled,
        };
        let mut change = Change::default();
        let index = self.entries.iter().rposition(is_it);
        if index.is_none() {
            let run = Run::new(self.next_id(context.scheduled()), scheduled);
            let run = Run { started: Some(unix_millis(context.started())), ..run };
            let entry = Entry { run, context: None, attempt_ended: None, age, skipped: None };
            change = self.push(entry, most);
        }
        let entry = match index {
            Some(index) => self.entries.get_mut(index),
            None => self.entries.back_mut(),
        };
        (entry, change)
    }

    /// Returns the number of a run: its instant in microseconds, as for [recorded](super::earlier) ones, unless an
    /// earlier run has that number.
    fn next_id(&mut self, scheduled: SystemTime) -> i64 {
        let micros = scheduled.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let id = i64::try_from(micros).unwrap_or(i64::MAX);
        self.last_id = id.max(self.last_id.saturating_add(1));
        self.last_id
    }

    fn push(&mut self, entry: Entry, most: usize) -> Change {
        let added = Some(entry.age);
        self.entries.push_back(entry);
        let surplus = self.entries.len().saturating_sub(most.max(1));
        Change { added, dropped: self.entries.drain(..surplus).map(|entry| entry.age).collect() }
    }
}

impl Entry {
    /// Whether the run waits for its next attempt.
    fn waits_for_retry(&self) -> bool {
        self.context.is_none() && self.run.state == RunState::Retrying
    }
}

/// Returns what a failure says.
fn message(outcome: &Outcome) -> Option<String> {
    let mut text = match outcome {
        Outcome::Succeeded => return None,
        Outcome::Failed(message) => message.clone(),
        other => other.to_string(),
    };
    if text.len() > LONGEST_MESSAGE {
        text.truncate(text.floor_char_boundary(LONGEST_MESSAGE));
        text.push('…');
    }
    Some(text)
}

pub(super) const fn reason_of(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Missed => "missed",
        SkipReason::Overlap => "the previous run had not ended",
        SkipReason::Paused => "the job was paused",
        SkipReason::Rescheduled => "the job was rescheduled",
        SkipReason::MostRuns => "the job has reached its number of runs",
        SkipReason::Gate => "a gate refused the run",
        _ => "the job did not run then",
    }
}

/// The name of a job in events, as a board shows it.
pub(super) type Name = Arc<str>;
