//! TOML job files.

mod calendars;
mod need;
mod read;
mod schema;
mod table;
mod values;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Deserializer};

pub(crate) use self::need::NeedValue;
pub(crate) use self::schema::schema;
use self::table::FileTable;
pub(crate) use self::values::duration;
use super::names::nearest;
use super::problem::Problem;
use super::{Contents, FileCalendars};

/// The key of a job's schedule.
const SCHEDULE: &str = "schedule";

/// The key of retries that must be there.
const MOST: &str = "most";

/// The most problems with the structure of a file to report before giving up.
const MAX_PROBLEMS: usize = 100;

/// The forms of values that are neither plain strings nor numbers.
const FORMS: [(&str, &str); 4] = [
    ("calendars", "write lines such as `nyse = \"nyse.days\"` in a table `[calendars]`"),
    ("jobs", "write tables such as `[jobs.NAME]`"),
    ("overlap", "write `\"skip\"`, `{ allow = 2 }` or `{ queue = 2 }`"),
    ("missed", "write `\"skip\"`, `\"coalesce\"` or `{ all = 2 }`"),
];

/// Reads a TOML job file at a path.
pub(super) fn read(path: &Path, text: &str, zone: &TimeZone) -> (FileCalendars, Contents) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems = syntax_problems(&errors, text);
    problems.extend(incomplete(table.get_ref()));
    // If it is no TOML, there may be others.
    let names = if errors.is_empty() { job_names(table.get_ref()) } else { None };
    let keys = calendar_keys(table.get_ref());
    let file = deserialize(table, text, &mut problems).unwrap_or_default();
    let directory = path.parent().unwrap_or(Path::new(""));
    let calendars = calendars::read(&file.calendars, &keys, text, directory, &mut problems);
    let contents = read::FileReader::new(text, file, zone, &calendars, problems).read(names);
    (calendars, contents)
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

/// Returns the keys of all calendars, including those that cannot be read.
fn calendar_keys(table: &DeTable<'_>) -> Vec<Spanned<String>> {
    let calendars = table.get("calendars").and_then(|calendars| calendars.get_ref().as_table());
    let keys = calendars.into_iter().flat_map(DeTable::keys);
    keys.map(|key| Spanned::new(key.span(), key.get_ref().to_string())).collect()
}

/// Deserializes a table. Invalid parts are reported and left out.
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
        let mut problem = problem(&error, text);
        let removed = error.span().and_then(|span| remove_at(table.get_mut(), &span, 0));
        let form = FORMS.iter().find(|(key, _)| removed.as_deref() == Some(key));
        problem.hint = problem.hint.or_else(|| form.map(|(_, form)| (*form).to_owned()));
        problems.push(problem);
        removed?;
    }
    None
}

/// Removes the key that contains a span: a calendar, a variable or a key of retries, or else a key of a job or of the
/// file. Returns the key. A misspelled `schedule` is read under its right name.
fn remove_at(table: &mut DeTable<'_>, span: &Range<usize>, depth: u8) -> Option<String> {
    let key = key_at(table, span)?;
    // At depth 1, the keys are the names of jobs.
    let is_part = depth == 1
        || ["calendars", "jobs", "environment", "retries"].contains(&key.get_ref().as_ref());
    if let Some(DeValue::Table(inner)) = table.get_mut(&key).map(Spanned::get_mut)
        && is_part
        && let Some(removed) = remove_at(inner, span, depth + 1)
    {
        return Some(removed);
    }
    let value = table.remove(&key)?;
    let is_schedule = depth == 2 && nearest(key.get_ref(), [SCHEDULE]).is_some();
    if is_schedule && key.get_ref() != SCHEDULE && !table.contains_key(SCHEDULE) {
        table.insert(Spanned::new(key.span(), SCHEDULE.into()), value);
    }
    Some(key.into_inner().into_owned())
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

/// Reports jobs without a schedule, and retries without a number. A misspelled key is reported as such.
fn incomplete(table: &DeTable<'_>) -> Vec<Problem> {
    let has_no = |table: &DeTable<'_>, key: &str| {
        !table.keys().any(|it| nearest(it.get_ref(), [key]).is_some())
    };
    let mut problems = Vec::new();
    let jobs = table.get("jobs").and_then(|jobs| jobs.get_ref().as_table());
    for (name, job) in jobs.into_iter().flatten() {
        let Some(job) = job.get_ref().as_table() else { continue };
        if has_no(job, SCHEDULE) {
            let message = format!("the job `{}` has no schedule", name.get_ref());
            let problem = Problem::error("schedule", name.span(), message);
            problems.push(problem.hint("add `schedule = \"…\"`"));
        }
        if let Some(retries) = job.get("retries")
            && retries.get_ref().as_table().is_some_and(|retries| has_no(retries, MOST))
        {
            let message = format_args!("the key `{MOST}` is missing");
            problems.push(Problem::error("retries", retries.span(), message));
        }
    }
    problems
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
        let all: Vec<_> = names.collect();
        // A value with a number is not a string, but in a table, only its name is unknown.
        let is_string = text.get(span.clone()).is_some_and(|text| text.starts_with(['"', '\'']));
        let form = |name: &str| match name {
            "all" | "allow" | "queue" if is_string => format!("{{ {name} = 2 }}"),
            name => name.to_owned(),
        };
        let problem = Problem::error("toml", span, format_args!("unknown {what} `{unknown}`"));
        // `--zone` has these aliases.
        let is_zone = ["timezone", "tz"].contains(&unknown) && all.contains(&"zone");
        let near = if is_zone { Some("zone") } else { nearest(unknown, all.iter().copied()) };
        let hint = near.map_or_else(
            || {
                format!(
                    "allowed here: {}",
                    all.iter().copied().map(form).collect::<Vec<_>>().join(", ")
                )
            },
            |near| format!("write `{}`", form(near)),
        );
        return problem.hint(hint);
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
    if message.starts_with("wanted exactly 1 element") {
        return "expected exactly one key".to_owned();
    }
    if message == "invalid type: unit variant, expected newtype variant" {
        return "a number is missing".to_owned();
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
