//! [`Claims`]: how a machine takes rows that are due.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::error::{InvalidSchedule, StoredError};
use super::schedule::LONGEST;
use crate::events::timing::Timing;
use crate::job::{Plan, Policies};

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The claims of a machine on the schedules in a database.
pub(crate) trait Claims<P>: Send + Sync {
    /// Claims rows that are due.
    fn claim(self: Arc<Self>, look: Look) -> BoxFuture<Result<Claimed<P>, StoredError>>;

    /// Calls a function after each change of schedules, until the connection is lost.
    fn listen(self: Arc<Self>, on_change: ChangeObserver) -> BoxFuture<Result<(), StoredError>>;
}

/// How to look for rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// The number of rows to claim together, and about the number of tasks to push together.
    pub(crate) most: usize,
    /// Whether it is certain that a row is due, so there is no need to look before claiming it.
    pub(crate) is_certain: bool,
    /// The first event of all rows, in milliseconds since 1970, if it is known. A database finds the rows
    /// faster if it need not step over the places that earlier rows have left. 0 or less if rows are to be read.
    pub(crate) first: Option<i64>,
    /// How long a row must have been due, in milliseconds, so that another machine should have claimed it.
    pub(crate) patience: i64,
    /// How long ago a long push of this machine began and ended, in milliseconds. Events in between are not missed.
    pub(crate) last_push: Option<(i64, i64)>,
}

/// Called after a change.
pub(crate) type ChangeObserver = Box<dyn Fn() + Send>;

/// The result of an attempt to claim rows.
pub(crate) enum Claimed<P> {
    /// No row is due, or others have claimed all due rows.
    Nothing {
        /// The time until the next row is due.
        wait: Option<Duration>,
        /// Whether others have claimed rows that are due.
        is_contended: bool,
        /// The first event of all rows.
        first: Option<i64>,
    },
    Rows(Claim<P>),
}

/// Rows that others cannot claim, and their events.
pub(crate) struct Claim<P> {
    pub(crate) tasks: Vec<ClaimedTask<P>>,
    pub(crate) dropped: Vec<DroppedEvents>,
    /// The names of the schedules that cannot be read, and why.
    pub(crate) invalid: Vec<(String, InvalidSchedule)>,
    /// Ends the claim.
    pub(crate) end: EndClaim,
}

pub(crate) type EndClaim = Box<dyn FnOnce(Outcome) -> BoxFuture<Result<(), StoredError>> + Send>;

/// What has become of the tasks of a claim.
pub(crate) enum Outcome {
    /// They were pushed, except for those of some rows, each with the storage's error.
    Pushed(Vec<(usize, String)>),
    /// Others may claim the rows, and push them.
    GivenUp,
}

/// How long a row waits whose task the storage refused.
pub(crate) const REFUSED: Duration = Duration::from_secs(30);

/// An event that is to become a task.
pub(crate) struct ClaimedTask<P> {
    pub(crate) row: usize,
    /// Whether its row has an error, so that the storage may have refused the task before.
    pub(crate) is_retry: bool,
    pub(crate) job: String,
    pub(crate) scheduled: i64,
    /// How long after the claim the storage hands it out, by the database's clock.
    pub(crate) available_in: Duration,
    pub(crate) payload: P,
    pub(crate) max_attempts: Option<usize>,
    pub(crate) priority: Option<usize>,
}

/// Events that do not become tasks.
pub(crate) struct DroppedEvents {
    pub(crate) row: usize,
    pub(crate) job: String,
    pub(crate) skipped: u64,
    pub(crate) expired: u64,
}

/// The settings of all schedules, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimSettings {
    pub(crate) grace: i64,
    pub(crate) ahead: i64,
}

impl ClaimSettings {
    /// Returns how long before they are due rows are looked for. They are claimed up to twice as early, so
    /// that many are claimed together.
    pub(crate) const fn lead(&self) -> i64 {
        self.ahead / 2
    }

    pub(crate) fn new(policies: &Policies) -> Self {
        Self { grace: policies.grace(), ahead: policies.ahead().min(LONGEST) }
    }
}

/// A job of the program.
pub(crate) struct ProgramJob<P> {
    pub(crate) plan: Arc<Plan<P>>,
    pub(crate) timing: Timing,
}

impl<P> ProgramJob<P> {
    pub(crate) fn new(plan: Arc<Plan<P>>, timing: Timing) -> Self {
        let (catch_up, ahead) = (timing.catch_up.min(LONGEST), timing.ahead.min(LONGEST));
        Self { plan, timing: Timing { catch_up, ahead, ..timing } }
    }
}
