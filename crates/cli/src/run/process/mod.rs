//! The processes of commands: how they start, and how they end.

mod children;
mod limit;
mod start;
mod wait;

pub(super) use self::children::{Children, Settings, Spawner};
pub(super) use self::limit::raise_open_files;
pub(super) use self::start::PAGE_TOKEN;
#[cfg(feature = "server")]
pub(super) use self::start::lacks_resources;
pub(super) use self::wait::adopt_orphans;
