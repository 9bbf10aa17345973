//! The server of `--metrics`: `GET /metrics` and `GET /health`.
//!
//! Each connection has its own thread, with limited time and memory. If there are too many connections, the oldest one
//! is dropped, so clients that send or read nothing never keep others waiting.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::metrics::Metrics;
use crate::error::Error;

/// How many connections are open at once. Each may hold a response, which has megabytes for thousands of jobs.
const MOST_CONNECTIONS: usize = 32;
/// The stack of the thread of a connection, in bytes.
const STACK: usize = 256 * 1024;
/// How long a client may take to send a request, and to read the response.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest request, in bytes.
const LONGEST: usize = 8192;

/// Listens on an address.
pub(super) fn bind(address: &str) -> Result<TcpListener, Error> {
    TcpListener::bind(address).map_err(|error| {
        Error::new(format_args!("cannot listen on `{address}`: {error}"))
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
            if let Ok((connection, _)) = listener.accept() {
                start(connection, &connections, &metrics);
            } else {
                // For example too many open files.
                connections.drop_oldest();
                thread::sleep(Duration::from_millis(100));
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
        drop(answer(&one, &metrics));
        all.remove(&one);
    };
    if thread::Builder::new().name("metrics".to_owned()).stack_size(STACK).spawn(answer).is_err() {
        connections.remove(&connection);
    }
}

/// The open connections, from the oldest to the newest.
#[derive(Debug, Default)]
struct Connections(Mutex<VecDeque<Arc<TcpStream>>>);

impl Connections {
    /// Adds a connection, and drops the oldest one if there are too many.
    fn add(&self, connection: &Arc<TcpStream>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(Arc::clone(connection));
        let is_full = open.len() > MOST_CONNECTIONS;
        drop(open);
        if is_full {
            self.drop_oldest();
        }
    }

    fn remove(&self, connection: &Arc<TcpStream>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| !Arc::ptr_eq(other, connection));
    }

    /// Closes the oldest connection, which ends its thread.
    fn drop_oldest(&self) {
        let oldest = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        // Fails if the client has closed it.
        drop(oldest.map(|oldest| oldest.shutdown(Shutdown::Both)));
    }
}

fn answer(mut connection: &TcpStream, metrics: &Metrics) -> io::Result<()> {
    connection.set_write_timeout(Some(LIMIT))?;
    let (status, kind, body, has_body) = match read(connection)? {
        Request::Get { path, has_body } => {
            let (status, kind, body) = respond(&path, metrics);
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

fn respond(path: &str, metrics: &Metrics) -> (&'static str, &'static str, String) {
    match path {
        "/metrics" => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics.render()),
        "/health" => match metrics.illness() {
            None => ("200 OK", TEXT, "ok\n".to_owned()),
            Some(illness) => ("503 Service Unavailable", TEXT, format!("{illness}\n")),
        },
        _ => ("404 Not Found", TEXT, "see /metrics and /health\n".to_owned()),
    }
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
