//! Known clock changes, and the events of schedules around them, written out by hand.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use millicron::{Fold, Gap, Resolution, Schedule, ZonedSchedule, schedule};

fn zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).expect("a zone of the database")
}

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Returns the events from `start` up to `end`: the local time, which pass it is if it occurs
/// twice, and the civil time that it replaces if it was shifted.
fn fires(zoned: &ZonedSchedule<TimeZone>, start: &str, end: &str) -> Vec<String> {
    let shown_event = |event: Timestamp| {
        let shown = event.to_zoned(zoned.zone().clone()).strftime("%F %H:%M %:z").to_string();
        let occurrence = zoned.occurrence(event).expect("an event");
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
    zoned.events(instant(start)..instant(end)).map(shown_event).collect()
}

/// From 02:00 to 03:00.
mod new_york_2024_03_10 {
    use super::*;

    /// From 00:00 to 05:00.
    fn night(schedule: &Schedule, choose: impl Fn(Zoned) -> Zoned) -> Vec<String> {
        let zoned = choose(schedule.in_zone(zone("America/New_York")));
        fires(&zoned, "2024-03-10T00:00-05", "2024-03-10T05:00-04")
    }

    type Zoned = ZonedSchedule<TimeZone>;

    fn by_default(schedule: &Schedule) -> Vec<String> {
        night(schedule, |zoned| zoned)
    }

    #[test]
    fn fixed_times_in_a_gap_fire_after_it() {
        let nightly = schedule!("2:30:00");
        assert_eq!(by_default(&nightly), ["2024-03-10 03:00 -04:00 for 2024-03-10 02:30"]);
        assert!(night(&nightly, |zoned| zoned.with_gap(Gap::Skip)).is_empty());
        let bridged = night(&nightly, |zoned| zoned.with_gap(Gap::Bridge));
        assert_eq!(bridged, ["2024-03-10 03:00 -04:00 for 2024-03-10 02:30"]);
    }

    #[test]
    fn several_fixed_times_in_a_gap_fire_once_after_it() {
        let first = ["2024-03-10 03:00 -04:00 for 2024-03-10 02:10"];
        assert_eq!(by_default(&schedule!("2:10,20:00")), first);
        // An event at its own local time was not shifted.
        assert_eq!(by_default(&schedule!("2,3:00:00")), ["2024-03-10 03:00 -04:00"]);
        let each = [
            "2024-03-10 01:30 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:30",
            "2024-03-10 03:30 -04:00",
        ];
        assert_eq!(by_default(&schedule!("1-3:30:00")), each);
    }

    #[test]
    fn intervals_follow_elapsed_time() {
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
    fn intervals_fire_after_a_gap_without_other_events() {
        let once = ["2024-03-10 03:00 -04:00 for 2024-03-10 02:00"];
        assert_eq!(by_default(&schedule!("2:*/30:00")), once);
        // The next event, at 04:30, is further away than the length of the gap.
        let every_other = [
            "2024-03-10 00:30 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:30",
            "2024-03-10 04:30 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*/2:30:00")), every_other);
        // The same if it is exactly that far away.
        let on_the_hour = [
            "2024-03-10 00:00 -05:00",
            "2024-03-10 03:00 -04:00 for 2024-03-10 02:00",
            "2024-03-10 04:00 -04:00",
        ];
        assert_eq!(by_default(&schedule!("*/2:00:00")), on_the_hour);
    }
}

/// From 02:00 back to 01:00.
#[test]
fn new_york_repeats_an_hour() {
    let night = |schedule: &Schedule, fold: Option<Fold>| {
        let zoned = schedule.in_zone(zone("America/New_York"));
        let zoned = if let Some(fold) = fold { zoned.with_fold(fold) } else { zoned };
        fires(&zoned, "2024-11-03T00:00-04", "2024-11-03T03:00-05")
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

/// Half an hour: on 2024-10-06 from 02:00 to 02:30, and on 2024-04-07 from 02:00 back to 01:30.
#[test]
fn lord_howe_changes_by_half_an_hour() {
    let spring = |schedule: &Schedule| {
        let zoned = schedule.in_zone(zone("Australia/Lord_Howe"));
        fires(&zoned, "2024-10-06T01:00+10:30", "2024-10-06T03:30+11")
    };
    let shifted = "2024-10-06 02:30 +11:00 for 2024-10-06 02:15";
    assert_eq!(spring(&schedule!("2:15:00")), [shifted]);
    // 03:15 is 45 minutes after the gap, which is 30 minutes long.
    let each = ["2024-10-06 01:15 +10:30", shifted, "2024-10-06 03:15 +11:00"];
    assert_eq!(spring(&schedule!("*:15:00")), each);
    // 02:45 is 15 minutes after it.
    let each = [
        "2024-10-06 01:15 +10:30",
        "2024-10-06 01:45 +10:30",
        "2024-10-06 02:45 +11:00",
        "2024-10-06 03:15 +11:00",
    ];
    assert_eq!(spring(&schedule!("*:15,45:00")), each);

    let autumn = |schedule: &Schedule| {
        let zoned = schedule.in_zone(zone("Australia/Lord_Howe"));
        fires(&zoned, "2024-04-07T00:30+11", "2024-04-07T03:00+10:30")
    };
    assert_eq!(autumn(&schedule!("1:45:00")), ["2024-04-07 01:45 +11:00 first"]);
    let each = [
        "2024-04-07 00:45 +11:00",
        "2024-04-07 01:45 +11:00 first",
        "2024-04-07 01:45 +10:30 second",
        "2024-04-07 02:45 +10:30",
    ];
    assert_eq!(autumn(&schedule!("*:45:00")), each);

    // One every ten minutes, in days of 23:30 and 24:30 hours.
    let often = schedule!("*:*/10:00").in_zone(zone("Australia/Lord_Howe"));
    assert_eq!(often.count(instant("2024-10-06T00:00+10:30")..instant("2024-10-07T00:00+11")), 141);
    assert_eq!(often.count(instant("2024-04-07T00:00+11")..instant("2024-04-08T00:00+10:30")), 147);
}

/// From the end of 2011-12-29 to the start of 2011-12-31.
#[test]
fn apia_skips_2011_12_30() {
    let days = |zoned: &ZonedSchedule<TimeZone>| {
        fires(zoned, "2011-12-29T00:00-10", "2012-01-01T00:00+14")
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

    // The only event of the schedule.
    let once = apia(&schedule!("2011.12.30 12:00:00"));
    assert_eq!(days(&once), [shifted]);
    assert_eq!(once.count(..), 1);
    assert_eq!(once.with_gap(Gap::Skip).next_event(0_i64), None);

    // The first and the last moment of the skipped day.
    let first = apia(&schedule!("2011.12.30 0:00:00"));
    assert_eq!(days(&first), ["2011-12-31 00:00 +14:00 for 2011-12-30 00:00"]);
    let last = apia(&schedule!("2011.12.30 23:59:00"));
    assert_eq!(days(&last), ["2011-12-31 00:00 +14:00 for 2011-12-30 23:59"]);

    // Saturday continues like Thursday, and Sunday has no shifted event.
    let six_hourly = ["2011-12-29 18:00 -10:00", "2011-12-31 00:00 +14:00"];
    assert_eq!(days(&apia(&schedule!("*/6:00:00")))[3..5], six_hourly);
    let weekdays = days(&apia(&schedule!("*.*.* Mon-Fri */8:00:00")));
    assert_eq!(
        weekdays[2..],
        ["2011-12-29 16:00 -10:00", "2011-12-31 00:00 +14:00 for 2011-12-30 00:00"]
    );
}

/// On 2018-11-04 from 00:00 to 01:00, and on 2018-02-18 from 00:00 back to 23:00 of the day before.
#[test]
fn sao_paulo_skips_and_repeats_midnight() {
    let sao_paulo = |schedule: &Schedule| schedule.in_zone(zone("America/Sao_Paulo"));
    let spring = |schedule: &Schedule| {
        fires(&sao_paulo(schedule), "2018-11-03T23:00-03", "2018-11-04T02:00-02")
    };
    assert_eq!(spring(&schedule!("0:00:00")), ["2018-11-04 01:00 -02:00 for 2018-11-04 00:00"]);
    // It is the first event of a Sunday.
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
        fires(&sao_paulo(schedule), "2018-02-17T22:00-02", "2018-02-18T02:00-03")
    };
    assert_eq!(autumn(&schedule!("23:30:00")), ["2018-02-17 23:30 -02:00 first"]);
    assert_eq!(autumn(&schedule!("0:00:00")), ["2018-02-18 00:00 -03:00"]);
}

/// Two hours: on 2024-03-31 from 01:00 to 03:00, and on 2024-10-27 from 03:00 back to 01:00.
#[test]
fn troll_changes_by_two_hours() {
    let troll = |schedule: &Schedule| schedule.in_zone(zone("Antarctica/Troll"));
    let spring =
        |schedule: &Schedule| fires(&troll(schedule), "2024-03-31T00:00+00", "2024-03-31T06:00+02");
    assert_eq!(spring(&schedule!("2:00:00")), ["2024-03-31 03:00 +02:00 for 2024-03-31 02:00"]);
    assert_eq!(spring(&schedule!("1,2:30:00")), ["2024-03-31 03:00 +02:00 for 2024-03-31 01:30"]);
    // 04:00 is within two hours after the gap.
    let even = ["2024-03-31 00:00 +00:00", "2024-03-31 04:00 +02:00"];
    assert_eq!(spring(&schedule!("*/2:00:00")), even);
    // 05:00 is not.
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
        fires(&zoned, "2024-10-27T00:00+02", "2024-10-27T04:00+00")
    };
    let first = ["2024-10-27 01:30 +02:00 first", "2024-10-27 02:30 +02:00 first"];
    let second = ["2024-10-27 01:30 +00:00 second", "2024-10-27 02:30 +00:00 second"];
    assert_eq!(autumn(Fold::First), first);
    assert_eq!(autumn(Fold::Second), second);
    assert_eq!(autumn(Fold::Both), [first, second].concat());
}

/// In 2024 the clocks were an hour back during Ramadan: on 2024-03-10 from 03:00 back to 02:00, and
/// on 2024-04-14 from 02:00 to 03:00.
#[test]
fn casablanca_changes_around_ramadan() {
    let nightly = schedule!("2:30:00").in_zone(zone("Africa/Casablanca"));
    let begin = fires(&nightly, "2024-03-09T00:00+01", "2024-03-12T00:00+00");
    let expected =
        ["2024-03-09 02:30 +01:00", "2024-03-10 02:30 +01:00 first", "2024-03-11 02:30 +00:00"];
    assert_eq!(begin, expected);
    let end = fires(&nightly, "2024-04-13T00:00+00", "2024-04-16T00:00+01");
    let expected = [
        "2024-04-13 02:30 +00:00",
        "2024-04-14 03:00 +01:00 for 2024-04-14 02:30",
        "2024-04-15 02:30 +01:00",
    ];
    assert_eq!(end, expected);
    // Once a day.
    let year = instant("2024-01-01T00:00+01")..instant("2025-01-01T00:00+01");
    assert_eq!(nightly.count(year), 366);
}
