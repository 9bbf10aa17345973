//! A crate that re-exports `millicron` and its items, and uses it in its own macros.

pub use millicron;
pub use millicron::Schedule;

/// Items for applications to import.
pub mod prelude {
    pub use millicron::{Schedule, schedule as every};
}

/// Compiles a schedule from a literal.
#[macro_export]
macro_rules! every_literal {
    ($text:literal) => {
        $crate::millicron::schedule!($text)
    };
}

/// Compiles a schedule from an expression, which must be a literal.
#[macro_export]
macro_rules! every_expr {
    ($text:expr) => {
        $crate::millicron::schedule!($text)
    };
}

/// Defines a function that queries a constant schedule.
#[macro_export]
macro_rules! job {
    ($name:ident, $text:expr) => {
        /// Returns the next event after `now`, in milliseconds.
        #[must_use]
        pub fn $name(now: i64) -> ::core::option::Option<i64> {
            const SCHEDULE: $crate::Schedule = $crate::every_expr!($text);
            SCHEDULE.next_event(now)
        }
    };
}

/// Compiles a schedule from a text in this crate.
#[macro_export]
macro_rules! hourly {
    () => {
        $crate::millicron::schedule!("*:00:00")
    };
}
