//! Stands in for the history of runs in a build without the feature `history`.

use std::io;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use millicron_history::RunState;

use super::log::OutputThread;
use crate::error::Error;

/// Has no values: this build cannot open a history.
#[derive(Clone, Copy)]
pub(super) enum HistoryFile {}

/// Has no values: there is no history to write to.
#[derive(Clone, Debug)]
pub(super) enum RunWriter {}

pub(super) fn open(_: &Path) -> Result<HistoryFile, Error> {
    Err(Error::without_feature("--history", "history"))
}

#[cfg(feature = "page")]
pub(super) fn log(path: &Path) -> Result<millicron_board::RunLog, Error> {
    open(path).map(|file| match file {})
}

impl RunWriter {
    pub(super) fn start(file: HistoryFile, _: OutputThread) -> io::Result<Self> {
        match file {}
    }

    pub(super) fn add(&self, _job: &str, _scheduled: Timestamp, _attempt: u32, _state: RunState) {
        match *self {}
    }

    pub(super) fn finish(&self, _limit: Duration) -> bool {
        match *self {}
    }
}
