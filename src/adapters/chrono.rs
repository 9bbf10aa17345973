//! `chrono`: `NaiveDateTime`, `DateTime<Tz>` and [`ChronoZone`].

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Offset as _, TimeZone};

use super::millis;
#[cfg(feature = "chrono-tz")]
use crate::NamedZone;
use crate::moment::{Position, Sealed, civil_moment};
use crate::timescale::CivilScale;
#[cfg(all(feature = "std", feature = "chrono-tz"))]
use crate::zone::{TableCache, ZoneTable};
use crate::zone::{ZoneScale, instant_of};
use crate::{CalendarDigits, DigitsError, Instant, Moment, Zone};

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

    const IS_INSTANT: bool = false;

    #[inline]
    fn position(&self) -> Position {
        self.and_utc().position()
    }

    #[inline]
    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        Some(DateTime::from_timestamp_millis(millis)?.naive_utc())
    }
}

civil_moment!(NaiveDateTime);

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
impl<Tz: TimeZone + 'static> Moment for DateTime<Tz> {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    #[inline]
    fn position(&self) -> Position {
        // In a leap second, the nanoseconds exceed a second.
        Position::new(self.timestamp(), self.timestamp_subsec_nanos())
    }

    #[inline]
    fn at(scale: ZoneScale<ChronoZone<Tz>>, millis: i64) -> Option<Self> {
        let utc = NaiveDateTime::at(CivilScale, millis)?;
        scale.zone.as_ref().map(|zone| zone.0.from_utc_datetime(&utc))
    }

    #[inline]
    fn answer(&self, millis: i64) -> Option<Self> {
        let utc = NaiveDateTime::at(CivilScale, millis)?;
        Some(self.timezone().from_utc_datetime(&utc))
    }
}

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Sealed for DateTime<Tz> {
    type Scale = ZoneScale<ChronoZone<Tz>>;
    type Timescale<'a>
        = Self::Scale
    where
        Self: 'a;

    #[inline]
    fn scale(of: Option<&Self>) -> Self::Scale {
        ZoneScale::of(of.map(|moment| ChronoZone(moment.timezone())))
    }

    #[inline]
    fn timescale(&self) -> Self::Scale {
        Self::scale(Some(self))
    }
}

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Instant for DateTime<Tz> {}

/// ```
/// use chrono::{DateTime, FixedOffset, NaiveDateTime};
/// use millicron::{Schedule, schedule};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// let evening: NaiveDateTime = "2026-11-21T18:00:00".parse()?;
/// let zone = FixedOffset::east_opt(3600).expect("an hour");
/// let next: DateTime<FixedOffset> = "2026-11-22T12:00:00+01:00".parse()?;
/// assert_eq!(NOON.next_event((evening, zone)), Some(next));
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Moment for (NaiveDateTime, Tz) {
    type Answer = DateTime<Tz>;
    const IS_INSTANT: bool = true;

    fn position(&self) -> Position {
        instant_of(self.0.position(), &ChronoZone(self.1.clone()))
    }

    fn at(scale: Self::Scale, millis: i64) -> Option<DateTime<Tz>> {
        DateTime::at(scale, millis)
    }
}

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Sealed for (NaiveDateTime, Tz) {
    type Scale = <DateTime<Tz> as Sealed>::Scale;
    type Timescale<'a>
        = Self::Scale
    where
        Self: 'a;

    fn scale(of: Option<&Self>) -> Self::Scale {
        ZoneScale::of(of.map(|(_, zone)| ChronoZone(zone.clone())))
    }

    fn timescale(&self) -> Self::Scale {
        Self::scale(Some(self))
    }
}

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Instant for (NaiveDateTime, Tz) {}

/// A time zone of `chrono` as a [`Zone`](crate::Zone): `Utc`, `Local`, `FixedOffset`, the zones of
/// `chrono-tz`, and any other `chrono::TimeZone`.
///
/// Answers are as good as the zone's own data: the tables of `chrono-tz` 0.10.4 have no summer time
/// in 2100. `chrono` zones do not list their changes, so counting events takes an offset lookup for
/// every six days.
///
/// The wrapper is needed because a blanket implementation of [`Zone`] for all `chrono` zones would
/// conflict with the implementations for other crates' zones.
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

#[diagnostic::do_not_recommend]
impl<Tz: TimeZone + 'static> Zone for ChronoZone<Tz> {
    fn offset_at(&self, instant: i64) -> i32 {
        let end = if instant < 0 { NaiveDateTime::MIN } else { NaiveDateTime::MAX };
        let utc = NaiveDateTime::at(CivilScale, instant).unwrap_or(end);
        millis(self.0.offset_from_utc_datetime(&utc).fix().local_minus_utc())
    }

    /// The name of a zone of `chrono-tz`.
    #[cfg(feature = "chrono-tz")]
    fn name(&self) -> Option<&str> {
        Some((&self.0 as &dyn core::any::Any).downcast_ref::<chrono_tz::Tz>()?.name())
    }

    /// Only the zones of `chrono-tz` have tables: the rules of `Local` can change while the program runs.
    #[cfg(all(feature = "std", feature = "chrono-tz"))]
    #[inline]
    fn table(&self) -> Option<&'static ZoneTable> {
        static TABLES: TableCache<chrono_tz::Tz> = TableCache::new();
        let zone = (&self.0 as &dyn core::any::Any).downcast_ref()?;
        TABLES.get(zone, |zone| Some(zone.name()), |zone| ZoneTable::listed(&ChronoZone(*zone)))
    }

    // chrono's own lookup of local times is not used: for `Local` it returns the offsets in the
    // wrong order, and wrong ones at both ends of a change (chrono 0.4.45).
}

/// The zones of `chrono-tz`, under the names of its database, in any case.
#[cfg(feature = "chrono-tz")]
#[diagnostic::do_not_recommend]
impl NamedZone for ChronoZone<chrono_tz::Tz> {
    fn named(name: &str) -> Option<Self> {
        let is_named = |tz: &&chrono_tz::Tz| tz.name().eq_ignore_ascii_case(name);
        let zone = name.parse().ok();
        zone.or_else(|| chrono_tz::TZ_VARIANTS.iter().find(is_named).copied()).map(Self)
    }

    fn names() -> impl Iterator<Item: AsRef<str>> {
        chrono_tz::TZ_VARIANTS.iter().map(|tz| tz.name())
    }
}

#[cfg(feature = "chrono-tz")]
impl TryFrom<crate::StaticZone> for chrono_tz::Tz {
    type Error = chrono_tz::ParseError;

    /// Finds a zone by its name, in the database that `chrono-tz` contains. Its rules may differ from
    /// those that were compiled into the program.
    ///
    /// # Errors
    ///
    /// Returns an error if the database has no zone of that name.
    fn try_from(zone: crate::StaticZone) -> Result<Self, Self::Error> {
        zone.name().parse()
    }
}

impl From<NaiveDateTime> for CalendarDigits {
    /// Converts a civil date and time, rounded down to the millisecond. A leap
    /// second becomes the last millisecond of the second before it.
    ///
    /// ```
    /// use chrono::{NaiveDateTime, ParseError};
    /// use millicron::CalendarDigits;
    ///
    /// let civil: NaiveDateTime = "2021-02-28T12:00:00.000999".parse()?;
    /// assert_eq!(CalendarDigits::from(civil).to_string(), "2021-02-28 12:00:00.000");
    /// # Ok::<(), ParseError>(())
    /// ```
    fn from(civil: NaiveDateTime) -> Self {
        Self::from_millis(civil.position().millis)
    }
}

impl TryFrom<CalendarDigits> for NaiveDateTime {
    type Error = DigitsError;

    /// Converts a date and time to a `chrono::NaiveDateTime`.
    ///
    /// # Errors
    ///
    /// Returns an error if the year is out of the range of `chrono`, -262143 to 262142.
    ///
    /// ```
    /// use chrono::NaiveDateTime;
    /// use millicron::CalendarDigits;
    ///
    /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
    /// assert_eq!(NaiveDateTime::try_from(noon)?.to_string(), "2021-02-28 12:00:00");
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
        Self::at(CivilScale, digits.to_millis()).ok_or_else(|| {
            let (min, max) = (NaiveDate::MIN.year(), NaiveDate::MAX.year());
            DigitsError::target("chrono::NaiveDateTime", digits.year(), min, max)
        })
    }
}

impl crate::CivilDate for NaiveDate {}

impl crate::calendars::Sealed for NaiveDate {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a month and a day")]
    fn date(&self) -> (i32, u8, u8) {
        (self.year(), self.month() as u8, self.day() as u8)
    }

    #[inline]
    fn of(year: i32, month: u8, day: u8) -> Option<Self> {
        Self::from_ymd_opt(year, month.into(), day.into())
    }
}
