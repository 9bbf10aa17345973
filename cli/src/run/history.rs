//! [`RunHistory`]: records how the runs of a pipeline ended, and since when its jobs have existed.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use millicron_pipeline::{
    History, MemoryHistory, RunQuery, RunRecord, RunState, SqliteError, SqliteHistory,
};

use super::log::Level;
use super::output::Outputs;
use crate::error::Error;
use crate::file::JobEntry;

/// The name under which each start is recorded. No job of a file has it, since it contains a line end.
const START: &str = "millicron run\n";

/// Where the ends of runs are recorded.
#[derive(Debug)]
pub(super) enum Records {
    Memory(MemoryHistory),
    File {
        history: SqliteHistory,
        /// Locked by this process, as long as it is open.
        _lock: File,
    },
}

impl Default for Records {
    fn default() -> Self {
        Self::Memory(MemoryHistory::new())
    }
}

impl Records {
    /// Opens a file for this process alone: two processes would start each run twice.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let mut lock = OsString::from(path);
        // Not the file itself: SQLite loses its locks when another handle of the file is closed.
        lock.push("-run");
        // First, because its error for a wrong path is clearer.
        let history = SqliteHistory::open(path).map_err(Error::new)?;
        let file = File::create(&lock).map_err(|error| cannot_lock(&lock, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self::File { history, _lock: file }),
            Err(TryLockError::Error(error)) => Err(cannot_lock(&lock, &error)),
            Err(TryLockError::WouldBlock) => {
                let path = path.display();
                let message = format_args!("another `millicron run` uses the history {path}");
                Err(Error::new(message).hint("stop that one, or use another file"))
            }
        }
    }

    pub(super) const fn is_in_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }
}

/// A history that logs its errors, since the pipeline continues in spite of them.
#[derive(Debug)]
pub(super) struct RunHistory {
    records: Records,
    outputs: Outputs,
    /// Set when commands are about to be ended.
    is_stopping: Arc<AtomicBool>,
}

impl RunHistory {
    pub(super) const fn new(
        records: Records,
        outputs: Outputs,
        is_stopping: Arc<AtomicBool>,
    ) -> Self {
        Self { records, outputs, is_stopping }
    }

    fn write(
        &mut self,
        what: impl FnOnce() -> String,
        memory: impl FnOnce(&mut MemoryHistory) -> Result<(), Infallible>,
        file: impl FnOnce(&mut SqliteHistory) -> Result<(), SqliteError>,
    ) -> Result<(), SqliteError> {
        let written = match &mut self.records {
            Records::Memory(history) => memory(history).map_err(|error| match error {}),
            Records::File { history, .. } => file(history),
        };
        written.inspect_err(|error| self.report(&what(), error))
    }

    fn report(&self, what: &str, error: &SqliteError) {
        self.outputs.log(Level::Error, "history", format!("{what}: {error}"));
    }

    /// Returns since when each job has existed with its schedule, in milliseconds, as recorded at the last start. A job
    /// that did not exist at the last start begins now.
    pub(super) fn beginnings(&self, jobs: &[JobEntry], now: i64) -> Result<Vec<i64>, Error> {
        let last = self.last_run(START).map_err(Error::new)?.map(|(last, _)| last);
        let begin = |job: &JobEntry| {
            let Some(last) = last else { return Ok(now) };
            let record = self.run(&mark(job), last).map_err(Error::new)?;
            Ok(record.and_then(|record| record.started).unwrap_or(now))
        };
        jobs.iter().map(begin).collect()
    }

    /// Records a start, and for each of its jobs since when the job has existed.
    pub(super) fn record_start<'j>(
        &mut self,
        jobs: impl Iterator<Item = (&'j JobEntry, i64)>,
        now: i64,
    ) -> Result<(), Error> {
        let record = RunRecord::from(RunState::Succeeded);
        let mut marks = vec![(START.to_owned(), record)];
        marks.extend(
            jobs.map(|(job, begin)| (mark(job), RunRecord { started: Some(begin), ..record })),
        );
        let records = marks.iter().map(|(name, record)| (name.as_str(), now, *record));
        self.record_runs(&records.collect::<Vec<_>>()).map_err(Error::new)?;
        let old = marks.iter().map(|(name, _)| (name.as_str(), now));
        self.drop_before(&old.collect::<Vec<_>>()).map_err(Error::new)
    }
}

/// Returns the name of the record that a job existed with its schedule.
fn mark(job: &JobEntry) -> String {
    let zone = job.schedule.zone();
    let offset = zone.to_fixed_offset().ok().filter(|_| zone.iana_name().is_none());
    let offset = offset.map_or_else(String::new, |offset| format!(" {offset}"));
    format!("{START}{}\n{}{offset}", job.name, job.schedule)
}

impl History for RunHistory {
    type Error = SqliteError;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), SqliteError> {
        let is_cut_off =
            |state| state == RunState::Failed && self.is_stopping.load(Ordering::Relaxed);
        let runs = runs.iter().filter(|(_, _, record)| !is_cut_off(record.state));
        let runs = runs.copied().collect::<Vec<_>>();
        let what = || {
            let jobs = runs.iter().map(|(job, ..)| format!("`{job}`")).collect::<Vec<_>>();
            format!("cannot record the end of a run of {}", jobs.join(", "))
        };
        self.write(what, |it| it.record_runs(&runs), |it| it.record_runs(&runs))
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), SqliteError> {
        let read = match &self.records {
            Records::Memory(history) => {
                history.read(queries, visit).map_err(|error| match error {})
            }
            Records::File { history, .. } => history.read(queries, visit),
        };
        read.inspect_err(|error| self.report("cannot read the history", error))
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), SqliteError> {
        let what = || "cannot write the history".to_owned();
        self.write(what, |it| it.forget_all(runs), |it| it.forget_all(runs))
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), SqliteError> {
        let what = || "cannot write the history".to_owned();
        self.write(what, |it| it.drop_before(jobs), |it| it.drop_before(jobs))
    }
}

fn cannot_lock(lock: &OsStr, error: &io::Error) -> Error {
    Error::new(format_args!("cannot lock {}: {error}", lock.display()))
}
