//! The days around clock changes.

use jiff::civil::date;
use jiff::tz::TimeZone;
use millicron::zone::ClockEffect;
use millicron_pictures::{AffectedEvents, ClockChangeEvents, ClockChanges, Picture as _};

use crate::support::{plain, schedule, zone};

/// Returns the start and the end of 2026 in a zone, in milliseconds.
fn year(name: &str) -> (i64, i64) {
    year_of(2026, name)
}

fn year_of(year: i16, name: &str) -> (i64, i64) {
    let start = |year| date(year, 1, 1).to_zoned_datetime(zone(name)).expect("a year").timestamp();
    (start(year).as_millisecond(), start(year + 1).as_millisecond())
}

#[test]
fn affected_events_are_those_that_the_schedule_lists() {
    let texts = [
        "2:30:00",
        "*:00:00",
        "*:*/20:00",
        "2:0,20,40:00",
        "1-3:30:00",
        "2,3:00:00",
        "1:00:00..4:00:00/30m",
        "0:00:00",
        "*:*:*/10",
        "*.*.* Mon 2:15:00",
        "1:45:00",
        "22:00:00..02:30:00/15m",
        "02:22:00; 00:05:00../15m",
        "00:05:00../15m; 02:22:00; 02:20:00",
        "2:30:00; *:30:00; 2:45:00",
        "1-2:15:00; 1-2:45:00",
        "*:*/20:00; *:*/30:00",
    ];
    for name in ["Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "America/New_York"] {
        for text in texts {
            let schedule = schedule(text, name);
            let (start, end) = year_of(2025, name);
            let changes = ClockChanges::new(&schedule, start, end, text);
            let mut seen = 0;
            for ClockChangeEvents { instant, affected, .. } in changes.changes() {
                seen += 1;
                let around = instant - 86_400_000..instant + 86_400_000;
                let mut listed = schedule.surprises(around).collect::<Vec<_>>();
                // Events that fire twice are listed twice.
                listed.sort_by_key(|event| event.civil);
                listed.dedup_by_key(|event| event.civil);
                let expand = |events: &AffectedEvents| events.count;
                assert_eq!(
                    affected.iter().map(expand).sum::<u64>(),
                    listed.len() as u64,
                    "{text} in {name}"
                );
                let is_alike = |one, other| match (one, other) {
                    (ClockEffect::Doubled(_), ClockEffect::Doubled(_)) => true,
                    (one, other) => one == other,
                };
                for events in affected {
                    let mut these = listed.clone();
                    these.retain(|event| is_alike(event.effect, events.effect));
                    assert_eq!(these.len() as u64, events.count, "{text} in {name}");
                    assert_eq!(
                        these.first().map(|event| event.civil),
                        Some(events.first),
                        "{text} in {name}"
                    );
                    assert_eq!(
                        these.last().map(|event| event.civil),
                        Some(events.last),
                        "{text} in {name}"
                    );
                }
            }
            assert_eq!(seen, 2, "{name}");
        }
    }
}

#[test]
fn both_weeks_around_a_change_are_drawn() {
    let schedule = schedule("2:30:00", "Europe/Berlin");
    let (start, end) = year("Europe/Berlin");
    let text = plain(&ClockChanges::new(&schedule, start, end, "2:30:00"), 80);
    let days = text.lines().filter(|line| line.ends_with("│ 1")).count();
    assert_eq!(days, 30, "{text}");
    assert!(text.contains("Sun Mar 29 │      █"), "{text}");
    assert!(text.contains("02:30 fires at the first instant after the gap, at 03:00."), "{text}");
    assert!(text.contains("02:30 fires in the first pass only."), "{text}");
}

#[test]
fn times_that_the_clocks_skip_or_repeat_are_marked_below() {
    let marked = |name, text, columns| {
        let schedule = schedule(text, name);
        let (start, end) = year(name);
        let drawn = plain(&ClockChanges::new(&schedule, start, end, text), columns);
        let lines = drawn.lines().collect::<Vec<_>>();
        let is_marked = |line: &&str| line.starts_with("          ") && line.contains(['×', '2']);
        let days = lines.windows(2).filter(|pair| is_marked(&pair[1]) && !pair[1].contains("00"));
        let days = days.map(|pair| (pair[0][..10].to_owned(), pair[1].trim_start().to_owned()));
        let legends = lines.iter().filter(|line| line.contains(" the clocks s")).count();
        (days.collect::<Vec<_>>(), legends)
    };
    let days = |days: [(&str, &str); 2]| days.map(|(day, marks)| (day.into(), marks.into()));
    for text in ["2:30:00", "*:*/5:00"] {
        let berlin = days([("Sun Mar 29", "××"), ("Sun Oct 25", "22")]);
        assert_eq!(marked("Europe/Berlin", text, 80), (berlin.to_vec(), 2), "{text}");
        let cairo = days([("Fri Apr 24", "××"), ("Thu Oct 29", "22")]);
        assert_eq!(marked("Africa/Cairo", text, 80), (cairo.to_vec(), 2), "{text}");
        let wide = days([("Sun Mar 29", "××××××"), ("Sun Oct 25", "222222")]);
        assert_eq!(marked("Europe/Berlin", text, 200), (wide.to_vec(), 2), "{text}");
    }
    assert_eq!(marked("Asia/Tokyo", "2:30:00", 80), (Vec::new(), 0));
}

#[test]
fn changes_are_those_from_a_start_to_before_an_end() {
    let schedule = schedule("2:30:00", "Europe/Berlin");
    let spring =
        date(2026, 3, 29).at(1, 0, 0, 0).to_zoned_datetime(TimeZone::UTC).expect("an instant");
    let spring = spring.timestamp().as_millisecond();
    let count = |from, until| {
        let listed = ClockChangeEvents::list(&schedule, from..until);
        let drawn = ClockChanges::new(&schedule, from, until, "2:30:00");
        assert!(drawn.changes().eq(&listed));
        listed.len()
    };
    assert_eq!(count(spring, spring + 1), 1);
    assert_eq!(count(spring - 1, spring), 0);
    assert_eq!(count(spring + 1, spring + 1000), 0);
    assert_eq!(count(spring + 1, spring), 0);
    assert_eq!(count(i64::MAX, i64::MIN), 0);
}

#[test]
fn changes_across_midnight_have_both_dates() {
    let written = |name, text| {
        let schedule = schedule(text, name);
        let (start, end) = year(name);
        let changes = ClockChangeEvents::list(&schedule, start..end);
        changes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        written("Africa/Cairo", "23:30:00"),
        [
            "Fri 2026-04-24: the clocks go from 00:00 to 01:00",
            "Fri 2026-10-30: the clocks go from 00:00 to 23:00 on Thu 2026-10-29",
        ]
    );
    assert_eq!(
        written("Europe/Berlin", "2:30:00"),
        [
            "Sun 2026-03-29: the clocks go from 02:00 to 03:00",
            "Sun 2026-10-25: the clocks go from 03:00 to 02:00",
        ]
    );
}

#[test]
fn zone_without_changes_is_said_to_have_none() {
    let schedule = schedule("2:30:00", "Asia/Tokyo");
    let (start, end) = year("Asia/Tokyo");
    let changes = ClockChanges::new(&schedule, start, end, "2:30:00");
    assert_eq!(changes.changes().count(), 0);
    assert!(plain(&changes, 80).contains("no clock changes"));
}

#[test]
fn day_that_is_skipped_is_left_out() {
    let schedule = schedule("12:00:00", "Pacific/Apia");
    let start = |month, day| {
        date(2011, month, day).to_zoned_datetime(zone("Pacific/Apia")).expect("a day").timestamp()
    };
    let (from, until) = (start(12, 1).as_millisecond(), start(12, 31).as_millisecond() + 1);
    let text = plain(&ClockChanges::new(&schedule, from, until, "noon"), 80);
    assert!(
        text.contains("Thu Dec 29") && text.contains("Sat Dec 31") && !text.contains("Fri Dec 30"),
        "{text}"
    );
    assert!(text.contains("12:00 fires at the first instant after the gap, at 00:00."), "{text}");
}

#[test]
fn drawings_of_many_years_stay_small() {
    let start = |year| date(year, 1, 1).to_zoned_datetime(zone("Europe/Berlin")).expect("a year");
    let millis = |year| start(year).timestamp().as_millisecond();
    for text in ["*:*:00", "*:*/15:00"] {
        let changes =
            ClockChanges::new(&schedule(text, "Europe/Berlin"), millis(2026), millis(2036), text);
        let svg = changes.to_svg(900);
        assert!(svg.len() < 1_000_000, "{text}: {} bytes", svg.len());
        // Tooltips have the number of events of each day, and of each slot on the day of a change.
        let document = roxmltree::Document::parse(&svg).expect("XML");
        let titles = document.descendants().filter(|node| node.has_tag_name("title"));
        let titles = titles.filter_map(|node| node.text()).collect::<Vec<_>>();
        let day = if text == "*:*:00" { "1,440" } else { "96" };
        assert!(titles.contains(&&*format!("Saturday, 24 October 2026: {day} events")));
        let fold = "Sunday, 25 October 2026, 02:00 to 0";
        assert!(titles.iter().any(|title| title.starts_with(fold) && title.ends_with("twice")));
    }
}

#[test]
fn events_of_a_union_are_counted_however_many_there_are() {
    let schedule = schedule("*:*:*.*; 2:00:00", "Europe/Berlin");
    let (start, end) = year("Europe/Berlin");
    let changes = ClockChangeEvents::list(&schedule, start..end);
    let text = |events: &AffectedEvents| events.to_string();
    let texts = changes.iter().map(|change| change.affected.iter().map(text).collect::<Vec<_>>());
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [
            vec![
                "02:00 falls on another event at the first instant after the gap, at 03:00",
                "02:00:00.001 to 02:59:59.999, 3,599,999 events: each does not fire, as another \
                 event follows soon after the gap",
            ],
            vec!["02:00 to 02:59:59.999, 3,600,000 events: each fires in both passes"],
        ]
    );
}
