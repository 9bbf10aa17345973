//! The `..` of ranges and windows.

/// Splits a text at its first `..`. The string searcher of the standard library would be a hundredth
/// of the playground.
#[must_use]
pub fn split_at_dots(text: &str) -> Option<(&str, &str)> {
    let at = text.as_bytes().windows(2).position(|pair| pair == b"..")?;
    Some((text.get(..at)?, text.get(at + 2..)?))
}

/// Splits what follows the start of a window into its end and its step. Also returns how many fields the end lacks, if
/// there is one.
pub(crate) fn split_end(rest: &str) -> (&str, u8, &str) {
    let (end, step) = rest.split_at(rest.bytes().position(|b| b == b'/').unwrap_or(rest.len()));
    let missing = match end.bytes().filter(|byte| *byte == b':').count() {
        _ if !end.ends_with(|c: char| c.is_ascii_digit()) => 0,
        0 => 2,
        1 => 1,
        _ => 0,
    };
    (end, missing, step)
}
