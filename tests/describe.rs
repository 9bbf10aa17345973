//! Descriptions in plain English: all of their forms, and that each describes one set of events.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::{self, Write};

use allocation_counter::measure;
use millicron::{Schedule, schedule};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

use crate::support::generate::{self, expression};

/// Schedules of every form, one per line.
pub(crate) const TEXTS: &str = "\
00:00:00
12:00:00
09:30:00
23:59:59.999
00:00:00.001
09,17:00:00
0,12:00:00
06,12,18:00:00
08:00,30:00
8,12,17:30:00
09:30:00,30
09:30:00.000,500
*:00:00
*/2:00:00
*/8:00:00
*/12:00:00
1-23/2:00:00
9-17:00:00
9-17:30:00
8-12,14:00:00
8-12,14-18:30:00
6,8-12,14-18,20,22:00:00
0,1,2,5,7,11,13,17,19,23:00:00
*:*:00
*:*/5:00
*:*/15:00
*:0,30:00
*:30:00
*:05:00
*:5,35:00
*:1:00
*:0,20,30:00
*:10-20:00
*:10-20,40:00
*:*/7:00
*:0-30/10:00
*:5-59/10:00
*:*/15:30
*:15:30
9-16:*/15:00
9:*:00
9,17:*/15:00
9-11,14-17:*/15:00
*/2:*/15:00
1-23/2:*/15:00
9-15/2:*/10:00
9-17:5,20,35:00
9,11,17:5,20,35:00
9:5,6,8,20,30,31,32,35:00
1-23/2:5,20,35:00
22-23,0-5:*/30:00
9-16:5-59/10:00
9-11,14-16:5-59/10:00
*:*:*
*:*:*/10
*:*:30
*:*:10,20
*:*:0-20
*:*/2:*/10
*:*/5:10,20
*:0,30:10,20
*:0-29:*/10
9-17:*/2:*/10
9-17:0-29:*/10
9,17:0-29:*/10
9:0-29:*/10
9-17:*:10,20
9-17:0,30:10,20
12:30:*
12:*/10:5,10
*/2:*/5:10,20
9:5:0-20,40
*:*:*.*
*:*:*.*/250
*:*:*.500
*:*:*.100,900
*:*:0,30.100,900
*:0:0,30.100,900
12:30:*.100,900
12:30:0-40.100,900
12:30:45.100,200,300,450,500,600,700
12:10-20:*.100,900
9-17:*:*.*/250
*:*/2:*.*/250
9-17/2:*/2:*.*/250
*:*:0,10.*/250
9:30:0,10.*/250
*:*:*.100-900/13
*:*:*.1,2,3-5,10-20/3
1,3-9/2:5,10-20/3:*/13
9-17:*/7:0.100-900/13
9-17:*/7:*.100-900/13
*.*.* 1-5 09:30:00
*.*.* Mon 10:00:00
*.*.* Mon,Thu 10:00:00
*.*.* Sat,Sun 00:00:00
*.*.* Fri-Sat,Sun 12:00:00
*.*.* 1-3,5 12:00:00
*.*.* 0-5 12:00:00
*.*.* 1-5 *:*/5:00
*.*.* Mon *:*/5:00
*.*.* Mon,Wed,Fri 9-16:*/15:00
*.*.* 1-5 *:5,35:00
*.1.* 1-5 09:30:00
*.1,7.* 1-5 *:00:00
2026.1.* 1-5 09:30:00
2026-2028.*.* Mon 09:30:00
2026-2028.6-8.* Mon 09:30:00
*.*.1 09:30:00
*.*.1,15 09:30:00
*.*.10-15 09:30:00
*.*.1,10-15,20 00:00:00
*.*.*/2 09:30:00
*.*.2-30/7 09:30:00
*.*.32 12:00:00
*.*.15,32 12:00:00
*.*.1-7 Mon 12:00:00
*.*.1,15 Mon-Fri 12:00:00
*.*.1,32 Mon-Wed,Sat 12:00:00
*.*.13 5 00:00:00
*.1.13 5 00:00:00
2026.*.13 5 00:00:00
2026.2.13 5 00:00:00
*.*.32 Mon-Fri *:*/5:00
*.12.25 08:00:00
*.1,4,7,10.1 08:00:00
*.1,4.1,15 08:00:00
*/4.02.29 12:00:00
2026.01.05 09:00:00
2026.01.* 09:00:00
2026.*.* 09:00:00
2026-2030/2.*.* *:*/5:00
2026,2028,2030.*.1 *:*/5:00
2026-2030.12.25 08:00:00
*.6-8.* 08:00:00
*.6-8.* *:*/5:00
2026.6-8,12.* *:*/5:00
*.*/2.* 08:00:00
*.*.1,15 *:00:00
*.2.28-32 *:00:00
*.*.L-1 12:00:00
*.*.L-3 12:00:00
*.*.L-1,L-3,L 12:00:00
*.*.15W 12:00:00
*.*.1W,15W 12:00:00
*.*.1,15W 12:00:00
*.*.LW 17:00:00
*.*.L-2W 17:00:00
*.3,6.LW 17:00:00
*.*.LW 9-16:*/30:00
*.*.15W Fri 12:00:00
*.*.* Fri#2 10:00:00
*.*.* Mon#1,Mon#3 10:00:00
*.*.* Mon#1,Fri#L 10:00:00
*.*.* Fri,Mon#1 10:00:00
*.1.* Mon#1 10:00:00
2026.11.* Thu#4 10:00:00
*.11.* Thu#4 9-16:*/15:00
*.*.8-14 Mon#2,Tue#2 10:00:00
*.*.27 Tue-Fri,Mon#2 09:00:00
*.1.13,L Mon,Tue,Fri#1,Fri#2 12:00:00
*.*.13 | Fri 00:00:00
*.*.1,15 | Mon-Fri 00:00:00
*.*.13,L | Fri,Mon#1 12:00:00
*.1.13 | Fri *:*/5:00
2026-2027.*.13 | Fri 12:00:00
2026.01.05/14d 09:00:00
2026.01.05/1d 09:00:00
2026.01.05/10d *:*/5:00
2026.01.05/10d Mon,Fri 09:00:00
2026.01.05/2w 09:00:00
2026.01.05/2w Mon,Thu 09:00:00
2026.01.05/1w Mon,Thu 09:00:00
2026.01.05/6w Mon-Fri 9-17:*:*/5
2026.01.05/2w * 09:00:00
2026.01.05/2w Mon#2 09:00:00
09:30:00..16:00:00/15m
*.*.* 1-5 09:30:00..16:00:00/250ms
*.*.* 1-5 09:30:00..=16:00:00/15m
*.*.* Fri 22:00:00..06:00:00/30m
*.*.* 1-5 22:00:00..06:00:00/30m
22:00:00..06:00:00/30m
22:00:00..=24:00:00/30m
22:00:00..24:00:00/30m
*.*.1,15 22:00:00..=06:00:00/90m
*.1.* 22:00:00..=06:00:00/100m
2026.01.05/10d 22:00:00..=06:00:00/1h1m1s
00:00:00../7m
00:00:00../1500ms
09:00:00..=09:00:00/1h
09:00:00..=09:00:00/24h
12:00:00..18:00:00/7s
";

fn parse(text: &str) -> Schedule {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:#}"))
}

fn describe(text: &str) -> String {
    parse(text).describe().to_string()
}

#[test]
fn descriptions_of_every_form() {
    assert!(TEXTS.lines().count() >= 150);
    let describe = |text| format!("{text}\n    {}\n", describe(text));
    let descriptions: String = TEXTS.lines().map(describe).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("descriptions", descriptions);
    });
}

#[test]
fn descriptions_with_the_twelve_hour_clock() {
    for (text, expected) in [
        ("00:00:00", "Every day at midnight"),
        ("12:00:00", "Every day at noon"),
        ("0,12:30:00", "Every day at 12:30 AM and 12:30 PM"),
        ("9,17:00:00", "Every day at 9 AM and 5 PM"),
        ("1,9,17:00:00", "Every day at 1 AM, 9 AM and 5 PM"),
        ("11:59:59", "Every day at 11:59:59 AM"),
        ("13:00:00.005", "Every day at 1:00:00.005 PM"),
        ("*.*.* Sun 00:00:00", "At 12 AM on Sundays"),
        (
            "*.*.* 1-5 09:30:00..16:00:00/15m",
            "Every 15 minutes from 9:30 AM until 4 PM, Monday to Friday",
        ),
        (
            "*.*.* Fri 22:00:00..06:00:00/30m",
            "Every 30 minutes from 10 PM on Fridays until 6 AM the next day",
        ),
        ("00:00:00..12:00:00/7m", "Every 7 minutes from 12 AM until noon"),
        ("12:00:00..24:00:00/7m", "Every 7 minutes from noon until midnight"),
        ("9,11,17:5,20,35:00", "At 5, 20 and 35 minutes past 9 AM, 11 AM and 5 PM"),
        ("1-23/2:*/15:00", "Every 15 minutes in every 2nd hour from 1 AM until midnight"),
    ] {
        let description = parse(text).describe().with_twelve_hour_clock();
        assert_eq!(description.to_string(), expected, "{text}");
    }
}

#[test]
fn ordinal_numbers_have_their_english_suffixes() {
    for (day, expected) in
        [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th")]
            .into_iter()
            .chain([(21, "21st"), (22, "22nd"), (23, "23rd"), (30, "30th"), (31, "31st")])
    {
        let description = describe(&format!("*.*.{day} 09:00:00"));
        assert_eq!(description, format!("On the {expected} of the month at 09:00"));
    }
    let every_111th = describe("2000.01.01/111d *:00:00");
    assert_eq!(every_111th, "Every hour on every 111th day from 1 January 2000");
}

#[test]
fn business_days_and_unions_are_described() {
    for (text, expected) in [
        ("*.*.* B#1 09:00:00", "On the first business day of the month at 09:00"),
        ("*.*.* B#1,B#L 09:00:00", "On the first and last business days of the month at 09:00"),
        (
            "*.*.* B#2,B#L-1,B#L-2 09:00:00",
            "On the second, last but one and 2nd before the last business days of \
             the month at 09:00",
        ),
        (
            "*.*.15>B 09:00:00",
            "On the first business day on or after the 15th of the month at 09:00",
        ),
        (
            "*.*.L<B 09:00:00",
            "On the last business day on or before the last day of the month at 09:00",
        ),
        (
            "*.*.15,L-1>B 09:00:00",
            "On the 15th and on the first business day on or after the day before \
             the last day of the month at 09:00",
        ),
        (
            "*.*.15>B! 09:00:00",
            "On the business day on or after the 15th (or before it, to stay in the \
             month) of the month at 09:00",
        ),
        (
            "*.*.1,15<B! 09:00:00",
            "On the 1st and on the business day on or before the 15th (or after it, \
             to stay in the month) of the month at 09:00",
        ),
        (
            "*.*.15>B+2 09:00:00",
            "On the second business day after the first business day on or after \
             the 15th of the month at 09:00",
        ),
        (
            "*.*.15<B-3 09:00:00",
            "On the third business day before the last business day on or before \
             the 15th of the month at 09:00",
        ),
        (
            "2026.12.1-31,L>B+1 09:00:00",
            "On the 1st to 31st and on the first business day after the first business day on or \
             after the last day of December 2026 at 09:00",
        ),
        (
            "*.*.13 Mon,B#2 09:00:00",
            "On the 13th if it falls on Monday or on the second business day of the month at 09:00",
        ),
        ("09:00:00; *.*.1 10:00:00", "Every day at 09:00; and on the 1st of the month at 10:00"),
        (
            "09:00:00; *.*.1 10:00:00; *.*.2 11:00:00",
            "Every day at 09:00; on the 1st of the month at 10:00; and on the 2nd \
             of the month at 11:00",
        ),
    ] {
        assert_eq!(describe(text), expected, "{text}");
    }
}

#[test]
fn writing_a_description_does_not_allocate() {
    static NIGHTS: Schedule = schedule!("2026,2028.Jan,Jul.1,15,L-3W 1,3-9/2:5,10-20/3:*/13.5");
    let mut counter = Counter(0);
    let allocations = measure(|| {
        let description = NIGHTS.describe().with_twelve_hour_clock();
        write!(counter, "{description}").expect("a counter takes everything");
    });
    assert!(counter.0 > 50);
    assert_eq!(allocations.count_total, 0);
}

/// Counts the bytes that are written.
struct Counter(usize);

impl Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// A small change to a text.
#[derive(Clone, Debug)]
enum Change {
    /// Adds to one of the numbers.
    Number(Index, i32),
    /// Replaces one of the occurrences of a piece by another piece.
    Piece(Index, (&'static str, &'static str)),
}

/// Pieces, and others of a similar meaning.
const PIECES: [(&str, &str); 24] = [
    ("..", "..="),
    ("..=", ".."),
    ("ms", "s"),
    ("s", "ms"),
    ("m", "s"),
    ("h", "m"),
    ("m", "h"),
    ("d", "w"),
    ("w", "d"),
    ("W", ""),
    ("L", "32"),
    ("32", "L-1"),
    ("L-", ""),
    ("#L", ""),
    ("#L", "#5"),
    ("|", " "),
    (",", "-"),
    ("-", ","),
    (",", "W,"),
    ("*", "*/2"),
    ("*/", "1-5/"),
    ("*", "0"),
    ("*", "1,5"),
    (" ", " | "),
];

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let number = (any::<Index>(), prop_oneof![Just(1), Just(-1), -40..=40]);
    let piece = (any::<Index>(), select(&PIECES[..]));
    let change = prop_oneof![
        3 => number.prop_map(|(place, by)| Change::Number(place, by)),
        1 => piece.prop_map(|(place, pieces)| Change::Piece(place, pieces)),
    ];
    vec(change, 40)
}

fn changed(text: &str, change: &Change) -> Option<String> {
    let (place, before, after) = match change {
        Change::Number(place, by) => {
            let is_digit =
                |place: usize| text.as_bytes().get(place).is_some_and(u8::is_ascii_digit);
            let is_start = |place: &usize| is_digit(*place) && !(*place > 0 && is_digit(place - 1));
            let starts: Vec<usize> = (0..text.len()).filter(is_start).collect();
            let start = *starts.get(place.index(starts.len().max(1)))?;
            let end = (start..=text.len()).find(|place| !is_digit(*place))?;
            let number: i32 = text[start..end].parse().ok()?;
            (start, &text[start..end], number.checked_add(*by)?.to_string())
        }
        Change::Piece(place, (before, after)) => {
            let starts: Vec<usize> = text.match_indices(before).map(|(start, _)| start).collect();
            (*starts.get(place.index(starts.len().max(1)))?, *before, (*after).to_owned())
        }
    };
    Some(format!("{}{after}{}", &text[..place], &text[place + before.len()..]))
}

/// Returns whether two schedules have the same events. Different schedules may: a window can also be
/// the steps of a field.
pub(crate) fn have_same_events(a: &Schedule, b: &Schedule) -> bool {
    const YEAR: i64 = 31_556_952_000;
    let starts = (30..=131).map(|year| year * YEAR + year % 12 * YEAR / 12);
    let are_alike = |start: i64| {
        let (next, prev) = (start.., ..start);
        a.events(next.clone()).take(1000).eq(b.events(next).take(1000))
            && a.events(prev).rev().take(1000).eq(b.events(prev).rev().take(1000))
            && a.count(prev) == b.count(prev)
    };
    a == b || a.count(..) == b.count(..) && starts.into_iter().all(are_alike)
}

#[test]
fn schedules_with_different_events_have_different_descriptions() {
    let described = RefCell::new(HashMap::<String, Schedule>::new());
    let check = |text: &str| {
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        let description = schedule.describe();
        let canonical = parse(&schedule.to_string()).describe();
        prop_assert_eq!(canonical.to_string(), description.to_string(), "{}", text);
        for description in
            [description.to_string(), description.with_twelve_hour_clock().to_string()]
        {
            match described.borrow_mut().entry(description) {
                Entry::Vacant(entry) => drop(entry.insert(schedule.clone())),
                Entry::Occupied(entry) => prop_assert!(
                    have_same_events(entry.get(), &schedule),
                    "{}: `{}` and `{}`",
                    entry.key(),
                    entry.get(),
                    schedule
                ),
            }
        }
        Ok(())
    };
    let texts = TEXTS.lines().collect::<Vec<_>>();
    let texts = prop_oneof![4 => expression(), 1 => select(texts).prop_map(str::to_owned)];
    let cases = (texts, changes());
    let result = TestRunner::new(generate::cases(2_000)).run(&cases, |(text, changes)| {
        check(&text)?;
        changes.iter().filter_map(|change| changed(&text, change)).try_for_each(|text| check(&text))
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
