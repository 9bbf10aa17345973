//! Converts the tables of a TOML file to jobs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Language, Reading};
use millicron_pictures::is_hidden;
use millicron_pipeline::PipelineProblem::UnknownJob;
use millicron_scheduler::{Missed, Overlap, Retry};
use toml::Spanned;

use super::super::need::message_of;
use super::super::problem::Problem;
use super::super::schedule::{self, FileSchedule};
use super::super::{Command, Contents, FileCalendars, JobEntry, Policies, Program};
use super::table::{FileTable, JobTable, RetryTable};
use super::values::{CommandValue, DurationValue, MissedValue, OverlapValue};
use crate::times::named_zone;

/// Reads the jobs of a file.
#[derive(Debug)]
pub(super) struct FileReader<'a> {
    text: &'a str,
    file: FileTable,
    zone: TimeZone,
    /// The variables of all commands.
    environment: Arc<[(String, String)]>,
    calendars: &'a FileCalendars,
    problems: Vec<Problem>,
}

impl<'a> FileReader<'a> {
    pub(super) fn new(
        text: &'a str,
        file: FileTable,
        zone: &TimeZone,
        calendars: &'a FileCalendars,
        mut problems: Vec<Problem>,
    ) -> Self {
        let named = file.zone.as_ref().and_then(|name| zone_of(text, name, &mut problems));
        let zone = named.unwrap_or_else(|| zone.clone());
        check_environment(&file.environment, &mut problems);
        let environment = variables(&file.environment).collect();
        Self { text, file, zone, environment, calendars, problems }
    }

    /// Reads the jobs. `names` are those of all, if they are known.
    pub(super) fn read(mut self, names: Option<Arc<[Arc<str>]>>) -> Contents {
        let tables = std::mem::take(&mut self.file.jobs);
        let jobs = tables.iter().filter_map(|(name, job)| self.job(name, job)).collect();
        // Otherwise, the pipeline reports them with all else that is wrong with needs.
        if self.has_errors()
            && let Some(known) = names
        {
            let all = known.iter().map(|name| &**name).collect::<HashSet<_>>();
            let unknown = |(name, job): (&Spanned<String>, &JobTable)| {
                job.unknown(name.get_ref(), &known, &all)
            };
            let unknown = tables.iter().flat_map(unknown);
            self.problems.extend(unknown);
        }
        (jobs, self.problems)
    }

    fn job(&mut self, name: &Spanned<String>, job: &JobTable) -> Option<JobEntry> {
        // Each part is read before the job is given up, so that all problems are reported.
        self.check_values(name, job);
        let schedule = self.schedule(job);
        let command = self.command(name, job);
        let policies = Policies {
            overlap: job.overlap.as_ref().map(|it| (*it.get_ref()).into()).unwrap_or_default(),
            missed: job.missed.as_ref().map(|it| (*it.get_ref()).into()).unwrap_or_default(),
            grace: job.grace.as_ref().map(|value| value.get_ref().0),
            timeout: job.timeout.as_ref().map(|value| value.get_ref().0),
            retry: job.retries.as_ref().map(|retries| retries.get_ref().retry()),
            jitter: job.jitter.as_ref().map(|value| value.get_ref().0),
            patience: job.patience.as_ref().map(|value| value.get_ref().0),
        };
        let (name, (span, text, read)) = (name.get_ref().clone(), schedule?);
        Some(JobEntry {
            duration: job.duration.map(|value| value.0),
            timeout_span: job.timeout.as_ref().map(Spanned::span),
            tags: job.tags.clone(),
            command,
            policies,
            needs: job.needs.as_ref().map(|needs| needs.get_ref().0.clone()).unwrap_or_default(),
            needs_span: job.needs.as_ref().map(Spanned::span),
            event_keys: job.event_keys(),
            ..JobEntry::new(name, span, text, read)
        })
    }

    fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    /// Reports values that can be read, but are invalid.
    fn check_values(&mut self, name: &Spanned<String>, job: &JobTable) {
        if name.get_ref().is_empty() || name.get_ref().contains(is_hidden) {
            let message =
                "the name of a job must have at least one character and no control characters";
            self.problems.push(Problem::error("name", name.span(), message));
        }
        if let (Some(patience), None) = (&job.patience, &job.needs) {
            let message = "`patience` has no effect for a job without `needs`";
            let problem = Problem::error("needs", patience.span(), message);
            self.problems.push(problem.hint("remove it, or use `timeout` to limit a run"));
        }
        if let Some(timeout) = job.timeout.as_ref().filter(|it| it.get_ref().0.is_zero()) {
            let message = "a timeout of 0 ends each run at once";
            let problem = Problem::error("timeout", timeout.span(), message);
            self.problems.push(problem.hint("leave it out for no limit"));
        }
        check_environment(&job.environment, &mut self.problems);
        if let Some(retries) = &job.retries
            && let Some(longest) = retries.get_ref().longest
            && retries.get_ref().first_wait() > longest.0
        {
            let message = match retries.get_ref().wait {
                Some(_) => "`wait` is longer than `longest`",
                None => "`wait`, which is `1s` by default, is longer than `longest`",
            };
            self.problems.push(Problem::error("retries", retries.span(), message));
        }
    }

    /// Returns the schedule of a job, where it is, and its text.
    fn schedule(&mut self, job: &JobTable) -> Option<(Range<usize>, String, FileSchedule)> {
        let zone = match &job.zone {
            Some(name) => zone_of(self.text, name, &mut self.problems),
            None => Some(self.zone.clone()),
        };
        let (text, zone) = (job.schedule.as_ref()?, zone?);
        let (span, is_verbatim) = string_content(self.text, text.span(), text.get_ref());
        let (text, language) = (text.get_ref(), job.dialect.map(Language::from));
        let problem = match schedule::read(text, language, &zone, self.calendars) {
            Ok(read) => match job.zone.as_ref().filter(|_| read.has_zone) {
                None => return Some((span, text.clone(), read)),
                Some(zone) => {
                    let message = "the schedule has its own time zone";
                    Problem::error("zone", zone.span(), message).hint("remove one of them")
                }
            },
            Err(problem) if problem.rule == schedule::AMBIGUOUS => {
                let problem = schedule::shift(problem, &span, is_verbatim);
                problem.hint(format_args!("add {}", dialects(text)))
            }
            Err(problem) => schedule::shift(problem, &span, is_verbatim),
        };
        self.problems.push(problem);
        None
    }

    /// Returns the command of a job, if it has one.
    fn command(&mut self, name: &Spanned<String>, job: &JobTable) -> Option<Command> {
        let command = job.command.as_ref()?;
        let (program, is_empty) = match command.get_ref().clone() {
            CommandValue::Words(words) => {
                let is_empty = words.first().is_none_or(String::is_empty);
                (Program::Direct(words), is_empty)
            }
            CommandValue::Line(line) => {
                let is_empty = line.trim().is_empty();
                (Program::Shell { shell: Program::SHELL.to_owned(), line }, is_empty)
            }
        };
        if is_empty {
            let message = format!("the command of the job `{}` is empty", name.get_ref());
            self.problems.push(Problem::error("command", command.span(), message));
        }
        Some(Command {
            program,
            shared_environment: Arc::clone(&self.environment),
            environment: variables(&job.environment).collect(),
            input: job.input.clone(),
            directory: job.directory.clone(),
            user: None,
        })
    }
}

/// Returns the lines that name one of the languages in which a text is a schedule.
fn dialects(text: &str) -> String {
    let line = |it: Reading<'_>| format!("`dialect = \"{}\"`", it.language.keyword());
    Language::readings(text).map(line).collect::<Vec<_>>().join(" or ")
}

/// Returns variables without their places.
fn variables(table: &BTreeMap<Spanned<String>, String>) -> impl Iterator<Item = (String, String)> {
    table.iter().map(|(name, value)| (name.get_ref().clone(), value.clone()))
}

/// Reports invalid environment variables.
fn check_environment(variables: &BTreeMap<Spanned<String>, String>, problems: &mut Vec<Problem>) {
    for (name, value) in variables {
        let message = if name.get_ref().is_empty() || name.get_ref().contains(['=', '\0']) {
            "the name of a variable must have at least one character and no `=`"
        } else if value.contains('\0') {
            "the value of a variable must not contain a NUL character"
        } else {
            continue;
        };
        problems.push(Problem::error("environment", name.span(), message));
    }
}

fn zone_of(text: &str, name: &Spanned<String>, problems: &mut Vec<Problem>) -> Option<TimeZone> {
    let zone = named_zone(name.get_ref());
    let report = |(message, hint)| {
        problems.push(
            Problem::error("zone", string_content(text, name.span(), name.get_ref()).0, message)
                .hint(hint),
        );
    };
    zone.map_err(report).ok()
}

/// Returns the span of the content of a string at a span of a text, and whether it is written there without escapes.
pub(super) fn string_content(
    text: &str,
    span: Range<usize>,
    content: &str,
) -> (Range<usize>, bool) {
    let written = text.get(span.clone()).unwrap_or_default();
    match written.find(content) {
        Some(start) if !content.is_empty() => {
            let start = span.start + start;
            (start..start + content.len(), true)
        }
        _ => (span, false),
    }
}

impl JobTable {
    /// Reports jobs that the job needs, and that the file does not have.
    fn unknown(&self, name: &str, known: &Arc<[Arc<str>]>, all: &HashSet<&str>) -> Vec<Problem> {
        let Some(needs) = &self.needs else { return Vec::new() };
        let mut jobs = BTreeSet::new();
        needs.get_ref().0.iter().for_each(|need| need.collect_jobs(&mut jobs));
        let unknown = jobs.into_iter().filter(|job| !all.contains(job));
        let problem = |job: &str| {
            let (needed_by, known) = (Some(name.into()), Arc::clone(known));
            let unknown = UnknownJob { job: job.into(), needed_by, known };
            Problem::error("needs", needs.span(), message_of(&unknown))
        };
        unknown.map(problem).collect()
    }

    /// Returns the keys that have no effect in a pipeline, and their places.
    fn event_keys(&self) -> Vec<(&'static str, Range<usize>)> {
        let retries = self.retries.as_ref().filter(|it| it.get_ref().until_next_event);
        let keys = [
            ("overlap", self.overlap.as_ref().map(Spanned::span)),
            ("missed", self.missed.as_ref().map(Spanned::span)),
            ("grace", self.grace.as_ref().map(Spanned::span)),
            ("jitter", self.jitter.as_ref().map(Spanned::span)),
            ("until-next-event", retries.map(Spanned::span)),
        ];
        keys.into_iter().filter_map(|(key, span)| Some((key, span?))).collect()
    }
}

impl From<OverlapValue> for Overlap {
    fn from(overlap: OverlapValue) -> Self {
        match overlap {
            OverlapValue::Skip => Self::Skip,
            OverlapValue::Allow(max) => Self::Allow { max: max.get() },
            OverlapValue::Queue(max) => Self::Queue { max: max.get() },
        }
    }
}

impl From<MissedValue> for Missed {
    fn from(missed: MissedValue) -> Self {
        match missed {
            MissedValue::Skip => Self::Skip,
            MissedValue::Coalesce => Self::Coalesce,
            MissedValue::All(max) => Self::All { max: max.get() },
        }
    }
}

impl RetryTable {
    fn first_wait(&self) -> Duration {
        self.wait.map_or(Duration::from_secs(1), |wait| wait.0)
    }

    fn retry(&self) -> Retry {
        let value = |value: Option<DurationValue>| value.map(|value| value.0);
        let wait = self.first_wait();
        let retry = match value(self.longest) {
            Some(longest) => Retry::exponential(wait).longest(longest),
            None => Retry::constant(wait),
        };
        let retry =
            retry.most(self.most.unwrap_or(0)).jitter(value(self.jitter).unwrap_or_default());
        if self.until_next_event { retry.until_next_event() } else { retry }
    }
}
