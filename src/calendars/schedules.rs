//! Schedules on calendars.

use alloc::format;

use millicron_runtime as runtime;

use super::named::ByName;
use super::{Calendar, Calendars};
use crate::{ParseError, Schedule};

impl Schedule {
    /// Reads a schedule with calendars, one of which it may name: `*.*.* 09:30:00 @nyse`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule, names a calendar that is not known, or has no
    /// events.
    ///
    /// ```
    /// use millicron::{Calendar, CalendarDigits, Schedule};
    ///
    /// let target = Calendar::parse("*.*.* Mon-Fri\n- *.12.25,26")?;
    /// let calendars = [("target", target)];
    /// let last = Schedule::parse_with("*.*.* B#L 17:00:00 @target", &calendars)?;
    /// let december: CalendarDigits = "2027-12-01 00:00:00".parse()?;
    /// assert_eq!(last.next_event(december), Some("2027-12-31 17:00:00".parse()?));
    ///
    /// let error = Schedule::parse_with("12:00:00 @tarjet", &calendars).unwrap_err();
    /// assert_eq!(error.to_string(), "`tarjet` is not a known calendar: expected `target`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_with(text: &str, calendars: &dyn Calendars) -> Result<Self, ParseError> {
        runtime::Schedule::parse_with(None, text, &ByName(calendars)).map(Self)
    }

    /// Returns the schedule with its events on the days of a calendar only, as if the calendar had
    /// been named after its time. The business days of the schedule, such as `B#3`, are then those of
    /// the calendar. In the text of the result, the name of the calendar is `calendar`.
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule has a calendar already, or if no event remains.
    ///
    /// ```
    /// use millicron::{Calendar, schedule};
    ///
    /// let target = Calendar::parse("*.*.* Mon-Fri\n- *.12.25,26")?;
    /// let noon = schedule!("12:00:00").on(&target)?;
    /// assert_eq!(noon.expression(), "12:00:00 @calendar");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(&self, calendar: &Calendar) -> Result<Self, ParseError> {
        let text = format!("{} @calendar", self.expression().trim_ascii());
        Self::parse_with(&text, &[("calendar", calendar.clone())])
    }
}
