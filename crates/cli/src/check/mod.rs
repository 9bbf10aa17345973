//! Lints for job files.

mod allow;
mod calendars;
mod checked;
mod clocks;
mod cron;
mod durations;
mod herd;
mod lints;
mod report;
mod sarif;
mod steps;
mod subject;

use std::iter;
use std::ops::Range;

use jiff::Timestamp;
use millicron::Language;

pub(crate) use self::checked::Checked;
pub(crate) use self::cron::cron_refusal;
pub(crate) use self::lints::LINTS;
pub(crate) use self::report::{ReportFormat, count, report};
use self::subject::{Fields, Subject, ValueCache};
use crate::file::{JobEntry, JobFile, Problem};

/// A check for a likely mistake in a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lint {
    /// The name in kebab case, for `--allow` and comments.
    pub(crate) name: &'static str,
    /// A line that says what it finds.
    pub(crate) summary: &'static str,
    find: Find,
}

impl Lint {
    const fn new(name: &'static str, find: Find, summary: &'static str) -> Self {
        Self { name, summary, find }
    }
}

/// How a lint is found.
#[derive(Clone, Copy, Debug)]
enum Find {
    /// By the reader of the file.
    Reading,
    /// In each job.
    Job(fn(&Subject<'_>) -> Option<Problem>),
    /// In the fields of each schedule, and of each member of a union.
    Schedule(fn(&Subject<'_>) -> Option<Problem>),
    /// In all jobs of a file together.
    File(fn(&JobFile, Timestamp) -> Vec<Problem>),
}

/// Adds the findings of lints to the problems of a file, and removes the warnings that comments or `allowed` allow.
pub(crate) fn lint(file: &mut JobFile, now: Timestamp, allowed: &[String]) {
    let mut found = Vec::new();
    let is_allowed = |name: &str| allowed.iter().any(|it| it == name);
    // Looking for herds takes time in a large file.
    let lints = LINTS.iter().filter(|lint| !is_allowed(lint.name)).collect::<Vec<_>>();
    let cache = ValueCache::default();
    for job in &file.jobs {
        let is_verbatim = file.text.get(job.span.clone()) == Some(&job.text);
        let whole = 0..job.text.len();
        for part in iter::once(whole.clone()).chain(member_ranges(job)) {
            let text = &job.text[part.clone()];
            let Ok(written) = Fields::read(job.language, text, &file.calendars) else { continue };
            let canonical = written.schedule().to_string();
            let canonical = Fields::read(Language::Millicron, &canonical, &file.calendars);
            let Ok(canonical) = canonical else { continue };
            let start = job.span.start + part.start;
            let verbatim_start = is_verbatim.then_some(start);
            let subject = Subject { job, now, written, canonical, verbatim_start, cache: &cache };
            found.extend(lints.iter().filter_map(|lint| match lint.find {
                Find::Job(find) if part == whole => find(&subject),
                Find::Schedule(find) => find(&subject),
                _ => None,
            }));
        }
    }
    for lint in lints {
        if let Find::File(find) = lint.find {
            found.extend(find(file, now));
        }
    }
    found.extend(allow::unknown(&file.text));
    file.problems.append(&mut found);
    // The reader of the file has found some.
    file.problems.retain(|problem| problem.is_error() || !is_allowed(problem.rule));
    remove_allowed(file);
    file.problems.sort_by(Problem::cmp_place);
}

/// Returns the places of the members of a job's union in its text; none if its schedule is no union.
fn member_ranges(job: &JobEntry) -> Vec<Range<usize>> {
    if job.schedule.schedule().members().len() == 0 {
        return Vec::new();
    }
    let mut end = 0;
    let range = |member: &str| {
        let start = end;
        end += member.len() + 1;
        start..start + member.len()
    };
    job.text.split(';').map(range).collect()
}

/// Adds what is also reported when a file is run, and removes warnings that comments allow.
#[cfg(unix)]
pub(crate) fn lint_for_run(file: &mut JobFile, now: Timestamp) {
    file.problems.extend(cron::tz_variable(file, now));
    file.problems.extend(calendars::calendar_end(file, now));
    remove_allowed(file);
    file.problems.sort_by(Problem::cmp_place);
}

/// Removes warnings that comments allow.
fn remove_allowed(file: &mut JobFile) {
    let allowed = allow::Comments::new(&file.text);
    file.problems
        .retain(|problem| problem.is_error() || !allowed.contain(problem.rule, problem.span.start));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use millicron::NamedZone;

    use super::report::render_all;
    use super::{Checked, lint};
    use crate::file::{FileFormat, JobFile, ReadOptions};

    const TEXTS: [(FileFormat, &str); 3] = [
        (
            FileFormat::Toml,
            "zone='Europe/Berlin'\n[jobs.a]\nschedule=\"\\t*.*.25-32 Fri 02:*/7:00.5\"\nduration='9s'\n\
             needs=[{any-of=['b',{all='ä',within='day'}]},'a']\ncommand='x'\n[jobs.'']\nschedule='0 9 31 * 5'\n",
        ),
        (
            FileFormat::Crontab,
            "A='b'\nCRON_TZ=Europe/Berlin\n-* 2 */2 * 5 cd ä && b %c\\%\n@daily \"ü\"\n0 * 9 31 * MON\tx%\\\n",
        ),
        (
            FileFormat::Timer,
            "[Timer]\nOnCalendar=Fri *-*-31 \\\n 2:30\nRandomizedDelaySec=5ä\nOnCalendar =\nUnit=.é\nX",
        ),
    ];

    fn check(format: FileFormat, text: &str) {
        let zone = TimeZone::named("America/New_York").expect("a zone of the database");
        let options = ReadOptions { format: Some(format), zone, has_users: None };
        let mut file = JobFile::parse(Path::new("file"), text.to_owned(), &options);
        lint(&mut file, Timestamp::UNIX_EPOCH, &[]);
        for problem in &file.problems {
            assert!(text.get(problem.span.clone()).is_some(), "{:?} in {text:?}", problem.span);
        }
        render_all(&[Checked::new("file".to_owned(), file)]);
    }

    #[test]
    fn no_text_makes_a_reader_panic() {
        for (format, text) in TEXTS {
            check(format, text);
            for (index, c) in text.char_indices() {
                let (before, after) = (&text[..index], &text[index + c.len_utf8()..]);
                check(format, before);
                check(format, &format!("{before}{after}"));
                for other in ["ß", "\"", "\n", "*", "9"] {
                    check(format, &format!("{before}{other}{after}"));
                }
            }
        }
    }
}
