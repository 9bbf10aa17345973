//! Text in columns.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::shades::{GLYPHS, Shades, style};
use crate::words;

/// The style of headings.
pub(crate) const HEADING: Style = Style::new().bold();

/// The style of secondary text.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Returns styled text.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns a bar on the left and the right of a line's cells.
pub(crate) fn bar() -> String {
    styled(FAINT, "│")
}

/// Returns the character of a level in its style.
pub(crate) fn shaded(level: usize) -> (char, Style) {
    (GLYPHS[level], style(level))
}

/// Returns labels above cells, each at its column.
pub(crate) fn axis(labels: impl IntoIterator<Item = (usize, String)>) -> String {
    let mut axis = String::new();
    for (column, label) in labels {
        let blank = column.saturating_sub(axis.len());
        let _ = write!(axis, "{:blank$}{label}", "");
    }
    styled(FAINT, &axis)
}

/// Returns characters, each in its style. Each style is written once for consecutive characters that share it.
pub(crate) fn styled_cells(cells: impl IntoIterator<Item = (char, Style)>) -> String {
    let mut line = String::new();
    let mut current = Style::new();
    for (glyph, style) in cells {
        if style != current {
            let _ = write!(line, "{current:#}{style}");
            current = style;
        }
        line.push(glyph);
    }
    let _ = write!(line, "{current:#}");
    line
}

/// Replaces white space by spaces, and characters that are [hidden](is_hidden) or not allowed in XML.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' | '\n' | '\r' => ' ',
            // XML does not allow them.
            '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            _ if is_hidden(character) => '\u{fffd}',
            _ => character,
        })
        .collect()
}

/// Whether a terminal would obey a character, or not show it: control characters, and those that change the direction of
/// text or are invisible. Joiners within words are shown.
///
/// ```
/// use millicron_pictures::is_hidden;
///
/// assert!(is_hidden('\u{202e}')); // right-to-left override
/// assert!(!is_hidden('\u{200d}')); // zero width joiner
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Returns the width of a text in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Truncates a text to `columns` columns; a truncated text ends with `…`.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.width() <= columns {
        return text;
    }
    let mut cut = String::new();
    let mut filled = 1;
    for character in text.chars() {
        filled += character.width().unwrap_or(0);
        if filled > columns {
            break;
        }
        cut.push(character);
    }
    cut.push('…');
    cut
}

/// Truncates or pads a text to exactly `columns` columns.
pub(crate) fn fill(text: &str, columns: usize) -> String {
    let mut text = cut(text, columns);
    let blank = columns.saturating_sub(text.width());
    text.extend(std::iter::repeat_n(' ', blank));
    text
}

/// Wraps a text at spaces into lines of at most `columns` columns.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| cut(line, columns)).collect()
}

/// Writes a heading.
pub(crate) fn heading(out: &mut String, title: &str, columns: usize) {
    for line in wrap(&clean(title), columns) {
        let _ = writeln!(out, "{}", styled(HEADING, &line));
    }
}

/// Writes paragraphs.
pub(crate) fn paragraphs(
    out: &mut String,
    texts: impl IntoIterator<Item = String>,
    columns: usize,
) {
    texts.into_iter().for_each(|text| paragraph(out, &text, columns));
}

/// Writes a paragraph.
pub(crate) fn paragraph(out: &mut String, text: &str, columns: usize) {
    for line in wrap(text, columns) {
        let _ = writeln!(out, "{line}");
    }
}

/// Writes the legend of the shades.
pub(crate) fn legend(out: &mut String, name: &str, shades: &Shades, columns: usize) {
    let mut filled = name.width() + 1;
    out.push_str(name);
    out.push(':');
    for (level, counts) in shades.legend() {
        let counts = words::range(counts);
        let entry_width = counts.width() + 4;
        if filled + entry_width > columns {
            out.push_str("\n ");
            filled = 1;
        }
        filled += entry_width;
        let _ = write!(out, "  {} {counts}", styled_cells([shaded(level)]));
    }
    out.push('\n');
}
