//! `time`: `PrimitiveDateTime`, `OffsetDateTime` and `UtcOffset`.

use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, UtcOffset};

use super::millis;
use crate::moment::{Position, Sealed, civil_moment};
use crate::timescale::CivilScale;
use crate::zone::{OffsetSpan, ZoneScale};
use crate::{CalendarDigits, DigitsError, Instant, Moment, Zone};

/// ```
/// use millicron::{Schedule, schedule};
/// use time::{Date, Month, PrimitiveDateTime, Time};
///
/// const MONTH_END: Schedule = schedule!("*.*.32 12:00:00");
///
/// let february = Date::from_calendar_date(2028, Month::February, 1)?;
/// let now = PrimitiveDateTime::new(february, Time::MIDNIGHT);
/// let next = now.replace_day(29)?.replace_hour(12)?;
/// assert_eq!(MONTH_END.next_event(now), Some(next));
/// # Ok::<(), time::error::ComponentRange>(())
/// ```
#[diagnostic::do_not_recommend]
impl Moment for PrimitiveDateTime {
    type Answer = Self;

    const IS_INSTANT: bool = false;

    fn position(&self) -> Position {
        self.assume_utc().position()
    }

    fn at(_: CivilScale, millis: i64) -> Option<Self> {
        let utc = utc(millis)?;
        Some(Self::new(utc.date(), utc.time()))
    }
}

civil_moment!(PrimitiveDateTime);

/// ```
/// use millicron::{Schedule, schedule};
/// use time::{OffsetDateTime, UtcOffset};
///
/// const NOON: Schedule = schedule!("12:00:00");
///
/// // 2026-11-21 12:34:56, an hour ahead of UTC.
/// let now = OffsetDateTime::from_unix_timestamp(1_795_260_896)?;
/// let now = now.to_offset(UtcOffset::from_hms(1, 0, 0)?);
/// let next = now.replace_day(22)?.replace_time(time::Time::from_hms(12, 0, 0)?);
/// assert_eq!(NOON.next_event(now), Some(next));
/// # Ok::<(), time::error::ComponentRange>(())
/// ```
#[diagnostic::do_not_recommend]
impl Moment for OffsetDateTime {
    type Answer = Self;

    const IS_INSTANT: bool = true;

    fn position(&self) -> Position {
        Position::new(self.unix_timestamp(), self.nanosecond())
    }

    fn at(scale: ZoneScale<UtcOffset>, millis: i64) -> Option<Self> {
        utc(millis)?.checked_to_offset(scale.zone?)
    }
}

#[diagnostic::do_not_recommend]
impl Sealed for OffsetDateTime {
    type Scale = ZoneScale<UtcOffset>;
    type Timescale<'a> = Self::Scale;

    fn scale(of: Option<&Self>) -> Self::Scale {
        ZoneScale::of(of.map(|moment| moment.offset()))
    }

    fn timescale(&self) -> Self::Scale {
        Self::scale(Some(self))
    }
}

#[diagnostic::do_not_recommend]
impl Instant for OffsetDateTime {}

/// A zone with a fixed offset.
#[diagnostic::do_not_recommend]
impl Zone for UtcOffset {
    fn offset_at(&self, _: i64) -> i32 {
        millis(self.whole_seconds())
    }

    fn offset_span(&self, _: i64) -> Option<OffsetSpan> {
        let offset = millis(self.whole_seconds());
        Some(OffsetSpan { offset, start: i64::MIN, end: i64::MAX })
    }
}

/// Returns the instant in UTC.
fn utc(millis: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000).ok()
}

impl From<PrimitiveDateTime> for CalendarDigits {
    /// Converts a civil date and time, rounded down to the millisecond.
    ///
    /// ```
    /// use millicron::CalendarDigits;
    /// use time::{Date, Month, PrimitiveDateTime, Time};
    ///
    /// let date = Date::from_calendar_date(2021, Month::February, 28)?;
    /// let civil = PrimitiveDateTime::new(date, Time::from_hms_nano(12, 0, 0, 999_999)?);
    /// assert_eq!(CalendarDigits::from(civil).to_string(), "2021-02-28 12:00:00.000");
    /// # Ok::<(), time::error::ComponentRange>(())
    /// ```
    fn from(civil: PrimitiveDateTime) -> Self {
        Self::from_millis(civil.position().millis)
    }
}

impl TryFrom<CalendarDigits> for PrimitiveDateTime {
    type Error = DigitsError;

    /// Converts a date and time to a `time::PrimitiveDateTime`.
    ///
    /// # Errors
    ///
    /// Returns an error if the year is not between -9999 and 9999, or -999999 and 999999 with
    /// the feature `large-dates` of `time`.
    ///
    /// ```
    /// use millicron::CalendarDigits;
    /// use time::PrimitiveDateTime;
    ///
    /// let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
    /// let civil = PrimitiveDateTime::try_from(noon)?;
    /// assert_eq!((civil.year(), civil.hour()), (2021, 12));
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    fn try_from(digits: CalendarDigits) -> Result<Self, DigitsError> {
        Self::at(CivilScale, digits.to_millis()).ok_or_else(|| {
            let (min, max) = (Date::MIN.year(), Date::MAX.year());
            DigitsError::target("time::PrimitiveDateTime", digits.year(), min, max)
        })
    }
}

impl crate::CivilDate for Date {}

impl crate::calendars::Sealed for Date {
    #[inline]
    fn date(&self) -> (i32, u8, u8) {
        let (year, month, day) = self.to_calendar_date();
        (year, month.into(), day)
    }

    #[inline]
    fn of(year: i32, month: u8, day: u8) -> Option<Self> {
        Self::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
    }
}
