//! The rows of a file. Each row has a checksum, and the row of the [`Summary`] contains the number
//! of the other rows and the sum of their checksums. A damaged row is therefore found when it is
//! read, and a missing row when the file is opened.

use std::borrow::ToOwned as _;
use std::path::Path;
use std::string::String;

use rusqlite::{Connection, Row};

use super::checksum::Checksum;
use super::error::{SqliteError, classify, corrupt};
use crate::{RunRecord, RunState};

/// The texts of these statements are stored in the file, and compared when it is opened.
pub(super) const TABLES: [(&str, &str); 3] = [
    (
        "run",
        "CREATE TABLE run (\
            job TEXT NOT NULL, \
            scheduled INTEGER NOT NULL, \
            checksum INTEGER NOT NULL, \
            state INTEGER NOT NULL, \
            started INTEGER, \
            ended INTEGER, \
            attempts INTEGER, \
            PRIMARY KEY (job, scheduled)\
        ) STRICT, WITHOUT ROWID",
    ),
    (
        "claim",
        "CREATE TABLE claim (\
            job TEXT NOT NULL, \
            scheduled INTEGER NOT NULL, \
            checksum INTEGER NOT NULL, \
            owner TEXT NOT NULL, \
            token INTEGER NOT NULL, \
            expires INTEGER NOT NULL, \
            started INTEGER, \
            attempts INTEGER, \
            PRIMARY KEY (job, scheduled)\
        ) STRICT, WITHOUT ROWID",
    ),
    (
        "summary",
        "CREATE TABLE summary (\
            id INTEGER PRIMARY KEY, \
            checksum INTEGER NOT NULL, \
            rows INTEGER NOT NULL, \
            sum INTEGER NOT NULL, \
            token INTEGER NOT NULL\
        ) STRICT",
    ),
];

/// An error while reading or changing a file, without its path.
#[derive(Debug)]
pub(super) enum Fault {
    Sqlite(rusqlite::Error),
    Damage(String),
}

impl Fault {
    pub(super) fn damage(damage: &str) -> Self {
        Self::Damage(damage.to_owned())
    }

    pub(super) fn at(self, path: &Path) -> SqliteError {
        match self {
            Self::Sqlite(error) => classify(path, error),
            Self::Damage(damage) => corrupt(path, damage),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// The start of the checksum of a job's rows in a table.
#[derive(Clone)]
pub(super) struct Seed(Checksum);

impl Seed {
    fn of_run(self, scheduled: i64, record: RunRecord) -> i64 {
        let RunRecord { state, started, ended, attempts } = record;
        let checksum = self.0.integer(scheduled).byte(code(state));
        let checksum = checksum.column(0, started).column(1, ended);
        checksum.column(2, attempts.map(i64::from)).finish()
    }

    fn of_claim(self, scheduled: i64, claim: &ClaimRow) -> i64 {
        let ClaimRow { owner, token, expires, started, attempts } = claim;
        let checksum = self.0.integer(scheduled).text(owner).integer(*token).integer(*expires);
        checksum.column(0, *started).column(1, attempts.map(i64::from)).finish()
    }
}

/// A row of a table that has a column `job`, without that column.
pub(super) trait TableRow: Sized {
    const TABLE: &str;

    /// The columns that [`read`](Self::read) expects, in this order.
    const COLUMNS: &str;

    /// Reads a row and its checksum.
    fn read(seed: Seed, row: &Row<'_>) -> Result<(Self, i64), Fault>;

    fn seed(job: &str) -> Seed {
        Seed(Checksum::of_table(Self::TABLE).text(job))
    }
}

/// A row of the table `run`.
#[derive(Clone, Copy)]
pub(super) struct RunRow {
    pub(super) scheduled: i64,
    pub(super) record: RunRecord,
}

impl TableRow for RunRow {
    const TABLE: &str = "run";
    const COLUMNS: &str = "scheduled, checksum, state, started, ended, attempts";

    fn read(seed: Seed, row: &Row<'_>) -> Result<(Self, i64), Fault> {
        let (scheduled, checksum, code) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let state = state(code).ok_or_else(wrong_checksum)?;
        let (started, ended, attempts) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let record = RunRecord { state, started, ended, attempts };
        if checksum == seed.of_run(scheduled, record) {
            Ok((Self { scheduled, record }, checksum))
        } else {
            Err(wrong_checksum())
        }
    }
}

impl RunRow {
    /// The statement that writes a row, with its job.
    const PUT: &str = "INSERT OR REPLACE INTO run \
        (job, scheduled, checksum, state, started, ended, attempts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

    /// Writes the record of a run, replacing an earlier one. Returns its checksum.
    pub(super) fn put(
        self,
        connection: &Connection,
        (job, seed): (&str, Seed),
    ) -> Result<i64, Fault> {
        let Self { scheduled, record } = self;
        let checksum = seed.of_run(scheduled, record);
        let RunRecord { state, started, ended, attempts } = record;
        let mut put = connection.prepare_cached(Self::PUT)?;
        put.execute((job, scheduled, checksum, code(state), started, ended, attempts))?;
        Ok(checksum)
    }
}

/// A row of the table `claim`.
pub(super) struct ClaimRow {
    pub(super) owner: String,
    pub(super) token: i64,
    pub(super) expires: i64,
    /// When the run was first claimed; `None` in a file that was converted.
    pub(super) started: Option<i64>,
    pub(super) attempts: Option<u32>,
}

impl TableRow for ClaimRow {
    const TABLE: &str = "claim";
    const COLUMNS: &str = "scheduled, checksum, owner, token, expires, started, attempts";

    fn read(seed: Seed, row: &Row<'_>) -> Result<(Self, i64), Fault> {
        let (scheduled, checksum) = (row.get(0)?, row.get(1)?);
        let (owner, token, expires) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let claim = Self { owner, token, expires, started: row.get(5)?, attempts: row.get(6)? };
        if checksum == seed.of_claim(scheduled, &claim) {
            Ok((claim, checksum))
        } else {
            Err(wrong_checksum())
        }
    }
}

impl ClaimRow {
    const PUT: &str = "INSERT OR REPLACE INTO claim \
        (job, scheduled, checksum, owner, token, expires, started, attempts) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

    /// Writes the claim of a run, replacing an earlier one. Returns its checksum.
    pub(super) fn put(
        &self,
        connection: &Connection,
        job: &str,
        scheduled: i64,
    ) -> Result<i64, Fault> {
        let checksum = Self::seed(job).of_claim(scheduled, self);
        let Self { owner, token, expires, started, attempts } = self;
        let mut put = connection.prepare_cached(Self::PUT)?;
        put.execute((job, scheduled, checksum, owner, token, expires, started, attempts))?;
        Ok(checksum)
    }

    pub(super) fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1)
    }
}

fn wrong_checksum() -> Fault {
    Fault::damage("the checksum of a record is wrong")
}

const fn code(state: RunState) -> u8 {
    match state {
        RunState::Succeeded => 0,
        RunState::Failed => 1,
        RunState::Skipped => 2,
    }
}

const fn state(code: u8) -> Option<RunState> {
    match code {
        0 => Some(RunState::Succeeded),
        1 => Some(RunState::Failed),
        2 => Some(RunState::Skipped),
        _ => None,
    }
}

/// The number of all other rows, the sum of their checksums, and the last token of a claim.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Summary {
    rows: i64,
    sum: i64,
    pub(super) last_token: i64,
}

impl Summary {
    pub(super) fn without_rows(self) -> Self {
        Self { rows: 0, sum: 0, ..self }
    }

    pub(super) fn add(&mut self, checksum: i64) {
        self.rows = self.rows.wrapping_add(1);
        self.sum = self.sum.wrapping_add(checksum);
    }

    pub(super) fn remove(&mut self, checksum: i64) {
        self.rows = self.rows.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(checksum);
    }

    fn checksum(self) -> i64 {
        let Self { rows, sum, last_token } = self;
        Checksum::of_table("summary").integer(rows).integer(sum).integer(last_token).finish()
    }

    pub(super) fn read(connection: &Connection) -> Result<Self, Fault> {
        let sql = "SELECT checksum, rows, sum, token FROM summary";
        let mut select = connection.prepare_cached(sql)?;
        let (checksum, summary) = select.query_one((), |row| {
            let summary = Self { rows: row.get(1)?, sum: row.get(2)?, last_token: row.get(3)? };
            Ok((row.get::<_, i64>(0)?, summary))
        })?;
        if checksum == summary.checksum() { Ok(summary) } else { Err(wrong_checksum()) }
    }

    pub(super) fn write(self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO summary (id, checksum, rows, sum, token) \
            VALUES (1, ?1, ?2, ?3, ?4)";
        let Self { rows, sum, last_token } = self;
        connection.prepare_cached(sql)?.execute((self.checksum(), rows, sum, last_token))?;
        Ok(())
    }
}
