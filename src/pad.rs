//! Padding of texts to the width of a formatter, without an allocator.

use core::fmt::{self, Alignment, Formatter, Write};

/// Writes a text with the width, the fill and the alignment of a formatter. With a width, the text is
/// formatted twice: the first time only to count its characters.
pub(crate) fn pad(f: &mut Formatter<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
    let Some(width) = f.width() else { return f.write_fmt(text) };
    let mut length = WrittenLength(0);
    length.write_fmt(text)?;
    let missing = width.saturating_sub(length.0);
    let before = match f.align() {
        Some(Alignment::Right) => missing,
        Some(Alignment::Center) => missing / 2,
        _ => 0,
    };
    let fill = f.fill();
    (0..before).try_for_each(|_| f.write_char(fill))?;
    f.write_fmt(text)?;
    (before..missing).try_for_each(|_| f.write_char(fill))
}

/// The number of characters that were written.
struct WrittenLength(usize);

impl Write for WrittenLength {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.chars().count();
        Ok(())
    }
}
