//! [`Snapshot`]: the schedules that are listed.

use std::collections::BTreeMap;
use std::mem;
use std::time::Instant;

use millicron_apalis::stored::{Filter, Table};

use super::StoredSource;
use super::row::Row;
use crate::asked::now;
use crate::known::Known;
use crate::pace::Pace;
use crate::source::{Changes, SourceError};

/// The schedules that are listed, as they were when the table was last read.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    known: Known,
    rows: BTreeMap<String, Row>,
    unlisted: u64,
    read: Pace,
    counted: Pace,
}

impl Snapshot {
    /// Returns what has changed since a version, after reading the table, unless that was done only just now.
    pub(super) fn changes<DB: Table>(
        &mut self,
        source: &StoredSource<DB>,
        since: Option<u64>,
    ) -> Result<Changes, SourceError> {
        if !self.read.is_due() {
            return Ok(self.known.same(since));
        }
        let began = Instant::now();
        self.read_rows(source)?;
        self.read_runs(source)?;
        self.read.rest(began, 9);
        let jobs = self.rows.values().map(|row| row.job().clone());
        Ok(self.known.update(jobs, self.unlisted, since))
    }

    /// Has the table be read at the next opportunity.
    pub(super) fn read_again(&mut self) {
        self.read = Pace::default();
    }

    fn read_rows<DB: Table>(&mut self, source: &StoredSource<DB>) -> Result<(), SourceError> {
        let now = now();
        let (schedules, rest) = source.list()?;
        self.count(source, rest.as_ref())?;
        let mut old = mem::take(&mut self.rows);
        for schedule in schedules {
            let name = schedule.name.clone();
            let row = match old.remove(&name) {
                Some(row) => row.updated(&source.schedules, schedule, now),
                None => Row::read(&source.schedules, schedule, now),
            };
            self.rows.insert(name, row);
        }
        Ok(())
    }

    /// Counts the schedules that are not listed, which takes long if there are many.
    fn count<DB: Table>(
        &mut self,
        source: &StoredSource<DB>,
        rest: Option<&Filter>,
    ) -> Result<(), SourceError> {
        match rest {
            None => self.unlisted = 0,
            Some(_) if !self.counted.is_due() => {}
            Some(rest) => {
                let began = Instant::now();
                self.unlisted = source.count(rest)?;
                self.counted.rest(began, 99);
            }
        }
        Ok(())
    }

    /// Reads the runs that may have started or ended.
    fn read_runs<DB: Table>(&mut self, source: &StoredSource<DB>) -> Result<(), SourceError> {
        let Some(history) = &source.history else { return Ok(()) };
        let in_progress = history.in_progress()?;
        let wanted = self.rows.iter_mut();
        let wanted = wanted
            .filter(|(name, row)| row.wants_runs() || in_progress.contains_key(name.as_str()));
        let wanted: Vec<_> = wanted.collect();
        let recorded = history.last(wanted.iter().map(|(name, _)| name.as_str()))?;
        for ((name, row), recorded) in wanted.into_iter().zip(recorded) {
            row.set_runs(&recorded, in_progress.get(name.as_str()).map_or(&[], Vec::as_slice));
        }
        Ok(())
    }
}
