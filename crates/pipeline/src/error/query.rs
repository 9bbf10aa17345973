//! [`QueryError`].

use alloc::boxed::Box;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use crate::timestamp::Timestamp;

/// An error in a query of a pipeline. `E` is the error of the [history](crate::History).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryError<E = Infallible> {
    /// The pipeline has no such job.
    UnknownJob {
        /// The name that was passed.
        job: Box<str>,
    },
    /// The job has no event at the instant. Instants are in milliseconds since 1970-01-01 00:00:00.
    NoRun {
        /// The job.
        job: Box<str>,
        /// The instant, rounded down.
        scheduled: i64,
        /// The milliseconds by which the job's local time is ahead of UTC then; `None` if it has no
        /// time zone. Messages show all instants with this offset.
        offset: Option<i32>,
        /// Whether the instant is a whole number of milliseconds.
        is_exact: bool,
        /// The job's last run before the instant.
        previous: Option<i64>,
        /// The job's first run after the instant.
        next: Option<i64>,
    },
    /// A civil time was passed to a pipeline with a time zone, where it may occur twice.
    CivilTime {
        /// A job whose schedule has a time zone.
        job: Box<str>,
    },
    /// Neither the range of runs nor the [pipeline](crate::PipelineBuilder::since) has a start.
    NoStart,
    /// The history returned an error.
    History(E),
}

impl<E> fmt::Display for QueryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownJob { job } => write!(f, "`{job}` is not a job of the pipeline"),
            Self::NoRun { job, scheduled, offset, is_exact, previous, next } => {
                let at = if *is_exact { "at" } else { "a fraction of a millisecond after" };
                let timestamp = |instant: i64| Timestamp { instant, offset: *offset };
                write!(f, "`{job}` has no event {at} {}", timestamp(*scheduled))?;
                let previous = previous.iter().map(|event| ("the previous one is", event));
                let next = next.iter().map(|event| ("the next one is", event));
                for (index, (which, event)) in previous.chain(next).enumerate() {
                    let separator = if index == 0 { ": " } else { ", " };
                    write!(f, "{separator}{which} {}", timestamp(*event))?;
                }
                Ok(())
            }
            Self::CivilTime { job } => write!(
                f,
                "a civil time is ambiguous, because `{job}` has a time zone: pass an instant, such \
                 as a `SystemTime`, a `ZonedDateTime` or milliseconds since 1970-01-01 00:00:00 UTC"
            ),
            Self::NoStart => f.write_str(
                "neither the range of runs nor the pipeline has a start: pass a range that has one, \
                 or set the beginning of the pipeline with `since`",
            ),
            Self::History(_) => f.write_str("the history failed"),
        }
    }
}

impl<E: Error + 'static> Error for QueryError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::History(error) => Some(error),
            Self::UnknownJob { .. }
            | Self::NoRun { .. }
            | Self::CivilTime { .. }
            | Self::NoStart => None,
        }
    }
}
