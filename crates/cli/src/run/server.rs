//! The server of `--metrics`: `GET /metrics` and `GET /health`.
//!
//! Each connection has its own thread, with limited time and memory. If there are too many connections, the oldest one
//! is dropped, so clients that send or read nothing never keep others waiting. If there are still too many threads, new
//! connections wait until some of them have ended.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::metrics::Metrics;
use super::process::lacks_resources;
use crate::error::Error;

/// How many connections are open at once. Each may hold a response, which has megabytes for thousands of jobs.
const MOST_CONNECTIONS: usize = 32;
/// How many threads of connections there are at once. Those of dropped connections take a moment to end.
const MOST_THREADS: usize = 2 * MOST_CONNECTIONS;
/// The stack of the thread of a connection, in bytes.
const STACK: usize = 256 * 1024;
/// How long a client may take to send a request, and to read the response.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest request, in bytes.
const LONGEST: usize = 8192;

/// Listens on an address.
pub(super) fn bind(address: &str) -> Result<TcpListener, Error> {
    TcpListener::bind(address).map_err(|error| {
        Error::because(format_args!("cannot listen on `{address}`"), error)
            .hint("write a free address and port, such as `--metrics 127.0.0.1:9090`")
    })
}

/// Starts to serve requests. Returns the address.
pub(super) fn serve(listener: TcpListener, metrics: &Arc<Metrics>) -> io::Result<SocketAddr> {
    let address = listener.local_addr()?;
    let metrics = Arc::clone(metrics);
    let connections = Arc::new(Connections::default());
    let serve = move || {
        loop {
            match listener.accept() {
                Ok((connection, _)) => start(connection, &connections, &metrics),
                // For example too many open files.
                Err(error) if lacks_resources(&error) => {
                    connections.drop_oldest();
                    thread::sleep(Duration::from_millis(100));
                }
                // The client has already gone.
                Err(_) => {}
            }
        }
    };
    thread::Builder::new().name("metrics".to_owned()).spawn(serve)?;
    Ok(address)
}

/// Responds to a connection on a new thread.
fn start(connection: TcpStream, connections: &Arc<Connections>, metrics: &Arc<Metrics>) {
    let connection = Arc::new(connection);
    connections.add(&connection);
    let (all, one, metrics) =
        (Arc::clone(connections), Arc::clone(&connection), Arc::clone(metrics));
    let answer = move || {
        // A failure to respond concerns only the client.
        drop(answer(&one, &all, &metrics));
        all.remove(&one);
    };
    if thread::Builder::new().name("metrics".to_owned()).stack_size(STACK).spawn(answer).is_err() {
        connections.remove(&connection);
    }
}

#[derive(Debug, Default)]
struct Connections {
    state: Mutex<State>,
    /// Wakes the threads that wait, to render or for another thread to end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The open connections, from the oldest to the newest.
    open: VecDeque<Arc<TcpStream>>,
    /// How many threads there are, including those whose connections were dropped.
    threads: usize,
    is_rendering: bool,
}

impl State {
    fn is_open(&self, connection: &Arc<TcpStream>) -> bool {
        self.open.iter().any(|other| Arc::ptr_eq(other, connection))
    }
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, and drops the oldest one if there are too many. Waits if there are too many threads: half of
    /// them are about to end, as their connections were dropped.
    fn add(&self, connection: &Arc<TcpStream>) {
        let is_crowded = |state: &mut State| state.threads >= MOST_THREADS;
        let state = self.changed.wait_while(self.lock(), is_crowded);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.threads += 1;
        state.open.push_back(Arc::clone(connection));
        let is_full = state.open.len() > MOST_CONNECTIONS;
        drop(state);
        if is_full {
            self.drop_oldest();
        }
    }

    /// Removes a connection whose thread ends.
    fn remove(&self, connection: &Arc<TcpStream>) {
        let mut state = self.lock();
        state.threads -= 1;
        state.open.retain(|other| !Arc::ptr_eq(other, connection));
        drop(state);
        self.changed.notify_all();
    }

    /// Closes the oldest connection, which ends its thread.
    fn drop_oldest(&self) {
        let oldest = self.lock().open.pop_front();
        // Fails if the client has closed it.
        drop(oldest.map(|oldest| oldest.shutdown(Shutdown::Both)));
        self.changed.notify_all();
    }

    /// Renders the metrics for a connection, one after the other. Fails if the connection is dropped before its turn.
    fn render(&self, connection: &Arc<TcpStream>, metrics: &Metrics) -> io::Result<String> {
        let must_wait = |state: &mut State| state.is_rendering && state.is_open(connection);
        let state = self.changed.wait_while(self.lock(), must_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if !state.is_open(connection) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        state.is_rendering = true;
        drop(state);
        let text = metrics.render();
        self.lock().is_rendering = false;
        self.changed.notify_all();
        Ok(text)
    }
}

fn answer(one: &Arc<TcpStream>, all: &Connections, metrics: &Metrics) -> io::Result<()> {
    let mut connection: &TcpStream = one;
    connection.set_write_timeout(Some(LIMIT))?;
    let (status, kind, body, has_body) = match read(connection)? {
        Request::Get { path, has_body } => {
            let (status, kind, body) = respond(&path, one, all, metrics)?;
            (status, kind, body, has_body)
        }
        Request::Other => {
            ("405 Method Not Allowed", TEXT, "only GET and HEAD are allowed\n".to_owned(), true)
        }
        Request::Invalid => {
            ("400 Bad Request", TEXT, "this is not an HTTP request\n".to_owned(), true)
        }
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    connection.write_all(head.as_bytes())?;
    if has_body {
        connection.write_all(body.as_bytes())?;
    }
    connection.shutdown(Shutdown::Write)
}

const TEXT: &str = "text/plain; charset=utf-8";

fn respond(
    path: &str,
    one: &Arc<TcpStream>,
    all: &Connections,
    metrics: &Metrics,
) -> io::Result<(&'static str, &'static str, String)> {
    Ok(match path {
        "/metrics" => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", all.render(one, metrics)?)
        }
        "/health" => match metrics.health_problem() {
            None => ("200 OK", TEXT, "ok\n".to_owned()),
            Some(problem) => ("503 Service Unavailable", TEXT, format!("{problem}\n")),
        },
        _ => ("404 Not Found", TEXT, "see /metrics and /health\n".to_owned()),
    })
}

enum Request {
    Get { path: String, has_body: bool },
    Other,
    Invalid,
}

/// Reads the head of a request.
fn read(mut connection: &TcpStream) -> io::Result<Request> {
    let limit = Instant::now() + LIMIT;
    let mut buffer = [0; LONGEST];
    let mut filled = 0;
    loop {
        let left = limit.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        connection.set_read_timeout(Some(left))?;
        let free = buffer.get_mut(filled..).unwrap_or_default();
        let read = connection.read(free)?;
        if read == 0 {
            return Ok(Request::Invalid);
        }
        filled += read;
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(buffer.get(..filled).unwrap_or_default()) {
            Ok(httparse::Status::Partial) => {}
            Ok(httparse::Status::Complete(_)) => {
                let path = path(request.path.unwrap_or_default()).to_owned();
                return Ok(match request.method {
                    Some("GET") => Request::Get { path, has_body: true },
                    Some("HEAD") => Request::Get { path, has_body: false },
                    _ => Request::Other,
                });
            }
            Err(_) => return Ok(Request::Invalid),
        }
    }
}

/// Returns the path of a request target, which may be a whole URL.
fn path(target: &str) -> &str {
    let target = target.split('?').next().unwrap_or_default();
    let authority = target.strip_prefix("http://");
    authority.map_or(target, |authority| authority.find('/').map_or("/", |at| &authority[at..]))
}
