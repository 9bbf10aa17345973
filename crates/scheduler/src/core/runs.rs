//! The life cycle of a run: offered, ready, started, finished.

use std::time::Duration;

use slotmap::SlotMap;

use super::entry::{Entry, JobEntry, Removed};
use super::pending::{Dropped, PendingRun};
use super::table::Key;
use super::{Core, RemovedJob};
use crate::core::once::JobState;
use crate::core::queue::KEPT_CAPACITY;
use crate::job::{Overlap, Work};
use crate::report::{Event, SkipReason};
use crate::run::{CancellationToken, JobName, Outcome, RunContext, RunId};
use crate::time::{Nanos, Now, Timeline};

/// The runs in progress.
pub(crate) type Runs = SlotMap<RunId, ActiveRun>;

/// The maximum number of values whose memory is kept for later runs: a few times what the workers decide at once.
const MOST_SPARE: usize = 128;

/// A run in progress.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct ActiveRun {
    pub(super) key: Key,
    pub(super) context: RunContext,
    timeline: Timeline,
    /// When it could start, on its timeline.
    due: Nanos,
    /// The elapsed time when it started.
    began: Nanos,
    /// Whether the job was removed when the run started, because it had nothing else to do.
    is_last: bool,
    is_retry: bool,
    /// The limit of its time. The job may be removed before the run exceeds it.
    pub(super) limit: Option<Duration>,
    pub(super) has_timed_out: bool,
    /// Whether the run no longer counts as in progress for its job.
    pub(super) is_abandoned: bool,
    /// Whether the job was cancelled before the run started, while the gate was asked.
    pub(super) is_cancelled: bool,
    /// The work of a run that waits for its gate, or for a worker after it.
    work: Option<Work>,
}

/// A run for a worker to execute.
pub(crate) struct AssignedRun {
    /// Identifies the run, for [`Core::finish`].
    pub(crate) id: RunId,
    pub(crate) context: RunContext,
    /// `None` if the gate must be asked first.
    pub(crate) work: Option<Work>,
    /// The number of runs that wait for a worker behind it.
    #[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "a metric"))]
    pub(crate) ready: usize,
}

/// The end of a run, to be reported.
pub(crate) struct Ended {
    pub(crate) context: RunContext,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
    /// Whether another attempt follows.
    #[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "a metric"))]
    pub(crate) is_retried: bool,
    /// Whether it is the first run of its job that did not succeed.
    pub(crate) is_first_failure: bool,
}

impl Ended {
    /// Whether the end of a run is reported: to `metrics` always, and elsewhere if it did not succeed.
    const fn is_reported(outcome: &Outcome) -> bool {
        cfg!(feature = "metrics") || !outcome.is_success()
    }
}

impl ActiveRun {
    /// Creates a run that has not started. Its context has placeholders until then.
    fn new(key: Key, job: JobName, run: PendingRun, token: CancellationToken) -> Self {
        let PendingRun { kind, scheduled, coalesced, attempt, number, due, .. } = run;
        let context = RunContext {
            job,
            kind,
            scheduled,
            started: scheduled,
            lateness: Duration::ZERO,
            number: number.unwrap_or(1),
            attempt,
            coalesced,
            token,
        };
        let is_retry = number.is_some();
        // Retries follow elapsed time.
        let timeline = if is_retry { Timeline::Elapsed { ahead: 0 } } else { Timeline::Clock };
        Self {
            key,
            context,
            timeline,
            due,
            began: Nanos(0),
            is_last: false,
            is_retry,
            limit: None,
            has_timed_out: false,
            is_abandoned: false,
            is_cancelled: false,
            work: None,
        }
    }

    /// Records the start of the run, also for its job.
    fn begin(&mut self, details: Option<&mut JobEntry>, now: Now) {
        self.began = now.elapsed;
        self.context.started = now.clock;
        self.context.lateness = now.on(self.timeline).since(self.due);
        let Some(details) = details else { return };
        if !self.is_retry {
            // Other runs may have started while the gate was asked.
            details.counts.runs += 1;
            self.context.number = details.counts.runs;
        }
        details.last_start = Some((self.context.scheduled, now.clock));
        self.limit = details.policy().timeout;
    }
}

impl Core {
    /// Makes events ready, queues them behind other runs of the job, or skips them together with
    /// the events that they cover, beginning with `first`. Returns whether they will run.
    pub(super) fn offer(&mut self, key: Key, run: PendingRun, first: Nanos, last: Nanos) -> bool {
        let Some(details) = self.jobs.get_mut(key).and_then(Entry::into_details) else {
            return false;
        };
        let overlap = details.policy().overlap;
        let has_room = details.runs.as_ref().map_or(0, |runs| runs.active) < overlap.most();
        let may_wait = match overlap {
            Overlap::Queue { max } => details.waiting_runs() < max as u64,
            Overlap::Allow { .. } | Overlap::Skip => false,
        };
        let PendingRun { coalesced, events, .. } = run;
        if !has_room && !may_wait {
            self.skip(key, first, last, coalesced + events, SkipReason::Overlap);
            return false;
        }
        let source = details.source.as_ref().filter(|_| events > 1).cloned();
        let runs = details.runs.get_or_insert_with(|| self.spare_runs.pop().unwrap_or_default());
        runs.pending.push(run, source);
        if coalesced > 0 {
            let (first, into) = (first.time(), run.scheduled.time());
            self.note_of(key, |job| Event::Coalesced { job, first, count: coalesced, into });
        }
        if has_room {
            self.release(key);
        }
        true
    }

    /// Makes as many runs of a job ready as may be in progress at once.
    pub(super) fn release(&mut self, key: Key) {
        let Some(details) = self.jobs.get_mut(key).and_then(Entry::into_details) else { return };
        let most = details.policy().overlap.most();
        let Some(runs) = &mut details.runs else { return };
        while runs.active < most && runs.pending.release() {
            runs.active += 1;
            self.ready.push_back(key);
            if let Some(left) = &mut details.runs_left {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    let dropped = runs.pending.drop_waiting();
                    return self.end_events(key, dropped);
                }
            }
        }
    }

    /// Makes a job whose last run is ready leave its queue, and skips the events that were dropped.
    fn end_events(&mut self, key: Key, dropped: Vec<Dropped>) {
        self.leave_queue(key);
        self.set_state(key, JobState::Idle);
        for Dropped { first, last, count } in dropped {
            self.skip(key, first, last, count, SkipReason::MostRuns);
        }
    }

    /// Starts the next ready run, or returns one whose gate must be asked.
    pub(crate) fn start(&mut self, now: Now) -> Option<AssignedRun> {
        while !self.is_closed {
            if let Some(id) = self.granted.pop_front() {
                match self.begin_granted(id, now) {
                    Some(started) => return Some(started),
                    None => continue,
                }
            }
            let key = self.ready.pop_front()?;
            if self.ready.is_empty() {
                // Gives back the memory of a burst.
                self.ready.shrink_to(KEPT_CAPACITY);
                self.stale = 0;
            }
            if let Some(started) = self.take_ready(key, now) {
                return Some(started);
            }
        }
        None
    }

    /// Takes the next ready run of a job, which starts unless its gate must be asked. Returns `None` if the
    /// job was cancelled since.
    fn take_ready(&mut self, key: Key, now: Now) -> Option<AssignedRun> {
        let mut asks_gate = self.has_gate;
        let mut token = || self.spare_tokens.pop().unwrap_or_default();
        let (id, work) = match self.jobs.get_mut(key) {
            None => {
                self.stale = self.stale.saturating_sub(1);
                return None;
            }
            Some(Entry::Once(_)) => {
                let Some(Removed::Once(header, call)) = self.jobs.remove(key) else { return None };
                let run = PendingRun::new(header.kind(), header.due, header.due);
                let mut run = ActiveRun::new(key, JobName::Number(key.serial), run, token());
                if !asks_gate {
                    run.begin(None, now);
                }
                let id = self.runs.insert(run);
                self.last_runs.insert(key.serial, id);
                (id, Work::Once(call))
            }
            Some(Entry::Other(details)) => {
                let runs = details.runs.as_mut()?;
                let Some(run) = runs.pending.take() else {
                    // The recurrence is faulty: it has returned fewer events than it counted.
                    self.end_active(key);
                    return None;
                };
                while let Some(source) = runs.pending.unused.pop() {
                    self.effects.drop_later(RemovedJob::Source(source));
                }
                let mut run = ActiveRun::new(key, details.job_name(), run, token());
                if !run.is_retry {
                    run.timeline = details.timeline;
                    run.context.number = details.counts.runs + 1;
                }
                asks_gate &= !details.policy().has_passed_gate;
                if !asks_gate {
                    run.begin(Some(details), now);
                }
                let id = self.runs.insert(run);
                details.runs.get_or_insert_default().running.push(id);
                (id, details.work.take())
            }
        };
        if asks_gate {
            let run = self.runs.get_mut(id)?;
            run.work = Some(work);
            let context = run.context.clone();
            return Some(self.started(id, context, None));
        }
        self.begun(id, work, now)
    }

    /// Starts a run that its gate has permitted, unless it was cancelled since.
    pub(crate) fn begin_granted(&mut self, id: RunId, now: Now) -> Option<AssignedRun> {
        let run = self.runs.get_mut(id)?;
        if run.is_cancelled {
            self.refuse(id, None);
            return None;
        }
        let work = run.work.take()?;
        let details = self.jobs.get_mut(run.key).and_then(Entry::into_details);
        run.begin(details, now);
        self.begun(id, work, now)
    }

    /// Counts and reports a run that starts, and limits its time.
    fn begun(&mut self, id: RunId, work: Work, now: Now) -> Option<AssignedRun> {
        let run = self.runs.get(id)?;
        if let Some(limit) = run.limit {
            self.is_sooner |= self.alarms.set_time_out(id, limit, now);
        }
        let context = run.context.clone();
        self.stats.count_start(context.lateness);
        if self.events.is_some() {
            self.note(Event::Started { run: context.clone() });
        }
        Some(self.started(id, context, Some(work)))
    }

    fn started(&self, id: RunId, context: RunContext, work: Option<Work>) -> AssignedRun {
        AssignedRun { id, context, work, ready: self.ready() }
    }

    /// Records the answer of the gate for a run. If the run may start, a worker takes it next.
    pub(crate) fn answer_gate(&mut self, id: RunId, may_start: bool) {
        let Some(run) = self.runs.get(id) else { return };
        if run.is_cancelled || self.is_closed {
            // The run is dropped, like the ready runs.
            self.refuse(id, None);
        } else if may_start {
            self.granted.push_back(id);
        } else {
            self.refuse(id, Some(SkipReason::Gate));
        }
    }

    /// Takes back a run that has not started, and skips its event if there is a reason.
    fn refuse(&mut self, id: RunId, reason: Option<SkipReason>) {
        let Some(ActiveRun { key, context, is_last, work, .. }) = self.remove_run(id) else {
            return;
        };
        let (job, first) = (context.job.clone(), context.scheduled.time());
        // Events coalesced into the run were already reported, as was the event of a retry.
        let reported = reason.filter(|_| context.attempt == 1);
        if let Some(details) = self.details(key) {
            details.forget_run(id);
            details.counts.skipped += u64::from(reported.is_some());
        }
        if let Some(reason) = reported {
            self.stats.skipped += 1;
            let (job, last) = (job.clone(), first);
            self.note(Event::Skipped { job, first, last, count: 1, reason });
        } else if reason.is_some() {
            self.note(Event::RetriesCancelled { job: job.clone(), retries: vec![first] });
        }
        if is_last && reason.is_some() {
            self.note(Event::Exhausted { job });
        }
        if reason.is_some() && context.attempt > 1 {
            self.give_up(key, context);
        }
        self.drop_work(work);
        self.end_active(key);
    }

    /// Notifies the closure of a job that a run is given up.
    pub(super) fn give_up(&mut self, key: Key, run: RunContext) {
        if let Some(Work::Repeat(task)) = self.details(key).map(|details| &details.work) {
            let given_up = RemovedJob::Run(task.clone(), Box::new(run));
            self.effects.drop_later(given_up);
        }
    }

    /// Drops the work of a run later, without the lock.
    fn drop_work(&mut self, work: Option<Work>) {
        if let Some(work) = work {
            self.effects.drop_later(RemovedJob::Work(work));
        }
    }

    /// Cancels the tokens of runs in progress. Runs that are still waiting for their gate will not
    /// start. Returns the instants of the latter, unless they were cancelled before: those of first attempts,
    /// and those of retries.
    pub(super) fn cancel_runs(&mut self, ids: &[RunId]) -> (Vec<Nanos>, Vec<Nanos>) {
        let (mut due, mut retries) = (Vec::new(), Vec::new());
        for id in ids {
            let Some(run) = self.runs.get_mut(*id) else { continue };
            self.effects.tokens.push(run.context.token.clone());
            if run.work.is_some() && !std::mem::replace(&mut run.is_cancelled, true) {
                let held = if run.context.attempt == 1 { &mut due } else { &mut retries };
                held.push(run.context.scheduled);
            }
        }
        (due, retries)
    }

    /// Removes a run from the runs in progress.
    fn remove_run(&mut self, id: RunId) -> Option<ActiveRun> {
        let mut run = self.runs.remove(id)?;
        let key = run.key;
        run.is_last = !self.last_runs.is_empty() && self.last_runs.remove(&key.serial).is_some();
        if run.limit.is_some() && !run.has_timed_out {
            self.alarms.forget(1, &self.runs, &mut self.jobs);
        }
        Some(run)
    }

    /// Records that a run has finished, unless that was recorded before. Returns its end if it is reported.
    pub(crate) fn finish(&mut self, id: RunId, outcome: Outcome, now: Now) -> Option<Box<Ended>> {
        let ActiveRun { key, context, began, is_last, is_abandoned, work, .. } =
            self.remove_run(id)?;
        self.drop_work(work);
        let duration = now.elapsed.since(began);
        let is_success = outcome.is_success();
        self.stats.count_end(&outcome);
        let may_retry = !is_success && !is_abandoned && !self.is_closed;
        let (mut retry_after, mut is_first_failure) = (None, is_last && !is_success);
        if let Some(details) = self.details(key) {
            details.forget_run(id);
            details.last_end = Some(now.clock);
            details.last_failure = (!is_success).then(|| Box::new(outcome.clone()));
            if !is_success {
                details.counts.failed += 1;
                is_first_failure = !std::mem::replace(&mut details.is_failure_reported, true);
            }
            if may_retry {
                let wait = details.retry_after(&context, now);
                retry_after = wait.filter(|_| context.token.may_retry());
            }
        }
        if self.events.is_some() {
            let (run, outcome) = (context.clone(), outcome.clone());
            self.note(Event::Finished { run, outcome, duration, retry_after });
            if is_last {
                self.note(Event::Exhausted { job: context.job.clone() });
            }
        }
        if let Some(wait) = retry_after {
            self.set_retry(key, PendingRun::after(&context), wait, now);
        } else if !is_abandoned {
            self.end_active(key);
        } else {
            self.remove_if_done(key);
        }
        let is_retried = retry_after.is_some();
        if Ended::is_reported(&outcome) {
            // Boxed, since most ends are not reported, and the answer is passed on in each turn of a worker.
            return Some(Box::new(Ended {
                context,
                outcome,
                duration,
                is_retried,
                is_first_failure,
            }));
        }
        if self.spare_tokens.len() < MOST_SPARE {
            self.spare_tokens.extend(context.token.renewed());
        }
        None
    }

    /// Returns the wait until the next attempt if a run in progress fails now. The run can still be cancelled.
    pub(crate) fn retry_after(&mut self, id: RunId, now: Now) -> Option<Duration> {
        let run = self.runs.get_mut(id).filter(|run| !run.is_abandoned && !self.is_closed)?;
        let (key, context) = (run.key, run.context.clone());
        let wait = self.details(key)?.retry_after(&context, now);
        wait.filter(|_| !context.token.is_last_attempt())
    }

    /// Lets the next run of a job start, now that one has ended.
    pub(super) fn end_active(&mut self, key: Key) {
        let Some(runs) = self.runs_of(key) else { return };
        runs.active = runs.active.saturating_sub(1);
        if runs.pending.waiting() > 0 {
            self.release(key);
        }
        self.remove_if_done(key);
    }

    /// Removes a job that has nothing left to do. Other jobs may use the memory for its runs once these have ended.
    pub(super) fn remove_if_done(&mut self, key: Key) {
        let Some(details) = self.jobs.get_mut(key).and_then(Entry::into_details) else { return };
        if let Some(mut ended) = details.take_ended_runs()
            && self.spare_runs.len() < MOST_SPARE
        {
            ended.shrink();
            self.spare_runs.push(ended);
        }
        if details.is_done() {
            self.note_of(key, |job| Event::Exhausted { job });
            self.take_out(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use millicron::every;

    use super::*;
    use crate::job::{Completion, EventSource, Job, Retry, RunClosure, Task};

    /// A closure that lists the attempts whose runs are given up.
    #[derive(Clone, Default)]
    struct GivenUp(Arc<Mutex<Vec<u32>>>);

    impl RunClosure for GivenUp {
        fn begin(&self, _: RunContext, _: &dyn Fn() -> Completion) -> Option<Outcome> {
            None
        }

        fn give_up(&self, run: &RunContext) {
            self.0.lock().expect("no test panics").push(run.attempt());
        }
    }

    #[test]
    fn a_closure_is_notified_if_its_run_times_out_and_is_given_up() {
        let given_up = GivenUp::default();
        let at = |seconds| {
            let time = Nanos::from(Duration::from_secs(seconds));
            Now { clock: time, elapsed: time }
        };
        let job = Job::of(Work::Repeat(Task::new(given_up.clone())));
        let job = job.retry(Retry::constant(Duration::from_secs(5)));
        let job = job.timeout_and_go_on(Duration::from_secs(1));
        let mut core = Core::new(None, false, false);
        core.add_once(job, at(0).clock, || at(0)).expect("the job is added");
        assert!(core.take_due(at(0), 9));
        let run = core.start(at(0)).expect("it is due");
        assert!(core.take_due(at(1), 9), "it times out");
        assert_eq!(core.retry_after(run.id, at(1)), None);
        drop(core.finish(run.id, Outcome::Failed("an error".to_owned()), at(1)));
        assert_eq!(core.stats().jobs, 0, "there is no retry");
        assert!(core.take_effects().carry_out().is_empty());
        assert_eq!(*given_up.0.lock().expect("no test panics"), [1]);
    }

    const NOW: Now = Now { clock: Nanos(0), elapsed: Nanos(0) };

    /// Starts a run of a new job.
    fn start(core: &mut Core, job: Job) -> AssignedRun {
        core.add_once(job, NOW.clock, || NOW).expect("the job is added");
        assert!(core.take_due(NOW, 9));
        core.start(NOW).expect("it is due")
    }

    #[test]
    fn the_memory_for_runs_is_given_back_after_a_burst() {
        let mut core = Core::new(None, false, false);
        let jobs = 2 * MOST_SPARE;
        let named = |number: usize| Job::new(|_| ()).name(number.to_string());
        let runs: Vec<_> = (0..jobs).map(|number| start(&mut core, named(number)).id).collect();
        // Many runs of one job.
        let job = Job::new(|_| ()).overlap(Overlap::Allow { max: jobs });
        let (source, job) = EventSource::of(every(1).seconds(), job, NOW).expect("it is valid");
        let key = core.add(job, source, NOW).expect("the job is added");
        let many: Vec<_> = (0..jobs)
            .map(|_| {
                assert!(core.trigger(key, NOW));
                core.start(NOW).expect("it is triggered").id
            })
            .collect();
        for id in many.into_iter().chain(runs) {
            drop(core.finish(id, Outcome::Succeeded, NOW));
        }
        assert_eq!(core.stats().jobs, 1);
        assert!(core.details(key).is_some_and(|details| details.runs.is_none()));
        assert_eq!(core.spare_runs.len(), MOST_SPARE);
        assert!(core.spare_runs.iter().all(|runs| runs.running.capacity() <= 4));
        // Reports to `metrics` keep the tokens.
        let tokens = if cfg!(feature = "metrics") { 0 } else { MOST_SPARE };
        assert_eq!(core.spare_tokens.len(), tokens);
    }
}
