//! A crate that depends on `millicron` only through another crate.

use hygiene_facade::prelude::{Schedule, every};

/// Uses the macro through a path in the other crate.
pub const BY_PATH: Schedule = hygiene_facade::millicron::schedule!("*:00:00");
/// Uses the macro under another name.
pub const BY_OTHER_NAME: Schedule = every!("*:00:00");
/// Uses macros of the other crate.
pub static BY_MACRO: [Schedule; 3] = [
    hygiene_facade::every_literal!("*:00:00"),
    hygiene_facade::every_expr!("*:00:00"),
    hygiene_facade::hourly!(),
];

hygiene_facade::job!(next_hour, "*:00:00");

#[cfg(test)]
mod tests {
    use super::{BY_MACRO, BY_OTHER_NAME, BY_PATH, next_hour};

    #[test]
    fn schedules_behind_a_facade_answer() {
        assert_eq!(BY_PATH, BY_OTHER_NAME);
        assert!(BY_MACRO.iter().all(|schedule| *schedule == BY_PATH));
        assert_eq!(next_hour(0), Some(946_684_800_000));
    }
}
