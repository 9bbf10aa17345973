//! Reads the calendars that a schedule may name.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;

use millicron::Calendar;

use crate::problem::Problem;

/// A calendar's name, and where it and the days are in the text.
struct Section<'a> {
    name: &'a str,
    name_span: Range<usize>,
    days: Range<usize>,
}

/// Reads calendars: for each, a line with its name in brackets, such as `[nyse]`, and then its text. They may name each
/// other.
pub(crate) fn read(text: &str) -> Result<BTreeMap<String, Calendar>, Problem> {
    let sections = sections(text)?;
    let texts = sections.iter().map(|it| (it.name, &text[it.days.clone()]));
    Calendar::parse_all(texts).map_err(|error| {
        let (name, error) = (error.name(), error.error());
        let message = error.in_line().plain();
        // The last one of a name that occurs twice is in the way.
        match sections.iter().rfind(|it| it.name == name) {
            Some(section) if error.is_about_whole() => {
                wrong(text, section.name_span.clone(), message)
            }
            Some(section) => {
                let Range { start, end } = error.span();
                wrong(text, section.days.start + start..section.days.start + end, message)
            }
            None => wrong(text, 0..0, message),
        }
    })
}

/// Finds the calendars in the text.
fn sections(text: &str) -> Result<Vec<Section<'_>>, Problem> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let content = line.trim();
        let content_start = start + (line.len() - line.trim_start().len());
        let span = content_start..content_start + content.len();
        if let Some(name) = content.strip_prefix('[') {
            // Without the other bracket, it is no name either.
            let name = name.strip_suffix(']').unwrap_or(content);
            sections.push(Section { name, name_span: span, days: end..end });
        } else if let Some(section) = sections.last_mut() {
            section.days.end = end;
        } else if !content.is_empty() && !content.starts_with('#') {
            let message = "the calendar has no name: write it before the first line, in brackets, as in `[nyse]`";
            return Err(wrong(text, span, message));
        }
    }
    Ok(sections)
}

/// Reports a problem at a byte range of the text.
fn wrong(text: &str, span: Range<usize>, message: impl Display) -> Problem {
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
    let message = format!("calendars, line {line}, column {column}: {message}");
    Problem { in_calendars: true, ..Problem::new(text, span, message) }
}
