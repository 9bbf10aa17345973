//! [`Job`]: a named recurrence with a payload, and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use millicron::{IntervalError, IntoRecurrence, Recurrence};
use millicron_scheduler::Missed;

use crate::error::BuildError;
use crate::events::guarded::{AnyRecurrence, Events};
use crate::events::timing::Timing;

/// The start of intervals that have none: Monday 2000-01-03 00:00:00 UTC. It is the same on all
/// machines, and within the range of time zones.
const INTERVAL_START: i64 = 946_857_600_000;

/// The maximum length of a job's name, in bytes. Storages index the idempotency key, and indices
/// have limits: 2,704 bytes in `PostgreSQL`.
const LONGEST_NAME: usize = 512;

/// A named recurrence whose events become tasks, with its own settings.
///
/// [`SourceBuilder::add`](crate::SourceBuilder::add) adds a job with the settings of its source.
///
/// ```
/// use std::time::Duration;
///
/// use millicron::schedule;
/// use millicron_apalis::{Job, Missed, Source};
///
/// let bill = Job::new("bill", schedule!("*.*.1 4:00:00"), "invoices".to_string())
///     .missed(Missed::All { max: 12 })
///     .catch_up(Duration::from_secs(7 * 24 * 3600));
/// let source = Source::builder().add_job(bill).build()?;
/// # Ok::<(), millicron_apalis::BuildError>(())
/// ```
#[must_use = "a job does nothing until it is added to a source"]
pub struct Job<P> {
    plan: Plan<P>,
    recurrence: Result<AnyRecurrence, IntervalError>,
    policies: Policies,
}

/// The policies of a job, or of a source for jobs that do not override them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) catch_up: Option<Duration>,
    pub(crate) missed: Option<Missed>,
    pub(crate) grace: Option<Duration>,
    pub(crate) ahead: Option<Duration>,
}

/// The window of missed events, unless a job or a source sets another one.
pub(crate) const CATCH_UP: Duration = Duration::from_hours(1);

/// How late an event is on time, unless a job or a source sets another duration.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

impl Policies {
    /// Returns these policies, with those of the source where there are none.
    fn or(&self, source: &Self) -> Self {
        Self {
            catch_up: self.catch_up.or(source.catch_up),
            missed: self.missed.or(source.missed),
            grace: self.grace.or(source.grace),
            ahead: self.ahead.or(source.ahead),
        }
    }

    /// Returns the grace, in milliseconds.
    pub(crate) fn grace(&self) -> i64 {
        millis(self.grace.unwrap_or(GRACE))
    }

    /// Returns how long before its instant an event becomes a task, in milliseconds.
    pub(crate) fn ahead(&self) -> i64 {
        millis(self.ahead.unwrap_or_default())
    }
}

/// What the tasks of a job have in common.
#[derive(Debug)]
pub(crate) struct Plan<P> {
    pub(crate) name: Arc<str>,
    pub(crate) payload: P,
    pub(crate) max_attempts: Option<usize>,
    pub(crate) priority: Option<usize>,
}

impl<P> Job<P> {
    /// Creates a job. Each task contains a clone of the payload.
    ///
    /// The recurrence may be a [`Schedule`](millicron::Schedule), a schedule in a time zone, an
    /// interval, or your own type. All machines must agree on its events: an interval without a
    /// start, such as `every(7).seconds()`, counts from Monday 2000-01-03 00:00:00 UTC.
    pub fn new(
        name: impl Into<String>,
        recurrence: impl IntoRecurrence<Recurrence: Recurrence + Send + Sync + 'static>,
        payload: P,
    ) -> Self {
        let recurrence = recurrence.into_recurrence(INTERVAL_START);
        let recurrence = recurrence.map(|recurrence| Box::new(recurrence) as AnyRecurrence);
        let name = Arc::from(name.into());
        let plan = Plan { name, payload, max_attempts: None, priority: None };
        Self { plan, recurrence, policies: Policies::default() }
    }

    /// Sets how long after its instant an event may still become a task; see
    /// [`SourceBuilder::catch_up`](crate::SourceBuilder::catch_up).
    pub fn catch_up(mut self, window: Duration) -> Self {
        self.policies.catch_up = Some(window);
        self
    }

    /// Sets how to handle missed events; see
    /// [`SourceBuilder::missed`](crate::SourceBuilder::missed).
    pub fn missed(mut self, missed: Missed) -> Self {
        self.policies.missed = Some(missed);
        self
    }

    /// Sets how late an event may be without counting as missed; see
    /// [`SourceBuilder::grace`](crate::SourceBuilder::grace).
    pub fn grace(mut self, grace: Duration) -> Self {
        self.policies.grace = Some(grace);
        self
    }

    /// Sets how long before its instant an event becomes a task; see
    /// [`SourceBuilder::ahead`](crate::SourceBuilder::ahead).
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.policies.ahead = Some(ahead);
        self
    }

    /// Sets the maximum number of attempts for a task. By default, the storage decides; apalis's
    /// storages allow 25. `apalis-redis` always allows 25.
    pub fn max_attempts(mut self, max: usize) -> Self {
        self.plan.max_attempts = Some(max);
        self
    }

    /// Sets the priority of the tasks. Storages that support priorities hand out the highest first;
    /// the default is 0.
    pub fn priority(mut self, priority: usize) -> Self {
        self.plan.priority = Some(priority);
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.plan.name
    }

    /// Checks the job, and returns its tasks and when to push them.
    pub(crate) fn plan(self, source: &Policies) -> Result<(Plan<P>, Timing), BuildError> {
        let Self { plan, recurrence, policies } = self;
        check_name(&plan.name)?;
        let events = recurrence
            .map_err(|error| BuildError::Interval { job: plan.name.to_string(), error })?;
        let policies = policies.or(source);
        let timing = Timing {
            events: Events(events),
            missed: policies.missed.unwrap_or_default(),
            catch_up: millis(policies.catch_up.unwrap_or(CATCH_UP)),
            grace: policies.grace(),
            ahead: policies.ahead(),
        };
        Ok((plan, timing))
    }
}

pub(crate) fn check_name(name: &str) -> Result<(), BuildError> {
    if name.is_empty() {
        Err(BuildError::EmptyName)
    } else if name.len() > LONGEST_NAME {
        Err(BuildError::LongName { length: name.len(), max: LONGEST_NAME })
    } else if name.contains('\0') {
        // Text in PostgreSQL cannot contain it.
        Err(BuildError::NulInName(name.to_string()))
    } else {
        Ok(())
    }
}

/// Returns a duration in whole milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl<P: fmt::Debug> fmt::Debug for Job<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, recurrence: _, policies } = self;
        f.debug_struct("Job")
            .field("plan", plan)
            .field("policies", policies)
            .finish_non_exhaustive()
    }
}
