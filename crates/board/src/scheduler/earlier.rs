//! [`Earlier`]: the runs of before the start of the process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use millicron_history::RunQuery;

use super::runs::Name;
use crate::recorded::ReadRuns;
use crate::source::{Run, RunState, SourceError};

/// The runs of before the start of the process, in a history.
pub(super) struct Earlier {
    history: Box<dyn ReadRuns>,
    /// The last runs of jobs. They are read once, since later ones are logged.
    last: Mutex<HashMap<Name, LastRuns>>,
}

/// The last recorded runs of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct LastRuns {
    /// Their numbers and outcomes, the latest first.
    pub(super) outcomes: Vec<(i64, RunState)>,
    pub(super) last: Option<Run>,
}

impl Earlier {
    pub(super) fn new(history: Box<dyn ReadRuns>) -> Self {
        Self { history, last: Mutex::default() }
    }

    /// Reads the last runs of jobs, if they were not read before.
    pub(super) fn read(&self, jobs: &[Name]) -> Result<(), SourceError> {
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let new = jobs.iter().filter(|name| !known.contains_key(*name)).collect::<Vec<_>>();
        let mut runs = self.history.last(new.iter().map(|name| &***name))?;
        for runs in &mut runs {
            runs.retain(is_run);
        }
        known.extend(new.into_iter().zip(runs).map(|(name, runs)| {
            let outcomes = runs.iter().map(|run| (number(run.scheduled), run.state)).collect();
            let last = runs.into_iter().next().map(with_id);
            (name.clone(), LastRuns { outcomes, last })
        }));
        Ok(())
    }

    /// Returns what was read of the last runs of a job.
    pub(super) fn last(&self, job: &str) -> Option<LastRuns> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).get(job).cloned()
    }

    /// Returns the recorded runs of a job before the run with a number, the latest first.
    pub(super) fn before(
        &self,
        job: &str,
        before: Option<i64>,
        most: usize,
    ) -> Result<Vec<Run>, SourceError> {
        let query = match before {
            // The instants whose numbers are lower.
            Some(before) => RunQuery::new(
                job,
                ..before.div_euclid(1000).saturating_add(i64::from(before.rem_euclid(1000) > 0)),
            ),
            None => RunQuery::new(job, ..),
        };
        let query = query.newest_first().limit(u64::try_from(most).unwrap_or(u64::MAX));
        let runs = self.history.read(&[query])?.pop().unwrap_or_default();
        Ok(runs.into_iter().filter(is_run).map(with_id).collect())
    }
}

/// Whether a record is one of a run. A `JobHistory` also records the instant at which a job was added.
fn is_run(run: &Run) -> bool {
    run.state != RunState::Skipped || run.ended.is_some()
}

/// Numbers a run by its instant in microseconds.
fn with_id(run: Run) -> Run {
    Run { id: number(run.scheduled), ..run }
}

/// Returns the number of the recorded run at an instant.
pub(super) const fn number(scheduled: i64) -> i64 {
    scheduled.saturating_mul(1000)
}
