//! [`Connections`]: the open connections of a listener.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::sleep;

use super::connection::{Connection, NotedStream, Phase};
use crate::run::process::lacks_resources;

/// How many connections wait for a response at once. Each may hold one, which has megabytes for thousands of jobs.
const MOST_REQUESTS: usize = 32;
/// How many open pages are kept up to date at once.
const MOST_STREAMS: usize = 256;
/// How many connections are accepted before any is read.
const BATCH: usize = MOST_REQUESTS / 2;
/// How often to look for clients that are too slow.
const SWEEP: Duration = Duration::from_millis(500);
/// How long to wait if the machine lacks the resources for another connection.
const TRY_AGAIN: Duration = Duration::from_millis(100);

/// The open connections of a listener.
#[derive(Clone, Debug, Default)]
pub(super) struct Connections(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    /// From the oldest to the newest.
    requests: VecDeque<OpenConnection>,
    /// Those whose responses have no end.
    streams: VecDeque<OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    connection: Arc<Connection>,
    task: AbortHandle,
}

/// Removes a connection when its task ends, or is dropped.
struct Closing {
    connections: Connections,
    connection: Arc<Connection>,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Responds to all connections.
    pub(super) async fn serve(self, listener: TcpListener, router: Router, longest_head: usize) {
        let router = router.layer(from_fn(note_phase));
        tokio::spawn(self.clone().sweep());
        let mut accepted = 0_usize;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    self.start(stream, &router, longest_head);
                    accepted = accepted.wrapping_add(1);
                    if accepted.is_multiple_of(BATCH) {
                        // They are read before others are accepted, so that a burst does not drop them.
                        yield_now().await;
                    }
                }
                // For example too many open files.
                Err(error) if lacks_resources(&error) => {
                    drop_oldest(&mut self.lock().requests);
                    sleep(TRY_AGAIN).await;
                }
                // The client has already gone.
                Err(_) => {}
            }
        }
    }

    /// Responds to a connection in a new task.
    fn start(&self, stream: TcpStream, router: &Router, longest_head: usize) {
        let connection = Arc::new(Connection::new());
        let router = router.clone();
        let router =
            router.layer(Extension(self.clone())).layer(Extension(Arc::clone(&connection)));
        let io = NotedStream { stream, connection: Arc::clone(&connection) };
        let served = http1::Builder::new()
            .keep_alive(false)
            .half_close(true)
            .header_read_timeout(None)
            .max_buf_size(longest_head)
            .title_case_headers(true)
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(router));
        let closing = Closing { connections: self.clone(), connection: Arc::clone(&connection) };
        let mut open = self.lock();
        let task = tokio::spawn(async move {
            let _closing = closing;
            // A failure to respond concerns only the client.
            drop(served.await);
        });
        open.requests.push_back(OpenConnection { connection, task: task.abort_handle() });
        if open.requests.len() > MOST_REQUESTS {
            drop_oldest(&mut open.requests);
        }
    }

    /// Moves a connection to those whose responses have no end.
    fn keep(&self, connection: &Arc<Connection>) {
        let mut open = self.lock();
        connection.enter(Phase::Streaming);
        let is_it = |other: &OpenConnection| Arc::ptr_eq(&other.connection, connection);
        let index = open.requests.iter().position(is_it);
        let found = index.and_then(|index| open.requests.remove(index));
        open.streams.extend(found);
        if open.streams.len() > MOST_STREAMS {
            drop_oldest(&mut open.streams);
        }
    }

    /// Drops connections of clients that are too slow.
    async fn sweep(self) {
        loop {
            sleep(SWEEP).await;
            let open = self.lock();
            for open in open.requests.iter().chain(&open.streams) {
                if open.connection.has_expired() {
                    open.task.abort();
                }
            }
        }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        let is_streaming = self.connection.is_streaming();
        let of_kind = if is_streaming { &mut open.streams } else { &mut open.requests };
        of_kind.retain(|other| !Arc::ptr_eq(&other.connection, &self.connection));
    }
}

/// Closes the oldest connection. Its task ends later, in the runtime.
fn drop_oldest(open: &mut VecDeque<OpenConnection>) {
    if let Some(oldest) = open.pop_front() {
        oldest.task.abort();
    }
}

/// Notes how far a request is.
async fn note_phase(
    Extension(connections): Extension<Connections>,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
    next: Next,
) -> Response {
    connection.enter(Phase::Answering);
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        connections.keep(&connection);
    } else {
        connection.enter(Phase::Writing);
    }
    response
}
