//! The browser's time zones, compared with jiff's.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::{playground, texts};

/// Zones with offsets of 30 and 45 minutes, a skipped day, negative summer time, changes at midnight or in
/// Ramadan, and new rules within these years.
const ZONES: [&str; 22] = [
    "UTC",
    "Europe/Berlin",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/Moscow",
    "America/New_York",
    "America/Caracas",
    "America/Havana",
    "America/St_Johns",
    "America/Sao_Paulo",
    "America/Nuuk",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Antarctica/Troll",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
];

/// Zones whose rules have not changed for a long time, so that both databases make the same predictions.
const SETTLED: [&str; 5] =
    ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Asia/Tokyo"];

/// Returns the instants at which a zone's offset changes in jiff, the millisecond before each, and others.
fn instants(zone: &TimeZone, from: i64, until: i64) -> Vec<i64> {
    let timestamp = |instant| Timestamp::from_millisecond(instant).expect("an instant");
    let changes = zone.following(timestamp(from)).map(|it| it.timestamp().as_millisecond());
    let changes = changes.take_while(|at| *at < until).flat_map(|at| [at - 1, at]);
    // Every 31 days and some hours.
    changes.chain((from..until).step_by(2_712_345_678)).collect()
}

fn assert_offsets(page: &millicron_browser_tests::Page, name: &str, from: i64, until: i64) {
    let zone = TimeZone::get(name).expect("a zone");
    let instants = instants(&zone, from, until);
    let expected = instants.iter().map(|instant| {
        let offset = zone.to_offset(Timestamp::from_millisecond(*instant).expect("an instant"));
        (instant, i64::from(offset.seconds()) * 1000)
    });
    let answers = page.evaluate(&format!(
        "{}.map(instant => browserZones.offsetAt({}, instant))",
        json!(instants),
        json!(name)
    ));
    let answers = answers.as_array().expect("offsets").iter().filter_map(Value::as_i64);
    let answers: Vec<_> = instants.iter().zip(answers).collect();
    assert_eq!(answers, expected.collect::<Vec<_>>(), "{name}");
}

/// 2000-01-01, 2025-01-01 and 2100-01-01 in UTC.
const YEARS: [i64; 3] = [946_684_800_000, 1_735_689_600_000, 4_102_444_800_000];

#[test]
fn offsets_are_those_of_jiff() {
    let Some(page) = playground("offsets", "") else { return };
    let [start, past, end] = YEARS;
    for name in ZONES {
        assert_offsets(&page, name, start, past);
    }
    for name in SETTLED {
        assert_offsets(&page, name, past, end);
    }
}

#[test]
fn events_around_clock_changes_are_those_of_jiff() {
    let Some(page) = playground("events in zones", "") else { return };
    let schedule = millicron::Schedule::parse("*/3:30:00").expect("a schedule");
    for (name, now) in [
        ("Europe/Berlin", 1_774_742_400_000_i64), // 2026-03-29 00:00:00 UTC
        ("Europe/Berlin", 1_792_886_400_000),     // 2026-10-25 00:00:00 UTC
        ("Australia/Lord_Howe", 1_775_300_000_000),
        ("America/New_York", 1_772_935_200_000),
        ("Pacific/Apia", 1_325_160_000_000), // 2011-12-29 12:00:00 UTC, before a day was skipped
    ] {
        let zone = TimeZone::get(name).expect("a zone");
        let expected = schedule.clone().in_zone(zone);
        let expected: Vec<i64> = expected.events(now + 1..).take(10).collect();
        let answer = page.evaluate(&format!(
            "JSON.parse(wasm_bindgen.answer('*/3:30:00', '', '', {}, {now}, 0, 900)).explanation.events.map(it => it.instant)",
            json!(name)
        ));
        assert_eq!(answer, json!(expected), "{name}");
    }
}

#[test]
fn all_zones_of_the_browser_can_be_chosen_and_known_ones_are_offered() {
    let Some(page) = playground("the list of zones", "#text=12:00:00+Europe/Berlim") else {
        return;
    };
    let missing = page.evaluate(
        "(options => Intl.supportedValuesOf('timeZone').filter(it => !options.includes(it)))\
         ([...document.getElementById('zone').options].map(it => it.value))",
    );
    assert_eq!(missing, json!([]));
    assert_eq!(texts(&page, "#message code"), ["Europe/Berlim", "Europe/Berlin"]);
}
