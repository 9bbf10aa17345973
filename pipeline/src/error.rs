//! [`PipelineError`] and [`AskError`]: what is wrong with a pipeline, or a question.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use crate::words::Instant;

/// All that is wrong with a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineError {
    pub(crate) problems: Vec<Problem>,
}

impl PipelineError {
    /// What is wrong; one at the least.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.problems {
            [problem] => write!(f, "the pipeline can not be built: {problem}"),
            problems => {
                write!(f, "the pipeline can not be built:")?;
                problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
            }
        }
    }
}

impl Error for PipelineError {}

/// Something that is wrong with a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Two jobs have the same name.
    Duplicate {
        /// The name.
        job: Box<str>,
    },
    /// There is no job of that name.
    NoJob {
        /// The name.
        job: Box<str>,
        /// The job that needs it, or itself where it is said to have had another schedule.
        of: Box<str>,
        /// The names of all jobs.
        known: Arc<[Arc<str>]>,
    },
    /// Jobs need each other in a circle, so that a run would need itself, or a later run
    /// that needs it.
    ///
    /// A circle in which one looks a whole [cycle back](super::Need::cycles_back) is none:
    /// of the largest cycle in it that a check point speaks of. For check
    /// points, each job has to run in each cycle, by clocks on which days begin alike,
    /// and by the schedule that it always had.
    Circle {
        /// The jobs: each needs the next, and the last one the first.
        path: Vec<Box<str>>,
    },
    /// The needs of a job are nested too deep.
    TooDeep {
        /// The job.
        job: Box<str>,
        /// How deep they may be.
        most: usize,
    },
    /// A job never runs: its schedule has no event since the pipeline began.
    NoRun {
        /// The job.
        job: Box<str>,
    },
    /// A need that can never be met.
    Never {
        /// The job that has it.
        job: Box<str>,
        /// The job that it needs, where it is one.
        needs: Option<Box<str>>,
        /// Why it can not be met.
        why: Never,
    },
}

/// Why a need can never be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Never {
    /// One of no alternatives is needed.
    NoAlternative,
    /// No event is before the last that could need it.
    TooLate {
        /// The first event of the job that is needed.
        first: i64,
        /// The last event of the job that needs it.
        last: i64,
    },
    /// So many runs are needed, and no interval has more than `most`.
    TooMany {
        /// How many are needed.
        count: u64,
        /// How many there are at the most.
        most: u64,
    },
}

/// As many names as a person reads.
const FEW: usize = 8;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { job } => write!(f, "two jobs are named `{job}`"),
            Self::NoJob { job, of, known } => {
                if job == of {
                    write!(f, "`{job}`, which formerly had another schedule, is no job")?;
                } else {
                    write!(f, "`{of}` needs `{job}`, which is no job")?;
                }
                for (index, name) in known.iter().take(FEW).enumerate() {
                    let separator = if index == 0 { " of the pipeline; there are" } else { "," };
                    write!(f, "{separator} `{name}`")?;
                }
                match known.len().checked_sub(FEW) {
                    Some(rest @ 1..) => write!(f, " and {rest} more"),
                    _ => Ok(()),
                }
            }
            Self::Circle { path } => {
                let [first, rest @ ..] = &**path else { return f.write_str("a circle") };
                write!(f, "a circle: `{first}` needs ")?;
                for job in rest.iter().take(FEW) {
                    write!(f, "`{job}`, which needs ")?;
                }
                if let Some(more @ 1..) = rest.len().checked_sub(FEW) {
                    write!(f, "{more} more in turn, the last of which needs ")?;
                }
                write!(f, "`{first}`; one of them has to look a whole cycle back")
            }
            Self::TooDeep { job, most } => {
                write!(f, "what `{job}` needs is nested more than {most} deep")
            }
            Self::NoRun { job } => {
                write!(f, "`{job}` never runs: it has no event since the pipeline began")
            }
            Self::Never { job, needs, why } => {
                write!(f, "`{job}` needs ")?;
                match why {
                    Never::NoAlternative => f.write_str("one of no alternatives"),
                    Never::TooLate { first, last } => write!(
                        f,
                        "runs of `{}`, the first of which is {}, after its own last, {}",
                        needs.as_deref().unwrap_or_default(),
                        Instant(*first),
                        Instant(*last)
                    ),
                    Never::TooMany { count, most } => write!(
                        f,
                        "{count} runs of `{}`, and there are never more than {most}",
                        needs.as_deref().unwrap_or_default()
                    ),
                }
            }
        }
    }
}

/// Why a question about a pipeline has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError<E = Infallible> {
    /// There is no such job.
    NoJob {
        /// Its name.
        job: Box<str>,
    },
    /// A job does not run at that instant.
    NoRun {
        /// The job.
        job: Box<str>,
        /// The instant, in milliseconds since 1970-01-01 00:00:00, rounded down.
        scheduled: i64,
        /// Whether it is that millisecond, or finer.
        is_exact: bool,
        /// Its last run before that, if there is one.
        before: Option<i64>,
        /// Its next run after that.
        next: Option<i64>,
    },
    /// The history can not be read.
    History(E),
}

impl<E: fmt::Display> fmt::Display for AskError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJob { job } => write!(f, "`{job}` is no job of the pipeline"),
            Self::NoRun { job, scheduled, is_exact, before, next } => {
                let at = if *is_exact { "at" } else { "a part of a millisecond after" };
                write!(f, "`{job}` has no event {at} {}", Instant(*scheduled))?;
                let before = before.iter().map(|event| ("the last before is", event));
                let next = next.iter().map(|event| ("the next is", event));
                for (index, (which, event)) in before.chain(next).enumerate() {
                    let separator = if index == 0 { ": " } else { ", " };
                    write!(f, "{separator}{which} {}", Instant(*event))?;
                }
                Ok(())
            }
            Self::History(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> Error for AskError<E> {}
