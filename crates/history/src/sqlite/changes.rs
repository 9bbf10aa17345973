//! [`Changes`]: a transaction that keeps the [`Summary`] up to date.

use core::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior};

use super::rows::{Fault, Summary, TableRow, claim_columns, run_columns};
use crate::RunRecord;
use crate::stored_claim::StoredClaim;

const REMOVE_CLAIM: &str = "DELETE FROM claim WHERE job = ?1 AND scheduled = ?2";

const REMOVE_RUNS: &str = concat!(
    "DELETE FROM run WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 RETURNING ",
    run_columns!()
);

const REMOVE_CLAIMS: &str = concat!(
    "DELETE FROM claim WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 AND expires <= ?4 RETURNING ",
    claim_columns!()
);

/// A row and its checksum.
pub(super) type Checked<T> = (T, i64);

/// A transaction, which excludes other writers. It is rolled back when it is dropped.
pub(super) struct Changes<'a> {
    transaction: Transaction<'a>,
    before: Summary,
    summary: Summary,
}

impl<'a> Changes<'a> {
    pub(super) fn begin(connection: &'a mut Connection) -> Result<Self, Fault> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = connection.transaction_with_behavior(behavior)?;
        let summary = Summary::read(&transaction)?;
        Ok(Self { transaction, before: summary, summary })
    }

    pub(super) fn commit(self) -> Result<(), Fault> {
        if self.summary != self.before {
            self.summary.write(&self.transaction)?;
        }
        Ok(self.transaction.commit()?)
    }

    /// Returns the row of a run in a table.
    pub(super) fn get<T: TableRow>(
        &self,
        (job, scheduled): (&str, i64),
    ) -> Result<Option<Checked<T>>, Fault> {
        let (columns, table) = (T::COLUMNS, T::TABLE);
        let sql = format!("SELECT {columns} FROM {table} WHERE job = ?1 AND scheduled = ?2");
        let mut select = self.transaction.prepare_cached(&sql)?;
        let read = select.query_row((job, scheduled), |row| Ok(T::read(T::seed(job), row)));
        read.optional()?.transpose()
    }

    /// Writes the row of a run. `old` is the checksum of the row that it replaces, if any.
    pub(super) fn put<T: TableRow>(
        &mut self,
        run: (&str, i64),
        old: Option<i64>,
        new: &T,
    ) -> Result<(), Fault> {
        if let Some(checksum) = old {
            self.summary.remove(checksum);
        }
        let checksum = new.checksum(T::seed(run.0), run.1);
        new.write(&self.transaction, run, checksum)?;
        self.summary.add(checksum);
        Ok(())
    }

    /// Records how a run ended, unless that is recorded already.
    pub(super) fn record(&mut self, run: (&str, i64), record: &RunRecord) -> Result<(), Fault> {
        match self.get::<RunRecord>(run)? {
            Some((old, _)) if old == *record => Ok(()),
            old => self.put(run, old.map(|(_, checksum)| checksum), record),
        }
    }

    /// Returns a token that is greater than all earlier ones.
    pub(super) fn next_token(&mut self) -> Result<i64, Fault> {
        let next = self.summary.last_token.checked_add(1);
        self.summary.last_token = next.ok_or_else(|| Fault::damage("it has no more tokens"))?;
        Ok(self.summary.last_token)
    }

    pub(super) fn remove_claim(&mut self, run: (&str, i64), checksum: i64) -> Result<(), Fault> {
        self.transaction.prepare_cached(REMOVE_CLAIM)?.execute(run)?;
        self.summary.remove(checksum);
        Ok(())
    }

    /// Removes the runs in a range, and their claims that expire at or before `expired`.
    pub(super) fn remove_range(
        &mut self,
        job: &str,
        range: &RangeInclusive<i64>,
        expired: i64,
    ) -> Result<(), Fault> {
        if range.is_empty() {
            return Ok(());
        }
        let (first, last) = (range.start(), range.end());
        self.remove::<RunRecord>(REMOVE_RUNS, job, (job, first, last))?;
        self.remove::<StoredClaim>(REMOVE_CLAIMS, job, (job, first, last, expired))
    }

    /// Removes rows of a job. A damaged row may be one that should be kept, so it is an error, which
    /// rolls back the removal.
    fn remove<T: TableRow>(
        &mut self,
        sql: &str,
        job: &str,
        parameters: impl Params,
    ) -> Result<(), Fault> {
        let mut delete = self.transaction.prepare_cached(sql)?;
        let mut rows = delete.query(parameters)?;
        while let Some(row) = rows.next()? {
            let (_, checksum) = T::read(T::seed(job), row)?;
            self.summary.remove(checksum);
        }
        Ok(())
    }
}
