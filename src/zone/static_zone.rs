//! [`StaticZone`]: a time zone whose rules are in the program.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter;

use super::policy::{Chosen, Policy};
use super::search::{CHANGES, next_change};
use super::table::CompiledSpans;
use super::{FIRST, LAST, OffsetSpan, Zone, ZoneTable, ZonedSchedule};
use crate::Schedule;

/// A time zone of the IANA database whose offsets from 2000 to 2100 were written into the program by
/// the compiler. Create it with [`zone!`](crate::zone!), or with a literal schedule that ends with the
/// name of its zone.
///
/// It is a reference to constants: some 2.4 KiB, 2.9 for Gaza and Hebron, and less than 1 KiB for a zone whose
/// clocks never change. Nothing is looked up at run time, and neither `std` nor an allocator is needed.
///
/// ```
/// # #[cfg(feature = "zones")] {
/// use millicron::{Schedule, StaticZone, ZonedSchedule, schedule, zone};
///
/// const OPEN: ZonedSchedule<StaticZone> = schedule!("*.*.* Mon-Fri 09:30:00 America/New_York");
///
/// // One zone for several schedules.
/// const BERLIN: StaticZone = zone!("Europe/Berlin");
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let now = 1_772_820_000_000; // Friday, 2026-03-06 18:00:00 UTC
/// assert_eq!(OPEN.next_event(now), Some(1_773_063_000_000)); // Monday at 13:30 UTC, in summer time
/// assert_eq!(NOON.in_zone(BERLIN).next_event(now), Some(1_772_881_200_000)); // Saturday at 11:00 UTC
/// assert_eq!(OPEN.to_string(), "*.*.* 1-5 09:30:00 America/New_York");
/// # }
/// ```
///
/// Earlier instants have the offset of the first day of 2000, and later ones that of the last day of 2100.
///
/// # When rules change
///
/// A program keeps the rules that were known when it was compiled. Some countries change theirs
/// several times a decade, with a few weeks' notice, as Morocco, Lebanon and Mexico did. If a
/// program is to follow such changes without being compiled again, use a zone that is looked up at run
/// time, such as a `jiff::tz::TimeZone`. [`first_difference`](Self::first_difference) compares the two,
/// so that a test of your application can tell when it is time to update:
///
/// ```
/// # #[cfg(all(feature = "zones", feature = "jiff"))] {
/// use jiff::tz::TimeZone;
/// use millicron::{StaticZone, zone};
///
/// const BERLIN: StaticZone = zone!("Europe/Berlin");
///
/// let installed = TimeZone::try_from(BERLIN)?; // looked up by its name
/// assert_eq!(BERLIN.first_difference(&installed), None, "its rules differ from {BERLIN:?}");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct StaticZone(&'static CompiledZone);

/// The constants of a zone.
pub struct CompiledZone {
    name: &'static str,
    version: &'static str,
    table: ZoneTable,
}

impl CompiledZone {
    /// Returns the constants of a zone with a name, as in a version of the database.
    #[must_use]
    pub const fn new(
        name: &'static str,
        version: &'static str,
        spans: &'static CompiledSpans,
    ) -> Self {
        Self { name, version, table: ZoneTable::compiled(spans) }
    }
}

impl fmt::Debug for CompiledZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.version)
    }
}

/// Returns the zone of some constants.
#[must_use]
#[inline]
pub const fn static_zone(zone: &'static CompiledZone) -> StaticZone {
    StaticZone(zone)
}

/// Returns a schedule in a compiled zone, with the default policies of schedules that repeat, or of
/// others.
#[must_use]
#[inline]
pub const fn zoned_schedule(
    schedule: Schedule,
    zone: StaticZone,
    repeats: bool,
) -> ZonedSchedule<StaticZone> {
    let policy = Policy::of_compiled(&schedule.0, repeats);
    let chosen = Chosen { gap: None, fold: None };
    ZonedSchedule { schedule, zone, table: Some(&zone.0.table), policy, chosen }
}

impl StaticZone {
    /// Returns the name of the zone in the IANA database: the one that was written, in its usual case.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.0.name
    }

    /// Returns the version of the IANA database from which the zone was compiled, such as `2026b`.
    #[must_use]
    pub const fn database_version(&self) -> &'static str {
        self.0.version
    }

    /// Returns the first instant at which another zone has another offset, such as the zone with the same
    /// name in the database of the machine. `None` if their offsets are the same from 2000 to 2100.
    ///
    /// The instant is in milliseconds since 1970-01-01 00:00:00 UTC. If the offsets differ from the start, it
    /// is in December 1999.
    ///
    /// ```
    /// # #[cfg(feature = "zones")] {
    /// use millicron::zone;
    ///
    /// // Until October 2014, Moscow was four hours ahead of UTC.
    /// let (moscow, minsk) = (zone!("Europe/Moscow"), zone!("Europe/Minsk"));
    /// assert!(moscow.first_difference(&minsk).is_some());
    /// assert_eq!(moscow.first_difference(&moscow), None);
    /// # }
    /// ```
    #[must_use]
    pub fn first_difference(&self, other: &(impl Zone + ?Sized)) -> Option<i64> {
        let changes = iter::successors(Some(FIRST), |at| {
            let ours = next_change(self, *at, LAST);
            let theirs = next_change(other, *at, LAST);
            ours.into_iter().chain(theirs).min()
        });
        // A zone that violates its contract may report changes without end.
        changes.take(2 * CHANGES).find(|at| self.offset_at(*at) != other.offset_at(*at))
    }
}

#[diagnostic::do_not_recommend]
impl Zone for StaticZone {
    #[inline]
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.table.offset_at(instant)
    }

    #[inline]
    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        self.0.table.offset_span(instant)
    }

    fn name(&self) -> Option<&str> {
        Some(self.0.name)
    }

    #[inline]
    fn table(&self) -> Option<&'static ZoneTable> {
        Some(&self.0.table)
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.0.table.next_change(after, until)
    }
}

/// Zones are equal if they have the same name in the same version of the database.
impl PartialEq for StaticZone {
    fn eq(&self, other: &Self) -> bool {
        (self.0.name, self.0.version) == (other.0.name, other.0.version)
    }
}

impl Eq for StaticZone {}

impl Hash for StaticZone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.name, self.0.version).hash(state);
    }
}

/// The name and the version of the database: `StaticZone(Europe/Berlin of 2026b)`.
impl fmt::Debug for StaticZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StaticZone").field(self.0).finish()
    }
}
