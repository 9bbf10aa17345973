//! [`MemoryHistory`].

#[cfg(feature = "std")]
mod claims;

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::convert::Infallible;
use core::ops::{ControlFlow, RangeInclusive};

use crate::history::range_before;
use crate::{History, RunQuery, RunRecord};

/// A [`History`] in memory: an ordered map of instants for each job.
///
/// Two histories are equal if they have the same records, regardless of claims.
///
/// ```
/// use millicron_history::{History, MemoryHistory, RunState};
///
/// let mut history = MemoryHistory::new();
/// history.record_state("hourly", 3_600_000, RunState::Failed)?;
/// history.record("hourly", 3_600_000)?; // the same run again
/// assert_eq!(history.len(), 1);
/// assert_eq!(history.state("hourly", 3_600_000)?, Some(RunState::Succeeded));
/// history.drop_before(&[("hourly", 3_600_001)])?;
/// assert!(history.is_empty());
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryHistory {
    jobs: BTreeMap<String, BTreeMap<i64, RunRecord>>,
    #[cfg(feature = "std")]
    leases: claims::Leases,
}

impl MemoryHistory {
    /// Returns an empty history.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            jobs: BTreeMap::new(),
            #[cfg(feature = "std")]
            leases: claims::Leases::new(),
        }
    }

    /// Sets the clock by which the leases of [`Claims`](crate::Claims) expire, in milliseconds since
    /// 1970-01-01 00:00:00. The default is the system clock.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.leases.clock = crate::clock::Clock::new(clock);
        self
    }

    /// Returns the number of recorded runs of all jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.values().map(BTreeMap::len).sum()
    }

    /// Returns whether no run is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Removes the runs of a job in a range for which `is_removed` returns `true`.
fn remove_range<T>(
    jobs: &mut BTreeMap<String, BTreeMap<i64, T>>,
    job: &str,
    range: &RangeInclusive<i64>,
    is_removed: impl Fn(&T) -> bool,
) {
    // `BTreeMap::extract_if` panics if a range ends before it starts.
    if let Some(runs) = jobs.get_mut(job)
        && !range.is_empty()
    {
        runs.extract_if(range.clone(), |_, run| is_removed(run)).for_each(drop);
        if runs.is_empty() {
            jobs.remove(job);
        }
    }
}

impl PartialEq for MemoryHistory {
    fn eq(&self, other: &Self) -> bool {
        self.jobs == other.jobs
    }
}

impl Eq for MemoryHistory {}

impl History for MemoryHistory {
    type Error = Infallible;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Infallible> {
        for (job, scheduled, record) in runs {
            if let Some(runs) = self.jobs.get_mut(*job) {
                runs.insert(*scheduled, *record);
            } else {
                let runs = BTreeMap::from([(*scheduled, *record)]);
                self.jobs.insert((*job).to_owned(), runs);
            }
        }
        Ok(())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        for (index, query) in queries.iter().enumerate() {
            // `BTreeMap::range` panics if a range ends before it starts.
            let Some(runs) = self.jobs.get(query.job).filter(|_| !query.range.is_empty()) else {
                continue;
            };
            let runs = runs.range(query.range.clone());
            let runs = runs.map(|(at, record)| Ok::<_, Infallible>((*at, *record)));
            let visit = |scheduled, record| visit(index, scheduled, record);
            let flow = if query.is_newest_first {
                query.visit_selected(runs.rev(), visit)?
            } else {
                query.visit_selected(runs, visit)?
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Infallible> {
        for (job, range) in runs {
            remove_range(&mut self.jobs, job, range, |_| true);
            #[cfg(feature = "std")]
            self.leases.remove_range(job, range, i64::MAX);
        }
        Ok(())
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Infallible> {
        #[cfg(feature = "std")]
        let now = self.leases.clock.now();
        for (job, instant) in jobs {
            let Some(range) = range_before(*instant) else { continue };
            remove_range(&mut self.jobs, job, &range, |_| true);
            #[cfg(feature = "std")]
            self.leases.remove_range(job, &range, now);
        }
        Ok(())
    }
}
