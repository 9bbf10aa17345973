//! The moments of other crates, each with a way to create one from a civil time that does not go
//! through milliseconds since 1970.

use std::fmt::Debug;
use std::ops::Bound;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _, Utc};
use jiff::civil;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use millicron::Moment;
use time::{Month, OffsetDateTime, PrimitiveDateTime, UtcOffset};

/// Returns the unbounded range of a type. A plain `..` is a range of `i64`.
pub(crate) const fn unbounded<M>() -> (Bound<M>, Bound<M>) {
    (Bound::Unbounded, Bound::Unbounded)
}

const BILLION: i128 = 1_000_000_000;

/// A type of moments, with the zone or offset of its values in these tests.
pub(crate) trait Kind {
    type Moment: Moment<Answer = Self::Moment> + Clone + PartialEq + Debug;

    /// Whether values carry a zone, so that `..` has no events.
    const HAS_ZONE: bool;

    /// Returns the moment whose local time is `seconds` and `nanos` after 1970-01-01 00:00:00.
    fn after_1970(seconds: i64, nanos: u32) -> Self::Moment;

    /// Returns the first and the last moment of the type.
    fn ends() -> [Self::Moment; 2];

    /// Returns the moment whose local time is `nanos` nanoseconds after 1970-01-01 00:00:00.
    fn at(nanos: i128) -> Self::Moment {
        let seconds = i64::try_from(nanos.div_euclid(BILLION)).expect("a few centuries");
        let nanos = u32::try_from(nanos.rem_euclid(BILLION)).expect("less than a second");
        Self::after_1970(seconds, nanos)
    }
}

pub(crate) struct JiffCivil;

impl Kind for JiffCivil {
    type Moment = civil::DateTime;
    const HAS_ZONE: bool = false;

    fn after_1970(seconds: i64, nanos: u32) -> civil::DateTime {
        civil::date(1970, 1, 1).at(0, 0, 0, 0) + SignedDuration::new(seconds, nanos.cast_signed())
    }

    fn ends() -> [civil::DateTime; 2] {
        [civil::DateTime::MIN, civil::DateTime::MAX]
    }
}

/// In UTC.
pub(crate) struct JiffTimestamp;

impl Kind for JiffTimestamp {
    type Moment = Timestamp;
    const HAS_ZONE: bool = false;

    fn after_1970(seconds: i64, nanos: u32) -> Timestamp {
        let utc = JiffCivil::after_1970(seconds, nanos).in_tz("UTC");
        utc.expect("a zoned time").timestamp()
    }

    fn ends() -> [Timestamp; 2] {
        [Timestamp::MIN, Timestamp::MAX]
    }
}

/// In Kathmandu, 5:45 ahead of UTC in all years of schedules.
pub(crate) struct JiffZoned;

impl Kind for JiffZoned {
    type Moment = ZonedDateTime;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> ZonedDateTime {
        JiffCivil::after_1970(seconds, nanos).in_tz("Asia/Kathmandu").expect("a zoned time")
    }

    fn ends() -> [ZonedDateTime; 2] {
        [Timestamp::MIN, Timestamp::MAX].map(|end| end.in_tz("Asia/Kathmandu").expect("a zone"))
    }
}

/// At a fixed offset, 9:30 behind UTC.
pub(crate) struct JiffFixed;

impl Kind for JiffFixed {
    type Moment = ZonedDateTime;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> ZonedDateTime {
        let civil = JiffCivil::after_1970(seconds, nanos);
        ZonedDateTime::new(jiff_offset().to_timestamp(civil).expect("an instant"), jiff_offset())
    }

    fn ends() -> [ZonedDateTime; 2] {
        [Timestamp::MIN, Timestamp::MAX].map(|end| ZonedDateTime::new(end, jiff_offset()))
    }
}

fn jiff_offset() -> TimeZone {
    TimeZone::fixed(Offset::from_seconds(-34_200).expect("an offset"))
}

pub(crate) struct ChronoNaive;

impl Kind for ChronoNaive {
    type Moment = NaiveDateTime;
    const HAS_ZONE: bool = false;

    fn after_1970(seconds: i64, nanos: u32) -> NaiveDateTime {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).expect("a date");
        let distance = TimeDelta::new(seconds, nanos).expect("a few centuries");
        epoch.and_hms_opt(0, 0, 0).expect("midnight") + distance
    }

    fn ends() -> [NaiveDateTime; 2] {
        [NaiveDateTime::MIN, NaiveDateTime::MAX]
    }
}

pub(crate) struct ChronoUtc;

impl Kind for ChronoUtc {
    type Moment = DateTime<Utc>;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> DateTime<Utc> {
        ChronoNaive::after_1970(seconds, nanos).and_utc()
    }

    fn ends() -> [DateTime<Utc>; 2] {
        [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC]
    }
}

/// At a fixed offset, 9:30 behind UTC.
pub(crate) struct ChronoFixed;

impl Kind for ChronoFixed {
    type Moment = DateTime<chrono::FixedOffset>;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> Self::Moment {
        let civil = ChronoNaive::after_1970(seconds, nanos);
        civil.and_local_timezone(chrono_offset()).single().expect("an instant")
    }

    fn ends() -> [Self::Moment; 2] {
        ChronoUtc::ends().map(|end| end.with_timezone(&chrono_offset()))
    }
}

fn chrono_offset() -> chrono::FixedOffset {
    chrono::FixedOffset::west_opt(34_200).expect("an offset")
}

/// In Kathmandu.
pub(crate) struct ChronoZoned;

impl Kind for ChronoZoned {
    type Moment = DateTime<chrono_tz::Tz>;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> Self::Moment {
        let civil = ChronoNaive::after_1970(seconds, nanos);
        chrono_tz::Asia::Kathmandu.from_local_datetime(&civil).single().expect("an instant")
    }

    fn ends() -> [Self::Moment; 2] {
        ChronoUtc::ends().map(|end| end.with_timezone(&chrono_tz::Asia::Kathmandu))
    }
}

pub(crate) struct TimePrimitive;

impl Kind for TimePrimitive {
    type Moment = PrimitiveDateTime;
    const HAS_ZONE: bool = false;

    fn after_1970(seconds: i64, nanos: u32) -> PrimitiveDateTime {
        let epoch = time::Date::from_calendar_date(1970, Month::January, 1).expect("a date");
        epoch.midnight() + time::Duration::new(seconds, nanos.cast_signed())
    }

    fn ends() -> [PrimitiveDateTime; 2] {
        [PrimitiveDateTime::MIN, PrimitiveDateTime::MAX]
    }
}

/// `AHEAD` seconds ahead of UTC.
pub(crate) struct TimeOffset<const AHEAD: i32>;

impl<const AHEAD: i32> Kind for TimeOffset<AHEAD> {
    type Moment = OffsetDateTime;
    const HAS_ZONE: bool = true;

    fn after_1970(seconds: i64, nanos: u32) -> OffsetDateTime {
        TimePrimitive::after_1970(seconds, nanos).assume_offset(time_offset(AHEAD))
    }

    fn ends() -> [OffsetDateTime; 2] {
        // The local time is in the range of dates; the UTC time may not be.
        TimePrimitive::ends().map(|end| end.assume_offset(time_offset(AHEAD)))
    }
}

fn time_offset(seconds: i32) -> UtcOffset {
    UtcOffset::from_whole_seconds(seconds).expect("an offset")
}
