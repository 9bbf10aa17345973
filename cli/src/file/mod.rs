//! Files of jobs: a crontab, a systemd timer unit, TOML, or Rust sources.
//!
//! Each format has its own reader; all make the same [`JobFile`]. What is wrong is a [`Problem`]
//! with its place in the text, and all that is wrong is found at once.

mod arguments;
mod crontab;
mod names;
mod need;
mod problem;
mod rust;
mod schedule;
mod timer;
mod toml;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Language, ZonedSchedule};
use millicron_pipeline::{Pipeline, PipelineBuilder, PipelineError};
use millicron_scheduler::{Missed, Overlap, Retry};

pub(crate) use self::arguments::{FileArguments, Format, ReadArguments};
pub(crate) use self::names::{Names, nearest};
pub(crate) use self::need::NeedEntry;
pub(crate) use self::problem::{Level, Problem, position};
pub(crate) use self::toml::schema;
use crate::error::Error;

/// A file of jobs.
#[derive(Debug)]
pub(crate) struct JobFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) format: Format,
    /// The jobs without errors, in the order of the file.
    pub(crate) jobs: Vec<JobEntry>,
    /// What is wrong, in the order of the file.
    pub(crate) problems: Vec<Problem>,
}

/// One job of a file.
#[derive(Debug)]
pub(crate) struct JobEntry {
    /// A name that no other job of the file has.
    pub(crate) name: String,
    /// Where the schedule is in the file, in bytes.
    pub(crate) span: Range<usize>,
    /// The schedule as written.
    pub(crate) text: String,
    /// The language of the schedule.
    pub(crate) language: Language,
    /// The schedule, in its time zone.
    pub(crate) schedule: ZonedSchedule<TimeZone>,
    /// What to run; none if the file does not say.
    pub(crate) command: Option<Command>,
    /// How long a run takes, if the file says so.
    pub(crate) duration: Option<Duration>,
    pub(crate) policies: Policies,
    /// What each run needs of other jobs.
    pub(crate) needs: Vec<NeedEntry>,
    /// Where the needs are in the file.
    pub(crate) needs_span: Option<Range<usize>>,
    /// The keys that have no effect in a pipeline, in which every event is a run, and where they are.
    pub(crate) event_keys: Vec<(&'static str, Range<usize>)>,
}

/// How the runs of a job are handled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Policies {
    pub(crate) overlap: Overlap,
    pub(crate) missed: Missed,
    pub(crate) grace: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: Option<Retry>,
    pub(crate) jitter: Option<Duration>,
}

/// A command with all that it is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) program: Program,
    /// Variables that are added to the environment.
    pub(crate) environment: Vec<(String, String)>,
    /// What the command reads from its standard input.
    pub(crate) input: Option<String>,
    pub(crate) directory: Option<PathBuf>,
    /// The user of a system crontab's line.
    pub(crate) user: Option<String>,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// A program and its arguments, without a shell.
    Direct(Vec<String>),
    /// A line for a shell, and the shell. `run` starts no shell where the line means the same without.
    Shell { shell: String, line: String },
}

impl Program {
    /// The shell of lines for which none is chosen.
    pub(crate) const SHELL: &str = "/bin/sh";
}

/// How a file is read.
#[derive(Clone, Debug)]
pub(crate) struct ReadOptions {
    /// The format; none to recognise it.
    pub(crate) format: Option<Format>,
    /// The time zone of jobs without one.
    pub(crate) zone: TimeZone,
    /// Whether the time zone was asked for, and is not only that of the machine.
    pub(crate) is_zone_given: bool,
    /// Whether a crontab has a user before each command; none to recognise it by the path.
    pub(crate) has_users: Option<bool>,
}

impl JobFile {
    /// Reads a file with all its problems. The path `-` is the standard input.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub(crate) fn load(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let bytes = if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            fs::read(path)
        };
        let bytes = bytes.map_err(|error| cannot_read(path, error))?;
        let text =
            String::from_utf8(bytes).map_err(|error| cannot_read(path, error.utf8_error()))?;
        Ok(Self::parse(path, text, options))
    }

    /// Returns a file with nothing but the error that it cannot be read.
    pub(crate) fn unreadable(path: &Path, error: Error) -> Self {
        Self {
            path: path.to_owned(),
            text: String::new(),
            format: Format::recognize(path, ""),
            jobs: Vec::new(),
            problems: vec![Problem::error("unreadable", 0..0, error)],
        }
    }

    /// Reads the text of a file.
    pub(crate) fn parse(path: &Path, text: String, options: &ReadOptions) -> Self {
        let format = options.format.unwrap_or_else(|| Format::recognize(path, &text));
        let mut jobs = Vec::new();
        let mut problems = Vec::new();
        match format {
            Format::Crontab => {
                let has_users = options.has_users.unwrap_or_else(|| crontab::has_users(path));
                crontab::read(&text, has_users, &options.zone, &mut jobs, &mut problems);
            }
            Format::Timer => {
                timer::read(path, &text, &options.zone, &mut jobs, &mut problems);
            }
            Format::Toml => toml::read(&text, &options.zone, &mut jobs, &mut problems),
            Format::Rust => {
                // A schedule without a time zone is in civil time.
                let zone = if options.is_zone_given { &options.zone } else { &TimeZone::UTC };
                rust::read(&text, zone, &mut jobs, &mut problems);
            }
        }
        jobs.sort_by_key(|job| job.span.start);
        let mut file = Self { path: path.to_owned(), text, format, jobs, problems };
        file.check_commands();
        file.check_needs();
        file.problems.sort_by_key(|problem| problem.span.start);
        file
    }

    /// Adds which commands no process can be started with.
    fn check_commands(&mut self) {
        for job in &self.jobs {
            let Some(command) = &job.command else { continue };
            let has_nul = match &command.program {
                Program::Direct(words) => words.iter().any(|word| word.contains('\0')),
                Program::Shell { shell, line } => shell.contains('\0') || line.contains('\0'),
            };
            if has_nul {
                let message =
                    format_args!("the command of the job `{}` has a NUL character", job.name);
                self.problems.push(Problem::error("command", job.span.clone(), message));
            }
        }
    }

    /// Adds what is wrong with the needs of jobs.
    fn check_needs(&mut self) {
        let has_needs = self.jobs.iter().any(|job| !job.needs.is_empty());
        // A job with an error is not among the jobs, and would be unknown.
        if !has_needs || self.problems.iter().any(|problem| problem.level == Level::Error) {
            return;
        }
        let Err(error) = self.pipeline() else { return self.check_event_keys() };
        for problem in error.problems() {
            let name = need::job_of(problem);
            let job = self.jobs.iter().find(|job| Some(job.name.as_str()) == name);
            let span = job.map(|job| job.needs_span.clone().unwrap_or_else(|| job.span.clone()));
            let message = need::message_of(problem);
            self.problems.push(Problem::error("needs", span.unwrap_or(0..0), message));
        }
    }

    /// Adds which keys have no effect, because the job is part of a pipeline.
    fn check_event_keys(&mut self) {
        let names = self.pipeline_jobs();
        let jobs = self.jobs.iter().filter(|job| names.contains(job.name.as_str()));
        let problems = jobs.flat_map(|job| {
            job.event_keys.iter().map(|(key, span)| {
                let message = format_args!(
                    "`{key}` has no effect for the job `{}`, which needs others or is needed: each of its events is a run",
                    job.name
                );
                let hint = match *key {
                    "overlap" => "remove it; with the need `{ previous = true, ended = true }`, runs do not overlap",
                    _ => "remove it",
                };
                Problem::error("needs", span.clone(), message).hint(hint)
            })
        });
        let problems = problems.collect::<Vec<_>>();
        self.problems.extend(problems);
    }

    /// Returns the names of the jobs that need others, or are needed.
    pub(crate) fn pipeline_jobs(&self) -> HashSet<&str> {
        let mut names = HashSet::new();
        for job in self.jobs.iter().filter(|job| !job.needs.is_empty()) {
            names.insert(job.name.as_str());
            job.needs.iter().for_each(|need| need.collect_jobs(&mut names));
        }
        names
    }

    /// Returns the pipeline of all jobs.
    ///
    /// # Errors
    ///
    /// Returns an error if the needs are wrong, such as of unknown jobs.
    pub(crate) fn pipeline(&self) -> Result<Pipeline, PipelineError> {
        let builder = self.jobs.iter().fold(Pipeline::builder(), JobEntry::add_to);
        builder.build()
    }

    /// Returns the file if nothing is wrong with it.
    ///
    /// # Errors
    ///
    /// Returns an error with the first problem if there is any.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let mut errors = self.problems.iter().filter(|problem| problem.level == Level::Error);
        let Some(first) = errors.next() else { return Ok(self) };
        let path = self.path.display();
        let (line, column) = position(&self.text, first.span.start);
        let error = Error::new(format_args!("{path}:{line}:{column}: {}", first.message));
        Err(match (errors.count(), &first.hint) {
            (0, Some(hint)) => error.hint(hint),
            (0, None) => error,
            (more, _) => error.hint(format_args!("`millicron check {path}` shows {more} more")),
        })
    }
}

impl JobEntry {
    /// Adds the job to a pipeline.
    pub(crate) fn add_to(mut builder: PipelineBuilder, job: &Self) -> PipelineBuilder {
        NeedEntry::with_needs(&job.needs, &mut |needs| {
            let before = std::mem::replace(&mut builder, Pipeline::builder());
            builder = before.job(&job.name, job.schedule.clone(), needs.iter().copied());
        });
        builder
    }
}

/// Returns the first problem of a pipeline, in the words of files.
pub(crate) fn needs_error(error: &PipelineError) -> Error {
    error
        .problems()
        .first()
        .map_or_else(|| Error::new(error), |it| Error::new(need::message_of(it)))
}

/// Reads a duration such as `90s` or `1h 30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    toml::DurationValue::parse(text).map(|duration| duration.0)
}

fn cannot_read(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::new(format_args!("cannot read {}: {error}", path.display()))
}
