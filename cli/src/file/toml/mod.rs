//! TOML files of jobs.

mod read;
mod schema;
mod table;
mod values;

use std::ops::Range;

use jiff::tz::TimeZone;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Deserializer};

pub(crate) use self::schema::schema;
use self::table::FileTable;
pub(super) use self::values::DurationValue;
use super::JobEntry;
use super::names::nearest;
use super::problem::Problem;

/// After this many problems with the structure of a file, the rest of it is not read.
const MAX_PROBLEMS: usize = 100;

/// Reads a TOML file of jobs.
pub(super) fn read(
    text: &str,
    zone: &TimeZone,
    jobs: &mut Vec<JobEntry>,
    problems: &mut Vec<Problem>,
) {
    let (mut table, errors) = DeTable::parse_recoverable(text);
    problems.extend(errors.iter().map(|error| problem(error, text)));
    remove_jobs_without_schedule(&mut table, problems);
    let file = deserialize(table, text, problems);
    let Some(file) = file else { return };
    read::FileReader::new(text, file, zone, problems).read(jobs);
}

/// Deserializes a table. Each part of it that is wrong is reported, and left out.
fn deserialize(
    mut table: Spanned<DeTable<'_>>,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<FileTable> {
    use serde::Deserialize;

    for _ in 0..MAX_PROBLEMS {
        let error = match FileTable::deserialize(Deserializer::from(table.clone())) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        problems.push(problem(&error, text));
        let span = error.span()?;
        if !remove_at(table.get_mut(), &span) {
            return None;
        }
    }
    None
}

/// Removes the key that contains a span: one of a job, or else one of the file. A job whose schedule
/// is wrong is removed as a whole.
fn remove_at(table: &mut DeTable<'_>, span: &Range<usize>) -> bool {
    if let Some(DeValue::Table(jobs)) = table.get_mut("jobs").map(Spanned::get_mut) {
        let is_here = |(_, job): (_, &Spanned<DeValue<'_>>)| {
            job.get_ref().as_table().is_some_and(|job| key_at(job, span).is_some())
        };
        let name = jobs.iter().find(|job| is_here(*job)).map(|(name, _)| name.clone());
        if let Some(name) = name.or_else(|| key_at(jobs, span)) {
            let job = jobs.get_mut(&name).map(Spanned::get_mut);
            if let Some(DeValue::Table(job)) = job
                && let Some(key) = key_at(job, span).filter(|key| key.get_ref() != "schedule")
            {
                return job.remove(&key).is_some();
            }
            return jobs.remove(&name).is_some();
        }
    }
    key_at(table, span).is_some_and(|key| table.remove(&key).is_some())
}

/// Returns the key of a table that contains a span, or whose value does.
fn key_at<'i>(table: &DeTable<'i>, span: &Range<usize>) -> Option<Spanned<DeString<'i>>> {
    let contains = |outer: Range<usize>| outer.start <= span.start && span.end <= outer.end;
    let mut entries = table.iter();
    let found = entries.find(|(key, value)| contains(key.span()) || contains(value.span()));
    found.map(|(key, _)| key.clone())
}

/// Reports jobs without a schedule, so that a schedule that is no text is reported as that only.
fn remove_jobs_without_schedule(table: &mut Spanned<DeTable<'_>>, problems: &mut Vec<Problem>) {
    let jobs = table.get_mut().get_mut("jobs").map(Spanned::get_mut);
    let Some(DeValue::Table(jobs)) = jobs else { return };
    let is_missing =
        |job: &DeValue<'_>| job.as_table().is_some_and(|job| !job.contains_key("schedule"));
    let missing = jobs.iter().filter(|(_, job)| is_missing(job.get_ref())).map(|(name, _)| name);
    let missing: Vec<_> = missing.cloned().collect();
    for name in missing {
        let message = format_args!("the job `{}` has no schedule", name.get_ref());
        let problem = Problem::error("schedule", name.span(), message);
        problems.push(problem.hint("add `schedule = \"…\"`"));
        jobs.remove(&name);
    }
}

/// Returns an error of TOML as a problem, with the nearest name to an unknown one.
fn problem(error: &toml::de::Error, text: &str) -> Problem {
    let span = error.span().unwrap_or(0..0);
    let span = span.start.min(text.len())..span.end.min(text.len());
    let mut lines = error.message().lines();
    let first = lines.next().unwrap_or("not TOML").to_owned();
    let rest: Vec<_> = lines.collect();
    let is_unknown = first.starts_with("unknown ");
    let mut names = first.split('`').skip(1).step_by(2);
    if let Some(unknown) = names.next().filter(|_| is_unknown) {
        let what = if first.starts_with("unknown variant") { "value" } else { "key" };
        let problem = Problem::error("toml", span, format_args!("unknown {what} `{unknown}`"));
        let all: Vec<_> = names.collect();
        return match nearest(unknown, all.iter().copied()) {
            Some(near) => problem.hint(format_args!("write `{near}`")),
            None => problem.hint(format_args!("allowed here: {}", all.join(", "))),
        };
    }
    let hint = (!rest.is_empty()).then(|| rest.join("; "));
    Problem::error("toml", span, first).maybe_hint(hint)
}
