//! [`Pipes`]: what a command writes to, until somebody reads it.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use mio::unix::pipe::Receiver;

use super::log::Stream;

/// The pipes of a run, until the thread of the output takes them.
///
/// While nobody reads the output, that thread waits, and runs go on to start. A process may have few files open, so
/// the pipes of a run that ends meanwhile are closed, and what is in them is kept in memory.
#[derive(Debug)]
pub(super) struct Pipes(Mutex<Option<[(Stream, Receiver); 2]>>);

impl Pipes {
    pub(super) const fn new(stdout: Receiver, stderr: Receiver) -> Self {
        Self(Mutex::new(Some([(Stream::Stdout, stdout), (Stream::Stderr, stderr)])))
    }

    /// Takes the pipes, unless they were closed.
    pub(super) fn take(&self) -> Option<[(Stream, Receiver); 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Closes the pipes, unless they were taken, and returns what is in them.
    pub(super) fn close(&self) -> Option<[(Stream, Vec<u8>); 2]> {
        Some(self.take()?.map(|(stream, pipe)| {
            let mut bytes = Vec::new();
            // A process that has left the group of the command may go on to write.
            let unread = rustix::io::ioctl_fionread(&pipe).unwrap_or_default();
            // Reading what is there neither waits nor fails.
            drop(pipe.take(unread).read_to_end(&mut bytes));
            (stream, bytes)
        }))
    }
}
