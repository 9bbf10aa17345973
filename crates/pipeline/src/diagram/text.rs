//! Writes labels.

use core::fmt;

use super::Node;

/// Writes a character of a label in the syntax of a diagram.
type WriteChar = fn(&mut fmt::Formatter<'_>, char) -> fmt::Result;

/// Writes the lines of a node.
pub(super) fn write_lines(
    f: &mut fmt::Formatter<'_>,
    node: &Node<'_>,
    line_break: &str,
    write: WriteChar,
) -> fmt::Result {
    for (index, line) in node.lines().iter().enumerate() {
        f.write_str(if index == 0 { "" } else { line_break })?;
        write_visible(f, line, write)?;
    }
    Ok(())
}

/// Writes text, escaping control characters.
pub(super) fn write_visible(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    write: WriteChar,
) -> fmt::Result {
    text.chars().try_for_each(|character| {
        if is_hidden(character) {
            character.escape_default().try_for_each(|visible| write(f, visible))
        } else {
            write(f, character)
        }
    })
}

/// Returns whether a character is a control character, or one that changes the direction of text.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
