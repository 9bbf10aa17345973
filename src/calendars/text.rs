//! The text of a calendar.

use core::fmt;

use millicron_runtime::days::date_at;
use millicron_runtime::{CalendarError, parse_calendar};

use super::named::ByName;
use super::{Calendar, Calendars, DAYS};
use crate::Field;

impl Calendar {
    /// Reads the text of a calendar: a line for each step, each of which adds days or, after `-`,
    /// removes them. What a later line says of a day holds. See
    /// [the language](crate#the-language).
    ///
    /// # Errors
    ///
    /// Returns an error if a line is not in the language of calendars or names another calendar, or
    /// if the calendar has no days.
    ///
    /// ```
    /// use millicron::Calendar;
    ///
    /// let error = Calendar::parse("*.*.* Mon-Fri\n- *.13.25").unwrap_err();
    /// assert_eq!((error.line(), error.column()), (2, 5));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2, column 5: month `13` is out of range: expected 1-12, or Jan-Dec",
    /// );
    /// ```
    pub fn parse(text: &str) -> Result<Self, CalendarError> {
        Self::parse_with(text, &())
    }

    /// Reads the text of a calendar with others, which it names by `@name`.
    ///
    /// # Errors
    ///
    /// Returns an error if a line is not in the language of calendars or names a calendar that is
    /// not known, or if the calendar has no days.
    ///
    /// ```
    /// use millicron::Calendar;
    ///
    /// let holidays = Calendar::parse("*.1.1\n*.12.25,26")?;
    /// let office = Calendar::parse_with("*.*.* Mon-Fri\n- @holidays", &[("holidays", holidays)])?;
    /// assert_eq!(office, Calendar::parse("*.*.* Mon-Fri\n- *.1.1\n- *.12.25,26")?);
    /// # Ok::<(), millicron::CalendarError>(())
    /// ```
    pub fn parse_with(text: &str, calendars: &dyn Calendars) -> Result<Self, CalendarError> {
        parse_calendar(text, &ByName(calendars)).map(Self)
    }
}

impl core::str::FromStr for Calendar {
    type Err = CalendarError;

    /// Reads the text of a calendar; see [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// Writes a text that parses back to an equal calendar, except that an empty calendar has no text:
/// the weekdays on which most of its days are, and a line for each run of other days.
impl fmt::Display for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.0.tables();
        let weekdays = self.common_weekdays();
        let is_regular = |day: u32| weekdays >> weekday(day) & 1 == 1;
        let mut separator = "";
        if weekdays != 0 || self.is_empty() {
            separator = "\n";
            f.write_str(if self.is_empty() { "- " } else { "" })?;
            write_weekdays(f, weekdays)?;
        }
        let mut day = 0;
        while let Some(first) = (day..DAYS).find(|day| tables.contains(*day) != is_regular(*day)) {
            let is_added = tables.contains(first);
            // As far as the days are alike, a range says of all of them what they are.
            let end = (first..DAYS).find(|day| tables.contains(*day) != is_added).unwrap_or(DAYS);
            let is_other = |day: &u32| is_regular(*day) != is_added;
            let last = (first..end).rev().find(is_other).unwrap_or(first);
            let sign = if is_added { "+" } else { "-" };
            write!(f, "{separator}{sign} {}", IsoDate(date_at(first)))?;
            if last > first {
                write!(f, "..={}", IsoDate(date_at(last)))?;
            }
            separator = "\n";
            day = end;
        }
        Ok(())
    }
}

impl Calendar {
    /// Returns the weekdays, as bits from Sunday, of which the calendar has most between its first
    /// and its last day.
    fn common_weekdays(&self) -> u8 {
        let tables = self.0.tables();
        let mut counts = [(0, 0); 7];
        for day in tables.first()..=tables.last() {
            let (count, total) = &mut counts[weekday(day)];
            *count += u32::from(tables.contains(day));
            *total += 1;
        }
        let is_common = |&(count, total): &(u32, u32)| 2 * count > total;
        (0..7).fold(0, |bits, day| bits | u8::from(is_common(&counts[day])) << day)
    }
}

/// Returns the weekday of a day of the range, from 0 for Sunday. Day 0 is a Saturday.
const fn weekday(day: u32) -> usize {
    (day as usize + 6) % 7
}

/// Writes the days on some weekdays.
fn write_weekdays(f: &mut fmt::Formatter<'_>, weekdays: u8) -> fmt::Result {
    f.write_str("*.*.*")?;
    if matches!(weekdays, 0 | 0x7f) {
        return Ok(());
    }
    f.write_str(" ")?;
    if weekdays == 0b011_1110 {
        return f.write_str("Mon-Fri");
    }
    let names = (0..7).filter(|day| weekdays >> day & 1 == 1);
    let mut separator = "";
    for day in names {
        write!(f, "{separator}{}", Field::Weekday.name_of(day).unwrap_or_default())?;
        separator = ",";
    }
    Ok(())
}

/// A date as `yyyy-MM-dd`.
pub(super) struct IsoDate(pub(super) (i32, u8, u8));

impl fmt::Display for IsoDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self((year, month, day)) = self;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}
