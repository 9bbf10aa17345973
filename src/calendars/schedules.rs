//! Schedules on calendars.

use alloc::format;
use alloc::vec::Vec;

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

    /// Returns the schedule with its events on the days of a calendar only (a window past midnight
    /// counts as the day on which it begins), as if the calendar had been named after its time. The
    /// business days of the schedule, such as `B#3`, are then those of the calendar. Of a union, each
    /// member is restricted.
    ///
    /// In the text of the result, the name of the calendar is `calendar-` and a hash of its days, so
    /// that two calendars have two names in a union. Do not store that text: no one who reads it
    /// knows a calendar of that name. Store the text of the schedule and that of the calendar.
    ///
    /// # Errors
    ///
    /// Returns an error if the schedule or one of its members has a calendar already, if no event
    /// remains of the schedule or of one of its members, or if the events of the members are
    /// [too intertwined](crate::ParseErrorKind::Intertwined) to be counted.
    ///
    /// ```
    /// use millicron::{Calendar, schedule};
    ///
    /// let target = Calendar::parse("*.*.* Mon-Fri\n- *.12.25,26")?;
    /// let noon = schedule!("12:00:00").on(&target)?;
    /// assert_eq!(noon.expression(), "12:00:00 @calendar-ee35328b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(&self, calendar: &Calendar) -> Result<Self, ParseError> {
        let name = format!("calendar-{:08x}", hash_of_days(calendar));
        let calendars = [(name.as_str(), calendar.clone())];
        let on = |schedule: &Self| {
            let text = schedule.expression();
            if let Some(other) = schedule.calendar() {
                return Err(ParseError::of_second_calendar(text, other));
            }
            let text = format!("{} @{name}", text.trim_ascii());
            Self::parse_with(&text, &calendars)
        };
        match self.members() {
            members if members.len() == 0 => on(self),
            members => Self::any_of(members.map(|it| on(&it)).collect::<Result<Vec<_>, _>>()?),
        }
    }
}

/// Returns a hash of the days, the same on every machine: FNV-1a, with words in place of bytes and both
/// halves of the result.
#[expect(clippy::cast_possible_truncation, reason = "halves of the hash")]
fn hash_of_days(calendar: &Calendar) -> u32 {
    let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = calendar.0.tables().words().iter().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash >> 32) as u32 ^ hash as u32
}
