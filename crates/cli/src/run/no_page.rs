//! Stands in for the page in a build without the feature `page`.

#[path = "page/options.rs"]
mod options;

use std::path::Path;
use std::time::SystemTime;

use millicron_pipeline::{MemoryHistory, RunningPipeline};
use millicron_scheduler::{Event, RunContext, SchedulerHandle};

pub(crate) use self::options::{PageOptions, PageSettings};
use super::log::{OutputCopy, RunLabel};
use crate::error::Error;
use crate::file::JobEntry;

/// Has no values: this build has no page.
#[derive(Clone)]
pub(super) enum Page {}

impl Page {
    pub(super) fn new(
        _: PageSettings,
        _: Option<&Path>,
        _: impl Fn(RunContext) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        Err(Error::without_feature("--page", "page"))
    }

    pub(super) fn set_scheduler(&self, _: SchedulerHandle) {
        match *self {}
    }

    pub(super) fn record(&self, _: &Event) {
        match *self {}
    }

    pub(super) fn touch(&self, _: &str) {
        match *self {}
    }

    pub(super) fn record_skip(&self, _: &str, _: SystemTime, _: &str) {
        match *self {}
    }

    pub(super) fn set_jobs<'j>(
        &self,
        _: impl Iterator<Item = (&'j JobEntry, bool)>,
        _: Option<RunningPipeline<MemoryHistory>>,
    ) {
        match *self {}
    }

    #[cfg(feature = "server")]
    pub(super) fn router(&self) -> axum::Router {
        match *self {}
    }
}

impl OutputCopy for Page {
    fn add(&self, _: &RunLabel, _: &[u8]) {
        match *self {}
    }

    fn end(&self, _: &RunLabel) {
        match *self {}
    }

    fn set_read(&self, _: &RunLabel) {
        match *self {}
    }
}
