//! The hours of a day.

use jiff::civil::Date;
use millicron_pictures::{DayChart, Picture as _};

use crate::support::{digits, events, plain, schedule, zoned};

#[test]
fn day_has_the_events_that_are_visited() {
    let cases = [
        ("*:*/7:00", "Europe/Berlin", "2026-10-25"),
        ("*:*/7:00", "Europe/Berlin", "2026-03-29"),
        ("*:*/10:00", "Australia/Lord_Howe", "2026-04-05"),
        ("*:*/10:00", "Australia/Lord_Howe", "2026-10-04"),
        ("*:*/10:00", "America/Sao_Paulo", "2018-11-04"),
        ("*:*/10:00", "America/Sao_Paulo", "2018-02-17"),
        ("*:*/10:00", "America/St_Johns", "2006-10-28"),
        ("*:*/10:00", "America/St_Johns", "2006-10-29"),
        ("2:30:00", "UTC", "2026-11-22"),
    ];
    for (text, zone_name, day) in cases {
        let schedule = schedule(text, zone_name);
        let date = day.parse::<Date>().expect("a date");
        let mut visited = events(&schedule, date, date);
        visited.retain(|event| event.date() == date);
        let chart = DayChart::new(&schedule, schedule.zone(), digits(day), text).expect("a day");
        let listed = chart.events().expect("few events");
        let listed = listed.iter().map(|event| zoned(*event, schedule.zone())).collect::<Vec<_>>();
        assert_eq!(listed, visited, "{text} in {zone_name} on {day}");
        assert_eq!(chart.total(), visited.len() as u64);
        assert_eq!(chart.hours().map(|(_, count)| count).sum::<u64>(), chart.total());
        for width in [300, 900] {
            let svg = chart.to_svg(width);
            let document = roxmltree::Document::parse(&svg).expect("XML");
            let marks =
                document.descendants().filter(|node| node.attribute("class") == Some("mark"));
            assert_eq!(marks.count(), visited.len(), "a mark for each event");
        }
    }
}

#[test]
fn hour_that_occurs_twice_has_two_rows() {
    let schedule = schedule("*:30:00", "Europe/Berlin");
    let day = digits("2026-10-25");
    let chart = DayChart::new(&schedule, schedule.zone(), day, "half").expect("a day");
    let text = plain(&chart, 80);
    assert!(text.contains("\n02       │") && text.contains("\n02 again │"), "{text}");
    assert!(text.contains("At 03:00, the clocks go back by 1 h to 02:00."), "{text}");
    assert!(text.contains("02:30 +02:00, 02:30 +01:00, 03:30"), "{text}");
    assert_eq!(chart.hours().count(), 25);
}

#[test]
fn times_that_occur_twice_have_their_offset() {
    // The clocks go back from 02:00 to 01:30.
    let chart = |text| {
        let schedule = schedule(text, "Australia/Lord_Howe");
        DayChart::new(&schedule, schedule.zone(), digits("2026-04-05"), text).expect("a day")
    };
    let text = plain(&chart("1:10,40:00"), 80);
    assert!(text.contains("Times: 01:10, 01:40 +11:00"), "{text}");
    let svg = chart("*:*:*/10").to_svg(900);
    for tooltip in [
        "01:29 to 01:30: 6 events",
        "01:30 to 01:31 +11:00: 6 events",
        "01:30 to 01:31 +10:30: 6 events",
        "02:00 to 02:01: 6 events",
    ] {
        assert!(svg.contains(tooltip), "{tooltip}");
    }
}

#[test]
fn day_that_begins_with_a_clock_change_says_so() {
    let schedule = schedule("*:30:00", "Africa/Cairo");
    let text = |day| {
        let chart = DayChart::new(&schedule, schedule.zone(), digits(day), "half").expect("a day");
        plain(&chart, 80)
    };
    let spring = text("2026-04-24");
    assert!(spring.contains("At 00:00, the clocks go forward by 1 h to 01:00."), "{spring}");
    let autumn = text("2026-10-29");
    assert!(autumn.contains("At 00:00, the clocks go back by 1 h to 23:00."), "{autumn}");
    for quiet in ["2026-04-23", "2026-04-25", "2026-10-28", "2026-10-30"] {
        assert!(!text(quiet).contains("the clocks"), "{quiet}");
    }
}

#[test]
fn densities_add_up_at_all_widths() {
    let schedule = schedule("*:*:*.*/250", "UTC");
    let chart =
        DayChart::new(&schedule, schedule.zone(), digits("2026-01-01"), "4 Hz").expect("a day");
    assert_eq!((chart.total(), chart.events()), (345_600, None));
    for (columns, legend) in [
        (40, "Events in 3 min:  █ 720"),
        (80, "Events in 1 min:  █ 240"),
        (200, "Events in 20 s:  █ 80"),
    ] {
        let text = plain(&chart, columns);
        assert!(text.contains(legend), "{text}");
    }
}

#[test]
fn day_that_the_zone_skips_cannot_be_drawn() {
    let schedule = schedule("*:00:00", "Pacific/Apia");
    let draw = |day| DayChart::new(&schedule, schedule.zone(), digits(day), "hourly");
    assert!(draw("2011-12-30").is_none());
    assert!(draw("1999-12-31").is_none());
    assert!(draw("2101-01-01").is_none());
    assert!(draw("2100-12-31").is_some());
}
