//! Intervals of days in local time, compared with the civil arithmetic of jiff.

use std::cmp::Reverse;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan as _, ZonedDateTime};
use millicron::{
    Fold, Gap, IntervalBuilder, IntervalError, IntoRecurrence as _, Recurrence, ZonedSchedule,
    every, schedule,
};

/// Zones, and a year with interesting changes: at night, at midnight, by half an hour, by a day.
const ZONES: [(&str, i16); 6] = [
    ("Europe/Berlin", 2026),
    ("America/New_York", 2026),
    ("America/Sao_Paulo", 2018),
    ("Australia/Lord_Howe", 2026),
    ("Pacific/Apia", 2011),
    ("Asia/Kathmandu", 2026),
];

const TIMES: [&str; 6] = ["00:00", "00:15", "02:30", "03:00", "12:00:30", "23:59:59.999"];

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a zone of the database")
}

/// Returns instants around the clock changes of a year, and some far from any.
fn starts(zone: &TimeZone, year: i16) -> Vec<Timestamp> {
    let january = TimeZone::UTC.to_timestamp(Date::constant(year, 1, 1).into()).expect("a date");
    let end = january + 366.hours() * 24;
    let changes = zone.following(january).map(|change| change.timestamp());
    let changes = changes.take_while(|change| *change < end);
    let minutes = [-3000, -1500, -135, -90, -31, 0, 14, 29, 30, 59, 60, 95, 1500];
    let around = changes.flat_map(|change| minutes.map(|n| change + SignedDuration::from_mins(n)));
    let all: Vec<_> = around.chain([january, january + 5000.hours()]).collect();
    let milli = 1.milliseconds();
    all.into_iter().flat_map(|start| [start - milli, start, start + milli]).collect()
}

/// Which of the two instants of a local time in a fold is meant.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    First,
    Second,
}

/// Returns the instant of a local time; in a gap, the first one after it.
fn resolve(zone: &TimeZone, local: DateTime, pass: Pass) -> Timestamp {
    let ambiguous = zone.to_ambiguous_timestamp(local);
    let resolved = match ambiguous.offset() {
        AmbiguousOffset::Gap { .. } => {
            let after = ambiguous.later().expect("an instant");
            let changes = &mut zone.preceding(after + 1.nanosecond());
            return changes.next().expect("the change of the gap").timestamp();
        }
        AmbiguousOffset::Fold { .. } if pass == Pass::Second => ambiguous.later(),
        _ => ambiguous.earlier(),
    };
    resolved.expect("an instant")
}

/// The expected events: every `count`-th day from a date, at a local time.
struct Expected {
    date: Date,
    time: Time,
    pass: Pass,
    count: u32,
}

impl Expected {
    /// Without a time of day: from `skipped` intervals after the start.
    fn from(start: &ZonedDateTime, count: u32, skipped: u32, pass: Pass) -> Self {
        let date = start.date() + i64::from(skipped * count).days();
        Self { date, time: start.time(), pass, count }
    }

    /// With a time of day: from its first occurrence at or after the start.
    fn at(start: &ZonedDateTime, count: u32, time: Time) -> Self {
        let resolved =
            |date: &Date| resolve(start.time_zone(), date.to_datetime(time), Pass::First);
        let dates = (-1..3).map(|day| start.date() + day.days());
        let later = dates.filter(|date| resolved(date) >= start.timestamp());
        // Midnight of a skipped day resolves to the start of the next day, and belongs to that day.
        let date = later.min_by_key(|date| (resolved(date), Reverse(*date)));
        let date = date.expect("a day");
        Self { date, time, pass: Pass::First, count }
    }

    fn check(&self, interval: &ZonedSchedule<TimeZone>, label: &str) {
        let zone = interval.zone();
        let local = (0..12).map(|n| self.date + i64::from(n * self.count).days());
        let events = local.map(|date| resolve(zone, date.to_datetime(self.time), self.pass));
        let mut expected: Vec<_> = events.collect();
        // A day that the clocks skip resolves to the same instant as the next one.
        expected.dedup();
        let found: Vec<_> = interval.events(Timestamp::MIN..).take(expected.len()).collect();
        assert_eq!(found, expected, "{label}: {}", interval.schedule());
    }
}

/// Calls `check` with each zone, start and number of days.
fn for_each_start(mut check: impl FnMut(&ZonedDateTime, u32, &str)) {
    for (name, year) in ZONES {
        for start in starts(&zone(name), year) {
            for count in [1, 2, 7, 30] {
                let start = ZonedDateTime::new(start, zone(name));
                check(&start, count, &format!("every {count} days from {start}"));
            }
        }
    }
}

/// Returns which pass of a fold an instant is in, or the first pass outside folds.
fn pass(start: &ZonedDateTime) -> Pass {
    let first = resolve(start.time_zone(), start.datetime(), Pass::First);
    if first == start.timestamp() { Pass::First } else { Pass::Second }
}

#[test]
fn first_event_is_the_instant_that_days_count_from() {
    let mut passes = [0, 0];
    for_each_start(|start, count, label| {
        let millis = start.timestamp().as_millisecond();
        let days = every(count).days().in_zone(start.time_zone().clone());
        let expected = Expected::from(start, count, 0, pass(start));
        passes[usize::from(pass(start) == Pass::Second)] += 1;
        for interval in [
            days.clone().from(start).into_recurrence(0),
            days.immediately().into_recurrence(millis),
            every(count).days().from(millis).in_zone(start.time_zone().clone()).into_recurrence(7),
        ] {
            let interval = interval.expect("a valid interval");
            assert_eq!(interval.nearest_event(i64::MIN), Some(millis), "{label}");
            expected.check(&interval, label);
        }
    });
    assert!(passes.iter().all(|count| *count > 50), "{passes:?}");
}

#[test]
fn first_event_is_days_after_the_local_date_of_the_first_use() {
    for_each_start(|start, count, label| {
        let interval = every(count).days().in_zone(start.time_zone().clone());
        let interval = interval.into_recurrence(start.timestamp().as_millisecond());
        let expected = Expected::from(start, count, 1, Pass::First);
        expected.check(&interval.expect("a valid interval"), label);
    });
}

#[test]
fn first_event_is_the_first_local_time_of_day_at_or_after_the_start() {
    for_each_start(|start, count, label| {
        let millis = start.timestamp().as_millisecond();
        for text in TIMES {
            let time: Time = text.parse().expect("a time of day");
            let expected = Expected::at(start, count, time);
            let days = every(count).days().in_zone(start.time_zone().clone()).at(text);
            for interval in
                [days.clone().from(start).into_recurrence(0), days.into_recurrence(millis)]
            {
                let interval = interval.expect("a valid interval");
                expected.check(&interval, &format!("{label} at {text}"));
            }
        }
    });
}

#[test]
fn result_is_the_schedule_of_every_nth_day_with_its_default_policies() {
    let now: Timestamp = "2026-11-21T12:00:00Z".parse().expect("an instant");
    let now = now.as_millisecond();
    let berlin = zone("Europe/Berlin");
    let days = every(2).days().in_zone(berlin.clone());

    let at = days.clone().at("03:30").into_recurrence(now).expect("a valid interval");
    assert_eq!(at, schedule!("2026.11.22/2d 03:30:00").in_zone(berlin.clone()));
    assert_eq!(at.schedule().expression(), "2026.11.22/2d 03:30:00");
    assert_eq!((at.gap(), at.fold()), (Gap::Shift, Fold::First));
    assert!(at.is_zoned() && Recurrence::interval(&at).is_none());

    let from = days.clone().from(now + 1).into_recurrence(0).expect("a valid interval");
    assert_eq!(from, schedule!("2026.11.21/2d 13:00:00.001").in_zone(berlin.clone()));
    let plain = days.into_recurrence(now).expect("a valid interval");
    assert_eq!(plain, schedule!("2026.11.23/2d 13:00:00").in_zone(berlin));
}

#[test]
fn second_pass_of_a_fold_is_kept_and_can_be_changed() {
    let start: ZonedDateTime =
        "2026-10-25T02:30:00+01:00[Europe/Berlin]".parse().expect("an instant");
    let daily = every(1).days().in_zone(zone("Europe/Berlin")).from(&start);
    let daily = daily.into_recurrence(0).expect("a valid interval");
    assert_eq!(daily.fold(), Fold::Second);
    assert_eq!(daily.nearest_event(Timestamp::MIN), Some(start.timestamp()));
    let both = daily.with_fold(Fold::Both);
    assert_eq!(both.nearest_event(Timestamp::MIN), Some(start.timestamp() - 1.hour()));

    // If the start is not an event, events are in the first pass. The event at 02:45 is before the start.
    let daily = || every(1).days().in_zone(zone("Europe/Berlin"));
    for builder in [daily(), daily().at("02:45")] {
        let interval = builder.into_recurrence(start.timestamp().as_millisecond());
        let interval = interval.expect("a valid interval");
        assert_eq!(interval.fold(), Fold::First);
        let first = interval.nearest_event(&start).expect("an event on each day");
        assert_eq!(first.date(), start.date() + 1.day());
    }
}

#[test]
fn intervals_in_a_zone_start_between_2000_and_2100() {
    let utc = || every(10).days().in_zone(TimeZone::UTC);
    let first = 946_684_800_000; // 2000-01-01 00:00:00
    let last = 4_133_980_799_999; // 2100-12-31 23:59:59.999
    for start in [first, last] {
        let interval = utc().from(start).into_recurrence(0).expect("a valid interval");
        assert_eq!(interval.nearest_event(i64::MIN), Some(start));
    }
    for outside in [first - 1, last + 1, 0, i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX] {
        for builder in [utc().from(outside), utc().from(outside).at("03:30")] {
            assert_eq!(builder.into_recurrence(first).err(), Some(IntervalError::OutsideYears));
        }
        for builder in [utc(), utc().immediately(), utc().at("03:30")] {
            assert_eq!(builder.into_recurrence(outside).err(), Some(IntervalError::OutsideYears));
        }
    }
    // The start is in range, but its first event is not.
    for builder in [utc(), utc().at("03:30")] {
        assert_eq!(builder.into_recurrence(last).err(), Some(IntervalError::OutsideYears));
    }
    // Years are counted in local time: midnight of 2000 in Berlin, an hour before UTC.
    let berlin = every(10).days().in_zone(zone("Europe/Berlin"));
    let hour = 3_600_000;
    assert!(berlin.clone().from(first - hour).into_recurrence(0).is_ok());
    assert!(berlin.from(last).into_recurrence(0).is_err());
}

#[test]
fn steps_longer_than_the_years_leave_the_first_event() {
    let start = 1_795_219_200_000; // 2026-11-21 00:00:00
    for count in [30_000, 36_890, u32::MAX] {
        let days = every(count).days().in_zone(TimeZone::UTC);
        let interval = days.clone().from(start).into_recurrence(0).expect("a valid interval");
        assert_eq!(interval.events(..).collect::<Vec<i64>>(), [start]);
        assert_eq!(days.into_recurrence(start).err(), Some(IntervalError::OutsideYears));
    }
}

#[test]
fn zones_refuse_other_units_and_invalid_parts() {
    let error = |builder: IntervalBuilder| {
        let interval = builder.in_zone(TimeZone::UTC).into_recurrence(1_795_219_200_000);
        interval.expect_err("an invalid interval")
    };
    for builder in [
        every(24).hours(),
        every(1440).minutes().at("03:30"),
        every(86_400).seconds().from(0),
        every(86_400_000).milliseconds().immediately(),
    ] {
        assert_eq!(error(builder), IntervalError::ZoneWithoutDays);
    }
    assert_eq!(error(every(0).days()), IntervalError::ZeroPeriod);
    assert_eq!(error(every(1).days().at("24:00")), IntervalError::TimeOfDay);
    let contradiction = every(1).days().immediately().at("03:30");
    assert_eq!(error(contradiction), IntervalError::ImmediateWithStart);
}
