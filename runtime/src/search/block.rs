//! [`Block`]: up to 64 places in equal steps, and the events among them.

use crate::bits;

/// Events as bits: the event of bit `i` is `base + i * unit`.
///
/// Between two events of a block there are no others. This is what iteration
/// walks. As long as a block has bits, the next event
/// costs a bit scan and a multiplication, whatever the schedule.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "a record of numbers")]
pub struct Block {
    /// The offset of bit 0.
    pub base: u64,
    /// From one bit to the next, in milliseconds.
    pub unit: u64,
    /// The places that are events.
    pub bits: u64,
}

impl Block {
    /// No events.
    pub const EMPTY: Self = Self {
        base: 0,
        unit: 0,
        bits: 0,
    };

    /// The event at a place.
    #[inline]
    const fn event(&self, place: u32) -> u64 {
        self.base + place as u64 * self.unit
    }

    /// Takes the first event.
    #[inline]
    pub const fn pop_first(&mut self) -> Option<u64> {
        if self.bits == 0 {
            return None;
        }
        let event = self.event(bits::first(self.bits));
        self.bits &= self.bits - 1;
        Some(event)
    }

    /// Takes the last event.
    #[inline]
    pub const fn pop_last(&mut self) -> Option<u64> {
        if self.bits == 0 {
            return None;
        }
        let place = bits::last(self.bits);
        self.bits ^= 1 << place;
        Some(self.event(place))
    }

    /// The block with some of its events.
    #[inline]
    pub(crate) const fn masked(self, mask: u64) -> Self {
        Self {
            bits: self.bits & mask,
            ..self
        }
    }

    /// The block with its units lengthened `scale` times, then moved by `by`.
    #[inline]
    pub(crate) const fn scaled(self, scale: u64, by: u64) -> Self {
        Self {
            base: self.base * scale + by,
            unit: self.unit * scale,
            ..self
        }
    }

    /// The block moved by `by`.
    #[inline]
    pub(crate) const fn shifted(self, by: u64) -> Self {
        Self {
            base: self.base + by,
            ..self
        }
    }
}
