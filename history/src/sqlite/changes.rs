//! [`Changes`]: a transaction that keeps the [`Summary`] up to date.

use core::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior};

use super::rows::{ClaimRow, Fault, RunRow, Summary, TableRow};
use crate::RunState;

const SELECT_RUN: &str =
    "SELECT scheduled, checksum, state FROM run WHERE job = ?1 AND scheduled = ?2";

const SELECT_CLAIM: &str = "SELECT scheduled, checksum, owner, token, expires FROM claim \
    WHERE job = ?1 AND scheduled = ?2";

const PUT_CLAIM: &str = "INSERT OR REPLACE INTO claim \
    (job, scheduled, checksum, owner, token, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const REMOVE_CLAIM: &str = "DELETE FROM claim WHERE job = ?1 AND scheduled = ?2";

const REMOVE_RUNS: &str = "DELETE FROM run WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 \
    RETURNING scheduled, checksum, state";

const REMOVE_CLAIMS: &str = "DELETE FROM claim \
    WHERE job = ?1 AND scheduled BETWEEN ?2 AND ?3 AND expires <= ?4 \
    RETURNING scheduled, checksum, owner, token, expires";

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
    ) -> Result<Option<T>, Fault> {
        let mut select = self.transaction.prepare_cached(sql)?;
        let read = select.query_row((job, scheduled), |row| Ok(T::read(T::seed(job), row)));
        read.optional()?.transpose()
    }

    pub(super) fn run(&self, job: &str, scheduled: i64) -> Result<Option<RunRow>, Fault> {
        self.select(SELECT_RUN, job, scheduled)
    }

    pub(super) fn put_run(
        &mut self,
        job: &str,
        scheduled: i64,
        state: RunState,
    ) -> Result<(), Fault> {
        if let Some(old) = self.run(job, scheduled)? {
            if old.state == state {
                return Ok(());
            }
            self.summary.remove(old.checksum);
        }
        let checksum = RunRow::put(&self.transaction, (job, RunRow::seed(job)), scheduled, state)?;
        self.summary.add(checksum);
        Ok(())
    }

    /// Returns a token that is greater than all earlier ones.
    pub(super) fn next_token(&mut self) -> Result<i64, Fault> {
        let next = self.summary.last_token.checked_add(1);
        self.summary.last_token = next.ok_or_else(|| Fault::damage("it has no more tokens"))?;
        Ok(self.summary.last_token)
    }

    pub(super) fn claim(&self, job: &str, scheduled: i64) -> Result<Option<ClaimRow>, Fault> {
        self.select(SELECT_CLAIM, job, scheduled)
    }

    /// Replaces a claim, if there is one.
    pub(super) fn put_claim(
        &mut self,
        (job, scheduled): (&str, i64),
        old: Option<&ClaimRow>,
        (owner, token, expires): (&str, i64, i64),
    ) -> Result<(), Fault> {
        if let Some(old) = old {
            self.summary.remove(old.checksum);
        }
        let checksum = ClaimRow::seed(job).of_claim(scheduled, owner, token, expires);
        let mut insert = self.transaction.prepare_cached(PUT_CLAIM)?;
        insert.execute((job, scheduled, checksum, owner, token, expires))?;
        self.summary.add(checksum);
        Ok(())
    }

    pub(super) fn remove_claim(
        &mut self,
        job: &str,
        scheduled: i64,
        old: &ClaimRow,
    ) -> Result<(), Fault> {
        self.transaction.prepare_cached(REMOVE_CLAIM)?.execute((job, scheduled))?;
        self.summary.remove(old.checksum);
        Ok(())
    }

    /// Removes the runs in a range, and their claims that expire at an instant or before.
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

    /// Removes rows of a job. If one of them is damaged, it may be one that should be kept, so this is
    /// an error, which restores all of them.
    fn remove<T: TableRow>(
        &mut self,
        sql: &str,
        job: &str,
        parameters: impl Params,
    ) -> Result<(), Fault> {
        let mut delete = self.transaction.prepare_cached(sql)?;
        let mut rows = delete.query(parameters)?;
        while let Some(row) = rows.next()? {
            self.summary.remove(T::read(T::seed(job), row)?.checksum());
        }
        Ok(())
    }
}
