//! `jiff`: `civil::DateTime`, `Timestamp`, `Zoned` and `tz::TimeZone`.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneName};
use jiff::{Timestamp, Zoned};

use super::millis;
use crate::moment::{Position, Sealed, civil_moment};
use crate::timescale::CivilScale;
use crate::zone::ZoneScale;
#[cfg(feature = "std")]
use crate::zone::{FIRST, TableCache, ZoneTable};
use crate::{Instant, Moment, NamedZone, Offsets, Zone};

/// ```
/// use jiff::civil::{DateTime, date};
/// use millicron::{Schedule, schedule};
///
/// const MONTH_END: Schedule = schedule!("*.*.32 12:00:00");
///
/// let now: DateTime = date(2028, 2, 1).at(0, 0, 0, 0);
/// assert_eq!(MONTH_END.next_event(now), Some(date(2028, 2, 29).at(12, 0, 0, 0)));
/// ```
#[diagnostic::do_not_recommend]
impl Moment for DateTime {
    type Answer = Self;

    const IS_INSTANT: bool = false;

    #[inline]
    fn position(&self) -> Position {
        // Part of the first and the last day is outside the range of timestamps.
        let timestamp = Offset::UTC.to_timestamp(*self);
        let end = if self.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
        timestamp.unwrap_or(end).position()
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        Some(Offset::UTC.to_datetime(Timestamp::from_millisecond(millis).ok()?))
    }
}

civil_moment!(DateTime);

/// ```
/// use jiff::Timestamp;
/// use millicron::{Schedule, schedule};
///
/// const HOURLY: Schedule = schedule!("*:00:00");
///
/// let now: Timestamp = "2026-11-21T12:34:56Z".parse()?;
/// assert_eq!(HOURLY.next_event(now), Some("2026-11-21T13:00:00Z".parse()?));
/// # Ok::<(), jiff::Error>(())
/// ```
#[diagnostic::do_not_recommend]
impl Moment for Timestamp {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        // Before 1970 both are negative, and the seconds are rounded up.
        let (seconds, nanos) = (self.as_second(), self.subsec_nanosecond());
        let borrow = i64::from(nanos < 0);
        let nanos = nanos.rem_euclid(1_000_000_000).unsigned_abs();
        Position::new(seconds - borrow, nanos)
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        Self::from_millisecond(millis).ok()
    }
}

civil_moment!(Timestamp);

#[diagnostic::do_not_recommend]
impl Instant for Timestamp {}

/// ```
/// use jiff::Zoned;
/// use millicron::{Schedule, schedule};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let now: Zoned = "2026-11-21T12:34:56+09:00[Asia/Tokyo]".parse()?;
/// assert_eq!(NOON.next_event(&now), Some("2026-11-22T12:00:00+09:00[Asia/Tokyo]".parse()?));
/// # Ok::<(), jiff::Error>(())
/// ```
#[diagnostic::do_not_recommend]
impl Moment for Zoned {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        self.timestamp().position()
    }

    #[inline]
    fn at(scale: ZoneScale<TimeZone>, millis: i64) -> Option<Self> {
        Some(Timestamp::from_millisecond(millis).ok()?.to_zoned(scale.zone?))
    }

    #[inline]
    fn answer(&self, millis: i64) -> Option<Self> {
        Some(Timestamp::from_millisecond(millis).ok()?.to_zoned(self.time_zone().clone()))
    }
}

#[diagnostic::do_not_recommend]
impl Sealed for Zoned {
    type Scale = ZoneScale<TimeZone>;
    type Timescale<'a> = ZoneScale<&'a TimeZone>;

    #[inline]
    fn scale(of: Option<&Self>) -> Self::Scale {
        ZoneScale::of(of.map(|zoned| zoned.time_zone().clone()))
    }

    #[inline]
    fn timescale(&self) -> ZoneScale<&TimeZone> {
        ZoneScale::of(Some(self.time_zone()))
    }
}

#[diagnostic::do_not_recommend]
impl Instant for Zoned {}

#[diagnostic::do_not_recommend]
impl Zone for TimeZone {
    fn offset_at(&self, instant: i64) -> i32 {
        Timestamp::from_millisecond(instant).map_or(0, |at| millis(self.to_offset(at).seconds()))
    }

    /// The name in the IANA database, if the zone was found by one.
    fn name(&self) -> Option<&str> {
        self.iana_name()
    }

    #[cfg(feature = "std")]
    #[inline]
    fn table(&self) -> Option<&'static ZoneTable> {
        static TABLES: TableCache<TimeZone> = TableCache::new();
        TABLES.get(self, Self::iana_name, |zone| {
            let first = Timestamp::from_millisecond(FIRST).unwrap_or(Timestamp::MIN);
            let changes = zone.following(first).map(|change| {
                (change.timestamp().as_millisecond(), millis(change.offset().seconds()))
            });
            ZoneTable::from_changes(millis(zone.to_offset(first).seconds()), changes)
        })
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        let Some(civil) = DateTime::at(CivilScale, civil) else { return Offsets::One(0) };
        match self.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => Offsets::One(millis(offset.seconds())),
            AmbiguousOffset::Gap { before, after } => {
                Offsets::Gap { before: millis(before.seconds()), after: millis(after.seconds()) }
            }
            AmbiguousOffset::Fold { before, after } => {
                Offsets::Fold { before: millis(before.seconds()), after: millis(after.seconds()) }
            }
        }
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        let after = Timestamp::from_millisecond(after).ok()?;
        let offset = self.to_offset(after);
        // Some transitions change only the abbreviation.
        self.following(after)
            .map(|change| (change.timestamp().as_millisecond(), change.offset()))
            .take_while(|(at, _)| *at <= until)
            .find_map(|(at, new)| (new != offset).then_some(at))
    }
}

/// Names are looked up in the database of `jiff::tz::db()`. `Etc/Unknown` is not a zone.
#[diagnostic::do_not_recommend]
impl NamedZone for TimeZone {
    fn named(name: &str) -> Option<Self> {
        Self::get(name).ok().filter(|zone| !zone.is_unknown())
    }

    fn names() -> impl Iterator<Item: AsRef<str>> {
        jiff::tz::db().available().map(Name)
    }
}

struct Name(TimeZoneName<'static>);

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}
