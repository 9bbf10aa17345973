//! Recognizes texts that are in another language than the one they were read in.

use super::{dialect, native};
use crate::dots::split_at_dots;
use crate::error::Detail;
use crate::spans::trimmed;
use crate::{Dialect, ParseError, ParseErrorKind};

/// Replaces an error with one that names the dialect of the text, if that helps more.
#[cold]
pub(super) fn improve(dialect: Dialect, text: &str, error: ParseError) -> ParseError {
    // These errors say what to write in the dialect.
    let is_exact = matches!(
        error.kind(),
        ParseErrorKind::NotFixed | ParseErrorKind::Empty | ParseErrorKind::Unsupported { .. }
    );
    if is_exact {
        return error;
    }
    // Each schedule of a union.
    if text.split(';').all(|member| native::read(member).is_ok()) {
        return other_dialect(text, None).in_dialect(Some(dialect));
    }
    // Three dialects have the same form, so only these errors suggest another dialect.
    let is_about_form = matches!(
        error.kind(),
        ParseErrorKind::MissingField { .. }
            | ParseErrorKind::TooManyFields { .. }
            | ParseErrorKind::UnexpectedCharacter { .. }
            | ParseErrorKind::UnknownName { .. }
    );
    let other = Dialect::ALL.into_iter().find(|other| {
        let has_form = *other == Dialect::Systemd || dialect == Dialect::Systemd || is_about_form;
        has_form && *other != dialect && dialect::read(*other, text).is_ok()
    });
    match other {
        Some(_) => other_dialect(text, other).in_dialect(Some(dialect)),
        None => error,
    }
}

/// Returns a better error for a text that is not a schedule in the language of this crate: that a
/// dialect reads it, or that it has no fixed times.
pub(super) fn recognize(text: &str) -> Option<ParseError> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| {
        let is_unlike = *dialect == Dialect::Systemd && !is_systemd_like(text);
        !is_unlike && dialect::read(*dialect, text).is_ok()
    });
    if dialect.is_some() {
        return Some(other_dialect(text, dialect));
    }
    let error = dialect::read(Dialect::Crontab, text).err()?;
    matches!(error.kind(), ParseErrorKind::NotFixed).then_some(error)
}

/// Whether a text has a form that only systemd reads. Other forms are close to the language of this
/// crate, so an error in the terms of this language helps more.
fn is_systemd_like(text: &str) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'-' | b'~');
    let is_date = |part: &str| {
        part.starts_with(|c: char| c == '*' || c.is_ascii_digit())
            && !part.contains(':')
            && part.bytes().filter(|byte| is_separator(byte)).count() > 1
    };
    let is_word = !text.contains(':') && text.contains(|c: char| c.is_ascii_alphabetic());
    // A step after a number, in a time without seconds or with a fraction: `*:0/15`, `*:*:0/1.5`.
    let has_step = text.split_once('/').is_some_and(|(from, step)| {
        let has_seconds = || text.bytes().filter(|byte| *byte == b':').count() > 1;
        from.ends_with(|c: char| c.is_ascii_digit()) && (step.contains('.') || !has_seconds())
    });
    is_word || has_step || split_at_dots(text).is_some() || text.split(' ').any(is_date)
}

/// Returns the error for a text in another dialect, or in the language of this crate.
fn other_dialect(text: &str, dialect: Option<Dialect>) -> ParseError {
    let error = ParseError::new(ParseErrorKind::OtherDialect, text, trimmed(text));
    error.with_detail(dialect.map_or(Detail::None, Detail::Other))
}
