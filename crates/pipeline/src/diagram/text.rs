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

/// Writes text, escaping [hidden](is_hidden) characters.
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

/// Returns whether a terminal would obey a character, or not show it: control characters, and those
/// that change the direction of text or are invisible. Joiners within words are shown.
fn is_hidden(character: char) -> bool {
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
