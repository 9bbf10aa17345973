//! [`Spans`]: the data of a zone's table.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::zone::{FIRST, LAST, OffsetSpan};

/// The width of a bucket, as a power of two in milliseconds: 199 days. Most zones change their clocks
/// twice a year, so few buckets have more than two changes.
const SHIFT: u32 = 34;

const BUCKETS: usize = ((LAST - FIRST) >> SHIFT) as usize + 1;

/// For each bucket, the index of the span that contains its first millisecond.
type Buckets = [u16; BUCKETS];

/// The periods of constant offset, in order.
#[derive(Clone, Copy)]
pub(super) struct Spans<'a> {
    buckets: &'a Buckets,
    /// The first instant of each span, [`i64::MIN`] for the first span; then three times [`i64::MAX`], so
    /// that three elements follow any span.
    starts: &'a [i64],
    /// For each span, where its offset is in `offsets`, and twice any index: a zone has few offsets, and
    /// the indices take half of their size.
    kinds: &'a [u16],
    offsets: &'a [i32],
}

/// Returns the buckets of the first instants of some spans.
const fn buckets(starts: &[i64]) -> Buckets {
    let mut buckets = [0; BUCKETS];
    let mut span = 0;
    let mut first = FIRST;
    let mut bucket = 0;
    while bucket < BUCKETS {
        while starts[span as usize + 1] <= first {
            span += 1;
        }
        buckets[bucket] = span;
        bucket += 1;
        first += 1 << SHIFT;
    }
    buckets
}

impl<'a> Spans<'a> {
    /// Returns the span that contains an instant; `None` if its bucket has three changes or more.
    #[inline(always)]
    pub(super) fn at(self, instant: i64) -> Option<OffsetSpan> {
        let instant = instant.clamp(FIRST, LAST);
        let first = self.first_in_bucket(instant);
        let starts = self.starts[first..].first_chunk::<4>()?;
        let kinds = self.kinds[first..].first_chunk::<3>()?;
        // Without a branch: most buckets have one or two changes.
        let change = usize::from(starts[1] <= instant) + usize::from(starts[2] <= instant);
        let (start, end) = (starts[change], starts[change + 1]);
        let offset = self.offsets[usize::from(kinds[change])];
        (instant < end).then_some(OffsetSpan { offset, start, end })
    }

    /// Returns the span that contains an instant.
    pub(super) fn find(self, instant: i64) -> OffsetSpan {
        let span = self.index(instant);
        let (start, end) = (self.starts[span], self.starts[span + 1]);
        OffsetSpan { offset: self.offset(span), start, end }
    }

    /// Returns the changes after an instant, each with the offset after it.
    #[inline]
    pub(super) fn changes_after(self, instant: i64) -> impl Iterator<Item = (i64, i64)> + use<'a> {
        let next = self.index(instant) + 1;
        let starts = self.starts[next..].iter().copied();
        // Its end has the elements that follow all spans.
        let starts = starts.take_while(|start| *start < i64::MAX);
        let offset = move |kind: &u16| self.offsets[usize::from(*kind)].into();
        starts.zip(self.kinds[next..].iter().map(offset))
    }

    /// Returns the index of the span that contains an instant.
    fn index(self, instant: i64) -> usize {
        let instant = instant.clamp(FIRST, LAST);
        let mut span = self.first_in_bucket(instant);
        while self.starts[span + 1] <= instant {
            span += 1;
        }
        span
    }

    /// Returns the index of a span that contains an instant, or of one before it in the same bucket.
    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "the instant is in the range")]
    fn first_in_bucket(self, instant: i64) -> usize {
        self.buckets[((instant - FIRST) >> SHIFT) as usize].into()
    }

    fn offset(self, span: usize) -> i32 {
        self.offsets[usize::from(self.kinds[span])]
    }
}

/// Spans of a zone that was compiled.
#[derive(Debug)]
pub struct CompiledSpans {
    buckets: Buckets,
    starts: &'static [i64],
    kinds: &'static [u16],
    offsets: &'static [i32],
}

impl CompiledSpans {
    /// Returns spans as described in [`Spans`].
    #[must_use]
    pub const fn new(
        starts: &'static [i64],
        kinds: &'static [u16],
        offsets: &'static [i32],
    ) -> Self {
        Self { buckets: buckets(starts), starts, kinds, offsets }
    }

    #[inline(always)]
    pub(super) const fn spans(&self) -> Spans<'_> {
        let Self { buckets, starts, kinds, offsets } = self;
        Spans { buckets, starts, kinds, offsets }
    }
}

/// Spans that were listed at run time.
#[cfg(feature = "alloc")]
pub(super) struct OwnedSpans {
    buckets: Buckets,
    starts: Vec<i64>,
    kinds: Vec<u16>,
    offsets: Vec<i32>,
}

#[cfg(feature = "alloc")]
impl OwnedSpans {
    /// Lists the changes after [`FIRST`], each with the offset after it.
    pub(super) fn new(offset: i32, changes: impl Iterator<Item = (i64, i32)>) -> Self {
        let (mut starts, mut kinds) = (Vec::with_capacity(256), Vec::with_capacity(256));
        let mut offsets = Vec::new();
        let mut last = None;
        let most = usize::from(u16::MAX) - 1;
        let changes = changes.take_while(|(at, _)| *at <= LAST).take(most);
        for (at, offset) in core::iter::once((i64::MIN, offset)).chain(changes) {
            if last == Some(offset) {
                continue;
            }
            last = Some(offset);
            let kind = offsets.iter().position(|it| *it == offset).unwrap_or_else(|| {
                offsets.push(offset);
                offsets.len() - 1
            });
            starts.push(at);
            kinds.extend(u16::try_from(kind));
        }
        starts.extend([i64::MAX; 3]);
        kinds.extend([0; 2]);
        starts.shrink_to_fit();
        kinds.shrink_to_fit();
        Self { buckets: buckets(&starts), starts, kinds, offsets }
    }

    #[inline(always)]
    pub(super) fn spans(&self) -> Spans<'_> {
        let Self { buckets, starts, kinds, offsets } = self;
        Spans { buckets, starts, kinds, offsets }
    }
}
