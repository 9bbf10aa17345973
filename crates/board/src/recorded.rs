//! Runs that a history has recorded.

#[cfg(any(feature = "pipeline", feature = "stored"))]
use std::cmp::Reverse;
#[cfg(any(feature = "pipeline", feature = "stored"))]
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

#[cfg(any(feature = "pipeline", feature = "stored"))]
use millicron_history::StartedRun;
use millicron_history::{Claims, RunQuery, RunRecord, RunState as Recorded};

#[cfg(any(feature = "pipeline", feature = "stored"))]
use crate::source::{Job, Runs};
use crate::source::{Run, RunState, SourceError};

/// The number of outcomes in a strip.
pub(crate) const OUTCOMES: usize = 30;

/// The number of queries that a history answers at once.
const BATCH: usize = 1000;

/// The error of a history, whose own message may name its file or its server.
#[derive(Debug)]
pub(crate) struct HistoryFailed(SourceError);

impl HistoryFailed {
    pub(crate) fn new(error: impl Into<SourceError>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for HistoryFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the history cannot be read")
    }
}

impl Error for HistoryFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

/// A history of any type.
pub(crate) trait ReadRuns: Send + Sync {
    /// Returns the recorded runs that each query selects.
    fn read(&self, queries: &[RunQuery<'_>]) -> Result<Vec<Vec<Run>>, SourceError>;

    /// Returns the runs in progress of each job, by their instants.
    #[cfg(any(feature = "pipeline", feature = "stored"))]
    fn in_progress(&self) -> Result<BTreeMap<Box<str>, Vec<Run>>, SourceError>;
}

impl<H: Claims + Send> ReadRuns for Mutex<H> {
    fn read(&self, queries: &[RunQuery<'_>]) -> Result<Vec<Vec<Run>>, SourceError> {
        let mut runs = vec![Vec::new(); queries.len()];
        for (queries, runs) in queries.chunks(BATCH).zip(runs.chunks_mut(BATCH)) {
            let history = self.lock().unwrap_or_else(PoisonError::into_inner);
            let read = history.read(queries, &mut |query, scheduled, record| {
                if let Some(runs) = runs.get_mut(query) {
                    runs.push(ended(scheduled, record));
                }
                ControlFlow::Continue(())
            });
            read.map_err(HistoryFailed::new)?;
        }
        Ok(runs)
    }

    #[cfg(any(feature = "pipeline", feature = "stored"))]
    fn in_progress(&self) -> Result<BTreeMap<Box<str>, Vec<Run>>, SourceError> {
        let started = self.lock().unwrap_or_else(PoisonError::into_inner).started_runs();
        let started = started.map_err(HistoryFailed::new)?;
        let mut runs = BTreeMap::<_, Vec<_>>::new();
        for StartedRun { claim, started, attempts, has_expired, .. } in started {
            // Whoever executed a run with an expired claim is dead.
            if !has_expired {
                let run = Run::new(claim.scheduled, claim.scheduled);
                runs.entry(claim.job).or_default().push(Run {
                    started: Some(started),
                    attempts,
                    ..run
                });
            }
        }
        Ok(runs)
    }
}

impl dyn ReadRuns + '_ {
    /// Returns the last recorded runs of each job, the latest first.
    pub(crate) fn last<'a>(
        &self,
        jobs: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Vec<Run>>, SourceError> {
        let query = |job| RunQuery::new(job, ..).newest_first().limit(OUTCOMES as u64);
        self.read(&jobs.into_iter().map(query).collect::<Vec<_>>())
    }

    /// Returns a page of a job's runs, as [`Source::runs`](crate::Source::runs) does. A run's number is the instant for
    /// which it was scheduled.
    #[cfg(any(feature = "pipeline", feature = "stored"))]
    pub(crate) fn page(
        &self,
        job: &str,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Runs, SourceError> {
        let query = match before {
            Some(before) => RunQuery::new(job, ..before),
            None => RunQuery::new(job, ..),
        };
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let mut runs = self.read(&[query.newest_first().limit(most)])?.pop().unwrap_or_default();
        let in_progress = self.in_progress()?.remove(job).unwrap_or_default();
        runs.extend(in_progress.into_iter().filter(|run| before.is_none_or(|it| run.id < it)));
        runs.sort_by_key(|run| Reverse(run.id));
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        Ok(Runs::new(runs, has_more))
    }
}

/// Sets the last runs of a job: those that are recorded, of which the latest is first, and those in progress.
#[cfg(any(feature = "pipeline", feature = "stored"))]
pub(crate) fn set_runs(job: &mut Job, recorded: &[Run], in_progress: &[Run]) {
    job.outcomes = recorded.iter().rev().map(|run| run.state).collect();
    job.running = in_progress.len().try_into().unwrap_or(u64::MAX);
    let last = recorded.iter().chain(in_progress).max_by_key(|run| run.id);
    job.last = last.cloned();
}

fn ended(scheduled: i64, record: RunRecord) -> Run {
    let RunRecord { state, started, ended, attempts } = record;
    Run {
        started,
        ended,
        attempts: attempts.unwrap_or_default(),
        state: match state {
            Recorded::Succeeded => RunState::Succeeded,
            Recorded::Failed => RunState::Failed,
            Recorded::Skipped => RunState::Skipped,
        },
        ..Run::new(scheduled, scheduled)
    }
}
