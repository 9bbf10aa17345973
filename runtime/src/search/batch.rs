//! [`Batch`]: the next events of a walk, many at a time.

use crate::bits;

/// How many events a batch has room for.
const ROOM: usize = 32;

/// The next events of a walk.
///
/// They are places on a line of equal steps: the event at a place is
/// `base + place * unit`. A walk backwards may step by a negative unit, as
/// wrapping arithmetic has it.
///
/// To take one is an addition and a multiplication, whatever the schedule; what a
/// search costs is paid once for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    base: u64,
    unit: u64,
    len: u32,
    /// The place of the event that is taken next.
    next: u32,
    places: [u16; ROOM],
}

impl Default for Batch {
    /// No events.
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Batch {
    /// No events.
    pub(crate) const EMPTY: Self = Self::new(0, 0);

    /// The places of a stride.
    const STEPS: [u16; ROOM] = {
        let mut places = [0; ROOM];
        let mut place = 0;
        while place < ROOM as u16 {
            places[place as usize] = place;
            place += 1;
        }
        places
    };

    /// A batch without events as yet, on a line.
    #[inline(always)]
    pub(crate) const fn new(base: u64, unit: u64) -> Self {
        Self { base, unit, len: 0, next: 0, places: [0; ROOM] }
    }

    /// Up to so many events in equal steps, from `base` on.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "at most `ROOM`")]
    pub(crate) const fn steps(base: u64, unit: u64, count: u64) -> Self {
        let len = if count < ROOM as u64 { count as u32 } else { ROOM as u32 };
        Self { base, unit, len, next: 0, places: Self::STEPS }
    }

    /// The batch with its line moved by `by`.
    #[inline(always)]
    pub(crate) const fn shifted(self, by: u64) -> Self {
        Self { base: self.base.wrapping_add(by), ..self }
    }

    /// Puts a place behind the others, where there is room. Returns whether
    /// there is room for more.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the places of a batch are below 2^16")]
    pub(crate) const fn push(&mut self, place: u32) -> bool {
        if (self.len as usize) < ROOM {
            self.put(place, true);
        }
        (self.len as usize) < ROOM
    }

    /// Puts the places `first + i` of the set bits `i` behind the others,
    /// ascending, as far as there is room. Returns whether there is room for
    /// more.
    ///
    /// Two at a time, and the second whether it is there or not: how many bits
    /// a word has is hard to predict.
    #[inline(always)]
    pub(crate) const fn push_up(&mut self, first: u32, mut bits: u64) -> bool {
        while self.has_room_for_two() {
            self.put(first + bits::first(bits), bits != 0);
            bits &= bits.wrapping_sub(1);
            self.put(first + bits::first(bits), bits != 0);
            bits &= bits.wrapping_sub(1);
            if bits == 0 {
                return self.has_room_for_two();
            }
        }
        false
    }

    /// [`push_up`](Self::push_up), descending.
    #[inline(always)]
    pub(crate) const fn push_down(&mut self, first: u32, mut bits: u64) -> bool {
        while self.has_room_for_two() {
            let last = bits::last(bits);
            self.put(first.wrapping_add(last), bits != 0);
            bits &= !(1 << (last & 63));
            let last = bits::last(bits);
            self.put(first.wrapping_add(last), bits != 0);
            bits &= !(1 << (last & 63));
            if bits == 0 {
                return self.has_room_for_two();
            }
        }
        false
    }

    #[inline(always)]
    const fn has_room_for_two(&self) -> bool {
        self.len as usize <= ROOM - 2
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the places of a batch are below 2^16")]
    const fn put(&mut self, place: u32, is_there: bool) {
        self.places[self.len as usize % ROOM] = place as u16;
        self.len += is_there as u32;
    }

    /// Leaves no events.
    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Takes the next event.
    #[inline(always)]
    pub(crate) const fn pop(&mut self) -> Option<u64> {
        if self.next >= self.len {
            return None;
        }
        let place = self.places[self.next as usize % ROOM] as u64;
        self.next += 1;
        Some(self.base.wrapping_add(place.wrapping_mul(self.unit)))
    }
}
