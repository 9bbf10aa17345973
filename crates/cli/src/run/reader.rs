//! [`FileReader`]: reads the job file again.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use super::watch::FileWatch;
use super::{Message, ready};
use crate::error::Error;
use crate::file::{FileArguments, JobFile, may_block};

/// Reads the job file and its calendars again, on its own thread: their disk may hang.
pub(super) struct FileReader {
    requests: Sender<()>,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Reading {
    /// The file, or why its jobs cannot be run.
    pub(super) file: Result<JobFile, Error>,
    /// Whether a signal asked for it. Otherwise, the file has changed.
    pub(super) is_requested: bool,
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

    /// Asks for the file to be read. Returns whether it will be: a panic may have ended the thread.
    pub(super) fn request(&self) -> bool {
        self.requests.send(()).is_ok()
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
        while let Some(is_requested) = self.wait() {
            let reading = Reading { file: self.read(), is_requested };
            if self.to.send(Message::Read(Box::new(reading))).is_err() {
                return;
            }
        }
    }

    /// Waits until the file is to be read. Returns whether that was requested; `None` if nobody can request it any more.
    fn wait(&mut self) -> Option<bool> {
        let Some(watch) = &mut self.watch else {
            return self.requests.recv().ok().map(|()| true);
        };
        loop {
            match self.requests.recv_timeout(watch.next.saturating_duration_since(Instant::now())) {
                Ok(()) => return Some(true),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if watch.has_changed(Instant::now()) => {
                    return Some(false);
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
