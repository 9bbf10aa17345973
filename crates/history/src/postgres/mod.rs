//! [`PostgresHistory`]: a history on a server.

/// Returns the parameters of a statement.
macro_rules! parameters {
    ($($parameter:expr),+ $(,)?) => {
        std::vec![$(std::boxed::Box::new($parameter) as $crate::postgres::connection::Parameter),+]
    };
}

mod builder;
mod claims;
mod connection;
mod failure;
mod sql;
mod tables;
mod text;

use core::fmt;
use core::ops::{ControlFlow, RangeInclusive};
use core::slice;
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use connection::{Answer, Connection, Parameter};
use sql::PAGE;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::error::{PostgresError, PostgresErrorKind};
use crate::{History, RunQuery, RunRecord, RunState};
pub use builder::PostgresBuilder;

/// A [`History`] in `PostgreSQL`, which any number of processes and machines can share.
///
/// ```no_run
/// use millicron_history::{History, PostgresHistory};
///
/// let mut history = PostgresHistory::connect("postgres://user:password@localhost/jobs")?;
/// history.record("hourly", 3_600_000)?;
/// assert_eq!(history.first_at_or_after("hourly", 0)?, Some(3_600_000));
/// # Ok::<(), millicron_history::PostgresError>(())
/// ```
///
/// The connection string is a URL, or a list of settings such as `host=localhost user=jobs`; the crate
/// [`tokio-postgres`] describes both. By default, a connection does not use TLS: pass a connector to
/// [`connect_tls`](PostgresBuilder::connect_tls). The server must be `PostgreSQL` 12 or later, and the
/// database must use UTF-8.
///
/// The setting `connect_timeout`, in seconds for each host, limits the time to connect, including the
/// creation of the tables. The default is 10.
///
/// If the connection string names several hosts, only one of which is the primary, it needs
/// `target_session_attrs=read-write`: otherwise the first host that answers is used, even if it is a
/// read-only standby. A host that accepts connections but does not answer is not skipped.
///
/// The history configures its session and prepares statements, so it does not work through a pooler
/// that shares sessions, such as `PgBouncer` with `pool_mode=transaction` or `statement`. It does work
/// with `pool_mode=session`.
///
/// # Guarantees
///
/// - A record is durable when the method returns, as far as the server's settings guarantee it:
///   with `synchronous_commit`, which is on by default, it survives a crash of the server, and with
///   synchronous standbys a failover.
/// - Each method is one statement, so it is atomic and takes one round trip. When it returns, its
///   changes are visible to all others. A [`read`](History::read) sees one state of the history; a
///   query that selects more than 10,000 runs takes further round trips, which may see later states.
/// - If the connection is lost, the server is stopped, or another one takes over, the method fails,
///   and the next one connects again. If the owner of the history allows it to
///   [try again](History::retry_for), the method itself reconnects, with growing waits of up to a
///   second, and repeats its statement until it succeeds or the time has passed. A claim that was
///   granted before the connection was lost remains valid, and counts only once. A record is written
///   again, and replaces what another runner has recorded for the same run in between.
/// - [`forget`](History::forget) and [`forget_all`](History::forget_all) are not retried if they may
///   have been executed, because a retry would remove the claim of a runner that has started the run
///   again in between. They fail with [`Unreachable`](PostgresErrorKind::Unreachable).
/// - A server that does not answer within the [answer timeout](PostgresBuilder::answer_timeout) may
///   still execute the statement, so it is not retried either.
/// - If a method fails with [`Unreachable`](PostgresErrorKind::Unreachable), it may have been executed, or
///   may be executed later if the server did not answer. You can call it again, with these effects: if
///   a claim was granted without an answer, it is held until its lease expires; if the end of a run was
///   recorded without an answer, the claim is lost; and `forget` removes a claim that was granted in
///   between.
///
/// # Performance
///
/// A query without a [limit](RunQuery::limit) reads up to 10,000 runs at a time, even if `visit` stops
/// at the first one. Runs are indexed by job and instant: a query for [successes](RunQuery::successes)
/// also scans the runs in between that did not succeed, some 3 million a second.
///
/// # Clock
///
/// Leases follow the clock of the server, so the clocks of the machines may differ. If a standby takes
/// over, its clock counts.
///
/// # Threads
///
/// Methods block the calling thread until the server answers; the connection has its own thread. They
/// can be called from anywhere, including within an asynchronous runtime, where they block one of its
/// threads: if the server may be slow, use `spawn_blocking`.
///
/// # Tables
///
/// The tables are in [their own schema](PostgresBuilder::schema). The first client that connects
/// creates them; several processes may do so at the same time. After that, users do not need
/// permission to create anything, only `USAGE` of the schema and the sequence, `SELECT` of both
/// tables, and `INSERT`, `UPDATE` and `DELETE` of the table `run`.
///
/// The name of a job can be any string of up to some 2,000 bytes.
///
/// [`tokio-postgres`]: https://docs.rs/tokio-postgres/0.7/tokio_postgres/config/struct.Config.html
pub struct PostgresHistory {
    connection: Connection,
    /// How long a method tries again.
    retry_for: Duration,
    /// `None` means the clock of the server.
    clock: Option<Arc<dyn Fn() -> i64 + Send + Sync>>,
}

impl PostgresHistory {
    /// Connects to a server without TLS, and creates the tables in the schema `millicron` if they
    /// do not exist. To choose another schema, or to use TLS, call [`builder`](Self::builder).
    ///
    /// # Errors
    ///
    /// Returns an error if the connection string is invalid or requires TLS, the server cannot be
    /// reached or refuses the user, the user lacks a permission, or the tables have a later version.
    /// There is only one attempt to connect.
    ///
    /// ```
    /// use millicron_history::{PostgresErrorKind, PostgresHistory};
    ///
    /// let error = PostgresHistory::connect("postgres://jobs@localhost:1/jobs");
    /// let error = error.expect_err("nobody listens there");
    /// assert_eq!(*error.kind(), PostgresErrorKind::Unreachable);
    /// assert_eq!(error.to_string(), "localhost:1/jobs: the server cannot be reached");
    /// ```
    pub fn connect(connection_string: &str) -> Result<Self, PostgresError> {
        Self::builder(connection_string).connect()
    }

    /// Returns a builder, to connect with other settings.
    pub fn builder(connection_string: &str) -> PostgresBuilder {
        PostgresBuilder::new(connection_string)
    }

    fn new(connection: Connection) -> Self {
        Self { connection, retry_for: Duration::ZERO, clock: None }
    }

    /// Sets the clock by which the leases of [`Claims`](crate::Claims) expire, in milliseconds since
    /// 1970-01-01 00:00:00. The default is the clock of the server, which programs should use: all
    /// programs that share the history need the same clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    fn execute(
        &self,
        sql: &'static str,
        parameters: Vec<Parameter>,
    ) -> Result<Answer, PostgresError> {
        self.connection.execute(sql, parameters, self.retry_for, true)
    }

    /// Returns the current instant by the clock that was set, or `None` for the server's clock.
    fn now(&self) -> Option<i64> {
        self.clock.as_ref().map(|clock| clock())
    }

    /// Reads a column.
    fn get<'a, T: FromSql<'a>>(&self, row: &'a Row, column: usize) -> Result<T, PostgresError> {
        row.try_get(column).map_err(|error| self.corrupt(format!("column {column}: {error}")))
    }

    fn corrupt(&self, damage: String) -> PostgresError {
        let server = self.connection.server().to_owned();
        PostgresError::new(Some(server), PostgresErrorKind::Corrupt { damage }, None)
    }

    fn attempts(&self, attempts: i64) -> Result<u32, PostgresError> {
        let damage = |_| self.corrupt(format!("{attempts} attempts"));
        u32::try_from(attempts).map_err(damage)
    }

    /// Reads up to [`PAGE`] runs of each query, in order.
    fn read_page(&self, queries: &[RunQuery<'_>]) -> Result<Vec<Page>, PostgresError> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let parameters = parameters![
            column(queries, |query| text::encode(query.job)),
            column(queries, |query| *query.range.start()),
            column(queries, |query| *query.range.end()),
            column(queries, |query| query.only_successes),
            column(queries, |query| query.is_newest_first),
            column(queries, |query| number(query.skip)),
            column(queries, |query| number(query.limit).min(PAGE)),
        ];
        let answer = self.execute(sql::READ, parameters)?;
        let mut pages = Vec::new();
        pages.resize_with(queries.len(), Page::new);
        for row in &answer.rows {
            let number: i64 = self.get(row, 0)?;
            let index = usize::try_from(number - 1).ok();
            if let Some(page) = index.and_then(|index| pages.get_mut(index)) {
                let attempts: Option<i64> = self.get(row, 5)?;
                let record = RunRecord {
                    state: self.state(self.get(row, 2)?)?,
                    started: self.get(row, 3)?,
                    ended: self.get(row, 4)?,
                    attempts: attempts.map(|attempts| self.attempts(attempts)).transpose()?,
                };
                page.push((self.get(row, 1)?, record));
            }
        }
        // The server may return rows in another order, though in practice it does not.
        for (query, page) in queries.iter().zip(&mut pages) {
            page.sort_by_key(|(scheduled, _)| *scheduled);
            if query.is_newest_first {
                page.reverse();
            }
        }
        Ok(pages)
    }

    fn state(&self, code: i16) -> Result<RunState, PostgresError> {
        RunState::from_code(code.into()).ok_or_else(|| self.corrupt(format!("state {code}")))
    }
}

impl fmt::Debug for PostgresHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("PostgresHistory");
        debug.field("server", &self.connection.server()).finish_non_exhaustive()
    }
}

type Page = Vec<(i64, RunRecord)>;

/// Returns a column of the rows that a statement takes as arrays.
fn column<T, V>(rows: &[T], value: impl Fn(&T) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

/// Returns the rest of a query after a full page, or `None` if nothing is left.
fn rest<'a>(query: &RunQuery<'a>, page: &Page) -> Option<RunQuery<'a>> {
    let read = u64::try_from(page.len()).ok()?;
    let (last, _) = page.last().filter(|_| read >= PAGE.unsigned_abs() && read < query.limit)?;
    let range = if query.is_newest_first {
        *query.range.start()..=last.checked_sub(1)?
    } else {
        last.checked_add(1)?..=*query.range.end()
    };
    Some(RunQuery { range, skip: 0, limit: query.limit - read, ..query.clone() })
}

impl History for PostgresHistory {
    type Error = PostgresError;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), PostgresError> {
        // The last record of a run counts, and a statement may change a row only once.
        let last = runs.iter().map(|(job, scheduled, record)| ((*job, *scheduled), *record));
        let runs: Vec<_> = last.collect::<BTreeMap<_, _>>().into_iter().collect();
        if runs.is_empty() {
            return Ok(());
        }
        let parameters = parameters![
            column(&runs, |((job, _), _)| text::encode(job)),
            column(&runs, |((_, scheduled), _)| *scheduled),
            column(&runs, |(_, record)| i16::from(record.state.code())),
            column(&runs, |(_, record)| record.started),
            column(&runs, |(_, record)| record.ended),
            column(&runs, |(_, record)| record.attempts.map(i64::from)),
        ];
        self.execute(sql::RECORD, parameters)?;
        Ok(())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), PostgresError> {
        if queries.is_empty() {
            return Ok(());
        }
        let pages = self.read_page(queries)?;
        for (index, (query, first_page)) in queries.iter().zip(pages).enumerate() {
            let (mut query, mut page) = (query.clone(), first_page);
            loop {
                for (scheduled, record) in &page {
                    if visit(index, *scheduled, *record).is_break() {
                        return Ok(());
                    }
                }
                let Some(rest) = rest(&query, &page) else { break };
                page = self.read_page(slice::from_ref(&rest))?.pop().unwrap_or_default();
                query = rest;
            }
        }
        Ok(())
    }

    fn retry_for(&mut self, limit: Duration) {
        self.retry_for = limit;
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), PostgresError> {
        if runs.is_empty() {
            return Ok(());
        }
        let parameters = parameters![
            column(runs, |(job, _)| text::encode(job)),
            column(runs, |(_, range)| *range.start()),
            column(runs, |(_, range)| *range.end()),
        ];
        // It leaves no row in which a repetition could find that it has taken effect.
        self.connection.execute(sql::FORGET, parameters, self.retry_for, false)?;
        Ok(())
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), PostgresError> {
        if jobs.is_empty() {
            return Ok(());
        }
        let parameters = parameters![
            column(jobs, |(job, _)| text::encode(job)),
            column(jobs, |(_, instant)| *instant),
            self.now(),
        ];
        self.execute(sql::DROP_BEFORE, parameters)?;
        Ok(())
    }
}
