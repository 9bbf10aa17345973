//! Diagrams in DOT.

use core::fmt::{self, Write as _};

use super::text::write_lines;
use super::{Diagram, DiagramEdge, STATES};

pub(super) struct Dot<'a, 'd>(pub(super) &'a Diagram<'d>);

impl fmt::Display for Dot<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("digraph {\n    rankdir=LR;\n")?;
        writeln!(f, "    node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\"];")?;
        for node in self.0.nodes() {
            write!(f, "    job{} [label=\"", node.index)?;
            write_lines(f, &node, "\\n", write_escaped)?;
            f.write_str("\"")?;
            if let Some(counts) = node.counts {
                let (_, color) = STATES[counts.state()];
                write!(f, ", fillcolor=\"{color}\"")?;
            }
            f.write_str("];\n")?;
        }
        for DiagramEdge { from, to, need } in self.0.edges() {
            let style = if need.is_alternative { ", style=dashed" } else { "" };
            writeln!(f, "    job{from} -> job{to} [label=\"{need}\"{style}];")?;
        }
        f.write_str("}\n")
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    match character {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        // Graphviz replaces HTML entities.
        '&' => f.write_str("&amp;"),
        _ => f.write_char(character),
    }
}
