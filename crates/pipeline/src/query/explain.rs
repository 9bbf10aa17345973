//! [`Explanation`]: a description of a job.

use alloc::format;
use core::fmt;
use core::time::Duration;

use millicron::{Period, Recurrence as _, Unit};

use crate::error::QueryError;
use crate::model::job::{Job, NeedTree, Requirement};
use crate::model::need::{NeedSettings, Rule};
use crate::model::pipeline::Pipeline;
use crate::model::relation::Relation;
use crate::timestamp::Elapsed;

impl Pipeline {
    /// Describes a job and its needs in English. The result implements [`Display`](fmt::Display).
    ///
    /// # Errors
    ///
    /// The pipeline has no such job.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{Need, Pipeline};
    ///
    /// let pipeline = Pipeline::builder()
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::latest("load"), Need::self_previous()])
    ///     .build()?;
    ///
    /// assert_eq!(pipeline.explain("report")?.to_string(), "\
    /// `report` runs at `3:01:03`, once a day. A run needs
    /// - a success of `load` (once an hour) at or after the check point: the first event of `load` \
    ///   at or after the start of the day;
    /// - a success of its own previous run.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, job: &str) -> Result<Explanation<'_>, QueryError> {
        let index = self.find_job(job)?;
        Ok(Explanation { jobs: &self.jobs, job: &self.jobs[index] })
    }
}

/// A description of a job and its needs, for display; returned by
/// [`Pipeline::explain`](crate::Pipeline::explain).
#[derive(Clone, Copy)]
pub struct Explanation<'a> {
    pub(crate) jobs: &'a [Job],
    pub(crate) job: &'a Job,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { name, timeline, needs, .. } = self.job;
        let period = timeline.period();
        match timeline.schedule() {
            Some(schedule) => {
                let local = if timeline.is_zoned() { " in local time" } else { "" };
                let (schedule, frequency) = (schedule.expression(), Frequency(period));
                write!(f, "`{name}` runs at `{schedule}`{local}, {frequency}.")?;
            }
            None => write!(f, "`{name}` runs {}.", Frequency(period))?,
        }
        if needs.is_empty() {
            return f.write_str(" It needs nothing.");
        }
        f.write_str(" A run needs")?;
        self.list(f, needs, 0)?;
        f.write_str(".")
    }
}

impl Explanation<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, needs: &[NeedTree], depth: usize) -> fmt::Result {
        for (index, need) in needs.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator}\n{:depth$}- ", "", depth = 2 * depth)?;
            match need {
                NeedTree::Leaf(index) => self.requirement(f, &self.job.requirements[*index])?,
                NeedTree::AnyOf(needs) => {
                    f.write_str("one of")?;
                    self.list(f, needs, depth + 1)?;
                }
                NeedTree::AllOf(needs) => {
                    f.write_str("all of")?;
                    self.list(f, needs, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn requirement(&self, f: &mut fmt::Formatter<'_>, requirement: &Requirement) -> fmt::Result {
        let upstream = &self.jobs[requirement.upstream];
        let period = Relation { job: self.job, upstream, requirement }.current_period();
        let period = PeriodPhrase { unit: period.unit, back: period.units_back() };
        let job = format!("`{}` ({})", upstream.name, Frequency(upstream.timeline.period()));
        let Requirement { rule, settings, .. } = requirement;
        let success = if settings.accepts_ended { "the end" } else { "a success" };

        look_back(f, *settings)?;
        match rule {
            Rule::Latest | Rule::Classic => write!(
                f,
                "{success} of {job} at or after the check point: the first event of `{}` at or \
                 after the start of {period}",
                upstream.name
            )?,
            Rule::Last => write!(f, "{success} of the last run of {job}")?,
            Rule::Previous => write!(f, "{success} of its own previous run")?,
            Rule::All => write!(f, "every run of {job}")?,
            Rule::AllData(_) => write!(f, "every run of {job} with data of {period}")?,
            Rule::AtLeast(1) => write!(f, "at least 1 run of {job}")?,
            Rule::AtLeast(count) => write!(f, "at least {count} runs of {job}")?,
        }
        // When these runs are scheduled.
        match (rule, settings.periods) {
            (Rule::Latest | Rule::Classic | Rule::AllData(_), _) | (Rule::Previous, 0) => {}
            (Rule::Last, 0) => f.write_str(" at or before its own instant")?,
            (Rule::Last | Rule::Previous, _) => write!(f, ", up to the end of {period}")?,
            (_, 0) => f.write_str(" after its own previous run and up to its own instant")?,
            (_, _) => write!(f, " in {period}")?,
        }
        if settings.accepts_ended && matches!(rule, Rule::All | Rule::AllData(_) | Rule::AtLeast(_))
        {
            f.write_str(", which must have ended")?;
        }
        match settings.limit {
            Some(limit) if *rule == Rule::Last => write!(f, ", if it is {limit}, or else the next"),
            _ => Ok(()),
        }
    }
}

/// Writes which earlier run a need looks at.
fn look_back(f: &mut fmt::Formatter<'_>, settings: NeedSettings) -> fmt::Result {
    match settings.events {
        0 => {}
        1 => f.write_str("what its previous run needs: ")?,
        events => write!(f, "what the run {events} runs earlier needs: ")?,
    }
    match settings.millis.unsigned_abs() {
        0 => Ok(()),
        millis => {
            write!(f, "what a run {} earlier needs: ", Elapsed(Duration::from_millis(millis)))
        }
    }
}

/// How often a job runs, in words.
pub(crate) struct Frequency(pub(crate) Period);

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Period { unit, count } = self.0;
        let article = if unit == Unit::Hour { "an" } else { "a" };
        match count {
            1 => write!(f, "once {article} {unit}"),
            2 => write!(f, "twice {article} {unit}"),
            _ => write!(f, "{count} times {article} {unit}"),
        }
    }
}

/// The calendar unit `back` units before the one that contains a run.
struct PeriodPhrase {
    unit: Unit,
    back: u64,
}

impl fmt::Display for PeriodPhrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, back } = self;
        match back {
            0 => write!(f, "the {unit}"),
            1 => write!(f, "the {unit} before"),
            _ => write!(f, "the {unit} {back} {unit}s before"),
        }
    }
}

impl fmt::Debug for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
