//! The server of `--metrics`: `GET /metrics` and `GET /health`.
//!
//! A few threads handle one connection at a time, each with limited time and memory, so clients that send nothing
//! cannot exhaust them.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::metrics::Metrics;
use crate::error::Error;

const THREADS: usize = 4;
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
    let listener = Arc::new(listener);
    for _ in 0..THREADS {
        let (listener, metrics) = (Arc::clone(&listener), Arc::clone(metrics));
        let serve = move || {
            loop {
                match listener.accept() {
                    // A failure to respond concerns only the client.
                    Ok((connection, _)) => drop(answer(connection, &metrics)),
                    // For example too many open files, which may be temporary.
                    Err(_) => thread::sleep(Duration::from_millis(100)),
                }
            }
        };
        thread::Builder::new().name("metrics".to_owned()).spawn(serve)?;
    }
    Ok(address)
}

fn answer(mut connection: TcpStream, metrics: &Metrics) -> io::Result<()> {
    connection.set_write_timeout(Some(LIMIT))?;
    let (status, kind, body, has_body) = match read(&mut connection)? {
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
    connection.shutdown(std::net::Shutdown::Write)
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
fn read(connection: &mut TcpStream) -> io::Result<Request> {
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
                let path = request.path.unwrap_or_default();
                let path = path.split('?').next().unwrap_or_default().to_owned();
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
