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
            pending.extend(names(line).map(|(_, name, _)| name));
            let is_comment = line.trim_start().starts_with(['#', ';']);
            if !is_comment {
                let allowed = std::mem::take(&mut pending);
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

/// Returns the names of the lints that a line allows, where they are, and whether each may be a word of a sentence instead:
/// a comment may say why after a name, and the reason may have commas.
fn names(line: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut start = line.find(MARK).map_or(line.len(), |start| start + MARK.len());
    let mut has_reason = false;
    line[start..].split(',').enumerate().filter_map(move |(index, part)| {
        let begin = start;
        start += part.len() + 1;
        let mut words = part.split_ascii_whitespace();
        let name = words.next()?;
        has_reason |= words.next().is_some();
        Some((begin + part.find(name)?, name, has_reason && index > 0))
    })
}

/// Reports comments that name an unknown lint.
pub(super) fn unknown(text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        for (start, name, may_be_word) in names(line) {
            let is_comment = line[..start].contains(['#', ';']);
            let is_name = name.bytes().all(|it| it.is_ascii_alphabetic() || it == b'-');
            let near = nearest(name, LINTS.iter().map(|lint| lint.name));
            let is_meant = is_comment && is_name && (near.is_some() || !may_be_word);
            if is_meant && near != Some(name) {
                let span = line_start + start..line_start + start + name.len();
                let message = format_args!("there is no lint `{name}`, so this allows nothing");
                let problem = Problem::warning(UNKNOWN_LINT, span, message);
                problems.push(match near {
                    Some(near) => problem.hint(format_args!("write `{near}`")),
                    None => problem.hint("`millicron check --lints` lists them"),
                });
            }
        }
        line_start += line.len();
    }
    problems
}
