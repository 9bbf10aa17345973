//! [`Clock`]: formatting instants in a time zone, a million of them in a fraction of a second.

use std::fmt::Write;

use jiff::tz::TimeZone;
use millicron::calendar::{MILLIS_PER_DAY, civil_date, weekday};
use millicron::{CalendarDigits, Field, OffsetSpan, Schedule, Zone, ZoneTable};

/// Formats instants as local times in a time zone.
///
/// It caches the offset and the date of the last instant, as the next instant usually has the same.
#[derive(Debug)]
pub(crate) struct Clock {
    zone: TimeZone,
    table: Option<&'static ZoneTable>,
    span: OffsetSpan,
    day: i64,
    date: String,
    has_milliseconds: bool,
    text: String,
}

impl Clock {
    /// Creates a clock that shows milliseconds if the events of a schedule need them.
    pub(crate) fn new(zone: &TimeZone, schedule: &Schedule) -> Self {
        // The milliseconds are the same in each second, and a window has the same steps each day.
        let mut events = schedule.events(..).take(1000);
        Self { has_milliseconds: events.any(|event| event % 1000 != 0), ..Self::of_zone(zone) }
    }

    /// Creates a clock that shows an instant's milliseconds only if they are not 0.
    pub(crate) fn of_zone(zone: &TimeZone) -> Self {
        Self {
            zone: zone.clone(),
            table: zone.table(),
            span: OffsetSpan { start: 0, end: 0, offset: 0 },
            day: i64::MIN,
            date: String::new(),
            has_milliseconds: false,
            text: String::new(),
        }
    }

    /// Whether an instant is too far from any clock change for an event at it to be affected.
    pub(crate) fn is_steady(&mut self, instant: i64) -> bool {
        // More than clocks have ever been moved.
        const FAR: i64 = 2 * MILLIS_PER_DAY;
        self.local(instant);
        let OffsetSpan { start, end, .. } = self.span;
        (start.saturating_add(FAR)..end.saturating_sub(FAR)).contains(&instant)
    }

    /// Returns a local time for people: `Mon 2026-03-30 09:00:00 +02:00`.
    pub(crate) fn for_people(&mut self, instant: i64) -> &str {
        let day = self.set_day(instant);
        let weekday = Field::Weekday.name_of(weekday(day).into()).unwrap_or_default();
        self.text.clear();
        self.text.push_str(weekday);
        self.text.push(' ');
        self.text.push_str(&self.date);
        self.text.push(' ');
        self.push_time(instant, self.has_milliseconds || instant.rem_euclid(1000) != 0);
        self.text.push(' ');
        self.push_offset();
        &self.text
    }

    /// Returns a local time in RFC 3339 format: `2026-03-30T09:00:00.000+02:00`.
    pub(crate) fn rfc3339(&mut self, instant: i64) -> &str {
        self.civil(instant);
        self.push_offset();
        &self.text
    }

    /// Returns a local time in RFC 3339 format, without an offset: `2026-03-30T09:00:00.000`.
    pub(crate) fn civil(&mut self, instant: i64) -> &str {
        self.set_day(instant);
        self.text.clear();
        self.text.push_str(&self.date);
        self.text.push('T');
        self.push_time(instant, true);
        &self.text
    }

    /// Returns the local time of an instant.
    fn local(&mut self, instant: i64) -> i64 {
        if !(self.span.start..self.span.end).contains(&instant) {
            let known = self.table.and_then(|table| table.offset_span(instant));
            self.span = known.unwrap_or_else(|| OffsetSpan {
                start: instant,
                end: instant,
                offset: self.zone.offset_at(instant),
            });
        }
        instant.saturating_add(self.span.offset.into())
    }

    /// Sets the date to an instant's local date, and returns the day number.
    fn set_day(&mut self, instant: i64) -> i64 {
        let day = self.local(instant).div_euclid(MILLIS_PER_DAY);
        if day != self.day {
            self.day = day;
            let (year, month, day) = civil_date(day);
            self.date.clear();
            let _ = write!(self.date, "{year:04}-{month:02}-{day:02}");
        }
        day
    }

    fn push_time(&mut self, instant: i64, has_milliseconds: bool) {
        let millis = self.local(instant).rem_euclid(MILLIS_PER_DAY).unsigned_abs();
        let [hour, minute, second] = [millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60];
        self.push_two(hour);
        self.text.push(':');
        self.push_two(minute);
        self.text.push(':');
        self.push_two(second);
        if has_milliseconds {
            self.text.push('.');
            self.push_digit(millis % 1000 / 100);
            self.push_two(millis);
        }
    }

    fn push_offset(&mut self) {
        let seconds = self.span.offset / 1000;
        self.text.push(if seconds < 0 { '-' } else { '+' });
        let seconds: u64 = seconds.unsigned_abs().into();
        self.push_two(seconds / 3600);
        self.text.push(':');
        self.push_two(seconds / 60 % 60);
        if !seconds.is_multiple_of(60) {
            self.text.push(':');
            self.push_two(seconds % 60);
        }
    }

    /// Writes the last two digits of a number. Constant divisors make this fast.
    fn push_two(&mut self, number: u64) {
        self.push_digit(number / 10);
        self.push_digit(number);
    }

    /// Writes the last digit of a number.
    fn push_digit(&mut self, number: u64) {
        let digit = u8::try_from(number % 10).unwrap_or_default();
        self.text.push(char::from(b'0' + digit));
    }
}

/// Returns a civil time in RFC 3339 format, without an offset: `2026-03-29T02:30:00.000`.
pub(crate) fn civil_text(civil: CalendarDigits) -> String {
    civil.to_string().replacen(' ', "T", 1)
}

/// Returns the time of day, without seconds and milliseconds if they are 0.
pub(crate) fn time_text(civil: CalendarDigits) -> String {
    let text = civil.to_string();
    let time = text.split_once(' ').map_or(&*text, |(_, time)| time);
    let time = time.strip_suffix(".000").unwrap_or(time);
    // `12:30`, but not `12`.
    time.strip_suffix(":00").filter(|time| time.contains(':')).unwrap_or(time).to_owned()
}

/// Returns the date in ISO 8601 format.
pub(crate) fn iso_date(civil: CalendarDigits) -> String {
    format!("{:04}-{:02}-{:02}", civil.year(), civil.month(), civil.day())
}
