//! Schedules in a database, which change while programs run.

mod access;
pub(crate) mod claims;
mod database;
mod decided;
mod error;
mod filter;
#[cfg(feature = "postgres")]
mod postgres;
mod reading;
mod schedule;
mod schedules;
#[cfg(feature = "sqlite")]
mod sqlite;
pub(crate) mod table_claims;

pub use access::Access;
pub use database::Table;
pub use error::{InvalidSchedule, StoredError};
pub use filter::{Filter, Page, Selection};
pub use schedule::StoredSchedule;
pub use schedules::Schedules;
