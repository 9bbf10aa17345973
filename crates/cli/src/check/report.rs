//! Problems as text, JSON, GitHub workflow commands, and SARIF.

use std::io::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level as Severity, Origin, Renderer, Snippet};
use clap::ValueEnum;
use millicron_pictures::counted;
use serde_json::json;

use super::checked::{Checked, Placed};
use super::sarif::sarif;
use crate::characters::visible;
use crate::error::Error;
use crate::file::{Level, Problem};
use crate::output::Output;

/// The format in which problems are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people, with the line and carets
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Annotations of pull requests by GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Writes all problems of files.
pub(crate) fn report(
    files: &[Checked],
    format: ReportFormat,
    output: &mut Output,
) -> Result<(), Error> {
    let placed = || {
        let of_file = |checked| move |problem| Placed::new(checked, problem);
        files.iter().flat_map(move |it| it.file.problems.iter().map(of_file(it)))
    };
    match format {
        ReportFormat::Text => text(files, output),
        ReportFormat::Json => output.json(&json!({
            "problems": placed().collect::<Vec<_>>(),
            "errors": count(files, Level::Error),
            "warnings": count(files, Level::Warning),
        })),
        ReportFormat::Github => {
            placed().try_for_each(|problem| Ok(writeln!(output, "{}", github(&problem))?))
        }
        ReportFormat::Sarif => output.json(&sarif(&placed().collect::<Vec<_>>())),
    }
}

/// Returns the number of problems with a level.
pub(crate) fn count(files: &[Checked], level: Level) -> usize {
    let problems = files.iter().flat_map(|it| &it.file.problems);
    problems.filter(|problem| problem.level == level).count()
}

fn text(files: &[Checked], output: &mut Output) -> Result<(), Error> {
    let renderer = Renderer::styled().term_width(output.width());
    for checked in files {
        for problem in &checked.file.problems {
            writeln!(output, "{}\n", render(&renderer, checked, problem))?;
        }
    }
    let jobs = files.iter().map(|it| it.file.jobs.len()).sum();
    let [errors, warnings] = [Level::Error, Level::Warning].map(|level| count(files, level));
    let plural = |count: usize, noun| counted(count as u64, noun);
    let found = match (errors, warnings) {
        (0, 0) => "no problems".to_owned(),
        (0, _) => plural(warnings, "warning"),
        (_, 0) => plural(errors, "error"),
        _ => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    let jobs = plural(jobs, "job");
    let sources = plural(files.len(), "file");
    Ok(writeln!(output, "{jobs} in {sources}: {found}")?)
}

fn render(renderer: &Renderer, checked: &Checked, problem: &Problem) -> String {
    let (name, text, lines) = match problem.source.as_deref() {
        Some(source) => (&source.path, &source.text, &source.lines),
        None => (&checked.name, &checked.file.text, &checked.lines),
    };
    let severity = match problem.level {
        Level::Error => Severity::ERROR,
        Level::Warning => Severity::WARNING,
    };
    let name = visible(name);
    let title = severity.primary_title(visible(&problem.message)).id(problem.rule);
    let group = if text.is_empty() {
        title.element(Origin::path(name))
    } else {
        let (lines, number) = lines.lines_of(text, &problem.span);
        let shown = |range: Range<usize>| visible(&text[range]);
        let start = shown(lines.start..problem.span.start).len();
        let span = start..start + shown(problem.span.clone()).len();
        let source = Snippet::source(shown(lines)).line_start(number).path(name);
        title.element(source.annotation(AnnotationKind::Primary.span(span)))
    };
    let hint = problem.hint.as_deref().map(|hint| Severity::HELP.message(visible(hint)));
    let group = match hint {
        Some(hint) => group.element(hint),
        None => group,
    };
    renderer.render(&[group])
}

/// Returns a GitHub workflow command, which annotates a line of a pull request.
fn github(problem: &Placed<'_>) -> String {
    let data = |text: &str| visible(text).replace('%', "%25").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    // GitHub rejects an end column on another line.
    let end_column = if problem.end_line == problem.line {
        format!(",endColumn={}", problem.end_column)
    } else {
        String::new()
    };
    format!(
        "::{} file={},line={},endLine={},col={}{end_column},title={}::{}",
        problem.level,
        property(problem.file),
        problem.line,
        problem.end_line,
        problem.column,
        property(&format!("millicron: {}", problem.rule)),
        data(&problem.sentence()),
    )
}

/// Renders files in all formats, and drops the results.
#[cfg(test)]
pub(super) fn render_all(files: &[Checked]) {
    let renderer = Renderer::plain().term_width(40);
    for checked in files {
        for problem in &checked.file.problems {
            assert!(!render(&renderer, checked, problem).is_empty());
            assert!(github(&Placed::new(checked, problem)).starts_with("::"));
        }
    }
}
