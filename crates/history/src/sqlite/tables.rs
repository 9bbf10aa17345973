//! Creates the tables of a file, and checks them for damage.

use rusqlite::{Connection, Row};

use super::checksum::Checksum;
use super::rows::{Fault, Summary, TABLES, TableRow};
use crate::RunRecord;
use crate::stored_claim::StoredClaim;

/// The `application_id` that marks a database as a history: "mcrn".
pub(super) const APPLICATION_ID: i32 = 0x6d63_726e;

/// The version of the file format. No earlier version was released.
pub(super) const VERSION: i32 = 3;

pub(super) fn create(connection: &Connection) -> Result<(), Fault> {
    for (_, sql) in TABLES {
        connection.execute(sql, ())?;
    }
    connection.pragma_update(None, "user_version", VERSION)?;
    Summary::default().write(connection)?;
    Ok(connection.pragma_update(None, "application_id", APPLICATION_ID)?)
}

/// Refuses a damaged file.
pub(super) fn check(connection: &Connection) -> Result<(), Fault> {
    check_tables(connection)?;
    let summary = Summary::read(connection)?;
    let mut found = summary.without_rows();
    add_rows::<RunRecord>(connection, &mut found)?;
    add_rows::<StoredClaim>(connection, &mut found)?;
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

/// Refuses a file whose tables have been changed, or whose pages are inconsistent.
fn check_tables(connection: &Connection) -> Result<(), Fault> {
    let sql = "SELECT count(*) = 1 FROM sqlite_schema \
        WHERE type = 'table' AND name = ?1 AND tbl_name = ?1 AND sql = ?2";
    for table in TABLES {
        if !connection.query_row(sql, table, |row| row.get(0))? {
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
    seed: Checksum,
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
