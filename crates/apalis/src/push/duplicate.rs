//! Distinguishes duplicates from other errors.

use std::error::Error;

/// Decides whether a storage refused a task because it already has one with the same idempotency key.
pub(crate) type IsDuplicate = dyn Fn(&(dyn Error + 'static)) -> bool + Send + Sync;

/// `PostgreSQL`'s error code for a unique violation, as it appears in the error's `Debug` output.
const UNIQUE_VIOLATION: &str = "\"23505\"";

/// Recognizes the errors of apalis's SQL storages: a violation of a unique index whose name or column
/// contains `idempotency_key`.
///
/// `PostgreSQL` localizes its messages, but not the name of the index or the error code. The name alone
/// is not enough: other errors mention it too, for example a missing column.
pub(crate) fn is_duplicate(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if text.contains("idempotency_key") && is_unique_violation(error, &text) {
            return true;
        }
        next = error.source();
    }
    false
}

fn is_unique_violation(error: &dyn Error, text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("unique") || text.contains("duplicate") || has_code(error)
}

fn has_code(error: &dyn Error) -> bool {
    format!("{error:?}").contains(UNIQUE_VIOLATION)
}
