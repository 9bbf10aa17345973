//! A crate that depends on `millicron` under another name, and has its own modules with the names
//! of crates that an expansion might use.

use cron::{Schedule, schedule};

/// Not the crate of this name.
pub mod millicron {}
/// Not the crate of this name.
pub mod core {}
/// Not the crate of this name.
pub mod std {}

/// Uses the macro by its name.
pub const BY_NAME: Schedule = schedule!("*:00:00");
/// Uses the macro by its path.
pub static BY_PATH: Schedule = cron::schedule!("*:00:00");

#[cfg(test)]
mod tests {
    use super::{BY_NAME, BY_PATH};

    #[test]
    fn schedules_of_a_renamed_crate_answer() {
        assert_eq!(BY_NAME.next_event(0), Some(946_684_800_000));
        assert_eq!(BY_NAME, BY_PATH);
    }
}
