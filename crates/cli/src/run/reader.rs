//! [`FileReader`]: reads the job file again.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use super::watch::FileWatch;
use super::{Message, ready};
use crate::error::Error;
use crate::file::{FileArguments, JobFile, may_block};

/// Reads the job file and its calendars again, on a thread of its own: their disk may hang.
pub(super) struct FileReader {
    requests: Sender<()>,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Reading {
    /// The file, or why its jobs cannot be run.
    pub(super) file: Result<JobFile, Error>,
    /// Whether the file had changed, and nobody asked.
    pub(super) is_by_itself: bool,
}

impl FileReader {
    /// Starts the thread.
    pub(super) fn start(
        file: FileArguments,
        watch: Option<FileWatch>,
        to: Sender<Message>,
    ) -> io::Result<Self> {
        let (sender, requests) = channel();
        let thread = ReaderThread { file, watch, requests, to };
        thread::Builder::new().name("file".to_owned()).spawn(|| thread.run())?;
        Ok(Self { requests: sender })
    }

    /// Asks for the file to be read.
    pub(super) fn request(&self) {
        // The thread ends only if nobody waits for messages.
        let _ = self.requests.send(());
    }
}

struct ReaderThread {
    file: FileArguments,
    watch: Option<FileWatch>,
    requests: Receiver<()>,
    to: Sender<Message>,
}

impl ReaderThread {
    fn run(mut self) {
        while let Some(is_by_itself) = self.wait() {
            let reading = Reading { file: self.read(), is_by_itself };
            if self.to.send(Message::Read(Box::new(reading))).is_err() {
                return;
            }
        }
    }

    /// Waits until the file is to be read. Returns whether that is because it has changed; `None` if it is no longer
    /// needed.
    fn wait(&mut self) -> Option<bool> {
        let Some(watch) = &mut self.watch else {
            return self.requests.recv().ok().map(|()| false);
        };
        loop {
            match self.requests.recv_timeout(watch.next.saturating_duration_since(Instant::now())) {
                Ok(()) => return Some(false),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if watch.has_changed(Instant::now()) => {
                    return Some(true);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn read(&mut self) -> Result<JobFile, Error> {
        if let Some(watch) = &mut self.watch {
            watch.set_read();
        }
        // A missing file is an error when it is read.
        if may_block(&self.file.file) {
            return Err(Error::new("only a regular file can be reloaded"));
        }
        let file = self.file.load()?;
        // Also of a file with errors, which may be in them.
        if let Some(watch) = &mut self.watch {
            watch.set_calendars(file.calendars.files());
        }
        ready(file)
    }
}
