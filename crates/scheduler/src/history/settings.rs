//! The settings of a job history.

use std::fmt;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime};

use millicron_history::error_message;

use super::event::HistoryEvent;

pub(super) struct Settings {
    pub(super) owner: Box<str>,
    pub(super) keep: Keep,
    pub(super) failure: HistoryFailure,
    pub(super) observer: Box<dyn Fn(&HistoryEvent) + Send>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            owner: "scheduler".into(),
            keep: Keep::default(),
            failure: HistoryFailure::default(),
            observer: Box::new(report_to_standard_error),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, keep, failure, observer: _ } = self;
        f.debug_tuple("Settings").field(owner).field(keep).field(failure).finish()
    }
}

/// Which runs of each job a history keeps. The default is the last 1,000.
///
/// The last run of a job is always kept. Old runs are removed in batches, so up to a tenth more may be
/// kept, but at most 100.
///
/// ```
/// use std::time::Duration;
///
/// use millicron_scheduler::{JobHistory, Keep};
///
/// // The last 100 runs of each job, and none older than 30 days.
/// let keep = Keep::last(100).no_longer_than(Duration::from_secs(30 * 86_400));
/// let builder = JobHistory::builder().keep(keep);
/// # drop(builder);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keep {
    pub(super) most: Option<u64>,
    pub(super) longest: Option<Duration>,
}

impl Keep {
    /// Keeps all runs.
    #[must_use]
    pub const fn all() -> Self {
        Self { most: None, longest: None }
    }

    /// Keeps the last runs of each job.
    #[must_use]
    pub const fn last(runs: u64) -> Self {
        Self { most: Some(runs), longest: None }
    }

    /// Also removes runs whose scheduled instant is longer ago.
    #[must_use]
    pub const fn no_longer_than(self, age: Duration) -> Self {
        Self { longest: Some(age), ..self }
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self::last(1_000)
    }
}

/// Which runs start while the history fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryFailure {
    /// No run starts: runs wait until the history works again, and then start in order, so that no
    /// event runs twice. A waiting run counts as in progress, and its [time-out](crate::Job::timeout)
    /// is running: if that passes, the run starts with a cancelled [token](crate::RunContext::token).
    /// Once a call of the history has failed, and until one succeeds, runs occupy no workers while they
    /// wait. When such a run starts, observers and statistics also see a run of a job without a name.
    /// This is the default.
    #[default]
    Hold,
    /// All runs start, and are recorded when the history works again. If the process ends before
    /// that, the next process does not know of them, and may run their events again. Before each run,
    /// its worker still waits until a call in progress has failed, so a server that does not answer
    /// delays runs. Set short time-outs for the connection.
    Run,
}

fn report_to_standard_error(event: &HistoryEvent) {
    let millis = |time: SystemTime| {
        time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis()
    };
    let text = match event {
        HistoryEvent::CutOff { job, scheduled, attempts, restarts, .. } => {
            let restarts = if *restarts { ", and starts again" } else { "" };
            let scheduled = millis(*scheduled);
            format!("job {job} was cut off in attempt {attempts} of {scheduled}{restarts}")
        }
        HistoryEvent::Ahead { job, last } => {
            let last = millis(*last);
            format!(
                "job {job} has run at {last}, which is later than now: its earlier events do not run"
            )
        }
        HistoryEvent::Failed { error } => error_message(error),
        HistoryEvent::Recovered => "the history works again".to_string(),
    };
    // Nothing can be done if standard error is closed.
    drop(writeln!(io::stderr(), "millicron: {text}"));
}
