//! [`MemoryHistory`].

use alloc::borrow::ToOwned as _;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use core::convert::Infallible;
use core::ops::{ControlFlow, RangeInclusive};

use super::History;

/// A [`History`] in memory: an ordered set of instants for each job.
///
/// ```
/// use millicron_pipeline::{History, MemoryHistory};
///
/// let mut history = MemoryHistory::new();
/// history.record("hourly", 3_600_000)?;
/// history.record("hourly", 3_600_000)?; // the same run again
/// assert_eq!(history.len(), 1);
/// history.drop_before(3_600_001)?;
/// assert!(history.is_empty());
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryHistory {
    jobs: BTreeMap<String, BTreeSet<i64>>,
}

impl MemoryHistory {
    /// Returns a history without successes.
    #[must_use]
    pub const fn new() -> Self {
        Self { jobs: BTreeMap::new() }
    }

    /// Returns the number of successes, of all jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.values().map(BTreeSet::len).sum()
    }

    /// Returns whether there are no successes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl History for MemoryHistory {
    type Error = Infallible;

    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), Infallible> {
        if let Some(successes) = self.jobs.get_mut(job) {
            successes.insert(scheduled);
        } else {
            self.jobs.insert(job.to_owned(), BTreeSet::from([scheduled]));
        }
        Ok(())
    }

    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        // `BTreeSet::range` panics if a range ends before it starts.
        if let Some(successes) = self.jobs.get(job)
            && !range.is_empty()
        {
            let _ = successes.range(range).try_for_each(|success| visit(*success));
        }
        Ok(())
    }

    fn drop_before(&mut self, instant: i64) -> Result<(), Infallible> {
        self.jobs.retain(|_, successes| {
            *successes = successes.split_off(&instant);
            !successes.is_empty()
        });
        Ok(())
    }
}
