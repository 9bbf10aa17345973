//! [`OutputThread`]: the thread that reads the output of commands, and writes ours.
//!
//! One thread reads all pipes, however many commands run. If our output is read slowly, the pipes fill and the
//! commands that write block, but our other threads do not.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use millicron_history::error_message;
use mio::unix::pipe;
use mio::{Events, Interest, Poll, Token, Waker};

use super::lines::{self, Lines};
use super::pipes::Pipes;
use super::{Log, LogFormat, Record, RunLabel, Stream};

/// The most bytes to read from a pipe before the next one has its turn. As JSON, they may be a hundred times as long.
const CHUNK: usize = 16 * 1024;
/// The longest line that is passed through whole. The output of another job could come between parts of a line.
const LONGEST_RAW: usize = 1024 * 1024;
/// How long the reader of the last lines may pause.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// How long writing all of the last lines may take at least.
const LONGEST_END: Duration = Duration::from_secs(5);
/// How often to check whether the last lines are read. The limits count checks rather than time, since the whole machine
/// may have been suspended.
const CHECK: Duration = Duration::from_millis(50);
/// How many messages may wait to be written.
const MOST_WAITING: usize = 100_000;
/// How many bytes of runs that have ended may wait to be written.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The token of messages, which differs from those of all pipes.
const WAKE: Token = Token(usize::MAX);

/// A run whose command was started.
#[derive(Debug)]
pub(crate) struct StartedRun {
    /// A number that is unique in this process.
    pub(crate) id: usize,
    pub(crate) label: Arc<RunLabel>,
    pub(crate) started: Timestamp,
    pub(crate) pipes: Arc<Pipes>,
}

/// A run that has ended, and how.
#[derive(Clone, Debug)]
pub(crate) struct RunEnd {
    pub(crate) id: usize,
    pub(crate) label: Arc<RunLabel>,
    pub(crate) record: Record<'static>,
}

/// Receives what commands write.
pub(crate) trait OutputCopy: Send + Sync {
    /// Adds what the command of a run has written.
    fn add(&self, run: &RunLabel, bytes: &[u8]);

    /// Notes that the command of a run has ended. Some of its output may not be added yet.
    fn end(&self, run: &RunLabel);

    /// Notes that all output of a command that has ended was added.
    fn set_read(&self, run: &RunLabel);
}

/// The output of a command, if its pipes were closed before they were read.
type Unread = Option<[(Stream, Vec<u8>); 2]>;

enum OutputMessage {
    Started(Box<StartedRun>),
    Ended(Box<RunEnd>, Unread),
    Log(Box<Record<'static>>),
    Finish(Sender<()>),
}

/// A handle of the output thread.
#[derive(Clone)]
pub(crate) struct OutputThread {
    log: Arc<Log>,
    sender: Sender<OutputMessage>,
    waker: Arc<Waker>,
    waiting: Arc<Waiting>,
    copy: Option<Arc<dyn OutputCopy>>,
}

/// The amount of output that waits to be written.
#[derive(Debug, Default)]
struct Waiting {
    messages: AtomicUsize,
    /// The bytes of runs that have ended.
    bytes: AtomicUsize,
    /// How many messages were lost because too many were waiting.
    lost: AtomicU64,
}

impl OutputThread {
    /// Starts the thread. It also passes what commands write to `copy`.
    pub(crate) fn start(log: Log, copy: Option<Arc<dyn OutputCopy>>) -> io::Result<Self> {
        let (log, poll) = (Arc::new(log), Poll::new()?);
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let (sender, messages) = channel();
        let waiting = Arc::<Waiting>::default();
        let reader = PipeReader {
            poll,
            messages,
            waiting: Arc::clone(&waiting),
            log: Arc::clone(&log),
            copy: copy.clone(),
            sources: HashMap::new(),
            unread: BTreeSet::new(),
            buffer: vec![0; CHUNK].into(),
        };
        thread::Builder::new().name("output".to_owned()).spawn(move || reader.run())?;
        Ok(Self { log, sender, waker, waiting, copy })
    }

    /// Returns an instant as it is written in messages.
    pub(crate) fn time(&self, time: SystemTime) -> String {
        self.log.time(time)
    }

    /// Returns for how long a write has been blocked.
    pub(crate) fn blocked(&self) -> Duration {
        self.log.blocked()
    }

    /// Returns whether output is lost because its disk is full or fails.
    pub(crate) fn is_losing(&self) -> bool {
        self.log.is_losing()
    }

    /// Reads the output of a run from now on.
    pub(crate) fn add(&self, run: StartedRun) {
        self.send(OutputMessage::Started(Box::new(run)));
    }

    /// Writes the end of a run, after the output of its command. Closes its pipes if they were not read yet.
    pub(crate) fn end(&self, run: RunEnd, pipes: Option<&Pipes>) {
        if let Some(copy) = &self.copy {
            copy.end(&run.label);
        }
        let mut unread = pipes.and_then(Pipes::close);
        let bytes = length(&unread);
        if self.waiting.bytes.load(Ordering::Relaxed) + bytes > MOST_BYTES {
            let message = format!("{bytes} bytes of its output were lost: nobody has read it");
            let label = Cow::Owned((*run.label).clone());
            self.log(Record::warning("lost", message).of_run(label));
            unread = None;
        }
        self.waiting.bytes.fetch_add(length(&unread), Ordering::Relaxed);
        self.send(OutputMessage::Ended(Box::new(run), unread));
    }

    /// Writes our own message. Like the other methods, it does not block if the output is not read.
    pub(crate) fn log(&self, record: Record<'static>) {
        if self.waiting.messages.load(Ordering::Relaxed) < MOST_WAITING {
            self.send(OutputMessage::Log(Box::new(record)));
        } else {
            self.waiting.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes the remaining output, and ends the thread. Waits for that while the output is read, for at most `limit` or
    /// a few seconds.
    pub(crate) fn finish(&self, limit: Duration) {
        let (sender, finished) = channel();
        self.send(OutputMessage::Finish(sender));
        let (mut left, mut paused) = (limit.max(LONGEST_END), Duration::ZERO);
        while !left.is_zero() && paused < LONGEST_WAIT {
            if finished.recv_timeout(CHECK) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            left = left.saturating_sub(CHECK);
            paused = if self.blocked() < CHECK { Duration::ZERO } else { paused + CHECK };
        }
    }

    fn send(&self, message: OutputMessage) {
        self.waiting.messages.fetch_add(1, Ordering::Relaxed);
        // The thread ends last.
        drop(self.sender.send(message));
        drop(self.waker.wake());
    }
}

/// A pipe that a command writes to.
struct CommandPipe {
    run: Arc<RunLabel>,
    stream: Stream,
    pipe: pipe::Receiver,
    lines: Lines,
}

struct PipeReader {
    poll: Poll,
    messages: Receiver<OutputMessage>,
    waiting: Arc<Waiting>,
    log: Arc<Log>,
    copy: Option<Arc<dyn OutputCopy>>,
    /// The pipes, by token. They may stay open after the run has ended.
    sources: HashMap<usize, CommandPipe>,
    /// Pipes that may have more to read.
    unread: BTreeSet<usize>,
    buffer: Box<[u8]>,
}

fn length(unread: &Unread) -> usize {
    unread.iter().flatten().map(|(_, bytes)| bytes.len()).sum()
}

/// Returns the token of a pipe.
const fn token(run: usize, stream: Stream) -> usize {
    run * 2 + stream as usize
}

impl PipeReader {
    fn run(mut self) {
        let mut events = Events::with_capacity(1024);
        loop {
            let wait = (!self.unread.is_empty()).then_some(Duration::ZERO);
            // A signal may interrupt the wait.
            if self.poll.poll(&mut events, wait).is_err() {
                events.clear();
            }
            let mut ready = std::mem::take(&mut self.unread);
            ready.extend(events.iter().map(|event| event.token().0));
            for token in ready {
                self.read(token, 1);
                // Messages do not wait until all pipes are read.
                if self.handle_messages() {
                    return;
                }
            }
        }
    }

    /// Handles all messages. Returns whether to end.
    fn handle_messages(&mut self) -> bool {
        while let Ok(message) = self.messages.try_recv() {
            self.waiting.messages.fetch_sub(1, Ordering::Relaxed);
            match message {
                OutputMessage::Started(run) => self.add(*run),
                OutputMessage::Ended(run, unread) => {
                    self.waiting.bytes.fetch_sub(length(&unread), Ordering::Relaxed);
                    self.end(*run, unread);
                }
                OutputMessage::Log(record) => self.write(&record),
                OutputMessage::Finish(finished) => {
                    self.finish();
                    let _ = finished.send(());
                    return true;
                }
            }
        }
        false
    }

    fn write(&self, record: &Record<'_>) {
        let lost = self.waiting.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let message = format!("{lost} messages were lost: nobody has read the output");
            self.log.write(&Record::warning("lost", message).count(lost));
        }
        self.log.write(record);
    }

    fn add(&mut self, run: StartedRun) {
        let StartedRun { id, label, started, pipes } = run;
        self.log
            .write(&Record::info("started", "started").of_run(Cow::Borrowed(&label)).at(started));
        for (stream, mut pipe) in pipes.take().into_iter().flatten() {
            let token = token(id, stream);
            let registry = self.poll.registry();
            if let Err(error) = registry.register(&mut pipe, Token(token), Interest::READABLE) {
                let message = format!("its output cannot be read: {}", error_message(&error));
                self.log.write(&Record::error("lost", message).of_run(Cow::Borrowed(&label)));
                continue;
            }
            let run = Arc::clone(&label);
            let lines = self.lines();
            self.sources.insert(token, CommandPipe { run, stream, pipe, lines });
        }
    }

    fn lines(&self) -> Lines {
        Lines::new(if self.log.format() == LogFormat::Raw { LONGEST_RAW } else { lines::LONGEST })
    }

    /// Reads from a pipe, and writes the lines. Reads at most `most` chunks.
    fn read(&mut self, token: usize, most: usize) {
        let Some(source) = self.sources.get_mut(&token) else { return };
        let CommandPipe { run, stream, pipe, lines } = source;
        for _ in 0..most {
            match pipe.read(&mut self.buffer) {
                Ok(0) => return self.close(token),
                Ok(read) => {
                    let chunk = self.buffer.get(..read).unwrap_or_default();
                    // Before it is written, which may take long.
                    if let Some(copy) = &self.copy {
                        copy.add(run, chunk);
                    }
                    self.log.write_lines(run, *stream, |take| lines.push(chunk, take));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.close(token),
            }
        }
        self.unread.insert(token);
    }

    /// Writes the unfinished line of a command.
    fn flush(&mut self, token: usize) {
        if let Some(CommandPipe { run, stream, lines, .. }) = self.sources.get_mut(&token) {
            self.log.write_lines(run, *stream, |take| lines.finish(take));
        }
    }

    fn close(&mut self, token: usize) {
        self.flush(token);
        // Closing a pipe ends its registration.
        self.sources.remove(&token);
    }

    fn end(&mut self, RunEnd { id, label, record }: RunEnd, unread: Unread) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.drain(token(id, stream));
        }
        for (stream, bytes) in unread.into_iter().flatten() {
            if let Some(copy) = &self.copy {
                copy.add(&label, &bytes);
            }
            let mut lines = self.lines();
            self.log.write_lines(&label, stream, |take| {
                lines.push(&bytes, &mut *take);
                lines.finish(take);
            });
        }
        if let Some(copy) = &self.copy {
            copy.set_read(&label);
        }
        self.log.write(&record.of_run(Cow::Borrowed(&label)));
    }

    /// Writes the current content of a pipe. A background process may write more later.
    fn drain(&mut self, token: usize) {
        let Some(source) = self.sources.get(&token) else { return };
        let left = rustix::io::ioctl_fionread(&source.pipe).unwrap_or_default();
        let left = usize::try_from(left).unwrap_or_default();
        // One more read detects the end of the pipe.
        self.read(token, left / CHUNK + 1);
        self.flush(token);
    }

    /// Writes the current content of the pipes of background processes.
    fn finish(&mut self) {
        let open: Vec<usize> = self.sources.keys().copied().collect();
        for token in open {
            self.drain(token);
        }
    }
}
