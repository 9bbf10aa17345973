//! Diagrams in Mermaid's syntax.

use alloc::string::ToString as _;
use core::fmt::{self, Write as _};

use super::text::{write_lines, write_visible};
use super::{Diagram, DiagramEdge, STATES};

pub(super) struct Mermaid<'a, 'd>(pub(super) &'a Diagram<'d>);

impl fmt::Display for Mermaid<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flowchart LR\n")?;
        for node in self.0.nodes() {
            write!(f, "    job{}[\"", node.index)?;
            write_lines(f, &node, "<br>", write_escaped)?;
            f.write_str("\"]\n")?;
        }
        for DiagramEdge { from, to, need } in self.0.edges() {
            let arrow = if need.is_alternative { "-.->" } else { "-->" };
            write!(f, "    job{from} {arrow}|\"")?;
            write_visible(f, &need.to_string(), write_escaped)?;
            writeln!(f, "\"| job{to}")?;
        }
        let states = || self.0.nodes().filter_map(|node| Some((node.index, node.counts?.state())));
        for (state, (name, color)) in STATES.iter().enumerate() {
            let mut jobs = states().filter(|(_, of_job)| *of_job == state);
            let Some((first, _)) = jobs.next() else { continue };
            write!(f, "    classDef {name} fill:{color},color:#000000\n    class job{first}")?;
            jobs.try_for_each(|(index, _)| write!(f, ",job{index}"))?;
            writeln!(f, " {name}")?;
        }
        Ok(())
    }
}

/// Writes every character except letters, digits and a few safe ones as a numeric entity: Mermaid
/// reads labels as Markdown, and some words and punctuation even within quotes.
fn write_escaped(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    match character {
        ' ' | ',' | '/' => f.write_char(character),
        _ if character.is_alphanumeric() => f.write_char(character),
        _ => write!(f, "#{};", u32::from(character)),
    }
}
