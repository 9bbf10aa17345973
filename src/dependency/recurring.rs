//! [`Recurring`]: what a job of a pipeline runs by.

use super::cycle::Unit;
use crate::{Schedule, Zone, ZonedSchedule};

/// What a job of a [pipeline](super::Pipeline) runs by: a [`Schedule`], or a
/// [`ZonedSchedule`] whose zone can be sent to other threads.
///
/// The trait is sealed: what it asks of a type may change with any release.
#[diagnostic::on_unimplemented(
    message = "a job can not run by `{Self}`",
    label = "not a schedule",
    note = "a job runs by a `millicron::Schedule`, as of `schedule!(\"…\")` or of \
            `text.parse()`, or by a `ZonedSchedule` whose zone can be sent to other threads; in \
            place of a reference, clone it"
)]
pub trait Recurring: Events {}

/// The part of [`Recurring`] that is not public: the questions, in milliseconds.
pub trait Events: Send + Sync {
    /// The first event at or after an instant.
    fn nearest(&self, instant: i64) -> Option<i64>;

    /// The last event at or before an instant.
    fn nearest_prev(&self, instant: i64) -> Option<i64>;

    /// How many events there are from one instant to another, both included.
    fn count(&self, first: i64, last: i64) -> u64;

    /// The event up to an instant that has so many after it, up to that instant.
    fn nth_back(&self, until: i64, skipped: usize) -> Option<i64>;

    /// Where the unit of the calendar begins that an instant is in, or the so-manieth
    /// unit before; `None` before the first that begins in the range of schedules.
    fn start_of(&self, unit: Unit, back: usize, instant: i64) -> Option<i64>;

    /// Where the next unit of the calendar begins.
    fn end_of(&self, unit: Unit, instant: i64) -> Option<i64>;

    /// The schedule in civil time.
    fn civil(&self) -> &Schedule;

    /// Whether it goes by the clocks of a zone.
    fn is_zoned(&self) -> bool;
}

/// The questions that a schedule and one in a zone have in common, by the same names.
macro_rules! questions {
    () => {
        fn nearest(&self, instant: i64) -> Option<i64> {
            self.nearest_event(instant)
        }

        fn nearest_prev(&self, instant: i64) -> Option<i64> {
            self.nearest_prev_event(instant)
        }

        fn count(&self, first: i64, last: i64) -> u64 {
            Self::count(self, first..=last)
        }

        fn nth_back(&self, until: i64, skipped: usize) -> Option<i64> {
            match skipped {
                0 => self.nearest_prev_event(until),
                _ => self.events(..=until).nth_back(skipped),
            }
        }
    };
}

impl Recurring for Schedule {}

impl Events for Schedule {
    questions!();

    fn start_of(&self, unit: Unit, back: usize, instant: i64) -> Option<i64> {
        Events::nth_back(unit.starts(), instant, back)
    }

    fn end_of(&self, unit: Unit, instant: i64) -> Option<i64> {
        unit.starts().next_event(instant)
    }

    fn civil(&self) -> &Schedule {
        self
    }

    fn is_zoned(&self) -> bool {
        false
    }
}

impl<Z: Zone + Send + Sync> Recurring for ZonedSchedule<Z> {}

impl<Z: Zone + Send + Sync> Events for ZonedSchedule<Z> {
    questions!();

    fn start_of(&self, unit: Unit, back: usize, instant: i64) -> Option<i64> {
        Events::nth_back(&unit.starts().in_zone(self.zone()), instant, back)
    }

    fn end_of(&self, unit: Unit, instant: i64) -> Option<i64> {
        unit.starts().in_zone(self.zone()).next_event(instant)
    }

    fn civil(&self) -> &Schedule {
        self.schedule()
    }

    fn is_zoned(&self) -> bool {
        true
    }
}
