//! [`Spans`]: the data of a zone's table.

use alloc::vec::Vec;

use crate::zone::{FIRST, LAST, OffsetSpan};

/// The width of a bucket, as a power of two in milliseconds: a hundred days. Few buckets have more than
/// one change.
const SHIFT: u32 = 33;

const BUCKETS: usize = ((LAST - FIRST) >> SHIFT) as usize + 1;

/// The periods of constant offset, in order.
pub(crate) struct Spans {
    /// For each bucket, the span that contains its first millisecond.
    first: [u16; BUCKETS],
    /// The first instant of each span, [`i64::MIN`] for the first span; the last element is
    /// [`i64::MAX`].
    starts: Vec<i64>,
    offsets: Vec<i32>,
}

impl Spans {
    /// Lists the changes after [`FIRST`], each with the offset after it.
    pub(super) fn new(offset: i32, changes: impl Iterator<Item = (i64, i32)>) -> Self {
        let (mut starts, mut offsets) = (Vec::with_capacity(256), Vec::with_capacity(256));
        starts.push(i64::MIN);
        offsets.push(offset);
        let most = usize::from(u16::MAX);
        for (at, offset) in changes.take_while(|(at, _)| *at <= LAST).take(most) {
            if offsets.last() != Some(&offset) {
                starts.push(at);
                offsets.push(offset);
            }
        }
        let mut first = [0; BUCKETS];
        let mut span = 0;
        let mut bucket = FIRST;
        for first in &mut first {
            while starts.get(usize::from(span) + 1).is_some_and(|start| *start <= bucket) {
                span += 1;
            }
            *first = span;
            bucket += 1 << SHIFT;
        }
        starts.push(i64::MAX);
        starts.shrink_to_fit();
        offsets.shrink_to_fit();
        Self { first, starts, offsets }
    }

    #[inline]
    pub(super) fn at(&self, instant: i64) -> OffsetSpan {
        let span = self.index(instant);
        let (start, end) = (self.starts[span], self.starts[span + 1]);
        OffsetSpan { offset: self.offsets[span], start, end }
    }

    /// Returns the changes after an instant, each with the offset after it.
    #[inline]
    pub(super) fn changes_after(&self, instant: i64) -> impl Iterator<Item = (i64, i64)> {
        let next = self.index(instant) + 1;
        let offsets = self.offsets.iter().skip(next).map(|offset| i64::from(*offset));
        self.starts.iter().skip(next).copied().zip(offsets)
    }

    /// Returns the index of the span that contains an instant.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the instant is clamped")]
    fn index(&self, instant: i64) -> usize {
        let instant = instant.clamp(FIRST, LAST);
        let mut span = usize::from(self.first[((instant - FIRST) >> SHIFT) as usize]);
        // Without a branch: half of the buckets have one change.
        span += usize::from(self.starts[span + 1] <= instant);
        while self.starts[span + 1] <= instant {
            span += 1;
        }
        span
    }
}
