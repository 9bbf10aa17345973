//! [`RunSource`]: the jobs of the file, for the board.

use std::sync::Arc;

use jiff::Timestamp;
use millicron::unix_millis;
use millicron_board::{
    Action, ActionKind, Changes, Job, JobState, Need, Output, Pattern, Run, Runs, Source,
    SourceError,
};
use millicron_scheduler::JobHandle;

use super::outputs::RunKey;
use super::{PageJob, PageJobs, Shared};
use crate::run::log::time_in;
use crate::times::zone_name;

/// How many jobs are listed.
const MOST: usize = 10_000;
/// How many runs say what they wait for.
const MOST_REASONS: usize = 10;
/// How long after its event a job is looked at again, in milliseconds, since the event may wait.
const AFTER_EVENT: i64 = 1000;

/// The jobs of the file, with their runs and output.
pub(super) struct RunSource(pub(super) Arc<Shared>);

impl RunSource {
    fn handle(&self, name: &str) -> Option<JobHandle> {
        self.0.scheduler.get()?.job(name)
    }

    /// Returns a job as it is shown.
    fn shown(&self, name: &str) -> Option<Job> {
        let (job, is_left_out) = {
            let jobs = self.0.jobs();
            let job = Arc::clone(jobs.by_name.get(name)?);
            (job, jobs.is_left_out(name))
        };
        let mut shown = Job::new(name);
        shown.schedule.clone_from(&job.text);
        shown.tags.clone_from(&job.tags);
        shown.description.clone_from(&job.description);
        shown.zone = Some(zone_name(job.schedule.zone()));
        // May wait for a disk, so without the lock: a reload would wait, too.
        self.0.log.set_runs(&mut shown);
        let due = if is_left_out {
            shown.state = JobState::Ended;
            None
        } else {
            self.set_next(&mut shown, &job)
        };
        // What happens after that touches the job.
        let again = due.map(|due| due.saturating_add(AFTER_EVENT));
        let mut jobs = self.0.jobs();
        match again.filter(|again| *again > Timestamp::now().as_millisecond()) {
            Some(again) => jobs.due.insert(name.to_owned(), again),
            None => jobs.due.remove(name),
        };
        Some(shown)
    }

    /// Sets the next event of a job, and what it is doing. Returns when its next run is due: with jitter, later than
    /// the event.
    fn set_next(&self, shown: &mut Job, job: &PageJob) -> Option<i64> {
        if job.is_in_pipeline {
            // Its runs may have to wait for others, so none is overdue.
            shown.next = job.schedule.next_event(Timestamp::now().as_millisecond());
            let running = self.0.jobs().pipeline.clone();
            let is_paused = running.and_then(|running| running.is_paused(&shown.name).ok());
            shown.state = match shown.next {
                _ if is_paused == Some(true) => JobState::Paused,
                Some(_) => JobState::Waiting,
                None => JobState::Ended,
            };
            return shown.next;
        }
        let Some(info) = self.handle(&shown.name).and_then(|handle| handle.info()) else {
            shown.state = JobState::Ended;
            return None;
        };
        shown.set_info(&info);
        info.next?.checked_add(info.delay).map(unix_millis)
    }

    fn with_output(&self, job: &str, mut run: Run) -> Run {
        run.has_output = self.output_of(job, &run).is_some();
        run
    }

    /// Returns how the output of a run is known, if it is kept.
    fn output_of(&self, job: &str, run: &Run) -> Option<RunKey> {
        let instants = [run.id, run.scheduled.saturating_mul(1000)];
        let keys = instants.map(|scheduled| RunKey { scheduled, started: run.started });
        keys.into_iter().find(|key| self.0.outputs.has(job, *key))
    }

    fn run(&self, job: &str, id: i64) -> Result<Option<Run>, SourceError> {
        let page = self.0.log.runs(job, id.checked_add(1), 1)?;
        Ok(page.runs.into_iter().find(|run| run.id == id))
    }

    /// Acts on a job of the pipeline. One that is left out does not run.
    fn act_in_pipeline(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        let running = self.0.jobs().pipeline.clone();
        let running = running.filter(|running| running.pipeline().job(job).is_ok());
        let Some(running) = running else { return Ok(false) };
        let is_done = action.on_pipeline(&running, job)?;
        // Jobs that wait for it show that it is paused.
        for name in running.pipeline().jobs() {
            self.0.log.touch(name);
        }
        Ok(is_done)
    }

    /// Cancels a run, which is then not tried again.
    fn cancel(&self, job: &str, id: i64) -> bool {
        let run = self.0.log.in_progress(job, id);
        run.is_some_and(|run| {
            run.token().cancel();
            (self.0.cancel)(run);
            true
        })
    }
}

impl Source for RunSource {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let mut jobs = self.0.jobs();
        let now = Timestamp::now().as_millisecond();
        for (name, _) in jobs.due.extract_if(|_, due| *due <= now) {
            self.0.log.touch(&name);
        }
        let (version, names) = self.0.log.changed_since(since);
        let mut changes = Changes::default();
        changes.version = version;
        changes.unlisted = jobs.by_name.len().saturating_sub(MOST) as u64;
        // Those that were removed are to be reported, too.
        let first_unlisted = jobs.by_name.keys().nth(MOST);
        let is_listed = |name: &str| {
            first_unlisted.is_none_or(|first| name < first.as_str())
                || !jobs.by_name.contains_key(name)
        };
        let names = match names {
            None => {
                changes.is_complete = true;
                jobs.by_name.keys().take(MOST).cloned().collect::<Vec<_>>()
            }
            Some(names) => {
                let listed = names.iter().filter(|name| is_listed(name));
                listed.map(ToString::to_string).collect()
            }
        };
        drop(jobs);
        for name in names {
            match self.shown(&name) {
                Some(job) => changes.jobs.push(job),
                None => changes.removed.push(name),
            }
        }
        Ok(changes)
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        Ok(self.shown(name))
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        let jobs = self.0.jobs();
        Ok(jobs.by_name.get(name).map(|job| Pattern::Schedule(job.schedule.clone())))
    }

    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let page = self.0.log.runs(job, before, limit)?;
        let runs = page.runs.into_iter().map(|run| self.with_output(job, run)).collect();
        Ok(Runs::new(runs, page.has_more))
    }

    fn output(&self, job: &str, run: i64, from: u64) -> Result<Option<Output>, SourceError> {
        let Some(run) = self.run(job, run)? else { return Ok(None) };
        let Some(key) = self.output_of(job, &run) else { return Ok(None) };
        // Before its bytes, of which none are added after that.
        let is_complete = run.ended.is_some() && self.0.outputs.is_read(job, key);
        let output = self.0.outputs.read(job, key, from);
        Ok(output.map(|(start, bytes)| Output::new(start, bytes, is_complete)))
    }

    fn needs(&self) -> Result<Vec<Need>, SourceError> {
        let jobs = self.0.jobs();
        let Some(running) = &jobs.pipeline else { return Ok(Vec::new()) };
        Ok(Need::of_pipeline(running.pipeline()))
    }

    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        let (running, entry) = {
            let jobs = self.0.jobs();
            (jobs.pipeline.clone(), jobs.by_name.get(job).cloned())
        };
        let (Some(running), Some(entry)) = (running, entry) else { return Ok(Vec::new()) };
        let waiting = running.waiting().into_iter().filter(|run| run.job == job);
        let waiting = waiting.map(|run| {
            let time = time_in(run.scheduled, entry.schedule.zone());
            let although = run.failed.map_or_else(String::new, |it| format!(", although {it}"));
            format!("The run of {time} waits for {}{although}", run.reason)
        });
        let mut reasons = waiting.collect::<Vec<_>>();
        let surplus = reasons.len().saturating_sub(MOST_REASONS);
        if surplus > 0 {
            reasons.truncate(MOST_REASONS);
            reasons.push(format!("So do {surplus} more runs"));
        }
        if !reasons.is_empty()
            && let Ok(job) = running.pipeline().job(job)
        {
            let upstream = job.upstream().filter(|name| *name != job.name());
            let paused = upstream.filter(|name| running.is_paused(name).unwrap_or_default());
            reasons.extend(paused.map(|name| format!("`{name}` is paused")));
        }
        Ok(reasons)
    }

    fn actions(&self) -> &[ActionKind] {
        &[ActionKind::Run, ActionKind::Pause, ActionKind::Resume, ActionKind::Cancel]
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        let is_in_pipeline = self.0.jobs().by_name.get(job).map(|job| job.is_in_pipeline);
        let Some(is_in_pipeline) = is_in_pipeline else { return Ok(false) };
        if let Action::Cancel { run } = action {
            return Ok(self.cancel(job, run));
        }
        if is_in_pipeline {
            return self.act_in_pipeline(job, action);
        }
        let Some(handle) = self.handle(job) else { return Ok(false) };
        match action {
            Action::Run => Ok(handle.trigger_now()),
            Action::Pause => Ok(handle.pause()),
            Action::Resume => Ok(handle.resume()),
            _ => Err("this action is not known".into()),
        }
    }
}

impl PageJobs {
    /// Whether a job is in the pipeline of the file, but cannot run any more.
    fn is_left_out(&self, name: &str) -> bool {
        let is_in_pipeline = self.by_name.get(name).is_some_and(|job| job.is_in_pipeline);
        let running = self.pipeline.as_ref();
        is_in_pipeline && running.is_some_and(|running| running.pipeline().job(name).is_err())
    }
}
