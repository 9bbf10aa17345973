//! Days that are moved to business days, compared with `QuantLib`.

use millicron::calendar::MILLIS_PER_DAY;
use millicron::{Calendar, CalendarDigits, Schedule};

use super::recorded::lines;
use super::{date, example};

#[test]
fn days_are_moved_as_in_quantlib() {
    let calendars = ["nyse", "target2"].map(|name| (name, example(name)));
    let mut cases = 0;
    for line in lines(include_str!("recorded/quantlib.txt")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, day, numbers @ ..] = &words[..] else { panic!("{line}") };
        let numbers: Vec<i64> = numbers.iter().map(|it| it.parse().expect("a number")).collect();
        let [following, modified_following, preceding, modified_preceding, n, moved @ ..] =
            &numbers[..]
        else {
            panic!("{line}")
        };
        let conventions = [
            (">B", following, &moved[0]),
            (">B!", modified_following, &moved[1]),
            ("<B", preceding, &moved[2]),
            ("<B!", modified_preceding, &moved[3]),
        ];
        let (_, calendar) = calendars.iter().find(|(known, _)| known == name).expect("a calendar");
        for (convention, adjusted, moved) in conventions {
            check(calendar, day, convention, *adjusted, line);
            check(calendar, day, &format!("{convention}{n:+}"), *moved, line);
        }
        check_arithmetic(calendar, date(day), [*following, *preceding], line);
        cases += 1;
    }
    assert_eq!(cases, 4000);
}

/// Checks that a date, moved by a convention, is a number of days later.
fn check(calendar: &Calendar, day: &str, convention: &str, distance: i64, line: &str) {
    let text = format!("{}{convention} 00:00:00 @days", day.replace('-', "."));
    let schedule = Schedule::parse_with(&text, &[("days", calendar.clone())]).expect(line);
    let days = Calendar::from_schedule(&schedule);
    let moved = date(day).to_millis() + distance * MILLIS_PER_DAY;
    assert!(
        days.iter::<CalendarDigits>().eq([CalendarDigits::from_millis(moved)]),
        "{text}: {line}"
    );
}

/// Checks the conventions that are queries of the calendar.
fn check_arithmetic(calendar: &Calendar, day: CalendarDigits, [next, prev]: [i64; 2], line: &str) {
    let at = |distance: i64| {
        Some(CalendarDigits::from_millis(day.to_millis() + distance * MILLIS_PER_DAY))
    };
    assert_eq!(calendar.nearest(day), at(next), "{line}");
    assert_eq!(calendar.nearest_prev(day), at(prev), "{line}");
    assert_eq!(calendar.add(day, 0), at(next), "{line}");
}
