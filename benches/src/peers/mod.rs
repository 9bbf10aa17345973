//! Other crates that answer the same queries.

mod cron;
mod croner;
mod crontime;
mod dialects;
mod rival;
mod saffron;

pub use rival::{Answers, NAMES, Rival, WINDOW, rivals};

/// A column of the translation table.
#[derive(Clone, Copy, Debug)]
enum Dialect {
    Cron,
    Croner,
    Saffron,
    Crontime,
}

/// The operations of a peer, in its own types, so that no conversion is measured.
trait Peer {
    /// The peer's column of the translation table.
    const DIALECT: Dialect;
    /// The crate's name.
    const NAME: &'static str;
    /// The peer's type of instants.
    type Instant: Copy;
    /// A parsed expression.
    type Schedule;

    /// Parses an expression in the peer's dialect.
    ///
    /// # Panics
    ///
    /// Panics if the peer refuses it, which means that the translation table is wrong.
    fn parse(expression: &'static str) -> Self::Schedule;

    /// Converts milliseconds since 1970.
    fn instant(millis: i64) -> Self::Instant;

    /// Converts to milliseconds since 1970.
    fn millis(instant: Self::Instant) -> i64;

    /// Returns the first event after `t`.
    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant>;

    /// Returns the events after `t`.
    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant>;
}

/// Returns an instant for the peers that use chrono.
fn chrono_instant(millis: i64) -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp_millis(millis).expect("well inside chrono's range")
}
