//! [`ZoneTable`]: the offsets of a zone, listed once.
#![expect(clippy::inline_always, reason = "a search looks a span up first of all")]

#[cfg(all(feature = "std", any(feature = "jiff", feature = "jiff-02", feature = "chrono-tz")))]
mod cache;
mod spans;

use core::fmt;

#[cfg(all(
    feature = "std",
    any(feature = "jiff", feature = "jiff-02", feature = "chrono-tz")
))]
pub(crate) use cache::TableCache;
#[cfg(feature = "alloc")]
use spans::OwnedSpans;
use spans::Spans;
pub use spans::{CompiledSpans, Start};

#[cfg(feature = "alloc")]
use super::FIRST;
use super::{LAST, OffsetSpan, Offsets, Zone};

/// A table of the offsets of a zone from 2000 to 2100, which finds them by arithmetic. It takes 1
/// to 3 KiB, shared by all clones.
///
/// [`Schedule::in_zone`](crate::Schedule::in_zone) asks each zone for its [table](Zone::table).
/// With the feature `std`, a `jiff::tz::TimeZone` and a `ChronoZone` of `chrono-tz` have a table,
/// created when the zone is first used and kept until the program ends. If the offsets of another
/// zone never change, create a table of them and pass it in place of that zone.
///
/// ```
/// use millicron::{Schedule, Zone, ZoneTable, schedule};
///
/// /// Two hours ahead of UTC from April to September, and one hour otherwise.
/// struct Halves;
///
/// impl Zone for Halves {
///     fn offset_at(&self, instant: i64) -> i32 {
///         const SUMMER: Schedule = schedule!("*.4-9.* *:*:*.*");
///         let is_summer = SUMMER.matches(instant + 3_600_000);
///         if is_summer { 7_200_000 } else { 3_600_000 }
///     }
/// }
///
/// const NOON: Schedule = schedule!("12:00:00");
/// let table = ZoneTable::new(&Halves);
/// let (one, other) = (NOON.in_zone(Halves), NOON.in_zone(table));
/// let july = 1_783_900_800_000; // 2026-07-13 00:00:00 UTC
/// assert_eq!(other.next_event(july), one.next_event(july));
/// ```
#[derive(Clone)]
pub struct ZoneTable(Handle);

#[derive(Clone)]
enum Handle {
    Compiled(&'static CompiledSpans),
    #[cfg(feature = "alloc")]
    Shared(alloc::sync::Arc<OwnedSpans>),
}

#[cfg(feature = "alloc")]
impl ZoneTable {
    /// Lists the offsets of a zone from 2000 to 2100, or shares the [table](Zone::table) that the
    /// zone has.
    ///
    /// If a zone does not know its [changes](Zone::next_change), this looks up the offset of every
    /// sixth day, which takes 0.1 to 0.5 ms.
    pub fn new(zone: &(impl Zone + ?Sized)) -> Self {
        zone.table().map_or_else(|| Self::listed(zone), Self::clone)
    }

    /// Lists the offsets of a zone, whether or not it has a table.
    pub(crate) fn listed(zone: &(impl Zone + ?Sized)) -> Self {
        let mut at = FIRST;
        let changes = core::iter::from_fn(|| {
            at = zone.next_change(at, LAST).filter(|change| *change > at)?;
            Some((at, zone.offset_at(at)))
        });
        Self::from_changes(zone.offset_at(FIRST), changes)
    }

    /// Creates a table from the offset at [`FIRST`] and later changes, each with the offset after
    /// it.
    pub(crate) fn from_changes(offset: i32, changes: impl Iterator<Item = (i64, i32)>) -> Self {
        Self(Handle::Shared(alloc::sync::Arc::new(OwnedSpans::new(offset, changes))))
    }
}

#[diagnostic::do_not_recommend]
impl Zone for ZoneTable {
    #[inline]
    fn offset_at(&self, instant: i64) -> i32 {
        self.span_at(instant).offset
    }

    #[inline]
    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        Some(self.span_at(instant))
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        let end = self.span_at(after).end;
        (end <= until.min(LAST)).then_some(end)
    }
}

impl ZoneTable {
    /// Returns the table of a compiled zone.
    pub(super) const fn compiled(spans: &'static CompiledSpans) -> Self {
        Self(Handle::Compiled(spans))
    }

    /// Returns the clock changes after an instant, each with the offset after it.
    #[inline]
    pub(super) fn changes_after(&self, instant: i64) -> impl Iterator<Item = (i64, i64)> {
        self.spans().changes_after(instant)
    }

    #[inline(always)]
    fn span_at(&self, instant: i64) -> OffsetSpan {
        match self.spans().at(instant) {
            Some(span) => span,
            None => self.find_span(instant),
        }
    }

    #[cold]
    fn find_span(&self, instant: i64) -> OffsetSpan {
        self.spans().find(instant)
    }

    #[inline(always)]
    fn spans(&self) -> Spans<'_> {
        match &self.0 {
            Handle::Compiled(spans) => spans.spans(),
            #[cfg(feature = "alloc")]
            Handle::Shared(spans) => spans.spans(),
        }
    }
}

/// A zone and, if it has one, the table that answers in its place.
#[derive(Debug)]
pub(super) struct TabledZone<'a, Z> {
    pub(super) zone: &'a Z,
    pub(super) table: Option<&'static ZoneTable>,
}

impl<Z> Clone for TabledZone<'_, Z> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Z> Copy for TabledZone<'_, Z> {}

impl<Z: Zone> TabledZone<'_, Z> {
    /// Returns the [span](Zone::offset_span) around an instant, for searches that must be fast.
    #[inline(always)]
    pub(super) fn span(&self, instant: i64) -> Option<OffsetSpan> {
        match self.table {
            Some(table) => Some(table.span_at(instant)),
            None => self.zone.offset_span(instant),
        }
    }
}

impl<Z: Zone> Zone for TabledZone<'_, Z> {
    #[inline]
    fn offset_at(&self, instant: i64) -> i32 {
        match self.table {
            Some(table) => table.offset_at(instant),
            None => self.zone.offset_at(instant),
        }
    }

    #[inline]
    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        match self.table {
            Some(table) => table.offset_span(instant),
            None => self.zone.offset_span(instant),
        }
    }

    #[inline]
    fn offsets_of(&self, civil: i64) -> Offsets {
        match self.table {
            Some(table) => table.offsets_of(civil),
            None => self.zone.offsets_of(civil),
        }
    }

    #[inline]
    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        match self.table {
            Some(table) => table.next_change(after, until),
            None => self.zone.next_change(after, until),
        }
    }
}

impl fmt::Debug for ZoneTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZoneTable").finish_non_exhaustive()
    }
}
