//! Other crates that answer the same questions.

mod cron;
mod croner;
mod crontime;
mod dialects;
mod rival;
mod saffron;

pub use rival::{Answers, NAMES, Rival, WINDOW, rivals};

/// Names a column of the translation table.
#[derive(Clone, Copy, Debug)]
enum Dialect {
    Cron,
    Croner,
    Saffron,
    Crontime,
}

/// What the benches need of a peer, in the peer's own types, so that no
/// conversion is timed.
trait Peer {
    /// The column of the translation table that is this peer's.
    const DIALECT: Dialect;
    /// The crate's name.
    const NAME: &'static str;
    /// An instant as the peer takes it.
    type Instant: Copy;
    /// A parsed expression.
    type Schedule;

    /// Parses an expression in the peer's dialect.
    ///
    /// # Panics
    ///
    /// Panics if the peer refuses it: the translation table is then wrong.
    fn parse(expression: &'static str) -> Self::Schedule;

    /// The peer's instant for milliseconds since 1970.
    fn instant(millis: i64) -> Self::Instant;

    /// Milliseconds since 1970.
    fn millis(instant: Self::Instant) -> i64;

    /// The first event after `t`.
    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant>;

    /// The events after `t`.
    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant>;
}

/// An instant for the peers that are built on chrono.
fn chrono_instant(millis: i64) -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp_millis(millis).expect("well inside chrono's range")
}
