//! Comments that silence a lint: `# millicron: allow rare-day, herd`.

use std::collections::HashMap;

use super::lints::{LINTS, UNKNOWN_LINT};
use crate::file::{Problem, nearest};

/// The comments of a file that allow lints.
#[derive(Debug, Default)]
pub(super) struct Comments<'t> {
    /// Where each line starts.
    lines: Vec<usize>,
    /// The lints that are allowed in lines.
    allowed: HashMap<usize, Vec<&'t str>>,
    /// For each line, the line of the last table header up to it.
    headers: Vec<Option<usize>>,
}

impl<'t> Comments<'t> {
    /// Reads the comments. A comment at the end of a line is for that line. One on its own line is for the line below
    /// it, and for the whole table if that is a table header.
    pub(super) fn new(text: &'t str) -> Self {
        let mut comments = Self::default();
        let mut pending: Vec<&str> = Vec::new();
        let mut header = None;
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            comments.lines.push(start);
            start += line.len();
            let names = names(line);
            let is_comment = line.trim_start().starts_with(['#', ';']);
            if is_comment {
                pending.extend(names);
            } else {
                let mut allowed = std::mem::take(&mut pending);
                allowed.extend(names);
                if line.trim_start().starts_with('[') {
                    header = Some(index);
                }
                if !allowed.is_empty() {
                    comments.allowed.insert(index, allowed);
                }
            }
            comments.headers.push(header);
        }
        comments
    }

    /// Whether a rule is allowed at a byte.
    pub(super) fn contain(&self, rule: &str, byte: usize) -> bool {
        let line = self.lines.partition_point(|start| *start <= byte).saturating_sub(1);
        let allows =
            |line: usize| self.allowed.get(&line).is_some_and(|allowed| allowed.contains(&rule));
        allows(line) || self.headers.get(line).copied().flatten().is_some_and(allows)
    }
}

/// The text before the names of allowed lints.
const MARK: &str = "millicron: allow ";

/// Returns where the names of allowed lints begin in a line.
fn start_of_names(line: &str) -> Option<usize> {
    line.find(MARK).map(|start| start + MARK.len())
}

/// Returns the names of the lints that a line allows.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let start = start_of_names(line).unwrap_or(line.len());
    line[start..].split([',', ' ', '\t', '\r', '\n']).filter(|name| !name.is_empty())
}

/// Reports comments that name an unknown lint.
pub(super) fn unknown(text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let at = line_start;
        line_start += line.len();
        let Some(mut start) = start_of_names(line) else { continue };
        if !line[..start].contains(['#', ';']) {
            continue;
        }
        // After the first word of each part, a comment may say why.
        for part in line[start..].split(',') {
            let name = part.split_ascii_whitespace().next().unwrap_or_default();
            let span = at + start + part.find(name).unwrap_or(0);
            start += part.len() + 1;
            let is_name =
                !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphabetic() || it == b'-');
            if is_name && !LINTS.iter().any(|lint| lint.name == name) {
                let message = format_args!("there is no lint `{name}`, so this allows nothing");
                let problem = Problem::warning(UNKNOWN_LINT, span..span + name.len(), message);
                let near = nearest(name, LINTS.iter().map(|lint| lint.name));
                problems.push(match near {
                    Some(near) => problem.hint(format_args!("write `{near}`")),
                    None => problem.hint("`millicron check --lints` lists them"),
                });
            }
        }
    }
    problems
}
