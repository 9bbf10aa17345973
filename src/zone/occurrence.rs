//! [`Occurrence`]: an event and its story.

use crate::CalendarDigits;

/// An event of a [`ZonedSchedule`](crate::ZonedSchedule), and how it came to
/// be; told by [`ZonedSchedule::occurrence`](crate::ZonedSchedule::occurrence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Occurrence<T> {
    /// The instant.
    pub instant: T,
    /// The civil time that the schedule's text stands for. Where several fall in
    /// one gap, it is the first of them; where the clocks show an event's time
    /// after the gap, it is that one, and nothing was shifted.
    pub civil: CalendarDigits,
    /// How that civil time became the instant.
    pub resolution: Resolution,
}

/// How a civil time became an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "once, never or twice")]
pub enum Resolution {
    /// The clocks show it once.
    Unique,
    /// The clocks never show it, and the instant is the first after the gap.
    Shifted,
    /// The clocks show it twice, and this is the first time.
    FirstPass,
    /// The clocks show it twice, and this is the second time.
    SecondPass,
}
