//! The text of a schedule with a zone: the schedule, then the name of the zone.

#[cfg(feature = "alloc")]
mod parse;

use core::fmt;

use super::{Zone, ZonedSchedule};
use crate::pad::pad;

#[cfg(feature = "alloc")]
pub use parse::nearest_zones;

/// Writes the canonical text of the schedule, a space, and the name of the zone.
///
/// In a [`NamedZone`](super::NamedZone), it parses back to an equal schedule in an equal zone, with the default policies for gaps and
/// folds: the text cannot express [`with_gap`](ZonedSchedule::with_gap) and
/// [`with_fold`](ZonedSchedule::with_fold). If the zone has no name, such as a fixed offset, this
/// writes `<unnamed zone>` in its place, which does not parse. If the schedule names a calendar, read the text with
/// [`parse_with`](ZonedSchedule::parse_with).
impl<Z: Zone> fmt::Display for ZonedSchedule<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.zone().name().unwrap_or("<unnamed zone>");
        pad(f, format_args!("{} {name}", self.schedule()))
    }
}
