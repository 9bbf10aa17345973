//! Messages to the recorder of a history.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use millicron_history::StartedRun;

use super::event::{CutOff, HistoryError, RecordedRun};
use super::task::RecordedTask;
use crate::job::completion::Completion;
use crate::run::RunContext;
use crate::run::outcome::Outcome;

/// Identifies a run of a job.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunKey {
    pub(super) job: Arc<str>,
    /// The instant of the event, in milliseconds.
    pub(super) scheduled: i64,
}

pub(super) enum Message {
    /// A job is to be added.
    Add(AddRequest, Sender<Result<Known, HistoryError>>),
    /// The scheduler has accepted a job: its runs that were cut off will be restarted.
    Restarts(Arc<str>, Vec<StartedRun>, Sender<Result<Vec<StartedRun>, HistoryError>>),
    /// The scheduler has refused a job: another job may restart these runs.
    GiveBack(Arc<str>, Vec<StartedRun>),
    Start(StartRequest, Sender<StartAnswer>),
    Hold(Box<HeldRun>),
    /// A run was dropped before a worker could begin it.
    NotStarted(Box<HeldRun>),
    End(Box<EndedRun>),
    /// A job was removed, and its last run has ended.
    Removed {
        name: Arc<str>,
        serial: u64,
        /// The instant of the restarted run, if the job was its restart.
        restart: Option<i64>,
    },
    /// Reads the last runs of a job.
    Read(ReadRequest),
}

pub(super) struct AddRequest {
    pub(super) name: Arc<str>,
    /// Events up to this instant have run according to the program, in milliseconds.
    pub(super) since: Option<i64>,
    pub(super) cut_off: CutOff,
    pub(super) serial: u64,
}

/// What the history knows about a job to be added.
#[derive(Default)]
pub(super) struct Known {
    /// Events up to this instant have run, in milliseconds. `None` for a new job.
    pub(super) since: Option<i64>,
    /// The runs to restart.
    pub(super) restarts: Vec<StartedRun>,
}

pub(super) struct StartRequest {
    pub(super) key: RunKey,
    pub(super) serial: u64,
    pub(super) is_exclusive: bool,
    /// Whether this run ends the retries of the job's other runs.
    pub(super) ends_retries: bool,
    pub(super) is_restart: bool,
    /// The number of the attempt, counted from 1 across processes.
    pub(super) attempt: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StartAnswer {
    Start,
    /// The event has run, or another process runs it.
    Refuse,
    /// The recorder starts the run later.
    Wait,
}

/// A run that waits for the history, or for a restarted run to end.
pub(super) struct HeldRun {
    pub(super) task: Arc<RecordedTask>,
    pub(super) context: RunContext,
    pub(super) completion: Completion,
}

pub(super) struct EndedRun {
    pub(super) key: RunKey,
    /// In milliseconds.
    pub(super) started: i64,
    pub(super) outcome: Outcome,
    pub(super) completion: Completion,
    /// Whether the run will be retried, unless its job is cancelled or the next event comes first.
    pub(super) is_retried: bool,
    /// Whether a later event ends its retries.
    pub(super) ends_at_next_event: bool,
    /// Dropped once the end has been handled.
    pub(super) _done: Sender<()>,
}

pub(super) struct ReadRequest {
    pub(super) name: Arc<str>,
    pub(super) most: u64,
    pub(super) reply: Sender<Result<Vec<RecordedRun>, HistoryError>>,
}

/// A [`HeldRun`] that a worker will begin. If it is dropped before that, it notifies the recorder.
pub(super) struct HeldStep(Option<Box<HeldRun>>);

impl HeldStep {
    pub(super) fn new(held: HeldRun) -> Self {
        Self(Some(Box::new(held)))
    }

    pub(super) fn begin(mut self) {
        if let Some(held) = self.0.take() {
            held.task.run(held.context, held.completion);
        }
    }
}

impl Drop for HeldStep {
    fn drop(&mut self) {
        if let Some(held) = self.0.take() {
            let recorder = held.task.recorder.clone();
            drop(recorder.send(Message::NotStarted(held)));
        }
    }
}
