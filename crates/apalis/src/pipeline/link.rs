//! [`Link`]: how tasks reach the thread that owns the history.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};
use std::task::Wake;

use futures_channel::oneshot;
use millicron_pipeline::{Claim, RunState};

use super::guard::Guard;

/// Requests to the thread that owns the history.
pub(crate) enum Command {
    /// The clock was set, or the source was shut down. Until the flag is cleared, no other `Wake`
    /// is sent.
    Wake(Arc<AtomicBool>),
    Scan(oneshot::Sender<()>),
    Claim {
        job: String,
        scheduled: i64,
        link: Arc<Link>,
        reply: oneshot::Sender<Result<ClaimStep, String>>,
    },
    Record {
        claim: Claim,
        state: RunState,
        reply: oneshot::Sender<Result<(), RecordError>>,
    },
    /// Releases the claim of a run that did not end.
    Release(Claim),
    RunAgain {
        job: String,
        runs: RangeInclusive<i64>,
        reply: oneshot::Sender<Result<(), String>>,
    },
}

/// Whether a run can be started.
pub(crate) enum ClaimStep {
    Granted(Guard),
    /// The run has ended, is not ready, or is claimed by another worker.
    NothingToDo,
    /// The pipeline has no such run. Contains its error message.
    Unknown(String),
}

/// Why the end of a run was not recorded.
pub(crate) enum RecordError {
    Lost,
    History(String),
}

/// The sending side. The thread ends when it is dropped.
pub(crate) struct Link {
    commands: Sender<Command>,
}

impl Link {
    pub(crate) const fn new(commands: Sender<Command>) -> Self {
        Self { commands }
    }

    /// Sends a request and waits for the answer.
    pub(crate) async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        self.send(command(reply));
        answer.await.map_err(|_| "the thread of the pipeline has ended".to_string())
    }

    /// Sends a request, or drops it if the thread has ended.
    pub(crate) fn send(&self, command: Command) {
        drop(self.commands.send(command));
    }
}

/// A waker for the thread.
pub(crate) struct Alarm {
    link: Weak<Link>,
    is_ringing: Arc<AtomicBool>,
}

impl Alarm {
    pub(crate) fn new(link: &Arc<Link>) -> Self {
        Self { link: Arc::downgrade(link), is_ringing: Arc::default() }
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        if let Some(link) = self.link.upgrade()
            && !self.is_ringing.swap(true, Ordering::AcqRel)
        {
            link.send(Command::Wake(Arc::clone(&self.is_ringing)));
        }
    }
}
