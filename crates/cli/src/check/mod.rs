//! Lints for job files.

mod allow;
mod checked;
mod clocks;
mod cron;
mod durations;
mod herd;
mod lints;
mod report;
#[cfg(test)]
mod robustness;
mod sarif;
mod steps;
mod subject;

use jiff::Timestamp;
use millicron::Language;

pub(crate) use self::checked::Checked;
pub(crate) use self::lints::LINTS;
pub(crate) use self::report::{ReportFormat, count, report};
use self::subject::{Fields, Subject};
use crate::file::{JobFile, Level, Problem};

/// A check for a likely mistake in a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lint {
    /// The name in kebab case, for `--allow` and comments.
    pub(crate) name: &'static str,
    /// A line that says what it finds.
    pub(crate) summary: &'static str,
    find: Find,
}

/// How a lint is found.
#[derive(Clone, Copy, Debug)]
enum Find {
    /// By the reader of the file.
    Reading,
    /// In each job.
    Job(fn(&Subject<'_>) -> Option<Problem>),
    /// In all jobs of a file together.
    File(fn(&JobFile, Timestamp) -> Vec<Problem>),
}

/// Adds the findings of lints to the problems of a file, and removes the ones that comments allow.
pub(crate) fn lint(file: &mut JobFile, now: Timestamp) {
    let mut found = Vec::new();
    for job in &file.jobs {
        let canonical = job.schedule.schedule().to_string();
        let written = Fields::read(job.language, &job.text);
        let canonical = Fields::read(Language::Millicron, &canonical);
        let (Ok(written), Ok(canonical)) = (written, canonical) else { continue };
        let subject = Subject {
            job,
            now,
            written,
            canonical,
            is_verbatim: file.text.get(job.span.clone()) == Some(&job.text),
        };
        found.extend(LINTS.iter().filter_map(|lint| match lint.find {
            Find::Job(find) => find(&subject),
            _ => None,
        }));
    }
    for lint in LINTS {
        if let Find::File(find) = lint.find {
            found.extend(find(file, now));
        }
    }
    found.extend(allow::unknown(&file.text));
    file.problems.append(&mut found);
    remove_allowed(file);
    file.problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
}

/// Adds what is also reported when a file is run, and removes warnings that comments allow.
pub(crate) fn lint_for_run(file: &mut JobFile, now: Timestamp) {
    file.problems.extend(cron::tz_variable(file, now));
    remove_allowed(file);
    file.problems.sort_by_key(|problem| problem.span.start);
}

/// Removes warnings that comments allow.
fn remove_allowed(file: &mut JobFile) {
    let allowed = allow::Comments::new(&file.text);
    file.problems.retain(|problem| {
        problem.level == Level::Error || !allowed.contain(problem.rule, problem.span.start)
    });
}
