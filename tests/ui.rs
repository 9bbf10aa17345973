//! What compiles, and the messages of what does not: one rule a file.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the messages anew.

#[test]
fn ok() {
    trybuild::TestCases::new().pass("tests/ui/ok/*.rs");
}

#[test]
fn err() {
    trybuild::TestCases::new().compile_fail("tests/ui/err/*.rs");
}
