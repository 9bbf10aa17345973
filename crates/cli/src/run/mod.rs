//! `millicron run`: runs the commands in a file on schedule.
//!
//! The scheduler decides when a run starts, and its workers start the processes. The main thread waits for
//! signals, reaps processes, and kills those that exceed their limits. The output thread reads the output of all
//! commands. It is the only thread that writes, so the others never block if our output is not read. A thread reads the
//! file again.

mod events;
#[cfg_attr(not(feature = "history"), path = "no_history.rs")]
mod history;
mod jobs;
mod log;
mod metrics;
#[cfg_attr(not(feature = "page"), path = "no_page.rs")]
mod page;
mod process;
mod reader;
#[cfg_attr(not(feature = "metrics"), path = "no_recorder.rs")]
mod recorder;
#[cfg_attr(not(feature = "server"), path = "no_server.rs")]
mod server;
mod stop;
#[cfg(test)]
mod testing;
mod watch;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use clap::Args;
use jiff::Timestamp;
use millicron_pictures::counted;
use millicron_scheduler::{Event, RunContext, Scheduler, Workers};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR2, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use self::events::PipelineNames;
use self::history::{HistoryFile, RunWriter};
use self::jobs::Jobs;
use self::log::{Log, LogFormat, OutputCopy, OutputThread, Record};
use self::metrics::Metrics;
use self::page::{Page, PageOptions};
use self::process::{Children, adopt_orphans, raise_open_files};
use self::reader::{FileReader, Reading};
use self::recorder::Recorder;
use self::server::Listeners;
use self::stop::Stop;
use self::watch::FileWatch;
use crate::check;
use crate::error::{Error, with_hint};
use crate::file::{FileArguments, JobFile, LineStarts, duration, may_block};
use crate::times::Now;

/// How to run the jobs of a file.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) file: FileArguments,

    /// How long running commands may continue after SIGTERM or SIGINT
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    grace: Duration,

    /// How long a command may take to end after SIGTERM before it is killed
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    kill_after: Duration,

    /// Read the file again when it changes, as on SIGHUP
    #[arg(long)]
    watch: bool,

    /// Serve /metrics for Prometheus and /health at this address, such as 127.0.0.1:9090
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,

    #[command(flatten)]
    page: PageOptions,

    /// Write how runs ended to this SQLite file, for `millicron graph --history`
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Write only the output of commands, warnings and errors
    #[arg(long, short)]
    quiet: bool,

    /// Pass output through unchanged, stdout to stdout and stderr to stderr; write messages to stderr
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
}

/// A message to the main thread.
#[derive(Debug)]
enum Message {
    /// A signal, and when it came.
    Signal(i32, Instant),
    /// Wakes the thread to check its deadlines.
    Woken,
    /// Ends a run.
    Cancel(Box<RunContext>),
    /// The output was closed.
    Closed,
    /// The file was read again.
    Read(Box<Reading>),
}

/// Reads a file, and returns it if all of its jobs can be run.
pub(crate) fn read(file: &FileArguments) -> Result<JobFile, Error> {
    ready(file.load()?)
}

/// Returns a file if all of its jobs can be run.
fn ready(file: JobFile) -> Result<JobFile, Error> {
    let mut file = file.checked()?;
    check::lint_for_run(&mut file, Timestamp::now());
    jobs::check(&mut file);
    file.checked()
}

/// Runs the jobs of a file until a signal.
pub(crate) fn run(options: Options, now: &Now, is_json: bool) -> Result<ExitCode, Error> {
    if now.is_chosen() {
        return Err(Error::new("`run` starts commands by the clock of this machine")
            .hint("leave out `--now`; `simulate --from TIME` starts nothing"));
    }
    if options.watch && options.file.file == Path::new("-") {
        return Err(Error::new("the standard input cannot be watched")
            .hint("name a file, or leave out `--watch`"));
    }
    let mut watch = options.watch.then(|| FileWatch::new(options.file.file.clone()));
    let (sender, messages) = channel();
    let listen = || listen(sender.clone()).map_err(cannot_start);
    // The system drops signals to process 1 that it does not handle. A pipe may never end, so signals must interrupt
    // reading it.
    let is_early = !may_block(&options.file.file);
    is_early.then(&listen).transpose()?;
    let file = read(&options.file)?;
    if let Some(watch) = &mut watch {
        watch.set_calendars(file.calendars.files());
    }
    (!is_early).then(&listen).transpose()?;
    let history = options.history.as_deref().map(history::open).transpose()?;
    let listeners = Listeners::open(options.metrics.as_deref(), &options.page)?;
    let recorder = listeners.has_metrics().then(metrics::install).transpose()?;
    let to_cancel = sender.clone();
    // The receiver is the main thread, which ends last.
    let cancel = move |run| drop(to_cancel.send(Message::Cancel(Box::new(run))));
    let page = listeners.page().cloned();
    let page = page.map(|settings| Page::new(settings, options.history.as_deref(), cancel));
    let page = page.transpose()?;
    adopt_orphans();
    raise_open_files();
    // A write beyond the limit of a file's size is an error then, and does not end the process.
    flag::register(SIGXFSZ, Arc::default()).map_err(cannot_start)?;
    let format = match (options.raw, is_json) {
        (true, _) => LogFormat::Raw,
        (false, true) => LogFormat::Json,
        (false, false) => LogFormat::Text,
    };
    let runner = Runner::start(options, format, (history, recorder, page), watch, sender, messages);
    let runner = runner.map_err(cannot_start)?;
    let served = listeners.serve(runner.metrics.as_ref(), runner.page.as_ref());
    for message in served.map_err(cannot_start)? {
        runner.output.log(Record::info("listening", message));
    }
    runner.run(file)
}

fn cannot_start(error: io::Error) -> Error {
    Error::because("cannot start", error)
}

/// Forwards signals as messages.
fn listen(sender: Sender<Message>) -> io::Result<()> {
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR2])?;
    let pass_on = move || {
        for signal in signals.forever() {
            if sender.send(Message::Signal(signal, Instant::now())).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(pass_on).map(drop)
}

struct Runner {
    /// How long running commands may continue after a signal to stop.
    grace: Duration,
    /// How long a command may take to end after SIGTERM.
    kill_after: Duration,
    messages: Receiver<Message>,
    output: OutputThread,
    children: Children,
    jobs: Jobs,
    history: Option<RunWriter>,
    scheduler: Scheduler,
    metrics: Option<Arc<Metrics>>,
    page: Option<Page>,
    reader: FileReader,
    stop: Option<Stop>,
    /// When the last signal to stop that had an effect came.
    signalled: Option<Instant>,
    /// Whether it stops because nobody reads the output.
    is_output_closed: bool,
}

impl Runner {
    /// Starts the threads.
    fn start(
        options: Options,
        format: LogFormat,
        (history, recorder, page): (Option<HistoryFile>, Option<Recorder>, Option<Page>),
        watch: Option<FileWatch>,
        sender: Sender<Message>,
        messages: Receiver<Message>,
    ) -> io::Result<Self> {
        let zone = options.file.reading.options().map_or(jiff::tz::TimeZone::UTC, |it| it.zone);
        let (to_close, to_wake) = (sender.clone(), sender.clone());
        // The receiver is the main thread, which ends last.
        let on_close = move || drop(to_close.send(Message::Closed));
        let log = Log::new(format, zone, options.quiet, on_close)?;
        let copy = page.clone().map(|page| -> Arc<dyn OutputCopy> { Arc::new(page) });
        let output = OutputThread::start(log, copy)?;
        let wake = move || drop(to_wake.send(Message::Woken));
        let history = history.map(|history| RunWriter::start(history, output.clone()));
        let history = history.transpose()?;
        let children = Children::new(output.clone(), options.kill_after, history.clone(), wake);
        // A start, which may have to wait for a disk, occupies a worker.
        let workers =
            Workers::Pool(available_parallelism().map_or(1, NonZero::get).max(LEAST_WORKERS));
        let scheduler = Scheduler::builder();
        let pipeline = PipelineNames::default();
        let log = events::observer(output.clone(), Arc::clone(&pipeline));
        let shown = page.clone();
        let observer = move |event: &Event| {
            if let Some(page) = &shown {
                page.record(event);
            }
            log(event);
        };
        let scheduler = scheduler.workers(workers).observer(observer).start()?;
        if let Some(page) = &page {
            page.set_scheduler(scheduler.handle());
        }
        let spawner = Arc::clone(&children.spawner);
        let jobs = Jobs::new(scheduler.handle(), spawner, output.clone(), pipeline, page.clone());
        let metrics = |recorder| Metrics::new(recorder, scheduler.handle(), output.clone());
        let metrics = recorder.map(metrics);
        let reader = FileReader::start(options.file, watch, sender)?;
        Ok(Self {
            grace: options.grace,
            kill_after: options.kill_after,
            messages,
            output,
            children,
            jobs,
            history,
            scheduler,
            metrics,
            page,
            reader,
            stop: None,
            signalled: None,
            is_output_closed: false,
        })
    }

    fn run(mut self, file: JobFile) -> Result<ExitCode, Error> {
        let changes = self.set_jobs(file)?;
        self.output.log(Record::info("ready", format!("ready: {changes}")));
        let mut upkeep = Instant::now();
        loop {
            match self.messages.recv_timeout(self.wait()) {
                Ok(message) => self.handle_all(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = Instant::now();
            self.children.enforce(now);
            if self.go_on_stopping(now) {
                break;
            }
            if now - upkeep >= UPKEEP {
                self.jobs.prune();
                if let Some(metrics) = &self.metrics {
                    metrics.run_upkeep();
                }
                upkeep = now;
            }
        }
        Ok(self.finish())
    }

    /// Returns the time to the next deadline.
    fn wait(&self) -> Duration {
        let stop = self.stop.as_ref().map(|stop| stop.deadline);
        let deadlines = [self.children.deadline(), stop];
        let first = deadlines.into_iter().flatten().min();
        first.map_or(UPKEEP, |first| first.saturating_duration_since(Instant::now()).min(UPKEEP))
    }

    /// Handles a message and all that have arrived since. Reaping takes longer the more processes are running, so it is
    /// done once for all signals: otherwise, a signal to stop would wait behind thousands of others if the machine is
    /// overloaded.
    fn handle_all(&mut self, first: Message) {
        let until = Instant::now() + MOST_AT_ONCE;
        self.handle(first);
        while Instant::now() < until
            && let Ok(message) = self.messages.try_recv()
        {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Signal(SIGCHLD, _) => self.children.reap_soon(),
            Message::Signal(SIGHUP | SIGUSR2, _) if self.stop.is_some() => self.refuse_reload(),
            Message::Signal(SIGHUP | SIGUSR2, _) => {
                if !self.reader.request() {
                    let message = "the file can no longer be read again".to_owned();
                    self.output.log(Record::error("reload_failed", message));
                }
            }
            Message::Signal(signal, at) => {
                // For example, `timeout` signals its command and then the command's group.
                if self.signalled.is_some_and(|before| at - before < SAME_SIGNAL) {
                    return;
                }
                self.signalled = Some(at);
                self.stop(signal_hook::low_level::signal_name(signal));
            }
            Message::Closed if self.stop.is_none() => {
                self.is_output_closed = true;
                self.stop(None);
            }
            Message::Cancel(run) => {
                if !self.children.cancel(&run) && !self.jobs.cancel_queued(&run) {
                    self.children.cancel_at_start(&run);
                }
            }
            Message::Read(reading) if self.stop.is_none() => self.reload(*reading),
            Message::Read(reading) if reading.is_requested => self.refuse_reload(),
            Message::Closed | Message::Woken | Message::Read(_) => {}
        }
    }

    /// Schedules the jobs of a file. Returns a summary of the changes.
    fn set_jobs(&mut self, file: JobFile) -> Result<String, Error> {
        let path = file.path.display().to_string();
        let lines = LineStarts::of(&file.text);
        for problem in &file.problems {
            let message = with_hint(&problem.message, problem.hint.as_deref());
            let message = format!("{}: {message}", file.place(problem, &lines));
            self.output.log(Record::warning("file", message));
        }
        let changes = self.jobs.replace(file, &self.scheduler)?;
        for name in self.jobs.without_events() {
            let message = format!("the job `{name}` has no further events");
            self.output.log(Record::warning("exhausted", message));
        }
        let count = self.jobs.len();
        if count == 0 {
            self.output.log(Record::warning("file", format!("{path} has no jobs")));
        }
        if let Some(metrics) = &self.metrics {
            let names = self.jobs.names().map(str::to_owned).collect();
            metrics.set_jobs(names, self.jobs.longest_jitter());
        }
        if let Some(page) = &self.page {
            page.set_jobs(self.jobs.entries(), self.jobs.pipeline());
        }
        Ok(format!("{} of {path} ({changes})", counted(count as u64, "job")))
    }

    /// Logs that a file is not read again.
    fn refuse_reload(&self) {
        let message = "stopping: the file is not read again".to_owned();
        self.output.log(Record::warning("reload_failed", message));
    }

    /// Applies a file that was read again. If it has an error, the jobs stay as they are. So they do if it has become
    /// empty and there was no signal, since it may be about to be written.
    fn reload(&mut self, Reading { file, is_requested }: Reading) {
        let set = file.and_then(|file| {
            if !is_requested && file.jobs.is_empty() && self.jobs.len() > 0 {
                return Err(Error::new("the file has no jobs; send SIGHUP if that is intended"));
            }
            self.set_jobs(file)
        });
        metrics::reloaded(set.is_ok());
        match set {
            Ok(changes) => {
                self.output.log(Record::info("reloaded", format!("reloaded: {changes}")));
            }
            Err(error) => {
                let message = format!("cannot reload, the jobs stay as they are: {error}");
                self.output.log(Record::error("reload_failed", message));
            }
        }
    }
}

/// How long messages are handled before deadlines are looked at again.
const MOST_AT_ONCE: Duration = Duration::from_millis(100);

/// The minimum number of processes that can be started at once. If that many starts hang, nothing else starts. An idle
/// worker takes less than 20 kB.
const LEAST_WORKERS: usize = 64;

/// How long after a signal to stop another one is ignored.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// How often regular upkeep is done, such as emptying the buffers of the metrics recorder.
const UPKEEP: Duration = Duration::from_secs(5);
