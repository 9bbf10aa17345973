//! Records how runs of scheduled jobs ended, and lets several runners claim them.
//!
//! A run is identified by the name of its job and its scheduled instant, in milliseconds since
//! 1970-01-01 00:00:00. A [`History`] records how the run ended and, if known, when:
//!
//! ```
//! use millicron_history::{History, MemoryHistory, RunState};
//!
//! let mut history = MemoryHistory::new();
//! history.record_state("load", 3_600_000, RunState::Failed)?;
//! history.record("load", 7_200_000)?;
//! assert_eq!(history.state("load", 3_600_000)?, Some(RunState::Failed));
//! assert_eq!(history.first_at_or_after("load", 0)?, Some(7_200_000));
//! # Ok::<(), std::convert::Infallible>(())
//! ```
//!
//! Runners that share a history [claim](Claims) each run before they start it, so that it starts
//! only once.
//!
//! # Choosing a history
//!
//! | history | feature | keeps its records | shared by |
//! | --- | --- | --- | --- |
//! | [`MemoryHistory`] | | in memory, until the program ends | threads, behind a lock |
//! | [`SqliteHistory`][sqlite] | `sqlite` | in a file | the processes of one machine |
//! | [`PostgresHistory`][postgres] | `postgres` | on a server | all machines |
//!
//! To store records elsewhere, implement [`History`], and also [`Claims`] if several runners share
//! them.
//!
//! This crate knows nothing about schedules. [`millicron-pipeline`] uses a history to decide which
//! runs may start, and re-exports this crate's types.
//!
//! # Crate features
//!
//! No feature is enabled by default; without any, the crate is `no_std` and needs only `alloc`.
//!
//! - `sqlite` adds a history in an `SQLite` file. It compiles `SQLite`, which needs a C compiler. As a
//!   program can link `SQLite` only once, it accepts `rusqlite` 0.39 to 0.43; 0.39 links the same library
//!   as `sqlx` 0.9.
//! - `postgres` adds a history in `PostgreSQL`, with `tokio-postgres`.
//! - `std` implements [`Claims`] for [`MemoryHistory`]. The other features enable it.
//!
//! [`millicron-pipeline`]: https://docs.rs/millicron-pipeline
#![cfg_attr(feature = "sqlite", doc = "[sqlite]: crate::SqliteHistory")]
#![cfg_attr(not(feature = "sqlite"), doc = "[sqlite]: #crate-features")]
#![cfg_attr(feature = "postgres", doc = "[postgres]: crate::PostgresHistory")]
#![cfg_attr(not(feature = "postgres"), doc = "[postgres]: #crate-features")]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod backoff;
mod claims;
#[cfg(feature = "std")]
mod clock;
mod error;
mod history;
mod memory;
mod message;
#[cfg(feature = "std")]
mod owner;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod record;
mod run_key;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "std")]
mod stored_claim;

pub use backoff::Backoff;
pub use claims::{Claim, ClaimOutcome, Claims, StartedRun};
pub use error::*;
pub use history::History;
pub use memory::MemoryHistory;
pub use message::error_message;
#[cfg(feature = "std")]
pub use owner::{HeldClaim, HeldClaims, HistoryThread, Lease, catch_panic};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresBuilder, PostgresHistory};
pub use query::RunQuery;
pub use record::{RunRecord, RunState};
pub use run_key::RunKey;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteHistory;

#[doc = include_str!("../README.md")]
#[cfg(all(doctest, feature = "postgres", feature = "sqlite"))]
struct ReadmeDoctests;
