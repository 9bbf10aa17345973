//! [`Excerpt`]: the part of a text that an error keeps.

use core::fmt::{self, Write};

/// The part of a text that an error shows.
///
/// Within it is what was read of the text, such as a member of a union. Messages are about that.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The byte of the text at which the excerpt starts, in 32 bits to keep errors small.
    offset: u32,
    bytes: [u8; Self::CAPACITY],
    len: u8,
    is_cut_after: bool,
    /// Where the part that was read starts and ends in the excerpt.
    read: [u8; 2],
}

impl Excerpt {
    /// The longest excerpt, in bytes.
    const CAPACITY: usize = 64;
    /// How many bytes before the span to keep if the whole text is too long.
    const CONTEXT: usize = 24;

    /// Copies the text around the byte `place`.
    pub(super) fn of(text: &str, place: usize) -> Self {
        let offset = if text.len() <= Self::CAPACITY {
            0
        } else {
            text.floor_char_boundary(place.saturating_sub(Self::CONTEXT))
        };
        // Beyond 4 GiB, the excerpt does not contain the span.
        let offset = text.floor_char_boundary(offset.min(u32::MAX as usize));
        let excerpt = Self::from(text, offset);
        Self { read: [0, excerpt.len], ..excerpt }
    }

    /// Returns the excerpt of a longer text, in which the text of this one begins at a byte.
    pub(super) fn within(&self, text: &str, start: usize) -> Self {
        let start = start + self.start();
        let len = self.as_str().len();
        let context = match len {
            _ if text.len() <= Self::CAPACITY => start,
            _ if self.is_cut_before() || self.is_cut_after() => 0,
            len => Self::CONTEXT.min(Self::CAPACITY - len),
        };
        let offset = text.ceil_char_boundary(start.saturating_sub(context));
        let excerpt = Self::from(text, offset);
        #[expect(clippy::cast_possible_truncation, reason = "at most CAPACITY")]
        let read = [start - offset, start - offset + len].map(|place| place as u8);
        Self { read, ..excerpt }
    }

    /// Copies the text from a byte on.
    fn from(text: &str, offset: usize) -> Self {
        let end = text.floor_char_boundary(offset + Self::CAPACITY);
        let part = &text.as_bytes()[offset..end];
        let mut bytes = [0; Self::CAPACITY];
        bytes[..part.len()].copy_from_slice(part);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most CAPACITY; beyond 4 GiB, nothing is underlined"
        )]
        let (len, offset) = (part.len() as u8, offset as u32);
        Self { offset, bytes, len, is_cut_after: end < text.len(), read: [0; 2] }
    }

    /// Returns what the excerpt contains of a part of the text.
    fn part(&self, start: u8, end: u8) -> &str {
        let text = str::from_utf8(&self.bytes[usize::from(start)..usize::from(end)]);
        debug_assert!(text.is_ok(), "an excerpt is cut between characters");
        text.unwrap_or_default()
    }

    /// Returns what was read, as far as the excerpt contains it.
    pub(super) fn as_str(&self) -> &str {
        let [start, end] = self.read;
        self.part(start, end)
    }

    /// Returns the byte of the text at which [`as_str`](Self::as_str) starts.
    pub(super) const fn start(&self) -> usize {
        self.offset as usize + self.read[0] as usize
    }

    /// Whether the start of what was read may be missing.
    pub(super) const fn is_cut_before(&self) -> bool {
        self.read[0] == 0 && self.offset > 0
    }

    /// Whether the end of what was read may be missing.
    pub(super) const fn is_cut_after(&self) -> bool {
        self.read[1] == self.len && self.is_cut_after
    }

    pub(super) const fn end(&self) -> usize {
        self.offset as usize + self.read[1] as usize
    }

    /// Returns the number of columns before a byte of the text.
    pub(super) fn columns_before(&self, place: usize) -> usize {
        let place = place.saturating_sub(self.offset as usize).min(self.len.into());
        let before = self.part(0, self.len).get(..place).unwrap_or_default();
        usize::from(self.offset > 0) + columns(before)
    }

    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset > 0 {
            f.write_char('…')?;
        }
        for character in self.part(0, self.len).chars() {
            f.write_char(printable(character))?;
        }
        if self.is_cut_after {
            f.write_char('…')?;
        }
        Ok(())
    }
}

/// Returns the number of columns that a text takes in a terminal, once it is
/// [printable]: two for each character of the wide blocks of Unicode.
pub(super) fn columns(text: &str) -> usize {
    let is_wide = |c| {
        matches!(c,
            '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{303e}'
            | '\u{3041}'..='\u{a4cf}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{1f300}'..='\u{1f64f}'
            | '\u{1f900}'..='\u{1f9ff}'
            | '\u{20000}'..='\u{3fffd}')
    };
    text.chars().map(|c| 1 + usize::from(is_wide(c))).sum()
}

/// Replaces a character that takes no column, or that a terminal would obey, so that the carets line
/// up.
pub(super) const fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        '\0'..' '
        | '\u{7f}'..'\u{a0}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        _ => character,
    }
}
