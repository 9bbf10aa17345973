//! When a job runs: the events of one schedule, the units of the calendar, and how long
//! the period of a schedule is.

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use millicron::Schedule;
use millicron::Unit;
use millicron::ZonedSchedule;

use super::{DAY, HOUR, MINUTE, SECOND};
use crate::oracle::calendar::days;
use crate::oracle::text::Sets;
use crate::oracle::{Oracle, START};
use crate::units::{most_in, unit};

/// When a job runs: a text, perhaps by the clocks of a zone.
#[derive(Clone, Debug)]
pub(crate) struct When {
    pub(crate) text: String,
    pub(crate) zone: Option<TimeZone>,
}

pub(crate) fn schedule(when: &When) -> Schedule {
    when.text.parse().expect("a schedule")
}

pub(crate) fn zoned(when: &When) -> Option<ZonedSchedule<TimeZone>> {
    Some(schedule(when).in_zone(when.zone.clone()?))
}

/// The events of one schedule.
pub(crate) struct Clock {
    sets: Sets,
    civil: Oracle,
    zone: Option<TimeZone>,
    zoned: Option<ZonedSchedule<TimeZone>>,
}

impl Clock {
    pub(crate) fn new(when: &When) -> Self {
        Self {
            sets: Sets::read(&when.text).expect("a well-formed text"),
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

    /// Where the unit begins that an instant is in, or one some units before that.
    pub(crate) fn start(&self, unit: Unit, back: u32, instant: i64) -> i64 {
        (0..back).fold(self.floor(unit, instant), |start, _| self.floor(unit, start - 1))
    }

    pub(crate) fn floor(&self, unit: Unit, instant: i64) -> i64 {
        match &self.zone {
            Some(zone) => floor_in(zone, unit, instant),
            None => floor(unit, instant),
        }
    }

    /// Where the years of schedules begin.
    pub(crate) fn first_year(&self) -> i64 {
        self.floor(Unit::Year, START + 100 * DAY)
    }

    pub(crate) fn period(&self) -> Period {
        let unit = unit(&self.sets);
        Period { unit, count: most_in(unit, &self.sets) }
    }
}

/// Where a unit of civil time begins.
pub(crate) fn floor(unit: Unit, instant: i64) -> i64 {
    let down_to = |length: i64| instant - instant.rem_euclid(length);
    match unit {
        Unit::Millisecond => instant,
        Unit::Second => down_to(SECOND),
        Unit::Minute => down_to(MINUTE),
        Unit::Hour => down_to(HOUR),
        Unit::Day => down_to(DAY),
        // It was a Thursday.
        Unit::Week => instant - (instant + 3 * DAY).rem_euclid(7 * DAY),
        Unit::Month => first_day(instant, |date| date.day == 1),
        Unit::Year => first_day(instant, |date| date.day == 1 && date.month == 1),
    }
}

/// The last day of a kind that is not after an instant; long ago where there is none.
fn first_day(instant: i64, is_first: impl Fn(&crate::oracle::calendar::Date) -> bool) -> i64 {
    let over = days().partition_point(|date| date.number * DAY <= instant);
    let date = days()[..over].iter().rev().find(|date| is_first(date));
    date.map_or(START - 1000 * DAY, |date| date.number * DAY)
}

/// Where a unit begins by the clocks of a zone.
fn floor_in(zone: &TimeZone, unit: Unit, instant: i64) -> i64 {
    let now = Timestamp::from_millisecond(instant).expect("an instant").to_zoned(zone.clone());
    let day = now.start_of_day().expect("a day");
    let start = match unit {
        Unit::Day => day,
        Unit::Week => {
            let since_monday = now.weekday().since(Weekday::Monday);
            let monday = now.date() - jiff::Span::new().days(since_monday);
            monday.to_zoned(zone.clone()).expect("a day").start_of_day().expect("a day")
        }
        Unit::Month => now.first_of_month().and_then(|day| day.start_of_day()).expect("a day"),
        Unit::Year => now.first_of_year().and_then(|day| day.start_of_day()).expect("a day"),
        // Pipelines in zones are drawn with whole hours of offset.
        _ => return floor(unit, instant),
    };
    start.timestamp().as_millisecond()
}

/// A unit of the calendar, and how many events there are in one.
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
