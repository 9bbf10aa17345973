//! Which events of the jobs become tasks.

pub(crate) mod guarded;
pub(crate) mod selection;
pub(crate) mod timing;
