//! [`Entry`]: a job in the core.

use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use super::SMALL_SET_BACK;
use super::once::{JobState, OnceHeader, OnceJob};
use super::pending::{Pending, RetryOf};
use crate::job::{BoxedCall, EventSource, Job, OnceCall, Policy, Work, part_of};
use crate::run::{JobName, Outcome, RunContext, RunId};
use crate::time::{Nanos, Now, Timeline};

/// A reference to a job in the table.
pub(crate) enum Entry<'a> {
    /// A one-shot job without a name or policies.
    Once(&'a mut OnceHeader),
    /// Any other job.
    Other(&'a mut JobEntry),
}

/// The events of a waiting job that have passed.
#[derive(Default)]
pub(super) struct Passed {
    /// The first of them.
    pub(super) events: Vec<Nanos>,
    /// How many others there are.
    pub(super) unlisted: u64,
    /// The event that follows.
    pub(super) next: Option<Nanos>,
}

/// A job that was removed from the table.
pub(crate) enum Removed {
    Once(OnceHeader, BoxedCall),
    Other(Box<JobEntry>),
}

impl Removed {
    /// Returns the number of the job.
    pub(super) const fn serial(&self) -> u64 {
        match self {
            Self::Once(header, _) => header.serial(),
            Self::Other(details) => details.serial,
        }
    }
}

/// A job as a table stores it.
pub(crate) trait Value: Send + 'static {
    /// Returns the number of the job.
    fn serial(&self) -> u64;

    /// Returns a reference to the job that hides its type.
    fn entry(&mut self) -> Entry<'_>;

    /// Converts a job that is being removed.
    fn remove(self) -> Removed;
}

/// The details of a job that has a name, policies or a recurrence.
#[derive(Default)]
pub(crate) struct JobEntry {
    pub(super) serial: u64,
    pub(super) state: JobState,
    pub(super) timeline: Timeline,
    /// The event that the job waits for, or waited for last.
    pub(super) scheduled: Nanos,
    pub(super) work: Work,
    pub(super) name: Option<Arc<str>>,
    /// `None` means the default, which most jobs have.
    pub(super) policy: Option<Box<Policy>>,
    /// The delay of each run because of jitter, in nanoseconds.
    delay: i64,
    pub(super) source: Option<Arc<EventSource>>,
    /// The number of runs that may still start, if it is limited.
    pub(super) runs_left: Option<u64>,
    /// Usually `None` while the job has no runs, which is most of the time.
    pub(super) runs: Option<Box<JobRuns>>,
    /// The latest instant of an event that ran.
    pub(super) latest: Option<Nanos>,
    /// The latest instant of a triggered run, or the earliest of all instants if none was triggered.
    latest_trigger: Nanos,
    pub(super) counts: Counts,
    /// The scheduled instant of the run that started last, and when it started.
    pub(super) last_start: Option<(Nanos, Nanos)>,
    /// When a run last ended.
    pub(super) last_end: Option<Nanos>,
    /// How it ended, unless it succeeded.
    pub(super) last_failure: Option<Box<Outcome>>,
    /// Whether a run has failed before. Only the first failure is written to standard error.
    pub(super) is_failure_reported: bool,
}

/// The runs of a job that have not ended.
#[derive(Default)]
pub(super) struct JobRuns {
    /// The number of runs that are ready, in progress or waiting for a retry.
    pub(super) active: usize,
    /// The runs in progress.
    pub(super) running: Vec<RunId>,
    /// The runs that are ready or wait for an active run to finish.
    pub(super) pending: Pending,
    /// The runs that are retried later.
    pub(super) retries: Vec<RetryOf>,
}

/// Counts for each job.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Not counting retries.
    pub(super) runs: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
}

impl<'a> Entry<'a> {
    /// Returns the details, if the job has any.
    pub(super) const fn into_details(self) -> Option<&'a mut JobEntry> {
        match self {
            Self::Once(_) => None,
            Self::Other(details) => Some(details),
        }
    }

    pub(super) const fn details(&self) -> Option<&JobEntry> {
        match self {
            Self::Once(_) => None,
            Self::Other(details) => Some(details),
        }
    }

    pub(super) fn name(&self) -> JobName {
        match self {
            Self::Once(header) => JobName::Number(header.serial()),
            Self::Other(details) => details.job_name(),
        }
    }

    pub(super) const fn state(&self) -> JobState {
        match self {
            Self::Once(header) => header.state(),
            Self::Other(details) => details.state,
        }
    }

    pub(super) const fn set_state(&mut self, state: JobState) {
        match self {
            Self::Once(header) => header.set_state(state),
            Self::Other(details) => details.state = state,
        }
    }

    pub(super) fn timeline(&self) -> Timeline {
        self.details().map_or(Timeline::Clock, |details| details.timeline)
    }

    /// Returns the event that the job waits for, or waited for last.
    pub(super) const fn scheduled(&self) -> Nanos {
        match self {
            Self::Once(header) => header.due,
            Self::Other(details) => details.scheduled,
        }
    }

    /// Returns when the event that the job waits for is due on its timeline.
    pub(super) const fn due(&self) -> Nanos {
        match self {
            Self::Once(header) => header.due,
            Self::Other(details) => details.due(),
        }
    }

    /// Lets the job wait for an event.
    pub(super) fn wait_for(&mut self, scheduled: Nanos) {
        self.set_scheduled(scheduled);
        self.set_state(JobState::Waiting);
    }

    /// Returns the events up to now that a waiting job has not handled, and the event that follows. Lists at most
    /// `most`. Jitter may delay the runs of passed events, and the timer may be late.
    pub(super) fn passed(&self, now: Nanos, most: usize) -> Passed {
        let scheduled = self.scheduled();
        match self.state() {
            JobState::Idle => return Passed::default(),
            JobState::Paused => return Passed { next: Some(scheduled), ..Passed::default() },
            JobState::Waiting => {}
        }
        let details = self.details();
        let left = details.and_then(JobEntry::events_left).unwrap_or(u64::MAX);
        let mut all = successors(Some(scheduled), |event| details?.next(*event))
            .take(usize::try_from(left).unwrap_or(usize::MAX))
            .peekable();
        let mut events = Vec::new();
        while events.len() < most
            && let Some(event) = all.next_if(|event| *event <= now)
        {
            events.push(event);
        }
        let (mut unlisted, mut next) = (0, all.next());
        if let (Some(details), Some(last)) = (details, events.last())
            && next.is_some_and(|next| next <= now)
        {
            let left = left.saturating_sub(events.len() as u64);
            unlisted = details.count(*last, now).min(left);
            next = details.next(now).filter(|_| unlisted < left);
        }
        Passed { events, unlisted, next }
    }

    /// Sets the event that the job waits for.
    pub(super) const fn set_scheduled(&mut self, scheduled: Nanos) {
        match self {
            Self::Once(header) => header.due = scheduled,
            Self::Other(details) => details.scheduled = scheduled,
        }
    }

    /// Whether the job waits for an instant on the given queue's timeline.
    pub(super) fn wants(&self, due: i64, is_elapsed: bool) -> bool {
        if self.state() != JobState::Waiting {
            return false;
        }
        match self.details() {
            None => !is_elapsed && self.scheduled().0 == due,
            Some(details) => match details.timeline {
                Timeline::Clock => !is_elapsed && details.due().0 == due,
                Timeline::Elapsed { ahead } => {
                    is_elapsed && details.due().0.saturating_sub(ahead) == due
                }
            },
        }
    }
}

impl<F: OnceCall> Value for OnceJob<F> {
    fn serial(&self) -> u64 {
        self.header.serial()
    }

    fn entry(&mut self) -> Entry<'_> {
        Entry::Once(&mut self.header)
    }

    fn remove(self) -> Removed {
        Removed::Once(self.header, Box::new(self.call))
    }
}

impl Value for Box<JobEntry> {
    fn serial(&self) -> u64 {
        self.serial
    }

    fn entry(&mut self) -> Entry<'_> {
        Entry::Other(self)
    }

    fn remove(self) -> Removed {
        Removed::Other(self)
    }
}

/// Whether an instant has passed, or is later than now only because of a small correction of the clock.
pub(super) fn is_within_correction(instant: Nanos, now: Nanos) -> bool {
    instant <= now.after(SMALL_SET_BACK)
}

impl JobEntry {
    /// Returns the wait until the next attempt if a run fails now, or `None` if no attempt follows. Ignores
    /// whether the run was cancelled.
    pub(super) fn retry_after(&self, run: &RunContext, now: Now) -> Option<Duration> {
        let retry = self.policy().retry.filter(|_| matches!(self.work, Work::Repeat(_)))?;
        let wait = retry.wait(run)?;
        let is_next_event_first =
            || self.state == JobState::Waiting && self.due() < now.on(self.timeline).after(wait);
        let is_next_event_due = || self.latest > Some(run.scheduled);
        if retry.ends_at_next_event && (is_next_event_due() || is_next_event_first()) {
            return None;
        }
        // There are no attempts beyond the range of instants.
        (now.elapsed.after(wait) < Nanos(i64::MAX)).then_some(wait)
    }

    pub(super) fn policy(&self) -> &Policy {
        Policy::or_default(self.policy.as_deref())
    }

    pub(super) fn job_name(&self) -> JobName {
        match self.name.clone() {
            name if self.policy().is_internal => JobName::Internal(name),
            None => JobName::Number(self.serial),
            Some(name) => JobName::Given(name),
        }
    }

    pub(super) fn new(serial: u64, job: Job, source: Option<Arc<EventSource>>) -> Self {
        let given = job.policy();
        let Nanos(delay) = part_of(given.jitter, job.name.as_deref().unwrap_or_default()).into();
        let runs_left = given.most_runs;
        let Job { work, name, policy } = job;
        let latest_trigger = Nanos(i64::MIN);
        Self {
            serial,
            work,
            name,
            policy,
            delay,
            source,
            runs_left,
            latest_trigger,
            ..Self::default()
        }
    }

    pub(super) const fn due(&self) -> Nanos {
        self.due_of(self.scheduled)
    }

    /// Returns when an event is due.
    pub(super) const fn due_of(&self, scheduled: Nanos) -> Nanos {
        Nanos(scheduled.0.saturating_add(self.delay))
    }

    /// Returns the instant of an event that is due at `due`.
    pub(super) const fn scheduled_of(&self, due: Nanos) -> Nanos {
        Nanos(due.0.saturating_sub(self.delay))
    }

    /// Returns the delay of each run because of jitter.
    pub(super) const fn delay(&self) -> Duration {
        Duration::from_nanos(self.delay.unsigned_abs())
    }

    /// Returns the first event after an instant that the job may run.
    pub(super) fn next(&self, after: Nanos) -> Option<Nanos> {
        let source = self.source.as_ref().filter(|_| self.runs_left != Some(0))?;
        self.policy().next(source, after)
    }

    /// Returns the latest event that ran. After a small correction of the clock, it does not run again. If the
    /// clock was set back further, events may run again.
    pub(super) fn latest_by(&self, now: Nanos) -> Option<Nanos> {
        self.latest.filter(|latest| is_within_correction(*latest, now))
    }

    /// Like [`latest_by`](Self::latest_by), for other jobs. The instants of intervals may differ from the clock, and mean
    /// nothing to these.
    pub(super) fn latest_on_clock(&self, now: Nanos) -> Option<Nanos> {
        self.latest_by(now).filter(|_| self.timeline == Timeline::Clock)
    }

    /// Converts the latest event that ran to the clock as it is now set, since another recurrence takes over. Otherwise,
    /// the events of the new recurrence would be taken for earlier ones until the clock catches up.
    pub(super) fn convert_latest(&mut self, now: Now) {
        // An interval is ahead of a clock that was set back.
        let ahead = now.on(self.timeline).since(now.clock);
        self.latest = self.latest.map(|latest| latest.before(ahead));
        self.latest = self.latest_by(now.clock);
    }

    /// Returns the last event at or before an instant that the job may run.
    pub(super) fn last_until(&self, until: Nanos) -> Option<Nanos> {
        let until = self.policy().ending.map_or(until, |last| until.min(last));
        self.source.as_ref()?.last(until)
    }

    /// Returns the number of events after one instant, up to and including another, that the job may run.
    fn count(&self, after: Nanos, until: Nanos) -> u64 {
        let (source, last) = (self.source.as_ref(), self.last_until(until));
        source.zip(last).map_or(0, |(source, last)| source.count(after, last))
    }

    /// Returns the number of events that may still run, apart from those that wait already, if it is
    /// limited.
    pub(super) fn events_left(&self) -> Option<u64> {
        Some(self.runs_left?.saturating_sub(self.waiting_runs()))
    }

    /// Returns the number of events that wait for an active run to finish.
    pub(super) fn waiting_runs(&self) -> u64 {
        self.runs.as_ref().map_or(0, |runs| runs.pending.waiting())
    }

    /// Removes a run from the runs in progress.
    pub(super) fn forget_run(&mut self, id: RunId) {
        if let Some(runs) = &mut self.runs {
            runs.running.retain(|running| *running != id);
        }
    }

    /// Returns whether the job has nothing left to do.
    pub(super) fn is_done(&self) -> bool {
        self.state == JobState::Idle && self.runs.as_ref().is_none_or(|runs| runs.is_empty())
    }

    pub(super) fn has_retries(&self) -> bool {
        self.runs.as_ref().is_some_and(|runs| !runs.retries.is_empty())
    }

    /// Takes the runs if all have ended and no user's value is left among them.
    pub(super) fn take_ended_runs(&mut self) -> Option<Box<JobRuns>> {
        self.runs.take_if(|runs| runs.is_empty() && runs.pending.unused.is_empty())
    }

    /// Returns whether the job has a recurrence. If not, it runs once.
    pub(super) const fn is_recurring(&self) -> bool {
        self.source.is_some()
    }

    /// Returns the instant for a triggered run: now, or later if an earlier triggered run or an event has
    /// that instant.
    pub(super) fn trigger_instant(&mut self, now: Nanos) -> Nanos {
        let mut instant = now.between_events();
        if self.latest_trigger >= instant {
            instant = self.latest_trigger.next_between_events();
        }
        self.latest_trigger = instant;
        instant
    }
}

impl JobRuns {
    /// Returns whether all runs have ended.
    fn is_empty(&self) -> bool {
        self.active == 0 && self.running.is_empty() && self.pending.is_empty()
    }

    /// Gives back all memory except what one run needs.
    pub(super) fn shrink(&mut self) {
        // The capacity that a vector has after the first.
        self.running.shrink_to(4);
        self.retries.shrink_to_fit();
        self.pending.shrink();
    }
}
