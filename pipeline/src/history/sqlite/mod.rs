//! [`SqliteHistory`]: a history in a file.

mod error;
mod open;

use core::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

pub use error::SqliteError;
use error::classify;

use super::{History, RunState};

/// How long to wait for other processes by default.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

const RECORD: &str = "INSERT OR REPLACE INTO success (job, scheduled, state) VALUES (?1, ?2, ?3)";

const STATES: &str = "SELECT scheduled, state FROM success \
    WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 ORDER BY scheduled";

const FORGET: &str = "DELETE FROM success WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3";

/// Seeks from job to job by the primary key, rather than scanning all successes.
const DROP_BEFORE: &str = "WITH RECURSIVE jobs (job) AS (\
        SELECT min(job) FROM success \
        UNION ALL \
        SELECT (SELECT min(success.job) FROM success WHERE success.job > jobs.job) \
        FROM jobs WHERE jobs.job IS NOT NULL\
    ) \
    DELETE FROM success WHERE job IN (SELECT job FROM jobs) AND scheduled < ?1";

/// A [`History`] in a file, which several processes can share.
///
/// The file is an `SQLite` database; `SQLite` itself is compiled into the program. A success that
/// one process records is visible to the others at once. If two processes write at the same time,
/// one waits for the other, for up to [30 seconds](Self::with_busy_timeout).
///
/// A record is durable: [`record`](History::record) returns when the success is on the disk, where
/// it survives a killed program and a power failure. That takes as long as the disk does, from a
/// fraction of a millisecond to some tens of milliseconds. To record many successes at once, use
/// [`record_all`](Self::record_all), which waits only once. A query takes some microseconds, even
/// among millions of successes.
///
/// While the file is in use, two more files are next to it, with `-wal` and `-shm` appended to its
/// name. After a crash they contain the latest records, so copy, move and delete them together with
/// the file. Do not keep the file on a network file system: locks are unreliable there.
///
/// The name of a job can be any text.
///
/// ```
/// use millicron_pipeline::{History, SqliteHistory};
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
}

impl SqliteHistory {
    /// Opens a history, or creates one if the file does not exist or is empty.
    ///
    /// The whole file is read and checked for damage, which takes about a tenth of a second for a
    /// million successes. Open it once, not for each query.
    ///
    /// # Errors
    ///
    /// The file is not a history, is damaged, or cannot be opened for writing. It is left unchanged.
    ///
    /// ```
    /// use millicron_pipeline::{SqliteError, SqliteHistory};
    ///
    /// let path = std::env::temp_dir().join(format!("text-{}", std::process::id()));
    /// std::fs::write(&path, "Dear diary")?;
    ///
    /// let error = SqliteHistory::open(&path).expect_err("it is not a database");
    /// assert!(matches!(error, SqliteError::NotADatabase { .. }));
    /// assert_eq!(std::fs::read(&path)?, b"Dear diary");
    ///
    /// std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqliteError> {
        let (connection, path) = open::open(path.as_ref())?;
        Ok(Self { connection, path })
    }

    /// Sets how long a write waits while another process writes. The default is 30 seconds.
    ///
    /// The timeout is rounded down to whole milliseconds, and limited to about 24 days. With zero, a
    /// write fails at once.
    ///
    /// # Errors
    ///
    /// `SQLite` failed.
    pub fn with_busy_timeout(self, timeout: Duration) -> Result<Self, SqliteError> {
        let max = Duration::from_millis(i32::MAX.unsigned_abs().into());
        let set = self.connection.busy_timeout(timeout.min(max));
        set.map_err(|error| classify(&self.path, error)).map(|()| self)
    }

    /// Records many successes in one transaction.
    ///
    /// Other processes cannot write until the iterator ends, so it should not be slow.
    ///
    /// # Errors
    ///
    /// The successes could not be written, and none of them is recorded.
    ///
    /// ```
    /// use millicron_pipeline::{History, SqliteHistory};
    ///
    /// let directory = std::env::temp_dir().join(format!("histories-{}", std::process::id()));
    /// std::fs::create_dir_all(&directory)?;
    ///
    /// let mut history = SqliteHistory::open(directory.join("history"))?;
    /// history.record_all((0..24).map(|hour| ("hourly", hour * 3_600_000)))?;
    /// assert_eq!(history.first_at_or_after("hourly", 1)?, Some(3_600_000));
    /// drop(history);
    ///
    /// std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_all(
        &mut self,
        runs: impl IntoIterator<Item = (impl AsRef<str>, i64)>,
    ) -> Result<(), SqliteError> {
        let Self { connection, path } = self;
        // A transaction is rolled back when it is dropped, even if the iterator panics.
        (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut insert = transaction.prepare_cached(RECORD)?;
            for (job, scheduled) in runs {
                insert.execute((job.as_ref(), scheduled, 0))?;
            }
            drop(insert);
            transaction.commit()
        })()
        .map_err(|error| classify(path, error))
    }
}

impl History for SqliteHistory {
    type Error = SqliteError;

    fn record_state(
        &mut self,
        job: &str,
        scheduled: i64,
        state: RunState,
    ) -> Result<(), SqliteError> {
        self.connection
            .prepare_cached(RECORD)
            .and_then(|mut insert| insert.execute((job, scheduled, state as i64)))
            .map_err(|error| classify(&self.path, error))?;
        Ok(())
    }

    fn states(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64, RunState) -> ControlFlow<()>,
    ) -> Result<(), SqliteError> {
        if range.is_empty() {
            return Ok(());
        }
        (|| {
            let mut select = self.connection.prepare_cached(STATES)?;
            let mut rows = select.query((job, range.start(), range.end()))?;
            while let Some(row) = rows.next()? {
                let state = match row.get(1)? {
                    0_i64 => RunState::Succeeded,
                    1 => RunState::Failed,
                    _ => RunState::Skipped,
                };
                if visit(row.get(0)?, state).is_break() {
                    break;
                }
            }
            Ok(())
        })()
        .map_err(|error| classify(&self.path, error))
    }

    fn forget(&mut self, job: &str, range: RangeInclusive<i64>) -> Result<(), SqliteError> {
        if range.is_empty() {
            return Ok(());
        }
        self.connection
            .prepare_cached(FORGET)
            .and_then(|mut delete| delete.execute((job, range.start(), range.end())))
            .map_err(|error| classify(&self.path, error))?;
        Ok(())
    }

    fn drop_before(&mut self, instant: i64) -> Result<(), SqliteError> {
        // A single statement is a transaction of its own.
        self.connection
            .prepare_cached(DROP_BEFORE)
            .and_then(|mut delete| delete.execute([instant]))
            .map_err(|error| classify(&self.path, error))?;
        Ok(())
    }
}
