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

/// How far the request on a connection is, which has only one, and since when.
#[derive(Debug)]
pub(super) struct Connection(Mutex<(Phase, Instant)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The head is read.
    Reading,
    Answering,
    /// The response is written. Each part that is read is a new start.
    Writing,
    /// Like [`Writing`](Self::Writing), of a response that has no end.
    Streaming,
}

impl Connection {
    pub(super) fn new() -> Self {
        Self(Mutex::new((Phase::Reading, Instant::now())))
    }

    fn lock(&self) -> MutexGuard<'_, (Phase, Instant)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, phase: Phase) {
        *self.lock() = (phase, Instant::now());
    }

    pub(super) fn is_streaming(&self) -> bool {
        self.lock().0 == Phase::Streaming
    }

    /// Whether the client is too slow.
    pub(super) fn has_expired(&self) -> bool {
        let (phase, since) = *self.lock();
        let longest = match phase {
            Phase::Reading | Phase::Writing => LIMIT,
            Phase::Answering => LONGEST_ANSWER,
            Phase::Streaming => LONGEST_PAUSE,
        };
        since.elapsed() > longest
    }

    fn note_progress(&self) {
        let (phase, since) = &mut *self.lock();
        if matches!(phase, Phase::Writing | Phase::Streaming) {
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
        let connection = |phase, since| Connection(Mutex::new((phase, since)));
        for phase in [Phase::Reading, Phase::Answering, Phase::Writing, Phase::Streaming] {
            assert!(connection(phase, long_ago).has_expired());
            assert!(!connection(phase, Instant::now()).has_expired());
        }
        let connection = connection(Phase::Streaming, long_ago);
        connection.note_progress();
        assert!(!connection.has_expired());
    }
}
