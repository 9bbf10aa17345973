//! Time zones: what a schedule's civil time is on the line of instants.
//!
//! - [`Zone`] tells the offset of the clocks from UTC;
//! - `policy` is what becomes of an event where they change;
//! - `search` finds events between instants, with two look-ups of offsets at the most
//!   where no change is near;
//! - `pieces` cuts a range where the clocks change, to count without enumerating;
//! - `clock` asks and walks on behalf of a [`Moment`](crate::Moment);
//! - [`ZonedSchedule`] is a schedule, a zone and a policy.

mod occurrence;
mod pieces;
mod policy;
mod scale;
mod schedule;
mod search;

pub use occurrence::{Occurrence, Resolution};
pub use policy::{Fold, Gap};
pub use scale::ZoneScale;
pub use schedule::ZonedSchedule;

/// The longest that one change sets the clocks forward or back, in milliseconds.
pub(crate) const DAY: i64 = 86_400_000;

/// What lies between two changes at the least, in milliseconds.
const APART: i64 = 6 * DAY;

/// The clocks of a place: how far they are from UTC.
///
/// It is implemented for the zones of other crates, each with the feature of the
/// crate's name: `jiff::tz::TimeZone`, `time::UtcOffset`, and `ChronoZone`, which
/// holds any `chrono::TimeZone`. One's own takes one function.
///
/// Instants are milliseconds since 1970-01-01 00:00:00 UTC, civil times
/// milliseconds since 1970-01-01 00:00:00 on the clocks of the place, and offsets
/// the milliseconds that these clocks are ahead of UTC: an instant and its offset
/// add up to its civil time.
///
/// Questions come for instants and civil times from December 1999 to January
/// 2101. In this time the clocks are to be less than a day ahead of UTC or behind it,
/// and to be set by a day at the most, and two changes are to be more than six days
/// apart. This is so for all zones of the IANA time zone database, in which a week
/// less an hour is the least. A zone that does otherwise
/// has wrong answers around such a change, but no panic.
///
/// ```
/// use millicron::{Schedule, Zone, schedule};
///
/// /// Three hours ahead of UTC, from 2030-01-01 00:00 UTC on five.
/// #[derive(Clone, Copy)]
/// struct Island;
///
/// const CHANGE: i64 = 1_893_456_000_000;
///
/// impl Zone for Island {
///     fn offset_at(&self, instant: i64) -> i32 {
///         if instant < CHANGE { 3 * 3_600_000 } else { 5 * 3_600_000 }
///     }
/// }
///
/// // The clocks skipped from 03:00 to 05:00.
/// const FOUR: Schedule = schedule!("2030.1.1 4:00:00");
/// assert_eq!(FOUR.in_zone(Island).next_event(0_i64), Some(CHANGE));
/// ```
#[diagnostic::on_unimplemented(
    message = "a schedule can not be asked by the clocks of `{Self}`",
    label = "not a zone",
    note = "a zone is, with the features `jiff`, `time` and `chrono`, a `jiff::tz::TimeZone`, a \
            `time::UtcOffset`, any `chrono::TimeZone` as `millicron::ChronoZone(zone)`, or a type \
            of your own"
)]
pub trait Zone {
    /// The offset at an instant.
    fn offset_at(&self, instant: i64) -> i32;

    /// The offsets at which the clocks show a civil time.
    ///
    /// The default asks for the offsets well before and after, between which there
    /// is one change at the most, and tries both.
    fn offsets_of(&self, civil: i64) -> Offsets {
        let before = self.offset_at(civil.saturating_sub(2 * DAY));
        let after = self.offset_at(civil.saturating_add(2 * DAY));
        if before == after {
            return Offsets::One(before);
        }
        let shows_it = |offset: i32| self.offset_at(civil.saturating_sub(offset.into())) == offset;
        match (shows_it(before), shows_it(after)) {
            (true, true) => Offsets::Fold { before, after },
            (true, false) => Offsets::One(before),
            (false, true) => Offsets::One(after),
            (false, false) => Offsets::Gap { before, after },
        }
    }

    /// The first instant that is later than `after`, but not than `until`, and at
    /// which the clocks change: whose offset is another than that of the
    /// millisecond before.
    ///
    /// It is asked for within a day of a change, and to count the events of a
    /// range. The default looks at every sixth day of the range; a zone that knows
    /// its changes can do better.
    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        let mut start = after;
        let offset = self.offset_at(start);
        while start < until {
            let end = start.saturating_add(APART).min(until);
            if self.offset_at(end) != offset {
                return Some(first_where(start, end, |instant| self.offset_at(instant) != offset));
            }
            start = end;
        }
        None
    }
}

/// The first number after `start` where something is true, which it is not at
/// `start`, but at `end` and between the two from some number on.
fn first_where(start: i64, end: i64, is_true: impl Fn(i64) -> bool) -> i64 {
    let (mut start, mut end) = (start, end);
    while end - start > 1 {
        let middle = start.midpoint(end);
        if is_true(middle) {
            end = middle;
        } else {
            start = middle;
        }
    }
    end
}

/// Forwards every question through a pointer.
macro_rules! forwarded {
    ($($(#[$attribute:meta])* $pointer:ty),*) => {
        $($(#[$attribute])*
        #[diagnostic::do_not_recommend]
        impl<Z: Zone + ?Sized> Zone for $pointer {
            #[inline]
            fn offset_at(&self, instant: i64) -> i32 {
                Z::offset_at(self, instant)
            }

            #[inline]
            fn offsets_of(&self, civil: i64) -> Offsets {
                Z::offsets_of(self, civil)
            }

            #[inline]
            fn next_change(&self, after: i64, until: i64) -> Option<i64> {
                Z::next_change(self, after, until)
            }
        })*
    };
}

forwarded! {
    &Z,
    #[cfg(feature = "alloc")]
    alloc::boxed::Box<Z>,
    #[cfg(feature = "alloc")]
    alloc::sync::Arc<Z>
}

/// The offsets at which the clocks of a [`Zone`] show a civil time, in
/// milliseconds ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "once, never or twice")]
pub enum Offsets {
    /// They show it once.
    One(i32),
    /// They never show it: they were set forward over it.
    Gap {
        /// The offset before the change.
        before: i32,
        /// The offset after the change, the larger one.
        after: i32,
    },
    /// They show it twice: they were set back over it.
    Fold {
        /// The offset before the change, with which they show it first.
        before: i32,
        /// The offset after the change, the smaller one.
        after: i32,
    },
}
