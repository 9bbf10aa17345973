//! The rows of a file. Each row has a checksum, and the row of the [`Summary`] contains the number
//! of the other rows and the sum of their checksums. A damaged row is therefore found when it is
//! read, and a missing row when the file is opened.

use std::path::Path;

use rusqlite::{Connection, Row};

use super::checksum::Checksum;
use super::failure::{classify, corrupt};
use crate::error::SqliteError;
use crate::stored_claim::StoredClaim;
use crate::{RunRecord, RunState};

/// The columns of a run, in the order in which they are read.
macro_rules! run_columns {
    () => {
        "scheduled, checksum, state, started, ended, attempts"
    };
}

/// The columns of a claim, in the order in which they are read.
macro_rules! claim_columns {
    () => {
        "scheduled, checksum, owner, token, expires, started, attempts"
    };
}

pub(super) use {claim_columns, run_columns};

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

/// A row of a table, without the columns that identify its run.
pub(super) trait TableRow: Sized {
    const TABLE: &str;

    /// The columns that [`read`](Self::read) expects, in this order.
    const COLUMNS: &str;

    /// Reads the columns after the checksum.
    fn read_columns(row: &Row<'_>) -> Result<Self, Fault>;

    /// Returns the checksum of the row.
    fn checksum(&self, seed: Checksum, scheduled: i64) -> i64;

    /// Writes the row of a run, replacing an earlier one.
    fn write(
        &self,
        connection: &Connection,
        run: (&str, i64),
        checksum: i64,
    ) -> rusqlite::Result<usize>;

    /// Returns the start of the checksum of a job's rows.
    fn seed(job: &str) -> Checksum {
        Checksum::of_table(Self::TABLE).text(job)
    }

    /// Reads a row and its checksum.
    fn read(seed: Checksum, row: &Row<'_>) -> Result<(Self, i64), Fault> {
        let (scheduled, checksum) = (row.get(0)?, row.get(1)?);
        let value = Self::read_columns(row)?;
        let is_intact = checksum == value.checksum(seed, scheduled);
        if is_intact { Ok((value, checksum)) } else { Err(wrong_checksum()) }
    }
}

impl TableRow for RunRecord {
    const TABLE: &str = "run";
    const COLUMNS: &str = run_columns!();

    fn read_columns(row: &Row<'_>) -> Result<Self, Fault> {
        let state = RunState::from_code(row.get(2)?).ok_or_else(wrong_checksum)?;
        Ok(Self { state, started: row.get(3)?, ended: row.get(4)?, attempts: row.get(5)? })
    }

    fn checksum(&self, seed: Checksum, scheduled: i64) -> i64 {
        let Self { state, started, ended, attempts } = *self;
        let checksum = seed.integer(scheduled).byte(state.code());
        let checksum = checksum.column(0, started).column(1, ended);
        checksum.column(2, attempts.map(i64::from)).finish()
    }

    fn write(
        &self,
        connection: &Connection,
        (job, scheduled): (&str, i64),
        checksum: i64,
    ) -> rusqlite::Result<usize> {
        let sql = concat!(
            "INSERT OR REPLACE INTO run (job, ",
            run_columns!(),
            ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        );
        let Self { state, started, ended, attempts } = self;
        let row = (job, scheduled, checksum, state.code(), started, ended, attempts);
        connection.prepare_cached(sql)?.execute(row)
    }
}

impl TableRow for StoredClaim {
    const TABLE: &str = "claim";
    const COLUMNS: &str = claim_columns!();

    fn read_columns(row: &Row<'_>) -> Result<Self, Fault> {
        let (owner, token, expires) = (row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Self { owner, token, expires, started: row.get(5)?, attempts: row.get(6)? })
    }

    fn checksum(&self, seed: Checksum, scheduled: i64) -> i64 {
        let Self { owner, token, expires, started, attempts } = self;
        let checksum = seed.integer(scheduled).text(owner).integer(*token).integer(*expires);
        checksum.column(0, Some(*started)).column(1, Some((*attempts).into())).finish()
    }

    fn write(
        &self,
        connection: &Connection,
        (job, scheduled): (&str, i64),
        checksum: i64,
    ) -> rusqlite::Result<usize> {
        let sql = concat!(
            "INSERT OR REPLACE INTO claim (job, ",
            claim_columns!(),
            ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        );
        let Self { owner, token, expires, started, attempts } = self;
        let row = (job, scheduled, checksum, owner, token, expires, started, attempts);
        connection.prepare_cached(sql)?.execute(row)
    }
}

fn wrong_checksum() -> Fault {
    Fault::damage("the checksum of a record is wrong")
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
