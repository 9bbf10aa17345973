//! Calendars of the oracle, compared with known dates.

use crate::support::oracle::calendar::days;
use crate::support::oracle::calendar_days::{CalendarDays, Calendars};
use crate::support::oracle::{easter, read_calendars};

/// The payment calendar of the euro, as in the documentation of the language.
pub(super) const TARGET: &str = "\
# TARGET2, the payment calendar of the euro
*.*.* Mon-Fri
- *.1.1
- *.Easter-2            # Good Friday
- *.Easter+1
- *.5.1
- *.12.25,26
+ 2026-05-02            # a day of replacement
";

fn read(text: &str) -> Option<CalendarDays> {
    CalendarDays::read(text, &Calendars::new())
}

/// Returns the number of a date, written in the form of ISO 8601.
fn day(text: &str) -> i64 {
    let is_it = |year, month, day| text == format!("{year}-{month:02}-{day:02}");
    days().iter().find(|date| is_it(date.year, date.month, date.day)).unwrap().number
}

/// Returns the dates of a calendar, in the form of ISO 8601.
fn dates(calendar: &CalendarDays) -> Vec<String> {
    let dates = days().iter().filter(|date| calendar.contains(date.number));
    dates.map(|date| format!("{}-{:02}-{:02}", date.year, date.month, date.day)).collect()
}

/// Returns the month and day of Easter by the rule of Gauss, with its exceptions.
fn easter_of_gauss(year: usize) -> (usize, usize) {
    let (moon, sunday) = if year < 2100 { (24, 5) } else { (24, 6) };
    let age = (19 * (year % 19) + moon) % 30;
    let wait = (2 * (year % 4) + 4 * (year % 7) + 6 * age + sunday) % 7;
    match (age, wait) {
        (29, 6) => (4, 19),
        (28, 6) if (11 * moon + 11) % 30 < 19 => (4, 18),
        _ if 22 + age + wait <= 31 => (3, 22 + age + wait),
        _ => (4, age + wait - 9),
    }
}

#[test]
fn easter_is_on_known_dates() {
    for (year, month, day) in [
        (2000, 4, 23),
        (2008, 3, 23),
        (2011, 4, 24),
        (2019, 4, 21),
        (2024, 3, 31),
        (2026, 4, 5),
        (2038, 4, 25),
        (2049, 4, 18),
        (2076, 4, 19),
        (2100, 3, 28),
    ] {
        let easter = easter(year);
        assert_eq!((easter.year, easter.month, easter.day), (year, month, day));
    }
    for year in 2000..=2100 {
        let easter = easter(year);
        assert_eq!((easter.month, easter.day), easter_of_gauss(year), "{year}");
        assert_eq!((easter.year, easter.weekday), (year, 0));
    }
}

#[test]
fn calendars_are_read_line_by_line() {
    let target = read(TARGET).unwrap();
    let closed: Vec<_> =
        dates(&CalendarDays::of(|date| date.year == 2026 && !target.contains(date.number)));
    // 104 days of weekends but one, and the six holidays, one of which is a Saturday.
    assert_eq!(closed.len(), 108);
    for holiday in ["2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-12-25"] {
        assert!(!target.contains(day(holiday)), "{holiday}");
    }
    for open in ["2026-04-02", "2026-04-07", "2026-05-02", "2026-12-24", "2026-12-28"] {
        assert!(target.contains(day(open)), "{open}");
    }

    // The last line about a day decides.
    let calendar = read("*.1.1-3\n-*.*.2\n+ 2026.1.2,5").unwrap();
    let in_2026 = |text: &String| text.starts_with("2026");
    let found: Vec<_> = dates(&calendar).into_iter().filter(in_2026).collect();
    assert_eq!(found, ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-05"]);
    assert_eq!(read("*.1.1\n- *.*.*\n2026-01-02").map(|it| dates(&it)).unwrap(), ["2026-01-02"]);

    // A first line that removes days removes them from all days.
    let calendar = read("\r\n# closed on weekends\r\n\r\n- *.*.* Sun,Sat\r\n").unwrap();
    assert_eq!(calendar, CalendarDays::workdays());
    assert_eq!(calendar.count(&..), 26_350);
}

#[test]
fn all_forms_of_days_are_read() {
    let of = |text: &str| dates(&read(text).unwrap());
    assert_eq!(of("2026.2.L,1W"), ["2026-02-02", "2026-02-28"]);
    assert_eq!(of("2026.2.* Fri#2"), ["2026-02-13"]);
    assert_eq!(of("2026.2.1 | Fri#2"), ["2026-02-01", "2026-02-13"]);
    assert_eq!(of("2026.2.1|Fri#2"), ["2026-02-01", "2026-02-13"]);
    assert_eq!(of("2100.11.01/30d"), ["2100-11-01", "2100-12-01", "2100-12-31"]);
    assert_eq!(
        of("2100.12.06/2w Tue,Sun"),
        ["2100-12-07", "2100-12-12", "2100-12-21", "2100-12-26"]
    );
    assert_eq!(of("2026-02-27..=2026-03-01"), ["2026-02-27", "2026-02-28", "2026-03-01"]);
    assert_eq!(of("2026-02-27..2026-03-01"), ["2026-02-27", "2026-02-28"]);
    assert_eq!(of("2026-02-27..=2026-02-27"), ["2026-02-27"]);
    assert_eq!(of("2026,2024.Easter"), ["2024-03-31", "2026-04-05"]);
    assert_eq!(of("2026.EASTER"), ["2026-04-05"]);
    assert_eq!(of("2026-2028/2.Easter+39"), ["2026-05-14", "2028-05-25"]);
    // The year is that of Easter.
    assert_eq!(of("2008.Easter-99"), ["2007-12-15"]);
    assert_eq!(read("*.Easter-99").unwrap().count(&..), 101);
}

#[test]
fn comments_begin_at_the_start_of_a_line_or_after_white_space() {
    let of = |text: &str| dates(&read(text).unwrap());
    assert_eq!(of("2026.2.* Fri#2 # Fri#3"), ["2026-02-13"]);
    assert_eq!(of("2026.2.* Fri#2\t#"), ["2026-02-13"]);
    assert_eq!(of("# *.*.*\n #\n\t # 2026-01-01\n2026-01-02"), ["2026-01-02"]);
    assert_eq!(read("2026-01-02#"), None);
    assert_eq!(read("# 2026-01-02"), None);
}

#[test]
fn calendars_name_each_other() {
    let calendars = [
        ("both", "@target\n- @shut"),
        ("target", TARGET),
        ("shut", "*.*.* Fri # and on\n+ 2026-01-05"),
        ("_not-1", "- @both"),
    ];
    let calendars = read_calendars(&calendars).unwrap();
    let [both, target] = [&calendars["both"], &calendars["target"]];
    let monday = day("2026-01-05");
    let expected = CalendarDays::of(|date| {
        target.contains(date.number) && date.weekday != 5 && date.number != monday
    });
    assert_eq!(both, &expected);
    let other = CalendarDays::of(|date| !both.contains(date.number));
    assert_eq!(calendars["_not-1"], other);

    assert_eq!(read_calendars(&[("a", "*.*.*\n- @a")]), None);
    assert_eq!(read_calendars(&[("a", "@b"), ("b", "@a")]), None);
    assert_eq!(read_calendars(&[("a", "@b")]), None);
    assert_eq!(read_calendars(&[("1a", "*.*.*")]), None);
    assert_eq!(read_calendars::<&str, &str>(&[]), Some(Calendars::new()));
}

#[test]
fn invalid_calendars_are_not_read() {
    for line in [
        "",
        "+",
        "-",
        "+ - *.1.1",
        "*.1",
        "*.1.1.1",
        "*.13.1",
        "1999.1.1",
        "*.*.* Mon 12:00:00",
        "12:00:00",
        "Mon",
        "*.*.* | 5 6",
        "1999-12-31",
        "2101-01-01",
        "2026-02-29",
        "2026-1-1",
        "+2026-01-01..",
        "2026-01-01..2026-01-01",
        "2026-01-02..=2026-01-01",
        "2100-12-31..2101-01-01",
        "2026-01-01...2026-01-02",
        "2026-01-01/2d",
        "2026-01-01 Fri",
        "*.Easter Sun",
        "*.Easter+0",
        "*.Easter+100",
        "*.Easter*2",
        "Easter",
        "*.*.Easter",
        "1999.Easter",
        "*.*.* B",
        "*.*.* B#1",
        "*.*.15>B",
        "2026.01.05/3b",
        "@",
        "@other",
        "@ other",
        "*.*.* @other",
        "*.1.1; *.1.2",
    ] {
        assert_eq!(read(line), None, "{line:?}");
        // A later line is as invalid. White space and a comment make an empty line.
        if !line.is_empty() {
            assert_eq!(read(&format!("*.*.*\n{line}")), None, "{line:?}");
        }
    }
    assert_eq!(read("*.*.*\n- *.*.*"), None);
    // A line that never matches is refused even if the calendar has days.
    assert_eq!(read("2026.2.29"), None);
    assert_eq!(read("- 2026.2.29"), None);
}

#[test]
fn queries_of_calendars_match_a_list_of_days() {
    let texts = [TARGET, "*.*/5.10-12", "2050-06-15", "- *.*.*/7", "2100-12-31\n2000-01-01"];
    for text in texts {
        let calendar = read(text).unwrap();
        let expected: Vec<i64> = calendar.days().collect();
        assert!(expected.is_sorted_by(|day, next| day < next));
        let (start, end) = (day("2000-01-01"), day("2100-12-31"));
        let edges = [i64::MIN, -1, 0, start - 1, start, end, end + 1, i64::MAX];
        for at in (start..=end).step_by(997).chain(edges) {
            let (before, until) = (
                expected.iter().filter(|day| **day < at).count(),
                expected.iter().filter(|day| **day <= at).count(),
            );
            let place = |place: Option<usize>| place.and_then(|place| expected.get(place)).copied();
            assert_eq!(calendar.contains(at), before < until);
            assert_eq!(calendar.nearest(at), place(Some(before)));
            assert_eq!(calendar.next(at), place(Some(until)));
            assert_eq!(calendar.nearest_prev(at), place(until.checked_sub(1)));
            assert_eq!(calendar.prev(at), place(before.checked_sub(1)));
            assert_eq!(calendar.count(&(..at)), before);
            assert_eq!(calendar.count(&(at..)), expected.len() - before);
            assert_eq!(calendar.nth(&(at..), 2), place(Some(before + 2)));
            assert_eq!(calendar.add(at, 0), place(Some(before)));
            assert_eq!(calendar.add(at, 3), place(Some(until + 2)));
            assert_eq!(calendar.add(at, -3), place(before.checked_sub(3)));
            assert_eq!((calendar.add(at, i64::MIN), calendar.add(at, i64::MAX)), (None, None));
        }
    }
}
