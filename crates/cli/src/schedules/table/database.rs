//! [`Database`]: a table of schedules in PostgreSQL or SQLite.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use millicron::Calendar;
use millicron_apalis::stored::{
    self, Filter, Page, Schedules, Selection, StoredError, StoredSchedule,
};
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, Pool, Postgres, Sqlite};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::error::Error;
use crate::schedules::arguments::DatabaseArguments;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest URL of a database, in bytes. Errors show parts of it.
const LONGEST_URL: usize = 2048;

/// How long a database may take for an operation.
const ANSWER: Duration = Duration::from_mins(1);

/// What URLs begin with.
const SCHEMES: &str = "write a URL that begins with `postgres://` or `sqlite:`";

/// A database, and what waits for its answers.
#[derive(Debug)]
pub(super) struct Database {
    runtime: Runtime,
    table: Table,
}

#[derive(Debug)]
enum Table {
    Postgres(Opened<Postgres>),
    Sqlite(Opened<Sqlite>),
}

#[derive(Debug)]
struct Opened<DB: stored::Table> {
    pool: Pool<DB>,
    schedules: Schedules<DB>,
}

/// An operation that changes schedules, and returns how many it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Pause,
    Resume,
    Trigger,
    Remove,
}

/// Waits for an operation on the table.
macro_rules! wait {
    ($database:expr, $table:ident => $operation:expr) => {{
        match &$database.table {
            Table::Postgres($table) => $database.runtime.block_on(answer($operation)),
            Table::Sqlite($table) => $database.runtime.block_on(answer($operation)),
        }
    }};
}

impl Database {
    /// Connects to a database, and opens or creates the table.
    pub(super) fn open(arguments: &DatabaseArguments) -> Result<Self, Error> {
        // Whoever misspells the name of a file must not get an empty database.
        Self::connect(arguments, false, BTreeMap::new())
    }

    /// Connects to a database, and opens or creates the table, and the file of SQLite.
    pub(super) fn create(
        arguments: &DatabaseArguments,
        calendars: BTreeMap<String, Calendar>,
    ) -> Result<Self, Error> {
        Self::connect(arguments, true, calendars)
    }

    fn connect(
        arguments: &DatabaseArguments,
        creates_file: bool,
        calendars: BTreeMap<String, Calendar>,
    ) -> Result<Self, Error> {
        let url = match &arguments.url {
            Some(url) => url.0.clone(),
            None => env::var("DATABASE_URL").unwrap_or_default(),
        };
        if url.is_empty() {
            return Err(Error::new("no database is given")
                .hint("name it with --database URL, or set the variable DATABASE_URL"));
        }
        if url.len() > LONGEST_URL {
            let message =
                format_args!("the URL of the database is longer than {LONGEST_URL} bytes");
            return Err(Error::new(message));
        }
        // The command waits for one answer after another, so it needs no other threads.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let schema = &arguments.schema;
        let table = match url.split_once(':') {
            Some(("postgres" | "postgresql", _)) => {
                Table::Postgres(runtime.block_on(open_postgres(&url, schema, calendars))?)
            }
            Some(("sqlite", _)) => {
                let opened = open_sqlite(&url, schema, creates_file, calendars);
                Table::Sqlite(runtime.block_on(opened)?)
            }
            Some((other, _)) if other.chars().all(|c| c.is_ascii_alphanumeric()) => {
                let message = format_args!("there are no schedules in databases of `{other}:`");
                return Err(Error::new(message).hint(SCHEMES));
            }
            _ => return Err(Error::new("the database is not a URL").hint(SCHEMES)),
        };
        Ok(Self { runtime, table })
    }

    pub(super) fn list(&self, filter: &Filter) -> Result<Page, Error> {
        wait!(self, table => table.schedules.list(&table.pool, filter))
    }

    pub(super) fn get(&self, name: &str) -> Result<Option<StoredSchedule>, Error> {
        wait!(self, table => table.schedules.get(&table.pool, name))
    }

    /// Creates or changes a schedule. Returns its version, or `None` if another process has changed it.
    pub(super) fn put(&self, schedule: &StoredSchedule) -> Result<Option<i64>, Error> {
        wait!(self, table => async {
            match table.schedules.put(&table.pool, schedule).await {
                Err(StoredError::Conflict { .. }) => Ok(None),
                result => result.map(Some),
            }
        })
    }

    pub(super) fn change(&self, change: Change, selection: Selection<'_>) -> Result<usize, Error> {
        wait!(self, table => table.change(change, selection))
    }
}

async fn open_postgres(
    url: &str,
    schema: &str,
    calendars: BTreeMap<String, Calendar>,
) -> Result<Opened<Postgres>, Error> {
    let options = PgConnectOptions::from_str(url).map_err(|error| invalid_url(&error))?;
    let opened = Opened::open(&options, schema, calendars).await;
    opened.map_err(|error| match error {
        OpenError::Connect(why) => {
            Error::new(format_args!("cannot connect to {}: {why}", server(&options)))
                .hint("check the URL of the database, and that its server runs")
        }
        OpenError::Table(error) => error,
    })
}

async fn open_sqlite(
    url: &str,
    schema: &str,
    creates_file: bool,
    calendars: BTreeMap<String, Calendar>,
) -> Result<Opened<Sqlite>, Error> {
    let mut options = SqliteConnectOptions::from_str(url).map_err(|error| invalid_url(&error))?;
    if options.get_filename().as_os_str().is_empty() {
        return Err(Error::new("the URL of the database names no file")
            .hint("write one such as `sqlite:schedules.db`"));
    }
    if creates_file {
        options = options.create_if_missing(true);
    }
    let opened = Opened::open(&options, schema, calendars).await;
    opened.map_err(|error| match error {
        OpenError::Connect(why) => unopened(options.get_filename(), &why, creates_file),
        OpenError::Table(error) => error,
    })
}

/// Why a table cannot be opened.
enum OpenError {
    /// There is no connection, for this reason.
    Connect(String),
    Table(Error),
}

impl<DB: stored::Table> Opened<DB> {
    async fn open(
        options: &<DB::Connection as Connection>::Options,
        schema: &str,
        calendars: BTreeMap<String, Calendar>,
    ) -> Result<Self, OpenError> {
        // A pool tries again while no server answers, and does not say why it has given up.
        let first = timeout(CONNECT, DB::Connection::connect_with(options)).await;
        let first = first
            .map_err(|_| OpenError::Connect(format!("no answer within {} s", CONNECT.as_secs())))?
            .map_err(|error| OpenError::Connect(reason(&error)))?;
        // It is not needed any more, so it does not matter whether this succeeds.
        let _ = timeout(CONNECT, first.close()).await;
        let pool = PoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
        let schedules = answer(Schedules::open_in(&pool, schema)).await;
        let schedules = schedules.map_err(OpenError::Table)?;
        Ok(Self { schedules: schedules.with_calendars(calendars), pool })
    }

    async fn change(&self, change: Change, selection: Selection<'_>) -> Result<usize, StoredError> {
        let Self { pool, schedules } = self;
        match change {
            Change::Pause => schedules.pause(pool, selection).await,
            Change::Resume => schedules.resume(pool, selection).await,
            Change::Trigger => schedules.trigger(pool, selection).await,
            Change::Remove => schedules.remove(pool, selection).await,
        }
    }
}

/// Waits for an operation, but not for a server that has fallen silent.
async fn answer<T>(operation: impl Future<Output = Result<T, StoredError>>) -> Result<T, Error> {
    let answered = timeout(ANSWER, operation).await;
    let silent = |_| Error::new(format_args!("the database has not answered for {ANSWER:?}"));
    answered.map_err(silent)?.map_err(failure)
}

/// Names a server without the password in its URL.
fn server(options: &PgConnectOptions) -> String {
    let (user, port) = (options.get_username(), options.get_port());
    match options.get_socket() {
        Some(directory) => format!("PostgreSQL in {} as `{user}`", directory.display()),
        None => format!("PostgreSQL at {}:{port} as `{user}`", options.get_host()),
    }
}

/// Returns the error that a file of SQLite cannot be opened.
fn unopened(file: &Path, why: &str, creates_file: bool) -> Error {
    let path = shown(file);
    let is_missing = |path: &Path| !path.as_os_str().is_empty() && !path.exists();
    if !creates_file && is_missing(file) {
        return Error::new(format_args!("there is no database {path}"))
            .hint("`millicron schedules put`, or a program with `millicron-apalis`, creates it");
    }
    let error = Error::new(format_args!("cannot open the database {path}: {why}"));
    match file.parent().filter(|directory| is_missing(directory)) {
        Some(directory) => {
            error.hint(format_args!("create the directory {} first", shown(directory)))
        }
        None => error,
    }
}

/// Returns a path for messages, or `…` if it seems to be the URL of a server, with a password.
fn shown(path: &Path) -> String {
    let path = path.display().to_string();
    let has_password = path.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
    if has_password { "…".to_owned() } else { path }
}

/// Returns the error in a URL, which is not shown, because it may have a password.
fn invalid_url(error: &sqlx::Error) -> Error {
    Error::new(format_args!("the URL of the database is invalid: {}", reason(error)))
        .hint("write one such as `postgres://user@localhost:5432/name` or `sqlite:schedules.db`")
}

/// Returns what went wrong, without what sqlx was doing.
fn reason(error: &sqlx::Error) -> String {
    match error {
        // One may be in another.
        sqlx::Error::Configuration(error) => {
            error.downcast_ref().map_or_else(|| error.to_string(), reason)
        }
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Tls(error) => format!("TLS: {error}"),
        error => error.to_string(),
    }
}

/// Returns the error of an operation.
pub(super) fn failure(error: StoredError) -> Error {
    match error {
        StoredError::Database(error) => {
            Error::new(format_args!("the database failed: {}", reason(&error)))
        }
        StoredError::Invalid { error, .. } => super::entry::invalid(&error),
        error => Error::of(error),
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::net::TcpListener;

    use super::*;

    /// Returns the result of a future, on a clock that does not wait but is set forward.
    fn later<T>(future: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(future)
    }

    #[test]
    fn a_server_that_accepts_and_says_nothing_is_given_up() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = silent.local_addr().expect("an address");
        let url = format!("postgres://user:secret@{address}/name");
        let error = later(open_postgres(&url, "millicron", BTreeMap::new()));
        let error = error.expect_err("no answer").to_string();
        assert!(
            error.contains(&format!(
                "cannot connect to PostgreSQL at {}:{} as `user`: no answer within 10 s",
                address.ip(),
                address.port()
            )),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn an_operation_that_is_not_answered_is_given_up() {
        let error = later(answer::<()>(pending())).expect_err("no answer").to_string();
        assert!(error.contains("the database has not answered for 60s"), "{error}");
    }
}
