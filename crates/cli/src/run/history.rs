//! [`RunWriter`]: writes how runs ended to an SQLite file, which `millicron graph --history` reads.

use std::io;
use std::mem::{replace, take};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_history::{
    HistoryThread, RunRecord, RunState, SqliteError, SqliteErrorKind, SqliteHistory, error_message,
};
use millicron_pictures::counted;

use super::log::{OutputThread, Record};
use crate::error::Error;

/// How many ends of runs may wait to be written.
const MOST_QUEUED: usize = 100_000;

/// How long another process may lock the file before that is reported.
const LOCKED: Duration = Duration::from_secs(1);

/// How soon to try again after a failed write.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// What is said of runs that are never written.
const LOST: &str = "not in the history";

/// How often to warn while the file cannot be written.
const WARN_AGAIN: Duration = Duration::from_mins(1);

/// The file of a history.
pub(super) type HistoryFile = SqliteHistory;

/// Opens a history, or begins one.
pub(super) fn open(path: &Path) -> Result<HistoryFile, Error> {
    SqliteHistory::open(path).map_err(Error::of)
}

/// Returns a log of runs that also has those in a history.
#[cfg(feature = "page")]
pub(super) fn log(path: &Path) -> Result<millicron_board::RunLog, Error> {
    let history = SqliteHistory::open_read_only(path).map_err(Error::of)?;
    Ok(millicron_board::RunLog::with_history(history))
}

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
    lost: usize,
}

/// The state of the thread.
struct Writer {
    /// `None` once it is closed.
    history: Option<HistoryFile>,
    queue: Arc<Mutex<EndQueue>>,
    output: OutputThread,
    /// Whether another process locks the file, which was reported.
    is_locked: bool,
    /// How many runs were left out since the last warning of that.
    lost: usize,
    warned: Option<Instant>,
}

fn lock(queue: &Mutex<EndQueue>) -> MutexGuard<'_, EndQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunWriter {
    pub(super) fn start(history: HistoryFile, output: OutputThread) -> io::Result<Self> {
        let history = Some(history.with_busy_timeout(LOCKED).map_err(io::Error::other)?);
        let queue = Arc::<Mutex<EndQueue>>::default();
        let (is_locked, lost, warned) = (false, 0, None);
        let state = Writer { history, queue: Arc::clone(&queue), output, is_locked, lost, warned };
        let thread = HistoryThread::start("history", Box::new(state), Writer::write)?;
        Ok(Self { thread, queue })
    }

    /// Writes how an attempt of a run ended, in place of an earlier attempt.
    pub(super) fn add(&self, job: &str, scheduled: Timestamp, attempt: u32, state: RunState) {
        let ended = Some(Timestamp::now().as_millisecond());
        let record = RunRecord { ended, attempts: Some(attempt), ..state.into() };
        let mut queue = lock(&self.queue);
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

    /// Writes all runs and closes the file, so that nothing is left in a log next to it. Waits for that for at most
    /// this long, and returns whether it is done.
    pub(super) fn finish(&self, limit: Duration) -> bool {
        let end = Instant::now().checked_add(limit);
        self.thread.send(move |writer| writer.close(end));
        self.thread.flush(limit)
    }
}

impl Writer {
    /// Writes all runs of the queue. Returns when to try again.
    fn write(&mut self) -> Option<Instant> {
        match self.try_write() {
            Ok(()) => return None,
            Err(error) if *error.kind() == SqliteErrorKind::Busy => self.report_lock(),
            Err(error) => {
                let runs = lock(&self.queue).runs.len();
                self.warn("waiting to be written to the history", runs, &error_message(&error));
            }
        }
        Instant::now().checked_add(TRY_AGAIN)
    }

    /// Writes all runs of the queue in one transaction. If that fails, they stay in the queue.
    fn try_write(&mut self) -> Result<(), SqliteError> {
        let Some(history) = &mut self.history else { return Ok(()) };
        let EndQueue { runs, lost } = take(&mut *lock(&self.queue));
        let states = runs.iter().map(|(job, scheduled, record)| (job, *scheduled, *record));
        let written = history.record_states(states);
        self.lost += lost;
        if self.lost > 0 && self.warn(LOST, self.lost, "too many are waiting to be written") {
            self.lost = 0;
        }
        match written {
            Ok(()) => self.is_locked = false,
            Err(_) => drop(lock(&self.queue).runs.splice(..0, runs)),
        }
        written
    }

    /// Reports once that another process locks the file.
    fn report_lock(&mut self) {
        if !replace(&mut self.is_locked, true) {
            let count = lock(&self.queue).runs.len() as u64;
            let runs = counted(count, "run");
            let message = format!(
                "another process has locked the history: {runs} and later ones wait for it"
            );
            self.output.log(Record::warning("history", message).count(count));
        }
    }

    /// Writes all runs, waits for other processes until `end`, and closes the file.
    fn close(&mut self, end: Option<Instant>) {
        // What was not written is reported now.
        self.warned = None;
        while let Err(error) = self.try_write() {
            let is_locked = *error.kind() == SqliteErrorKind::Busy;
            if is_locked {
                self.report_lock();
            }
            if !is_locked || end.is_some_and(|end| Instant::now() >= end) {
                let runs = take(&mut lock(&self.queue).runs).len();
                self.warn(LOST, runs, &error_message(&error));
                break;
            }
        }
        self.history = None;
    }

    /// Warns of runs that were not written, but not each time. Returns whether it did.
    fn warn(&mut self, what: &str, count: usize, why: &str) -> bool {
        let is_due = self.warned.is_none_or(|warned| warned.elapsed() >= WARN_AGAIN);
        if is_due {
            let count = count as u64;
            let message = format!("{} {what}: {why}", counted(count, "run"));
            self.output.log(Record::warning("history", message).count(count));
            self.warned = Some(Instant::now());
        }
        is_due
    }
}
