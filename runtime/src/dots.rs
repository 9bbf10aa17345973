//! The `..` of ranges and windows.

/// Splits a text at its first `..`. The string searcher of the standard library would be a hundredth
/// of the playground.
#[must_use]
pub fn split_at_dots(text: &str) -> Option<(&str, &str)> {
    let at = text.as_bytes().windows(2).position(|pair| pair == b"..")?;
    Some((text.get(..at)?, text.get(at + 2..)?))
}
