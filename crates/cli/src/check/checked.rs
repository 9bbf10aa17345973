//! [`Checked`] and [`Placed`]: a file that was checked, and its problems with their places.

use serde::Serialize;

use crate::file::{JobFile, Level, LineStarts, Problem};

/// A file that was checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) name: String,
    pub(crate) file: JobFile,
    pub(super) lines: LineStarts,
}

impl Checked {
    pub(crate) fn new(name: String, file: JobFile) -> Self {
        let lines = LineStarts::of(&file.text);
        Self { name, file, lines }
    }
}

/// A problem with its place in lines and columns, both counted from 1.
#[derive(Debug, Serialize)]
pub(super) struct Placed<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) end_line: usize,
    /// The column after the last character.
    pub(super) end_column: usize,
    pub(super) level: &'static str,
    pub(super) rule: &'static str,
    pub(super) message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<&'a str>,
}

impl<'a> Placed<'a> {
    pub(super) fn new(checked: &'a Checked, problem: &'a Problem) -> Self {
        let source = problem.source.as_deref();
        let position = |byte| match source {
            Some(source) => source.lines.position(&source.text, byte),
            None => checked.lines.position(&checked.file.text, byte),
        };
        let (line, column) = position(problem.span.start);
        let (end_line, end_column) = position(problem.span.end);
        Self {
            file: source.map_or(&checked.name, |source| &source.path),
            line,
            column,
            end_line,
            end_column,
            level: match problem.level {
                Level::Error => "error",
                Level::Warning => "warning",
            },
            rule: problem.rule,
            message: &problem.message,
            hint: problem.hint.as_deref(),
        }
    }

    /// Returns the message with the hint.
    pub(super) fn sentence(&self) -> String {
        match self.hint {
            Some(hint) => format!("{}: {hint}", self.message),
            None => self.message.to_owned(),
        }
    }
}
