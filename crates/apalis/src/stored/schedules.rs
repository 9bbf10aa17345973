//! [`Schedules`]: the table.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use millicron::{Calendars, Recurrence as _};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::Pool;

use super::access::Access;
use super::bounded::BoundedSchedule;
use super::database::{SchemaName, Table};
use super::error::{InvalidSchedule, StoredError};
use super::filter::{Filter, Page, Selection};
use super::row::Row;
use super::schedule::StoredSchedule;

/// The calendars that schedules may name.
pub(crate) type AnyCalendars = Arc<dyn Calendars + Send + Sync>;

/// Schedules in a database.
///
/// A handle, which is cheap to clone. Operations take a pool, a connection, or a transaction, whose other
/// changes then commit together with the schedules.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use millicron_apalis::stored::{Schedules, StoredSchedule};
/// use sqlx::SqlitePool;
///
/// let pool = SqlitePool::connect("sqlite:tasks.db").await?;
/// let schedules = Schedules::open(&pool).await?;
///
/// let report = StoredSchedule::new("report/7", "*.*.* Mon-Fri 09:00:00").zone("Europe/Berlin");
/// schedules.put(&pool, &report).await?;
///
/// let mut transaction = pool.begin().await?;
/// sqlx::query("INSERT INTO customers (id) VALUES (7)").execute(&mut *transaction).await?;
/// schedules.put(&mut transaction, &report).await?;
/// transaction.commit().await?;
/// # Ok(())
/// # }
/// ```
pub struct Schedules<DB: Table> {
    pool: Pool<DB>,
    schema: SchemaName,
    calendars: AnyCalendars,
}

/// A change of all selected schedules.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Pause,
    Resume,
    Remove,
    Trigger,
}

/// A schedule that has been read.
pub(super) struct Checked<'s> {
    schedule: &'s StoredSchedule,
    recurrence: BoundedSchedule,
}

/// The answer to a lock.
#[derive(Deserialize)]
struct Locked {
    /// Milliseconds since 1970, by the database's clock.
    now: f64,
    versions: HashMap<String, i64>,
    /// The names of those with an error.
    failed: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    name: String,
    version: i64,
}

impl<DB: Table> Schedules<DB> {
    /// Opens the table in the schema `millicron`, and creates or migrates it if necessary.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn open(pool: &Pool<DB>) -> Result<Self, StoredError> {
        Self::open_in(pool, "millicron").await
    }

    /// Opens the table in a schema, and creates or migrates it if necessary. `SQLite` has no schemas,
    /// so there the names of the tables begin with it.
    ///
    /// # Errors
    ///
    /// The name is invalid, or the database failed.
    pub async fn open_in(pool: &Pool<DB>, schema: &str) -> Result<Self, StoredError> {
        let name = SchemaName::new(schema);
        let schema = name.ok_or_else(|| StoredError::SchemaName(schema.to_owned()))?;
        let schedules = Self { pool: pool.clone(), schema, calendars: Arc::new(()) };
        schedules.migrate().await?;
        Ok(schedules)
    }

    /// Sets the calendars that schedules may name. They must be the same on all machines.
    #[must_use]
    pub fn with_calendars(mut self, calendars: impl Calendars + Send + Sync + 'static) -> Self {
        self.calendars = Arc::new(calendars);
        self
    }

    async fn migrate(&self) -> Result<(), StoredError> {
        let mut connection = Access::Pool(&self.pool).acquire().await?;
        let mut transaction = connection.begin().await?;
        DB::execute(&mut transaction, self.sql(DB::STATEMENTS.prepare)).await?;
        let applied = self.sql(DB::STATEMENTS.applied);
        let latest = DB::STATEMENTS.setup.len().to_string();
        let applied = DB::fetch(&mut transaction, applied, &latest).await?;
        for migration in &DB::STATEMENTS.setup[applied.len()..] {
            DB::execute(&mut transaction, self.sql(migration)).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Creates a schedule, or changes the one with the same name, with all its settings: one that is paused is
    /// resumed unless [`paused`](StoredSchedule::paused) is set. Returns its version.
    ///
    /// Events whose instants have passed before the change commits belong to the old version, and later
    /// ones to the new. Nothing changes if the schedule is the same already, but one with an
    /// [error](StoredSchedule::error) is tried again.
    ///
    /// # Errors
    ///
    /// The schedule is invalid, its [version](StoredSchedule::version) is not the current one, or the
    /// database failed.
    pub async fn put<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        schedule: &StoredSchedule,
    ) -> Result<i64, StoredError> {
        let versions = self.put_all(database, std::slice::from_ref(schedule)).await?;
        Ok(versions.first().copied().unwrap_or_default())
    }

    /// Creates or changes many schedules at once, all or none, such as 10,000. Returns their versions, in
    /// the same order.
    ///
    /// # Errors
    ///
    /// As for [`put`](Self::put). Two schedules have the same name.
    pub async fn put_all<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        schedules: &[StoredSchedule],
    ) -> Result<Vec<i64>, StoredError> {
        let checked = self.check(schedules)?;
        let versions = self.write(database, &checked).await?;
        Ok(schedules.iter().map(|it| versions[&it.name]).collect())
    }

    /// Reads schedules that are to be written.
    pub(super) fn check<'s>(
        &self,
        schedules: impl IntoIterator<Item = &'s StoredSchedule>,
    ) -> Result<Vec<Checked<'s>>, StoredError> {
        let mut names = HashSet::new();
        let check = |schedule: &'s StoredSchedule| {
            let name = schedule.name.as_str();
            let recurrence = self.read(schedule).map_err(|error| StoredError::Invalid {
                name: name.to_owned(),
                error: Box::new(error),
            })?;
            if !names.insert(name) {
                return Err(StoredError::DuplicateName(name.to_owned()));
            }
            Ok(Checked { schedule, recurrence })
        };
        schedules.into_iter().map(check).collect()
    }

    /// Writes all schedules or none. Returns their versions, by name.
    pub(super) async fn write<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        schedules: &[Checked<'_>],
    ) -> Result<HashMap<String, i64>, StoredError> {
        let mut connection = database.into().acquire().await?;
        loop {
            let mut transaction = connection.begin().await?;
            match self.try_write(&mut transaction, schedules).await {
                Ok(Some(versions)) => {
                    transaction.commit().await?;
                    return Ok(versions);
                }
                // Somebody else has removed one of the schedules in the meantime. Begin again, to lock them
                // in the order of their names.
                Ok(None) => transaction.rollback().await?,
                Err(error) => {
                    // On drop, it would keep the rows locked until the caller uses the connection again.
                    drop(transaction.rollback().await);
                    return Err(error);
                }
            }
        }
    }

    /// Returns the versions; `None` if one of the schedules was removed in the meantime.
    async fn try_write(
        &self,
        connection: &mut DB::Connection,
        schedules: &[Checked<'_>],
    ) -> Result<Option<HashMap<String, i64>>, StoredError> {
        let names: Vec<_> = schedules.iter().map(|it| &it.schedule.name).collect();
        let mut locked = self.lock(connection, &names).await?;
        let mut created = HashMap::new();
        if locked.versions.is_empty() {
            let insert = DB::STATEMENTS.insert;
            created = self.write_rows(connection, insert, schedules, locked.now).await?;
            if created.len() < names.len() {
                locked = self.lock(connection, &names).await?;
            }
        }
        let Locked { now, mut versions, failed } = locked;
        if created.len().max(versions.len()) < names.len() {
            return Ok(None);
        }
        versions.retain(|name, _| !created.contains_key(name));
        for Checked { schedule: StoredSchedule { name, version, .. }, .. } in schedules {
            let found = versions.get(name).copied().unwrap_or_default();
            if let Some(expected) = version.filter(|expected| *expected != found) {
                return Err(StoredError::Conflict { name: name.clone(), expected, found });
            }
        }
        let old = schedules.iter().filter(|it| versions.contains_key(&it.schedule.name));
        let changed = self.write_rows(connection, DB::STATEMENTS.update, old, now).await?;
        versions.extend(created.into_iter().chain(changed));
        if !failed.is_empty() {
            // Even if they have not changed.
            self.fetch(connection, DB::STATEMENTS.retry, &failed).await?;
        }
        Ok(Some(versions))
    }

    /// Locks schedules if all of them exist.
    async fn lock(
        &self,
        connection: &mut DB::Connection,
        names: &[&String],
    ) -> Result<Locked, StoredError> {
        Ok(one(&self.fetch(connection, DB::STATEMENTS.lock, names).await?)?)
    }

    /// Returns the versions of the rows that the statement has created or changed, by name.
    async fn write_rows<'c, 's: 'c>(
        &self,
        connection: &mut DB::Connection,
        sql: &str,
        schedules: impl IntoIterator<Item = &'c Checked<'s>>,
        now: f64,
    ) -> Result<HashMap<String, i64>, StoredError> {
        #[expect(clippy::cast_possible_truncation, reason = "an instant")]
        let now = now as i64;
        let row = |checked: &Checked<'_>| {
            let (starts_at, ends_at) = checked.schedule.stored_bounds();
            let next_at = checked.recurrence.next_event(now);
            StoredSchedule { starts_at, ends_at, next_at, ..checked.schedule.clone() }
        };
        let rows: Vec<_> = schedules.into_iter().map(row).collect();
        if rows.is_empty() {
            return Ok(HashMap::new());
        }
        let written = self.fetch(connection, sql, &rows).await?;
        let written = written.iter().map(|written| {
            let Written { name, version } = serde_json::from_slice(written)?;
            Ok((name, version))
        });
        written.collect()
    }

    /// Returns the schedule with a name.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn get<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        name: &str,
    ) -> Result<Option<StoredSchedule>, StoredError> {
        let mut connection = database.into().acquire().await?;
        let input = json!({ "name": name });
        let rows = DB::STATEMENTS.conditions.name;
        let rows = self.select(connection.connection(), (rows, "name", 1), &input).await?;
        Ok(rows.into_iter().next())
    }

    /// Returns a page of the schedules that a filter selects.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn list<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        filter: &Filter,
    ) -> Result<Page, StoredError> {
        Ok(filter.page(self.rows(database, filter).await?))
    }

    /// Returns the number of schedules that a filter selects, on its page and all later ones. The database counts them
    /// each time, which takes long if there are millions.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn count<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        filter: &Filter,
    ) -> Result<u64, StoredError> {
        let mut connection = database.into().acquire().await?;
        let (condition, _) = filter.condition(&DB::STATEMENTS.conditions);
        let input = filter.input();
        if contains_nul(&input) {
            return Ok(0);
        }
        let sql = DB::STATEMENTS.count.replace("{condition}", &condition);
        Ok(one(&self.fetch(connection.connection(), &sql, &input).await?)?)
    }

    /// Returns the rows of a page, and the one after it.
    pub(super) async fn rows<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        filter: &Filter,
    ) -> Result<Vec<StoredSchedule>, StoredError> {
        let mut connection = database.into().acquire().await?;
        let (condition, order) = filter.condition(&DB::STATEMENTS.conditions);
        let (rows, input) = ((&*condition, order, filter.rows()), filter.input());
        self.select(connection.connection(), rows, &input).await
    }

    /// Pauses schedules: they have no events until they are resumed. Returns how many were not paused
    /// before.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn pause<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        selection: Selection<'_>,
    ) -> Result<usize, StoredError> {
        self.change(database, Change::Pause, selection).await
    }

    /// Resumes paused schedules. Events from the time in which they were paused do not become tasks.
    /// Returns how many were paused.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn resume<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        selection: Selection<'_>,
    ) -> Result<usize, StoredError> {
        self.change(database, Change::Resume, selection).await
    }

    /// Removes schedules. Events that have passed still become tasks. Returns how many there were.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn remove<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        selection: Selection<'_>,
    ) -> Result<usize, StoredError> {
        self.change(database, Change::Remove, selection).await
    }

    /// Makes schedules have an event now, even if they are paused. Returns how many there are.
    ///
    /// The database's clock gives the instant, in whole milliseconds. Several calls in one millisecond are one
    /// event. A schedule that changes before its run is claimed passes the run on to its new version: the task has
    /// the new payload.
    ///
    /// # Errors
    ///
    /// The database failed.
    pub async fn trigger<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        selection: Selection<'_>,
    ) -> Result<usize, StoredError> {
        self.change(database, Change::Trigger, selection).await
    }

    pub(super) async fn change<'c>(
        &self,
        database: impl Into<Access<'c, DB>>,
        change: Change,
        selection: Selection<'_>,
    ) -> Result<usize, StoredError> {
        let (sql, paused) = match change {
            Change::Pause => (DB::STATEMENTS.pause, Some(true)),
            Change::Resume => (DB::STATEMENTS.pause, Some(false)),
            Change::Remove => (DB::STATEMENTS.remove, None),
            Change::Trigger => (DB::STATEMENTS.trigger, None),
        };
        let mut connection = database.into().acquire().await?;
        let conditions = &DB::STATEMENTS.conditions;
        let (condition, input) = match selection {
            Selection::Name(name) => (conditions.name, json!({ "name": name, "paused": paused })),
            Selection::Tag(tag) => (conditions.tag, json!({ "tag": tag, "paused": paused })),
        };
        if contains_nul(&input) {
            return Ok(0);
        }
        let sql = self.sql(&sql.replace("{condition}", condition));
        let mut transaction = connection.begin().await?;
        let changed = DB::change(&mut transaction, sql, &input.to_string()).await;
        match &changed {
            Ok(_) => transaction.commit().await?,
            // On drop, it would end only when the caller uses the connection again.
            Err(_) => drop(transaction.rollback().await),
        }
        Ok(usize::try_from(changed?).unwrap_or(usize::MAX))
    }

    async fn select(
        &self,
        connection: &mut DB::Connection,
        (condition, order, limit): (&str, &str, usize),
        input: &serde_json::Value,
    ) -> Result<Vec<StoredSchedule>, StoredError> {
        if contains_nul(input) {
            return Ok(Vec::new());
        }
        // The planner must know how few rows are read.
        let sql = DB::STATEMENTS.select.replace("{condition}", condition);
        let sql = sql.replace("{order}", order).replace("{limit}", &limit.to_string());
        let rows = self.fetch(connection, &sql, input).await?;
        let rows = rows.iter().map(|row| Row::read(row).map(Row::into_schedule));
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Executes a statement, and returns its rows.
    pub(crate) async fn fetch(
        &self,
        connection: &mut DB::Connection,
        sql: &str,
        input: &(impl Serialize + ?Sized + Sync),
    ) -> Result<Vec<Vec<u8>>, StoredError> {
        let input = serde_json::to_string(input)?;
        Ok(DB::fetch(connection, self.sql(sql), &input).await?)
    }

    fn sql(&self, sql: &str) -> String {
        self.schema.insert_into(&sql.replace("{row}", DB::STATEMENTS.row.trim_end()))
    }

    /// Returns the pool with which the table was opened.
    #[must_use]
    pub const fn pool(&self) -> &Pool<DB> {
        &self.pool
    }

    /// Reads a schedule with the [calendars](Self::with_calendars) that it may name, as [`put`](Self::put) does.
    ///
    /// # Errors
    ///
    /// The schedule is invalid.
    pub fn read(&self, schedule: &StoredSchedule) -> Result<BoundedSchedule, InvalidSchedule> {
        let read = schedule.read(&*self.calendars)?;
        Ok(BoundedSchedule::new(read, schedule.starts_at, schedule.ends_at))
    }

    /// Returns the calendars that schedules may name.
    #[must_use]
    pub fn calendars(&self) -> &dyn Calendars {
        &*self.calendars
    }

    pub(crate) fn channel(&self) -> String {
        self.schema.channel()
    }
}

/// Whether rows are selected by a text with `\0`. No row has one, and `PostgreSQL` cannot read it.
fn contains_nul(input: &serde_json::Value) -> bool {
    let mut values = input.as_object().into_iter().flat_map(|input| input.values());
    values.any(|value| value.as_str().is_some_and(|text| text.contains('\0')))
}

/// Reads the only row.
pub(crate) fn one<'a, T: Deserialize<'a>>(rows: &'a [Vec<u8>]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(rows.first().map_or(&[], Vec::as_slice))
}

impl<DB: Table> Clone for Schedules<DB> {
    fn clone(&self) -> Self {
        let Self { pool, schema, calendars } = self;
        Self { pool: pool.clone(), schema: schema.clone(), calendars: Arc::clone(calendars) }
    }
}

impl<DB: Table> fmt::Debug for Schedules<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedules").field("schema", &self.schema).finish_non_exhaustive()
    }
}
