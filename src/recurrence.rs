//! [`Recurrence`]: the object-safe trait of all sources of events.

use core::ops::RangeInclusive;

use crate::timescale::{EventWalk as _, Sought, Timescale as _};
use crate::{Interval, IntervalError, Period, Schedule, Unit, Zone, ZonedSchedule};

/// A source of events: a [`Schedule`], a [`ZonedSchedule`], an [`Interval`], or your own
/// type.
///
/// The scheduler and the pipelines accept any `Recurrence`. The trait is object-safe, so sources of
/// different types can share a `Vec<Box<dyn Recurrence>>`.
///
/// Instants are milliseconds since 1970-01-01 00:00:00 UTC. A [`Schedule`] is read as UTC; give it
/// a time zone with [`Schedule::in_zone`].
///
/// Implementations must accept every `i64`, including the ends of its range, so use checked
/// arithmetic. Return `None` if there is no event; an empty range has no events.
///
/// Two methods are required. The others have defaults that walk from event to event; override a
/// default if your type can answer faster. Answers must not change over time: the same call must
/// always return the same answer.
///
/// ```
/// use millicron::{Recurrence, schedule};
///
/// /// The events of two sources.
/// struct Union<A, B>(A, B);
///
/// impl<A: Recurrence, B: Recurrence> Recurrence for Union<A, B> {
///     fn next_event(&self, instant: i64) -> Option<i64> {
///         [self.0.next_event(instant), self.1.next_event(instant)].into_iter().flatten().min()
///     }
///
///     fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
///         self.0.nearest_prev_event(instant).max(self.1.nearest_prev_event(instant))
///     }
/// }
///
/// const HOUR: i64 = 3_600_000;
/// let twice: Box<dyn Recurrence> = Box::new(Union(schedule!("9:00:00"), schedule!("*/12:00:00")));
/// let midnight = 1_795_219_200_000; // 2026-11-21 00:00:00
/// assert_eq!(twice.next_event(midnight), Some(midnight + 9 * HOUR));
/// assert_eq!(twice.count(midnight..=midnight + 24 * HOUR), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no events",
    label = "not a recurrence",
    note = "a recurrence is a `millicron::Schedule`, as made by `schedule!(\"…\")` or \
            `text.parse()`, a `ZonedSchedule`, an `Interval`, as made by \
            `every(5).minutes().into_recurrence(now)`, or your own type that implements \
            `millicron::Recurrence`"
)]
pub trait Recurrence {
    /// Returns the first event after `instant`.
    fn next_event(&self, instant: i64) -> Option<i64>;

    /// Returns the last event at or before `instant`.
    fn nearest_prev_event(&self, instant: i64) -> Option<i64>;

    /// Returns the first event at or after `instant`.
    fn nearest_event(&self, instant: i64) -> Option<i64> {
        match instant.checked_sub(1) {
            Some(before) => self.next_event(before),
            None if self.matches(instant) => Some(instant),
            None => self.next_event(instant),
        }
    }

    /// Returns the last event before `instant`.
    fn prev_event(&self, instant: i64) -> Option<i64> {
        self.nearest_prev_event(instant.checked_sub(1)?)
    }

    /// Returns whether `instant` is an event.
    fn matches(&self, instant: i64) -> bool {
        self.nearest_prev_event(instant) == Some(instant)
    }

    /// Returns the number of events in a range. The default visits each of them.
    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        let mut count = 0;
        let mut event = self.nearest_event(start);
        while let Some(at) = event.filter(|at| *at <= end) {
            count += 1;
            // Do not loop forever if an implementation returns `at` again.
            event = self.next_event(at).filter(|next| *next > at);
        }
        count
    }

    /// Returns the event that is `skipped` events before the last event at or before `instant`;
    /// with 0, that last event itself. The default visits each of them.
    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        let mut event = self.nearest_prev_event(instant)?;
        for _ in 0..skipped {
            event = self.prev_event(event)?;
        }
        Some(event)
    }

    /// Returns the schedule that has these events, in UTC or in the local time of a
    /// [zone](Self::is_zoned). Return it only if the events are exactly the schedule's, because its
    /// text and its period are then used to describe them. The default returns `None`.
    fn schedule(&self) -> Option<&Schedule> {
        None
    }

    /// Returns the interval that has these events. Return it only if the events are exactly the
    /// interval's: unless it [follows the clock](Interval::follows_clock), a scheduler measures its
    /// steps as elapsed time. The default returns `None`.
    fn interval(&self) -> Option<&Interval> {
        None
    }

    /// Returns how often the events recur. Without a [schedule](Self::schedule), the default
    /// estimates this from the shortest gap between the first events.
    fn period(&self) -> Period {
        match self.schedule() {
            Some(schedule) => schedule.period(),
            None => Period::estimate(|instant| self.next_event(instant)),
        }
    }

    /// Returns whether the events follow the local time of a zone.
    fn is_zoned(&self) -> bool {
        false
    }

    /// Returns the [name](Zone::name) of the zone, such as `Europe/Berlin`; `None` without a zone, or if it has no name.
    fn zone_name(&self) -> Option<&str> {
        None
    }

    /// Returns the zone's offset from UTC at an instant, in milliseconds by which local time is
    /// ahead; `None` without a zone. Messages use it to show local time.
    fn offset_at(&self, instant: i64) -> Option<i32> {
        let _ = instant;
        None
    }

    /// Returns the start of the calendar unit that contains `instant`, or of the unit `back` units
    /// earlier, in the local time that the events follow: UTC by default. `None` before the first
    /// start from 2000 on, which for a week is Monday, 2000-01-03. An instant after 2100 counts as
    /// part of the last unit of 2100, so a later instant never has an earlier start.
    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        unit.starts().nth_prev_event(instant, back)
    }

    /// Returns the start of the first calendar unit after `instant`, in the local time that the
    /// events follow: UTC by default. `None` from the last unit of 2100 on.
    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        unit.starts().next_event(instant)
    }
}

/// Forwards the methods that schedules and zoned schedules have under the same names. The defaults
/// of the others are as fast.
macro_rules! inherent {
    () => {
        #[inline]
        fn next_event(&self, instant: i64) -> Option<i64> {
            Self::next_event(self, instant)
        }

        #[inline]
        fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
            Self::nearest_prev_event(self, instant)
        }

        #[inline]
        fn matches(&self, instant: i64) -> bool {
            Self::matches(self, instant)
        }

        fn count(&self, range: RangeInclusive<i64>) -> u64 {
            Self::count(self, range)
        }

        fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
            match usize::try_from(skipped) {
                Ok(0) => Self::nearest_prev_event(self, instant),
                Ok(skipped) => self.events(..=instant).nth_back(skipped),
                // There are more events than a 32-bit platform can count.
                Err(_) => None,
            }
        }
    };
}

#[diagnostic::do_not_recommend]
impl Recurrence for Schedule {
    inherent!();

    fn schedule(&self) -> Option<&Schedule> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl<Z: Zone> Recurrence for ZonedSchedule<Z> {
    inherent!();

    fn schedule(&self) -> Option<&Schedule> {
        Some(self.schedule())
    }

    fn is_zoned(&self) -> bool {
        true
    }

    fn zone_name(&self) -> Option<&str> {
        self.zone().name()
    }

    fn offset_at(&self, instant: i64) -> Option<i32> {
        Some(self.zone().offset_at(instant))
    }

    fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
        let starts = unit.starts();
        self.scale_of(starts).walk(&starts.0, i64::MIN, instant).take_nth_back(back)
    }

    fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
        let starts = unit.starts();
        self.scale_of(starts).find(&starts.0, Sought::Next, instant)
    }
}

impl Recurrence for Interval {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.event(self.count_until(instant.into()))
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.nth_prev_event(instant, 0)
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        let count = self.count_until(end.into()) - self.count_until(i128::from(start) - 1);
        // Only the range of all `i64` can have more events than a `u64` can count, by one.
        if count < 0 { 0 } else { u64::try_from(count).unwrap_or(u64::MAX) }
    }

    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        let index = self.count_until(instant.into()) - i128::from(skipped) - 1;
        if index < 0 { None } else { self.event(index) }
    }

    fn interval(&self) -> Option<&Interval> {
        Some(self)
    }

    fn period(&self) -> Period {
        Period::of_gap(self.period.unsigned_abs())
    }
}

/// Forwards every method through a pointer.
macro_rules! forwarded {
    ($($(#[$attribute:meta])* $pointer:ty),*) => {
        $($(#[$attribute])*
        #[diagnostic::do_not_recommend]
        impl<R: Recurrence + ?Sized> Recurrence for $pointer {
            fn next_event(&self, instant: i64) -> Option<i64> {
                R::next_event(self, instant)
            }

            fn nearest_event(&self, instant: i64) -> Option<i64> {
                R::nearest_event(self, instant)
            }

            fn prev_event(&self, instant: i64) -> Option<i64> {
                R::prev_event(self, instant)
            }

            fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
                R::nearest_prev_event(self, instant)
            }

            fn matches(&self, instant: i64) -> bool {
                R::matches(self, instant)
            }

            fn count(&self, range: RangeInclusive<i64>) -> u64 {
                R::count(self, range)
            }

            fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
                R::nth_prev_event(self, instant, skipped)
            }

            fn schedule(&self) -> Option<&Schedule> {
                R::schedule(self)
            }

            fn interval(&self) -> Option<&Interval> {
                R::interval(self)
            }

            fn period(&self) -> Period {
                R::period(self)
            }

            fn is_zoned(&self) -> bool {
                R::is_zoned(self)
            }

            fn zone_name(&self) -> Option<&str> {
                R::zone_name(self)
            }

            fn offset_at(&self, instant: i64) -> Option<i32> {
                R::offset_at(self, instant)
            }

            fn unit_start(&self, unit: Unit, instant: i64, back: u64) -> Option<i64> {
                R::unit_start(self, unit, instant, back)
            }

            fn unit_end(&self, unit: Unit, instant: i64) -> Option<i64> {
                R::unit_end(self, unit, instant)
            }
        })*
    };
}

forwarded! {
    &R,
    #[cfg(feature = "alloc")]
    alloc::boxed::Box<R>,
    #[cfg(feature = "alloc")]
    alloc::sync::Arc<R>
}

/// A conversion to a [`Recurrence`]. A recurrence is returned unchanged; an interval such as
/// `every(5).minutes()` counts from its first use.
///
/// Use it as a bound to accept everything that a scheduler accepts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no events",
    label = "not a recurrence",
    note = "a recurrence is a `millicron::Schedule`, as made by `schedule!(\"…\")` or \
            `text.parse()`, a `ZonedSchedule`, an interval such as `every(5).minutes()`, or your \
            own type that implements `millicron::Recurrence`"
)]
pub trait IntoRecurrence {
    /// The type of the recurrence.
    type Recurrence: Recurrence;

    /// Returns the recurrence. An interval without a start counts from `now`, in milliseconds since
    /// 1970-01-01 00:00:00 UTC.
    ///
    /// # Errors
    ///
    /// Returns an error if the interval is invalid, such as `every(0).seconds()`, or if the first
    /// event of an interval in a zone is not between 2000 and 2100.
    fn into_recurrence(self, now: i64) -> Result<Self::Recurrence, IntervalError>;
}

#[diagnostic::do_not_recommend]
impl<R: Recurrence> IntoRecurrence for R {
    type Recurrence = R;

    fn into_recurrence(self, _: i64) -> Result<R, IntervalError> {
        Ok(self)
    }
}
