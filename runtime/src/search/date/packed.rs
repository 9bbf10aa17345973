//! What there is to know of the six words of a year, packed into one.

/// The days beside each of six words, ten bits each: those after counted from 1
/// January, those before from 366 days earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours(pub(super) u64);

impl Neighbours {
    /// No day in this year, where not every year has days.
    pub(super) const NONE: u32 = 1023;
    /// What day 1 January is among the days before.
    pub(super) const START: u32 = 366;

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn get(self, word: u32) -> u32 {
        (self.0 >> ((10 * word) & 63)) as u32 & 1023
    }
}

/// How many days there are in each of six words and those before it, ten bits
/// each, of which the highest is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks(pub(super) u64);

impl Ranks {
    /// The lowest bit of each of the six, and the highest.
    const EACH: u64 = 0x0004_0100_4010_0401;
    const HIGH: u64 = Self::EACH << 9;

    /// Those of six words.
    pub(super) const fn of(words: &[u64; 6]) -> Self {
        let (mut count, mut ranks) = (0, 0);
        let mut index = 0;
        while index < 6 {
            count += words[index].count_ones() as u64;
            ranks |= count << (10 * index);
            index += 1;
        }
        Self(ranks)
    }

    /// How many days there are in the words before one.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "cut to ten bits")]
    pub(super) const fn before(self, word: u32) -> u32 {
        (self.0 << 10 >> ((10 * word) & 63)) as u32 & 1023
    }

    /// The word of the day that has `rank` days before it, where there is one.
    #[inline(always)]
    pub(super) const fn word_of(self, rank: u32) -> u32 {
        let are_up_to = (rank as u64).wrapping_mul(Self::EACH) | Self::HIGH;
        let are_up_to = are_up_to.wrapping_sub(self.0) & Self::HIGH;
        ((are_up_to >> 9).wrapping_mul(Self::EACH) >> 50) as u32 & 7
    }

    /// Which words have days, as bits.
    #[inline(always)]
    pub(super) const fn occupied(self) -> u64 {
        // What a word adds is not 0. The highest of its ten bits tells so, and the
        // multiplication brings them together.
        let added = self.0 ^ (self.0 << 10);
        let are_any = (added & !Self::HIGH).wrapping_add(Self::HIGH - Self::EACH) & Self::HIGH;
        ((are_any >> 9).wrapping_mul(0x0004_0201_0080_4020) >> 50) & 0o77
    }

    #[inline(always)]
    pub(super) const fn total(self) -> u32 {
        (self.0 >> 50) as u32
    }
}
