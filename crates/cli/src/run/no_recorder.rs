//! Stands in for the recorder of metrics in a build without the feature `metrics`.

use crate::error::Error;

/// Has no values: this build cannot record metrics.
pub(super) enum Recorder {}

impl Recorder {
    pub(super) fn install() -> Result<Self, Error> {
        Err(Error::without_feature("--metrics", "metrics"))
    }

    pub(super) fn run_upkeep(&self) {
        match *self {}
    }

    pub(super) fn render(&self) -> String {
        match *self {}
    }
}
