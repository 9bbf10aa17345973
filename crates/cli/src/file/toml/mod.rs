//! TOML job files.

mod read;
mod schema;
mod table;
mod values;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;
use toml::Spanned;
use toml::de::{DeInteger, DeString, DeTable, DeValue, Deserializer};

pub(crate) use self::schema::schema;
use self::table::FileTable;
pub(super) use self::values::DurationValue;
use super::JobEntry;
use super::names::nearest;
use super::problem::Problem;

/// The key of a job's schedule.
const SCHEDULE: &str = "schedule";

/// The most problems with the structure of a file to report before giving up.
const MAX_PROBLEMS: usize = 100;

/// Reads a TOML job file.
pub(super) fn read(
    text: &str,
    zone: &TimeZone,
    jobs: &mut Vec<JobEntry>,
    problems: &mut Vec<Problem>,
) {
    let (mut table, errors) = DeTable::parse_recoverable(text);
    problems.extend(syntax_problems(&errors, text));
    let mut unscheduled = HashSet::new();
    complete_jobs(&mut table, &mut unscheduled, problems);
    // If it is no TOML, there may be others.
    let names = if errors.is_empty() { job_names(table.get_ref()) } else { None };
    let file = deserialize(table, text, &mut unscheduled, problems);
    let Some(file) = file else { return };
    read::FileReader::new(text, file, zone, unscheduled, problems).read(names, jobs);
}

/// Returns the errors of the parser. If a table occurs twice, its keys are not reported as well.
fn syntax_problems(errors: &[toml::de::Error], text: &str) -> Vec<Problem> {
    const DUPLICATE: &str = "duplicate key";

    let mut repeated_until = 0;
    let mut problems = Vec::new();
    for error in errors {
        let problem = problem(error, text);
        if problem.message != DUPLICATE {
            problems.push(problem);
            continue;
        }
        let Range { start, end } = problem.span;
        if start < repeated_until {
            continue;
        }
        let line = text.get(..start).and_then(|before| before.rsplit('\n').next());
        if line.is_some_and(|line| line.trim_start().starts_with('[')) {
            let rest = text.get(end..).unwrap_or_default();
            repeated_until = rest.find("\n[").map_or(text.len(), |length| end + length);
        }
        let key = text.get(start..end).unwrap_or_default();
        let message = format_args!("duplicate key: `{key}` is already there");
        let problem = Problem::error("toml", start..end, message);
        problems.push(problem.hint("rename or remove one of them"));
    }
    problems
}

/// Returns the names of all jobs, including those that cannot be read.
fn job_names(table: &DeTable<'_>) -> Option<Arc<[Arc<str>]>> {
    let jobs = table.get("jobs")?.get_ref().as_table()?;
    Some(jobs.keys().map(|name| Arc::from(name.get_ref().as_ref())).collect())
}

/// Deserializes a table. Invalid parts are reported and left out.
fn deserialize(
    mut table: Spanned<DeTable<'_>>,
    text: &str,
    unscheduled: &mut HashSet<String>,
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
        if !remove_at(table.get_mut(), &span, unscheduled) {
            return None;
        }
    }
    None
}

/// Removes the key that contains a span: a key of a job, or else of the file. If it is the schedule of a job, that is
/// replaced, and the name of the job added to `unscheduled`.
fn remove_at(
    table: &mut DeTable<'_>,
    span: &Range<usize>,
    unscheduled: &mut HashSet<String>,
) -> bool {
    if let Some(DeValue::Table(jobs)) = table.get_mut("jobs").map(Spanned::get_mut)
        && let Some(name) = key_at(jobs, span)
    {
        let job = jobs.get_mut(&name).map(Spanned::get_mut);
        if let Some(DeValue::Table(job)) = job
            && let Some(key) = key_at(job, span)
        {
            if key.get_ref() == SCHEDULE {
                unscheduled.insert(name.get_ref().to_string());
                return job.insert(key.clone(), no_schedule(&key)).is_some();
            }
            return remove_in(job, &key, span);
        }
        return jobs.remove(&name).is_some();
    }
    key_at(table, span).is_some_and(|key| remove_in(table, &key, span))
}

/// Removes a key of a table, or of variables or retries the one that contains a span.
fn remove_in<'i>(
    table: &mut DeTable<'i>,
    key: &Spanned<DeString<'i>>,
    span: &Range<usize>,
) -> bool {
    const MOST: &str = "most";

    if let Some(DeValue::Table(inner)) = table.get_mut(key).map(Spanned::get_mut)
        && let Some(inner_key) = key_at(inner, span)
    {
        match key.get_ref().as_ref() {
            "environment" => return inner.remove(&inner_key).is_some(),
            // Without it, the rest could not be read.
            "retries" if inner_key.get_ref() == MOST => {
                let most = Spanned::new(inner_key.span(), DeValue::Integer(DeInteger::default()));
                return inner.insert(inner_key, most).is_some();
            }
            "retries" if inner.contains_key(MOST) => return inner.remove(&inner_key).is_some(),
            _ => {}
        }
    }
    table.remove(key).is_some()
}

/// Returns a placeholder for an unreadable schedule, so that the rest of the job is read.
fn no_schedule<'i>(key: &Spanned<DeString<'i>>) -> Spanned<DeValue<'i>> {
    Spanned::new(key.span(), DeValue::String(DeString::default()))
}

/// Returns the key of a table that contains a span, or whose value does. The span of a table may cover only its
/// header.
fn key_at<'i>(table: &DeTable<'i>, span: &Range<usize>) -> Option<Spanned<DeString<'i>>> {
    let contains = |outer: Range<usize>| outer.start <= span.start && span.end <= outer.end;
    let mut entries = table.iter();
    let found = entries.find(|(key, value)| {
        let inner = || value.get_ref().as_table().and_then(|table| key_at(table, span));
        contains(key.span()) || contains(value.span()) || inner().is_some()
    });
    found.map(|(key, _)| key.clone())
}

/// Reports jobs without a schedule, and adds one, so that the rest of each job is read: the value of a key with a
/// similar name, or else a placeholder, and then the name of the job is added to `unscheduled`.
fn complete_jobs(
    table: &mut Spanned<DeTable<'_>>,
    unscheduled: &mut HashSet<String>,
    problems: &mut Vec<Problem>,
) {
    let jobs = table.get_mut().get_mut("jobs").map(Spanned::get_mut);
    let Some(DeValue::Table(jobs)) = jobs else { return };
    for (name, job) in jobs.iter_mut() {
        let DeValue::Table(job) = job.get_mut() else { continue };
        if job.contains_key(SCHEDULE) {
            continue;
        }
        let is_near = |key: &&Spanned<DeString<'_>>| nearest(key.get_ref(), [SCHEDULE]).is_some();
        let near = job.keys().find(is_near).cloned();
        let (span, value) = if let Some(key) = near {
            let message = format_args!("unknown key `{}`", key.get_ref());
            let problem = Problem::error("toml", key.span(), message);
            problems.push(problem.hint(format_args!("write `{SCHEDULE}`")));
            (key.span(), job.remove(&key))
        } else {
            let message = format_args!("the job `{}` has no schedule", name.get_ref());
            let problem = Problem::error("schedule", name.span(), message);
            problems.push(problem.hint("add `schedule = \"…\"`"));
            unscheduled.insert(name.get_ref().to_string());
            (name.span(), None)
        };
        let value = value.unwrap_or_else(|| no_schedule(name));
        job.insert(Spanned::new(span, SCHEDULE.into()), value);
    }
}

/// Returns a TOML error as a problem, with the most similar name to an unknown one as a hint.
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
    let message = plain(first);
    let hint = if !rest.is_empty() {
        Some(rest.join("; "))
    } else if message.starts_with("expected a string, found the ") {
        Some("put it in quotes".to_owned())
    } else {
        None
    };
    Problem::error("toml", span, message).maybe_hint(hint)
}

/// Rewords a message of serde in terms of TOML.
fn plain(message: String) -> String {
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("the key {field} is missing");
    }
    if message == "wanted string or table" {
        return "expected a string".to_owned();
    }
    let mismatch = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|rest| rest.split_once(", expected "));
    let Some((found, expected)) = mismatch else { return message };
    let expected = match expected {
        "a map" => "a table",
        "a sequence" => "an array",
        "path string" => "a string",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number of 0 or more",
        "a nonzero usize" => "a whole number of 1 or more",
        other => other,
    };
    match found {
        "map" => format!("expected {expected}, found a table"),
        "sequence" => format!("expected {expected}, found an array"),
        _ => format!("expected {expected}, found the {}", found.replace("floating point", "float")),
    }
}
