//! The range of offsets: its units, its bounds, and the split into day and time of day.

use crate::bits::Multiples;
use crate::calendar::DAY_MILLIS;

/// Milliseconds in a day, as the type of offsets.
pub(crate) const DAY: u64 = DAY_MILLIS as u64;

/// Recognizes the offsets of midnights.
pub(super) const WHOLE_DAYS: Multiples = Multiples::of(DAY_MILLIS);

/// Days in the range, 2000-01-01 to 2100-12-31.
pub(crate) const DAYS: u32 = 36_890;

/// The first and the last event of a schedule, and the number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The first event, as an offset.
    pub first: u64,
    /// The last event, as an offset.
    pub last: u64,
    /// The number of events.
    pub count: u64,
}

impl Bounds {
    /// The bounds of a plan that is not yet filled in.
    pub(crate) const NONE: Self = Self { first: 0, last: 0, count: 0 };

    /// Whether the mean distance between events is at most `gap` milliseconds.
    #[must_use]
    #[inline(always)]
    pub const fn is_denser_than(&self, gap: u64) -> bool {
        self.last - self.first <= self.count.saturating_mul(gap)
    }
}

/// Splits an offset into its day and the time of that day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a time of day is below 2^27")]
pub(super) const fn split_day(offset: u64) -> (u32, u32) {
    let day = day_of(offset);
    (day, (offset - day as u64 * DAY) as u32)
}

/// Returns the day of an offset.
#[inline(always)]
pub(super) const fn day_of(offset: u64) -> u32 {
    // A day is 2^10 times 84,375 ms. Without those 10 bits, an offset is below 2^32, and for such
    // numbers this divides by 84,375.
    (((offset >> 10) * RECIPROCAL) >> 46) as u32
}

/// `2^46 / 84,375`, rounded up by less than `2^14 / 84,375`: the method of Granlund and
/// Montgomery, as in [`Divisor`](crate::bits::Divisor).
const RECIPROCAL: u64 = (1_u64 << 46).div_ceil(84_375);

const _: () = assert!(RECIPROCAL * 84_375 - (1 << 46) < 1 << 14);

/// Returns the first day whose time `at` is not before an offset.
#[inline(always)]
pub(super) const fn day_from(offset: u64, at: u64) -> u32 {
    day_of(offset + (DAY - 1 - at))
}
