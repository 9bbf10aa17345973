//! Time zones: schedules in local time.
//!
//! A [`Schedule`](crate::Schedule) is in civil time. There are two ways to read it in the local time of a
//! zone:
//!
//! - Pass a moment that carries its zone, such as `jiff::ZonedDateTime` or `chrono::DateTime<Tz>`. The
//!   answer is in the same zone.
//! - Combine the schedule with a zone by [`Schedule::in_zone`](crate::Schedule::in_zone), and pass
//!   any [`Instant`](crate::Instant). The result is a [`ZonedSchedule`], which also lets you choose
//!   what happens when the clocks change.
//!
//! ```
//! # #[cfg(feature = "jiff")] {
//! use jiff::{ZonedDateTime, tz::TimeZone};
//! use millicron::{Schedule, schedule};
//!
//! const OPENING: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
//!
//! // The zone comes with the moment.
//! let friday: ZonedDateTime = "2026-03-06T18:00:00-05:00[America/New_York]".parse()?;
//! let monday: ZonedDateTime = "2026-03-09T09:30:00-04:00[America/New_York]".parse()?;
//! assert_eq!(OPENING.next_event(&friday), Some(monday.clone()));
//!
//! // The zone belongs to the schedule; instants may be in any other zone.
//! let opening = OPENING.in_zone(TimeZone::get("America/New_York")?);
//! assert_eq!(opening.next_event(friday.timestamp()), Some(monday.timestamp()));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Gaps and folds
//!
//! When the clocks are set forward, some civil times do not exist: a *gap*. When they are set back,
//! some occur twice: a *fold*. By default, an event at a fixed time, such as `2:30:00`, fires
//! exactly once on such a day, and a schedule that repeats, such as `*:*/15:00`, keeps its pace in
//! real time. [`ZonedSchedule`] has the exact rules, [`Gap`] and [`Fold`] are the choices, and
//! [`ZonedSchedule::occurrence`] reports how an event was resolved:
//!
//! ```
//! # #[cfg(feature = "jiff")] {
//! use jiff::{ZonedDateTime, tz::TimeZone};
//! use millicron::{Gap, Resolution, Schedule, schedule};
//!
//! const BACKUP: Schedule = schedule!("2:30:00");
//! let backup = BACKUP.in_zone(TimeZone::get("Europe/Berlin")?);
//!
//! // On 2026-03-29, the clocks go from 02:00 to 03:00.
//! let midnight: ZonedDateTime = "2026-03-29T00:00:00[Europe/Berlin]".parse()?;
//! let event = backup.next_event(&midnight).expect("an event on each day");
//! assert_eq!(event.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
//!
//! let occurrence = backup.occurrence(&event).expect("an event");
//! assert_eq!(occurrence.resolution, Resolution::Shifted);
//! assert_eq!(occurrence.civil.to_string(), "2026-03-29 02:30:00.000");
//!
//! // Or not at all on that day.
//! let strict = backup.with_gap(Gap::Skip);
//! let event = strict.next_event(&midnight).expect("an event on most days");
//! assert_eq!(event.to_string(), "2026-03-30T02:30:00+02:00[Europe/Berlin]");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Examples around clock changes
//!
//! In Berlin, the clocks go from 02:00 to 03:00 on 29 March 2026, and from 03:00 back to 02:00 on
//! 25 October. In Havana, they went from 00:00 to 01:00 on 9 March 2025, and from 01:00 back to 00:00
//! on 2 November 2025. "03:00 for 02:30" means that the event at 02:30 fires at 03:00; "first" and
//! "second" are the passes of a fold. [`ZonedSchedule::surprises`] lists such events of your own schedules
//! before they happen.
//!
//! **A list that starts with 0 may repeat.** `0,18` is the same set as `*/18`, because 36 is beyond
//! the day, so the schedule repeats. `0,11` is not `*/11`, which also contains 22, so its times are
//! fixed. A list of two values therefore repeats from `0,12` on for hours, from `0,30` on for
//! minutes and seconds, and from `0,500` on for milliseconds.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `2:0,40:00` | Berlin, October | 02:00 first, 02:40 first, 02:00 second, 02:40 second |
//! | `2:0,20:00` | Berlin, October | 02:00 first, 02:20 first |
//! | `2:0,40:00` | Berlin, March | 03:00 for 02:00 |
//! | `0,18:30:00` | Havana, November | 00:30 first, 00:30 second |
//! | `0,11:30:00` | Havana, November | 00:30 first |
//! | `0,12:30:00` | Havana, March | 01:00 for 00:30 |
//!
//! **A range that is nearly full has fixed times.** `0-23` is `*`, but `0-22` and `1-23` are
//! ranges. An event in a gap fires even if the next event is near, and the second pass of a fold
//! has no events, so two hours pass without one.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `0-22:30:00` | Berlin, March | 00:30, 01:30, 03:00 for 02:30, 03:30, 04:30 |
//! | `0-23:30:00` | Berlin, March | 00:30, 01:30, 03:30, 04:30 |
//! | `0-22:30:00` | Berlin, October | 00:30, 01:30, 02:30 first, 03:30, 04:30 |
//! | `1-23:30:00` | Berlin, October | 01:30, 02:30 first, 03:30, 04:30 |
//! | `0-23:30:00` | Berlin, October | 00:30, 01:30, 02:30 first, 02:30 second, 03:30, 04:30 |
//!
//! **[`Gap::Bridge`] measures from the first instant after the gap**, not from the event in the
//! gap, and "less than" is strict. After a gap of an hour, the next event replaces those in the gap
//! if it is at most 59 minutes and 59.999 seconds after the end of the gap.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `*:59:00` | Berlin, March | 00:59, 01:59, 03:59, 04:59 |
//! | `*/2:00:00` | Berlin, March | 00:00, 03:00 for 02:00, 04:00 |
//! | `2:*/15:00` | Berlin, March | 03:00 for 02:00 |
//!
//! **A clock change affects a long step in one of two ways.** If no event is in the gap or the
//! fold, the change makes one step shorter or longer. If an event is there, the step is split: in a
//! gap, the event moves to the end of the gap, and in a fold, it fires twice.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `*/4:00:00` | Berlin, March | 00:00, 04:00 |
//! | `*/4:00:00` | Berlin, October | 00:00, 04:00 |
//! | `*/2:30:00` | Berlin, March | 00:30, 03:00 for 02:30, 04:30 |
//! | `*/2:30:00` | Berlin, October | 00:30, 02:30 first, 02:30 second, 04:30 |
//!
//! **Of several events on the same instant, only one fires**: the event at that civil time or, if
//! there is none, the first event in the gap. [`ZonedSchedule::occurrence`] reports it.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `2:10,20:00` | Berlin, March | 03:00 for 02:10 |
//! | `2,3:00:00` | Berlin, March | 03:00 |
//! | `1-3:30:00` | Berlin, March | 01:30, 03:00 for 02:30, 03:30 |
//!
//! **A window repeats**, whatever its step, unless it has just one event. Its bounds are local times: events in a gap can fire
//! after the end of the window, and a window that ends within a fold is open twice. This also
//! applies across midnight.
//!
//! | schedule | clocks | events from midnight to 05:00 |
//! | --- | --- | --- |
//! | `1:00:00..4:00:00/30m` | Berlin, March | 01:00, 01:30, 03:00, 03:30 |
//! | `1:00:00..4:00:00/1h` | Berlin, October | 01:00, 02:00 first, 02:00 second, 03:00 |
//! | `22:00:00..02:30:00/1h` | Berlin, March | 00:00, 01:00, 03:00 for 02:00 |
//! | `22:00:00..02:30:00/15m` | Berlin, October | 00:00, 00:15, 00:30, 00:45, 01:00, 01:15, 01:30, 01:45, 02:00 first, 02:15 first, 02:00 second, 02:15 second |
//! | `22:00:00..03:00:00/45m` | Havana, March | 01:00, 01:45, 02:30 |
//! | `23:15:00..00:45:00/45m` | Havana, March | 01:00 for 00:00 |
//! | `22:00:00..02:00:00/30m` | Havana, November | 00:00 first, 00:30 first, 00:00 second, 00:30 second, 01:00, 01:30 |
//!
//! **A gap can take a whole day.** In Apia, Thursday, 29 December 2011, was followed by Saturday,
//! 31 December. The events of that Friday fire once, at midnight on Saturday, or not at all if the
//! schedule [bridges](Gap::Bridge) the gap and has another event within 24 hours.
//!
//! | schedule | clocks | events from Thursday to Saturday |
//! | --- | --- | --- |
//! | `12:00:00` | Apia | Thu 12:00, Sat 00:00 for Fri 12:00, Sat 12:00 |
//! | `0:00:00` | Apia | Thu 00:00, Sat 00:00 |
//! | `*/12:00:00` | Apia | Thu 00:00, Thu 12:00, Sat 00:00, Sat 12:00 |
//! | `*.*.* Fri 12:00:00` | Apia | Sat 00:00 for Fri 12:00 |
//! | `*.*.* Mon-Fri */8:00:00` | Apia | Thu 00:00, Thu 08:00, Thu 16:00, Sat 00:00 for Fri 00:00 |
//! | `*.*.* Thu 22:00:00..06:00:00/1h` | Apia | Thu 22:00, Thu 23:00, Sat 00:00 for Fri 00:00 |
//! | `*.*.* Fri 22:00:00..02:00:00/1h` | Apia | Sat 00:00, Sat 01:00 |
//!
//! # Local times
//!
//! | you have | you want | write |
//! | --- | --- | --- |
//! | a local time and a zone | events as `jiff::ZonedDateTime` | `schedule.next_event((civil, &zone))` |
//! | a local time and a zone | events as `chrono::DateTime<Tz>` | `schedule.next_event((naive, zone))` |
//! | the same and a [`ZonedSchedule`] | the same | `zoned.next_event((civil, zoned.zone()))` |
//! | an instant and a [`ZonedSchedule`] | the local time | [`zoned.local_time(instant)`](ZonedSchedule::local_time) |
//! | that local time | a civil type from another crate | `DateTime::try_from(digits)` |
//!
//! A local time in a fold refers to the first pass. A local time in a gap lies between the last
//! millisecond before the gap and the first one after it: it is not an event, and the next event is
//! at or after the end of the gap.
//!
//! ```
//! # #[cfg(feature = "jiff")] {
//! use jiff::civil::{DateTime, date};
//! use jiff::tz::TimeZone;
//! use millicron::{Schedule, schedule};
//!
//! const NIGHTLY: Schedule = schedule!("2:30:00");
//! let berlin = TimeZone::get("Europe/Berlin")?;
//!
//! let evening: DateTime = date(2026, 7, 1).at(18, 0, 0, 0);
//! let next = NIGHTLY.next_event((evening, &berlin)).expect("an event each night");
//! assert_eq!(next.to_string(), "2026-07-02T02:30:00+02:00[Europe/Berlin]");
//!
//! let nightly = NIGHTLY.in_zone(berlin);
//! let local = DateTime::try_from(nightly.local_time(&next))?;
//! assert_eq!(local, date(2026, 7, 2).at(2, 30, 0, 0));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In configuration files
//!
//! The text of a [`ZonedSchedule`] is the text of its schedule, followed by the name of the zone.
//! The zone's type must implement [`NamedZone`]. With the feature `serde`, files contain the same
//! text.
//!
//! ```
//! # #[cfg(feature = "jiff")] {
//! use jiff::{ZonedDateTime, tz::TimeZone};
//! use millicron::ZonedSchedule;
//!
//! let opening: ZonedSchedule<TimeZone> = "*.*.* Mon-Fri 09:30:00 America/New_York".parse()?;
//!
//! let friday: ZonedDateTime = "2026-03-06T18:00:00-05:00[America/New_York]".parse()?;
//! let monday: ZonedDateTime = "2026-03-09T09:30:00-04:00[America/New_York]".parse()?;
//! assert_eq!(opening.next_event(&friday), Some(monday));
//! assert_eq!(opening.to_string(), "*.*.* 1-5 09:30:00 America/New_York");
//!
//! let error = "09:30:00 new_york".parse::<ZonedSchedule<TimeZone>>().unwrap_err();
//! assert_eq!(error.to_string(), "unknown time zone `new_york`: write `America/New_York`");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In literals
//!
//! With the feature `zones`, a literal may end with the name of its zone, which the compiler looks up in the
//! IANA database. The rules are then in the program: see [`StaticZone`], and [`zone!`](crate::zone!) for a
//! zone of several schedules.
//!
//! ```
//! # #[cfg(feature = "zones")] {
//! use millicron::{StaticZone, ZonedSchedule, schedule};
//!
//! const OPEN: ZonedSchedule<StaticZone> = schedule!("*.*.* Mon-Fri 09:30:00 America/New_York");
//! assert_eq!(OPEN.next_event(1_772_820_000_000), Some(1_773_063_000_000));
//! # }
//! ```
//!
//! # Which zones
//!
//! `jiff::tz::TimeZone`, `time::UtcOffset` and [`StaticZone`] implement [`Zone`]. Wrap `chrono` zones in
//! `ChronoZone`, including those of `chrono-tz`, which can be found by name with the feature
//! `chrono-tz`. To use another source of offsets, implement [`Zone`], which requires one method.
//! `&Z`, `Box<Z>` and `Arc<Z>` are zones if `Z` is.
//!
//! Results for the past and the future depend on the zone's own data: rules change, and the offset
//! of a civil time years ahead is a prediction.

mod count;
mod description;
pub(crate) mod local_time;
mod named;
mod occurrence;
mod policy;
mod schedule;
mod search;
pub(crate) mod static_zone;
mod surprises;
pub(crate) mod table;
mod text;
mod timescale;
mod union;
pub(crate) mod walk;

use millicron_runtime::calendar::MILLIS_PER_DAY;
pub(crate) use millicron_runtime::{FIRST_INSTANT as FIRST, LAST_INSTANT as LAST};

pub use description::ZonedDescription;
pub(crate) use local_time::ZoneScale;
pub use named::NamedZone;
pub use occurrence::{Occurrence, Resolution};
pub use policy::{Fold, Gap};
pub use schedule::{ZonedEvents, ZonedSchedule};
#[cfg(any(feature = "jiff", feature = "jiff-02", feature = "chrono"))]
pub(crate) use search::instant_of;
pub use static_zone::StaticZone;
pub use surprises::{ClockChange, ClockEffect, Pass, Surprise, Surprises};
#[cfg(all(
    feature = "std",
    any(feature = "jiff", feature = "jiff-02", feature = "chrono-tz")
))]
pub(crate) use table::TableCache;
pub use table::ZoneTable;
#[cfg(feature = "alloc")]
pub use text::nearest_zones;

/// The largest clock change, in milliseconds.
pub(crate) const DAY: i64 = MILLIS_PER_DAY;

/// The shortest distance between two clock changes, in milliseconds.
const APART: i64 = 6 * DAY;

/// Returns the nearest instant that is looked up in a zone.
#[inline(always)]
pub(crate) fn clamped(instant: i64) -> i64 {
    const LENGTH: u64 = (LAST - FIRST).cast_unsigned();

    #[cold]
    fn end(instant: i64) -> i64 {
        instant.clamp(FIRST, LAST)
    }

    // Nearly all instants are inside, and one comparison shows it.
    if instant.wrapping_sub(FIRST).cast_unsigned() <= LENGTH { instant } else { end(instant) }
}

/// A time zone: the offset of local time from UTC at every instant.
///
/// The zones of date-time crates implement it with the feature named after the crate:
/// `jiff::tz::TimeZone`, `time::UtcOffset`, and `ChronoZone` around any `chrono::TimeZone`. Your
/// own type needs one method.
///
/// Instants are milliseconds since 1970-01-01 00:00:00 UTC, civil times are milliseconds since
/// 1970-01-01 00:00:00 local time, and offsets are the milliseconds by which local time is ahead of
/// UTC: civil time = instant + offset.
///
/// # Contract
///
/// Queries use instants and civil times from December 1999 to January 2101. Within these years,
/// offsets must be less than a day, a clock change must be at most a day, and two clock changes
/// must be more than six days apart. All zones of the IANA time zone database satisfy this; the
/// shortest distance there is an hour less than a week. Around a change that violates it, answers
/// may be wrong, but nothing panics.
///
/// ```
/// use millicron::{Schedule, Zone, schedule};
///
/// /// Three hours ahead of UTC; five from 2030-01-01 00:00 UTC.
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
    message = "`{Self}` is not a time zone",
    label = "not a time zone",
    note = "a time zone is, with the features `jiff`, `time` and `chrono`, a `jiff::tz::TimeZone`, a \
            `time::UtcOffset`, any `chrono::TimeZone` as `millicron::ChronoZone(zone)`, with the \
            feature `zones` a `millicron::zone!(\"Europe/Berlin\")`, or your own type that implements \
            `millicron::Zone`",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`"
)]
pub trait Zone {
    /// Returns the offset at an instant, in milliseconds ahead of UTC.
    fn offset_at(&self, instant: i64) -> i32;

    /// Returns the whole span of constant offset around an instant. Return `None`, the default, if
    /// finding it takes longer than one or two offset lookups.
    ///
    /// With spans, most searches look up just one offset, and are faster.
    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        let _ = instant;
        None
    }

    /// Returns the name of this zone. `None`, the default, if it has none, such as a fixed offset.
    ///
    /// [Descriptions](ZonedSchedule::describe) use the name, and [`NamedZone`] finds zones by it.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Returns a table of this zone's offsets, which schedules in this zone use instead of the
    /// zone. Return `None`, the default, if the offsets may change, or if the zone finds them just
    /// as fast.
    fn table(&self) -> Option<&'static ZoneTable> {
        None
    }

    /// Returns the offsets at which a civil time occurs.
    ///
    /// The default takes the offset of the [span](Self::offset_span), or tries the offsets two days
    /// before and after, since there is at most one clock change in between.
    fn offsets_of(&self, civil: i64) -> Offsets {
        if let Some(span) = self.offset_span(civil)
            && span.contains_with_days(civil)
        {
            return Offsets::One(span.offset);
        }
        let before = self.offset_at(civil.saturating_sub(2 * DAY));
        let after = self.offset_at(civil.saturating_add(2 * DAY));
        if before == after {
            return Offsets::One(before);
        }
        let occurs_at = |offset: i32| self.offset_at(civil.saturating_sub(offset.into())) == offset;
        match (occurs_at(before), occurs_at(after)) {
            (true, true) => Offsets::Fold { before, after },
            (true, false) => Offsets::One(before),
            (false, true) => Offsets::One(after),
            (false, false) => Offsets::Gap { before, after },
        }
    }

    /// Returns the first clock change after `after`, up to and including `until`. A clock change is
    /// an instant whose offset differs from the offset one millisecond earlier.
    ///
    /// Queries call this near clock changes, and to count the events of a range. The default takes
    /// the end of the [span](Self::offset_span), or looks up the offset of every sixth day in the
    /// range. Override it if the zone knows its changes.
    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        if let Some(OffsetSpan { end, .. }) = self.offset_span(after) {
            return (end <= until).then_some(end);
        }
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

/// Finds the first number after `start` for which `is_true` returns true, by bisection. `is_true`
/// must be false at `start` and true at `end`, and change once in between.
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

/// Forwards every method through a pointer.
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
            fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
                Z::offset_span(self, instant)
            }

            fn name(&self) -> Option<&str> {
                Z::name(self)
            }

            #[inline]
            fn table(&self) -> Option<&'static ZoneTable> {
                Z::table(self)
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

/// A span of instants with the same offset, in a [`Zone`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it has a start and an end")]
pub struct OffsetSpan {
    /// The offset, in milliseconds ahead of UTC.
    pub offset: i32,
    /// The first instant of the span, at which the clocks change; if no earlier change is known, an
    /// instant before December 1999, such as [`i64::MIN`].
    pub start: i64,
    /// The first instant after the span, at which the clocks change again; if no later change is known,
    /// an instant after January 2101, such as [`i64::MAX`].
    pub end: i64,
}

impl OffsetSpan {
    /// Whether all instants within a day of this one are in the span.
    #[inline]
    const fn contains_with_days(self, instant: i64) -> bool {
        self.start <= instant.saturating_sub(DAY) && instant.saturating_add(DAY) < self.end
    }
}

/// The offsets at which a civil time occurs in a [`Zone`], in milliseconds ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "once, never or twice")]
pub enum Offsets {
    /// The civil time occurs once.
    One(i32),
    /// The civil time does not occur: the clocks were set forward over it.
    Gap {
        /// The offset before the change.
        before: i32,
        /// The offset after the change, the larger one.
        after: i32,
    },
    /// The civil time occurs twice: the clocks were set back over it.
    Fold {
        /// The offset before the change, in the first pass.
        before: i32,
        /// The offset after the change, in the second pass; the smaller one.
        after: i32,
    },
}
