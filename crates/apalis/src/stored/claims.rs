//! [`Claims`]: takes rows that are due, and what becomes of their events.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Recurrence, ZonedSchedule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::database::{Held, Table};
use super::error::{InvalidSchedule, StoredError};
use super::reading::Definition;
use super::schedule::missed;
use super::schedules::{Schedules, one};
use crate::events::guarded::Events;
use crate::events::timing::{Decision, Timing};
use crate::job::Policies;

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The number of rows to claim together, and about the number of tasks to push together.
const BATCH: usize = 1000;

/// How long rows are claimed in a database that cannot hold them in a transaction, in milliseconds.
const LEASE: u64 = 10_000;

/// How long a row waits whose task the storage refused, in milliseconds.
const REFUSED: i64 = 30_000;

/// The claims of a machine on the schedules in a database.
pub(crate) trait Claims<P>: Send + Sync {
    /// Claims rows that are due. Unless it is `certain` that there are some, looks first.
    fn claim(self: Arc<Self>, certain: bool) -> BoxFuture<Result<Claimed<P>, StoredError>>;

    /// Calls a function after each change of schedules, until the connection is lost.
    fn listen(self: Arc<Self>, on_change: ChangeObserver) -> BoxFuture<Result<(), StoredError>>;
}

pub(crate) type ChangeObserver = Box<dyn Fn() + Send>;

/// The result of an attempt to claim rows.
pub(crate) enum Claimed<P> {
    /// No row is due, or others have claimed those that are.
    Nothing {
        /// The time until the next row is due.
        wait: Option<Duration>,
        /// Whether others have claimed rows that are due.
        is_contended: bool,
    },
    Rows(Claim<P>),
}

/// Rows that others cannot claim, and their events.
pub(crate) struct Claim<P> {
    pub(crate) tasks: Vec<ClaimedTask<P>>,
    pub(crate) dropped: Vec<DroppedEvents>,
    /// The names of the schedules that cannot be read, and why.
    pub(crate) invalid: Vec<(String, InvalidSchedule)>,
    /// Stores what has become of the rows, after the tasks were pushed.
    pub(crate) commit: Commit,
}

/// Takes the rows of tasks that the storage refused, each with the error.
pub(crate) type Commit =
    Box<dyn FnOnce(Vec<(usize, String)>) -> BoxFuture<Result<(), StoredError>> + Send>;

/// An event that is to become a task.
pub(crate) struct ClaimedTask<P> {
    pub(crate) row: usize,
    pub(crate) job: String,
    pub(crate) scheduled: i64,
    pub(crate) payload: P,
}

/// Events that do not become tasks.
pub(crate) struct DroppedEvents {
    pub(crate) job: String,
    pub(crate) skipped: u64,
    pub(crate) expired: u64,
}

/// The claims on a table of schedules.
pub(crate) struct TableClaims<DB: Table> {
    pub(crate) schedules: Schedules<DB>,
    pub(crate) settings: ClaimSettings,
}

/// The settings of all schedules, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimSettings {
    pub(crate) grace: i64,
    pub(crate) ahead: i64,
}

impl ClaimSettings {
    pub(crate) fn new(policies: &Policies) -> Self {
        Self { grace: policies.grace(), ahead: policies.ahead() }
    }
}

/// A row as claimed. Instants and durations are in milliseconds.
#[derive(Deserialize)]
struct Row {
    /// Only of retired versions.
    #[serde(default)]
    id: Option<i64>,
    name: String,
    schedule: String,
    dialect: Option<String>,
    zone: Option<String>,
    calendars: Vec<String>,
    payload: Value,
    paused: bool,
    missed: String,
    catch_up: i64,
    starts_at: Option<i64>,
    ends_at: Option<i64>,
    /// Earlier events are decided.
    since: i64,
    /// Events that were asked for.
    triggered: Option<BTreeSet<i64>>,
    /// When it was claimed, by the database's clock.
    now: i64,
}

/// What becomes of a row.
#[derive(Serialize)]
struct Advance {
    /// When it was claimed, and until when its events were decided before.
    #[serde(skip)]
    claimed: (i64, i64),
    id: Option<i64>,
    name: String,
    since: i64,
    next_at: Option<i64>,
    last_at: Option<i64>,
    error: Option<String>,
    /// The last event of those that were asked for.
    triggered: Option<i64>,
}

#[derive(Deserialize)]
struct Peeked {
    /// By the database's clock.
    now: f64,
    next: Option<f64>,
    is_due: bool,
}

impl<P: DeserializeOwned + Send + 'static, DB: Table> Claims<P> for TableClaims<DB> {
    fn claim(self: Arc<Self>, certain: bool) -> BoxFuture<Result<Claimed<P>, StoredError>> {
        Box::pin(async move {
            if !certain {
                let peeked = self.peek().await?;
                if !peeked.is_due {
                    return Ok(self.nothing(&peeked));
                }
            }
            match self.claim_rows(!certain).await? {
                Some(claim) => Ok(Claimed::Rows(claim)),
                None => Ok(self.nothing(&self.peek().await?)),
            }
        })
    }

    fn listen(self: Arc<Self>, on_change: ChangeObserver) -> BoxFuture<Result<(), StoredError>> {
        Box::pin(async move {
            let schedules = &self.schedules;
            Ok(DB::listen(schedules.pool(), schedules.channel(), on_change).await?)
        })
    }
}

impl<DB: Table> TableClaims<DB> {
    /// How long before they are due rows are looked for. They are claimed up to twice as early, so that
    /// many are claimed together.
    const fn lead(&self) -> i64 {
        self.settings.ahead / 2
    }

    async fn peek(&self) -> Result<Peeked, StoredError> {
        let schedules = &self.schedules;
        let mut connection = schedules.pool().acquire().await?;
        let input = json!({ "ahead": self.lead() });
        let rows = schedules.fetch(&mut connection, DB::STATEMENTS.peek, &input).await?;
        Ok(one(&rows)?)
    }

    fn nothing<P>(&self, peeked: &Peeked) -> Claimed<P> {
        #[expect(clippy::cast_precision_loss, reason = "a duration in milliseconds")]
        let wait = peeked.next.map(|next| next - self.lead() as f64 - peeked.now);
        let wait = wait.map(|wait| Duration::try_from_secs_f64(wait / 1e3).unwrap_or_default());
        Claimed::Nothing { wait, is_contended: peeked.is_due }
    }

    async fn claim_rows<P: DeserializeOwned>(
        &self,
        with_retired: bool,
    ) -> Result<Option<Claim<P>>, StoredError> {
        let Self { schedules, settings } = self;
        let mut held = DB::hold(schedules.pool()).await?;
        let id = format!("{:016x}", RandomState::new().build_hasher().finish());
        let input = json!({ "ahead": settings.ahead, "limit": BATCH, "claim": id, "lease": LEASE });
        let mut rows = Vec::new();
        if with_retired {
            rows = schedules.fetch(held.connection(), DB::STATEMENTS.claim_retired, &input).await?;
        }
        rows.extend(schedules.fetch(held.connection(), DB::STATEMENTS.claim, &input).await?);
        if rows.is_empty() {
            held.commit().await?;
            return Ok(None);
        }
        let mut decided = Decided::default();
        for row in &rows {
            decided.decide(serde_json::from_str(row)?, schedules, *settings);
        }
        let Decided { rows, tasks, dropped, invalid } = decided;
        let schedules = schedules.clone();
        let commit: Commit = Box::new(|refused| {
            Box::pin(async move { commit(held, &schedules, &id, rows, refused).await })
        });
        Ok(Some(Claim { tasks, dropped, invalid, commit }))
    }
}

/// What becomes of claimed rows.
struct Decided<P> {
    rows: Vec<Advance>,
    tasks: Vec<ClaimedTask<P>>,
    dropped: Vec<DroppedEvents>,
    invalid: Vec<(String, InvalidSchedule)>,
}

impl<P> Default for Decided<P> {
    fn default() -> Self {
        let (tasks, invalid) = (Vec::new(), Vec::new());
        Self { rows: Vec::new(), tasks, dropped: Vec::new(), invalid }
    }
}

impl<P: DeserializeOwned> Decided<P> {
    fn decide<DB: Table>(&mut self, row: Row, schedules: &Schedules<DB>, settings: ClaimSettings) {
        let (id, name, since) = (row.id, row.name.clone(), row.since);
        let triggered = row.triggered.as_ref().and_then(BTreeSet::last).copied();
        let claimed = (row.now, since);
        let (next_at, last_at, error) = (None, None, None);
        let advance = Advance { claimed, id, name, since, next_at, last_at, error, triggered };
        let advance = match self.add_events(row, schedules, settings) {
            Ok((since, next_at, last_at)) => Advance { since, next_at, last_at, ..advance },
            Err(error) => {
                let message = error.to_string();
                self.invalid.push((advance.name.clone(), error));
                Advance { error: Some(message), ..advance }
            }
        };
        self.rows.push(advance);
    }

    /// Adds the tasks of a row. Returns until when its events are decided, its next event, and the last
    /// one that becomes a task.
    fn add_events<DB: Table>(
        &mut self,
        row: Row,
        schedules: &Schedules<DB>,
        settings: ClaimSettings,
    ) -> Result<(i64, Option<i64>, Option<i64>), InvalidSchedule> {
        let timing = timing(&row, schedules, settings)?;
        let horizon = row.since.max(row.now.saturating_add(settings.ahead));
        let mut events = row.triggered.unwrap_or_default();
        let (mut since, mut next_at) = (row.since, None);
        if !row.paused {
            let most = BATCH.saturating_sub(self.tasks.len()).max(1);
            let first = row.since.saturating_add(1);
            let Decision { tasks, next, skipped, expired } =
                timing.decide(first, horizon, row.now, most);
            since = next.map_or(horizon, |next| horizon.min(next - 1));
            next_at = next;
            if skipped > 0 || expired > 0 {
                self.dropped.push(DroppedEvents { job: row.name.clone(), skipped, expired });
            }
            events.extend(tasks);
        }
        let last_at = events.last().copied();
        if !events.is_empty() {
            // Each task owns its payload.
            let mut payloads = vec![row.payload; events.len()];
            for scheduled in events {
                let payload = serde_json::from_value(payloads.pop().unwrap_or_default())
                    .map_err(|error| InvalidSchedule::Payload(error.to_string()))?;
                let (index, job) = (self.rows.len(), row.name.clone());
                self.tasks.push(ClaimedTask { row: index, job, scheduled, payload });
            }
        }
        Ok((since, next_at, last_at))
    }
}

/// Reads the schedule of a row.
fn timing<DB: Table>(
    row: &Row,
    schedules: &Schedules<DB>,
    settings: ClaimSettings,
) -> Result<Timing, InvalidSchedule> {
    let Row { schedule, dialect, zone, calendars, .. } = row;
    let (dialect, zone) = (dialect.as_deref(), zone.as_deref());
    let definition = Definition { schedule, dialect, zone, calendars };
    let schedule = definition.read(&**schedules.calendars())?;
    let first = row.starts_at.unwrap_or(i64::MIN);
    let bounded = Bounded { schedule, first, last: row.ends_at.unwrap_or(i64::MAX) };
    Ok(Timing {
        events: Events(Box::new(bounded)),
        missed: missed::parse(&row.missed)?,
        catch_up: row.catch_up,
        grace: settings.grace,
        ahead: settings.ahead,
    })
}

/// Stores what has become of rows, and gives them back.
async fn commit<DB: Table>(
    mut held: Held<DB>,
    schedules: &Schedules<DB>,
    id: &str,
    mut rows: Vec<Advance>,
    refused: Vec<(usize, String)>,
) -> Result<(), StoredError> {
    for (row, error) in refused {
        // Its events are decided again.
        let row = &mut rows[row];
        let (now, since) = row.claimed;
        row.since = since;
        row.next_at = Some(now.saturating_add(REFUSED));
        row.last_at = None;
        row.error = Some(error);
    }
    let (retired, current): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.id.is_some());
    let (unfinished, finished): (Vec<_>, Vec<_>) =
        retired.into_iter().partition(|row| row.next_at.is_some());
    let statements = DB::STATEMENTS;
    for (rows, sql) in [
        (current, statements.advance),
        (unfinished, statements.advance_retired),
        (finished, statements.delete_retired),
    ] {
        if !rows.is_empty() {
            let input = json!({ "claim": id, "rows": rows });
            schedules.fetch(held.connection(), sql, &input).await?;
        }
    }
    Ok(held.commit().await?)
}

/// The events of a schedule between two instants, both included.
struct Bounded {
    schedule: ZonedSchedule<TimeZone>,
    first: i64,
    last: i64,
}

impl Recurrence for Bounded {
    fn next_event(&self, instant: i64) -> Option<i64> {
        let next = self.schedule.next_event(instant.max(self.first.saturating_sub(1)));
        next.filter(|event| *event <= self.last)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let event = self.schedule.nearest_prev_event(instant.min(self.last));
        event.filter(|event| *event >= self.first)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        self.schedule.count(start.max(self.first)..=end.min(self.last))
    }

    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        let event = self.schedule.nth_prev_event(instant.min(self.last), skipped);
        event.filter(|event| *event >= self.first)
    }
}
