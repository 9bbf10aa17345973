//! Writes text in labels.

use core::fmt;

/// Writes text with `write`, escaping control characters.
pub(super) fn write_visible(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    write: fn(&mut fmt::Formatter<'_>, char) -> fmt::Result,
) -> fmt::Result {
    for character in text.chars() {
        if is_hidden(character) {
            for visible in character.escape_default() {
                write(f, visible)?;
            }
        } else {
            write(f, character)?;
        }
    }
    Ok(())
}

/// Returns whether a character is a control character, or one that changes the direction of text.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
