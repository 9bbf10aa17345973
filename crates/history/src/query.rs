//! [`RunQuery`]: which records to read.

use core::ops::{Bound, ControlFlow, RangeBounds, RangeInclusive};

use crate::{RunRecord, RunState};

/// Selects recorded runs of a job; see [`History::read`](crate::History::read).
///
/// ```
/// use millicron_history::RunQuery;
///
/// // The last success before an instant.
/// let query = RunQuery::new("load", ..3_600_000).successes().newest_first().limit(1);
/// assert_eq!(query.range, i64::MIN..=3_599_999);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a history that is written elsewhere obeys each")]
pub struct RunQuery<'a> {
    /// The name of the job.
    pub job: &'a str,
    /// The scheduled instants, in milliseconds since 1970-01-01 00:00:00.
    pub range: RangeInclusive<i64>,
    /// Whether only successes are selected. The default is `false`.
    pub only_successes: bool,
    /// Whether the runs are in descending order of their instants. The default is `false`.
    pub is_newest_first: bool,
    /// The number of runs to skip, in this order. The default is 0.
    pub skip: u64,
    /// The maximum number of runs to select after that. The default is [`u64::MAX`].
    pub limit: u64,
}

impl<'a> RunQuery<'a> {
    /// Selects all recorded runs of a job in a range, in ascending order of their instants.
    #[must_use]
    pub fn new(job: &'a str, range: impl RangeBounds<i64>) -> Self {
        let first = match range.start_bound() {
            Bound::Included(first) => Some(*first),
            Bound::Excluded(before) => before.checked_add(1),
            Bound::Unbounded => Some(i64::MIN),
        };
        let last = match range.end_bound() {
            Bound::Included(last) => Some(*last),
            Bound::Excluded(after) => after.checked_sub(1),
            Bound::Unbounded => Some(i64::MAX),
        };
        let range = match (first, last) {
            (Some(first), Some(last)) => first..=last,
            _ => EMPTY,
        };
        let (only_successes, is_newest_first) = (false, false);
        Self { job, range, only_successes, is_newest_first, skip: 0, limit: u64::MAX }
    }

    /// Selects only successes.
    #[must_use]
    pub fn successes(self) -> Self {
        Self { only_successes: true, ..self }
    }

    /// Reverses the order: the latest run comes first.
    #[must_use]
    pub fn newest_first(self) -> Self {
        Self { is_newest_first: true, ..self }
    }

    /// Skips the first runs, in the order of the query.
    #[must_use]
    pub fn skip(self, skip: u64) -> Self {
        Self { skip, ..self }
    }

    /// Limits the number of runs.
    #[must_use]
    pub fn limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Passes the runs that the query selects to `visit`, until `visit` returns
    /// [`ControlFlow::Break`], which is then returned. Use it to implement
    /// [`History::read`](crate::History::read).
    ///
    /// `runs` must yield the runs of the job in the range, in the order of the query. It is read only
    /// as far as necessary.
    ///
    /// # Errors
    ///
    /// Returns the first error that `runs` yields.
    pub fn visit_selected<E>(
        &self,
        runs: impl IntoIterator<Item = Result<(i64, RunRecord), E>>,
        mut visit: impl FnMut(i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, E> {
        let (mut skip, mut left) = (self.skip, self.limit);
        let mut runs = runs.into_iter();
        while left > 0
            && let Some(run) = runs.next()
        {
            let (scheduled, record) = run?;
            if self.only_successes && record.state != RunState::Succeeded {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            left -= 1;
            if visit(scheduled, record).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// An empty range.
#[expect(clippy::reversed_empty_ranges, reason = "it is meant to be empty")]
const EMPTY: RangeInclusive<i64> = 1..=0;
