//! The meaning of texts in other dialects, compared with the programs and crates that define them.
//!
//! Both sides read each text of a corpus. The tests compare the events after some starts, and a long
//! chain of events. `tests/compare/dialects/differences` lists the texts on which the two sides differ, below
//! the reasons, which `tests/compare/dialects/README.md` explains. A text that differs must be listed, and a
//! listed text must differ.

mod answer;
mod crates;
mod differences;
mod recorded;
mod written;

/// The instants after which the first events are compared, around leap days and the ends of months
/// and years. `scripts/record-dialects` uses the same instants.
const STARTS: [&str; 6] = [
    "2000-01-01T00:00:00",
    "2024-02-28T23:30:00",
    "2026-05-31T12:00:00",
    "2037-12-31T23:59:59",
    "2061-09-30T17:45:30",
    "2099-11-30T00:00:00",
];
