//! `chrono`: `NaiveDateTime`, `DateTime<Tz>` and [`ChronoZone`].

use chrono::{DateTime, MappedLocalTime, NaiveDateTime, Offset, TimeZone};

use crate::clock::Civil;
use crate::moment::{Read, Reading};
use crate::zone::{DAY, ZoneClock, first_where};
use crate::{Instant, Moment, Offsets, Zone};

/// ```
/// use chrono::NaiveDate;
/// use millicron::{Schedule, schedule};
///
/// const MONTH_END: Schedule = schedule!("*.*.32 12:00:00");
///
/// let february = |day, hour| NaiveDate::from_ymd_opt(2028, 2, day)?.and_hms_opt(hour, 0, 0);
/// let now = february(1, 0).expect("a date and time");
/// assert_eq!(MONTH_END.next_event(now), february(29, 12));
/// ```
#[diagnostic::do_not_recommend]
impl Moment for NaiveDateTime {
    type Answer = Self;

    fn at(_: &Civil, millis: i64) -> Option<Self> {
        Some(DateTime::from_timestamp_millis(millis)?.naive_utc())
    }
}

impl Read for NaiveDateTime {
    type Clock = Civil;

    fn clock(_: Option<&Self>) -> Civil {
        Civil
    }

    fn reading(&self) -> Reading {
        self.and_utc().reading()
    }
}

/// ```
/// use chrono::{DateTime, FixedOffset};
/// use millicron::{Schedule, schedule};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let now: DateTime<FixedOffset> = "2026-11-21T12:34:56+01:00".parse()?;
/// assert_eq!(NOON.next_event(now), Some("2026-11-22T12:00:00+01:00".parse()?));
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[diagnostic::do_not_recommend]
impl<Tz: TimeZone> Moment for DateTime<Tz> {
    type Answer = Self;

    fn at(clock: &ZoneClock<ChronoZone<Tz>>, millis: i64) -> Option<Self> {
        let utc = NaiveDateTime::at(&Civil, millis)?;
        clock.zone.as_ref().map(|zone| zone.0.from_utc_datetime(&utc))
    }
}

impl<Tz: TimeZone> Read for DateTime<Tz> {
    type Clock = ZoneClock<ChronoZone<Tz>>;

    fn clock(of: Option<&Self>) -> Self::Clock {
        ZoneClock::new(of.map(|moment| ChronoZone(moment.timezone())), None)
    }

    fn reading(&self) -> Reading {
        // A leap second has more than a second's nanoseconds.
        Reading::new(self.timestamp(), self.timestamp_subsec_nanos())
    }
}

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone> Instant for DateTime<Tz> {}

/// A time zone of `chrono`, as a [`Zone`](crate::Zone): `Utc`, `Local`,
/// `FixedOffset`, those of `chrono-tz`, and any other `chrono::TimeZone`.
///
/// It is a type of its own since a crate can not say of all types with another
/// crate's trait that they have its own, too.
///
/// ```
/// use chrono::{DateTime, FixedOffset, Utc};
/// use millicron::{ChronoZone, Schedule, schedule};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let noon = NOON.in_zone(ChronoZone(FixedOffset::east_opt(3600).expect("an hour")));
/// let now: DateTime<Utc> = "2026-11-21T12:34:56Z".parse()?;
/// assert_eq!(noon.next_event(now), Some("2026-11-22T11:00:00Z".parse()?));
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper")]
pub struct ChronoZone<Tz>(pub Tz);

impl<Tz: TimeZone> Zone for ChronoZone<Tz> {
    fn offset_at(&self, instant: i64) -> i32 {
        let utc = NaiveDateTime::at(&Civil, instant);
        utc.map_or(0, |utc| millis(&self.0.offset_from_utc_datetime(&utc)))
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        let Some(local) = NaiveDateTime::at(&Civil, civil) else { return Offsets::One(0) };
        match self.0.offset_from_local_datetime(&local) {
            MappedLocalTime::Single(offset) => Offsets::One(millis(&offset)),
            MappedLocalTime::Ambiguous(before, after) => {
                Offsets::Fold { before: millis(&before), after: millis(&after) }
            }
            // Nothing more is told of a gap, so it has to be found: the first instant
            // at which the clocks show more.
            MappedLocalTime::None => {
                let shows_more =
                    |instant: i64| instant + i64::from(self.offset_at(instant)) > civil;
                let change = first_where(civil - 2 * DAY, civil + 2 * DAY, shows_more);
                Offsets::Gap { before: self.offset_at(change - 1), after: self.offset_at(change) }
            }
        }
    }
}

/// An offset in milliseconds.
fn millis(offset: &impl Offset) -> i32 {
    offset.fix().local_minus_utc() * 1000
}
