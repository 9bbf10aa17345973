//! Comments that silence a lint: `# millicron: allow rare-day, herd`.

use std::collections::HashMap;

/// The comments of a file that allow something.
#[derive(Debug, Default)]
pub(super) struct Comments<'t> {
    /// Where each line starts.
    lines: Vec<usize>,
    /// What is allowed in lines.
    allowed: HashMap<usize, Vec<&'t str>>,
    /// For each line, the line of the last header of a table before it.
    headers: Vec<Option<usize>>,
}

impl<'t> Comments<'t> {
    /// Reads the comments. One at the end of a line is for the line; one on its own line is for the
    /// line below the comment, and, if that is the header of a table, for the table.
    pub(super) fn new(text: &'t str) -> Self {
        let mut comments = Self::default();
        let mut pending: Vec<&str> = Vec::new();
        let mut header = None;
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            comments.lines.push(start);
            start += line.len();
            let names = names(line);
            let is_comment = line.trim_start().starts_with(['#', ';'])
                && !line.trim_start().starts_with("#[")
                || line.trim_start().starts_with("//");
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

/// Returns the names that a line allows.
fn names(line: &str) -> impl Iterator<Item = &str> {
    const MARK: &str = "millicron: allow ";
    let start = line.find(MARK).map_or(line.len(), |start| start + MARK.len());
    line[start..].split([',', ' ', '\t', '\r', '\n']).filter(|name| !name.is_empty())
}
