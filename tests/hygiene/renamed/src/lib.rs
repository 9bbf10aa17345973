//! `millicron` under another name, in a crate that has other items with the names an expansion
//! might use.

use cron::{Schedule, schedule};

/// A decoy.
pub mod millicron {}
/// A decoy.
pub mod core {}
/// A decoy.
pub mod std {}

/// With the name of the macro alone.
pub const BY_NAME: Schedule = schedule!("*:00:00");
/// With the path of the macro.
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
