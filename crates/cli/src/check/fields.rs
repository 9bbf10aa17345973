//! [`Fields`]: the fields of a schedule as texts.

use std::collections::BTreeSet;
use std::ops::Range;

use millicron::{Dialect, Field, Language};

/// The texts of the fields that a schedule has.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    text: String,
    spans: Vec<(Field, Range<usize>)>,
    /// Whether day and weekday are joined by OR, in the text.
    pub(super) has_or: bool,
}

impl Fields {
    /// Splits a schedule of a language into its fields.
    pub(super) fn of(language: Language, text: &str) -> Self {
        let words: Vec<_> = words(text).collect();
        let spans = match language {
            Language::Millicron => native(text, &words),
            Language::Dialect(Dialect::Systemd) => systemd(text, &words),
            _ => fields(text, &words),
        };
        Self { text: text.to_owned(), has_or: text.contains('|'), spans }
    }

    /// Returns the place of a field.
    pub(super) fn span(&self, field: Field) -> Option<Range<usize>> {
        self.spans.iter().find(|(it, _)| *it == field).map(|(_, span)| span.clone())
    }

    /// Returns the text of a field.
    pub(super) fn get(&self, field: Field) -> Option<&str> {
        self.span(field).and_then(|span| self.text.get(span))
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// Returns the values of a field of a canonical text; `None` if it is `*` or has items that are not
/// numbers.
pub(super) fn values(text: &str, field: Field) -> Option<BTreeSet<u16>> {
    let mut values = BTreeSet::new();
    for item in text.split(',') {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, step.parse().ok().filter(|step| *step > 0)?),
            None => (item, 1),
        };
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
            None if range == "*" && step > 1 => (field.min_value(), field.max_value()),
            None => {
                let value: u16 = range.parse().ok()?;
                (value, value)
            }
        };
        values.extend((from..=to).step_by(step));
    }
    Some(values)
}

/// Returns the places of the words of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| !c.is_ascii_whitespace())?;
        let length = text[start..].find(|c: char| c.is_ascii_whitespace());
        rest = length.map_or(text.len(), |length| start + length);
        Some(start..rest)
    })
}

/// Splits fields that are separated by white space.
fn fields(text: &str, words: &[Range<usize>]) -> Vec<(Field, Range<usize>)> {
    use Field::{Day, Hour, Minute, Month, Second, Weekday, Year};

    const ORDER: [Field; 7] = [Second, Minute, Hour, Day, Month, Weekday, Year];
    let words: Vec<_> = words.iter().filter(|word| !text[(*word).clone()].contains('=')).collect();
    let order = match words.len() {
        5 => &ORDER[1..6],
        6 => &ORDER[..6],
        7 => &ORDER[..],
        _ => &[],
    };
    order.iter().copied().zip(words.into_iter().cloned()).collect()
}

/// Splits `yyyy.MM.dd w HH:mm:ss.fff`.
fn native(text: &str, words: &[Range<usize>]) -> Vec<(Field, Range<usize>)> {
    let mut spans = Vec::new();
    for word in words {
        let content = &text[word.clone()];
        if content.contains(':') {
            let is_window = content.contains("..");
            let fields: &[Field] = &[Field::Hour, Field::Minute, Field::Second, Field::Millisecond];
            if !is_window {
                spans.extend(split(text, word, &[':', '.'], fields));
            }
            // A time zone may follow.
            break;
        }
        let date_end = content.find('|').unwrap_or(content.len());
        let date = word.start..word.start + date_end;
        let weekday = (word.start + date_end + 1).min(word.end)..word.end;
        if content[..date_end].contains('.') {
            let date_has_step = content.matches('.').count() == 2
                && content[..date_end]
                    .rsplit('.')
                    .next()
                    .is_some_and(|day| day.ends_with(['d', 'w']) && day.contains('/'));
            if !date_has_step {
                let fields = &[Field::Year, Field::Month, Field::Day];
                spans.extend(split(text, &date, &['.'], fields));
            }
            if !weekday.is_empty() {
                spans.push((Field::Weekday, weekday));
            }
        } else {
            let start = word.start + content.len() - content.trim_start_matches('|').len();
            if start < word.end {
                spans.push((Field::Weekday, start..word.end));
            }
        }
    }
    spans
}

/// Splits `[weekday] [date] [time]` of systemd.
fn systemd(text: &str, words: &[Range<usize>]) -> Vec<(Field, Range<usize>)> {
    let mut spans = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let content = &text[word.clone()];
        if content.contains(':') {
            let fields = &[Field::Hour, Field::Minute, Field::Second];
            spans.extend(split(text, word, &[':'], fields));
            break;
        }
        let is_name = content.starts_with(|c: char| c.is_ascii_alphabetic());
        match content.matches(['-', '~']).count() {
            2 => {
                let fields = &[Field::Year, Field::Month, Field::Day];
                spans.extend(split(text, word, &['-', '~'], fields));
            }
            1 if !is_name => {
                spans.extend(split(text, word, &['-', '~'], &[Field::Month, Field::Day]));
            }
            _ if is_name && index == 0 => spans.push((Field::Weekday, word.clone())),
            _ => {}
        }
    }
    spans
}

/// Splits a word into fields.
fn split(
    text: &str,
    word: &Range<usize>,
    separators: &[char],
    fields: &[Field],
) -> Vec<(Field, Range<usize>)> {
    let mut start = word.start;
    let parts = text[word.clone()].split(separators).map(|part| {
        let span = start..start + part.len();
        start = span.end + 1;
        span
    });
    fields.iter().copied().zip(parts).collect()
}
