//! [`SqliteHistory`]: a history in a file.

mod changes;
mod checksum;
mod claims;
mod failure;
mod open;
mod rows;
mod tables;

use core::iter;
use core::mem;
use core::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Duration;

use changes::Changes;
use failure::classify;
use rows::{Fault, TableRow as _, run_columns};
use rusqlite::Connection;

use crate::clock::Clock;
use crate::error::{SqliteError, SqliteErrorKind};
use crate::history::range_before;
use crate::{History, RunQuery, RunRecord};

/// The default time to wait for other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

const OLDEST_FIRST: &str = concat!(
    "SELECT ",
    run_columns!(),
    " FROM run WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 ORDER BY scheduled"
);

const NEWEST_FIRST: &str = concat!(
    "SELECT ",
    run_columns!(),
    " FROM run WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 ORDER BY scheduled DESC"
);

/// A [`History`] in a file, which several processes can share.
///
/// The file is an `SQLite` database; `SQLite` itself is compiled into the program. What one process
/// writes is immediately visible to the others. If two processes write at the same time, one waits for
/// the other, for up to [30 seconds](Self::with_busy_timeout).
///
/// A record is durable: [`record_state`](History::record_state) returns when it is on the disk, where
/// it survives a killed program and a power failure. How long that takes depends on the disk: from a
/// fraction of a millisecond to some tens of milliseconds. To write many records at once, use
/// [`record_states`](Self::record_states), which waits only once. A query takes some microseconds, even
/// among millions of records.
///
/// While the file is in use, two more files are next to it, with `-wal` and `-shm` appended to its
/// name. They contain the latest records, also after a crash, so copy, move and delete them together with
/// the file. When a history is dropped, its records are moved into the file. Do not keep the file on a network file system: locks are unreliable there.
///
/// Each record has a checksum. A query that reads a damaged record returns an error, as does
/// [opening](Self::open) a file with missing records. To check a file that stays open for months,
/// open it a second time. There is one exception: damage in the log (`-wal`) that a crash left
/// behind cannot be distinguished from a write that the crash interrupted, so the history then
/// lacks the records that were written after it.
///
/// The name of a job can be any string.
///
/// ```
/// use millicron_history::{History, SqliteHistory};
///
/// let directory = std::env::temp_dir().join(format!("history-{}", std::process::id()));
/// std::fs::create_dir_all(&directory)?;
///
/// let mut history = SqliteHistory::open(directory.join("history"))?;
/// history.record("hourly", 3_600_000)?;
/// drop(history);
///
/// let history = SqliteHistory::open(directory.join("history"))?;
/// assert_eq!(history.first_at_or_after("hourly", 0)?, Some(3_600_000));
/// drop(history);
///
/// std::fs::remove_dir_all(&directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteHistory {
    connection: Connection,
    path: PathBuf,
    clock: Clock,
    /// Whether the last write failed because the disk was full.
    was_full: bool,
}

impl SqliteHistory {
    /// Opens a history, or creates one if the file does not exist or is empty.
    ///
    /// This reads the whole file and checks it for damage, which takes about a quarter of a second
    /// for a million records. Open a file once, not for each query.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a history, is damaged, or cannot be opened for writing.
    /// It is left unchanged.
    ///
    /// ```
    /// use millicron_history::{SqliteErrorKind, SqliteHistory};
    ///
    /// let path = std::env::temp_dir().join(format!("text-{}", std::process::id()));
    /// std::fs::write(&path, "Dear diary")?;
    ///
    /// let error = SqliteHistory::open(&path).expect_err("it is not a database");
    /// assert_eq!(*error.kind(), SqliteErrorKind::NotADatabase);
    /// assert_eq!(std::fs::read(&path)?, b"Dear diary");
    ///
    /// std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqliteError> {
        let (connection, path) = open::open(path.as_ref())?;
        Ok(Self { connection, path, clock: Clock::SYSTEM, was_full: false })
    }

    /// Opens an existing history for reading. Every write fails, and the file and its log stay as
    /// they are. If no process has the file open and it has no log, nothing is written next to it
    /// either, so this needs no write permission. Otherwise, `SQLite` may write the index of the log
    /// (`-shm`).
    ///
    /// A file that no process has open is read as it is now: do not keep the result while other processes
    /// may write. Like [`open`](Self::open), this reads the whole file and checks it for damage.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is not a history, or is damaged.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, SqliteError> {
        let (connection, path) = open::open_read_only(path.as_ref())?;
        Ok(Self { connection, path, clock: Clock::SYSTEM, was_full: false })
    }

    /// Sets how long a write waits while another process writes. The default is 30 seconds.
    ///
    /// The timeout is rounded down to whole milliseconds, and limited to about 24 days. With zero, a
    /// write fails immediately.
    ///
    /// # Errors
    ///
    /// Returns an error if `SQLite` fails.
    pub fn with_busy_timeout(self, timeout: Duration) -> Result<Self, SqliteError> {
        let max = Duration::from_millis(i32::MAX.unsigned_abs().into());
        let set = self.connection.busy_timeout(timeout.min(max));
        set.map_err(|error| classify(&self.path, error)).map(|()| self)
    }

    /// Sets the clock by which the leases of [`Claims`](crate::Claims) expire, in milliseconds since
    /// 1970-01-01 00:00:00. The default is the system clock.
    ///
    /// All processes that share the file need the same clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(clock);
        self
    }

    /// Records the ends of many runs in one transaction, as [`RunState`](crate::RunState)s or [`RunRecord`]s.
    ///
    /// Unlike [`record_runs`](History::record_runs), this needs no slice. Other processes cannot write
    /// until the iterator ends, so it should not be slow.
    ///
    /// # Errors
    ///
    /// Returns an error if the states cannot be written. None is then recorded.
    ///
    /// ```
    /// use millicron_history::{History, RunState, SqliteHistory};
    ///
    /// let directory = std::env::temp_dir().join(format!("histories-{}", std::process::id()));
    /// std::fs::create_dir_all(&directory)?;
    ///
    /// let mut history = SqliteHistory::open(directory.join("history"))?;
    /// let runs = (0..24).map(|hour| ("hourly", hour * 3_600_000, RunState::Succeeded));
    /// history.record_states(runs)?;
    /// assert_eq!(history.first_at_or_after("hourly", 1)?, Some(3_600_000));
    /// drop(history);
    ///
    /// std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_states(
        &mut self,
        runs: impl IntoIterator<Item = (impl AsRef<str>, i64, impl Into<RunRecord>)>,
    ) -> Result<(), SqliteError> {
        // A transaction is rolled back when it is dropped, even if the iterator panics.
        self.change(|changes, _| {
            for (job, scheduled, record) in runs {
                changes.record((job.as_ref(), scheduled), &record.into())?;
            }
            Ok(())
        })
    }

    fn read_one(
        &self,
        query: &RunQuery<'_>,
        visit: &mut dyn FnMut(i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Fault> {
        if query.range.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let seed = RunRecord::seed(query.job);
        let sql = if query.is_newest_first { NEWEST_FIRST } else { OLDEST_FIRST };
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query((query.job, query.range.start(), query.range.end()))?;
        // Rows are skipped only after they are read, so that no damaged row is skipped.
        let runs = iter::from_fn(|| {
            let run = rows.next().transpose()?.map_err(Fault::from);
            Some(run.and_then(|row| Ok((row.get(0)?, RunRecord::read(seed.clone(), row)?.0))))
        });
        query.visit_selected(runs, visit)
    }

    fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Changes<'_>, &Clock) -> Result<T, Fault>,
    ) -> Result<T, SqliteError> {
        let Self { connection, path, clock, was_full } = self;
        if mem::take(was_full) {
            // The log may have filled the disk. Once its content is in the file, its space is reused.
            checkpoint(connection);
        }
        (|| {
            let mut changes = Changes::begin(connection)?;
            let result = change(&mut changes, clock)?;
            changes.commit()?;
            Ok(result)
        })()
        .map_err(|fault: Fault| {
            let error = fault.at(path);
            *was_full = *error.kind() == SqliteErrorKind::Full;
            error
        })
    }
}

impl Drop for SqliteHistory {
    /// Moves the log into the file, so that a copy of the file is complete. `SQLite` itself does so only if no other
    /// connection is open.
    fn drop(&mut self) {
        checkpoint(&self.connection);
    }
}

/// Moves what can be moved without waiting from the log into the file. If this fails, nothing is lost.
fn checkpoint(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()));
}

impl History for SqliteHistory {
    type Error = SqliteError;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), SqliteError> {
        self.record_states(runs.iter().copied())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), SqliteError> {
        (|| {
            // All queries read the same state of the file. `visit` may read from this history.
            let several = queries.len() > 1 && self.connection.is_autocommit();
            let _snapshot = several.then(|| self.connection.unchecked_transaction()).transpose()?;
            for (index, query) in queries.iter().enumerate() {
                let flow =
                    self.read_one(query, &mut |scheduled, record| visit(index, scheduled, record))?;
                if flow.is_break() {
                    break;
                }
            }
            Ok(())
        })()
        .map_err(|fault: Fault| fault.at(&self.path))
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), SqliteError> {
        self.change(|changes, _| {
            runs.iter().try_for_each(|(job, range)| changes.remove_range(job, range, i64::MAX))
        })
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), SqliteError> {
        self.change(|changes, clock| {
            let now = clock.now();
            jobs.iter().try_for_each(|(job, instant)| match range_before(*instant) {
                Some(range) => changes.remove_range(job, &range, now),
                None => Ok(()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;
    use std::{env, fs, process};

    use super::{History as _, SqliteErrorKind, SqliteHistory};
    use crate::RunState;

    fn all(history: &SqliteHistory) -> Vec<i64> {
        let mut runs = Vec::new();
        let visited = history.successes("job", i64::MIN..=i64::MAX, &mut |run| {
            runs.push(run);
            ControlFlow::Continue(())
        });
        visited.expect("the read succeeds");
        runs
    }

    /// To `SQLite`, a file that may not grow is the same as a full disk.
    #[test]
    fn writes_succeed_again_once_the_disk_has_room() {
        let path = env::temp_dir().join(format!("millicron-full-{}", process::id()));
        fs::create_dir_all(&path).expect("new directory");
        let mut history = SqliteHistory::open(path.join("history")).expect("new history");
        let mut recorded = Vec::new();
        for round in 0..3 {
            let pages = format!("PRAGMA max_page_count = {}", 6 + 2 * round);
            history.connection.query_row(&pages, (), |_| Ok(())).expect("valid number");
            let error = loop {
                let next = i64::try_from(recorded.len()).expect("few runs");
                let runs = next..next + 20;
                match history.record_states(runs.map(|run| ("job", run, RunState::Succeeded))) {
                    Ok(()) => recorded.extend(next..next + 20),
                    Err(error) => break error,
                }
            };
            assert_eq!(*error.kind(), SqliteErrorKind::Full, "{error:?}");
            let many = (0..1_000).map(|run| ("other", run, RunState::Succeeded));
            let error = history.record_states(many).expect_err("there is no room");
            assert_eq!(*error.kind(), SqliteErrorKind::Full);
            assert!(history.was_full);
            assert_eq!(all(&history), recorded);
        }
        drop(history);
        // Opening checks the sum of all checksums.
        assert_eq!(all(&SqliteHistory::open(path.join("history")).expect("intact")), recorded);
        fs::remove_dir_all(&path).expect("own directory");
    }
}
