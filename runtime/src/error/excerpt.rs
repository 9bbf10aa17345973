//! [`Excerpt`]: the part of a text that an error keeps.

use core::fmt::{self, Write};

/// As much of the text as an error shows.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// Where in the text the excerpt begins.
    pub(super) offset: usize,
    bytes: [u8; Self::CAPACITY],
    len: u8,
    is_cut_after: bool,
}

impl Excerpt {
    /// The longest excerpt, in bytes.
    const CAPACITY: usize = 64;
    /// How much is shown before the span of a text that is longer than that.
    const CONTEXT: usize = 24;

    /// The text around `place`.
    pub(super) fn of(text: &str, place: usize) -> Self {
        let offset = if text.len() <= Self::CAPACITY {
            0
        } else {
            text.floor_char_boundary(place.saturating_sub(Self::CONTEXT))
        };
        let end = text.floor_char_boundary(offset + Self::CAPACITY);
        let part = &text.as_bytes()[offset..end];
        let mut bytes = [0; Self::CAPACITY];
        bytes[..part.len()].copy_from_slice(part);
        #[expect(clippy::cast_possible_truncation, reason = "at most CAPACITY")]
        let len = part.len() as u8;
        Self { offset, bytes, len, is_cut_after: end < text.len() }
    }

    pub(super) fn as_str(&self) -> &str {
        // Cut at boundaries of characters, so always valid.
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or("")
    }

    pub(super) const fn is_cut_before(&self) -> bool {
        self.offset > 0
    }

    pub(super) const fn end(&self) -> usize {
        self.offset + self.len as usize
    }

    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cut_before() {
            f.write_char('…')?;
        }
        for character in self.as_str().chars() {
            f.write_char(printable(character))?;
        }
        if self.is_cut_after {
            f.write_char('…')?;
        }
        Ok(())
    }
}

/// A character that takes one column and does nothing else, so that the carets
/// stand right.
pub(super) const fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        '\0'..' ' | '\u{7f}'..'\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {
            '\u{fffd}'
        }
        _ => character,
    }
}
