//! The range of events: its units, its bounds, and how an offset splits into a day
//! and a time of day.

use crate::bits::Multiples;

/// Milliseconds in a day, as times of day are.
pub(crate) const DAY_MILLIS: u32 = 86_400_000;

/// Milliseconds in a day, as offsets are.
pub(crate) const DAY: u64 = DAY_MILLIS as u64;

const _: () = assert!(DAY == crate::calendar::MILLIS_PER_DAY.unsigned_abs());

/// Tells the starts of days.
pub(super) const WHOLE_DAYS: Multiples = Multiples::of(DAY_MILLIS);

/// Days in the range, 2000-01-01 to 2100-12-31.
pub(crate) const DAYS: u32 = 36_890;

/// Where the events of a schedule begin and end, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The first event.
    pub first: u64,
    /// The last event.
    pub last: u64,
    /// How many events there are.
    pub count: u64,
}

impl Bounds {
    /// Those of no events: where nobody asks, any more or as yet.
    pub(crate) const NONE: Self = Self { first: 0, last: 0, count: 0 };
}

/// The day of an offset, and the time of that day.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a time of day is below 2^27")]
pub(super) const fn split_day(offset: u64) -> (u32, u32) {
    let day = day_of(offset);
    (day, (offset - day as u64 * DAY) as u32)
}

/// The day of an offset.
#[inline(always)]
pub(super) const fn day_of(offset: u64) -> u32 {
    // A day is 2^10 times 84,375 ms. What is above these 10 bits is below 2^32, and
    // for such numbers this is the division by 84,375.
    (((offset >> 10) * RECIPROCAL) >> 46) as u32
}

/// `2^46 / 84,375`, rounded up by less than `2^14 / 84,375`: Granlund and
/// Montgomery as in [`Divisor`](crate::bits::Divisor).
const RECIPROCAL: u64 = (1_u64 << 46).div_ceil(84_375);

const _: () = assert!(RECIPROCAL * 84_375 - (1 << 46) < 1 << 14);

/// The first day of which the time `at` is not before an offset.
#[inline(always)]
pub(super) const fn day_from(offset: u64, at: u64) -> u32 {
    day_of(offset + (DAY - 1 - at))
}
