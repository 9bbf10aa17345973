//! `civil::DateTime`, `Timestamp`, `ZonedDateTime` and `tz::TimeZone` of jiff. The module that contains this
//! one chooses the major version of jiff.

use core::borrow::Borrow;

use super::library::civil::{Date, DateTime};
use super::library::tz::{self, AmbiguousOffset, Offset, TimeZone, TimeZoneName};
use super::library::{SignedDuration, Timestamp};
use super::{ZonedDateTime, millis};
use crate::moment::{Position, Sealed, civil_moment};
use crate::timescale::CivilScale;
#[cfg(feature = "std")]
use crate::zone::{FIRST, TableCache, ZoneTable};
use crate::zone::{ZoneScale, instant_of};
use crate::{CalendarDigits, DigitsError, Instant, Moment, NamedZone, Offsets, StaticZone, Zone};

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
/// use jiff::ZonedDateTime;
/// use millicron::{Schedule, schedule};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let now: ZonedDateTime = "2026-11-21T12:34:56+09:00[Asia/Tokyo]".parse()?;
/// assert_eq!(NOON.next_event(&now), Some("2026-11-22T12:00:00+09:00[Asia/Tokyo]".parse()?));
/// # Ok::<(), jiff::Error>(())
/// ```
#[diagnostic::do_not_recommend]
impl Moment for ZonedDateTime {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        self.timestamp().position()
    }

    #[inline]
    fn at(scale: ZoneScale<TimeZone>, millis: i64) -> Option<Self> {
        Some(ZonedDateTime::new(Timestamp::from_millisecond(millis).ok()?, scale.zone?))
    }

    #[inline]
    fn answer(&self, millis: i64) -> Option<Self> {
        Some(ZonedDateTime::new(
            Timestamp::from_millisecond(millis).ok()?,
            self.time_zone().clone(),
        ))
    }
}

#[diagnostic::do_not_recommend]
impl Sealed for ZonedDateTime {
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
impl Instant for ZonedDateTime {}

/// ```
/// use jiff::civil::date;
/// use jiff::tz::TimeZone;
/// use millicron::{Schedule, schedule};
///
/// const NIGHTLY: Schedule = schedule!("2:30:00");
///
/// // On 2026-03-29 the clocks in Berlin go from 02:00 to 03:00.
/// let berlin = TimeZone::get("Europe/Berlin")?;
/// let evening = date(2026, 3, 28).at(18, 0, 0, 0);
/// let next = NIGHTLY.next_event((evening, &berlin)).expect("an event each night");
/// assert_eq!(next.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
///
/// // A week of local time.
/// let week = (evening, &berlin)..(date(2026, 4, 4).at(18, 0, 0, 0), &berlin);
/// assert_eq!(NIGHTLY.in_zone(berlin.clone()).count(week), 7);
/// # Ok::<(), jiff::Error>(())
/// ```
#[diagnostic::do_not_recommend]
impl<T: Borrow<TimeZone>> Moment for (DateTime, T) {
    type Answer = ZonedDateTime;

    const IS_INSTANT: bool = true;

    fn position(&self) -> Position {
        instant_of(self.0.position(), self.1.borrow())
    }

    fn at(scale: Self::Scale, millis: i64) -> Option<ZonedDateTime> {
        ZonedDateTime::at(scale, millis)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Borrow<TimeZone>> Sealed for (DateTime, T) {
    type Scale = <ZonedDateTime as Sealed>::Scale;
    type Timescale<'a>
        = <ZonedDateTime as Sealed>::Timescale<'a>
    where
        Self: 'a;

    fn scale(of: Option<&Self>) -> Self::Scale {
        ZoneScale::of(of.map(|(_, zone)| zone.borrow().clone()))
    }

    fn timescale(&self) -> Self::Timescale<'_> {
        ZoneScale::of(Some(self.1.borrow()))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Borrow<TimeZone>> Instant for (DateTime, T) {}

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
        tz::db().available().map(Name)
    }
}

impl TryFrom<StaticZone> for TimeZone {
    type Error = super::library::Error;

    /// Looks a zone up by its name, in the database of `jiff::tz::db()`. Its rules may differ from those
    /// that were compiled into the program.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no database, or it has no zone of that name.
    fn try_from(zone: StaticZone) -> Result<Self, Self::Error> {
        Self::get(zone.name())
    }
}

struct Name(TimeZoneName<'static>);

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}

/// The start of 1970. Distances are measured from it because timestamps lack part of the first and the
/// last day.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl From<DateTime> for CalendarDigits {
    /// Converts a civil date and time, rounded down to the millisecond.
    ///
    /// ```
    /// use jiff::civil::date;
    /// use millicron::CalendarDigits;
    ///
    /// let digits = CalendarDigits::from(date(2021, 2, 28).at(12, 0, 0, 999_999));
    /// assert_eq!(digits.to_string(), "2021-02-28 12:00:00.000");
    /// ```
    fn from(civil: DateTime) -> Self {
        let nanos = civil.duration_since(EPOCH).as_nanos();
        Self::from_millis(i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or_default())
    }
}

impl TryFrom<CalendarDigits> for DateTime {
    type Error = DigitsError;

    /// Converts a date and time to a `jiff::civil::DateTime`.
    ///
    /// # Errors
    ///
    /// Returns an error if the year is not between -9999 and 9999.
    ///
    /// ```
    /// use jiff::civil::{DateTime, date};
    /// use millicron::CalendarDigits;
    ///
    /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
    /// assert_eq!(DateTime::try_from(noon)?, date(2021, 2, 28).at(12, 0, 0, 0));
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
        let since = SignedDuration::from_millis(digits.to_millis());
        EPOCH.checked_add(since).map_err(|_| {
            let (min, max) = (Self::MIN.year().into(), Self::MAX.year().into());
            DigitsError::target("jiff::civil::DateTime", digits.year(), min, max)
        })
    }
}

impl crate::CivilDate for Date {}

impl crate::calendars::Sealed for Date {
    #[inline]
    fn date(&self) -> (i32, u8, u8) {
        let [month, day] = [self.month(), self.day()].map(i8::cast_unsigned);
        (self.year().into(), month, day)
    }

    #[inline]
    fn of(year: i32, month: u8, day: u8) -> Option<Self> {
        let [month, day] = [month, day].map(u8::cast_signed);
        Self::new(i16::try_from(year).ok()?, month, day).ok()
    }
}
