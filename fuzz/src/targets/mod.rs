//! One module for each target.

mod answers;
mod calendars;
mod describe;
mod dialects;
mod language;
mod zones;

pub(crate) const ALL: [(&str, fn(&[u8])); 6] = [
    ("answers", answers::run),
    ("calendars", calendars::run),
    ("describe", describe::run),
    ("dialects", dialects::run),
    ("language", language::run),
    ("zones", zones::run),
];
