//! Creates the tables of a file, converts those of an earlier version, and looks for damage in them.

use std::borrow::ToOwned as _;
use std::format;
use std::string::String;

use rusqlite::{Connection, Row};

use super::rows::{ClaimRow, Fault, RunRow, Seed, Summary, TABLES, TableRow};
use crate::RunState;

/// The `application_id` that marks a database as a history: "mcrn".
pub(super) const APPLICATION_ID: i32 = 0x6d63_726e;

/// The version of the file format, which is the latest that can be read.
pub(super) const VERSION: i32 = 2;

/// The only table of version 1: successes, without checksums.
const TABLE_1: (&str, &str) = (
    "success",
    "CREATE TABLE success (\
        job TEXT NOT NULL, \
        scheduled INTEGER NOT NULL, \
        PRIMARY KEY (job, scheduled)\
    ) STRICT, WITHOUT ROWID",
);

pub(super) fn create(connection: &Connection) -> Result<(), Fault> {
    create_tables(connection)?;
    Summary::default().write(connection)?;
    Ok(connection.pragma_update(None, "application_id", APPLICATION_ID)?)
}

fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    for (_, sql) in TABLES {
        connection.execute(sql, ())?;
    }
    connection.pragma_update(None, "user_version", VERSION)
}

/// Converts a file of version 1.
pub(super) fn convert(connection: &Connection) -> Result<(), Fault> {
    check_tables(connection, &[TABLE_1])?;
    create_tables(connection)?;
    let mut summary = Summary::default();
    let mut select = connection.prepare("SELECT scheduled, job FROM success")?;
    let mut rows = select.query(())?;
    let mut keys = Keys::new::<RunRow>();
    while let Some(row) = rows.next()? {
        keys.add::<RunRow>(row)?;
        let job = (&*keys.job, keys.seed);
        summary.add(RunRow::put(connection, job, keys.scheduled, RunState::Succeeded)?);
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
    // Without an order, the rows come as they are in the file.
    let sql = format!("SELECT {}, job FROM {}", T::COLUMNS, T::TABLE);
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query(())?;
    let mut keys = Keys::new::<T>();
    while let Some(row) = rows.next()? {
        keys.add::<T>(row)?;
        found.add(T::read(keys.seed, row)?.checksum());
    }
    Ok(())
}

/// Refuses a file with other tables than these, or with pages that do not fit together.
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

/// The keys of a table's rows, which must be in ascending order: otherwise a search would miss some.
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
