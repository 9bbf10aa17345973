//! One module for each target.

mod answers;
mod calendars;
mod claims;
mod core;
mod describe;
mod dialects;
mod history;
mod jobs;
mod language;
mod simulator;
mod zones;

pub(crate) const ALL: [(&str, fn(&[u8])); 11] = [
    ("answers", answers::run),
    ("calendars", calendars::run),
    ("claims", claims::run),
    ("core", core::run),
    ("describe", describe::run),
    ("dialects", dialects::run),
    ("history", history::run),
    ("jobs", jobs::run),
    ("language", language::run),
    ("simulator", simulator::run),
    ("zones", zones::run),
];
