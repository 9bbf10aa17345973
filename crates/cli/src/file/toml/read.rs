//! Converts the tables of a TOML file to jobs.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Language, Reading, Unit};
use millicron_pipeline::PipelineProblem::UnknownJob;
use millicron_scheduler::{Missed, Overlap, Retry};
use toml::Spanned;

use super::super::need::{NeedEntry, NeedRule, Within, message_of};
use super::super::problem::{Level, Problem};
use super::super::{Command, JobEntry, Policies, Program, schedule};
use super::table::{FileTable, JobTable, NeedTable, NeedValue, RetryTable};
use super::values::{Age, CommandValue, DurationValue, MissedValue, OverlapValue};
use crate::times::named_zone;

/// The most groups of needs in a job, since each is handled by a recursive call.
const MAX_GROUPS: usize = 100;

/// The error was added to the problems.
#[derive(Debug)]
struct Reported;

/// Reads the jobs of a file.
#[derive(Debug)]
pub(super) struct FileReader<'a> {
    text: &'a str,
    file: FileTable,
    zone: TimeZone,
    /// The names of jobs reported to have no schedule.
    unscheduled: HashSet<String>,
    /// The job that has needs, a job that it needs, and where.
    needed: Vec<(Box<str>, Box<str>, Range<usize>)>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> FileReader<'a> {
    pub(super) fn new(
        text: &'a str,
        file: FileTable,
        zone: &TimeZone,
        unscheduled: HashSet<String>,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        let named = file.zone.as_ref().and_then(|name| zone_of(text, name, problems));
        let zone = named.unwrap_or_else(|| zone.clone());
        check_environment(&file.environment, problems);
        Self { text, file, zone, unscheduled, needed: Vec::new(), problems }
    }

    /// Reads the jobs. `names` are those of all, if they are known.
    pub(super) fn read(mut self, names: Option<Arc<[Arc<str>]>>, jobs: &mut Vec<JobEntry>) {
        let tables = std::mem::take(&mut self.file.jobs);
        jobs.extend(tables.into_iter().filter_map(|(name, job)| self.job(&name, &job)));
        // Otherwise, the pipeline reports them with all else that is wrong with needs.
        if self.problems.iter().any(|problem| problem.level == Level::Error)
            && let Some(known) = names
        {
            self.report_unknown(&known);
        }
    }

    /// Reports jobs that are needed, and that the file does not have.
    fn report_unknown(self, known: &Arc<[Arc<str>]>) {
        for (job, needed, span) in self.needed {
            if !known.iter().any(|name| **name == *needed) {
                let (needed_by, known) = (Some(job), Arc::clone(known));
                let unknown = UnknownJob { job: needed, needed_by, known };
                self.problems.push(Problem::error("needs", span, message_of(&unknown)));
            }
        }
    }

    fn job(&mut self, name: &Spanned<String>, job: &JobTable) -> Option<JobEntry> {
        // Each part is read before the job is given up, so that all problems are reported.
        let needs = match &job.needs {
            Some(needs) => self.needs(name.get_ref(), &needs.get_ref().0, &needs.span()),
            None => Some(Vec::new()),
        };
        self.check_values(name, job);
        let (span, read) = self.schedule(name, job);
        let command = self.command(name, job);
        let policies = Policies {
            overlap: job.overlap.as_ref().map(|value| *value.get_ref()).unwrap_or_default().into(),
            missed: job.missed.as_ref().map(|value| *value.get_ref()).unwrap_or_default().into(),
            grace: job.grace.as_ref().map(|value| value.get_ref().0),
            timeout: job.timeout.as_ref().map(|value| value.get_ref().0),
            retry: job.retries.as_ref().map(|retries| retries.get_ref().retry()),
            jitter: job.jitter.as_ref().map(|value| value.get_ref().0),
            patience: job.patience.as_ref().map(|value| value.get_ref().0),
        };
        let read = read?;
        let (name, text) = (name.get_ref().clone(), job.schedule.get_ref().clone());
        Some(JobEntry {
            duration: job.duration.map(|value| value.0),
            timeout_span: job.timeout.as_ref().map(Spanned::span),
            command: command.ok()?,
            policies,
            needs: needs?,
            needs_span: job.needs.as_ref().map(Spanned::span),
            event_keys: job.event_keys(),
            ..JobEntry::new(name, span, text, read.language, read.schedule)
        })
    }

    /// Reports values that can be read, but are invalid.
    fn check_values(&mut self, name: &Spanned<String>, job: &JobTable) {
        if name.get_ref().is_empty() || name.get_ref().contains(char::is_control) {
            let message =
                "the name of a job must have at least one character and no control characters";
            self.problems.push(Problem::error("name", name.span(), message));
        }
        if let (Some(patience), None) = (&job.patience, &job.needs) {
            let message = "`patience` has no effect for a job without `needs`";
            let problem = Problem::error("needs", patience.span(), message);
            self.problems.push(problem.hint("remove it, or use `timeout` to limit a run"));
        }
        check_environment(&job.environment, self.problems);
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

    /// Returns the schedule of a job, and where it is.
    fn schedule(
        &mut self,
        name: &Spanned<String>,
        job: &JobTable,
    ) -> (Range<usize>, Option<schedule::FileSchedule>) {
        let (span, is_verbatim) = string_content(self.text, &job.schedule);
        let zone = match &job.zone {
            Some(name) => zone_of(self.text, name, self.problems),
            None => Some(self.zone.clone()),
        };
        let Some(zone) = zone.filter(|_| !self.unscheduled.contains(name.get_ref())) else {
            return (span, None);
        };
        let language = job.dialect.map(Language::from);
        let problem = match schedule::read(job.schedule.get_ref(), language, &zone) {
            Ok(read) => match job.zone.as_ref().filter(|_| read.has_zone) {
                None => return (span, Some(read)),
                Some(zone) => {
                    let message = "the schedule has its own time zone";
                    Problem::error("zone", zone.span(), message).hint("remove one of them")
                }
            },
            Err(problem) if problem.rule == schedule::AMBIGUOUS => {
                let problem = schedule::shift(problem, &span, is_verbatim);
                problem.hint(format_args!("add {}", dialects(job.schedule.get_ref())))
            }
            Err(problem) => schedule::shift(problem, &span, is_verbatim),
        };
        self.problems.push(problem);
        (span, None)
    }

    /// Returns the command of a job, if it has one.
    fn command(
        &mut self,
        name: &Spanned<String>,
        job: &JobTable,
    ) -> Result<Option<Command>, Reported> {
        let Some(command) = &job.command else { return Ok(None) };
        let program = match command.get_ref() {
            CommandValue::Words(words) => Program::Direct(words.clone()),
            CommandValue::Line(line) => {
                Program::Shell { shell: Program::SHELL.to_owned(), line: line.clone() }
            }
        };
        let is_empty = match &program {
            Program::Direct(words) => words.first().is_none_or(String::is_empty),
            Program::Shell { line, .. } => line.trim().is_empty(),
        };
        if is_empty {
            let message = format_args!("the command of the job `{}` is empty", name.get_ref());
            self.problems.push(Problem::error("command", command.span(), message));
            return Err(Reported);
        }
        let mut environment: BTreeMap<_, _> = self.file.environment.clone();
        environment.extend(job.environment.clone());
        let variable = |(name, value): (Spanned<String>, _)| (name.into_inner(), value);
        Ok(Some(Command {
            program,
            environment: environment.into_iter().map(variable).collect(),
            input: job.input.clone(),
            directory: job.directory.clone(),
            user: None,
        }))
    }

    fn needs(
        &mut self,
        job: &str,
        needs: &[NeedValue],
        span: &Range<usize>,
    ) -> Option<Vec<NeedEntry>> {
        let mut groups = 0;
        let needs = needs.iter().map(|need| need_entry(need, &mut groups));
        match needs.collect::<Result<Vec<_>, _>>() {
            Ok(needs) => {
                let mut needed = HashSet::new();
                for need in &needs {
                    need.collect_jobs(&mut needed);
                }
                let mut needed: Vec<_> = needed.into_iter().collect();
                needed.sort_unstable();
                let needed = needed.into_iter().map(|it| (job.into(), it.into(), span.clone()));
                self.needed.extend(needed);
                Some(needs)
            }
            Err(message) => {
                self.problems.push(Problem::error("needs", span.clone(), message));
                None
            }
        }
    }
}

/// Returns the lines that name one of the languages in which a text is a schedule.
fn dialects(text: &str) -> String {
    let line = |it: Reading<'_>| format!("`dialect = \"{}\"`", it.language.keyword());
    Language::readings(text).map(line).collect::<Vec<_>>().join(" or ")
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
        problems.push(Problem::error("zone", string_content(text, name).0, message).hint(hint));
    };
    zone.map_err(report).ok()
}

/// Returns the span of a string's content in a text, and whether it is written there without escapes.
fn string_content(text: &str, string: &Spanned<String>) -> (Range<usize>, bool) {
    let span = string.span();
    let written = text.get(span.clone()).unwrap_or_default();
    match written.find(string.get_ref().as_str()) {
        Some(start) if !string.get_ref().is_empty() => {
            let start = span.start + start;
            (start..start + string.get_ref().len(), true)
        }
        _ => (span, false),
    }
}

fn need_entry(need: &NeedValue, groups: &mut usize) -> Result<NeedEntry, String> {
    let table = match need {
        NeedValue::Last(job) => return Ok(NeedEntry::new(NeedRule::Last(job.clone()))),
        NeedValue::Table(table) => table,
    };
    Ok(NeedEntry {
        within: table.within.map(|age| match age {
            Age::Duration(age) => Within::Age(age),
            Age::Unit(unit) => Within::Unit(unit),
        }),
        period: table.period.map(Unit::from),
        events_back: table.events_back,
        periods_back: table.periods_back,
        time_back: table.time_back.map_or(Duration::ZERO, |value| value.0),
        ended: table.ended,
        ..NeedEntry::new(need_rule(table, groups)?)
    })
}

fn need_rule(table: &NeedTable, groups: &mut usize) -> Result<NeedRule, String> {
    let mut group = |needs: &[NeedValue]| {
        *groups += 1;
        if *groups > MAX_GROUPS {
            return Err(format!("more than {MAX_GROUPS} groups of needs"));
        }
        needs.iter().map(|need| need_entry(need, groups)).collect::<Result<Vec<_>, _>>()
    };
    let any_of = table.any_of.as_deref().map(&mut group).transpose()?.map(NeedRule::AnyOf);
    let all_of = table.all_of.as_deref().map(&mut group).transpose()?.map(NeedRule::AllOf);
    if table.unit.is_some() && table.all_data.is_none() {
        return Err("`unit` is only for `all-data`: write `period`".to_owned());
    }
    if table.count.is_some() && table.at_least.is_none() {
        return Err("`count` is only for `at-least`".to_owned());
    }
    let unit = table.unit.map_or(Unit::Day, Unit::from);
    let count = table.count.unwrap_or(1);
    let job = |job: &Option<String>, rule: fn(String) -> NeedRule| job.clone().map(rule);
    let rules = [
        job(&table.last, NeedRule::Last),
        job(&table.all, NeedRule::All),
        job(&table.latest, NeedRule::Latest),
        job(&table.classic, NeedRule::Classic),
        table.all_data.clone().map(|job| NeedRule::AllData(job, unit)),
        table.at_least.clone().map(|job| NeedRule::AtLeast(count, job)),
        table.previous.filter(|is_set| *is_set).map(|_| NeedRule::Previous),
        any_of,
        all_of,
    ];
    let mut set = rules.into_iter().flatten();
    match (set.next(), set.next()) {
        (Some(rule), None) => Ok(rule),
        _ => Err(format!("a need must have exactly one of `{}`", NeedTable::RULES.join("`, `"))),
    }
}

impl JobTable {
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
        let retry = retry.most(self.most).jitter(value(self.jitter).unwrap_or_default());
        if self.until_next_event { retry.until_next_event() } else { retry }
    }
}
