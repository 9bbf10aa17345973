//! [`Readiness`]: whether a run may start, or what it waits for.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use crate::demand::{Demand, Job, Leaf, Node};
use crate::history::History;
use crate::missing::Missing;
use crate::need::Rule;
use crate::words::Instant;
use millicron::Recurrence as _;

/// Whether a run may start; the answer of [`Pipeline::ready`](super::Pipeline::ready).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "a run is ready or not")]
pub enum Readiness<'a> {
    /// All that it needs has succeeded.
    Ready,
    /// It needs more.
    Waiting(Waiting<'a>),
}

impl<'a> Readiness<'a> {
    /// Whether the run may start.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self, Self::Ready)
    }

    /// What the run waits for, if it does.
    #[must_use]
    pub fn waiting(self) -> Option<Waiting<'a>> {
        match self {
            Self::Ready => None,
            Self::Waiting(waiting) => Some(waiting),
        }
    }
}

impl fmt::Display for Readiness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => f.write_str("ready"),
            Self::Waiting(waiting) => write!(f, "waiting for {waiting}"),
        }
    }
}

/// What a run waits for: all of some reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting<'a> {
    reasons: Vec<Reason<'a>>,
}

/// Why a run waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason<'a> {
    /// A job has not succeeded at or after the check point.
    Latest {
        /// The job.
        job: &'a str,
        /// The check point: an event of the job, in milliseconds since 1970-01-01
        /// 00:00:00.
        check_point: i64,
    },
    /// Runs of a job have not succeeded.
    Runs {
        /// The job.
        job: &'a str,
        /// Which have not.
        missing: Missing<'a>,
        /// How many of these are needed: all, or fewer if
        /// [some](super::Need::at_least) are enough.
        needed: u64,
    },
    /// None of several alternatives is met.
    AnyOf(Vec<Waiting<'a>>),
}

/// A run of a job of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a job and an event")]
pub struct Run<'a> {
    /// The event, in milliseconds since 1970-01-01 00:00:00. It comes first, so that runs
    /// are ordered by it.
    pub scheduled: i64,
    /// The name of the job.
    pub job: &'a str,
}

impl fmt::Display for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.job, Instant(self.scheduled))
    }
}

impl<'a> Waiting<'a> {
    /// The reasons, each of which is enough to wait.
    #[must_use]
    pub fn reasons(&self) -> &[Reason<'a>] {
        &self.reasons
    }

    /// Just the runs that are missing; of a check point the run at it, though
    /// any later one will do; of alternatives those of all.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        self.reasons.iter().flat_map(Reason::runs)
    }
}

impl Reason<'_> {
    fn runs(&self) -> Box<dyn Iterator<Item = Run<'_>> + '_> {
        match self {
            Self::Latest { job, check_point } => {
                Box::new(core::iter::once(Run { job, scheduled: *check_point }))
            }
            Self::Runs { job, missing, .. } => {
                Box::new(missing.instants().map(|scheduled| Run { scheduled, job }))
            }
            Self::AnyOf(alternatives) => Box::new(alternatives.iter().flat_map(Waiting::runs)),
        }
    }
}

impl fmt::Display for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; and for " };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest { job, check_point } => {
                write!(f, "`{job}` {} or later", Instant(*check_point))
            }
            Self::Runs { job, missing, needed } => {
                if *needed < missing.count() {
                    write!(f, "{needed} of ")?;
                }
                write!(f, "`{job}` {missing}")
            }
            Self::AnyOf(alternatives) => {
                for (index, alternative) in alternatives.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", or for " };
                    match alternative.reasons.len() {
                        1 => write!(f, "{separator}{alternative}")?,
                        _ => write!(f, "{separator}({alternative})")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// A question about one run.
pub(crate) struct Question<'a, 'h, H: ?Sized> {
    pub(crate) jobs: &'a [Job],
    pub(crate) job: &'a Job,
    pub(crate) scheduled: i64,
    pub(crate) history: &'h H,
}

impl<'a, H: History + ?Sized> Question<'a, '_, H> {
    pub(crate) fn answer(&self) -> Result<Readiness<'a>, H::Error> {
        let mut reasons = Vec::new();
        for need in &self.job.needs {
            self.ask(need, &mut reasons)?;
        }
        Ok(if reasons.is_empty() {
            Readiness::Ready
        } else {
            Readiness::Waiting(Waiting { reasons })
        })
    }

    /// Adds why a need is not met, if it is not.
    fn ask(&self, need: &'a Node, reasons: &mut Vec<Reason<'a>>) -> Result<(), H::Error> {
        match need {
            Node::Leaf(leaf) => reasons.extend(self.ask_of(leaf)?),
            Node::AllOf(needs) => {
                for need in needs {
                    self.ask(need, reasons)?;
                }
            }
            Node::AnyOf(needs) => {
                let mut alternatives = Vec::new();
                for need in needs {
                    let mut reasons = Vec::new();
                    self.ask(need, &mut reasons)?;
                    if reasons.is_empty() {
                        return Ok(());
                    }
                    alternatives.push(Waiting { reasons });
                }
                reasons.push(Reason::AnyOf(alternatives));
            }
        }
        Ok(())
    }

    fn ask_of(&self, leaf: &Leaf) -> Result<Option<Reason<'a>>, H::Error> {
        let Some(upstream) = self.jobs.get(leaf.upstream) else { return Ok(None) };
        let demand = leaf.demand(&self.job.timeline, &upstream.timeline, self.scheduled);
        let Some(Demand { first, last }) = demand else { return Ok(None) };
        let job = &*upstream.name;
        if leaf.rule == Rule::Latest {
            let is_met = self.history.first_at_or_after(job, first)?.is_some();
            return Ok((!is_met).then_some(Reason::Latest { job, check_point: first }));
        }
        let missing = self.history.missing(job, &upstream.timeline, first..=last)?;
        let needed = match leaf.rule {
            Rule::AtLeast(count) => {
                let total = upstream.timeline.count(first..=last);
                let succeeded = total - missing.count().min(total);
                count.min(total).saturating_sub(succeeded)
            }
            _ => missing.count(),
        };
        Ok((needed > 0).then_some(Reason::Runs { job, missing, needed }))
    }
}

/// A history in which one run more, or one run fewer, has succeeded.
pub(crate) struct Supposed<'h, H: ?Sized> {
    pub(crate) history: &'h H,
    pub(crate) run: Run<'h>,
    pub(crate) has_succeeded: bool,
}

impl<H: History + ?Sized> History for Supposed<'_, H> {
    type Error = H::Error;

    /// A supposition is not recorded.
    fn record(&mut self, _: &str, _: i64) -> Result<(), H::Error> {
        Ok(())
    }

    fn successes(
        &self,
        job: &str,
        range: core::ops::RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), H::Error> {
        let Run { scheduled, job: of } = self.run;
        if job != of || !range.contains(&scheduled) {
            return self.history.successes(job, range, visit);
        }
        let mut flow = ControlFlow::Continue(());
        if scheduled > *range.start() {
            self.history.successes(job, *range.start()..=scheduled - 1, &mut |success| {
                flow = visit(success);
                flow
            })?;
        }
        if flow.is_continue() && self.has_succeeded {
            flow = visit(scheduled);
        }
        if flow.is_continue() && scheduled < *range.end() {
            self.history.successes(job, scheduled + 1..=*range.end(), visit)?;
        }
        Ok(())
    }

    /// As [`record`](Self::record).
    fn drop_before(&mut self, _: i64) -> Result<(), H::Error> {
        Ok(())
    }
}
