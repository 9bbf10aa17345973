//! [`TableClaims`]: takes rows that are due, and says what has become of them.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::access::Access;
use super::claims::{
    BoxFuture, ChangeObserver, Claim, ClaimSettings, Claimed, Claims, EndClaim, Look, Outcome,
    ProgramJob,
};
use super::database::{Held, Table};
use super::decided::{Advance, Decided, JobRow, Kind, UNREAD};
use super::error::StoredError;
use super::fnv::fnv;
use super::row::Row;
use super::schedules::{Schedules, one};
use crate::events::timing::Timing;

/// How long rows are claimed in a database that cannot hold them in a transaction, in milliseconds.
const LEASE: u64 = 10_000;

/// The claims of a source on a table of schedules, and on its own jobs.
pub(crate) struct TableClaims<DB: Table, P> {
    pub(crate) schedules: Schedules<DB>,
    pub(crate) settings: ClaimSettings,
    pub(crate) jobs: Arc<[ProgramJob<P>]>,
    /// The index of the job of each row.
    pub(crate) rows: OnceLock<BTreeMap<i64, usize>>,
}

#[derive(Deserialize)]
struct Peeked {
    /// By the database's clock.
    now: f64,
    next: Option<f64>,
    first: Option<i64>,
    is_due: bool,
}

/// A job to register.
#[derive(Serialize)]
struct Registration<'a> {
    name: &'a str,
    fingerprint: String,
    catch_up: i64,
}

#[derive(Deserialize)]
struct Registered {
    id: i64,
    name: String,
}

impl<P, DB> Claims<P> for TableClaims<DB, P>
where
    P: Clone + DeserializeOwned + Send + Sync + 'static,
    DB: Table,
{
    fn claim(self: Arc<Self>, look: Look) -> BoxFuture<Result<Claimed<P>, StoredError>> {
        Box::pin(async move {
            let mut look = look;
            if !look.is_certain {
                let peeked = self.peek(look).await?;
                if !peeked.is_due {
                    return Ok(nothing(&peeked));
                }
                look.first = peeked.first;
            }
            match self.claim_rows(look).await? {
                Some(claim) => Ok(Claimed::Rows(claim)),
                None => Ok(nothing(&self.peek(look).await?)),
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

impl<P: Clone + DeserializeOwned, DB: Table> TableClaims<DB, P> {
    /// Returns the rows of the program's jobs.
    async fn rows(&self) -> Result<&BTreeMap<i64, usize>, StoredError> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let mut indices = BTreeMap::new();
        if !self.jobs.is_empty() {
            let jobs: Vec<_> = self.jobs.iter().map(ProgramJob::registration).collect();
            let mut connection = Access::Pool(self.schedules.pool()).acquire().await?;
            let mut transaction = connection.begin().await?;
            let rows = self.schedules.fetch(&mut transaction, DB::STATEMENTS.register, &jobs);
            let rows = rows.await?;
            transaction.commit().await?;
            for row in rows {
                let Registered { id, name } = serde_json::from_slice(&row)?;
                // Jobs are sorted by their names.
                let index = self.jobs.binary_search_by(|job| (*job.plan.name).cmp(&name));
                indices.extend(index.ok().map(|index| (id, index)));
            }
        }
        Ok(self.rows.get_or_init(|| indices))
    }

    async fn peek(&self, look: Look) -> Result<Peeked, StoredError> {
        let Look { first, patience, .. } = look;
        let (ahead, jobs) = (self.settings.lead(), ids(self.rows().await?));
        let input = json!({ "ahead": ahead, "jobs": jobs, "first": first, "patience": patience });
        let mut connection = self.schedules.pool().acquire().await?;
        let rows = self.schedules.fetch(&mut connection, DB::STATEMENTS.peek, &input).await?;
        Ok(one(&rows)?)
    }

    async fn claim_rows(&self, look: Look) -> Result<Option<Claim<P>>, StoredError> {
        let Self { schedules, settings, jobs, .. } = self;
        let indices = self.rows().await?;
        let id = format!("{:016x}", RandomState::new().build_hasher().finish());
        let statements = DB::STATEMENTS;
        if let Some(reserve) = statements.reserve.filter(|_| settings.ahead > 0) {
            // If this machine dies after it has pushed tasks ahead, their events must not belong to a
            // version that is put before their instants. So this is committed first.
            let mut held = DB::hold(schedules.pool()).await?;
            self.fetch_due(held.acquire().await?.connection(), reserve, (look, &id)).await?;
            held.commit().await?;
        }
        let mut held = DB::hold(schedules.pool()).await?;
        let mut decided = Decided::new(look);
        let mut acquired = held.acquire().await?;
        let connection = acquired.connection();
        // Everybody uses the table of schedules first, so that nobody deadlocks with a migration.
        let current = self.fetch_due(connection, statements.claim, (look, &id)).await?;
        let input =
            json!({ "limit": look.most, "claim": id, "lease": LEASE, "jobs": ids(indices) });
        if !jobs.is_empty() {
            for row in schedules.fetch(connection, statements.claim_jobs, &input).await? {
                let row: JobRow = serde_json::from_slice(&row)?;
                if let Some(index) = indices.get(&row.id) {
                    decided.decide_job(&row, &jobs[*index]);
                }
            }
        }
        let mut retired = Vec::new();
        if !look.is_certain {
            retired = schedules.fetch(connection, statements.claim_retired, &input).await?;
        }
        drop(acquired);
        held.claimed().await?;
        // The events of earlier versions come first.
        for (kind, rows) in [(Kind::Retired, retired), (Kind::Schedule, current)] {
            for row in rows {
                decided.decide(kind, &Row::read(&row)?, schedules.calendars(), *settings);
            }
        }
        if decided.rows.is_empty() {
            held.commit().await?;
            return Ok(None);
        }
        let Decided { rows, tasks, dropped, invalid, .. } = decided;
        let schedules = schedules.clone();
        let end: EndClaim = Box::new(|outcome| {
            Box::pin(async move { TableClaim { held, schedules, id, rows }.end(outcome).await })
        });
        Ok(Some(Claim { tasks, dropped, invalid, end }))
    }

    /// Executes a statement for a claim of schedules that are due.
    async fn fetch_due(
        &self,
        connection: &mut DB::Connection,
        sql: &str,
        (look, id): (Look, &str),
    ) -> Result<Vec<Vec<u8>>, StoredError> {
        let ahead = self.settings.ahead;
        let mut rows = Vec::new();
        for Part { first, last, most } in Part::all(look) {
            let limit = most.saturating_sub(rows.len());
            let input = json!({
                "ahead": ahead, "limit": limit, "claim": id, "lease": LEASE, "first": first, "last": last,
            });
            rows.extend(self.schedules.fetch(connection, sql, &input).await?);
        }
        Ok(rows)
    }
}

/// Rows whose next events are in a range, in milliseconds since 1970.
struct Part {
    first: Option<i64>,
    last: Option<i64>,
    /// The maximum number of rows of this part and the parts before it.
    most: usize,
}

impl Part {
    /// Returns the parts of the rows that are due. After a change of many schedules, rows that are to be read are only
    /// half of a claim, so that the events of others do not wait until all are read.
    fn all(look: Look) -> Vec<Self> {
        let Look { most, first, .. } = look;
        if first.is_some_and(|first| first <= UNREAD) {
            let known = Self { first: Some(UNREAD + 1), last: None, most: most.div_ceil(2) };
            vec![known, Self { first, last: Some(UNREAD), most }]
        } else {
            vec![Self { first, last: None, most }]
        }
    }
}

fn ids(indices: &BTreeMap<i64, usize>) -> Vec<i64> {
    indices.keys().copied().collect()
}

fn nothing<P>(peeked: &Peeked) -> Claimed<P> {
    let wait = peeked.next.map(|next| (next - peeked.now) / 1e3);
    let wait = wait.map(|wait| Duration::try_from_secs_f64(wait).unwrap_or_default());
    Claimed::Nothing { wait, is_contended: peeked.is_due, first: peeked.first }
}

/// Claimed rows.
struct TableClaim<DB: Table> {
    held: Held<DB>,
    schedules: Schedules<DB>,
    id: String,
    rows: Vec<Advance>,
}

impl<DB: Table> TableClaim<DB> {
    async fn end(mut self, outcome: Outcome) -> Result<(), StoredError> {
        let result = match outcome {
            Outcome::Pushed(refused) => self.advance(refused).await,
            Outcome::GivenUp => return self.release().await,
        };
        match result {
            Ok(()) => Ok(self.held.commit().await?),
            Err(error) => {
                // If this fails too, the claim ends later.
                drop(self.release().await);
                Err(error)
            }
        }
    }

    /// Stores what has become of the rows, and gives them back.
    async fn advance(&mut self, refused: Vec<(usize, String)>) -> Result<(), StoredError> {
        for (row, error) in refused {
            self.rows[row].refuse(error);
        }
        let statements = DB::STATEMENTS;
        let ends = |row: &Advance| row.kind == Kind::Retired && row.next_at.is_none();
        for (sql, kind, are_finished) in [
            (statements.advance_jobs, Kind::Job, false),
            (statements.advance, Kind::Schedule, false),
            (statements.advance_retired, Kind::Retired, false),
            (statements.delete_retired, Kind::Retired, true),
        ] {
            self.execute(sql, |row| row.kind == kind && ends(row) == are_finished).await?;
        }
        Ok(())
    }

    /// Gives the rows back as they are.
    async fn release(mut self) -> Result<(), StoredError> {
        let Some(release) = DB::STATEMENTS.release else {
            // The end of the transaction does.
            return Ok(self.held.roll_back().await?);
        };
        for (kind, table) in
            [(Kind::Job, "jobs"), (Kind::Schedule, "schedules"), (Kind::Retired, "retired")]
        {
            let sql = release.replace("{table}", table);
            self.execute(&sql, |row| row.kind == kind).await?;
        }
        Ok(())
    }

    /// Executes a statement for some rows, if there are any.
    async fn execute(
        &mut self,
        sql: &str,
        is_for: impl Fn(&Advance) -> bool + Send,
    ) -> Result<(), StoredError> {
        let rows: Vec<_> = self.rows.iter().filter(|row| is_for(row)).collect();
        if !rows.is_empty() {
            let input = json!({ "claim": self.id, "rows": rows });
            let mut acquired = self.held.acquire().await?;
            self.schedules.fetch(acquired.connection(), sql, &input).await?;
        }
        Ok(())
    }
}

impl<P> ProgramJob<P> {
    fn registration(&self) -> Registration<'_> {
        let Self { plan, timing } = self;
        let (name, fingerprint, catch_up) = (&*plan.name, timing.fingerprint(), timing.catch_up);
        Registration { name, fingerprint, catch_up }
    }
}

impl Timing {
    /// Returns a text that differs, in all likelihood, for schedules with other events: a hash of the
    /// next event at 1,000 instants from 2020 to 2100. Recurrences of any type have it, and all builds of a
    /// program agree on it.
    fn fingerprint(&self) -> String {
        const START: i64 = 1_577_836_800_000;
        /// A prime number, so that the instants are at different times of days and weeks.
        const STEP: usize = 2_524_607_663;
        let events = (START..).step_by(STEP).take(1000).map(|instant| self.events.after(instant));
        let hash = fnv(events.map(|event| event.unwrap_or_default().cast_unsigned()));
        format!("{hash:016x}")
    }
}
