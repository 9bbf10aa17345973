//! Splits a text into a schedule and a zone.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use millicron_runtime::{Zones, nearest_names, parse_zoned, zone_in_dialect};

use crate::{Calendars, Dialect, NamedZone, Schedule, ZonedParseError, ZonedSchedule};

/// Returns the names of the time zones nearest to an unknown one, at most three; none if no name is
/// similar.
///
/// Case, `_` and spaces are ignored. The last component is enough: `berlin` is near
/// `Europe/Berlin`.
///
/// ```
/// # #[cfg(feature = "jiff")] {
/// use jiff::tz::TimeZone;
/// use millicron::zone::nearest_zones;
///
/// assert_eq!(nearest_zones::<TimeZone>("new york"), ["America/New_York"]);
/// # }
/// ```
#[must_use]
pub fn nearest_zones<Z: NamedZone>(unknown: &str) -> Vec<String> {
    nearest_names(unknown, Z::names())
}

/// The zones of a type.
struct AllOf<Z>(PhantomData<Z>);

impl<Z: NamedZone> Zones for AllOf<Z> {
    type Zone = Z;

    fn find(&self, name: &str) -> Option<Z> {
        Z::named(name)
    }

    fn names(&self) -> Vec<String> {
        Z::names().map(|name| name.as_ref().to_owned()).collect()
    }
}

impl<Z: NamedZone> ZonedSchedule<Z> {
    /// Reads a schedule in [the language](crate#the-language) of this crate, followed by white space
    /// and the name of a time zone.
    ///
    /// Events in gaps and folds are handled by default, as with [`Schedule::in_zone`].
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule is invalid, the zone is missing, or no zone has that name.
    /// The error says what is wrong, where, and what to write instead.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{ZonedDateTime, tz::TimeZone};
    /// use millicron::{Schedule, ZonedSchedule, schedule};
    ///
    /// let opening = ZonedSchedule::<TimeZone>::parse("*.*.* Mon-Fri 09:30:00 America/New_York")?;
    ///
    /// const OPENING: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    /// assert_eq!(opening, OPENING.in_zone(TimeZone::get("America/New_York")?));
    ///
    /// let error = ZonedSchedule::<TimeZone>::parse("12:00:00 berlin").unwrap_err();
    /// assert_eq!(error.to_string(), "unknown time zone `berlin`: write `Europe/Berlin`");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ZonedParseError> {
        Self::parse_with(text, &())
    }

    /// Reads a schedule and the name of a time zone, with calendars, one of which the schedule may
    /// name: `*.*.* 09:30:00 @nyse America/New_York`.
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule is invalid or names a calendar that is not known, the zone
    /// is missing, or no zone has that name.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::tz::TimeZone;
    /// use millicron::{Calendar, ZonedSchedule};
    ///
    /// let nyse = [("nyse", Calendar::parse("*.*.* Mon-Fri\n- *.12.25")?)];
    /// let text = "09:30:00 @nyse America/New_York";
    /// let opening = ZonedSchedule::<TimeZone>::parse_with(text, &nyse)?;
    /// assert_eq!(opening.to_string(), text);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_with(text: &str, calendars: &dyn Calendars) -> Result<Self, ZonedParseError> {
        let read = |text: &str| Schedule::parse_with(text, calendars);
        let (schedule, zone) = parse_zoned(text, &AllOf(PhantomData), read)?;
        Ok(schedule.in_zone(zone))
    }
}

impl Dialect {
    /// Reads a schedule in the dialect with its time zone: after `CRON_TZ=` or `TZ=` before a
    /// crontab schedule, or at the end of a systemd timer.
    ///
    /// If the zone may be missing, use [`parse_with_zone`](Self::parse_with_zone) and
    /// [`Schedule::in_zone`].
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the dialect, has no time zone, or no zone
    /// has that name. Schedules of Quartz and the crate `cron` have no time zones in their texts.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::tz::TimeZone;
    /// use millicron::{Dialect, ZonedSchedule};
    ///
    /// let line = "CRON_TZ=America/New_York 30 9 * * MON-FRI";
    /// let opening = Dialect::Crontab.parse_zoned::<TimeZone>(line)?;
    /// assert_eq!(opening, "*.*.* Mon-Fri 09:30:00 America/New_York".parse()?);
    ///
    /// let timer = "Mon..Fri 09:30 America/New_York";
    /// assert_eq!(Dialect::Systemd.parse_zoned::<TimeZone>(timer)?, opening);
    ///
    /// let error = Dialect::Systemd.parse_zoned::<TimeZone>("09:30 new_york").unwrap_err();
    /// assert_eq!(error.to_string(), "unknown time zone `new_york`: write `America/New_York`");
    /// # }
    /// # Ok::<(), millicron::ZonedParseError>(())
    /// ```
    pub fn parse_zoned<Z: NamedZone>(
        self,
        text: &str,
    ) -> Result<ZonedSchedule<Z>, ZonedParseError> {
        let (schedule, spans) =
            self.read(text).map_err(|error| ZonedParseError::from((error, text)))?;
        let zone = zone_in_dialect(self.inner(), text, spans.zone, &AllOf(PhantomData))?;
        Ok(schedule.in_zone(zone))
    }
}

impl<Z: NamedZone> core::str::FromStr for ZonedSchedule<Z> {
    type Err = ZonedParseError;

    /// Reads a schedule and a zone; see [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
