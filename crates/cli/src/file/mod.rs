//! Job files: crontabs, systemd timer units and TOML files.
//!
//! Each format has its own reader, and all return the same [`JobFile`]. All errors are found at once, each as a
//! [`Problem`] with its place in the text.

mod arguments;
mod calendars;
mod crontab;
mod names;
mod need;
mod problem;
mod schedule;
mod text;
mod timer;
mod toml;
#[cfg(unix)]
mod version;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Language, ZonedSchedule};
use millicron_pictures::counted;
use millicron_pipeline::{Pipeline, PipelineBuilder, PipelineError};
use millicron_scheduler::{Job, Missed, Overlap, Retry};
use typed_arena::Arena;

pub(crate) use self::arguments::{FileArguments, FileFormat, ReadArguments, USERS_HINT};
#[cfg(feature = "schedules")]
pub(crate) use self::calendars::ALL_DAYS;
#[cfg(unix)]
pub(crate) use self::calendars::CalendarFile;
pub(crate) use self::calendars::{
    FileCalendar, FileCalendars, MOST_CALENDAR_BYTES, NAME, is_calendar_name, load_calendar,
    members, next_closed_weekday, parse_calendars,
};
#[cfg(unix)]
pub(crate) use self::names::Names;
pub(crate) use self::names::nearest;
pub(crate) use self::problem::{Level, LineStarts, Problem, position};
use self::schedule::FileSchedule;
#[cfg(unix)]
pub(crate) use self::text::may_block;
pub(crate) use self::text::read_text;
pub(crate) use self::toml::{NeedValue, duration, schema};
#[cfg(unix)]
pub(crate) use self::version::FileVersion;
use crate::error::Error;

/// The largest job file that is read. Devices such as `/dev/zero` never end.
const MOST_BYTES: u64 = 16 << 20;

/// The longest line of a job file, in bytes, which is also cronie's.
const LONGEST_LINE: usize = 128 << 10;

/// The most jobs of a file.
const MOST_JOBS: usize = 100_000;

/// The most errors of a file that are reported.
const MOST_ERRORS: usize = 1000;

/// A job file.
#[derive(Debug)]
pub(crate) struct JobFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) format: FileFormat,
    /// The calendars that schedules may name.
    pub(crate) calendars: FileCalendars,
    /// The jobs without errors, in the order of the file.
    pub(crate) jobs: Vec<JobEntry>,
    /// The problems, in the order of the file.
    pub(crate) problems: Vec<Problem>,
}

/// One job of a file.
#[derive(Debug)]
pub(crate) struct JobEntry {
    /// The name, which is unique in the file.
    pub(crate) name: String,
    /// Where the schedule is in the file, in bytes.
    pub(crate) span: Range<usize>,
    /// The schedule as written.
    pub(crate) text: String,
    /// The language of the schedule.
    pub(crate) language: Language,
    /// The schedule, in its time zone.
    pub(crate) schedule: ZonedSchedule<TimeZone>,
    #[cfg_attr(
        not(all(unix, feature = "page")),
        expect(dead_code, reason = "the page shows them")
    )]
    pub(crate) tags: Vec<String>,
    /// What to run, if the file says so.
    pub(crate) command: Option<Command>,
    /// How long a run takes, if the file says so.
    pub(crate) duration: Option<Duration>,
    /// Where the timeout is in the file.
    pub(crate) timeout_span: Option<Range<usize>>,
    /// Where a crontab sets the variable `TZ` of the command.
    pub(crate) tz_span: Option<Range<usize>>,
    pub(crate) policies: Policies,
    /// What each run needs of other jobs.
    pub(crate) needs: Vec<NeedValue>,
    /// Where the needs are in the file.
    pub(crate) needs_span: Option<Range<usize>>,
    /// The keys that have no effect in a pipeline, where every event is a run, and their places.
    pub(crate) event_keys: Vec<(&'static str, Range<usize>)>,
}

impl JobEntry {
    /// Returns a job that has only a schedule, written at a place in the file.
    fn new(name: String, span: Range<usize>, text: String, read: FileSchedule) -> Self {
        Self {
            name,
            span,
            text,
            language: read.language,
            schedule: read.schedule,
            tags: Vec::new(),
            command: None,
            duration: None,
            timeout_span: None,
            tz_span: None,
            policies: Policies::default(),
            needs: Vec::new(),
            needs_span: None,
            event_keys: Vec::new(),
        }
    }
}

/// What a reader returns: the jobs without errors, and the problems, in any order.
type Contents = (Vec<JobEntry>, Vec<Problem>);

/// How the runs of a job are handled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Policies {
    pub(crate) overlap: Overlap,
    pub(crate) missed: Missed,
    pub(crate) grace: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: Option<Retry>,
    pub(crate) jitter: Option<Duration>,
    /// How long a run waits for the runs that it needs.
    pub(crate) patience: Option<Duration>,
}

impl Policies {
    /// Sets on a job how the scheduler handles its events.
    pub(crate) fn set_on(&self, mut job: Job) -> Job {
        job = job.overlap(self.overlap).missed(self.missed);
        if let Some(grace) = self.grace {
            job = job.grace(grace);
        }
        if let Some(jitter) = self.jitter {
            job = job.jitter(jitter);
        }
        job
    }
}

/// A command with its environment, input, directory and user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Command {
    pub(crate) program: Program,
    /// Variables that are added to the environment. Many commands may share them.
    pub(crate) shared_environment: Arc<[(String, String)]>,
    /// Variables that are added after those.
    pub(crate) environment: Vec<(String, String)>,
    /// The text for the command's standard input.
    pub(crate) input: Option<String>,
    pub(crate) directory: Option<PathBuf>,
    /// The user in a line of a system crontab.
    pub(crate) user: Option<String>,
}

/// The program to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    /// A program and its arguments, without a shell.
    Direct(Vec<String>),
    /// A line for a shell, and the shell.
    Shell { shell: String, line: String },
}

impl Program {
    /// The default shell of lines.
    pub(crate) const SHELL: &str = "/bin/sh";
}

/// How a file is read.
#[derive(Clone, Debug)]
pub(crate) struct ReadOptions {
    /// The format; `None` to recognize it.
    pub(crate) format: Option<FileFormat>,
    /// The time zone of jobs without one.
    pub(crate) zone: TimeZone,
    /// Whether a crontab has a user before each command; `None` to decide by the path.
    pub(crate) has_users: Option<bool>,
}

impl JobFile {
    /// Reads a file with all its problems. The path `-` is standard input.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub(crate) fn load(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let text = read_text(path, MOST_BYTES)?;
        text::check_lines(path, &text, LONGEST_LINE)?;
        Ok(Self::parse(path, text, options))
    }

    /// Returns a file whose only problem is that it cannot be read.
    pub(crate) fn unreadable(path: &Path, error: Error) -> Self {
        Self {
            path: path.to_owned(),
            text: String::new(),
            format: FileFormat::recognize(path, ""),
            calendars: FileCalendars::default(),
            jobs: Vec::new(),
            problems: vec![Problem::of("unreadable", 0..0, error)],
        }
    }

    /// Reads the text of a file.
    pub(crate) fn parse(path: &Path, text: String, options: &ReadOptions) -> Self {
        let format = options.format.unwrap_or_else(|| FileFormat::recognize(path, &text));
        let has_users = options.has_users.unwrap_or_else(|| crontab::has_users(path));
        let mut calendars = FileCalendars::default();
        let (mut jobs, problems) = match format {
            FileFormat::Crontab => crontab::read(&text, has_users, &options.zone),
            FileFormat::Timer => timer::read(path, &text, &options.zone),
            FileFormat::Toml => {
                let contents;
                (calendars, contents) = toml::read(path, &text, &options.zone);
                contents
            }
        };
        jobs.sort_by_key(|job| job.span.start);
        let mut file = Self { path: path.to_owned(), text, format, calendars, jobs, problems };
        file.limit_jobs();
        file.check_commands();
        file.check_needs();
        file.problems.sort_by(Problem::cmp_place);
        if options.format.is_none() && !has_users {
            file.hint_at_format();
        }
        file.limit_errors();
        file
    }

    /// Refuses a file with too many jobs.
    fn limit_jobs(&mut self) {
        if let Some(first) = self.jobs.get(MOST_JOBS) {
            let message = format_args!("a file has at most {MOST_JOBS} jobs");
            self.problems.push(Problem::error("jobs", first.span.clone(), message));
            self.jobs.truncate(MOST_JOBS);
        }
    }

    /// Adds to the first error that the file is read as a crontab, unless its name says so: every text that is not
    /// recognized is read as one.
    fn hint_at_format(&mut self) {
        if self.format != FileFormat::Crontab || FileFormat::is_of_jobs(&self.path) {
            return;
        }
        let Some(first) = self.problems.iter_mut().find(|it| it.is_error()) else { return };
        let before = first.hint.take().map(|hint| hint + "; ").unwrap_or_default();
        first.hint = Some(before + "this is read as a crontab: name another format with `--as`");
    }

    /// Counts the errors after the first ones instead of reporting each.
    fn limit_errors(&mut self) {
        let mut errors = self.problems.iter().filter(|problem| problem.is_error());
        let Some(first) = errors.nth(MOST_ERRORS).map(|problem| problem.span.clone()) else {
            return;
        };
        let mut count = 0;
        self.problems.retain(|problem| {
            count += usize::from(problem.is_error());
            !problem.is_error() || count <= MOST_ERRORS
        });
        let more = counted((count - MOST_ERRORS) as u64, "more error");
        self.problems.push(Problem::error("errors", first, format_args!("{more} from here on")));
    }

    /// Reports commands and directories with which no process can be started. The readers report variables.
    fn check_commands(&mut self) {
        for job in &self.jobs {
            let Some(command) = &job.command else { continue };
            let has_nul = match &command.program {
                Program::Direct(words) => words.iter().any(|word| word.contains('\0')),
                Program::Shell { shell, line } => shell.contains('\0') || line.contains('\0'),
            };
            let directory = command.directory.as_deref().map(Path::as_os_str);
            let has_nul_in_directory =
                directory.is_some_and(|name| name.as_encoded_bytes().contains(&0));
            for (rule, has_nul) in [("command", has_nul), ("directory", has_nul_in_directory)] {
                if has_nul {
                    let name = &job.name;
                    let message =
                        format_args!("the {rule} of the job `{name}` contains a NUL character");
                    self.problems.push(Problem::error(rule, job.span.clone(), message));
                }
            }
        }
    }

    /// Reports the problems of needs.
    fn check_needs(&mut self) {
        let has_needs = self.jobs.iter().any(|job| !job.needs.is_empty());
        let has_errors = self.problems.iter().any(Problem::is_error);
        if has_needs {
            self.check_event_keys();
            self.set_policies_of_pipeline();
        }
        // A job with an error is missing, so needs of it would be reported as unknown.
        if !has_needs || has_errors {
            return;
        }
        let Err(error) = self.pipeline() else { return };
        for (name, message) in needs_problems(&error) {
            let job = self.jobs.iter().find(|job| Some(job.name.as_str()) == name);
            let span = job.map(|job| job.needs_span.clone().unwrap_or_else(|| job.span.clone()));
            self.problems.push(Problem::error("needs", span.unwrap_or(0..0), message));
        }
    }

    /// Reports keys that have no effect because the job is part of a pipeline.
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

    /// Sets how a pipeline handles the events of its jobs: each is a run, which at most waits for the previous one.
    fn set_policies_of_pipeline(&mut self) {
        let names = self.pipeline_jobs().into_iter().map(str::to_owned).collect::<HashSet<_>>();
        for job in self.jobs.iter_mut().filter(|job| names.contains(&job.name)) {
            let max = usize::MAX;
            job.policies.overlap =
                if job.may_overlap() { Overlap::Allow { max } } else { Overlap::Queue { max } };
            job.policies.missed = Missed::All { max };
        }
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
    /// Returns an error if needs are invalid, such as needs of unknown jobs.
    pub(crate) fn pipeline(&self) -> Result<Pipeline, PipelineError> {
        let add = |builder, job: &JobEntry| job.add_to(builder, &|_| false);
        self.jobs.iter().fold(Pipeline::builder(), add).build()
    }

    /// Returns the file if it has no errors.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let mut errors = self.problems.iter().filter(|problem| problem.is_error());
        let Some(first) = errors.next() else { return Ok(self) };
        let (path, lines) = (self.path.display(), LineStarts::of(&self.text));
        let error = Error::new(format_args!("{}: {}", self.place(first, &lines), first.message));
        let more = match errors.count() {
            0 => None,
            more => Some(format!("`millicron check {path}` shows {more} more")),
        };
        let hints = first.hint.iter().cloned().chain(more).collect::<Vec<_>>();
        Err(if hints.is_empty() { error } else { error.hint(hints.join("; ")) })
    }

    /// Returns where a problem is: the file, the line and the column. `lines` are those of the job file.
    pub(crate) fn place(&self, problem: &Problem, lines: &LineStarts) -> String {
        let start = problem.span.start;
        let (path, (line, column)) = match problem.source.as_deref() {
            Some(source) => (source.path.clone(), source.lines.position(&source.text, start)),
            None => (self.path.display().to_string(), lines.position(&self.text, start)),
        };
        format!("{path}:{line}:{column}")
    }
}

impl JobEntry {
    /// Whether several runs of the job may be in progress if it is part of a pipeline.
    pub(crate) fn may_overlap(&self) -> bool {
        !self.needs.iter().any(NeedValue::is_previous)
    }

    /// Adds the job to a pipeline that leaves out some jobs, which it does not need then.
    pub(crate) fn add_to(
        &self,
        builder: PipelineBuilder,
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> PipelineBuilder {
        let arena = Arena::new();
        let needs = self.needs.iter().filter_map(|need| need.to_need(&arena, is_left_out));
        builder.job(&self.name, self.schedule.clone(), needs)
    }
}

/// Returns the problems of a pipeline with their jobs, in terms of the keys of job files.
pub(crate) fn needs_problems(
    error: &PipelineError,
) -> impl Iterator<Item = (Option<&str>, String)> {
    error.problems().iter().map(|problem| (need::job_of(problem), need::message_of(problem)))
}
