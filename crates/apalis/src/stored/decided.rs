//! [`Decided`]: decides which events of claimed rows become tasks.

use std::collections::BTreeSet;
use std::time::Duration;

use millicron::Calendars;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::bounded::BoundedSchedule;
use super::claims::{ClaimSettings, ClaimedTask, DroppedEvents, Look, ProgramJob, REFUSED};
use super::error::InvalidSchedule;
use super::reading::Definition;
use super::row::Row;
use super::schedule::{check_bounds, storable};
use crate::events::guarded::Events;
use crate::events::timing::{Decision, NO_HANG, Timing};
use crate::job::millis;
use crate::run::available_from;

/// How long a row waits that this program cannot read, in milliseconds. During a deployment, another program may.
const UNREADABLE: i64 = 300_000;

/// The next event of a row that is to be read.
pub(super) const UNREAD: i64 = 0;

/// The table of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Job,
    Schedule,
    /// A version that a change has ended.
    Retired,
}

/// A job of the program as claimed.
#[derive(Deserialize)]
pub(super) struct JobRow {
    pub(super) id: i64,
    since: i64,
    now: i64,
}

/// The new state of a row.
#[derive(Serialize)]
pub(super) struct Advance {
    #[serde(skip)]
    pub(super) kind: Kind,
    /// When it was claimed, and until when its events were decided before.
    #[serde(skip)]
    claimed: (i64, i64),
    id: i64,
    name: String,
    since: i64,
    /// When to look at it again.
    pub(super) next_at: Option<i64>,
    last_at: Option<i64>,
    /// Until when the events of the version may be tasks, unless that stays as it is.
    claimed_through: Option<i64>,
    /// While there is one, the events that were asked for stay.
    error: Option<String>,
    /// The events that were asked for and become tasks now. Others may be left, or be added during the push.
    triggered: BTreeSet<i64>,
}

impl Advance {
    /// Returns a row whose events are not decided.
    fn new(kind: Kind, (id, name): (i64, &str), claimed: (i64, i64)) -> Self {
        let (_, since) = claimed;
        let name = name.to_owned();
        let (next_at, last_at, claimed_through) = (None, None, None);
        let (error, triggered) = (None, BTreeSet::new());
        Self { kind, claimed, id, name, since, next_at, last_at, claimed_through, error, triggered }
    }

    /// Records that the storage refused a task.
    pub(super) fn refuse(&mut self, error: String) {
        self.fail(error, millis(REFUSED));
    }

    /// Records that the schedule is invalid.
    fn set_aside(&mut self, error: String) {
        self.fail(error, UNREADABLE);
        // Nothing was pushed ahead, so the next version need not begin after that. Another machine that has pushed
        // tasks, but died before it recorded that, could read the row.
        self.claimed_through = Some(self.since);
    }

    /// Has all events decided again after a wait, or after the next change.
    fn fail(&mut self, error: String, wait: i64) {
        let (now, since) = self.claimed;
        self.since = since;
        self.next_at = Some(now.saturating_add(wait));
        self.last_at = None;
        self.error = Some(error);
    }

    /// Records until when events are decided, and when to look for the next one.
    fn decide(&mut self, decision: &Decision, horizon: i64, ahead: i64) {
        self.since = decision.next.map_or(horizon, |next| horizon.min(next - 1));
        // An event of a job's own type may be outside of what a database can store.
        self.next_at = decision.next.map(|next| storable(next.saturating_sub(ahead)));
    }
}

/// The decisions about claimed rows.
pub(super) struct Decided<P> {
    pub(super) rows: Vec<Advance>,
    pub(super) tasks: Vec<ClaimedTask<P>>,
    pub(super) dropped: Vec<DroppedEvents>,
    pub(super) invalid: Vec<(String, InvalidSchedule)>,
    /// About how many tasks there may be.
    most: usize,
    last_push: Option<(i64, i64)>,
}

impl<P> Decided<P> {
    pub(super) fn new(look: Look) -> Self {
        let (rows, tasks, dropped, invalid) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let Look { most, last_push, .. } = look;
        Self { rows, tasks, dropped, invalid, most, last_push }
    }

    /// Returns how many events of the next row may become tasks.
    fn room(&self) -> usize {
        self.most.saturating_sub(self.tasks.len()).max(1)
    }

    /// Decides about the events of a row until a horizon.
    fn decide_events(
        &mut self,
        name: &str,
        timing: &Timing,
        (since, now): (i64, i64),
        horizon: i64,
    ) -> Decision {
        let most = self.room();
        let hang = self.last_push.filter(|(began, ended)| began - ended > timing.grace);
        let hang = hang.map_or(NO_HANG, |(began, ended)| (now - began, now - ended));
        let decision = timing.decide((since.saturating_add(1), horizon), now, hang, most);
        let Decision { skipped, expired, .. } = decision;
        if skipped > 0 || expired > 0 {
            let row = self.rows.len();
            self.dropped.push(DroppedEvents { row, job: name.to_owned(), skipped, expired });
        }
        decision
    }
}

impl<P: Clone> Decided<P> {
    /// Decides about the events of a job of the program.
    pub(super) fn decide_job(&mut self, row: &JobRow, job: &ProgramJob<P>) {
        let &JobRow { id, since, now } = row;
        let ProgramJob { plan, timing } = job;
        let (name, ahead) = (&*plan.name, timing.ahead);
        let horizon = since.max(now.saturating_add(ahead));
        let decision = self.decide_events(name, timing, (since, now), horizon);
        for scheduled in &decision.tasks {
            self.tasks.push(ClaimedTask {
                row: self.rows.len(),
                // The row of a job has no error.
                is_retry: false,
                job: name.to_owned(),
                scheduled: *scheduled,
                available_in: available_in(*scheduled, now),
                payload: plan.payload.clone(),
                max_attempts: plan.max_attempts,
                priority: plan.priority,
            });
        }
        let mut advance = Advance::new(Kind::Job, (id, name), (now, since));
        advance.decide(&decision, horizon, ahead);
        self.rows.push(advance);
    }
}

impl<P: DeserializeOwned> Decided<P> {
    /// Decides about the events of a stored schedule.
    pub(super) fn decide(
        &mut self,
        kind: Kind,
        row: &Row,
        calendars: &dyn Calendars,
        settings: ClaimSettings,
    ) {
        let mut advance = Advance::new(kind, (row.id, &row.name), (row.now, row.since));
        if let Err(error) = self.add_events(&mut advance, row, calendars, settings) {
            let message = error.to_string();
            // Otherwise, it was reported when it was first read.
            let is_new = row.error.as_ref() != Some(&message);
            advance.set_aside(message);
            // All events are decided again.
            self.dropped.pop_if(|it| it.row == self.rows.len());
            if kind == Kind::Retired && row.has_expired() {
                advance.next_at = None;
            }
            if is_new {
                self.invalid.push((advance.name.clone(), error));
            }
        }
        self.rows.push(advance);
    }

    fn add_events(
        &mut self,
        advance: &mut Advance,
        row: &Row,
        calendars: &dyn Calendars,
        settings: ClaimSettings,
    ) -> Result<(), InvalidSchedule> {
        row.check_texts()?;
        let triggered = row.triggered()?;
        let mut events: BTreeSet<_> = triggered.iter().copied().take(self.room()).collect();
        advance.triggered.clone_from(&events);
        let payload = row.payload()?;
        let timing = row.timing(advance.kind, calendars, settings)?;
        let horizon = row.horizon(advance.kind, settings.ahead);
        if !row.paused {
            let decision = self.decide_events(&row.name, &timing, (row.since, row.now), horizon);
            advance.decide(&decision, horizon, 0);
            events.extend(decision.tasks);
        }
        if advance.triggered.len() < triggered.len() {
            advance.next_at = Some(UNREAD);
        }
        advance.last_at = events.last().copied();
        // Each task owns its payload.
        let mut payloads = vec![payload; events.len()];
        for scheduled in events {
            let payload = serde_json::from_value(payloads.pop().unwrap_or_default())
                .map_err(|error| InvalidSchedule::Payload(error.to_string()))?;
            self.tasks.push(ClaimedTask {
                row: self.rows.len(),
                is_retry: row.error.is_some(),
                job: row.name.clone(),
                scheduled,
                available_in: available_in(scheduled, row.now),
                payload,
                max_attempts: None,
                priority: None,
            });
        }
        Ok(())
    }
}

/// Returns the time until the storage hands out the task of an event; zero if it does already.
fn available_in(scheduled: i64, now: i64) -> Duration {
    let wait = available_from(scheduled).saturating_sub(now);
    Duration::from_millis(u64::try_from(wait).unwrap_or_default())
}

impl Row {
    /// Whether it is too late for all events of a version that has ended, and that cannot be read. Runs that were
    /// asked for have no limit as long as the version can be read, but otherwise it would be read again forever.
    fn has_expired(&self) -> bool {
        let last_triggered = self.triggered().ok().and_then(|events| events.last().copied());
        let last = self.ends_at.max(last_triggered).unwrap_or_default();
        last.saturating_add(self.catch_up) < self.now
    }

    /// Returns until when events may become tasks now.
    fn horizon(&self, kind: Kind, ahead: i64) -> i64 {
        if kind == Kind::Retired {
            // All events of an old version are due, or were about to be pushed ahead.
            return storable(i64::MAX);
        }
        let horizon = self.now.saturating_add(ahead);
        let known = self.claimed_through.unwrap_or(i64::MAX).max(self.now);
        self.since.max(horizon.min(known))
    }

    /// Reads the schedule.
    fn timing(
        &self,
        kind: Kind,
        calendars: &dyn Calendars,
        settings: ClaimSettings,
    ) -> Result<Timing, InvalidSchedule> {
        let Self { schedule, dialect, zone, starts_at, ends_at, .. } = self;
        if kind != Kind::Retired {
            check_bounds(*starts_at, *ends_at)?;
        }
        let (dialect, zone, names) = (dialect.as_deref(), zone.as_deref(), self.calendars()?);
        let definition = Definition { schedule, dialect, zone, calendars: &names };
        let schedule = definition.read(calendars)?;
        Ok(Timing {
            events: Events(Box::new(BoundedSchedule::new(schedule, *starts_at, *ends_at))),
            missed: self.missed()?,
            catch_up: self.catch_up,
            grace: settings.grace,
            ahead: settings.ahead,
        })
    }
}
