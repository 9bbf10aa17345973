//! [`PartDays`]: the days of a part.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use crate::const_or_owned::ConstOrOwned;
#[cfg(feature = "alloc")]
use crate::days::DaySet;
use crate::search::DayWords;

/// A set of days. In a literal, it refers to the tables of a member, of its calendar or of all
/// programs, since a copy would take as much space as those.
#[derive(Debug)]
pub struct PartDays {
    words: ConstOrOwned<DayWords>,
    /// Whether it has the days after them instead: those on which windows over midnight end.
    is_next: bool,
}

impl PartDays {
    /// Returns the days with some bits, or the days after them.
    #[must_use]
    pub const fn compiled(words: &'static DayWords, is_next: bool) -> Self {
        Self { words: ConstOrOwned::Constant(words), is_next }
    }

    /// Returns a copy of some days.
    #[cfg(feature = "alloc")]
    pub(crate) fn owned(days: &DaySet) -> Self {
        Self { words: ConstOrOwned::Owned(Box::new(days.0)), is_next: false }
    }

    /// Returns the days of a word. The last one may have a day after the range.
    #[inline(always)]
    pub(super) const fn word(&self, index: usize) -> u64 {
        let words = self.words.get();
        match (self.is_next, index) {
            (false, _) => words[index],
            (true, 0) => words[0] << 1,
            (true, _) => words[index] << 1 | words[index - 1] >> 63,
        }
    }
}
