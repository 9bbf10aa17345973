//! The instants of the queries, the same in every run.

use std::ops::RangeInclusive;

use millicron::Schedule;

/// 2000-01-01 00:00:00.000, the first instant of the language, in milliseconds
/// since 1970.
pub const START: i64 = 946_684_800_000;

/// Milliseconds in a day.
pub const DAY: i64 = 86_400_000;

/// The instant after the last one of the language, the start of 2101.
pub const END: i64 = START + 36_890 * DAY;

/// All instants of the language.
pub const RANGE: RangeInclusive<i64> = START..=END - 1;

/// A minute, in milliseconds.
pub const MINUTE: i64 = 60_000;

/// The hundred years from 2000, in milliseconds.
pub const CENTURY: i64 = 36_525 * DAY;

/// The number of instants of each search.
pub const INSTANTS: usize = 4_096;

/// A range of instants, and the index of the event to find in it.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first instant.
    pub start: i64,
    /// The instant after the last one.
    pub end: i64,
    /// The index of the event in the middle, from 0.
    pub n: usize,
}

/// Returns random instants from 2000 to 2099.
#[must_use]
pub fn random() -> Vec<i64> {
    uniform(CENTURY).map(|offset| START + offset).collect()
}

/// Returns the instants at which a search has an answer, repeated up to the same number, or an empty
/// list if there are none. At other instants, there is nothing to search.
#[must_use]
pub fn answered(instants: &[i64], search: impl Fn(i64) -> Option<i64>) -> Vec<i64> {
    let found = instants.iter().copied().filter(|&instant| search(instant).is_some());
    let found: Vec<i64> = found.collect();
    let len = if found.is_empty() { 0 } else { instants.len() };
    found.into_iter().cycle().take(len).collect()
}

/// Returns ranges of the given length that start from 2000 to 2099. Ranges that would end too late start
/// in 2000.
#[must_use]
pub fn spans(schedule: &Schedule, length: i64) -> Vec<Span> {
    const YEAR: i64 = 365 * DAY;
    let starts = if length == CENTURY { YEAR } else { CENTURY };
    uniform(starts)
        .map(|offset| {
            let (start, end) = (START + offset, START + offset + length);
            let n = schedule.events(start..end).count() / 2;
            Span { start, end, n }
        })
        .collect()
}

/// Returns random offsets below `end`.
fn uniform(end: i64) -> impl Iterator<Item = i64> {
    let end = u128::from(end.unsigned_abs());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        // Marsaglia's xorshift64, with the multiplication that improves its high bits.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        i64::try_from((u128::from(bits) * end) >> 64).unwrap_or(0)
    })
    .take(INSTANTS)
}
