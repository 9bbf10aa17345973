//! [`SchedulerSource`]: the jobs of a scheduler.

mod earlier;
mod listed;
mod log;
mod runs;
mod state;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Interval, unix_millis};
use millicron_scheduler::{JobHandle, JobInfo, JobStatus, SchedulerHandle};

use self::listed::Listed;
pub use self::log::RunLog;
use crate::asked::now;
use crate::source::{
    Action, ActionKind, Changes, Job, JobState, Pattern, Runs, Source, SourceError,
};
use crate::zone::zone_of;

/// How late a job may start before it is overdue.
const LATEST: Duration = Duration::from_secs(10);

/// The jobs of a scheduler, with the runs in a [`RunLog`].
///
/// At most 10,000 jobs are listed. A job with a name is still shown when it has ended, as long as its runs are kept.
///
/// Visitors may run, pause and resume jobs, and cancel runs, whose [token](millicron_scheduler::CancellationToken) is
/// cancelled: what that does is up to the job.
pub struct SchedulerSource {
    log: RunLog,
    scheduler: SchedulerHandle,
    listed: Mutex<Listed>,
}

impl SchedulerSource {
    pub(crate) fn new(log: RunLog, scheduler: SchedulerHandle) -> Self {
        Self { log, scheduler, listed: Mutex::default() }
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, name: &str) -> Option<(JobHandle, JobInfo)> {
        let with_info = |handle: JobHandle| {
            let info = handle.info()?;
            Some((handle, info))
        };
        let listed = self.listed().get(name);
        // A job may have replaced one with the same name.
        listed.and_then(with_info).or_else(|| self.scheduler.job(name).and_then(with_info))
    }

    /// Returns a job as it is shown.
    fn shown(&self, name: &str, info: Option<&JobInfo>) -> Option<Job> {
        let mut job = match info {
            Some(info) => described(name, info),
            None if self.log.lock().has_ended(name) => {
                Job { state: JobState::Ended, ..Job::new(name) }
            }
            None => return None,
        };
        self.log.set_runs(&mut job);
        if let Some(info) = info {
            job.running = u64::try_from(info.running).unwrap_or(u64::MAX);
        }
        Some(job)
    }

    /// Returns all jobs that are listed.
    fn all(&self, listed: &mut Listed, version: u64) -> Changes {
        let ended = self.log.lock().ended().cloned().collect::<Vec<_>>();
        let mut names = listed.names();
        names.extend(ended.into_iter().filter(|name| listed.get(name).is_none()));
        self.log.read_earlier(&names);
        let jobs = names.iter().filter_map(|name| {
            let info = listed.update(name, &self.scheduler);
            self.shown(name, info.as_ref())
        });
        let jobs = jobs.collect();
        Changes { version, is_complete: true, jobs, removed: Vec::new(), unlisted: 0 }
    }
}

impl Source for SchedulerSource {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let mut listed = self.listed();
        for name in listed.outdated(&self.scheduler, &self.log) {
            self.log.touch(&name);
        }
        let (version, names) = self.log.changed_since(since);
        let mut changes = match names {
            None => self.all(&mut listed, version),
            Some(names) => {
                let mut changes = Changes { version, ..Changes::default() };
                for name in names {
                    let info = listed.update(&name, &self.scheduler);
                    match self.shown(&name, info.as_ref()) {
                        Some(job) => changes.jobs.push(job),
                        None => changes.removed.push(name.to_string()),
                    }
                }
                changes
            }
        };
        changes.unlisted = listed.unlisted(&self.scheduler);
        Ok(changes)
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        let info = self.find(name).map(|(_, info)| info);
        Ok(self.shown(name, info.as_ref()))
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        Ok(self.find(name).and_then(|(_, info)| pattern(&info)))
    }

    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        self.log.runs(job, before, limit)
    }

    fn actions(&self) -> &[ActionKind] {
        &[ActionKind::Run, ActionKind::Pause, ActionKind::Resume, ActionKind::Cancel]
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        let on_job = |act: fn(&JobHandle) -> bool| self.find(job).is_some_and(|(job, _)| act(&job));
        Ok(match action {
            Action::Run => on_job(JobHandle::trigger_now),
            Action::Pause => on_job(JobHandle::pause),
            Action::Resume => on_job(JobHandle::resume),
            Action::Cancel { run } => {
                self.log.in_progress(job, run).inspect(|run| run.token().cancel()).is_some()
            }
        })
    }
}

impl fmt::Debug for SchedulerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerSource")
            .field("scheduler", &self.scheduler)
            .finish_non_exhaustive()
    }
}

/// Returns a job without its runs.
fn described(name: &str, info: &JobInfo) -> Job {
    let text = match (info.schedule(), info.interval()) {
        (Some(schedule), _) => schedule.to_string(),
        (None, Some(interval)) => interval.to_string(),
        (None, None) => String::new(),
    };
    let events = info.recurrence();
    let mut job = Job {
        schedule: text,
        description: match events {
            Some(_) => info.description().to_string(),
            None => "Once".to_owned(),
        },
        zone: events.and_then(|events| zone_of(&*events, now())),
        tags: info.tags.iter().map(ToString::to_string).collect(),
        ..Job::new(name)
    };
    job.set_info(info);
    job
}

impl Job {
    /// Sets what a scheduler knows of its job: its next event, whether it is paused or has ended, and when it is overdue:
    /// ten seconds after its next run is [due](JobInfo::delay). An interval that does not
    /// [follow the clock](millicron::Interval::follows_clock) is never overdue: if the clock is set forward, its events
    /// seem to have passed.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_board::Job;
    /// use millicron_scheduler::Scheduler;
    ///
    /// let scheduler = Scheduler::builder().start()?;
    /// let report = millicron_scheduler::Job::new(|_| {}).name("report");
    /// let handle = scheduler.add_job(schedule!("*:00:00"), report)?;
    /// let mut job = Job::new("report");
    /// job.set_info(&handle.info().ok_or("it was removed")?);
    /// assert_eq!(job.overdue_at, job.next.map(|next| next + 10_000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_info(&mut self, info: &JobInfo) {
        self.state = match info.status {
            JobStatus::Paused => JobState::Paused,
            JobStatus::Waiting => JobState::Waiting,
            _ => JobState::Ended,
        };
        self.next = info.next.map(unix_millis);
        let follows_clock = info.interval().is_none_or(Interval::follows_clock);
        let next = info.next.filter(|_| follows_clock);
        let overdue = next.and_then(|next| next.checked_add(info.delay)?.checked_add(LATEST));
        self.overdue_at = overdue.map(unix_millis);
    }
}

/// Returns when a job has events.
fn pattern(info: &JobInfo) -> Option<Pattern> {
    let recurrence = info.recurrence()?;
    let zone = match info.zone_name() {
        Some(name) => TimeZone::get(name).ok(),
        None => (!recurrence.is_zoned()).then_some(TimeZone::UTC),
    };
    Some(match (info.schedule(), zone) {
        (Some(schedule), Some(zone)) => Pattern::Schedule(schedule.clone().in_zone(zone)),
        _ => Pattern::Other(recurrence),
    })
}
