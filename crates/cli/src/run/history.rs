//! [`RunWriter`]: writes how runs ended to an SQLite file, which `millicron graph --history` reads.

use std::io;
use std::mem::take;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_pictures::counted;
use millicron_pipeline::{RunRecord, RunState, SqliteHistory};

use super::log::{LogLevel, Record};
use super::output::Outputs;
use crate::error::Error;

/// How many ends of runs may wait to be written.
const MOST_QUEUED: usize = 100_000;

/// How often to warn while the file cannot be written.
const WARN_AGAIN: Duration = Duration::from_mins(1);

/// Opens the file of a history.
pub(super) fn open(path: &Path) -> Result<SqliteHistory, Error> {
    SqliteHistory::open(path).map_err(Error::new)
}

/// Writes to the file on its own thread, so that nothing else waits for a disk.
#[derive(Clone, Debug, Default)]
pub(super) struct RunWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<EndQueue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct EndQueue {
    runs: Vec<(String, i64, RunRecord)>,
    /// How many runs were left out because too many were waiting.
    lost: u64,
    is_closed: bool,
    is_written: bool,
}

impl RunWriter {
    pub(super) fn start(history: SqliteHistory, outputs: Outputs) -> io::Result<Self> {
        let writer = Self::default();
        let shared = Arc::clone(&writer.0);
        let write = move || shared.write(history, outputs);
        thread::Builder::new().name("history".to_owned()).spawn(write)?;
        Ok(writer)
    }

    /// Writes how an attempt of a run ended, in place of an earlier attempt.
    pub(super) fn add(&self, job: &str, scheduled: Timestamp, attempt: u32, state: RunState) {
        let ended = Some(Timestamp::now().as_millisecond());
        let record = RunRecord { ended, attempts: Some(attempt), ..state.into() };
        let mut queue = self.0.lock();
        if queue.runs.len() < MOST_QUEUED {
            queue.runs.push((job.to_owned(), scheduled.as_millisecond(), record));
        } else {
            queue.lost += 1;
        }
        drop(queue);
        self.0.changed.notify_all();
    }

    /// Waits until all is written, for at most this long. Returns whether it is.
    pub(super) fn finish(&self, limit: Duration) -> bool {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        self.0.changed.notify_all();
        let written = self.0.changed.wait_timeout_while(queue, limit, |queue| !queue.is_written);
        let (queue, _) = written.unwrap_or_else(PoisonError::into_inner);
        queue.is_written
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, EndQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the runs until the queue is closed.
    fn write(&self, mut history: SqliteHistory, outputs: Outputs) {
        let mut failures = Failures { outputs, count: 0, warned: None };
        loop {
            let is_idle = |queue: &mut EndQueue| queue.runs.is_empty() && !queue.is_closed;
            let queue = self.changed.wait_while(self.lock(), is_idle);
            let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
            let (runs, lost, is_closed) =
                (take(&mut queue.runs), take(&mut queue.lost), queue.is_closed);
            drop(queue);
            failures.add(lost, &"too many are waiting to be written", false);
            let count = runs.len() as u64;
            match history.record_states(runs) {
                Ok(()) => failures.add(0, &"an earlier write failed", is_closed),
                Err(error) => failures.add(count, &error, is_closed),
            }
            if is_closed {
                break;
            }
        }
        self.lock().is_written = true;
        self.changed.notify_all();
    }
}

/// The runs that were not written.
struct Failures {
    outputs: Outputs,
    /// How many there are since the last warning.
    count: u64,
    warned: Option<Instant>,
}

impl Failures {
    /// Warns of runs that were not written, but not each time.
    fn add(&mut self, count: u64, why: &dyn std::fmt::Display, is_last: bool) {
        self.count += count;
        let is_due = self.warned.is_none_or(|warned| warned.elapsed() >= WARN_AGAIN);
        if self.count == 0 || !is_due && !is_last {
            return;
        }
        let message = format!("{} not in the history: {why}", counted(self.count, "run"));
        let record = Record::new(LogLevel::Warning, "history", message).count(self.count);
        self.outputs.log_of_job(None, record);
        (self.count, self.warned) = (0, Some(Instant::now()));
    }
}
