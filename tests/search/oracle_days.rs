//! Days of a calendar in the oracle, compared with a walk through the days of each month.

use crate::support::oracle::calendar::{Date, date_of, days};
use crate::support::oracle::calendar_days::{CalendarDays, Calendars};
use crate::support::oracle::days::{BusinessDay, MovedDay, StepUnit, Steps, Way, WrittenDay};
use crate::support::oracle::text::Sets;
use crate::support::oracle::{Oracle, midnight, read_calendars};

use super::oracle::check_every_millisecond;
use super::oracle_calendars::TARGET;

/// The calendar of payments in euros, a calendar with few days, and one with a single day.
fn calendars() -> Calendars {
    let texts = [("target", TARGET), ("few", "*.*/5.10-12"), ("_1", "2050-06-15")];
    read_calendars(&texts).unwrap()
}

#[test]
fn items_with_days_of_a_calendar_are_read() {
    let sets = Sets::read("*.*.* B#3,Fri,B,b#L,Sat#L 1:1:1");
    assert_eq!(sets, None);
    let sets = Sets::read("*.*.* B#03,Fri,B,B#L,B#L-30,Sat#L 1:1:1").unwrap();
    let expected = [
        BusinessDay::Any,
        BusinessDay::Nth(3),
        BusinessDay::BeforeLast(0),
        BusinessDay::BeforeLast(30),
    ];
    assert_eq!(Vec::from_iter(sets.business_days), expected);
    assert_eq!(sets.numbered_weekdays.len(), 1);

    let moved = |text: &str| {
        let sets = Sets::read(&format!("*.*.{text} 1:1:1")).unwrap();
        Vec::from_iter(sets.moved_days)
    };
    let day = |written, way| MovedDay { written, way, stays_in_month: false, offset: 0 };
    let (following, preceding) = (Way::Following, Way::Preceding);
    assert_eq!(moved("15>B"), [day(WrittenDay::Day(15), following)]);
    assert_eq!(moved("1,L-2<B"), [day(WrittenDay::BeforeLast(2), preceding)]);
    let last = MovedDay { stays_in_month: true, ..day(WrittenDay::BeforeLast(0), following) };
    assert_eq!(moved("L>B!"), [last]);
    assert_eq!(moved("L>B!+99"), [MovedDay { offset: 99, ..last }]);
    let early = MovedDay { offset: -2, ..day(WrittenDay::Day(5), preceding) };
    assert_eq!(moved("LW,05<B-02,5<B-2"), [early]);

    let steps = Sets::read("2026.Jan.5/3b 1:1:1").unwrap().steps;
    assert_eq!(steps, Some(Steps { from: 20_458, by: 3, unit: StepUnit::BusinessDays }));
}

#[test]
fn names_of_calendars_are_read() {
    let calendars = calendars();
    let read = |text: &str| Sets::read_with(text, &calendars);
    let sets = read(" *.*.13 |Fri\t22:00:00..04:00:00/1h \t@target\n").unwrap();
    assert_eq!(sets.calendar.as_deref(), Some("target"));
    assert_eq!(sets.open_days, calendars["target"]);
    assert_eq!(read("1:1:1 @_1").unwrap().calendar.as_deref(), Some("_1"));
    let sets = read("1:1:1").unwrap();
    assert_eq!((sets.calendar, sets.open_days), (None, CalendarDays::workdays()));
    for text in [
        "1:1:1 @",
        "1:1:1 @ target",
        "1:1:1 @nyse",
        "1:1:1 @Target",
        "1:1:1@target",
        "1:1:1 @target @few",
        "1:1:1 @target,few",
        "@target 1:1:1",
        "@target",
        "*.*.* @target 1:1:1",
        "1:1:1 Europe/Berlin @target",
        "1:1:1 @target Europe/Berlin",
        "1:1:1\n@target",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn invalid_days_of_a_calendar_have_no_sets() {
    let days = [
        "15>b", "15>", "15<", ">B", "15>B>B", "15>B<B", "15>>B", "5-15>B", "15>B-L", "*>B", "0>B",
        "32>B", "LW>B", "15W>B", "L-0>B", "L-31<B", "l>B", "15>BW", "15B", "B", "15>B+0", "15>B-0",
        "15>B+100", "15>B+", "15>B2", "15>B++1", "15>B+-1", "15>B+1!", "15>B!!", "15>B! +1",
        "15>B/2", "*,15>B", "15!>B", "15+1>B",
    ];
    for day in days {
        assert_eq!(Sets::read(&format!("*.*.{day} 1:1:1")), None, "{day}");
    }
    let weekdays = [
        "b", "B#0", "B#32", "B#", "B#L-0", "B#L-31", "B#L-", "B#l", "B#L+1", "B-Fri", "Mon-B",
        "B/2", "*,B", "B,*", "BB", "#3", "B#1-3", "Fri#L-1", "*#B",
    ];
    for weekday in weekdays {
        assert_eq!(Sets::read(&format!("*.*.* {weekday} 1:1:1")), None, "{weekday}");
        assert_eq!(Sets::read(&format!("*.*.1 | {weekday} 1:1:1")), None, "{weekday}");
    }
    for text in [
        "*.*.15>B Mon 1:1:1",
        "*.*.15>B * 1:1:1",
        "*.*.1,15>B B 1:1:1",
        "*.*.15>B | Mon 1:1:1",
        "*.*.15>B | B#1 1:1:1",
        "2026.01.05/3B 1:1:1",
        "2026.01.05/0b 1:1:1",
        "2026.01.05/b 1:1:1",
        "2026.01.5>B/3b 1:1:1",
        "2026.*.05/3b 1:1:1",
        "2026.02.29/3b 1:1:1",
        "2026.01.05/3b Mon 1:1:1",
        "2026.01.05/3b * 1:1:1",
        "2026.01.05/3b | Mon 1:1:1",
        "*.*.*/3b 1:1:1",
        "*.B.* 1:1:1",
        "*.Easter 1:1:1",
        "*.*.15 > B 1:1:1",
    ] {
        assert_eq!(Sets::read(text), None, "{text}");
    }
}

/// The known answers of the language with days of a calendar, without the library.
#[test]
fn days_of_a_calendar_have_the_known_answers() {
    let calendars = calendars();
    // 2026-11-01 is a Sunday.
    let at = |month, day, hour: i64| midnight(2026, month, day) + hour * 3_600_000;
    for (text, after, answers) in [
        ("*.*.* B#3 09:00:00", at(11, 1, 0), &[at(11, 4, 9)][..]),
        ("*.*.* B#L-2 09:00:00", at(11, 1, 0), &[at(11, 26, 9)]),
        ("*.*.15>B 12:00:00", at(11, 1, 0), &[at(11, 16, 12)]),
        ("*.*.15<B 12:00:00", at(11, 1, 0), &[at(11, 13, 12)]),
        ("*.*.L>B 12:00:00", at(10, 15, 0), &[at(11, 2, 12), at(11, 30, 12)]),
        ("*.*.L>B! 12:00:00", at(10, 15, 0), &[at(10, 30, 12), at(11, 30, 12)]),
        ("*.*.25<B-2 12:00:00", at(10, 1, 0), &[at(10, 21, 12)]),
        ("2026.01.05/3b 09:00:00", at(1, 5, 9), &[at(1, 8, 9), at(1, 13, 9)]),
        ("*.*.* 12:00:00 @target", at(4, 2, 12), &[at(4, 7, 12)]),
    ] {
        let oracle = Oracle::with_calendars(text, &calendars);
        let events = oracle.events(&(after + 1..), answers.len());
        assert_eq!(events, answers, "{text}");
    }
}

/// Walks through the days one by one.
struct Walk {
    /// The places of the days of each month.
    months: Vec<Vec<usize>>,
    is_open: Vec<bool>,
}

impl Walk {
    fn new(is_open: impl Fn(&Date) -> bool) -> Walk {
        let is_same = |date: &Date, other: &Date| date.month == other.month;
        let mut places = 0..;
        let month = |month: &[Date]| places.by_ref().take(month.len()).collect();
        let months = days().chunk_by(is_same).map(month).collect();
        Walk { months, is_open: days().iter().map(is_open).collect() }
    }

    fn open_days_of(&self, month: &[usize]) -> Vec<usize> {
        month.iter().copied().filter(|place| self.is_open[*place]).collect()
    }

    /// Returns the open day at or after a place, or the `n`-th after it.
    fn forward(&self, mut place: usize, n: usize) -> Option<usize> {
        let mut passed = 0;
        loop {
            if *self.is_open.get(place)? {
                if passed == n {
                    return Some(place);
                }
                passed += 1;
            }
            place += 1;
        }
    }

    /// Returns the open day at or before a place, or the `n`-th before it.
    fn back(&self, mut place: usize, n: usize) -> Option<usize> {
        let mut passed = 0;
        loop {
            if self.is_open[place] {
                if passed == n {
                    return Some(place);
                }
                passed += 1;
            }
            place = place.checked_sub(1)?;
        }
    }

    /// Returns the day to which each month moves one of its days.
    fn each_month(&self, moved: impl Fn(&Walk, &[usize]) -> Option<usize>) -> Vec<usize> {
        let mut places: Vec<usize> =
            self.months.iter().filter_map(|month| moved(self, month)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the places of the days of a text, from a walk that is written for this text.
    fn places_of(&self, text: &str) -> Vec<usize> {
        match text {
            "*.*.* B" => self.forward_from(0, 1),
            "*.*.* B#3" => self.each_month(|walk, month| {
                let open = walk.open_days_of(month);
                open.get(2).copied()
            }),
            "*.*.* B#L" => self.each_month(|walk, month| walk.open_days_of(month).pop()),
            "*.*.* B#L-2" => self.each_month(|walk, month| {
                let open = walk.open_days_of(month);
                open.len().checked_sub(3).map(|third_last| open[third_last])
            }),
            "*.*.15>B" => self.each_month(|walk, month| walk.forward(month[14], 0)),
            "*.*.31<B" => self.each_month(|walk, month| walk.back(*month.get(30)?, 0)),
            "*.*.L-30>B" => {
                self.each_month(|walk, month| walk.forward(month[month.len().checked_sub(31)?], 0))
            }
            "*.*.25<B-2" => self.each_month(|walk, month| {
                let found = walk.back(month[24], 0)?;
                walk.back(found, 2)
            }),
            "*.*.L>B!+1" => self.each_month(|walk, month| {
                let last = *month.last()?;
                let found = if walk.is_open[last] { last } else { walk.back(last, 0)? };
                walk.forward(found, 1)
            }),
            "*.*.1<B!" => self.each_month(|walk, month| walk.forward(month[0], 0)),
            "*.*.5>B!" => self.each_month(|walk, month| {
                let later = month[4..].iter().find(|place| walk.is_open[**place]);
                later.copied().or_else(|| walk.back(month[4], 0))
            }),
            "*.12.31>B+1" => self.each_month(|walk, month| {
                let is_december = days()[month[0]].month == 12;
                let found = walk.forward(*month.get(30)?, 0).filter(|_| is_december)?;
                walk.forward(found, 1)
            }),
            "2026.01.04/3b" => {
                let from = days().iter().position(|date| date.year == 2026).unwrap() + 3;
                self.forward_from(from, 3)
            }
            _ => unreachable!("{text}"),
        }
    }

    /// Returns every `by`-th open day from a place on.
    fn forward_from(&self, from: usize, by: usize) -> Vec<usize> {
        let mut places = Vec::new();
        let mut next = self.forward(from, 0);
        while let Some(place) = next {
            places.push(place);
            next = self.forward(place, by);
        }
        places
    }
}

const DATES: [&str; 13] = [
    "*.*.* B",
    "*.*.* B#3",
    "*.*.* B#L",
    "*.*.* B#L-2",
    "*.*.15>B",
    "*.*.31<B",
    "*.*.L-30>B",
    "*.*.25<B-2",
    "*.*.L>B!+1",
    "*.*.1<B!",
    "*.*.5>B!",
    "*.12.31>B+1",
    "2026.01.04/3b",
];

#[test]
fn days_match_a_walk_through_the_months() {
    let calendars = calendars();
    let names = [None, Some("target"), Some("few"), Some("_1")];
    for (text, name) in DATES.iter().flat_map(|text| names.map(|name| (text, name))) {
        let walk = match name {
            Some(name) => Walk::new(|date| calendars[name].contains(date.number)),
            None => Walk::new(|date| date.weekday != 0 && date.weekday != 6),
        };
        let calendar = name.map_or_else(String::new, |name| format!(" @{name}"));
        let sets = Sets::read_with(&format!("{text} 00:00:00{calendar}"), &calendars).unwrap();
        let expected: Vec<i64> =
            walk.places_of(text).into_iter().map(|place| days()[place].number).collect();
        assert_eq!(sets.dates(), expected, "{text}{calendar}");
    }
}

/// Returns the dates of a text that are given as month and day, and are in 2026.
fn dates_in_2026(text: &str) -> Vec<(usize, usize)> {
    let sets = Sets::read_with(&format!("{text} 00:00:00"), &calendars()).unwrap();
    let dates = sets.dates().into_iter().map(date_of).filter(|date| date.year == 2026);
    dates.map(|date| (date.month, date.day)).collect()
}

#[test]
fn days_of_a_calendar_combine_with_other_days() {
    // 2026-02-01 and 2026-03-01 are Sundays; only the months with 31 days move the 31st.
    assert_eq!(dates_in_2026("*.2,3.1>B,1,5"), [(2, 1), (2, 2), (2, 5), (3, 1), (3, 2), (3, 5)]);
    assert_eq!(dates_in_2026("*.2.30>B,31<B,28>B"), [(3, 2)]);
    // Two days that are moved onto one.
    assert_eq!(dates_in_2026("*.2.1>B,2>B"), [(2, 2)]);
    // The year and the month are those of the day before it is moved.
    assert_eq!(dates_in_2026("2025.12.31>B+1"), [(1, 1)]);
    assert_eq!(dates_in_2026("2026.12.31>B+1"), []);
    assert_eq!(dates_in_2026("2026.*.* B#1,Sat#1").len(), 24);
    assert_eq!(dates_in_2026("2026.2.1 | B#L"), [(2, 1), (2, 27)]);
    assert_eq!(dates_in_2026("*.2.13 B"), [(2, 13)]);
    assert_eq!(dates_in_2026("*.2.14 B"), []);
    assert_eq!(dates_in_2026("2026.02.02/9d B#1,B#L"), [(2, 2), (10, 30)]);
    assert_eq!(dates_in_2026("2026.12.05/2w B#L,Sun"), [(12, 6), (12, 20)]);
}

#[test]
fn moved_days_stay_within_the_range() {
    const NONE: [i64; 0] = [];
    // The first day is a Saturday and the last one a Friday.
    let dates = |text: &str| {
        let dates = Sets::read(&format!("{text} 00:00:00")).unwrap().dates();
        dates.into_iter().map(|day| day - 10_957).collect::<Vec<_>>()
    };
    assert_eq!(dates("2000.1.1<B"), NONE);
    assert_eq!(dates("2000.1.1<B!"), [2]);
    assert_eq!(dates("2000.1.1<B!-1"), NONE);
    assert_eq!(dates("2000.1.3>B-1"), NONE);
    assert_eq!(dates("2100.12.L>B"), [36_889]);
    assert_eq!(dates("2100.12.L>B+1"), NONE);
    assert_eq!(dates("2100.12.L-1>B+1"), [36_889]);
    assert!(Oracle::new("2100.12.L>B+1 00:00:00").never_fires());

    let calendars = calendars();
    let dates = |text: &str| {
        let dates = Sets::read_with(&format!("{text} 00:00:00 @_1"), &calendars).unwrap().dates();
        dates.into_iter().map(|day| day * 86_400_000).collect::<Vec<_>>()
    };
    // The only day of this calendar is the 15th.
    let day = midnight(2050, 6, 15);
    assert_eq!(dates("2050.6.1>B"), [day]);
    assert_eq!(dates("2050.6.1<B"), NONE);
    assert_eq!(dates("2050.6.1<B!"), [day]);
    assert_eq!(dates("2050.5.1<B!"), [day]);
    assert_eq!(dates("2050.7.1>B!"), [day]);
    // The day this way is in another month, and there is none the other way.
    assert_eq!(dates("2050.5.1>B!"), NONE);
    assert_eq!(dates("2050.6.15>B+1"), NONE);
    assert_eq!(dates("*.*.15>B"), [day]);
    assert_eq!(dates("*.*.* B#1"), [day]);
    assert_eq!(dates("*.*.* B#2"), NONE);
    assert_eq!(dates("2000.1.1/7b"), [day]);
    assert_eq!(dates("2050.6.16/1b"), NONE);
}

#[test]
fn a_calendar_restricts_the_days_on_which_windows_begin() {
    let calendars = calendars();
    // 2026-04-03 to 2026-04-06 are closed.
    let oracle = Oracle::with_calendars("20:00:00..=06:00:00/5h @target", &calendars);
    let range = midnight(2026, 4, 2)..midnight(2026, 4, 8);
    let (second, seventh) = (midnight(2026, 4, 2), midnight(2026, 4, 7));
    let hour = 3_600_000;
    let expected = [
        second + hour,
        second + 6 * hour,
        second + 20 * hour,
        second + 25 * hour,
        second + 30 * hour,
        seventh + 20 * hour,
    ];
    assert_eq!(oracle.events(&range, 10), expected);
    // Steps and weekdays do not count days that the calendar removes.
    let oracle = Oracle::with_calendars("2026.03.30/1d 12:00:00 @target", &calendars);
    assert_eq!(oracle.count(&range), 2);
    let oracle = Oracle::with_calendars("*.*.* Fri#1,Sat,Tue 12:00:00 @target", &calendars);
    assert_eq!(oracle.events(&range, 10), [seventh + 12 * hour]);
}

#[test]
fn answers_with_a_calendar_match_every_millisecond_around_midnight() {
    let calendars = calendars();
    for text in [
        "*.*.* B#1,B#L *:*:*.*/250",
        "*.*.L>B!,1<B+1 23:59:59..=00:00:01/7ms @target",
        "2000.01.01/3b *:*:*.1,2,3-5,10-20/3 @target",
        "*.*.1 | B#L *:*:*.999 @few",
    ] {
        let oracle = Oracle::with_calendars(text, &calendars);
        for midnight in [midnight(2000, 1, 3), midnight(2026, 5, 1), midnight(2100, 12, 31)] {
            check_every_millisecond(&oracle, midnight - 2500, midnight + 2500);
        }
    }
}
