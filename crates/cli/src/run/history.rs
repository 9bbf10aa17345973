//! [`RunWriter`]: writes how runs ended to an SQLite file, which `millicron graph --history` reads.

use std::io;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_history::{HistoryThread, RunRecord, RunState, SqliteHistory, error_message};
use millicron_pictures::counted;

use super::log::{OutputThread, Record};

/// How many ends of runs may wait to be written.
const MOST_QUEUED: usize = 100_000;

/// How often to warn while the file cannot be written.
const WARN_AGAIN: Duration = Duration::from_mins(1);

/// Writes to the file on its own thread, so that nothing else waits for a disk.
#[derive(Clone, Debug)]
pub(super) struct RunWriter {
    thread: HistoryThread<Writer>,
    queue: Arc<Mutex<EndQueue>>,
}

/// The ends of runs that are not written yet.
#[derive(Debug, Default)]
struct EndQueue {
    runs: Vec<(String, i64, RunRecord)>,
    /// How many runs were left out because too many were waiting.
    lost: u64,
}

/// The state of the thread.
struct Writer {
    history: SqliteHistory,
    queue: Arc<Mutex<EndQueue>>,
    output: OutputThread,
    /// How many runs were not written since the last warning.
    failed: u64,
    warned: Option<Instant>,
}

impl RunWriter {
    pub(super) fn start(history: SqliteHistory, output: OutputThread) -> io::Result<Self> {
        let queue = Arc::<Mutex<EndQueue>>::default();
        let state = Writer { history, queue: Arc::clone(&queue), output, failed: 0, warned: None };
        let work = |writer: &mut Writer| {
            writer.write();
            None
        };
        let thread = HistoryThread::start("history", Box::new(state), work)?;
        Ok(Self { thread, queue })
    }

    /// Writes how an attempt of a run ended, in place of an earlier attempt.
    pub(super) fn add(&self, job: &str, scheduled: Timestamp, attempt: u32, state: RunState) {
        let ended = Some(Timestamp::now().as_millisecond());
        let record = RunRecord { ended, attempts: Some(attempt), ..state.into() };
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = queue.runs.is_empty();
        if queue.runs.len() < MOST_QUEUED {
            queue.runs.push((job.to_owned(), scheduled.as_millisecond(), record));
        } else {
            queue.lost += 1;
        }
        drop(queue);
        if is_first {
            // Before it waits again, the thread writes all runs of the queue.
            self.thread.send(|_| {});
        }
    }

    /// Waits until all is written, for at most this long. Returns whether it is.
    pub(super) fn finish(&self, limit: Duration) -> bool {
        // What was not written is reported now.
        self.thread.send(|writer| writer.warned = None);
        self.thread.flush(limit)
    }
}

impl Writer {
    /// Writes all runs of the queue in one transaction.
    fn write(&mut self) {
        let EndQueue { runs, lost } =
            take(&mut *self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.warn(lost, "too many are waiting to be written");
        let count = runs.len() as u64;
        match self.history.record_states(runs) {
            Ok(()) => self.warn(0, "an earlier write failed"),
            Err(error) => self.warn(count, &error_message(&error)),
        }
    }

    /// Warns of runs that were not written, but not each time.
    fn warn(&mut self, count: u64, why: &str) {
        self.failed += count;
        let is_due = self.warned.is_none_or(|warned| warned.elapsed() >= WARN_AGAIN);
        if self.failed == 0 || !is_due {
            return;
        }
        let message = format!("{} not in the history: {why}", counted(self.failed, "run"));
        self.output.log(Record::warning("history", message).count(self.failed));
        (self.failed, self.warned) = (0, Some(Instant::now()));
    }
}
