//! [`Connection`]: a thread that polls the connection, and connects again when it is lost.
//!
//! A history is called by blocking code, perhaps within an asynchronous runtime, where another
//! runtime cannot be started. The runtime of the connection therefore has its own thread.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::failure::Failure;
use super::{sql, tables};
use crate::Backoff;
use crate::error::{PostgresError, PostgresErrorKind};

/// The waits between attempts to connect, after the first, which follows at once.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(10), Duration::from_secs(1));

/// How long closing a connection may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) type Parameter = Box<dyn ToSql + Send + Sync>;

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A client, and the future that drives its connection.
pub(super) type Connected = (Client, BoxFuture<()>);

/// Connects to the server.
pub(super) type Connector =
    Box<dyn Fn() -> BoxFuture<Result<Connected, tokio_postgres::Error>> + Send + Sync>;

/// How to reach the tables.
pub(super) struct Settings {
    pub(super) connector: Connector,
    pub(super) schema: String,
    /// For error messages.
    pub(super) server: String,
    /// The time limit for connecting, including the creation of the tables.
    pub(super) connect_timeout: Duration,
    pub(super) answer_timeout: Duration,
}

/// The result of a statement.
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    /// Whether the statement may have been executed before, without an answer.
    pub(super) is_repeated: bool,
}

struct Request {
    /// A statement of the module `sql`.
    sql: &'static str,
    parameters: Vec<Parameter>,
    /// How long to retry it after transient failures.
    retry_for: Duration,
    /// Whether to retry it even if it may have taken effect.
    may_repeat: bool,
    reply: mpsc::Sender<Result<Answer, PostgresError>>,
}

/// The connection of a history. It is closed on drop.
pub(super) struct Connection {
    /// `None` only while it is dropped.
    requests: Option<UnboundedSender<Request>>,
    thread: Option<JoinHandle<()>>,
    server: String,
}

impl Connection {
    /// Connects, and creates the tables if they do not exist. Fails immediately if the server
    /// cannot be reached.
    pub(super) fn open(settings: Settings) -> Result<Self, PostgresError> {
        let server = settings.server.clone();
        let (requests, receiver) = unbounded_channel();
        let (opened, result) = mpsc::channel();
        let thread = thread::Builder::new().name("millicron-postgres".into());
        let thread = thread.spawn(move || run(settings, receiver, opened));
        let thread = thread.map_err(|error| not_started(&server, error))?;
        let connection = Self { requests: Some(requests), thread: Some(thread), server };
        let opened = result.recv().unwrap_or_else(|_| Err(connection.ended()));
        opened.map(|()| connection)
    }

    /// Executes a statement, and waits for its rows.
    pub(super) fn execute(
        &self,
        sql: &'static str,
        parameters: Vec<Parameter>,
        retry_for: Duration,
        may_repeat: bool,
    ) -> Result<Answer, PostgresError> {
        let (reply, answer) = mpsc::channel();
        if let Some(requests) = &self.requests {
            // If sending fails, so does receiving the answer.
            let _ = requests.send(Request { sql, parameters, retry_for, may_repeat, reply });
        }
        answer.recv().unwrap_or_else(|_| Err(self.ended()))
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Returns the error for a thread that has ended, which happens only if it panics.
    fn ended(&self) -> PostgresError {
        let source = "the thread of the connection has ended".into();
        PostgresError::new(Some(self.server.clone()), PostgresErrorKind::Postgres, Some(source))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

fn not_started(server: &str, error: io::Error) -> PostgresError {
    PostgresError::new(Some(server.to_owned()), PostgresErrorKind::Thread, Some(error.into()))
}

/// Runs on the connection's thread. Creates the runtime, which must not be dropped in an
/// asynchronous caller.
fn run(
    settings: Settings,
    requests: UnboundedReceiver<Request>,
    opened: mpsc::Sender<Result<(), PostgresError>>,
) {
    match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(serve(settings, requests, opened)),
        Err(error) => drop(opened.send(Err(not_started(&settings.server, error)))),
    }
}

/// Connects, and serves requests until the history is dropped.
async fn serve(
    settings: Settings,
    mut requests: UnboundedReceiver<Request>,
    opened: mpsc::Sender<Result<(), PostgresError>>,
) {
    let connected = Session::connect(&settings, true).await;
    let mut session = match connected {
        Ok(session) => Some(session),
        Err(failure) => {
            let _ = opened.send(Err(failure.at(&settings.server)));
            return;
        }
    };
    let _ = opened.send(Ok(()));
    while let Some(request) = requests.recv().await {
        let answer = execute(&settings, &mut session, &request).await;
        let answer = answer.map_err(|failure| failure.at(&settings.server));
        let _ = request.reply.send(answer);
    }
    if let Some(session) = session {
        session.close().await;
    }
}

/// Executes a statement, and retries it after transient failures for as long as the request says.
async fn execute(
    settings: &Settings,
    session: &mut Option<Session>,
    request: &Request,
) -> Result<Answer, Failure> {
    // `None` if it is too far in the future to represent.
    let deadline = Instant::now().checked_add(request.retry_for);
    let (mut wait, mut waits) = (Duration::ZERO, 0);
    let mut is_repeated = false;
    loop {
        let failure = match connected(settings, session).await {
            Err(failure) => failure,
            Ok(mut current) => match current.query(settings, request).await {
                Ok(rows) => {
                    *session = Some(current);
                    return Ok(Answer { rows, is_repeated });
                }
                Err(failure) => {
                    // After a transient failure, another server may be the primary.
                    if !failure.is_transient() && !failure.may_have_happened() {
                        *session = Some(current);
                    }
                    if failure.may_have_happened() {
                        if !request.may_repeat {
                            return Err(failure);
                        }
                        is_repeated = true;
                    }
                    failure
                }
            },
        };
        let is_late = deadline.is_some_and(|deadline| Instant::now() + wait >= deadline);
        if is_late || !failure.is_transient() {
            return Err(failure);
        }
        sleep(wait).await;
        (wait, waits) = (BACKOFF.wait(waits), waits.saturating_add(1));
    }
}

/// Takes the session, or reconnects if it is lost.
async fn connected(settings: &Settings, session: &mut Option<Session>) -> Result<Session, Failure> {
    match session.take() {
        Some(current) if !current.client.is_closed() => Ok(current),
        _ => Session::connect(settings, false).await,
    }
}

/// A connection with its prepared statements.
struct Session {
    client: Client,
    /// The connection's task, which ends with the session even if the server never answers.
    driver: JoinSet<()>,
    statements: HashMap<&'static str, Statement>,
}

impl Session {
    /// Connects within a time limit, since a server that accepts connections may never answer.
    async fn connect(settings: &Settings, creates_tables: bool) -> Result<Self, Failure> {
        let connecting = Self::open(settings, creates_tables);
        timeout(settings.connect_timeout, connecting).await.unwrap_or(Err(Failure::ConnectTimeout))
    }

    async fn open(settings: &Settings, creates_tables: bool) -> Result<Self, Failure> {
        let (mut client, connection) = (settings.connector)().await?;
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        tables::prepare_session(&client, settings.answer_timeout).await?;
        if creates_tables {
            tables::create(&mut client, &settings.schema).await?;
        } else {
            tables::check(&client, &settings.schema).await?;
        }
        Ok(Self { client, driver, statements: HashMap::new() })
    }

    async fn query(&mut self, settings: &Settings, request: &Request) -> Result<Vec<Row>, Failure> {
        // The server may wait for a lock before it does anything.
        let limit = settings.answer_timeout.saturating_mul(2);
        let answer = timeout(limit, self.query_without_limit(&settings.schema, request)).await;
        answer.unwrap_or(Err(Failure::AnswerTimeout))
    }

    async fn query_without_limit(
        &mut self,
        schema: &str,
        request: &Request,
    ) -> Result<Vec<Row>, Failure> {
        let Request { sql, parameters, .. } = request;
        let statement = if let Some(statement) = self.statements.get(sql) {
            statement.clone()
        } else {
            let statement =
                self.client.prepare(&sql::in_schema(sql, &tables::quote(schema))).await?;
            self.statements.insert(*sql, statement.clone());
            statement
        };
        let parameters: Vec<&(dyn ToSql + Sync)> =
            parameters.iter().map(|parameter| -> &(dyn ToSql + Sync) { &**parameter }).collect();
        Ok(self.client.query(&statement, &parameters).await?)
    }

    async fn close(self) {
        let Self { client, mut driver, statements } = self;
        drop(statements);
        drop(client);
        // If this times out, the server still notices the end of the connection.
        let _ = timeout(CLOSE_TIMEOUT, driver.join_next()).await;
    }
}
