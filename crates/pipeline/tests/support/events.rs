//! A model of a single schedule: its events, its period, and the starts of calendar units.

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use millicron::{Schedule, Unit, ZonedSchedule};

use super::{DAY, HOUR, MINUTE, SECOND};
use crate::oracle::calendar::days;
use crate::oracle::text::Sets;
use crate::oracle::{Oracle, START};
use crate::units::{most_in, unit};

/// An expression, with or without a time zone.
#[derive(Clone, Debug)]
pub(crate) struct ScheduleSpec {
    pub(crate) text: String,
    pub(crate) zone: Option<TimeZone>,
}

pub(crate) fn schedule(when: &ScheduleSpec) -> Schedule {
    when.text.parse().expect("valid schedule")
}

pub(crate) fn zoned(when: &ScheduleSpec) -> Option<ZonedSchedule<TimeZone>> {
    Some(schedule(when).in_zone(when.zone.clone()?))
}

/// The events of one schedule.
pub(crate) struct EventModel {
    sets: Sets,
    civil: Oracle,
    zone: Option<TimeZone>,
    zoned: Option<ZonedSchedule<TimeZone>>,
}

impl EventModel {
    pub(crate) fn new(when: &ScheduleSpec) -> Self {
        Self {
            sets: Sets::read(&when.text).expect("well-formed expression"),
            civil: Oracle::new(&when.text),
            zone: when.zone.clone(),
            zoned: zoned(when),
        }
    }

    pub(crate) fn nearest(&self, instant: i64) -> Option<i64> {
        if let Some(zoned) = &self.zoned {
            return zoned.nearest_event(instant);
        }
        self.civil.nearest(instant)
    }

    pub(crate) fn nearest_prev(&self, instant: i64) -> Option<i64> {
        if let Some(zoned) = &self.zoned {
            return zoned.nearest_prev_event(instant);
        }
        self.civil.nearest_prev(instant)
    }

    /// Returns the start of the unit `back` units before the one that contains `instant`.
    pub(crate) fn start(&self, unit: Unit, back: u32, instant: i64) -> i64 {
        (0..back).fold(self.floor(unit, instant), |start, _| self.floor(unit, start - 1))
    }

    pub(crate) fn floor(&self, unit: Unit, instant: i64) -> i64 {
        match &self.zone {
            Some(zone) => floor_in(zone, unit, instant),
            None => floor(unit, instant),
        }
    }

    /// Returns the start of the first year of the range of schedules.
    pub(crate) fn first_year(&self) -> i64 {
        self.floor(Unit::Year, START + 100 * DAY)
    }

    /// Returns the shortest gap between two events in civil time. A few units are enough to find
    /// it.
    pub(crate) fn shortest_gap(&self) -> i64 {
        let length = match unit(&self.sets) {
            Unit::Millisecond | Unit::Second => 3 * SECOND,
            Unit::Minute => 3 * MINUTE,
            Unit::Hour => 3 * HOUR,
            Unit::Day => 3 * DAY,
            Unit::Week => 22 * DAY,
            Unit::Month | Unit::Year => 40_000 * DAY,
        };
        let events = self.civil.events(&(START..START + length), usize::MAX);
        let gaps = events.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.min().unwrap_or(365 * DAY)
    }

    /// Returns the shortest gap in calendar units.
    pub(crate) fn gap_units(&self) -> (Unit, u32) {
        let gap = self.shortest_gap();
        let lengths = [
            (Unit::Week, 7 * DAY),
            (Unit::Day, DAY),
            (Unit::Hour, HOUR),
            (Unit::Minute, MINUTE),
            (Unit::Second, SECOND),
            (Unit::Millisecond, 1),
        ];
        let divisor = lengths.into_iter().find(|(_, length)| gap % length == 0);
        let (unit, count) = if gap >= 365 * DAY {
            (Unit::Year, nearest_multiple(gap, YEAR))
        } else if gap >= 28 * DAY {
            (Unit::Month, nearest_multiple(gap, YEAR / 12))
        } else {
            divisor.map(|(unit, length)| (unit, gap / length)).expect("1 divides any gap")
        };
        (unit, u32::try_from(count).expect("the count fits"))
    }

    pub(crate) fn period(&self) -> Period {
        let unit = unit(&self.sets);
        Period { unit, count: most_in(unit, &self.sets) }
    }
}

/// The average year, in milliseconds.
const YEAR: i64 = 146_097 * DAY / 400;

/// Returns the number of repetitions of a length that comes closest to a gap.
fn nearest_multiple(gap: i64, length: i64) -> i64 {
    (1..2000).min_by_key(|count| (count * length - gap).abs()).expect("some counts")
}

/// Returns the start of a unit in UTC.
pub(crate) fn floor(unit: Unit, instant: i64) -> i64 {
    let down_to = |length: i64| instant - instant.rem_euclid(length);
    match unit {
        Unit::Millisecond => instant,
        Unit::Second => down_to(SECOND),
        Unit::Minute => down_to(MINUTE),
        Unit::Hour => down_to(HOUR),
        Unit::Day => down_to(DAY),
        // 1970-01-01 was a Thursday.
        Unit::Week => instant - (instant + 3 * DAY).rem_euclid(7 * DAY),
        Unit::Month => first_day(instant, |date| date.day == 1),
        Unit::Year => first_day(instant, |date| date.day == 1 && date.month == 1),
    }
}

/// Returns the last initial day at or before an instant, or an instant in the distant past.
fn first_day(instant: i64, is_initial: impl Fn(&crate::oracle::calendar::Date) -> bool) -> i64 {
    let over = days().partition_point(|date| date.number * DAY <= instant);
    let date = days()[..over].iter().rev().find(|date| is_initial(date));
    date.map_or(START - 1000 * DAY, |date| date.number * DAY)
}

/// Returns the start of a unit in a zone.
fn floor_in(zone: &TimeZone, unit: Unit, instant: i64) -> i64 {
    let now =
        Timestamp::from_millisecond(instant).expect("in range").to_zoned_datetime(zone.clone());
    let day = now.start_of_day().expect("in range");
    let start = match unit {
        Unit::Day => day,
        Unit::Week => {
            let since_monday = now.weekday().since(Weekday::Monday);
            let monday = now.date() - jiff::Span::new().days(since_monday);
            monday
                .to_zoned_datetime(zone.clone())
                .expect("in range")
                .start_of_day()
                .expect("in range")
        }
        Unit::Month => now.first_of_month().and_then(|day| day.start_of_day()).expect("in range"),
        Unit::Year => now.first_of_year().and_then(|day| day.start_of_day()).expect("in range"),
        // The zones of random pipelines have offsets of whole hours.
        _ => return floor(unit, instant),
    };
    start.timestamp().as_millisecond()
}

/// A calendar unit, and the maximum number of events in one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Period {
    pub(crate) unit: Unit,
    pub(crate) count: u64,
}

impl Period {
    pub(crate) fn is_longer_than(self, other: Self) -> bool {
        self.unit > other.unit || self.unit == other.unit && self.count < other.count
    }
}
