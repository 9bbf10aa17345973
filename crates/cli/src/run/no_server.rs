//! Stands in for the HTTP server in a build without the features `metrics` and `page`.

use std::io;
use std::sync::Arc;

use super::metrics::Metrics;
use super::page::{Page, PageOptions, PageSettings};
use crate::error::Error;

/// Listens on no address.
pub(super) struct Listeners;

impl Listeners {
    pub(super) fn open(metrics: Option<&str>, page: &PageOptions) -> Result<Self, Error> {
        if metrics.is_some() {
            return Err(Error::without_feature("--metrics", "metrics"));
        }
        page.settings(None).map(|_| Self)
    }

    #[expect(clippy::unused_self, reason = "as with a server")]
    pub(super) const fn has_metrics(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "as with a server")]
    pub(super) const fn page(&self) -> Option<&PageSettings> {
        None
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with a server")]
    pub(super) fn serve(
        self,
        _: Option<&Arc<Metrics>>,
        _: Option<&Page>,
    ) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}
