//! [`Occurrence`]: an event and how it was resolved.

use crate::CalendarDigits;

/// An event of a [`ZonedSchedule`](crate::ZonedSchedule), and how its civil time was resolved to an
/// instant. Returned by [`ZonedSchedule::occurrence`](crate::ZonedSchedule::occurrence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Occurrence<T> {
    /// The instant at which the event fires.
    pub instant: T,
    /// The civil time of the event in the schedule. If several events are in the same gap, it is
    /// the time of the first one. But if the schedule also has an event at the first civil time
    /// after the gap, it is the time of that event, and nothing was shifted.
    pub civil: CalendarDigits,
    /// How the civil time was resolved to the instant.
    pub resolution: Resolution,
}

/// How a civil time was resolved to an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "once, never or twice")]
pub enum Resolution {
    /// The civil time occurs once.
    Unique,
    /// The civil time is in a gap; the instant is the first one after the gap.
    Shifted,
    /// The civil time is in a fold; the instant is in the first pass.
    FirstPass,
    /// The civil time is in a fold; the instant is in the second pass.
    SecondPass,
}
