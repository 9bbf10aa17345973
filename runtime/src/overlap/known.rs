//! [`Known`]: the times of a day with some combinations of sets of days, which are computed once.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use super::minutes::Minutes;
use super::{Part, Times};

/// The most combinations, minutes, terms and common times.
const MOST: Lengths = Lengths { combinations: 12, minutes: 12, terms: 16, common: 8 };

/// The most bytes of minutes and common times of a literal with some schedules: enough for the minutes of two schedules
/// with different days and of both together, or of three in all combinations. With these, the tables of a schedule take
/// at most 8 KiB, even if it has days of its own.
pub(super) const fn most_bytes(schedules: usize) -> usize {
    (4 * schedules - 5) * size_of::<Minutes>()
}

/// The times of a day with some combinations of sets of days.
#[derive(Debug)]
pub(super) enum Known {
    Constant(Tables<'static>),
    #[cfg(feature = "alloc")]
    Owned(Box<Memory>),
}

/// The times of a day with some combinations, in slices. Their last items may be unused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables<'a> {
    combinations: &'a [Combination],
    minutes: &'a [Minutes],
    terms: &'a [Term],
    common: &'a [Times],
}

/// The times of a day with some combinations, in arrays. A literal has just as long ones as it needs.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<
    const COMBINATIONS: usize,
    const MINUTES: usize,
    const TERMS: usize,
    const COMMON: usize,
> {
    combinations: [Combination; COMBINATIONS],
    minutes: [Minutes; MINUTES],
    terms: [Term; TERMS],
    common: [Times; COMMON],
}

/// Remembers the times of combinations while all days are counted.
#[derive(Debug)]
pub struct Memory {
    arrays: Arrays<{ MOST.combinations }, { MOST.minutes }, { MOST.terms }, { MOST.common }>,
    /// How much is remembered.
    pub lengths: Lengths,
    /// How many bytes may be added.
    room: usize,
}

/// How many items of the arrays are used.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// The number of combinations.
    pub combinations: usize,
    /// The number of combinations whose times are minutes.
    pub minutes: usize,
    /// The number of terms of other combinations.
    pub terms: usize,
    /// The number of times to which terms refer and that are not those of a part.
    pub common: usize,
}

/// A combination of sets of days.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combination {
    /// The sets, as bits.
    pub(super) sets: u32,
    /// The number of events on such a day.
    pub(super) per_day: u32,
    times: KnownTimes,
}

/// The times of a day, as places in the arrays.
#[derive(Clone, Copy, Debug)]
pub(super) enum KnownTimes {
    /// A closed form.
    Minutes(u8),
    /// The sum of some terms: the first one, and the one after the last one.
    Terms([u8; 2]),
    /// There was no room.
    Unknown,
}

/// Times whose number is added or, by inclusion and exclusion, subtracted.
#[derive(Clone, Copy, Debug)]
struct Term {
    is_subtracted: bool,
    /// The place of a part or, after all parts, of times that several parts have in common.
    times: u8,
}

/// What is remembered at some time, and the room that is left.
#[derive(Clone, Copy)]
pub(super) struct Mark(Lengths, usize);

impl Known {
    /// Returns a combination of sets, if it is known.
    pub(super) const fn find(&self, sets: u32) -> Option<Combination> {
        find(self.tables().combinations, sets)
    }

    /// Returns the number of events before a time on a day with a combination of sets, given all parts, if its times are
    /// known.
    pub(super) fn before(&self, parts: &[Part], of: &Combination, time: u32) -> Option<u32> {
        let Tables { minutes, terms, common, .. } = self.tables();
        match of.times {
            KnownTimes::Minutes(place) => Some(minutes[usize::from(place)].before(time)),
            KnownTimes::Terms([first, end]) => {
                let mut sum = 0_u32;
                for term in &terms[usize::from(first)..usize::from(end)] {
                    let count = times_at(parts, common, usize::from(term.times)).before(time);
                    // More may be subtracted than has been added so far.
                    let signed = if term.is_subtracted { count.wrapping_neg() } else { count };
                    sum = sum.wrapping_add(signed);
                }
                Some(sum)
            }
            KnownTimes::Unknown => None,
        }
    }

    const fn tables(&self) -> Tables<'_> {
        match self {
            Self::Constant(tables) => *tables,
            #[cfg(feature = "alloc")]
            Self::Owned(memory) => memory.arrays.tables(),
        }
    }
}

impl Combination {
    /// Returns a combination that is not known.
    pub(super) const fn unknown(sets: u32, per_day: u32) -> Self {
        Self { sets, per_day, times: KnownTimes::Unknown }
    }
}

/// Returns the combination of some sets, if it is known.
const fn find(combinations: &[Combination], sets: u32) -> Option<Combination> {
    let mut index = 0;
    while index < combinations.len() {
        if combinations[index].sets == sets {
            return Some(combinations[index]);
        }
        index += 1;
    }
    None
}

/// Returns the times at the place of a term.
const fn times_at<'a>(parts: &'a [Part], common: &'a [Times], place: usize) -> &'a Times {
    if place < parts.len() { &parts[place].times } else { &common[place - parts.len()] }
}

impl<const COMBINATIONS: usize, const MINUTES: usize, const TERMS: usize, const COMMON: usize>
    Arrays<COMBINATIONS, MINUTES, TERMS, COMMON>
{
    pub(super) const fn tables(&self) -> Tables<'_> {
        let Self { combinations, minutes, terms, common } = self;
        Tables { combinations, minutes, terms, common }
    }
}

impl Memory {
    /// Returns a memory that only knows the days without events, given how many bytes of minutes and common times may be
    /// added.
    pub(super) const fn of(room: usize) -> Self {
        // Unused places contain it as well: a search finds the first one.
        let none = Combination { sets: 0, per_day: 0, times: KnownTimes::Terms([0, 0]) };
        Self {
            arrays: Arrays {
                combinations: [none; MOST.combinations],
                minutes: [Minutes::NONE; MOST.minutes],
                terms: [Term { is_subtracted: false, times: 0 }; MOST.terms],
                common: [Times::NONE; MOST.common],
            },
            lengths: Lengths { combinations: 1, minutes: 0, terms: 0, common: 0 },
            room,
        }
    }

    /// Returns what is remembered, given its [lengths](Self::lengths).
    ///
    /// # Panics
    ///
    /// Panics if the arrays are longer than there is room, in constant evaluation only.
    #[must_use]
    pub const fn arrays<
        const COMBINATIONS: usize,
        const MINUTES: usize,
        const TERMS: usize,
        const COMMON: usize,
    >(
        &self,
    ) -> Arrays<COMBINATIONS, MINUTES, TERMS, COMMON> {
        Arrays {
            combinations: *self.arrays.combinations.first_chunk().unwrap(),
            minutes: *self.arrays.minutes.first_chunk().unwrap(),
            terms: *self.arrays.terms.first_chunk().unwrap(),
            common: *self.arrays.common.first_chunk().unwrap(),
        }
    }

    /// Returns the number of events on a day with a combination of sets, if it is remembered.
    pub(super) const fn per_day(&self, sets: u32) -> Option<u32> {
        match find(&self.arrays.combinations, sets) {
            Some(known) => Some(known.per_day),
            None => None,
        }
    }

    /// Adds a combination of sets, if there is room.
    pub(super) const fn add(&mut self, sets: u32, per_day: u32, times: KnownTimes) {
        if !self.is_full() {
            let combination = Combination { sets, per_day, times };
            self.arrays.combinations[self.lengths.combinations] = combination;
            self.lengths.combinations += 1;
        }
    }

    /// Adds minutes. Returns their place, if there was room.
    #[expect(clippy::cast_possible_truncation, reason = "a short array")]
    pub(super) const fn add_minutes(&mut self, minutes: &Minutes) -> Option<u8> {
        let place = self.lengths.minutes;
        if self.is_full() || place == MOST.minutes || !self.take(size_of::<Minutes>()) {
            return None;
        }
        self.arrays.minutes[place] = *minutes;
        self.lengths.minutes += 1;
        Some(place as u8)
    }

    /// Adds a term. Returns whether there was room.
    #[expect(clippy::cast_possible_truncation, reason = "at most 32 parts")]
    pub(super) const fn add_term(
        &mut self,
        parts: &[Part],
        times: &Times,
        is_subtracted: bool,
    ) -> bool {
        let Lengths { terms, common, .. } = self.lengths;
        if self.is_full() || terms == MOST.terms {
            return false;
        }
        let (mut place, end) = (0, parts.len() + common);
        while place < end && !times_at(parts, &self.arrays.common, place).is_same(times) {
            place += 1;
        }
        if place == end {
            if common == MOST.common || !self.take(size_of::<Times>()) {
                return false;
            }
            self.arrays.common[common] = *times;
            self.lengths.common += 1;
        }
        self.arrays.terms[terms] = Term { is_subtracted, times: place as u8 };
        self.lengths.terms += 1;
        true
    }

    /// Returns what is remembered now.
    pub(super) const fn mark(&self) -> Mark {
        Mark(self.lengths, self.room)
    }

    /// Returns the terms since a mark.
    #[expect(clippy::cast_possible_truncation, reason = "a short array")]
    pub(super) const fn terms_since(&self, Mark(lengths, _): Mark) -> KnownTimes {
        KnownTimes::Terms([lengths.terms as u8, self.lengths.terms as u8])
    }

    /// Forgets all since a mark.
    pub(super) const fn forget_since(&mut self, mark: Mark) {
        Mark(self.lengths, self.room) = mark;
    }

    /// Whether there is no room for another combination. Then, its times are of no use.
    const fn is_full(&self) -> bool {
        self.lengths.combinations == MOST.combinations
    }

    /// Takes some bytes of the room, if there are as many.
    const fn take(&mut self, bytes: usize) -> bool {
        let has_room = bytes <= self.room;
        if has_room {
            self.room -= bytes;
        }
        has_room
    }
}
