//! Which storage errors count as duplicates.

use std::error::Error;
use std::fmt;

use millicron_apalis::Source;

use crate::support::{Events, MIDNIGHT, Recorder, clock_at, push_due};

/// An error as a storage reports it: its `Display` text, its `Debug` text, and its cause.
struct Report {
    text: &'static str,
    debug: &'static str,
    cause: Option<Box<Report>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.debug)
    }
}

impl Error for Report {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

/// Returns whether a source treats an error as a duplicate if its storage refuses the task with it.
fn is_duplicate(text: &'static str, debug: &'static str) -> bool {
    let storage = Recorder::refusing(move || {
        let cause = Some(Box::new(Report { text, debug, cause: None }));
        Box::new(Report { text: "the storage failed", debug: "Failed", cause })
    });
    let source = Source::builder().clock(clock_at(MIDNIGHT)).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    let is_done = push_due(&source, &storage);
    assert_eq!(source.stats().duplicates == 1, is_done);
    is_done
}

#[test]
fn violations_of_the_unique_index_are_duplicates() {
    for (text, debug) in [
        ("duplicate key value violates unique constraint \"idx_jobs_idempotency_key\"", ""),
        ("UNIQUE constraint failed: Jobs.job_type, Jobs.idempotency_key", ""),
        ("Duplicate entry 'q-a:1' for key 'jobs.idempotency_key'", ""),
        // In German and in Russian.
        ("doppelter Schlüsselwert verletzt Unique-Constraint »idx_jobs_idempotency_key«", ""),
        (
            "повторяющееся значение ключа нарушает ограничение уникальности \"idx_jobs_idempotency_key\"",
            "PgDatabaseError { severity: Error, code: \"23505\" }",
        ),
    ] {
        assert!(is_duplicate(text, debug), "{text}");
    }
}

#[test]
fn other_errors_are_not_duplicates() {
    for (text, debug) in [
        ("the connection is lost", ""),
        ("duplicate key value violates unique constraint \"jobs_pkey\"", "code: \"23505\""),
        ("column \"idempotency_key\" of relation \"jobs\" does not exist", "code: \"42703\""),
        ("index \"idx_jobs_idempotency_key\" contains unexpected zero page at block 7", ""),
        (
            "index row size 2712 exceeds maximum 2704 for index \"idx_jobs_idempotency_key\"",
            "a:23505",
        ),
    ] {
        assert!(!is_duplicate(text, debug), "{text}");
    }
}

#[test]
fn duplicates_of_other_storages_can_be_described() {
    let storage = Recorder::refusing(|| "I have seen this before".into());
    let source = Source::builder()
        .clock(clock_at(MIDNIGHT))
        .duplicates(|error| error.to_string().contains("seen this before"))
        .add("a", Events(vec![MIDNIGHT]), 1)
        .build()
        .expect("a source");
    assert!(push_due(&source, &storage));
    assert_eq!(source.stats().duplicates, 1);
}
