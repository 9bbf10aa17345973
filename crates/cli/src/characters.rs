//! Characters that messages must not pass on to a terminal.

use std::borrow::Cow;
use std::io;

use millicron_pictures::is_hidden;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Returns a message with `…` in place of each URL after its scheme, if it may have a password. That ends at the last
/// `@`, and may contain anything.
pub(crate) fn without_passwords(message: &str) -> Cow<'_, str> {
    if !message.contains("://") {
        return message.into();
    }
    let mut parts = message.split("://");
    let mut hidden = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let after_password = part.rfind('@').unwrap_or_default();
        let end = part[after_password..].find(|c: char| c.is_whitespace() || "'`\"".contains(c));
        let (url, rest) = part.split_at(end.map_or(part.len(), |end| after_password + end));
        let has_password = url.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
        let is_secret = has_password || url.contains("password");
        hidden.extend(["://", if is_secret { "…" } else { url }, rest]);
    }
    hidden.into()
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

/// Writes a value as JSON, with an escape sequence in place of each hidden character.
pub(crate) fn write_json(writer: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(writer, VisibleJson))?)
}

/// Formats JSON compactly. By itself, `serde_json` escapes control characters of ASCII only.
#[derive(Debug)]
struct VisibleJson;

impl Formatter for VisibleJson {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Most texts are such, and lists of events have millions.
        if fragment.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((start, hidden)) = rest.char_indices().find(|(_, it)| is_hidden(*it)) {
            writer.write_all(&rest.as_bytes()[..start])?;
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[start + hidden.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}
