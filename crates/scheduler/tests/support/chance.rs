//! Random numbers.

use std::time::Duration;

/// `SplitMix64` of G. Steele, D. Lea and C. Flood.
#[derive(Clone, Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    pub(crate) fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("the number is below a `usize`")
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())].clone()
    }

    /// Returns a duration up to a maximum that is not a whole number of microseconds, so it never
    /// coincides with an event. Some platforms have system times in steps of 100 nanoseconds.
    pub(crate) fn span(&mut self, most: Duration) -> Duration {
        let micros = u64::try_from(most.as_micros()).expect("the duration is short");
        Duration::from_nanos(self.below(micros) * 1000 + 100 * (1 + self.below(9)))
    }
}
