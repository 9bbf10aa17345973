//! [`Storage`]: the storages that a source can push to.

use std::any::Any;
#[cfg(feature = "redis")]
use std::time::Duration;

use apalis_core::backend::{Backend, BackendConfig, TaskSink};

use crate::run::Run;

/// A storage of apalis for the tasks of a source with payloads `P`.
///
/// All storages whose tasks are [`Run<P>`], wrapped or not, implement it.
pub trait Storage<P>:
    Backend + BackendConfig<Config: Any> + TaskSink<Run<P>, <Self as BackendConfig>::Kind> + Unpin
{
}

impl<P, B> Storage<P> for B where
    B: Backend + BackendConfig<Config: Any> + TaskSink<Run<P>, <B as BackendConfig>::Kind> + Unpin
{
}

/// Returns whether a storage lets its idempotency keys expire at once, which a missing time to live
/// means to `apalis-redis`. It counts whole seconds.
#[cfg(feature = "redis")]
pub(crate) fn forgets_keys(config: &dyn Any) -> bool {
    config
        .downcast_ref::<apalis_redis::Config>()
        .is_some_and(|config| config.idempotency_ttl.is_none_or(|ttl| ttl < Duration::from_secs(1)))
}

#[cfg(not(feature = "redis"))]
pub(crate) fn forgets_keys(_: &dyn Any) -> bool {
    false
}
