//! Errors of a [`JobHistory`](crate::JobHistory).

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A history could not be read or written.
#[derive(Clone, Debug)]
pub struct HistoryError {
    what: String,
    source: Arc<dyn Error + Send + Sync>,
}

impl HistoryError {
    pub(crate) fn new(what: String, source: impl Error + Send + Sync + 'static) -> Self {
        Self { what, source: Arc::new(source) }
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for HistoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}
