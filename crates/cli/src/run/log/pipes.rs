//! [`Pipes`]: the pipes of a command, until the output thread takes them.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use mio::unix::pipe::Receiver;

use super::Stream;

/// The pipes of a run, until the output thread takes them.
///
/// While nobody reads the output, that thread is blocked, but runs still start. Since a process can open few files, the
/// pipes of a run that ends meanwhile are closed, and their content is kept in memory.
#[derive(Debug)]
pub(crate) struct Pipes(Mutex<Option<[(Stream, Receiver); 2]>>);

impl Pipes {
    pub(crate) const fn new(stdout: Receiver, stderr: Receiver) -> Self {
        Self(Mutex::new(Some([(Stream::Stdout, stdout), (Stream::Stderr, stderr)])))
    }

    /// Takes the pipes, unless they were closed.
    pub(crate) fn take(&self) -> Option<[(Stream, Receiver); 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Closes the pipes, unless they were taken, and returns their content.
    pub(crate) fn close(&self) -> Option<[(Stream, Vec<u8>); 2]> {
        Some(self.take()?.map(|(stream, pipe)| {
            let mut bytes = Vec::new();
            // A process that has left the command's group may still be writing.
            let unread = rustix::io::ioctl_fionread(&pipe).unwrap_or_default();
            // Reading the available bytes neither blocks nor fails.
            drop(pipe.take(unread).read_to_end(&mut bytes));
            (stream, bytes)
        }))
    }
}
