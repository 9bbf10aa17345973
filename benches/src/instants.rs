//! When the schedules are asked: the same in every run.

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

/// How many instants each search is asked at.
pub const INSTANTS: usize = 4_096;

/// A range of instants, and which of its events is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Its first instant.
    pub start: i64,
    /// The instant after its last one.
    pub end: i64,
    /// The number of the event in its middle, from 0.
    pub n: usize,
}

/// Instants all over 2000 to 2099.
#[must_use]
pub fn random() -> Vec<i64> {
    uniform(CENTURY).map(|offset| START + offset).collect()
}

/// Those of some instants at which a search has an answer, again and again; none where
/// it never has. To say that there is no event is no search.
#[must_use]
pub fn answered(instants: &[i64], search: impl Fn(i64) -> Option<i64>) -> Vec<i64> {
    let found = instants.iter().copied().filter(|&instant| search(instant).is_some());
    let found: Vec<i64> = found.collect();
    let len = if found.is_empty() { 0 } else { instants.len() };
    found.into_iter().cycle().take(len).collect()
}

/// Ranges of this length, from instants of 2000 to 2099; those that would not
/// end in time start in 2000.
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

/// Offsets below `end`.
fn uniform(end: i64) -> impl Iterator<Item = i64> {
    let end = u128::from(end.unsigned_abs());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        // Marsaglia's xorshift64, with the multiplication that makes its high
        // bits good.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        i64::try_from((u128::from(bits) * end) >> 64).unwrap_or(0)
    })
    .take(INSTANTS)
}
