//! [`Row`]: a stored schedule, and what it means.

use std::sync::Arc;

use millicron::Recurrence as _;
use millicron_apalis::stored::{
    BoundedSchedule, InvalidSchedule, Schedules, StoredSchedule, Table,
};

use crate::recorded::set_runs;
use crate::source::{Job, JobState, Pattern, Run, RunState};

/// How long after its instant an event usually becomes a task, at most, in milliseconds: the claims of a machine that
/// has died expire after ten seconds.
const OVERDUE_AFTER: i64 = 30_000;

/// What is said of an error that another program has found, for example in the payload.
const REPORTED: &str = "a worker has reported an error, which is in the table of schedules: it is not shown here, \
    since it may contain the payload";

/// A stored schedule, and what it means.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Without its payload.
    schedule: StoredSchedule,
    job: Job,
    /// Why the schedule has no events, if they are not paused.
    problem: Option<String>,
    /// The last run that the history has, which may be in progress.
    recorded: Option<i64>,
    /// Whether the history was asked.
    was_asked: bool,
}

impl Row {
    /// Reads the schedule.
    pub(super) fn read<DB: Table>(
        schedules: &Schedules<DB>,
        mut schedule: StoredSchedule,
        now: i64,
    ) -> Self {
        schedule.payload.take();
        let mut job = Job::new(schedule.name.clone());
        job.schedule.clone_from(&schedule.schedule);
        job.tags.clone_from(&schedule.tags);
        let read = schedules.read(&schedule);
        let description = schedule.describe(schedules.calendars());
        let problem = match read.as_ref().and(description.as_ref()) {
            Ok(description) => {
                job.description.clone_from(description);
                schedule.error.as_ref().map(|_| REPORTED.to_owned())
            }
            Err(error) => {
                let problem = match error {
                    InvalidSchedule::Text(error) => error.plain().to_string(),
                    error => error.to_string(),
                };
                job.description = format!("It has no events: {problem}");
                Some(problem)
            }
        };
        job.zone = match &read {
            Ok(read) => read.unbounded().zone().iana_name().map(str::to_owned),
            Err(_) => schedule.zone.clone(),
        };
        job.zone.take_if(|zone| *zone == "UTC");
        job.next = match read {
            // The database may not know the next event yet.
            Ok(read) if !schedule.paused => schedule.next_at.or_else(|| read.next_event(now)),
            _ => None,
        };
        let mut row = Self { schedule, job, problem, recorded: None, was_asked: false };
        row.set_state();
        row
    }

    /// Returns the row after a change.
    pub(super) fn updated<DB: Table>(
        mut self,
        schedules: &Schedules<DB>,
        schedule: StoredSchedule,
        now: i64,
    ) -> Self {
        // Without workers, the database does not know the next event.
        let has_passed = schedule.next_at.is_none() && self.job.next.is_some_and(|it| it <= now);
        if self.schedule == schedule && !has_passed {
            return self;
        }
        let has_next = self.job.next.is_some() && schedule.next_at.is_some();
        if has_next && self.is_same_definition(&schedule) {
            // Most changes are events, after which the text need not be read again.
            self.job.next = schedule.next_at;
            self.schedule = schedule;
            self.set_state();
            return self;
        }
        let Self { recorded, was_asked, job, .. } = self;
        let mut row = Self { recorded, was_asked, ..Self::read(schedules, schedule, now) };
        (row.job.last, row.job.outcomes, row.job.running) = (job.last, job.outcomes, job.running);
        row.set_last();
        row
    }

    /// Whether another version of the row means the same, except when its next event is.
    fn is_same_definition(&self, other: &StoredSchedule) -> bool {
        let mut other = other.clone();
        let StoredSchedule { version, next_at, last_at, .. } = self.schedule;
        (other.version, other.next_at, other.last_at) = (version, next_at, last_at);
        other == self.schedule
    }

    fn set_state(&mut self) {
        self.job.state = match self.job.next {
            _ if self.schedule.paused => JobState::Paused,
            None => JobState::Ended,
            Some(_) => JobState::Waiting,
        };
        let next_at = self.job.next.and(self.schedule.next_at);
        self.job.overdue_at = next_at.map(|next| next.saturating_add(OVERDUE_AFTER));
        self.set_last();
    }

    /// Whether the history may have runs that are not known yet.
    pub(super) fn wants_runs(&self) -> bool {
        !self.was_asked || self.job.running > 0 || self.queued().is_some()
    }

    /// Sets the last recorded runs, of which the latest is first, and those in progress.
    pub(super) fn set_runs(&mut self, recorded: &[Run], in_progress: &[Run]) {
        set_runs(&mut self.job, recorded, in_progress);
        (self.was_asked, self.recorded) = (true, self.job.last.as_ref().map(|run| run.id));
        self.set_last();
    }

    /// Sets the last event if it has not been recorded as a run.
    fn set_last(&mut self) {
        if let Some(queued) = self.queued() {
            self.job.last = Some(queued);
        }
    }

    /// Returns the last event as a run, if it is a task and is not known to have ended.
    pub(super) fn queued(&self) -> Option<Run> {
        let last =
            self.schedule.last_at.filter(|last| self.recorded.is_none_or(|it| it < *last))?;
        Some(Run { state: RunState::Queued, ..Run::new(last, last) })
    }

    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    pub(super) const fn job(&self) -> &Job {
        &self.job
    }

    pub(super) fn into_job(self) -> Job {
        self.job
    }
}

/// Returns when a schedule has events.
pub(super) fn pattern(read: BoundedSchedule) -> Pattern {
    if read.is_bounded() {
        Pattern::Other(Arc::new(read))
    } else {
        Pattern::Schedule(read.unbounded().clone())
    }
}

/// Says why a schedule is invalid, and where.
pub(super) fn message(error: &InvalidSchedule) -> String {
    match error {
        InvalidSchedule::Text(error) => format!("{:#}", error.plain()),
        error => error.to_string(),
    }
}
