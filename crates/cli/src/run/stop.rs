//! [`Stop`]: stopping in stages.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use millicron_pictures::counted;

use super::Runner;
use super::log::Record;
use super::metrics;

/// How long killed processes may take to end.
const GONE: Duration = Duration::from_millis(800);

/// How long the observer may take for its last messages.
const OBSERVED: Duration = Duration::from_secs(5);
/// The same if runs have not ended, for which it would also wait.
const OBSERVED_UNFINISHED: Duration = Duration::from_millis(200);

/// A stage of stopping. The next one begins at its deadline, or on another signal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    stage: Stage,
    pub(super) deadline: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing starts, and commands may finish.
    Waiting,
    /// Commands have received SIGTERM.
    Terminating,
    /// Commands were killed.
    Killing,
    /// Some processes did not end.
    GivenUp,
}

impl Runner {
    /// Begins to stop, or the next stage. `cause` is the signal.
    pub(super) fn stop(&mut self, cause: Option<&str>) {
        if self.stop.is_some() {
            return self.next_stage();
        }
        if let Some(metrics) = &self.metrics {
            metrics.stop();
        }
        self.jobs.stop(&self.scheduler);
        // Commands that have ended are not counted.
        self.children.reap();
        let cause = cause.unwrap_or("the output was closed");
        let message = match self.children.count() {
            0 => format!("stopping ({cause})"),
            running => {
                let (running, grace) = (commands(running), self.grace);
                format!("stopping ({cause}): {running} may run for another {grace:?}")
            }
        };
        self.output.log(Record::info("stopping", message));
        self.enter(Stage::Waiting, self.grace);
    }

    fn enter(&mut self, stage: Stage, time: Duration) {
        let now = Instant::now();
        // An instant too far in the future would overflow; a year is long enough.
        let year = Duration::from_hours(365 * 24);
        let deadline = now.checked_add(time.min(year)).unwrap_or(now);
        self.stop = Some(Stop { stage, deadline });
    }

    fn next_stage(&mut self) {
        let Some(Stop { stage, .. }) = self.stop else { return };
        let running = match (self.children.count(), self.children.count_background()) {
            (running, 0) => commands(running),
            (0, left) => format!("background processes of {}", commands(left)),
            (running, left) => format!("{} and background processes of {left}", commands(running)),
        };
        let (signal, stage, time) = match stage {
            Stage::Waiting => {
                self.children.terminate_all();
                ("SIGTERM", Stage::Terminating, self.kill_after)
            }
            Stage::Terminating => {
                self.children.kill_all();
                ("SIGKILL", Stage::Killing, GONE)
            }
            Stage::Killing | Stage::GivenUp => return self.enter(Stage::GivenUp, GONE),
        };
        self.output.log(Record::warning("stopping", format!("sending {signal} to {running}")));
        self.enter(stage, time);
    }

    /// Returns whether everything has ended, or nothing more can be done. Begins the next stage at the deadline.
    pub(super) fn go_on_stopping(&mut self, now: Instant) -> bool {
        let Some(Stop { stage, deadline }) = self.stop else { return false };
        if deadline <= now {
            // Commands may have ended in time, but unnoticed.
            self.children.reap();
        }
        let is_running = self.scheduler.stats().running > 0;
        let has_left = self.children.count_background() > 0;
        if !is_running && !has_left || stage == Stage::GivenUp {
            return true;
        }
        // Background processes get SIGTERM as soon as all runs have ended.
        if deadline <= now || !is_running && stage == Stage::Waiting {
            self.next_stage();
        }
        false
    }

    /// Writes the remaining output, and returns the exit status.
    pub(super) fn finish(self) -> ExitCode {
        let unfinished = self.scheduler.stats().running;
        let killed = self.children.killed_when_stopping;
        metrics::reaped(0, self.children.killed);
        if unfinished > 0 {
            let message = format!("{} did not end", commands(unfinished));
            self.output.log(Record::error("stopping", message));
        }
        // The observer may still have messages to write.
        let longest = if unfinished == 0 { OBSERVED } else { OBSERVED_UNFINISHED };
        drop(self.scheduler.close().wait(longest));
        self.finish_history();
        self.output.log(Record::info("stopped", "stopped"));
        self.output.finish(self.grace_left());
        let is_success = unfinished == 0 && killed == 0 && !self.is_output_closed;
        if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Returns the rest of the grace.
    fn grace_left(&self) -> Duration {
        let past = self.signalled.map_or(Duration::ZERO, |signalled| signalled.elapsed());
        self.grace.saturating_sub(past)
    }

    /// Lets the history be written for the rest of the grace.
    fn finish_history(&self) {
        let Some(history) = &self.history else { return };
        if !history.finish(self.grace_left().max(GONE)) {
            let message = "the last runs are not in the history: writing it takes too long";
            self.output.log(Record::warning("history", message));
        }
    }
}

fn commands(count: usize) -> String {
    counted(count as u64, "command")
}
