//! [`Description`]: the meaning of a schedule in plain English.

mod business;
mod date;
mod nested;
mod numbers;
mod set;
mod time;
mod words;
mod writer;

use core::fmt::{self, Write};

use millicron_runtime::{self as runtime, Expression};

use crate::Schedule;
use date::Date;
use time::Time;
use writer::Writer;

/// The meaning of a schedule in plain English, returned by [`Schedule::describe`].
///
/// Its `Display` writes one sentence, without a full stop and without allocating.
///
/// A description is exact: schedules with the same description, and the same calendars, have the same events, except
/// when the clocks change. It uses these words:
///
/// - "from 09:30 until 16:00" does not include 16:00, "from 09:30 through 16:00" does.
/// - "every 15 minutes" alone starts at midnight. A day is a whole day, from 00:00 until midnight.
/// - "every 2nd minute" alone starts with minute 0, "every 2nd hour" with 00:00.
/// - "The 3rd day before the last day" is `L-3`: the 28th in a month of 31 days.
/// - "Fridays that fall on the 13th" are days that are both. "The 13th and Fridays" are days that
///   are either.
/// - "The Monday-to-Friday day nearest to the 15th" is in the same month as the 15th.
/// - "At 09:00 on Mondays; and at 10:00 on Tuesdays" is a union.
/// - "Business days" are the days of the schedule's calendar or, without one, Monday to Friday. "The
///   first business day on or after the 15th" may be in the next month, and "the business day on or
///   after the 15th (or before it, to stay in the month)" is the last one before it if there is none
///   in the rest of the month.
/// - "Every second week from 5 January 2026" is the seven days that begin with that date, and every
///   second such week after them.
///
/// ```
/// use millicron::{Schedule, schedule};
///
/// const OPENING: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
/// assert_eq!(OPENING.describe().to_string(), "At 09:30 on Monday to Friday");
/// ```
#[derive(Clone, Debug)]
pub struct Description {
    schedule: runtime::Schedule,
    has_twelve_hours: bool,
}

impl Schedule {
    /// Describes the schedule in plain English.
    ///
    /// The description parses the text of the schedule again, which takes a fraction of a
    /// microsecond.
    ///
    /// ```
    /// use millicron::Schedule;
    ///
    /// let describe = |text| Schedule::parse(text).map(|schedule| schedule.describe().to_string());
    ///
    /// assert_eq!(describe("00:00:00")?, "Every day at midnight");
    /// assert_eq!(describe("*.*.* Mon,Thu 9,17:0:0")?, "At 09:00 and 17:00 on Mondays and Thursdays");
    /// assert_eq!(describe("*.*.32 12:00:00")?, "On the last day of the month at noon");
    /// assert_eq!(describe("*.12.25 08:00:00")?, "On 25 December at 08:00");
    /// assert_eq!(describe("*:*/5:00")?, "Every 5 minutes");
    /// assert_eq!(describe("*:5,35:00")?, "At 5 and 35 minutes past every hour");
    /// assert_eq!(describe("*.*.* Fri#2 10:00:00")?, "On the second Friday of the month at 10:00");
    /// assert_eq!(describe("*.*.13 Fri 09:00:00")?, "On Friday the 13th at 09:00");
    /// assert_eq!(describe("*.*.13 | Fri 09:00:00")?, "On the 13th and on Fridays at 09:00");
    /// assert_eq!(
    ///     describe("*.*.* Mon-Fri 09:30:00..16:00:00/250ms")?,
    ///     "Every 250 ms from 09:30 until 16:00, Monday to Friday",
    /// );
    /// assert_eq!(
    ///     describe("*.*.* Fri 22:00:00..06:00:00/30m")?,
    ///     "Every 30 minutes from 22:00 on Fridays until 06:00 the next day",
    /// );
    /// assert_eq!(
    ///     describe("2026.01.05/2w Mon,Thu 09:00:00")?,
    ///     "On Monday and Thursday of every second week from 5 January 2026 at 09:00",
    /// );
    /// assert_eq!(
    ///     describe("*.*.* B#3 09:00:00")?,
    ///     "On the third business day of the month at 09:00",
    /// );
    /// assert_eq!(
    ///     describe("*.*.25<B-2 12:00:00")?,
    ///     "On the second business day before the last business day on or before the 25th of the \
    ///      month at noon",
    /// );
    /// assert_eq!(
    ///     describe("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00")?,
    ///     "At 09:00 on Mondays; and at 10:00 on Tuesdays",
    /// );
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    #[must_use]
    pub fn describe(&self) -> Description {
        Description { schedule: self.0.clone(), has_twelve_hours: false }
    }
}

impl Description {
    /// Writes times of day with AM and PM.
    ///
    /// ```
    /// const OPENING: millicron::Schedule = millicron::schedule!("*.*.* Mon-Fri 9,17:30:00");
    /// assert_eq!(
    ///     OPENING.describe().with_twelve_hour_clock().to_string(),
    ///     "At 9:30 AM and 5:30 PM on Monday to Friday",
    /// );
    /// ```
    #[must_use]
    pub fn with_twelve_hour_clock(self) -> Self {
        Self { has_twelve_hours: true, ..self }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Writer::new(f, self.has_twelve_hours);
        let members = self.schedule.members();
        if members.is_empty() {
            return write_schedule(f, &self.schedule);
        }
        for (place, member) in members.iter().enumerate() {
            f.write_str(match place {
                0 => "",
                _ if place + 1 == members.len() => "; and ",
                _ => "; ",
            })?;
            write_schedule(f, member)?;
        }
        Ok(())
    }
}

/// Writes the description of a schedule that is no union.
fn write_schedule(f: &mut Writer<'_>, schedule: &runtime::Schedule) -> fmt::Result {
    write_expression(f, &schedule.expression())?;
    match schedule.calendar() {
        Some(name) => write!(f, ", on the days of `{name}`"),
        None => Ok(()),
    }
}

/// Writes the description of an expression.
fn write_expression(f: &mut Writer<'_>, expression: &Expression) -> fmt::Result {
    let (date, time) = (Date::of(expression), Time::of(expression));
    if !time.is_list() {
        time.write(f, false)?;
        write_date_behind(f, &date, &time)
    } else if date.is_weekdays() {
        time.write(f, false)?;
        f.write_str(" ")?;
        date.write(f, false)
    } else {
        date.write(f, false)?;
        f.write_str(" ")?;
        time.write(f, date.is_every_day())
    }
}

/// Writes the date after a time that repeats.
fn write_date_behind(f: &mut Writer<'_>, date: &Date<'_>, time: &Time) -> fmt::Result {
    if date.is_every_day() {
        return time.write_next_day(f);
    }
    if !time.is_overnight() && date.is_months() {
        f.write_str(" ")?;
        return date.write_months(f);
    }
    if !time.is_overnight() && date.is_range_of_weekdays() {
        // "Every 5 minutes, Monday to Friday"
        f.write_str(", ")?;
        return date.write_weekdays(f);
    }
    // "Every 5 minutes from 22:00 on Fridays until 06:00 the next day"
    f.write_str(" ")?;
    date.write(f, true)?;
    time.write_next_day(f)
}
