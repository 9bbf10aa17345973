//! Expected events around well-known clock changes, written by hand.

use super::Unprepared;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ZonedDateTime};
use millicron::{Fold, Gap, Resolution, Schedule, ZonedSchedule, schedule};

fn zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).expect("a zone of the database")
}

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Describes the events from `start` to before `end`: local time and offset, then the pass of a
/// fold, or the civil time that was shifted out of a gap.
fn describe_events(zoned: &ZonedSchedule<TimeZone>, start: &str, end: &str) -> Vec<String> {
    let describe = |event: Timestamp| {
        let shown =
            ZonedDateTime::new(event, zoned.zone().clone()).strftime("%F %H:%M %:z").to_string();
        let occurrence = zoned.occurrence(event).expect("an event should have an occurrence");
        assert_eq!(occurrence.instant, event);
        match occurrence.resolution {
            Resolution::Unique => shown,
            Resolution::FirstPass => format!("{shown} first"),
            Resolution::SecondPass => format!("{shown} second"),
            Resolution::Shifted => {
                let civil = occurrence.civil.to_string();
                format!("{shown} for {}", civil.trim_end_matches(":00.000"))
            }
        }
    };
    let range = instant(start)..instant(end);
    let unprepared = zoned.schedule().in_zone(Unprepared(zoned.zone()));
    let unprepared = unprepared.with_gap(zoned.gap()).with_fold(zoned.fold());
    assert!(zoned.events(range.clone()).eq(unprepared.events(range.clone())));
    #[cfg(all(feature = "chrono-tz", feature = "zones"))]
    {
        let name = zoned.zone().iana_name().expect("the name that was looked up");
        let compiled = zoned.schedule().in_zone(super::static_zones::static_zone(name));
        let compiled = compiled.with_gap(zoned.gap()).with_fold(zoned.fold());
        assert!(zoned.events(range.clone()).eq(compiled.events(range.clone())));
    }
    zoned.events(range).map(describe).collect()
}

/// On 2024-03-10 the clocks in `America/New_York` skip from 02:00 to 03:00.
mod new_york_gap {
    use super::*;

    /// Describes the events from 00:00 to 05:00.
    fn night(schedule: &Schedule, configure: impl Fn(Zoned) -> Zoned) -> Vec<String> {
        let zoned = configure(schedule.in_zone(zone("America/New_York")));
        describe_events(&zoned, "2024-03-10T00:00-05", "2024-03-10T05:00-04")
    }

    type Zoned = ZonedSchedule<TimeZone>;

    fn by_default(schedule: &Schedule) -> Vec<String> {
        night(schedule, |zoned| zoned)
    }

    #[test]
    fn a_fixed_time_in_a_gap_fires_at_its_end() {
        let nightly = schedule!("2:30:00");
        assert_eq!(by_default(&nightly), ["2024-03-10 03:00 -04:00 for 2024-03-10 02:30"]);
        assert!(night(&nightly, |zoned| zoned.with_gap(Gap::Skip)).is_empty());
        let bridged = night(&nightly, |zoned| zoned.with_gap(Gap::Bridge));
        assert_eq!(bridged, ["2024-03-10 03:00 -04:00 for 2024-03-10 02:30"]);
    }

    #[test]
    fn several_fixed_times_in_a_gap_fire_once_at_its_end() {
        let first = ["2024-03-10 03:00 -04:00 for 2024-03-10 02:10"];
        assert_eq!(by_default(&schedule!("2:10,20:00")), first);
        // The event at 03:00 is due at that time anyway, so it does not count as shifted.
        assert_eq!(by_default(&schedule!("2,3:00:00")), ["2024-03-10 03:00 -04:00"]);
        let each = [
            "2024-03-10 01:30 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:30",
            "2024-03-10 03:30 -04:00",
        ];
        assert_eq!(by_default(&schedule!("1-3:30:00")), each);
    }

    #[test]
    fn repeating_times_in_a_gap_are_skipped_if_an_event_follows_soon() {
        let half_past = [
            "2024-03-10 00:30 -05:00",
            "2024-03-10 01:30 -05:00",
            "2024-03-10 03:30 -04:00",
            "2024-03-10 04:30 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*:30:00")), half_past);
        let hourly = [
            "2024-03-10 00:00 -05:00",
            "2024-03-10 01:00 -05:00",
            "2024-03-10 03:00 -04:00",
            "2024-03-10 04:00 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*:00:00")), hourly);
        let shifted = night(&schedule!("*:30:00"), |zoned| zoned.with_gap(Gap::Shift));
        assert_eq!(shifted[2..4], ["2024-03-10 03:00 -04:00 for 2024-03-10 02:30", half_past[2]]);
    }

    #[test]
    fn repeating_times_in_a_gap_fire_at_its_end_if_no_event_follows_soon() {
        let once = ["2024-03-10 03:00 -04:00 for 2024-03-10 02:00"];
        assert_eq!(by_default(&schedule!("2:*/30:00")), once);
        // The next event, at 04:30, is further from the gap than the gap is long.
        let every_other = [
            "2024-03-10 00:30 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:30",
            "2024-03-10 04:30 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*/2:30:00")), every_other);
        // The same holds if the distance equals the length of the gap.
        let on_the_hour = [
            "2024-03-10 00:00 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:00",
            "2024-03-10 04:00 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*/2:00:00")), on_the_hour);
    }
}

/// On 2024-11-03 the clocks in `America/New_York` go back from 02:00 to 01:00.
#[test]
fn fold_fires_in_the_selected_passes() {
    let night = |schedule: &Schedule, fold: Option<Fold>| {
        let zoned = schedule.in_zone(zone("America/New_York"));
        let zoned = if let Some(fold) = fold { zoned.with_fold(fold) } else { zoned };
        describe_events(&zoned, "2024-11-03T00:00-04", "2024-11-03T03:00-05")
    };
    let nightly = schedule!("1:30:00");
    let first = "2024-11-03 01:30 -04:00 first";
    let second = "2024-11-03 01:30 -05:00 second";
    assert_eq!(night(&nightly, None), [first]);
    assert_eq!(night(&nightly, Some(Fold::First)), [first]);
    assert_eq!(night(&nightly, Some(Fold::Second)), [second]);
    assert_eq!(night(&nightly, Some(Fold::Both)), [first, second]);

    let half_past = schedule!("*:30:00");
    let (before, after) = ("2024-11-03 00:30 -04:00", "2024-11-03 02:30 -05:00");
    assert_eq!(night(&half_past, None), [before, first, second, after]);
    assert_eq!(night(&half_past, Some(Fold::First)), [before, first, after]);
    assert_eq!(night(&half_past, Some(Fold::Second)), [before, second, after]);

    // 02:00 occurs once: the first pass ends just before it.
    assert_eq!(night(&schedule!("2:00:00"), None), ["2024-11-03 02:00 -05:00"]);
    assert_eq!(night(&schedule!("1:00:00"), None), ["2024-11-03 01:00 -04:00 first"]);
}

/// In `Australia/Lord_Howe` the clocks skip from 02:00 to 02:30 on 2024-10-06, and go back from 02:00
/// to 01:30 on 2024-04-07.
#[test]
fn half_hour_gap_and_fold_produce_the_expected_events() {
    let spring = |schedule: &Schedule| {
        let zoned = schedule.in_zone(zone("Australia/Lord_Howe"));
        describe_events(&zoned, "2024-10-06T01:00+10:30", "2024-10-06T03:30+11")
    };
    let shifted = "2024-10-06 02:30 +11:00 for 2024-10-06 02:15";
    assert_eq!(spring(&schedule!("2:15:00")), [shifted]);
    // 03:15 is 45 minutes after the gap, which is 30 minutes long.
    let each = ["2024-10-06 01:15 +10:30", shifted, "2024-10-06 03:15 +11:00"];
    assert_eq!(spring(&schedule!("*:15:00")), each);
    // 02:45 is only 15 minutes after the gap.
    let each = [
        "2024-10-06 01:15 +10:30",
        "2024-10-06 01:45 +10:30",
        "2024-10-06 02:45 +11:00",
        "2024-10-06 03:15 +11:00",
    ];
    assert_eq!(spring(&schedule!("*:15,45:00")), each);

    let autumn = |schedule: &Schedule| {
        let zoned = schedule.in_zone(zone("Australia/Lord_Howe"));
        describe_events(&zoned, "2024-04-07T00:30+11", "2024-04-07T03:00+10:30")
    };
    assert_eq!(autumn(&schedule!("1:45:00")), ["2024-04-07 01:45 +11:00 first"]);
    let each = [
        "2024-04-07 00:45 +11:00",
        "2024-04-07 01:45 +11:00 first",
        "2024-04-07 01:45 +10:30 second",
        "2024-04-07 02:45 +10:30",
    ];
    assert_eq!(autumn(&schedule!("*:45:00")), each);

    // An event every ten minutes, on days of 23.5 and 24.5 hours.
    let often = schedule!("*:*/10:00").in_zone(zone("Australia/Lord_Howe"));
    assert_eq!(often.count(instant("2024-10-06T00:00+10:30")..instant("2024-10-07T00:00+11")), 141);
    assert_eq!(often.count(instant("2024-04-07T00:00+11")..instant("2024-04-08T00:00+10:30")), 147);
}

/// In Pacific/Apia the clocks skip from the end of 2011-12-29 to the start of 2011-12-31.
#[test]
fn day_long_gap_shifts_events_to_the_next_midnight() {
    let days = |zoned: &ZonedSchedule<TimeZone>| {
        describe_events(zoned, "2011-12-29T00:00-10", "2012-01-01T00:00+14")
    };
    let apia = |schedule: &Schedule| schedule.in_zone(zone("Pacific/Apia"));

    let daily = apia(&schedule!("12:00:00"));
    let shifted = "2011-12-31 00:00 +14:00 for 2011-12-30 12:00";
    let (before, after) = ("2011-12-29 12:00 -10:00", "2011-12-31 12:00 +14:00");
    assert_eq!(days(&daily), [before, shifted, after]);
    assert_eq!(days(&daily.clone().with_gap(Gap::Skip)), [before, after]);
    assert_eq!(days(&daily.with_gap(Gap::Bridge)), [before, after]);

    let midnight = apia(&schedule!("0:00:00"));
    let each = ["2011-12-29 00:00 -10:00", "2011-12-31 00:00 +14:00"];
    assert_eq!(days(&midnight), each);

    // The only event of the schedule is in the gap.
    let once = apia(&schedule!("2011.12.30 12:00:00"));
    assert_eq!(days(&once), [shifted]);
    assert_eq!(once.count(..), 1);
    assert_eq!(once.with_gap(Gap::Skip).next_event(0_i64), None);

    // Events at the start and near the end of the gap.
    let first = apia(&schedule!("2011.12.30 0:00:00"));
    assert_eq!(days(&first), ["2011-12-31 00:00 +14:00 for 2011-12-30 00:00"]);
    let last = apia(&schedule!("2011.12.30 23:59:00"));
    assert_eq!(days(&last), ["2011-12-31 00:00 +14:00 for 2011-12-30 23:59"]);

    // Six-hourly events continue at midnight of Saturday. The weekday schedule has no events on
    // Saturday, so Friday's events fire once, after the gap.
    let six_hourly = ["2011-12-29 18:00 -10:00", "2011-12-31 00:00 +14:00"];
    assert_eq!(days(&apia(&schedule!("*/6:00:00")))[3..5], six_hourly);
    let weekdays = days(&apia(&schedule!("*.*.* Mon-Fri */8:00:00")));
    assert_eq!(
        weekdays[2..],
        ["2011-12-29 16:00 -10:00", "2011-12-31 00:00 +14:00 for 2011-12-30 00:00"]
    );
}

/// In `America/Sao_Paulo` the clocks skip from 00:00 to 01:00 on 2018-11-04, and go back from 00:00
/// on 2018-02-18 to 23:00 on the day before.
#[test]
fn midnight_gap_and_fold_produce_the_expected_events() {
    let sao_paulo = |schedule: &Schedule| schedule.in_zone(zone("America/Sao_Paulo"));
    let spring = |schedule: &Schedule| {
        describe_events(&sao_paulo(schedule), "2018-11-03T23:00-03", "2018-11-04T02:00-02")
    };
    assert_eq!(spring(&schedule!("0:00:00")), ["2018-11-04 01:00 -02:00 for 2018-11-04 00:00"]);
    // 2018-11-04 is a Sunday, so the weekday of the shifted event matches.
    assert_eq!(
        spring(&schedule!("*.*.* Sun 0:00:00")),
        ["2018-11-04 01:00 -02:00 for 2018-11-04 00:00"]
    );
    let each = [
        "2018-11-03 23:00 -03:00",
        "2018-11-03 23:30 -03:00",
        "2018-11-04 01:00 -02:00",
        "2018-11-04 01:30 -02:00",
    ];
    assert_eq!(spring(&schedule!("*:*/30:00")), each);

    let autumn = |schedule: &Schedule| {
        describe_events(&sao_paulo(schedule), "2018-02-17T22:00-02", "2018-02-18T02:00-03")
    };
    assert_eq!(autumn(&schedule!("23:30:00")), ["2018-02-17 23:30 -02:00 first"]);
    assert_eq!(autumn(&schedule!("0:00:00")), ["2018-02-18 00:00 -03:00"]);
}

/// In Antarctica/Troll the clocks skip from 01:00 to 03:00 on 2024-03-31, and go back from 03:00 to
/// 01:00 on 2024-10-27.
#[test]
fn two_hour_gap_and_fold_produce_the_expected_events() {
    let troll = |schedule: &Schedule| schedule.in_zone(zone("Antarctica/Troll"));
    let spring = |schedule: &Schedule| {
        describe_events(&troll(schedule), "2024-03-31T00:00+00", "2024-03-31T06:00+02")
    };
    assert_eq!(spring(&schedule!("2:00:00")), ["2024-03-31 03:00 +02:00 for 2024-03-31 02:00"]);
    assert_eq!(spring(&schedule!("1,2:30:00")), ["2024-03-31 03:00 +02:00 for 2024-03-31 01:30"]);
    // 04:00 is less than two hours after the gap.
    let even = ["2024-03-31 00:00 +00:00", "2024-03-31 04:00 +02:00"];
    assert_eq!(spring(&schedule!("*/2:00:00")), even);
    // 05:00 is not less than two hours after the gap.
    let few = [
        "2024-03-31 00:00 +00:00",
        "2024-03-31 00:30 +00:00",
        "2024-03-31 03:00 +02:00 for 2024-03-31 01:00",
        "2024-03-31 05:00 +02:00",
        "2024-03-31 05:30 +02:00",
    ];
    assert_eq!(spring(&schedule!("0,1,5:*/30:00")), few);

    let autumn = |fold| {
        let zoned = troll(&schedule!("1-2:30:00")).with_fold(fold);
        describe_events(&zoned, "2024-10-27T00:00+02", "2024-10-27T04:00+00")
    };
    let first = ["2024-10-27 01:30 +02:00 first", "2024-10-27 02:30 +02:00 first"];
    let second = ["2024-10-27 01:30 +00:00 second", "2024-10-27 02:30 +00:00 second"];
    assert_eq!(autumn(Fold::First), first);
    assert_eq!(autumn(Fold::Second), second);
    assert_eq!(autumn(Fold::Both), [first, second].concat());
}

/// For Ramadan 2024 the clocks in Africa/Casablanca went back from 03:00 to 02:00 on 2024-03-10,
/// and forward from 02:00 to 03:00 on 2024-04-14.
#[test]
fn nightly_event_fires_once_a_day_around_ramadan() {
    let nightly = schedule!("2:30:00").in_zone(zone("Africa/Casablanca"));
    let begin = describe_events(&nightly, "2024-03-09T00:00+01", "2024-03-12T00:00+00");
    let expected =
        ["2024-03-09 02:30 +01:00", "2024-03-10 02:30 +01:00 first", "2024-03-11 02:30 +00:00"];
    assert_eq!(begin, expected);
    let end = describe_events(&nightly, "2024-04-13T00:00+00", "2024-04-16T00:00+01");
    let expected = [
        "2024-04-13 02:30 +00:00",
        "2024-04-14 03:00 +01:00 for 2024-04-14 02:30",
        "2024-04-15 02:30 +01:00",
    ];
    assert_eq!(end, expected);
    // One event for each day of the leap year.
    let year = instant("2024-01-01T00:00+01")..instant("2025-01-01T00:00+01");
    assert_eq!(nightly.count(year), 366);
}

/// Lists the events of a row of the guide, from midnight to 05:00 or from Thursday to Saturday.
fn night_of(clocks: &str, schedule: &Schedule) -> String {
    let (name, start, end) = match clocks {
        "Berlin, March" => ("Europe/Berlin", "2026-03-29T00:00+01", "2026-03-29T05:00+02"),
        "Berlin, October" => ("Europe/Berlin", "2026-10-25T00:00+02", "2026-10-25T05:00+01"),
        "Havana, March" => ("America/Havana", "2025-03-09T00:00-05", "2025-03-09T05:00-04"),
        "Havana, November" => ("America/Havana", "2025-11-02T00:00-04", "2025-11-02T05:00-05"),
        "Apia" => ("Pacific/Apia", "2011-12-29T00:00-10", "2012-01-01T00:00+14"),
        _ => panic!("{clocks} has no night"),
    };
    let format = if clocks == "Apia" { "%a %H:%M" } else { "%H:%M" };
    let zoned = schedule.in_zone(zone(name));
    let describe = |event: Timestamp| {
        let shown = ZonedDateTime::new(event, zoned.zone().clone()).strftime(format).to_string();
        let occurrence = zoned.occurrence(event).expect("an event should have an occurrence");
        let civil = jiff::civil::DateTime::try_from(occurrence.civil).expect("a date and time");
        match occurrence.resolution {
            Resolution::Unique => shown,
            Resolution::FirstPass => format!("{shown} first"),
            Resolution::SecondPass => format!("{shown} second"),
            Resolution::Shifted => format!("{shown} for {}", civil.strftime(format)),
        }
    };
    let events: Vec<String> = zoned.events(instant(start)..instant(end)).map(describe).collect();
    events.join(", ")
}

#[test]
fn examples_of_the_guide_have_the_listed_events() {
    let guide = include_str!("../../src/zone/mod.rs");
    let (_, examples) = guide.split_once("//! # Examples around clock changes").expect("a section");
    let (examples, _) = examples.split_once("//! # Local times").expect("a section");
    let rows: Vec<&str> = examples.lines().filter(|line| line.starts_with("//! | `")).collect();
    assert_eq!(rows.len(), 35);
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, text, clocks, expected, _] = cells[..] else { panic!("{row}") };
        let schedule = Schedule::parse(text).expect(row);
        assert_eq!(night_of(clocks, &schedule), expected, "{row}");
    }
}

/// The guide says which lists of two values repeat: those that equal steps from 0.
#[test]
fn lists_of_zero_and_another_value_repeat_from_the_middle_on() {
    let fold =
        |text: String| Schedule::parse(&text).expect(&text).in_zone(zone("Europe/Berlin")).fold();
    for hour in 1..24 {
        let expected = if hour >= 12 { Fold::Both } else { Fold::First };
        assert_eq!(fold(format!("0,{hour}:30:00")), expected, "0,{hour}:30:00");
    }
    for minute in 1..60 {
        let expected = if minute >= 30 { Fold::Both } else { Fold::First };
        assert_eq!(fold(format!("2:0,{minute}:00")), expected, "2:0,{minute}:00");
        assert_eq!(fold(format!("2:30:0,{minute}")), expected, "2:30:0,{minute}");
    }
    assert_eq!(fold("2:30:00.0,499".to_owned()), Fold::First);
    assert_eq!(fold("2:30:00.0,500".to_owned()), Fold::Both);
    assert_eq!(fold("0-22:30:00".to_owned()), Fold::First);
    assert_eq!(fold("1-23:30:00".to_owned()), Fold::First);
    assert_eq!(fold("0-23:30:00".to_owned()), Fold::Both);
}
