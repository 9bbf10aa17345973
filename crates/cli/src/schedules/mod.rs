//! The schedules in a database, from which `millicron-apalis` runs tasks.

mod arguments;
#[cfg_attr(not(feature = "schedules"), path = "no_table.rs")]
mod table;

pub(crate) use self::arguments::{Action, DatabaseArguments};
pub(crate) use self::table::run;
