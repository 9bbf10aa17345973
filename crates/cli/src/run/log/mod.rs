//! [`Log`]: writes the output of `millicron run`, line by line.

mod lines;
mod pipes;
mod sink;
mod thread;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Reset, Style};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use millicron_history::error_message;
use serde::{Serialize, Serializer};

use self::lines::Part;
pub(super) use self::pipes::Pipes;
use self::sink::{Failure, Sink};
pub(super) use self::thread::{OutputCopy, OutputThread, RunEnd, StartedRun};
use crate::characters::{visible, write_json};
use crate::output::{BOLD, DIM};

/// Times in text, with milliseconds and the offset of their zone.
const TIME: &str = "%Y-%m-%dT%H:%M:%S%.3f%:z";

/// Converts an instant of the scheduler. One outside the years of timestamps, which no clock shows, becomes the Unix
/// epoch.
pub(super) fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or_default()
}

/// Returns an instant in a time zone, as it is written in messages.
pub(super) fn time_in(time: SystemTime, zone: &TimeZone) -> String {
    ZonedDateTime::new(timestamp(time), zone.clone()).strftime(TIME).to_string()
}

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogFormat {
    /// The time, the job and the line.
    Text,
    /// One JSON object for each line.
    Json,
    /// The lines of commands as they are, each to the stream that it came from, and everything else as text to
    /// standard error.
    Raw,
}

/// The severity of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogLevel {
    #[default]
    Info,
    Warning,
    Error,
}

/// The stream of a command that a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// A line to write, with its JSON fields.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Record<'r> {
    #[serde(serialize_with = "write_time")]
    time: Timestamp,
    level: LogLevel,
    /// What has happened: `output`, `started`, `succeeded`, `failed`, `skipped` and so on.
    event: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(flatten)]
    run: Option<Cow<'r, RunLabel>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<Stream>,
    /// Whether the line continues in the next record of its stream.
    #[serde(skip_serializing_if = "is_false")]
    partial: bool,
    /// Whether another attempt follows one that has failed.
    #[serde(skip_serializing_if = "is_false")]
    retried: bool,
    /// How long the run took, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// The number of events that the record is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(serialize_with = "write_message")]
    message: Cow<'r, [u8]>,
}

/// Identifies a run in each of its lines.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunLabel {
    pub(super) job: String,
    #[serde(rename = "run")]
    pub(super) number: u64,
    pub(super) attempt: u32,
    #[serde(serialize_with = "write_time")]
    pub(super) scheduled: Timestamp,
    /// When the attempt has started.
    #[serde(skip)]
    pub(super) started: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<i32>,
    /// Whether several runs of the job may write at once, so the text shows their numbers.
    #[serde(skip)]
    pub(super) is_one_of_many: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "required by serde")]
const fn is_false(value: &bool) -> bool {
    !*value
}

fn write_time<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

fn write_message<S: Serializer>(message: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(without_return(message)))
}

/// Returns a line without the carriage return of a Windows line break.
fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl<'r> Record<'r> {
    pub(super) fn info(event: &'r str, message: impl Into<Cow<'r, str>>) -> Self {
        Self::new(LogLevel::Info, event, message)
    }

    pub(super) fn warning(event: &'r str, message: impl Into<Cow<'r, str>>) -> Self {
        Self::new(LogLevel::Warning, event, message)
    }

    pub(super) fn error(event: &'r str, message: impl Into<Cow<'r, str>>) -> Self {
        Self::new(LogLevel::Error, event, message)
    }

    pub(super) fn new(level: LogLevel, event: &'r str, message: impl Into<Cow<'r, str>>) -> Self {
        let message = match message.into() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        Self { time: Timestamp::now(), level, event, message, ..Self::default() }
    }

    /// A line that a command has written.
    fn output(run: &'r RunLabel, stream: Stream, part: Part<'r>) -> Self {
        let record = Self::info("output", "").of_run(Cow::Borrowed(run));
        let message = Cow::Borrowed(part.bytes);
        Self { stream: Some(stream), message, partial: part.is_partial, ..record }
    }

    /// Sets the job that the record is about, if there is one.
    pub(super) fn of_job(self, job: impl Into<Option<String>>) -> Self {
        Self { job: job.into(), ..self }
    }

    pub(super) fn of_run(self, run: Cow<'r, RunLabel>) -> Self {
        Self { run: Some(run), ..self }
    }

    pub(super) fn at(self, time: Timestamp) -> Self {
        Self { time, ..self }
    }

    pub(super) fn retried(self, retried: bool) -> Self {
        Self { retried, ..self }
    }

    pub(super) fn count(self, count: u64) -> Self {
        Self { count: Some(count), ..self }
    }

    pub(super) fn ended(self, seconds: f64, status: ExitStatus) -> Self {
        Self { seconds: Some(seconds), exit_status: status.code(), signal: status.signal(), ..self }
    }
}

/// Standard output and standard error, to which only whole lines are written.
pub(super) struct Log {
    format: LogFormat,
    /// The time zone of the times in text.
    zone: TimeZone,
    /// Whether to write only warnings and errors, and the output of commands.
    is_quiet: bool,
    /// Whether text is written in color.
    is_colored: bool,
    stdout: Sink,
    stderr: Sink,
    is_closed: AtomicBool,
    /// When the write in progress began, or when some of it was read last.
    writing_since: Mutex<Option<Instant>>,
    /// Called when the reader of the output has closed it.
    on_close: Box<dyn Fn() + Send + Sync>,
}

impl Log {
    pub(super) fn new(
        format: LogFormat,
        zone: TimeZone,
        is_quiet: bool,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        // Separate handles, since the command line's `Output` holds the lock of standard output.
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let choice = match format {
            LogFormat::Raw => AutoStream::choice(&io::stderr()),
            LogFormat::Text | LogFormat::Json => AutoStream::choice(&io::stdout()),
        };
        Ok(Self {
            format,
            is_colored: choice != ColorChoice::Never,
            zone,
            is_quiet,
            stdout: Sink::new(stdout),
            stderr: Sink::new(stderr),
            is_closed: AtomicBool::new(false),
            writing_since: Mutex::new(None),
            on_close: Box::new(on_close),
        })
    }

    /// Returns an instant as it is written in messages.
    pub(super) fn time(&self, time: SystemTime) -> String {
        time_in(time, &self.zone)
    }

    pub(super) const fn format(&self) -> LogFormat {
        self.format
    }

    /// Returns for how long a write has been blocked.
    pub(super) fn blocked(&self) -> Duration {
        let since = *self.writing_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns whether output is lost because its disk is full or fails.
    pub(super) fn is_losing(&self) -> bool {
        [&self.stdout, &self.stderr].iter().any(|sink| sink.is_losing())
    }

    /// Writes a line. Only the output thread may call it, since it may block until the output is read.
    pub(super) fn write(&self, record: &Record<'_>) {
        if self.is_quiet && record.level == LogLevel::Info {
            return;
        }
        let mut line = Vec::new();
        self.append(&mut line, record);
        self.put(None, &line);
    }

    /// Writes several lines of a command at once. `produce` passes each line to the function that it receives.
    pub(super) fn write_lines(
        &self,
        run: &RunLabel,
        stream: Stream,
        produce: impl FnOnce(&mut dyn FnMut(Part<'_>)),
    ) {
        let mut lines = Vec::new();
        let now = Timestamp::now();
        produce(&mut |part| {
            self.append(&mut lines, &Record::output(run, stream, part).at(now));
        });
        self.put(Some(stream), &lines);
    }

    fn append(&self, lines: &mut Vec<u8>, record: &Record<'_>) {
        if let (LogFormat::Raw, Some(_)) = (self.format, record.stream) {
            lines.extend_from_slice(&record.message);
            lines.extend((!record.partial).then_some(b'\n'));
            return;
        }
        // Writing to memory does not fail.
        drop(match self.format {
            LogFormat::Json => write_json(&mut *lines, record),
            LogFormat::Text | LogFormat::Raw => self.append_text(lines, record),
        });
        lines.push(b'\n');
    }

    fn append_text(&self, lines: &mut Vec<u8>, record: &Record<'_>) -> io::Result<()> {
        let styled = |style: Style| if self.is_colored { style } else { Style::new() };
        let (dim, bold) = (styled(DIM), styled(BOLD));
        let time = ZonedDateTime::new(record.time, self.zone.clone());
        write!(lines, "{dim}{}{dim:#} {bold}", time.strftime(TIME))?;
        let run = record.run.as_ref();
        let job = run.map(|run| &run.job).or(record.job.as_ref());
        lines.write_all(job.map_or("millicron", String::as_str).as_bytes())?;
        if let Some(run) = run.filter(|run| run.is_one_of_many) {
            write!(lines, "#{}", run.number)?;
        }
        let (separator, color) = match (record.stream, record.level) {
            (Some(Stream::Stdout), _) => (" | ", None),
            (Some(Stream::Stderr), _) => (" ! ", Some(AnsiColor::Yellow)),
            (None, LogLevel::Info) => (": ", None),
            (None, LogLevel::Warning) => (": warning: ", Some(AnsiColor::Yellow)),
            (None, LogLevel::Error) => (": error: ", Some(AnsiColor::Red)),
        };
        let color = color.map_or_else(Style::new, |color| styled(color.on_default()));
        write!(lines, "{bold:#}{color}{separator}{color:#}")?;
        let message = without_return(&record.message);
        match record.stream {
            // What a command writes is passed on unchanged.
            Some(_) => lines.write_all(message)?,
            None => lines.write_all(visible(&String::from_utf8_lossy(message)).as_bytes())?,
        }
        if self.is_colored {
            // The command may have set a color.
            write!(lines, "{Reset}")?;
        }
        Ok(())
    }

    /// Writes lines of a command's stream, or our own.
    fn put(&self, stream: Option<Stream>, lines: &[u8]) {
        if !self.is_closed.load(Ordering::Relaxed) {
            self.set_writing(Some(Instant::now()));
            self.write_all(stream, lines);
            self.set_writing(None);
        }
    }

    fn set_writing(&self, since: Option<Instant>) {
        *self.writing_since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    fn write_all(&self, stream: Option<Stream>, lines: &[u8]) {
        let is_error = self.format == LogFormat::Raw && stream != Some(Stream::Stdout);
        let sink = if is_error { &self.stderr } else { &self.stdout };
        let progressed = || self.set_writing(Some(Instant::now()));
        let message = match sink.write(lines, progressed) {
            Err(Failure::Lost { error, is_first: true }) => {
                format!("output is lost: {}", error_message(&error))
            }
            Ok(()) | Err(Failure::Lost { .. }) => return,
            Err(Failure::Closed(error)) => {
                if self.is_closed.swap(true, Ordering::Relaxed) {
                    return;
                }
                (self.on_close)();
                format!("the output was closed: {}", error_message(&error))
            }
        };
        if !is_error {
            self.report(&message);
        }
    }

    /// Writes to the standard error that the standard output cannot be written.
    fn report(&self, message: &str) {
        let mut line = Vec::new();
        // Writing to memory does not fail, and if this cannot be written either, nothing can.
        drop(self.append_text(&mut line, &Record::error("lost", message)));
        line.push(b'\n');
        drop(self.stderr.write(&line, || ()));
    }
}
