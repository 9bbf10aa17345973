//! Times as people write them, named time zones, and durations.

use std::cell::OnceCell;
use std::env;
use std::str::FromStr;
use std::sync::OnceLock;

use jiff::civil::{Date, DateTime, Time as TimeOfDay, Weekday};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::fmt::{rfc2822, temporal};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, ToSpan, ZonedDateTime};
use millicron::{Moment, NamedZone, zone};

use crate::error::{Error, note};

/// Examples of times, for hints and the help.
pub(crate) const FORMS: [&str; 10] = [
    "now",
    "tomorrow 9:00",
    "friday 17:30",
    "14:30",
    "in 2 hours",
    "-1d",
    "2026-11-22",
    "2026-11-22 14:30",
    "2026-11-22 14:30 Europe/Berlin",
    "2026-11-22T14:30:00+01:00",
];

/// The hint for times far from all events.
const FAR_HINT: &str = "write a time in the years 2000 to 2100, which have events";

/// The hint for the output of `date` with an abbreviation of a time zone.
const DATE_HINT: &str =
    "write the output of `date -R`, which has an offset: abbreviations are ambiguous";

/// The hint for an abbreviation of a time zone that does not have it at a time.
const OFFSET_HINT: &str = "write an offset such as `+01:00`, or a name such as `Europe/Berlin`: abbreviations are ambiguous";

/// A time on the command line, to be resolved once the current time and the time zone are known.
#[derive(Clone, Debug)]
pub(crate) struct Time(String);

impl FromStr for Time {
    type Err = &'static str;

    /// Keeps the text unless it looks like an unknown option: `-1d` and `-P1D` are times.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix('-').and_then(|rest| rest.chars().next()) {
            Some(first) if !first.is_ascii_digit() && !first.eq_ignore_ascii_case(&'p') => {
                Err("there is no such option")
            }
            _ => Ok(Self(text.to_owned())),
        }
    }
}

impl Time {
    /// Resolves the text in a time zone, relative to `now`.
    pub(crate) fn resolve(&self, now: &Now, zone: &TimeZone) -> Result<ZonedDateTime, Error> {
        let time = read(self.0.trim(), &now.in_zone(zone)?)?;
        Ok(time.with_time_zone(zone.clone()))
    }

    /// Returns the date that the text names, even if the time zone skips it, or else the date of its instant.
    pub(crate) fn date(&self, now: &Now, zone: &TimeZone) -> Result<Date, Error> {
        match local(self.0.trim(), &now.in_zone(zone)?) {
            Some(civil) => Ok(civil.date()),
            None => Ok(self.resolve(now, zone)?.date()),
        }
    }

    /// Returns the first millisecond at or after the instant that [`resolve`](Self::resolve) returns.
    pub(crate) fn millis(&self, now: &Now, zone: &TimeZone) -> Result<i64, Error> {
        Ok(self.resolve(now, zone)?.position().ceil())
    }
}

/// Reads a time. Without a time zone or offset, it is in the time zone of `now`.
fn read(text: &str, now: &ZonedDateTime) -> Result<ZonedDateTime, Error> {
    let too_far = |_| Error::new(format_args!("`{text}` is too far away")).hint(FAR_HINT);
    // In a fold, its local time would be ambiguous.
    if text.eq_ignore_ascii_case("now") {
        return Ok(now.clone());
    }
    if let Some(civil) = local(text, now) {
        return at(civil, now.time_zone()).map_err(too_far);
    }
    if let Some((civil, name)) = text.split_once('[') {
        return bracketed(text, civil, name);
    }
    if let Some(instant) = instant(text) {
        return Ok(instant.to_zoned_datetime(now.time_zone().clone()));
    }
    if let Some(span) = distance(text) {
        return now.checked_add(span).map_err(too_far);
    }
    let of_date = reordered(text);
    let is_of_date = of_date.is_some();
    let reordered = of_date.or_else(|| with_utc(text));
    let zone_last = reordered.as_deref().unwrap_or(text);
    if let Some((rest, name)) = zone_last.rsplit_once(char::is_whitespace) {
        let zone = match time_zone(Some(name)) {
            Err(error) if is_zone_like(name, now) && civil(rest, now).is_some() => {
                let is_printed = is_of_date && is_capital(name);
                return Err(if is_printed { error.hint(DATE_HINT) } else { error });
            }
            zone => zone.ok(),
        };
        let in_zone =
            zone.and_then(|zone| civil(rest, &now.with_time_zone(zone.clone())).zip(Some(zone)));
        if let Some((civil, zone)) = in_zone {
            let name = zone_name(&zone);
            if !is_abbreviation(&name) {
                return at(civil, &zone).map_err(too_far);
            }
            let time = standard(civil, &zone).map_err(too_far)?;
            return time.ok_or_else(|| {
                let hint = if is_of_date { DATE_HINT } else { OFFSET_HINT };
                let civil = civil.strftime("%F %T");
                Error::new(format_args!("the clocks of {name} show summer time at {civil}"))
                    .hint(hint)
            });
        }
    }
    Err(other_time(text))
}

/// Returns the instant of a local time: the first of two, or the end of a gap that skips it.
fn at(civil: DateTime, zone: &TimeZone) -> Result<ZonedDateTime, jiff::Error> {
    let ambiguous = zone.to_ambiguous_zoned_datetime(civil);
    let gap = match ambiguous.offset() {
        AmbiguousOffset::Gap { after, .. } => Some(after),
        _ => None,
    };
    let time = ambiguous.compatible()?;
    let Some(after) = gap else { return Ok(time) };
    // The gap ends at the clock change, at or before this instant.
    let change = zone.preceding(time.timestamp().saturating_add(SignedDuration::from_nanos(1))?);
    let change = change.take(1).find(|change| change.offset() == after);
    let end = change
        .map_or_else(|| time.clone(), |change| change.timestamp().to_zoned_datetime(zone.clone()));
    if end != time {
        let (civil, name) = (civil.strftime("%F %T"), zone_name(zone));
        let end = end.strftime("%F %T %:z");
        note(format_args!("the clocks of {name} skip {civil}, so it means {end}"));
    }
    Ok(end)
}

/// Returns the instant of a local time in standard time. `None` if the time zone has summer time then.
fn standard(civil: DateTime, zone: &TimeZone) -> Result<Option<ZonedDateTime>, jiff::Error> {
    // Of a time that occurs twice, the second is in standard time.
    let time = zone.to_ambiguous_zoned_datetime(civil).later()?;
    let is_summer = zone.to_offset_info(time.timestamp()).dst().is_dst();
    Ok((!is_summer).then_some(time))
}

/// Returns a text that ends with `Z`, such as `9:00Z`, with the name of that time zone.
fn with_utc(text: &str) -> Option<String> {
    let rest = text.strip_suffix(['Z', 'z'])?.trim_end();
    rest.ends_with(|c: char| c.is_ascii_digit()).then(|| format!("{rest} UTC"))
}

/// Returns the output of `date`, such as `Sun Nov 22 12:00:00 UTC 2026`, with the time zone last.
fn reordered(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>();
    let [first, month, day, time @ .., zone, year] = &words[..] else { return None };
    weekday(first)?;
    // Other times may begin with a weekday, too, and end with a time zone.
    if !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(format!("{first} {day} {month} {year} {} {zone}", time.join(" ")))
}

/// Whether a word after a time is meant as a time zone, as `Europe/Berln`, `UTC+2`, `CEST`, `Munich` and `berlin` are, but
/// not `PM`, `Friday` and `morning`.
fn is_zone_like(word: &str, now: &ZonedDateTime) -> bool {
    let is_of_time =
        ["am", "pm"].iter().any(|it| word.eq_ignore_ascii_case(it)) || civil(word, now).is_some();
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_of_time
        && (word.starts_with(|c: char| c.is_ascii_uppercase())
            || word.contains(['/', '+', '-'])
            || !zone::nearest_zones::<TimeZone>(word).is_empty())
}

/// Whether the name of a time zone is in capitals, as abbreviations such as `CEST` are, several of which mean more than one
/// time zone.
fn is_capital(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether a name is that of a standard time, as `CET` and `EST` are, but not `GB`, `NZ` and `PRC`.
fn is_abbreviation(name: &str) -> bool {
    is_capital(name) && name.ends_with('T')
}

/// Reads a local time from a text that has neither a time zone nor an offset.
fn local(text: &str, now: &ZonedDateTime) -> Option<DateTime> {
    let has_zone = text.contains('[') || instant(text).is_some();
    if has_zone { None } else { civil(text, now) }
}

/// Reads an RFC 9557 time, which ends with a time zone name in brackets.
fn bracketed(text: &str, civil: &str, name: &str) -> Result<ZonedDateTime, Error> {
    let pieces = temporal::Pieces::parse(text).ok();
    let is_local = pieces.is_some_and(|pieces| pieces.offset().is_none());
    let time = match (text.parse::<ZonedDateTime>(), civil.parse::<DateTime>()) {
        (Ok(time), Ok(civil)) if is_local => at(civil, time.time_zone()),
        (time, _) => time,
    };
    time.or_else(|_| {
        let (name, _) = name.split_once(']').ok_or_else(|| other_time(text))?;
        time_zone(Some(name.trim_start_matches('!')))?;
        Err(match civil.parse::<Timestamp>() {
            Ok(_) => no_time(text)
                .hint(format_args!("write an offset that {name} has at that time, or none")),
            Err(_) => other_time(text),
        })
    })
}

fn no_time(text: &str) -> Error {
    Error::new(format_args!("`{text}` is not a time"))
}

/// Returns the error for a text that is not a time, with the reason if it looks like one.
fn other_time(text: &str) -> Error {
    if let Some(reason) = wrong_weekday(text).or_else(|| out_of_range(text)) {
        return no_time(text).hint(reason);
    }
    let [others @ .., last] = &FORMS.map(|form| format!("`{form}`"));
    no_time(text).hint(format_args!("write a time such as {} or {last}", others.join(", ")))
}

/// Returns the weekday of the date of a text that begins with another one.
fn wrong_weekday(text: &str) -> Option<String> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let date = rest.get(..10)?.parse::<Date>().ok()?;
    weekday(word).filter(|weekday| *weekday != date.weekday())?;
    Some(format!("{}", date.strftime("%F is a %A")))
}

/// Returns the range of a number of a date or a time of day that is outside it.
fn out_of_range(text: &str) -> Option<String> {
    let numbers = |word: &str, separator| {
        word.split(separator).map(|number| number.parse().ok()).collect::<Option<Vec<i64>>>()
    };
    text.split(|c: char| c.is_whitespace() || c == 'T').find_map(|word| {
        if let Some([year, month, day]) = numbers(word, '-').as_deref() {
            if !(1..=12).contains(month) {
                return Some("months are from 01 to 12".to_owned());
            }
            let Some(first) = first_of_month(*year, *month) else {
                return Some(FAR_HINT.to_owned());
            };
            let days = first.days_in_month();
            let is_outside = !(1..=i64::from(days)).contains(day);
            return is_outside.then(|| format!("{} has {days} days", first.strftime("%Y-%m")));
        }
        let time = numbers(word, ':').filter(|time| time.len() > 1)?;
        let is_outside = time.iter().zip([23, 59, 59]).any(|(number, last)| *number > last);
        is_outside.then(|| "times of day are from 00:00:00 to 23:59:59".to_owned())
    })
}

fn first_of_month(year: i64, month: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()
}

/// Returns the error for a day that cannot be drawn: the time zone skips it, or it is out of range.
pub(crate) fn no_day(date: Date, zone: &TimeZone) -> Error {
    if (2000..=2100).contains(&date.year()) {
        let zone = zone_name(zone);
        return Error::new(format_args!("the clocks of {zone} skip {date}"))
            .hint("write another day");
    }
    Error::new(format_args!("the day {date} cannot be drawn"))
        .hint("write a day from 2000-01-01 to 2100-12-31")
}

/// Reads a text that means the same instant at all times and in all time zones.
fn instant(text: &str) -> Option<Timestamp> {
    if let Some(seconds) = text.strip_prefix('@') {
        let is_number = seconds.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte));
        let since = is_number.then(|| format!("{seconds}s").parse::<SignedDuration>());
        return Timestamp::from_duration(since?.ok()?).ok();
    }
    let time = text.parse::<Timestamp>().ok();
    time.or_else(|| has_offset(text).then(|| rfc2822::parse(text).ok())?.map(|it| it.timestamp()))
}

/// Whether a text ends with an offset, or with one and a comment, as in RFC 2822, which reads unknown zones such as `CEST`
/// as UTC.
fn has_offset(text: &str) -> bool {
    let time = text.split_once('(').map_or(text, |(time, _comment)| time);
    let last = time.split_whitespace().next_back().unwrap_or_default();
    last.starts_with(['+', '-'])
        || ["GMT", "UT", "UTC", "Z"].iter().any(|it| last.eq_ignore_ascii_case(it))
}

/// Reads a text that means a local time: a day, a time of day, or both.
fn civil(text: &str, now: &ZonedDateTime) -> Option<DateTime> {
    if let Ok(civil) = text.parse::<DateTime>() {
        return Some(civil);
    }
    let text = text.to_ascii_lowercase();
    if let Some(time) = time_of_day(&text) {
        return Some(now.date().to_datetime(time));
    }
    if text == "now" {
        return Some(now.datetime());
    }
    let (date, rest) = leading_date(&text, now.date())?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("at ").unwrap_or(rest);
    let time = if rest.is_empty() { TimeOfDay::midnight() } else { time_of_day(rest)? };
    Some(date.to_datetime(time))
}

/// Reads the day at the beginning of a text in lower case, and returns what follows it.
fn leading_date(text: &str, today: Date) -> Option<(Date, &str)> {
    let formats = [
        "%a %Y-%m-%d",
        "%a %d %b %Y",
        "%a, %d %b %Y",
        "%d %b %Y",
        "%d %B %Y",
        "%b %d %Y",
        "%B %d %Y",
        "%b %d, %Y",
        "%B %d, %Y",
    ];
    let read = |format| {
        let (time, length) = BrokenDownTime::parse_prefix(format, text).ok()?;
        let rest = text.get(length..)?;
        let is_whole = rest.is_empty() || rest.starts_with(char::is_whitespace);
        // Years of two digits are not guessed.
        time.to_date().ok().filter(|date| is_whole && date.year() > 99).zip(Some(rest))
    };
    formats.into_iter().find_map(read).or_else(|| {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        date(word, today).zip(Some(rest))
    })
}

/// Reads a day: a word, a weekday (today or the next one), or an ISO 8601 date.
fn date(word: &str, today: Date) -> Option<Date> {
    match word {
        "today" => Some(today),
        "tomorrow" => today.tomorrow().ok(),
        "yesterday" => today.yesterday().ok(),
        _ => match weekday(word) {
            Some(weekday) => today.checked_add(today.weekday().until(weekday).days()).ok(),
            None => word.parse().ok(),
        },
    }
}

fn weekday(word: &str) -> Option<Weekday> {
    // Abbreviated to three letters, or in full.
    let time = ["%a", "%A"].into_iter().find_map(|format| strtime::parse(format, word).ok());
    time?.weekday()
}

/// Reads a time of day in lower case.
fn time_of_day(text: &str) -> Option<TimeOfDay> {
    match text {
        "midnight" => return Some(TimeOfDay::midnight()),
        "noon" => return Some(TimeOfDay::constant(12, 0, 0, 0)),
        _ => {}
    }
    let formats = ["%H:%M", "%H:%M:%S%.f", "%I:%M%p", "%I:%M %p", "%I:%M:%S %p", "%I%p", "%I %p"];
    let read = |format| strtime::parse(format, text).and_then(|it| it.to_time()).ok();
    formats.into_iter().find_map(read)
}

/// Reads an offset from now: `in 2 hours`, `+90m`, `3 days ago`, `P1M`.
fn distance(text: &str) -> Option<Span> {
    let text = text.to_ascii_lowercase();
    text.strip_prefix("in ").unwrap_or(&text).trim().parse().ok()
}

/// Reads a duration that is not negative.
pub(crate) fn span(text: &str) -> Result<Span, Error> {
    let span = text.trim().parse::<Span>().ok().filter(|span| !span.is_negative());
    span.ok_or_else(|| {
        Error::new(format_args!("`{text}` is not a duration"))
            .hint("write one such as `90s`, `1h 30m` or `2 days`")
    })
}

/// Reads a number of events, at least 1.
pub(crate) fn positive(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("write a whole number, 1 or more")
}

/// The current time: the system clock's, or that of `--now`.
#[derive(Debug)]
pub(crate) struct Now {
    chosen: Option<Time>,
    /// Resolved once, as `--now` is read in a time zone that is known only after the schedule.
    instant: OnceCell<Timestamp>,
}

impl Now {
    pub(crate) fn new(chosen: Option<Time>) -> Result<Self, Error> {
        let instant = OnceCell::new();
        if let Some(Time(text)) = &chosen {
            let (text, now) = (text.trim(), Timestamp::now().to_zoned_datetime(TimeZone::UTC));
            // Not all commands need it, so errors are found here.
            let time = read(text, &now)?;
            // A text with a time zone is not read again in another one, since reading may write a note.
            if local(text, &now).is_none() && distance(text).is_none() {
                instant.get_or_init(|| time.timestamp());
            }
        }
        Ok(Self { chosen, instant })
    }

    /// Whether it is set by `--now` rather than taken from the system clock.
    #[cfg(unix)]
    pub(crate) const fn is_chosen(&self) -> bool {
        self.chosen.is_some()
    }

    /// Returns the current time in the time zone in which a command reads times.
    pub(crate) fn in_zone(&self, zone: &TimeZone) -> Result<ZonedDateTime, Error> {
        let instant = match (self.instant.get(), &self.chosen) {
            (Some(instant), _) => *instant,
            (None, None) => Timestamp::now(),
            (None, Some(Time(text))) => {
                read(text.trim(), &Timestamp::now().to_zoned_datetime(zone.clone()))?.timestamp()
            }
        };
        Ok(self.instant.get_or_init(|| instant).to_zoned_datetime(zone.clone()))
    }

    /// Returns the first millisecond at or after now.
    pub(crate) fn millis(&self, zone: &TimeZone) -> Result<i64, Error> {
        Ok(self.in_zone(zone)?.position().ceil())
    }
}

/// Returns a [named](named_zone) time zone, or without a name, the machine's.
pub(crate) fn time_zone(name: Option<&str>) -> Result<TimeZone, Error> {
    match name {
        Some(name) => named_zone(name).map_err(|(message, hint)| Error::new(message).hint(hint)),
        None => Ok(system_zone()),
    }
}

/// Returns the time zone for a name or an offset such as `+02:00`; otherwise a message and a hint.
pub(crate) fn named_zone(name: &str) -> Result<TimeZone, (String, String)> {
    TimeZone::named(name).or_else(|| offset_zone(name)).ok_or_else(|| {
        let nearest = match offset_from_utc(name) {
            Some(offset) => vec![offset],
            None => zone::nearest_zones::<TimeZone>(name),
        };
        let hint = match &nearest[..] {
            [] => {
                "write a name such as `Europe/Berlin`, `UTC`, or an offset such as `+02:00`".into()
            }
            nearest => format!("write `{}`", nearest.join("` or `")),
        };
        (format!("unknown time zone `{name}`"), hint)
    })
}

/// Returns the time zone for an offset such as `+02:00`, in whole minutes and of less than a day.
fn offset_zone(offset: &str) -> Option<TimeZone> {
    // jiff also reads texts as in the variable `TZ`, in which `UTC+2` is behind UTC.
    let is_offset = offset.starts_with(['+', '-']);
    let zone =
        is_offset.then(|| temporal::DateTimeParser::new().parse_time_zone(offset).ok())??;
    let seconds = zone.to_fixed_offset().ok()?.seconds();
    // RFC 3339 has no others.
    (seconds % 60 == 0 && seconds.abs() < 24 * 60 * 60).then_some(zone)
}

/// Returns an offset such as `+02:00` for itself, and for `UTC+2`.
pub(crate) fn offset_from_utc(text: &str) -> Option<String> {
    match hours_from_utc(text) {
        Some(hours) => Some(millicron_pictures::offset(hours * 3_600_000)),
        None => offset_zone(text).map(|_| text.to_owned()),
    }
}

/// Returns by how many hours `UTC+2` or `GMT+2` is ahead of UTC for those who write it.
fn hours_from_utc(name: &str) -> Option<i64> {
    let hours = ["UTC", "GMT"].into_iter().find_map(|prefix| name.strip_prefix(prefix))?;
    hours.parse().ok().filter(|hours| (-23..=23).contains(hours))
}

/// Returns the time zone of the machine, or else UTC.
fn system_zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    let zone = || match TimeZone::try_system() {
        // As on machines where no time zone has been set.
        Ok(zone) if matches!(zone.iana_name(), Some("Etc/UTC" | "Etc/Unknown")) => TimeZone::UTC,
        Ok(zone) => zone,
        Err(_) => {
            if let Some(name) = env::var_os("TZ").filter(|name| !name.is_empty()) {
                let name = name.display();
                note(format_args!(
                    "the variable TZ is `{name}`, which is not a time zone: times are in UTC"
                ));
            }
            TimeZone::UTC
        }
    };
    ZONE.get_or_init(zone).clone()
}

/// Returns the name of a time zone, or its offset.
pub(crate) fn zone_name(zone: &TimeZone) -> String {
    match (zone.iana_name(), zone.to_fixed_offset()) {
        (Some(name), _) => name.to_owned(),
        (None, Ok(offset)) => millicron_pictures::offset(i64::from(offset.seconds()) * 1000),
        (None, Err(_)) => String::from("local time"),
    }
}
