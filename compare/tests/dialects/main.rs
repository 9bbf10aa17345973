//! What texts of other dialects mean, compared with the programs and crates that read them.
//!
//! Each text of a corpus is read by both sides, and the events after some starts are compared, as
//! well as a long chain of events. Texts on which the two differ are in `compare/dialects/differences`,
//! below the reason, and `compare/dialects/README.md` has each reason. A text that differs must be
//! listed, and a listed text must differ.

mod answer;
mod crates;
mod differences;
mod recorded;
mod written;

/// The instants after which the first events are compared, around leap days and the ends of months
/// and years. `scripts/record-dialects` has the same.
const STARTS: [&str; 6] = [
    "2000-01-01T00:00:00",
    "2024-02-28T23:30:00",
    "2026-05-31T12:00:00",
    "2037-12-31T23:59:59",
    "2061-09-30T17:45:30",
    "2099-11-30T00:00:00",
];
