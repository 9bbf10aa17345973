//! Tells duplicates from other errors.

use std::error::Error;

/// Decides whether a storage refused a task because it has one with the same idempotency key.
pub(crate) type IsDuplicate = dyn Fn(&(dyn Error + 'static)) -> bool + Send + Sync;

/// The code of `PostgreSQL` for a violation of a unique index, as the error is displayed for debugging.
const UNIQUE_VIOLATION: &str = "\"23505\"";

/// Recognises the errors of apalis's SQL storages: a unique index over a column or with a name that
/// contains `idempotency_key` is violated.
///
/// `PostgreSQL` translates its messages, but neither the name of the index nor the error's code. The
/// name alone would not do: other errors mention it as well, such as a column that is missing.
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
