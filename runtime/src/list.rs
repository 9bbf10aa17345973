//! Lists in sentences.

use core::fmt;

/// Writes items as `a, b and c`.
///
/// # Errors
///
/// Returns the errors of the writer.
#[inline]
pub fn list<W: fmt::Write, T>(
    out: &mut W,
    items: impl Iterator<Item = T>,
    conjunction: &str,
    mut write: impl FnMut(&mut W, T) -> fmt::Result,
) -> fmt::Result {
    let mut items = items.peekable();
    let mut is_first = true;
    while let Some(item) = items.next() {
        match (is_first, items.peek()) {
            (true, _) => {}
            (false, Some(_)) => out.write_str(", ")?,
            (false, None) => write!(out, " {conjunction} ")?,
        }
        is_first = false;
        write(out, item)?;
    }
    Ok(())
}
