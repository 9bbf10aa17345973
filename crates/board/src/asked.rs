//! [`Asked`]: answers async tasks from a source that may block.

use std::sync::Arc;
use std::time::SystemTime;

use millicron::unix_millis;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::Failure;
use crate::source::{Source, SourceError};

/// The maximum number of queries in progress. The service around the board needs its threads, too, however many visitors
/// there are, and even if the source hangs.
const AT_ONCE: usize = 8;

/// Answers async tasks, which must not block, from a source that may.
#[derive(Clone)]
pub(crate) struct Asked {
    source: Arc<dyn Source>,
    turns: Arc<Semaphore>,
}

impl Asked {
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        Self { source, turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Asks the source, on a thread that may block.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Source) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<T, Failure> {
        let source = Arc::clone(&self.source);
        // Kept until the answer is there, even if nobody waits for it any more. Nothing closes the semaphore.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let answer = spawn_blocking(move || {
            let _turn = turn;
            question(&*source)
        });
        match answer.await {
            Ok(answer) => answer.map_err(|error| Failure::of(&*error)),
            // The panic hook has reported it.
            Err(_) => Err(Failure::internal("the source has panicked")),
        }
    }
}

/// Returns the time in milliseconds since 1970-01-01 00:00:00 UTC.
pub(crate) fn now() -> i64 {
    unix_millis(SystemTime::now())
}
