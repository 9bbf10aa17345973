//! Error messages for uses of the macro that do not compile: one rule per file. The uses that do compile are in `tests`,
//! each in a crate of its own. For these, trybuild would compile all dependencies twice more.
//!
//! `TRYBUILD=overwrite cargo test --package millicron-ui-tests` rewrites the expected messages.
#![cfg(test)]

use trybuild::TestCases;

#[test]
fn invalid_uses_fail_with_the_expected_messages() {
    TestCases::new().compile_fail("err/*.rs");
}
