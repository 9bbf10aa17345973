//! [`Changes`]: a transaction that keeps the [`Summary`] up to date.

use core::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior};

use super::rows::{ClaimRow, Fault, RunRow, Summary, TableRow};
use crate::RunRecord;

const SELECT_RUN: &str = "SELECT scheduled, checksum, state, started, ended, attempts FROM run \
    WHERE job = ?1 AND scheduled = ?2";

const SELECT_CLAIM: &str = "SELECT scheduled, checksum, owner, token, expires, started, attempts \
    FROM claim WHERE job = ?1 AND scheduled = ?2";

const REMOVE_CLAIM: &str = "DELETE FROM claim WHERE job = ?1 AND scheduled = ?2";

const REMOVE_RUNS: &str = "DELETE FROM run WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 \
    RETURNING scheduled, checksum, state, started, ended, attempts";

const REMOVE_CLAIMS: &str = "DELETE FROM claim \
    WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 AND expires <= ?4 \
    RETURNING scheduled, checksum, owner, token, expires, started, attempts";

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

    fn select<T: TableRow>(
        &self,
        sql: &str,
        job: &str,
        scheduled: i64,
    ) -> Result<Option<Checked<T>>, Fault> {
        let mut select = self.transaction.prepare_cached(sql)?;
        let read = select.query_row((job, scheduled), |row| Ok(T::read(T::seed(job), row)));
        read.optional()?.transpose()
    }

    pub(super) fn run(&self, job: &str, scheduled: i64) -> Result<Option<Checked<RunRow>>, Fault> {
        self.select(SELECT_RUN, job, scheduled)
    }

    pub(super) fn put_run(
        &mut self,
        job: &str,
        scheduled: i64,
        record: RunRecord,
    ) -> Result<(), Fault> {
        if let Some((old, checksum)) = self.run(job, scheduled)? {
            if old.record == record {
                return Ok(());
            }
            self.summary.remove(checksum);
        }
        let new = RunRow { scheduled, record };
        self.summary.add(new.put(&self.transaction, (job, RunRow::seed(job)))?);
        Ok(())
    }

    /// Returns a token that is greater than all earlier ones.
    pub(super) fn next_token(&mut self) -> Result<i64, Fault> {
        let next = self.summary.last_token.checked_add(1);
        self.summary.last_token = next.ok_or_else(|| Fault::damage("it has no more tokens"))?;
        Ok(self.summary.last_token)
    }

    pub(super) fn claim(
        &self,
        job: &str,
        scheduled: i64,
    ) -> Result<Option<Checked<ClaimRow>>, Fault> {
        self.select(SELECT_CLAIM, job, scheduled)
    }

    /// Writes a claim. `old` is the checksum of the claim that it replaces, if any.
    pub(super) fn put_claim(
        &mut self,
        (job, scheduled): (&str, i64),
        old: Option<i64>,
        new: &ClaimRow,
    ) -> Result<(), Fault> {
        if let Some(checksum) = old {
            self.summary.remove(checksum);
        }
        self.summary.add(new.put(&self.transaction, job, scheduled)?);
        Ok(())
    }

    pub(super) fn remove_claim(
        &mut self,
        job: &str,
        scheduled: i64,
        checksum: i64,
    ) -> Result<(), Fault> {
        self.transaction.prepare_cached(REMOVE_CLAIM)?.execute((job, scheduled))?;
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
        self.remove::<RunRow>(REMOVE_RUNS, job, (job, first, last))?;
        self.remove::<ClaimRow>(REMOVE_CLAIMS, job, (job, first, last, expired))
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
