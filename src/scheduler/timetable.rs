//! [`Timetable`]: when a job is to run.

use std::boxed::Box;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::SystemTime;

use super::instant::Nanos;
use super::shared::discard;

use crate::{Schedule, Zone, ZonedSchedule};

/// When a job is to run: a [`Schedule`], which is read as UTC, a [`ZonedSchedule`],
/// what comes of [`every`](super::every()), or a type of one's own.
///
/// Its events are to be the same whenever it is asked. It is asked while the
/// scheduler decides, so it must not ask the scheduler in turn.
pub trait Timetable: Send + Sync + 'static {
    /// The first event after an instant.
    fn next(&self, after: SystemTime) -> Option<SystemTime>;

    /// The last event up to an instant.
    fn last(&self, until: SystemTime) -> Option<SystemTime>;

    /// How many events there are after one instant and up to another.
    fn count(&self, after: SystemTime, until: SystemTime) -> u64;
}

impl Timetable for Schedule {
    fn next(&self, after: SystemTime) -> Option<SystemTime> {
        self.next_event(after)
    }

    fn last(&self, until: SystemTime) -> Option<SystemTime> {
        self.nearest_prev_event(until)
    }

    fn count(&self, after: SystemTime, until: SystemTime) -> u64 {
        self.count((Bound::Excluded(after), Bound::Included(until)))
    }
}

impl<Z: Zone + Send + Sync + 'static> Timetable for ZonedSchedule<Z> {
    fn next(&self, after: SystemTime) -> Option<SystemTime> {
        self.next_event(after)
    }

    fn last(&self, until: SystemTime) -> Option<SystemTime> {
        self.nearest_prev_event(until)
    }

    fn count(&self, after: SystemTime, until: SystemTime) -> u64 {
        self.count((Bound::Excluded(after), Bound::Included(until)))
    }
}

/// The timetable of a job, in the scheduler's instants. It may be of others: one that
/// panics has no event to come, and stops nothing else.
pub(super) struct Table(Box<dyn Timetable>);

impl Table {
    pub(super) fn new(timetable: impl Timetable) -> Self {
        Self(Box::new(timetable))
    }

    pub(super) fn next(&self, after: Nanos) -> Option<Nanos> {
        calm(|| self.0.next(after.time()))?.map(Nanos::from)
    }

    pub(super) fn last(&self, until: Nanos) -> Option<Nanos> {
        calm(|| self.0.last(until.time()))?.map(Nanos::from)
    }

    pub(super) fn count(&self, after: Nanos, until: Nanos) -> u64 {
        calm(|| self.0.count(after.time(), until.time())).unwrap_or(0)
    }
}

/// What is asked, unless it panics.
fn calm<T>(ask: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(discard).ok()
}

/// What a job can be added with: a [`Timetable`], or one that counts from the
/// instant at which it is added.
#[diagnostic::on_unimplemented(
    message = "a job can not be added with `{Self}`",
    label = "not a timetable",
    note = "a timetable is a `millicron::Schedule`, as of `schedule!(\"…\")` or of \
            `text.parse()`, a `ZonedSchedule`, `every(5).minutes()` and the like, or a type of \
            your own"
)]
pub trait IntoTimetable {
    /// When the job is to run.
    type Timetable: Timetable;

    /// When the job is to run, if it is added at an instant.
    ///
    /// # Errors
    ///
    /// One that is nothing to go by.
    fn into_timetable(self, now: SystemTime) -> Result<Self::Timetable, TimetableError>;
}

/// Why there is nothing to go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimetableError {
    /// Every 0 of something.
    NoPeriod,
    /// No time of day: an hour above 23 or a minute above 59.
    NoTimeOfDay {
        /// The hour.
        hour: u32,
        /// The minute.
        minute: u32,
    },
}

impl std::fmt::Display for TimetableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoPeriod => f.write_str("every 0 is no period: it is at least 1"),
            Self::NoTimeOfDay { hour, minute } => {
                write!(f, "{hour}:{minute:02} is no time of day: it is 0:00 to 23:59")
            }
        }
    }
}

impl std::error::Error for TimetableError {}

#[diagnostic::do_not_recommend]
impl<T: Timetable> IntoTimetable for T {
    type Timetable = T;

    fn into_timetable(self, _: SystemTime) -> Result<T, TimetableError> {
        Ok(self)
    }
}
