//! A scheduler with a clock that tests move, and its source.

use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use millicron_board::{Job, RunLog, RunState, SchedulerSource, Source as _};
use millicron_scheduler::{
    Completion, Job as Scheduled, ManualClock, Outcome, RunContext, Scheduler,
};

/// 2026-11-21 00:00:00 UTC.
pub(crate) const MIDNIGHT: i64 = 1_795_219_200_000;

/// How long tests wait for an expected event: far longer than it takes, even on a slow machine.
const LONGEST: Duration = Duration::from_mins(1);

pub(crate) struct Bench {
    pub(crate) clock: ManualClock,
    pub(crate) scheduler: Scheduler,
    pub(crate) source: SchedulerSource,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(&RunLog::new())
    }

    pub(crate) fn with(log: &RunLog) -> Self {
        let clock = ManualClock::new(time(MIDNIGHT));
        let builder = Scheduler::builder().clock(clock.clone()).observer(log.clone());
        let scheduler = builder.start().expect("threads");
        let source = log.source(&scheduler);
        Self { clock, scheduler, source }
    }

    /// Returns one whose scheduler follows the clock of the machine: a manual clock waits for runs in progress.
    pub(crate) fn real() -> Self {
        let log = RunLog::new();
        let scheduler = Scheduler::builder().observer(log.clone()).start().expect("threads");
        let source = log.source(&scheduler);
        Self { clock: ManualClock::new(time(MIDNIGHT)), scheduler, source }
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Waits until a job is as it should be: the observer has its own thread.
    #[track_caller]
    pub(crate) fn wait_for(&self, name: &str, mut is_so: impl FnMut(&Job) -> bool) -> Job {
        let start = Instant::now();
        loop {
            let job = self.source.job(name).expect("it answers");
            if let Some(job) = job.clone().filter(&mut is_so) {
                return job;
            }
            assert!(start.elapsed() < LONGEST, "the last was {job:?}");
            sleep(Duration::from_millis(1));
        }
    }

    /// Waits until the last run of a job is in a state.
    #[track_caller]
    pub(crate) fn wait_for_run(&self, name: &str, state: RunState) -> Job {
        self.wait_for(name, |job| job.last.as_ref().is_some_and(|run| run.state == state))
    }
}

pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.try_into().expect("after 1970"))
}

/// A job whose runs end when the test says so.
pub(crate) fn held() -> (Scheduled, Receiver<(RunContext, Completion)>) {
    let (sender, runs) = channel();
    (Scheduled::deferred(move |run, completion| drop(sender.send((run, completion)))), runs)
}

pub(crate) fn failed(message: &str) -> Outcome {
    Outcome::Failed(message.to_owned())
}
