//! A crate that re-exports `millicron`: the crate, its items, and through macros.

pub use millicron;
pub use millicron::Schedule;

/// What an application would import.
pub mod prelude {
    pub use millicron::{Schedule, schedule as every};
}

/// A schedule from a literal.
#[macro_export]
macro_rules! every_literal {
    ($text:literal) => {
        $crate::millicron::schedule!($text)
    };
}

/// A schedule from an expression that must be a literal.
#[macro_export]
macro_rules! every_expr {
    ($text:expr) => {
        $crate::millicron::schedule!($text)
    };
}

/// A constant, and a function that queries it.
#[macro_export]
macro_rules! job {
    ($name:ident, $text:expr) => {
        /// Returns the next event after a moment in milliseconds.
        #[must_use]
        pub fn $name(now: i64) -> ::core::option::Option<i64> {
            const SCHEDULE: $crate::Schedule = $crate::every_expr!($text);
            SCHEDULE.next_event(now)
        }
    };
}

/// A schedule whose text is in this crate.
#[macro_export]
macro_rules! hourly {
    () => {
        $crate::millicron::schedule!("*:00:00")
    };
}
