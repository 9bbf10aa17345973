//! [`SqliteHistory`]: a history in a file.

mod error;
mod open;

use core::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

pub use error::SqliteError;
use error::explain;

use super::History;

/// How long to wait for other processes, if nothing is chosen.
const PATIENCE: Duration = Duration::from_secs(30);

const RECORD: &str = "INSERT OR IGNORE INTO success (job, scheduled) VALUES (?1, ?2)";

const SUCCESSES: &str = "SELECT scheduled FROM success \
    WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 ORDER BY scheduled";

/// Goes from job to job, rather than over all successes.
const DROP_BEFORE: &str = "WITH RECURSIVE jobs (job) AS (\
        SELECT min(job) FROM success \
        UNION ALL \
        SELECT (SELECT min(success.job) FROM success WHERE success.job > jobs.job) \
        FROM jobs WHERE jobs.job IS NOT NULL\
    ) \
    DELETE FROM success WHERE job IN (SELECT job FROM jobs) AND scheduled < ?1";

/// A [`History`] in a file, which several processes can share.
///
/// The file is a database of `SQLite`, which is compiled into the program. What one
/// process has recorded, the others see from then on; one that wants to write while
/// another does waits for it, up to [30 seconds](Self::with_patience). Beside the file there are two more
/// while it is in use, named as it is with `-wal` and `-shm` added. They belong to it:
/// after a crash they hold what was recorded last, so they are to be copied, moved and
/// deleted with it. It must not be on a network file system, whose locks can not be
/// relied on.
///
/// What is recorded stays recorded, whether the program is killed or the power fails:
/// [`record`](History::record) returns when the disk has it, which takes as long as the
/// disk does, from a part of a millisecond to some tens. To record many at once, use
/// [`record_all`](Self::record_all), which waits once.
///
/// A job can have any text as its name, and instants are in milliseconds since
/// 1970-01-01 00:00:00. To ask takes some microseconds, also among millions of
/// successes.
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
    /// Opens a history, or begins one if there is no such file, or an empty one.
    ///
    /// The whole file is read to see that it is sound, about a tenth of a second for a
    /// million successes: open it once, not for each question.
    ///
    /// # Errors
    ///
    /// The file is not one of this program's, or is damaged, or it can not be opened
    /// for writing. It is left as it is.
    ///
    /// ```
    /// use millicron_pipeline::{SqliteError, SqliteHistory};
    ///
    /// let path = std::env::temp_dir().join(format!("text-{}", std::process::id()));
    /// std::fs::write(&path, "Dear diary")?;
    ///
    /// let error = SqliteHistory::open(&path).expect_err("it is a text");
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

    /// The same, which waits for others that write for so long, in whole milliseconds;
    /// 30 seconds if nothing is chosen.
    ///
    /// # Errors
    ///
    /// `SQLite` refuses it.
    pub fn with_patience(self, patience: Duration) -> Result<Self, SqliteError> {
        // More than it can be told is some 24 days.
        let patience = patience.min(Duration::from_millis(i32::MAX.unsigned_abs().into()));
        let set = self.connection.busy_timeout(patience);
        set.map_err(|error| explain(&self.path, error)).map(|()| self)
    }

    /// Records many successes: all of them, or none if it fails.
    ///
    /// Meanwhile other processes can not record, so the iterator should not be slow.
    ///
    /// # Errors
    ///
    /// They can not be recorded, and none is.
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
        // It is rolled back if it is dropped, also by a panic of the iterator.
        (|| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut insert = transaction.prepare_cached(RECORD)?;
            for (job, scheduled) in runs {
                insert.execute((job.as_ref(), scheduled))?;
            }
            drop(insert);
            transaction.commit()
        })()
        .map_err(|error| explain(path, error))
    }
}

impl History for SqliteHistory {
    type Error = SqliteError;

    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), SqliteError> {
        self.connection
            .prepare_cached(RECORD)
            .and_then(|mut insert| insert.execute((job, scheduled)))
            .map_err(|error| explain(&self.path, error))?;
        Ok(())
    }

    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), SqliteError> {
        if range.is_empty() {
            return Ok(());
        }
        (|| {
            let mut select = self.connection.prepare_cached(SUCCESSES)?;
            let mut rows = select.query((job, range.start(), range.end()))?;
            while let Some(row) = rows.next()? {
                if visit(row.get(0)?).is_break() {
                    break;
                }
            }
            Ok(())
        })()
        .map_err(|error| explain(&self.path, error))
    }

    fn drop_before(&mut self, instant: i64) -> Result<(), SqliteError> {
        // A single statement is a transaction.
        self.connection
            .prepare_cached(DROP_BEFORE)
            .and_then(|mut delete| delete.execute([instant]))
            .map_err(|error| explain(&self.path, error))?;
        Ok(())
    }
}
