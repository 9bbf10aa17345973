//! [`Window`]: equal steps within a part of the day.

use crate::Field;
use crate::calendar::DAY_MILLIS;

/// The fields in whose units a step is written, in descending order, and the names of the units.
pub(crate) const STEP_UNITS: [(Field, &str); 4] =
    [(Field::Hour, "h"), (Field::Minute, "m"), (Field::Second, "s"), (Field::Millisecond, "ms")];

/// Equal steps within a part of the day, which may extend past midnight: `09:30:00..16:00:00/15m`.
///
/// The steps of a window belong to the day on which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The first step, in milliseconds since midnight.
    pub from: u32,
    /// The distance between the steps, 1-86,400,000 ms.
    pub step: u32,
    /// The number of steps, at least 2. The last one is at most a day after the first.
    pub count: u32,
}

impl Window {
    /// Returns the number of steps from `from` on, before `to` or, if `is_closed`, up to and
    /// including `to`. Both are times of day, in milliseconds since midnight. A `to` at or before
    /// `from` is on the next day.
    pub(crate) const fn steps(from: u32, to: u32, step: u32, is_closed: bool) -> u32 {
        let len = if to > from { to - from } else { to + DAY_MILLIS - from };
        (len - !is_closed as u32) / step + 1
    }

    /// Returns the distance from the first step to the last one, in milliseconds, at most a day.
    #[must_use]
    pub const fn length(&self) -> u32 {
        (self.count - 1) * self.step
    }

    /// Returns the last step, in milliseconds since midnight of the day on which the window begins;
    /// less than two days.
    #[must_use]
    pub const fn last(&self) -> u32 {
        self.from + self.length()
    }

    /// Whether the last step is on the day after the first one.
    #[must_use]
    pub const fn is_over_midnight(&self) -> bool {
        self.last() >= DAY_MILLIS
    }

    /// Whether the last step is a day after the first one, so that it coincides with the first
    /// step of the next day.
    #[must_use]
    pub const fn is_whole_day(&self) -> bool {
        self.length() == DAY_MILLIS
    }

    /// Returns how to write the end of the window.
    pub(crate) fn end(&self) -> WindowEnd {
        // The position of one more step.
        let (last, after) = (self.last(), self.last() + self.step);
        if last < DAY_MILLIS && after >= DAY_MILLIS {
            return WindowEnd::EndOfDay;
        }
        if after - self.from <= DAY_MILLIS && roundness(after) <= roundness(last) {
            return WindowEnd::Before(after % DAY_MILLIS);
        }
        WindowEnd::At(if last > DAY_MILLIS { last - DAY_MILLIS } else { last })
    }
}

/// The roundest way to write the end of a [`Window`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowEnd {
    /// Without an end: the window lasts to the end of the day.
    EndOfDay,
    /// With `..`: the end is not a step. Less than a day, in milliseconds since midnight.
    Before(u32),
    /// With `..=`: the end is the last step. At most a day, in milliseconds since midnight.
    At(u32),
}

/// Returns how round a time is: smaller is rounder.
fn roundness(time: u32) -> Option<usize> {
    const UNITS: [u32; 7] = [3_600_000, 1_800_000, 900_000, 300_000, 60_000, 1000, 1];
    UNITS.iter().position(|unit| time.is_multiple_of(*unit))
}
