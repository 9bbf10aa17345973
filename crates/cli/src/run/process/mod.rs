//! The processes of commands: how they start, and how they end.

mod children;
mod start;

pub(super) use self::children::{Children, Settings, Spawner, adopt_orphans};
pub(super) use self::start::lacks_resources;
