//! [`Spans`]: the data of a zone's table.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::zone::{FIRST, LAST, OffsetSpan, clamped};

/// The width of a bucket, as a power of two in milliseconds: 99 days. Few buckets have more than one
/// change.
const SHIFT: u32 = 33;

const BUCKETS: usize = ((LAST - FIRST) >> SHIFT) as usize + 1;

/// For each bucket, the index of the span that contains its first millisecond.
type Buckets = [u16; BUCKETS];

/// The periods of constant offset, in order.
#[derive(Clone, Copy)]
pub(super) struct Spans<'a> {
    buckets: &'a Buckets,
    /// The start of each span, and two ends, so that two elements follow any span.
    starts: &'a [Start],
    offsets: &'a [i32],
}

/// The first instant of a span in the upper 48 bits, and the place of its offset in a list in the lower 16: a
/// zone has few offsets. Starts ascend strictly, but for the two ends.
#[derive(Clone, Copy, Debug)]
pub struct Start(i64);

/// The number of bits below the instant, which has 42.
const OFFSET_BITS: u32 = 16;

impl Start {
    /// The start of the first span: millennia before all schedules.
    pub const FIRST: Self = Self(i64::MIN);
    /// What follows the last span.
    pub const END: Self = Self(i64::MAX);

    /// Returns the start of a span, given the place of its offset.
    #[must_use]
    pub const fn new(instant: i64, offset: u16) -> Self {
        Self(instant << OFFSET_BITS | offset as i64)
    }

    #[inline(always)]
    const fn instant(self) -> i64 {
        self.0 >> OFFSET_BITS
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the lowest bits")]
    const fn offset(self) -> usize {
        self.0 as u16 as usize
    }
}

/// Returns the buckets of the starts of some spans.
const fn buckets(starts: &[Start]) -> Buckets {
    let mut buckets = [0; BUCKETS];
    let mut span = 0;
    let mut first = FIRST;
    let mut bucket = 0;
    while bucket < BUCKETS {
        while starts[span as usize + 1].instant() <= first {
            span += 1;
        }
        buckets[bucket] = span;
        bucket += 1;
        first += 1 << SHIFT;
    }
    buckets
}

impl<'a> Spans<'a> {
    /// Returns the span that contains an instant; `None` if its bucket has two changes or more, or if the
    /// instant is in no bucket.
    #[inline(always)]
    pub(super) fn at(self, instant: i64) -> Option<OffsetSpan> {
        let first = self.first_in_bucket(instant)?;
        let starts = self.starts.get(first..first + 3)?;
        // Without a branch: half of the buckets have one change.
        let change = usize::from(starts[1].instant() <= instant);
        let (start, end) = (starts[change], starts[change + 1].instant());
        let offset = self.offsets[start.offset()];
        (instant < end).then_some(OffsetSpan { offset, start: start.instant(), end })
    }

    /// Returns the span that contains an instant.
    pub(super) fn find(self, instant: i64) -> OffsetSpan {
        let span = self.index(instant);
        let (start, end) = (self.starts[span], self.starts[span + 1].instant());
        OffsetSpan { offset: self.offsets[start.offset()], start: start.instant(), end }
    }

    /// Returns the changes after an instant, each with the offset after it.
    #[inline]
    pub(super) fn changes_after(self, instant: i64) -> impl Iterator<Item = (i64, i64)> + use<'a> {
        let next = self.index(instant) + 1;
        let changes = self.starts[next..].iter().take_while(|start| start.instant() <= LAST);
        changes.map(move |start| (start.instant(), self.offsets[start.offset()].into()))
    }

    /// Returns the index of the span that contains an instant.
    fn index(self, instant: i64) -> usize {
        let instant = clamped(instant);
        let mut span = self.first_in_bucket(instant).unwrap_or(0);
        while self.starts[span + 1].instant() <= instant {
            span += 1;
        }
        span
    }

    /// Returns the index of a span that contains an instant, or of one before it in the same bucket; `None`
    /// if the instant is in no bucket.
    #[inline(always)]
    fn first_in_bucket(self, instant: i64) -> Option<usize> {
        let bucket = instant.wrapping_sub(FIRST).cast_unsigned() >> SHIFT;
        self.buckets.get(bucket as usize).map(|first| usize::from(*first))
    }
}

/// Spans of a zone that was compiled.
#[derive(Debug)]
pub struct CompiledSpans {
    buckets: Buckets,
    starts: &'static [Start],
    offsets: &'static [i32],
}

impl CompiledSpans {
    /// Returns the spans that begin at `starts`, of which the first is [`Start::FIRST`], and the last two are
    /// [`Start::END`].
    #[must_use]
    pub const fn new(starts: &'static [Start], offsets: &'static [i32]) -> Self {
        Self { buckets: buckets(starts), starts, offsets }
    }

    #[inline(always)]
    pub(super) const fn spans(&self) -> Spans<'_> {
        let Self { buckets, starts, offsets } = self;
        Spans { buckets, starts, offsets }
    }
}

/// Spans that were listed at run time.
#[cfg(feature = "alloc")]
pub(super) struct OwnedSpans {
    buckets: Buckets,
    starts: Vec<Start>,
    offsets: Vec<i32>,
}

#[cfg(feature = "alloc")]
impl OwnedSpans {
    /// Lists the changes after [`FIRST`], each with the offset after it.
    pub(super) fn new(offset: i32, changes: impl Iterator<Item = (i64, i32)>) -> Self {
        let mut starts = Vec::with_capacity(256);
        starts.push(Start::FIRST);
        let mut offsets = Vec::new();
        offsets.push(offset);
        let mut last = offset;
        let most = usize::from(u16::MAX);
        for (at, offset) in changes.take_while(|(at, _)| *at <= LAST).take(most) {
            if offset == last {
                continue;
            }
            last = offset;
            let place = offsets.iter().position(|it| *it == offset).unwrap_or(offsets.len());
            if place == offsets.len() {
                offsets.push(offset);
            }
            starts.extend(u16::try_from(place).map(|place| Start::new(at, place)));
        }
        starts.extend([Start::END; 2]);
        starts.shrink_to_fit();
        Self { buckets: buckets(&starts), starts, offsets }
    }

    #[inline(always)]
    pub(super) fn spans(&self) -> Spans<'_> {
        let Self { buckets, starts, offsets } = self;
        Spans { buckets, starts, offsets }
    }
}
