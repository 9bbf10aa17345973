//! The subcommands and their arguments.

pub(crate) mod between;
pub(crate) mod calendar;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod day;
pub(crate) mod explain;
pub(crate) mod graph;
pub(crate) mod man;
pub(crate) mod matches;
pub(crate) mod next;
pub(crate) mod prev;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod simulate;
pub(crate) mod timeline;
pub(crate) mod watch;
pub(crate) mod zone;
