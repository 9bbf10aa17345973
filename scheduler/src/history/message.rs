//! What the recorder of a history is asked to do.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use millicron_history::StartedRun;

use super::event::{CutOff, HistoryError, RecordedRun};
use super::task::RecordedTask;
use crate::completion::Completion;
use crate::outcome::Outcome;
use crate::run::RunContext;

/// A run of a job.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunKey {
    pub(super) job: Arc<str>,
    /// The event, in milliseconds.
    pub(super) scheduled: i64,
}

pub(super) enum Message {
    /// A job is added.
    Add(AddRequest, Sender<Result<Known, HistoryError>>),
    /// The scheduler has accepted a job: its runs will be started again.
    Restarts(Arc<str>, Vec<StartedRun>, Sender<Result<Vec<StartedRun>, HistoryError>>),
    /// The scheduler has refused a job: its runs may be started again by another one.
    GiveBack(Arc<str>, Vec<StartedRun>),
    Start(StartRequest, Sender<StartAnswer>),
    Hold(Box<HeldRun>),
    /// No worker has begun a run that could start.
    NotStarted(Box<HeldRun>),
    End(Box<EndedRun>),
    /// A job, or its last run, is over.
    Removed {
        name: Arc<str>,
        serial: u64,
        /// The instant of the run that was started again, if that is over.
        restart: Option<i64>,
    },
    /// The last runs of a job are read.
    Read(ReadRequest),
}

pub(super) struct AddRequest {
    pub(super) name: Arc<str>,
    /// Events up to this instant have run, as the program says, in milliseconds.
    pub(super) since: Option<i64>,
    pub(super) cut_off: CutOff,
    pub(super) serial: u64,
}

/// What is known of a job that is added.
#[derive(Default)]
pub(super) struct Known {
    /// Events up to this instant have run, in milliseconds. `None` for a job that is new.
    pub(super) since: Option<i64>,
    /// The runs to start again.
    pub(super) restarts: Vec<StartedRun>,
}

pub(super) struct StartRequest {
    pub(super) key: RunKey,
    pub(super) serial: u64,
    pub(super) is_exclusive: bool,
    /// Whether it ends the retries of other runs of the job.
    pub(super) ends_retries: bool,
    pub(super) is_restart: bool,
    /// The number of the attempt, from 1, with those of earlier processes.
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

/// A run that waits for the history, or for a run that is started again.
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
    /// Whether the run will be attempted again, unless its job is cancelled or the next event comes
    /// first.
    pub(super) is_retried: bool,
    /// Whether it will not if a later event has started.
    pub(super) ends_at_next_event: bool,
    /// Dropped when the end was handled.
    pub(super) _done: Sender<()>,
}

pub(super) struct ReadRequest {
    pub(super) name: Arc<str>,
    pub(super) most: u64,
    pub(super) reply: Sender<Result<Vec<RecordedRun>, HistoryError>>,
}

/// The run of a [`HeldRun`] that a worker will begin. If it is dropped before, the recorder learns of it.
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
