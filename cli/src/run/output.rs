//! [`Outputs`]: the thread that reads what commands write, and ends their runs.
//!
//! One thread reads all pipes, however many commands run. While whoever reads our own output is slow, the pipes
//! fill and the commands wait; the thread that sends signals does not.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_scheduler::{Completion, Outcome};
use mio::unix::pipe;
use mio::{Events, Interest, Poll, Token, Waker};

use super::lines::Lines;
use super::log::{Level, Log, Record, RunLabel, Stream};
use super::process;

/// How often one pipe is read before others have their turn. The second time, most are empty.
const TURN: usize = 2;
/// The most that is read from each pipe of a command that has ended: more than a pipe can hold.
const MOST_LEFT: usize = 64;
const CHUNK: usize = 64 * 1024;
/// The token of messages, which no pipe has.
const WAKE: Token = Token(usize::MAX);

/// A run whose command was started.
#[derive(Debug)]
pub(super) struct Run {
    /// A number that no other run of this process has.
    pub(super) id: usize,
    pub(super) label: RunLabel,
    pub(super) started: Timestamp,
    pub(super) began: Instant,
    pub(super) completion: Completion,
    pub(super) stdout: pipe::Receiver,
    pub(super) stderr: pipe::Receiver,
}

/// How a command has ended.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) status: ExitStatus,
    pub(super) ended: Instant,
    /// Why it was ended, unless it ended by itself.
    pub(super) reason: Option<Reason>,
}

/// Why a command was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    TimedOut(Duration),
    Stopped,
}

enum Message {
    Started(Box<Run>),
    Ended(usize, End),
    Log { level: Level, event: &'static str, message: String },
    Finish(Sender<()>),
}

/// The thread that reads what commands write.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    sender: Sender<Message>,
    waker: Arc<Waker>,
}

impl Outputs {
    /// Starts the thread, which calls `on_end` after each run.
    pub(super) fn start(
        log: Arc<Log>,
        on_end: impl Fn(&str, bool) + Send + 'static,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let (sender, messages) = channel();
        let reader = Reader {
            poll,
            messages,
            log,
            on_end: Box::new(on_end),
            runs: HashMap::new(),
            early: HashMap::new(),
            sources: HashMap::new(),
            unread: BTreeSet::new(),
            buffer: vec![0; CHUNK].into(),
        };
        thread::Builder::new().name("output".to_owned()).spawn(move || reader.run())?;
        Ok(Self { sender, waker })
    }

    /// Reads the output of a run from now on.
    pub(super) fn add(&self, run: Run) {
        self.send(Message::Started(Box::new(run)));
    }

    /// Ends a run, after what its command has written.
    pub(super) fn end(&self, run: usize, end: End) {
        self.send(Message::Ended(run, end));
    }

    /// Writes a message of our own, without waiting for whoever reads the output.
    pub(super) fn log(&self, level: Level, event: &'static str, message: String) {
        self.send(Message::Log { level, event, message });
    }

    /// Writes what is left, and ends the thread. Waits for that up to a time.
    pub(super) fn finish(&self, wait: Duration) {
        let (sender, finished) = channel();
        self.send(Message::Finish(sender));
        let _ = finished.recv_timeout(wait);
    }

    fn send(&self, message: Message) {
        // The thread ends last.
        drop(self.sender.send(message));
        drop(self.waker.wake());
    }
}

/// A pipe that a command writes to.
struct Source {
    run: Arc<RunLabel>,
    stream: Stream,
    pipe: pipe::Receiver,
    lines: Lines,
}

/// A run whose command has not ended.
struct ActiveRun {
    label: Arc<RunLabel>,
    began: Instant,
    completion: Completion,
}

/// Called after each run, with the name of its job, and whether it succeeded.
type OnEnd = Box<dyn Fn(&str, bool) + Send>;

struct Reader {
    poll: Poll,
    messages: Receiver<Message>,
    log: Arc<Log>,
    on_end: OnEnd,
    runs: HashMap<usize, ActiveRun>,
    /// Ends that arrived before their runs.
    early: HashMap<usize, End>,
    /// The pipes, by token. They may be open for longer than the run lasts.
    sources: HashMap<usize, Source>,
    /// Pipes that had more to read than their turn allowed.
    unread: BTreeSet<usize>,
    buffer: Box<[u8]>,
}

/// Returns the token of a pipe.
const fn token(run: usize, stream: Stream) -> usize {
    run * 2 + stream as usize
}

impl Reader {
    fn run(mut self) {
        let mut events = Events::with_capacity(1024);
        loop {
            let wait = (!self.unread.is_empty()).then_some(Duration::ZERO);
            // A signal may interrupt it.
            if self.poll.poll(&mut events, wait).is_err() {
                events.clear();
            }
            let mut ready = std::mem::take(&mut self.unread);
            ready.extend(events.iter().map(|event| event.token().0));
            for token in ready {
                self.read(token, TURN);
            }
            while let Ok(message) = self.messages.try_recv() {
                match message {
                    Message::Started(run) => self.add(*run),
                    Message::Ended(run, end) => self.end(run, end),
                    Message::Log { level, event, message } => {
                        self.log.write(&Record::new(level, event, message));
                    }
                    Message::Finish(finished) => {
                        self.finish();
                        let _ = finished.send(());
                        return;
                    }
                }
            }
        }
    }

    fn add(&mut self, run: Run) {
        let Run { id, label, started, began, completion, stdout, stderr } = run;
        let label = Arc::new(label);
        self.log.write(&Record::new(Level::Info, "started", "started").of_run(&label).at(started));
        for (stream, mut pipe) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
            let token = token(id, stream);
            let registry = self.poll.registry();
            if let Err(error) = registry.register(&mut pipe, Token(token), Interest::READABLE) {
                let message = format!("its output cannot be read: {error}");
                self.log.write(&Record::new(Level::Error, "lost", message).of_run(&label));
                continue;
            }
            let run = Arc::clone(&label);
            self.sources.insert(token, Source { run, stream, pipe, lines: Lines::default() });
        }
        self.runs.insert(id, ActiveRun { label, began, completion });
        if let Some(end) = self.early.remove(&id) {
            self.end(id, end);
        }
    }

    /// Reads from a pipe, and writes the lines. Reads at most `most` chunks.
    fn read(&mut self, token: usize, most: usize) {
        let Some(source) = self.sources.get_mut(&token) else { return };
        let Source { run, stream, pipe, lines } = source;
        for _ in 0..most {
            match pipe.read(&mut self.buffer) {
                Ok(0) => return self.close(token),
                Ok(read) => {
                    let chunk = self.buffer.get(..read).unwrap_or_default();
                    self.log.write_lines(run, *stream, |take| lines.push(chunk, take));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return self.close(token),
            }
        }
        self.unread.insert(token);
    }

    /// Writes the line that a command has begun.
    fn flush(&mut self, token: usize) {
        if let Some(Source { run, stream, lines, .. }) = self.sources.get_mut(&token) {
            self.log.write_lines(run, *stream, |take| lines.finish(take));
        }
    }

    fn close(&mut self, token: usize) {
        self.flush(token);
        // Closing a pipe ends its registration.
        self.sources.remove(&token);
    }

    fn end(&mut self, id: usize, end: End) {
        let Some(run) = self.runs.remove(&id) else {
            self.early.insert(id, end);
            return;
        };
        for stream in [Stream::Stdout, Stream::Stderr] {
            // A process in the background may go on to write.
            self.read(token(id, stream), MOST_LEFT);
            self.flush(token(id, stream));
        }
        let seconds = end.ended.duration_since(run.began).as_secs_f64();
        let failure = end.failure();
        let (level, event, message) = match &failure {
            None => (Level::Info, "succeeded", format!("succeeded in {seconds:.3}s")),
            Some(failure) => (Level::Error, "failed", format!("{failure}, after {seconds:.3}s")),
        };
        let record = Record::new(level, event, message).of_run(&run.label);
        self.log.write(&record.ended(seconds, end.status));
        let is_success = failure.is_none();
        run.completion.finish(failure.map_or(Outcome::Succeeded, Outcome::Failed));
        (self.on_end)(&run.label.job, is_success);
    }

    /// Writes what is left in the pipes of background processes.
    fn finish(&mut self) {
        let open: Vec<usize> = self.sources.keys().copied().collect();
        for token in open {
            self.read(token, MOST_LEFT);
            self.flush(token);
        }
    }
}

impl End {
    /// Returns how the run failed, if it did.
    fn failure(&self) -> Option<String> {
        let failure = process::failure(self.status);
        match self.reason {
            Some(Reason::TimedOut(limit)) => {
                let ended = failure.map_or_else(String::new, |failure| format!(" ({failure})"));
                Some(format!("timed out after {limit:?}{ended}"))
            }
            Some(Reason::Stopped) => failure.map(|failure| format!("stopped ({failure})")),
            None => failure,
        }
    }
}
