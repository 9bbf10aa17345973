//! The calendar of a year.

use std::collections::BTreeMap;

use jiff::civil::date;
use millicron::{Calendar, CalendarDigits, Schedule};
use millicron_pictures::{Picture as _, Utc, YearCalendar};

use crate::support::{events, plain, schedule, zone};

#[test]
fn days_have_as_many_events_as_are_visited() {
    let cases = [
        ("*/20:30:00", "Europe/Berlin", 2026),
        ("*.*.* Mon-Fri 2:*/15:00", "Europe/Berlin", 2026),
        // The clocks skip midnight, or show the first or last hour of a day twice.
        ("*:30:00", "America/Sao_Paulo", 2018),
        ("*:*/30:00", "America/Havana", 2026),
        // At 00:01, they went back to 23:01 of the day before.
        ("*/1:*/20:00", "America/St_Johns", 2006),
        // There was no 30 December.
        ("*:00:00", "Pacific/Apia", 2011),
        ("*:*/10:00", "Australia/Lord_Howe", 2026),
        ("0:00:00", "Asia/Tokyo", 2100),
        ("0:00:00", "Pacific/Kiritimati", 2000),
    ];
    for (text, zone, year) in cases {
        let schedule = schedule(text, zone);
        let mut visited = BTreeMap::new();
        for event in events(&schedule, date(year, 1, 1), date(year, 12, 31)) {
            *visited.entry(event.date()).or_insert(0_u64) += 1;
        }
        visited.retain(|date, _| date.year() == year);
        let calendar = YearCalendar::new(&schedule, schedule.zone(), year.into(), text);
        let shown = calendar.days().filter(|(_, count)| *count > 0).map(|(digits, count)| {
            let civil = jiff::civil::DateTime::try_from(digits).expect("a date");
            (civil.date(), count)
        });
        assert!(shown.eq(visited.clone()), "{text} in {zone}, {year}");
        assert_eq!(calendar.total(), visited.values().sum::<u64>(), "{text} in {zone}, {year}");
    }
}

#[test]
fn skipped_day_is_not_a_day_without_events() {
    let schedule = schedule("*.*.* 12:00:00", "Pacific/Apia");
    let calendar = YearCalendar::new(&schedule, schedule.zone(), 2011, "noon");
    assert_eq!(calendar.days().count(), 364);
    // That day's event is moved to the next day.
    assert!(plain(&calendar, 80).contains("26▒27▒28▒29▒ - 31█"));
    assert!(calendar.to_svg(900).contains("Friday, 30 December 2011: skipped by the clocks"));
}

#[test]
fn clock_changes_at_midnight_belong_to_a_day() {
    let cases = [
        // The clocks skip midnight, so that the day begins after the change.
        (
            "Africa/Cairo",
            2026,
            ["24 April: the clocks go forward by 1 h.", "29 October: the clocks go back by 1 h."],
        ),
        (
            "America/Santiago",
            2026,
            ["4 April: the clocks go back by 1 h.", "6 September: the clocks go forward by 1 h."],
        ),
        // They go back from 01:00 to 00:00.
        (
            "America/Havana",
            2025,
            ["9 March: the clocks go forward by 1 h.", "2 November: the clocks go back by 1 h."],
        ),
        // They go back from 00:01 to 23:01 on the previous day, which repeats that hour.
        (
            "America/St_Johns",
            2006,
            ["2 April: the clocks go forward by 1 h.", "28 October: the clocks go back by 1 h."],
        ),
    ];
    for (zone, year, expected) in cases {
        let schedule = schedule("12:00:00", zone);
        let calendar = YearCalendar::new(&schedule, schedule.zone(), year, "noon");
        let text = plain(&calendar, 80);
        let changes = text.lines().filter(|line| line.contains("the clocks go"));
        assert!(changes.eq(expected), "{zone}: {text}");
        let svg = calendar.to_svg(900);
        assert_eq!(svg.matches("1 event; the clocks go ").count(), 2, "{zone}");
    }
}

#[test]
fn days_are_those_of_the_zone_that_is_shown() {
    let tokyo = schedule("2026.3.1 1:00:00", "Asia/Tokyo");
    let calendar = YearCalendar::new(&tokyo, &zone("America/New_York"), 2026, "once");
    let days = calendar.days().filter(|(_, count)| *count > 0).collect::<Vec<_>>();
    let [(day, 1)] = days[..] else { panic!("{days:?}") };
    assert_eq!((day.month(), day.day()), (2, 28));
}

#[test]
fn years_that_schedules_do_not_have_are_empty() {
    let schedule = schedule("*:*:*.*", "UTC");
    for year in [i32::MIN, -1, 1999, 2101, i32::MAX] {
        let calendar = YearCalendar::new(&schedule, &Utc, year, "each");
        assert_eq!(calendar.total(), 0);
        assert!(calendar.to_text(80).contains("no events"));
        assert!(calendar.to_svg(900).ends_with("</svg>"));
    }
}

/// The events of several schedules.
struct Union([millicron::ZonedSchedule<jiff::tz::TimeZone>; 5]);

impl millicron::Recurrence for Union {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.0.iter().filter_map(|one| one.next_event(instant)).min()
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.0.iter().filter_map(|one| one.nearest_prev_event(instant)).max()
    }
}

#[test]
fn shades_rise_with_counts() {
    // One to five events, depending on the day of the month.
    let union =
        [1_u8, 2, 3, 4, 5].map(|day| schedule(&format!("*.*.{day} 0-{}:00:00", day - 1), "UTC"));
    let calendar = union.map(|schedule| YearCalendar::new(&schedule, &Utc, 2026, "few"));
    // On its own, each schedule only has the last shade.
    for calendar in &calendar {
        assert!(!plain(calendar, 80).contains('▓'));
    }
    let union =
        [1_u8, 2, 3, 4, 5].map(|day| schedule(&format!("*.*.{day} 0-{}:00:00", day - 1), "UTC"));
    let calendar = YearCalendar::new(&Union(union), &Utc, 2026, "all");
    let text = plain(&calendar, 80);
    assert!(text.contains(" 1· 2░ 3▒ 4▓"), "{text}");
    assert!(text.contains("· 1  ░ 2  ▒ 3  ▓ 4  █ 5"), "{text}");
}

fn office() -> Calendar {
    Calendar::parse("*.*.* Mon-Fri\n- *.1.1\n- *.12.25,26").expect("a calendar")
}

#[test]
fn closed_days_look_different_from_days_without_events() {
    let calendar = office();
    let schedule = Schedule::parse_with("*.*.* B 12:00:00 @office", &[("office", office())]);
    // Another schedule has no events on Mondays, on which the calendar is open.
    for (schedule, monday) in
        [(schedule, "21█"), (Schedule::parse("*.*.* Tue-Fri 12:00:00"), "21 ")]
    {
        let schedule = schedule.expect("a schedule").in_zone(Utc);
        let picture = YearCalendar::new(&schedule, &Utc, 2026, "noon");
        let picture = picture.closed_outside(&calendar, "office");
        let text = plain(&picture, 80);
        let week = format!("{monday}22█23█24█25");
        assert!(text.contains(&week), "{text}");
        assert!(text.contains("× not a day of office\n"), "{text}");
        let list = "Closed from Monday to Friday: 1 January, 25 December.\n";
        assert!(text.contains(list), "{text}");
        let svg = picture.to_svg(900);
        assert!(svg.contains("Saturday, 26 December 2026: no events; not a day of office"));
        assert!(svg.contains(list.trim_end()), "{svg}");
    }
}

#[test]
fn events_on_a_closed_day_are_shown() {
    let schedule = Schedule::parse("12:00:00").expect("a schedule").in_zone(Utc);
    let picture = YearCalendar::new(&schedule, &Utc, 2026, "noon");
    let text = plain(&picture.closed_outside(&office(), "office"), 80);
    assert!(text.contains("21█22█23█24█25█26█27█"), "{text}");
}

#[test]
fn days_of_a_calendar_are_drawn_without_events() {
    let picture = YearCalendar::of_days(&office(), 2026, "office.days");
    assert_eq!(picture.title(), "office.days · 2026");
    let count = office().count(
        "2026-01-01 00:00:00".parse::<CalendarDigits>().expect("a date")
            .."2027-01-01 00:00:00".parse().expect("a date"),
    );
    assert_eq!(picture.total(), count.into());
    let text = plain(&picture, 80);
    assert!(text.contains("21█22█23█24█25×26×27×"), "{text}");
    assert!(text.contains("2026: 259 days, of 26,134 from 2000-01-03 to 2100-12-31.\n"), "{text}");
    assert!(text.contains("\n× closed\n") && !text.contains("event"), "{text}");
    let closed = picture.closed_weekdays().map(|date| (date.month(), date.day()));
    assert_eq!(closed.collect::<Vec<_>>(), [(1, 1), (12, 25)]);
    let svg = picture.to_svg(900);
    assert!(svg.contains("Friday, 25 December 2026: closed<"), "{svg}");
    assert!(svg.contains("Thursday, 24 December 2026: open<"), "{svg}");
}

#[test]
fn days_are_listed_if_there_are_few() {
    let holidays = Calendar::parse("*.1.1\n*.12.25").expect("a calendar");
    let picture = YearCalendar::of_days(&holidays, 2026, "holidays.days");
    let text = plain(&picture, 80);
    assert!(!text.contains("Closed from"), "{text}");
    assert!(text.contains("\nDays: 1 January, 25 December.\n"), "{text}");
    assert!(picture.to_svg(900).contains("Days: 1 January, 25 December."));
    let every = Calendar::parse("*.*.*").expect("a calendar");
    let text = plain(&YearCalendar::of_days(&every, 2026, "every.days"), 80);
    assert!(!text.contains("losed") && !text.contains("Days:"), "{text}");
}

#[test]
fn years_that_calendars_do_not_have_are_empty() {
    for year in [i32::MIN, -1, 1999, 2101, i32::MAX] {
        let picture = YearCalendar::of_days(&office(), year, "office");
        assert_eq!(picture.total(), 0);
        assert!(picture.to_text(80).contains("no days"));
        assert!(picture.to_svg(900).ends_with("</svg>"));
    }
}
