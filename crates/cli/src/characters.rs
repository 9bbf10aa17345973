//! Characters that messages must not pass on to a terminal.

use std::borrow::Cow;

/// Whether a terminal would obey a character, or not show it: control characters, and those that change the direction of
/// text or are invisible. Joiners within words are shown.
pub(crate) fn is_hidden(character: char) -> bool {
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

/// Returns a text for people that quotes other texts, with a replacement character in place of each hidden one. Lines and
/// tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_bad = |character| is_hidden(character) && !matches!(character, '\n' | '\t');
    if !text.contains(is_bad) {
        return text.into();
    }
    let lines = text.split("\r\n").map(|line| line.replace(is_bad, "\u{fffd}"));
    lines.collect::<Vec<_>>().join("\r\n").into()
}
