//! [`PipelineJob`]: a job of a pipeline, for tools that display or check pipelines.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use millicron::{Recurrence, Unit};

use crate::error::{QueryError, Setting};
use crate::model::job::{Job, Requirement};
use crate::model::need::{AgeLimit, NeedSettings, Rule};
use crate::model::pipeline::Pipeline;
use crate::timestamp::Elapsed;

impl Pipeline {
    /// Returns a job with its schedule, its needs, and its upstream and downstream jobs.
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline, Rule};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::all("load").periods_back(1)])
    ///     .build()?;
    ///
    /// let report = pipeline.job("report")?;
    /// assert_eq!(report.recurrence().schedule(), Some(&schedule!("3:01:03")));
    /// assert!(report.upstream().eq(["load"]));
    /// assert!(pipeline.job("load")?.downstream().eq(["report"]));
    ///
    /// let need = report.needs().next().unwrap();
    /// assert_eq!((need.upstream, need.rule, need.periods_back), ("load", Rule::All, 1));
    /// assert_eq!(need.to_string(), "all, 1 period back");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn job(&self, name: &str) -> Result<PipelineJob<'_>, QueryError> {
        let index = self.find_job(name)?;
        Ok(PipelineJob { jobs: &self.jobs, job: &self.jobs[index] })
    }
}

/// A job of a pipeline; returned by [`Pipeline::job`].
#[derive(Clone, Copy)]
pub struct PipelineJob<'a> {
    jobs: &'a [Job],
    job: &'a Job,
}

impl<'a> PipelineJob<'a> {
    /// Returns the name of the job.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.job.name
    }

    /// Returns the runs of the job: its events since the pipeline began, across changes of its
    /// schedule. [`Recurrence::schedule`] returns the current schedule, if it is a cron expression.
    #[must_use]
    pub fn recurrence(&self) -> &'a (dyn Recurrence + Send + Sync) {
        &self.job.timeline
    }

    /// Returns the runs of the job, like [`recurrence`](Self::recurrence), to use them without the
    /// pipeline.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::Pipeline;
    ///
    /// let pipeline = Pipeline::builder().job("load", schedule!("*:01:04"), []).build()?;
    /// let recurrence = pipeline.job("load")?.to_recurrence();
    /// drop(pipeline);
    /// assert_eq!(recurrence.schedule(), Some(&schedule!("*:01:04")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_recurrence(&self) -> Arc<dyn Recurrence + Send + Sync> {
        Arc::new(self.job.timeline.clone())
    }

    /// Returns the needs of the job for the runs of single jobs, in the order in which they were
    /// added, those inside [`any_of`](crate::Need::any_of) and [`all_of`](crate::Need::all_of)
    /// included.
    #[must_use]
    pub fn needs(&self) -> impl ExactSizeIterator<Item = Dependency<'a>> + use<'a> {
        let jobs = self.jobs;
        self.job.requirements.iter().map(|requirement| Dependency::new(jobs, requirement))
    }

    /// Returns the names of the jobs that this one needs, in the order of
    /// [`Pipeline::jobs`](Pipeline::jobs). This includes the job itself if it needs its own
    /// previous run.
    pub fn upstream(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut indices: Vec<usize> =
            self.job.requirements.iter().map(|requirement| requirement.upstream).collect();
        indices.sort_unstable();
        indices.dedup();
        let jobs = self.jobs;
        indices.into_iter().map(move |index| &*jobs[index].name)
    }

    /// Returns the names of the jobs that need this one, in the order of
    /// [`Pipeline::jobs`](Pipeline::jobs).
    #[must_use]
    pub fn downstream(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let jobs = self.jobs;
        self.job.downstream.iter().map(move |index| &*jobs[*index].name)
    }
}

impl fmt::Debug for PipelineJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineJob")
            .field("name", &self.name())
            .field("needs", &self.needs().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A need for the runs of one job. It is displayed as a short text without the job's name, such as
/// `all, 1 day back`.
///
/// It includes the settings of the enclosing needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Dependency<'a> {
    /// The name of the needed job. For [`Rule::Previous`], it is the job itself.
    pub upstream: &'a str,
    /// Which of its runs are needed.
    pub rule: Rule,
    /// How many runs of the job itself the need [looks back](crate::Need::events_back).
    pub events_back: u32,
    /// How many check periods the need [looks back](crate::Need::periods_back).
    pub periods_back: u32,
    /// How far the need [looks back](crate::Need::time_back) in elapsed time, in whole milliseconds.
    pub time_back: Duration,
    /// The unit of the check period, if it was [set](crate::Need::period).
    pub period: Option<Unit>,
    /// The maximum age of the run that [`Need::last`](crate::Need::last) needs, if it was set.
    pub age_limit: Option<AgeLimit>,
    /// Whether a run that has failed or was skipped is [enough](crate::Need::ended).
    pub accepts_ended: bool,
    /// Whether another need may be met instead; see [`Need::any_of`](crate::Need::any_of).
    pub is_alternative: bool,
}

impl<'a> Dependency<'a> {
    pub(crate) fn new(jobs: &'a [Job], requirement: &Requirement) -> Self {
        let Requirement { upstream, rule, settings, is_alternative } = *requirement;
        let NeedSettings { events, periods, millis, unit, limit, accepts_ended } = settings;
        Self {
            upstream: &jobs[upstream].name,
            rule,
            events_back: events,
            periods_back: periods,
            time_back: Duration::from_millis(millis.unsigned_abs()),
            period: unit.filter(|_| rule.uses(Setting::Period, periods)),
            age_limit: limit.filter(|_| rule.uses(Setting::AgeLimit, periods)),
            accepts_ended,
            is_alternative,
        }
    }
}

impl fmt::Display for Dependency<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Latest => f.write_str("latest")?,
            Rule::Classic => f.write_str("classic")?,
            Rule::Last => f.write_str("last")?,
            Rule::All => f.write_str("all")?,
            Rule::AllData(unit) => write!(f, "all data of the {unit} before")?,
            Rule::AtLeast(count) => write!(f, "at least {count}")?,
            Rule::Previous => f.write_str("previous")?,
        }
        if let Some(limit) = self.age_limit {
            write!(f, ", {limit}")?;
        }
        match (self.rule, self.period) {
            (Rule::AllData(unit), _) | (_, Some(unit)) if self.periods_back > 0 => {
                back(f, self.periods_back, &unit)?;
            }
            (_, Some(unit)) => write!(f, ", per {unit}")?,
            (_, None) => back(f, self.periods_back, &"period")?,
        }
        back(f, self.events_back, &"run")?;
        if !self.time_back.is_zero() {
            write!(f, ", {} back", Elapsed(self.time_back))?;
        }
        f.write_str(if self.accepts_ended { ", ended" } else { "" })
    }
}

fn back(f: &mut fmt::Formatter<'_>, count: u32, what: &dyn fmt::Display) -> fmt::Result {
    match count {
        0 => Ok(()),
        1 => write!(f, ", 1 {what} back"),
        _ => write!(f, ", {count} {what}s back"),
    }
}
