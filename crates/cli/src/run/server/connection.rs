//! [`Connection`]: how far the request on a connection is.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How long a client may take to send the head of a request, and to read a part of the response.
const LIMIT: Duration = Duration::from_secs(5);
/// How long a response may take to begin, which includes reading the body of the request.
const LONGEST_ANSWER: Duration = Duration::from_secs(30);
/// How long nothing of a response without end may be written. Of an open page, something is at least every 15 s.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How far the request on a connection is, which has only one.
#[derive(Debug)]
pub(super) struct Connection(Mutex<Phase>);

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The head is read.
    Reading(Instant),
    Answering(Instant),
    /// The response is written, of which a part was read at this time.
    Writing(Instant),
    /// The response has no end, and a part of it was read at this time.
    Streaming(Instant),
}

impl Connection {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Phase::Reading(Instant::now())))
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn answer(&self) {
        *self.phase() = Phase::Answering(Instant::now());
    }

    pub(super) fn write(&self) {
        *self.phase() = Phase::Writing(Instant::now());
    }

    pub(super) fn stream(&self) {
        *self.phase() = Phase::Streaming(Instant::now());
    }

    pub(super) fn is_streaming(&self) -> bool {
        matches!(*self.phase(), Phase::Streaming(_))
    }

    /// Whether the client is too slow.
    pub(super) fn has_expired(&self) -> bool {
        match *self.phase() {
            Phase::Reading(since) | Phase::Writing(since) => since.elapsed() > LIMIT,
            Phase::Answering(since) => since.elapsed() > LONGEST_ANSWER,
            Phase::Streaming(since) => since.elapsed() > LONGEST_PAUSE,
        }
    }

    fn note_progress(&self) {
        let mut phase = self.phase();
        if let Phase::Writing(since) | Phase::Streaming(since) = &mut *phase {
            *since = Instant::now();
        }
    }
}

/// A stream that notes when the client has read something.
#[derive(Debug)]
pub(super) struct NotedStream {
    pub(super) stream: TcpStream,
    pub(super) connection: Arc<Connection>,
}

impl NotedStream {
    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(_))) {
            self.connection.note_progress();
        }
        written
    }
}

impl AsyncRead for NotedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for NotedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_that_read_nothing_expire() {
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_mins(2)) else { return };
        let is_expired = |phase| Connection(Mutex::new(phase)).has_expired();
        for phase in [Phase::Reading, Phase::Answering, Phase::Writing, Phase::Streaming] {
            assert!(is_expired(phase(long_ago)));
            assert!(!is_expired(phase(Instant::now())));
        }
        let connection = Connection(Mutex::new(Phase::Streaming(long_ago)));
        connection.note_progress();
        assert!(!connection.has_expired());
    }
}
