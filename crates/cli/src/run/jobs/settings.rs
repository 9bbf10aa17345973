//! [`SharedSettings`]: how the runs of a job are started.

use std::sync::{Arc, Mutex, PoisonError};

use crate::file::JobEntry;
use crate::run::process::Settings;

/// How the runs of a job are started, which a reload may change.
#[derive(Clone, Debug)]
pub(super) struct SharedSettings(Arc<Mutex<Arc<Settings>>>);

impl SharedSettings {
    /// Returns how the runs of a job are started, if it has a command.
    pub(super) fn new(entry: &JobEntry, may_overlap: bool) -> Option<Self> {
        let command = Arc::new(entry.command.clone()?);
        let settings = Settings { command, limit: entry.policies.timeout, may_overlap };
        Some(Self::of(settings))
    }

    pub(super) fn of(settings: Settings) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(settings))))
    }

    /// Starts the runs of a job from now on like those of another, which differs in its command or timeout.
    pub(super) fn set(&self, other: &Self) {
        let other = other.get();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = other;
    }

    /// Returns how a run is started now.
    pub(super) fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
