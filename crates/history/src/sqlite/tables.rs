//! Creates the tables of a file, converts tables of earlier versions, and checks them for damage.

use std::borrow::ToOwned as _;
use std::format;
use std::string::String;

use rusqlite::{Connection, Row};

use super::rows::{ClaimRow, Fault, RunRow, Seed, Summary, TABLES, TableRow};
use crate::RunState;

/// The `application_id` that marks a database as a history: "mcrn".
pub(super) const APPLICATION_ID: i32 = 0x6d63_726e;

/// The version of the file format, and the latest version that can be read.
pub(super) const VERSION: i32 = 3;

/// The only table of version 1: successes, without checksums.
const TABLE_1: (&str, &str) = (
    "success",
    "CREATE TABLE success (\
        job TEXT NOT NULL, \
        scheduled INTEGER NOT NULL, \
        PRIMARY KEY (job, scheduled)\
    ) STRICT, WITHOUT ROWID",
);

/// The tables of version 2, which does not record when runs started and ended or how often they
/// were attempted.
const TABLES_2: [(&str, &str); 2] = [
    (
        "run",
        "CREATE TABLE run (\
            job TEXT NOT NULL, \
            scheduled INTEGER NOT NULL, \
            checksum INTEGER NOT NULL, \
            state INTEGER NOT NULL, \
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
            PRIMARY KEY (job, scheduled)\
        ) STRICT, WITHOUT ROWID",
    ),
];

/// Converts the tables of version 2. The checksums of their rows, and thus the summary, do not
/// change.
const CONVERT_2: &str = "\
    ALTER TABLE run RENAME TO old_run; \
    ALTER TABLE claim RENAME TO old_claim;";

const COPY_2: &str = "\
    INSERT INTO run SELECT job, scheduled, checksum, state, NULL, NULL, NULL FROM old_run; \
    INSERT INTO claim SELECT job, scheduled, checksum, owner, token, expires, NULL, NULL FROM old_claim; \
    DROP TABLE old_run; \
    DROP TABLE old_claim;";

pub(super) fn create(connection: &Connection) -> Result<(), Fault> {
    create_tables(connection, &TABLES)?;
    Summary::default().write(connection)?;
    Ok(connection.pragma_update(None, "application_id", APPLICATION_ID)?)
}

fn create_tables(connection: &Connection, tables: &[(&str, &str)]) -> rusqlite::Result<()> {
    for (_, sql) in tables {
        connection.execute(sql, ())?;
    }
    connection.pragma_update(None, "user_version", VERSION)
}

/// Converts a file of an earlier version.
pub(super) fn convert(connection: &Connection, version: i32) -> Result<(), Fault> {
    if version == 1 { convert_1(connection) } else { convert_2(connection) }
}

fn convert_2(connection: &Connection) -> Result<(), Fault> {
    check_tables(connection, &TABLES_2)?;
    connection.execute_batch(CONVERT_2)?;
    // The summary is kept.
    create_tables(connection, &TABLES[..2])?;
    Ok(connection.execute_batch(COPY_2)?)
}

fn convert_1(connection: &Connection) -> Result<(), Fault> {
    check_tables(connection, &[TABLE_1])?;
    create_tables(connection, &TABLES)?;
    let mut summary = Summary::default();
    let mut select = connection.prepare("SELECT scheduled, job FROM success")?;
    let mut rows = select.query(())?;
    let mut keys = Keys::new::<RunRow>();
    while let Some(row) = rows.next()? {
        keys.add::<RunRow>(row)?;
        let run = RunRow { scheduled: keys.scheduled, record: RunState::Succeeded.into() };
        summary.add(run.put(connection, (&*keys.job, keys.seed.clone()))?);
    }
    drop(rows);
    connection.execute("DROP TABLE success", ())?;
    Ok(summary.write(connection)?)
}

/// Refuses a damaged file.
pub(super) fn check(connection: &Connection) -> Result<(), Fault> {
    check_tables(connection, &TABLES)?;
    let summary = Summary::read(connection)?;
    let mut found = summary.without_rows();
    add_rows::<RunRow>(connection, &mut found)?;
    add_rows::<ClaimRow>(connection, &mut found)?;
    if found == summary { Ok(()) } else { Err(Fault::damage("records are missing")) }
}

/// Adds all rows of a table to a summary.
fn add_rows<T: TableRow>(connection: &Connection, found: &mut Summary) -> Result<(), Fault> {
    // Without `ORDER BY`, the rows come in the order of the file.
    let sql = format!("SELECT {}, job FROM {}", T::COLUMNS, T::TABLE);
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query(())?;
    let mut keys = Keys::new::<T>();
    while let Some(row) = rows.next()? {
        keys.add::<T>(row)?;
        let (_, checksum) = T::read(keys.seed.clone(), row)?;
        found.add(checksum);
    }
    Ok(())
}

/// Refuses a file whose tables differ from these, or whose pages are inconsistent.
fn check_tables(connection: &Connection, tables: &[(&str, &str)]) -> Result<(), Fault> {
    let sql = "SELECT count(*) = 1 FROM sqlite_schema \
        WHERE type = 'table' AND name = ?1 AND tbl_name = ?1 AND sql = ?2";
    for table in tables {
        if !connection.query_row(sql, *table, |row| row.get(0))? {
            return Err(Fault::damage("its table has been changed"));
        }
    }
    let damage: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    // The lines before the last one name the database.
    match damage.lines().next_back() {
        None | Some("ok") => Ok(()),
        Some(damage) => Err(Fault::damage(damage)),
    }
}

/// The keys of a table's rows, which must be in ascending order: otherwise a search would miss rows.
struct Keys {
    job: String,
    scheduled: i64,
    seed: Seed,
    is_empty: bool,
}

impl Keys {
    fn new<T: TableRow>() -> Self {
        Self { job: String::new(), scheduled: i64::MIN, seed: T::seed(""), is_empty: true }
    }

    fn add<T: TableRow>(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let job =
            row.get_ref("job")?.as_str().map_err(|_| Fault::damage("a name is not a text"))?;
        let scheduled = row.get(0)?;
        let is_later = (job, scheduled) > (&*self.job, self.scheduled);
        if !is_later && !self.is_empty {
            return Err(Fault::damage("its records are not in order"));
        }
        if job != self.job {
            self.seed = T::seed(job);
            job.clone_into(&mut self.job);
        }
        self.scheduled = scheduled;
        self.is_empty = false;
        Ok(())
    }
}
