//! Uses of the macro that compile, and error messages for uses that do not: one rule per file.
//!
//! `TRYBUILD=overwrite cargo test --package millicron-ui-tests` rewrites the expected messages.
#![cfg(test)]

use trybuild::TestCases;

#[test]
fn valid_uses_compile_and_run() {
    TestCases::new().pass("ok/*.rs");
}

#[test]
fn invalid_uses_fail_with_the_expected_messages() {
    TestCases::new().compile_fail("err/*.rs");
}
