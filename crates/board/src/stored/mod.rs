//! [`StoredSource`]: schedules in a database.

mod editor;
mod row;
mod snapshot;

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use millicron_apalis::stored::{
    Filter, Page, Schedules, Selection, StoredError, StoredSchedule, Table,
};
use millicron_history::Claims;
use tokio::runtime::Handle;

use self::row::Row;
use self::snapshot::Snapshot;
use crate::asked::now;
use crate::recorded::ReadRuns;
use crate::source::{
    Action, ActionKind, Changes, Editor, Job, NotOffered, Pattern, Runs, Source, SourceError,
};

/// The number of schedules that are listed. The first by their names are.
const LISTED: usize = 10_000;

/// The number of schedules that are read at once, since payloads may be large.
const PAGE: usize = 1000;

/// The schedules in a table of `millicron-apalis`, which visitors may create, change, pause, resume, run and remove.
///
/// At most 10,000 schedules are listed, the first by their names. Every schedule has its page. While a page is open,
/// the listed schedules are read again and again, which takes at most a tenth of the time. The table's payloads are
/// never shown.
///
/// What the tasks do is in the storage of apalis, which has [a page of its own]; [link](crate::Board::link) to it. If
/// your workers also record their runs in a history, pass it with [`history`](Self::history).
///
/// Use it in a runtime of tokio, as a [`Board`](crate::Board) does.
///
/// [a page of its own]: https://docs.rs/apalis-board
pub struct StoredSource<DB: Table> {
    schedules: Schedules<DB>,
    history: Option<Box<dyn ReadRuns>>,
    snapshot: Mutex<Snapshot>,
}

impl<DB: Table> StoredSource<DB> {
    /// Returns a source of the schedules in a table.
    #[must_use]
    pub fn new(schedules: &Schedules<DB>) -> Self {
        Self { schedules: schedules.clone(), history: None, snapshot: Mutex::default() }
    }

    /// Sets the history in which workers claim and record the runs, by the names of their schedules.
    #[must_use]
    pub fn history(mut self, history: impl Claims + Send + 'static) -> Self {
        self.history = Some(Box::new(Mutex::new(history)));
        self
    }

    /// Returns a row of the table.
    fn get(&self, name: &str) -> Result<Option<StoredSchedule>, SourceError> {
        wait(self.schedules.get(self.schedules.pool(), name))
    }

    /// Returns the first schedules, without their payloads, and the filter for those that are not listed.
    fn list(&self) -> Result<(Vec<StoredSchedule>, Option<Filter>), SourceError> {
        let (mut listed, mut next) = (Vec::new(), Some(Filter::default().limit(PAGE)));
        while let Some(filter) = next.take_if(|_| listed.len() < LISTED) {
            let Page { mut schedules, next: following, .. } =
                wait(self.schedules.list(self.schedules.pool(), &filter))?;
            for schedule in &mut schedules {
                schedule.payload.take();
            }
            listed.append(&mut schedules);
            next = following;
        }
        Ok((listed, next))
    }

    fn count(&self, filter: &Filter) -> Result<u64, SourceError> {
        wait(self.schedules.count(self.schedules.pool(), filter))
    }

    /// Returns a row, with what it means now.
    fn row(&self, name: &str) -> Result<Option<Row>, SourceError> {
        let schedule = self.get(name)?;
        Ok(schedule.map(|schedule| Row::read(&self.schedules, schedule, now())))
    }

    /// Returns a row, with its runs.
    fn row_with_runs(&self, name: &str) -> Result<Option<Row>, SourceError> {
        let Some(mut row) = self.row(name)? else { return Ok(None) };
        if let Some(history) = &self.history {
            let recorded = history.last([name])?.pop().unwrap_or_default();
            let in_progress = history.in_progress()?.remove(name).unwrap_or_default();
            row.set_runs(&recorded, &in_progress);
        }
        Ok(Some(row))
    }

    fn snapshot(&self) -> std::sync::MutexGuard<'_, Snapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the next changes include what a visitor has just done.
    fn read_again(&self) {
        self.snapshot().read_again();
    }
}

impl<DB: Table> Source for StoredSource<DB> {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        self.snapshot().changes(self, since)
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        Ok(self.row_with_runs(name)?.map(Row::into_job))
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        let Some(schedule) = self.get(name)? else { return Ok(None) };
        Ok(self.schedules.read(&schedule).ok().map(row::pattern))
    }

    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let Some(row) = self.row(job)? else { return Ok(Runs::default()) };
        let mut runs = match &self.history {
            Some(history) => history.page(job, before, limit)?,
            None => Runs::default(),
        };
        let queued = row.queued().filter(|queued| {
            before.is_none_or(|before| queued.id < before)
                && runs.runs.first().is_none_or(|run| run.id < queued.id)
        });
        if let Some(queued) = queued {
            runs.runs.insert(0, queued);
            runs.has_more |= runs.runs.len() > limit;
            runs.runs.truncate(limit);
        }
        Ok(runs)
    }

    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        Ok(self.row(job)?.and_then(|row| row.problem().map(str::to_owned)).into_iter().collect())
    }

    fn actions(&self) -> &[ActionKind] {
        &[ActionKind::Run, ActionKind::Pause, ActionKind::Resume]
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        let (pool, selection) = (self.schedules.pool(), Selection::Name(job));
        let changed = match action {
            Action::Run => wait(self.schedules.trigger(pool, selection))?,
            Action::Pause => wait(self.schedules.pause(pool, selection))?,
            Action::Resume => wait(self.schedules.resume(pool, selection))?,
            Action::Cancel { .. } => return Err(NotOffered.into()),
        };
        self.read_again();
        // A schedule that is paused already does not change.
        Ok(changed > 0 || self.get(job)?.is_some())
    }

    fn editor(&self) -> Option<&dyn Editor> {
        Some(self)
    }
}

impl<DB: Table> fmt::Debug for StoredSource<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredSource").field(&self.schedules).finish()
    }
}

/// Waits for the database, on a thread that may block.
fn wait<T>(answer: impl Future<Output = Result<T, StoredError>>) -> Result<T, SourceError> {
    Ok(Handle::try_current()?.block_on(answer)?)
}
