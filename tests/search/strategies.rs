//! All date and time strategies where bugs are most likely: at the ends of the range, around leap
//! days, and around 2100, which is not a leap year and so breaks every cycle of years.

use std::ops::Range;

use crate::support::oracle::{END, Oracle, START, midnight};
use crate::support::sample;
use millicron::{Schedule, schedule};

const DAY: i64 = 86_400_000;

/// Pairs each text with the schedule that the macro compiles from it.
macro_rules! compiled {
    ($($text:literal)*) => {
        [$(($text, schedule!($text))),*]
    };
}

/// Dates for each strategy, and for the limits between strategies.
const DATES: [&str; 95] = [
    // All days listed: few in the century, or few in some years.
    "*.2.29 6",
    "*.12.31 5",
    "*.1.1 0,6",
    "2000.1.1 6",
    "2048.2.29 *",
    "2100.12.31 *",
    "2100.2.32 *",
    "2100.3.1 *",
    "2004,2050,2099.12.31 *",
    "2000,2055,2100.2.32 *",
    "2000,2100.1,12.1,31 *",
    "2000-2098/7.12.31 *",
    "2000-2100/50.7.1 *",
    "2001-2098.12.31 *",
    "2001-2100.6,12.30 *",
    // Evenly spaced days, also where the last interval is a day shorter.
    "*/4.1.1 *",
    "2013,2077.8.9 *",
    "2000-2100/20.7.1 *",
    // Days that repeat every four years; some have more days than fit in a block.
    "*.*.01 *",
    "*.*.32 *",
    "*.*.29 *",
    "*.*.1,15 *",
    "*.*.13,29 *",
    "*.1-8.1,15 *",
    "*.1-8.13,29 *",
    "*.1,12.1,31 *",
    "*.2,3.1,32 *",
    "*.2.29 *",
    "*.2.28-32 *",
    "*.1.1 *",
    "*.12.31 *",
    // Days that repeat every 28 years.
    "*.*.13 Fri",
    "*.*.31 3",
    "*.*.32 0",
    "*.*.20-32/5 5",
    "*.*.13,20 5",
    "*.1,10.5-26/7 1",
    "*.11.22-28 Thu",
    "*.12.31 4-6",
    "*.1.1 1-3",
    "*.2.29 1-5",
    "*.2.29 2-4",
    "*.2.28,32 0,6",
    "*.3.1 1-3",
    // As many days as the list of a parsed schedule can hold, and one more per year.
    "*.1-7.1-7 1",
    "*.1-8.1-7 1",
    // Days close together: in a month, in two months, around the leap day, and in a month where
    // the number of days varies a lot from year to year.
    "*.9.*/2 1-5",
    "*.1.* 1-5",
    "*.12.* 0",
    "*.12.* 5,6",
    "*.1,2.* 0,6",
    "*.2,3.20-32 1-5",
    "*.2.27-32 *",
    "*.8.15-32 2-4",
    // The limits of days per year and of the distance between them, and one beyond each.
    "*.12.1-24 *",
    "*.12.1-25 *",
    "*.1-3.1-4 *",
    "*.1-3.1-5 *",
    // Days of the year.
    "*.*.*/2 *",
    "*.*.29-32 *",
    "*.2.* *",
    "2020-2060/3.*.*/2 *",
    "2000,2050.2.25-32 *",
    "2000,2100.*.28-32 *",
    "2096-2100.2.27-32 *",
    "2100.*.* *",
    // Days of the year on weekdays.
    "*.9,12.*/2 1-5",
    "*.*.1-7 1",
    "*.*.20-32 1-5",
    "2020-2060/3.*.*/2 1-5",
    "2000,2100.2,12.20-32 0,6",
    "2096-2100.2-3.* */2",
    "2007,2063.*.1-30/2 0-5",
    // Days relative to the month, numbered weekdays, and both.
    "*.*.L-1 *",
    "*.*.L-30 *",
    "*.*.1W *",
    "*.*.31W *",
    "*.*.1,LW *",
    "*.2.L-28,29W *",
    "*.12.LW 5",
    "*.*.* Fri#2",
    "*.*.* Mon#5",
    "*.*.* 0#1,3,6#L",
    "*.2.29 6#5",
    "*.*.15W,L-3 2#L,4,5",
    // Days or weekdays.
    "*.*.13 | Fri",
    "*.2.29 | 6#5",
    "2096-2100.*.LW | 0#1",
    // Steps from a date.
    "2026.01.05/10d *",
    "2000.01.01/2w 0,6",
    "2096.02.29/1d 1-5",
    "2050.12.31/3w Tue#1,Fri",
    // Weekdays, and every day.
    "*.*.* 0",
    "*.*.* 1-5",
    "*.*.* *",
];

/// Times of day for each strategy, in each field.
const TIMES: [&str; 22] = [
    "00:00:00",
    "12:15:11.320",
    "23:59:59.999",
    "*/6:00:00",
    "*:*/15:30.250",
    "*:*:*.*",
    "0,7,23:59:59.999",
    "*:0,17,59:30",
    "*:*:0,59.5",
    "*:*:*.1,2,3-5,10-20/3",
    "*:*:*.0,63,64,999",
    "8-17:*/20,59:00",
    "0,23:0,59:0,59.999",
    "5:*:*",
    "0,23:0,59:0,59.1,2,63",
    "9,17:30:0.0,64,128,999",
    "09:30:00..16:00:00/15m",
    "22:00:00..=06:00:00/30m",
    "00:00:00../7m",
    "23:59:59.999..23:59:59.998/1ms",
    "18:15:00.500..=18:15:00.500/6h",
    "12:15:11.320..=24:00:00/1s1ms",
];

/// Returns ranges around the first leap day, around the start of the second cycle of 28 years, and
/// around the whole of 2100. The first and the last extend beyond the range of schedules.
fn windows() -> [Range<i64>; 3] {
    [
        START - 2 * DAY..midnight(2000, 3, 5),
        midnight(2027, 12, 25)..midnight(2028, 3, 5),
        midnight(2099, 12, 25)..END + 1 + DAY,
    ]
}

#[track_caller]
fn check(schedule: &Schedule, oracle: &Oracle, at: i64) {
    let text = schedule.expression();
    assert_eq!(schedule.next_event(at), oracle.next(at), "{text}: next after {at}");
    assert_eq!(schedule.nearest_event(at), oracle.nearest(at), "{text}: nearest to {at}");
    assert_eq!(schedule.prev_event(at), oracle.prev(at), "{text}: prev before {at}");
    assert_eq!(schedule.nearest_prev_event(at), oracle.nearest_prev(at), "{text}: prev to {at}");
    assert_eq!(schedule.matches(at), oracle.matches(at), "{text}: matches {at}");
}

/// Returns the schedules that are tested at each of their events in the windows.
fn in_windows() -> Vec<(Schedule, Oracle)> {
    let compiled = compiled! {
        // All days listed, most of them outside the windows.
        "*.02.29 6 */6:0:0"
        "2000,2055,2100.2,12.32 0,23:0,59:0,59.1,2,63"
        "2100.12.31 23:59:59.999"
        // Evenly spaced days.
        "*/4.01.01 12:00:00"
        "*.*.* Sun 08:00:00"
        // Days that repeat every four years.
        "*.*.01 01:30:00"
        "*.*.1,15 8-17:*/20,59:00"
        "*.2.29 *:*:0,59.5"
        "*.*.13,29 9,17:30:0.0,64,128,999"
        // Days that repeat every 28 years.
        "*.*.31 3 12:14:34"
        "*.*.13 Fri *:0,17,59:30"
        "*.*.20-32/5 5 0,7,23:59:59.999"
        "*.2.28,32 0-4 5:59:*.0,63,64,999"
        // Days close together.
        "*.9.*/2 1-5 10:00:00"
        "*.2,3.20-32 1-5 9,17:30:0.0,64,128,999"
        "*.12.15-32 0,2-4 *:0,17,59:30"
        // Days of the year.
        "*.*.*/2 23:59:59.999"
        "2000,2100.*.28-32 *:*/15:30.250"
        "*.*.29-32 9,17:30:0.0,64,128,999"
        // Days of the year on weekdays.
        "*.9,12.*/2 1-5 10:00:00.000"
        "2000-2100/4.*.20-32 0,6 0,23:0,59:0,59.999"
        // Weekdays, and every day.
        "*.*.* 1-5 09:30:00"
        "*.*.* 0,6 *:0,17,59:30"
        "0,7,23:59:59.999"
        "0:0:0"
    };
    let parsed = compiled.iter().map(|(text, _)| text.parse().expect("a compiled expression"));
    let all = parsed.chain(compiled.iter().map(|(_, compiled)| compiled.clone()));
    all.map(|schedule: Schedule| {
        let oracle = Oracle::new(schedule.expression());
        (schedule, oracle)
    })
    .collect()
}

#[test]
fn queries_at_every_event_answer_like_the_oracle() {
    for (schedule, oracle) in in_windows() {
        for window in windows() {
            let events = oracle.events(&window, usize::MAX);
            let midnights = (window.start..=window.end).step_by(86_400_000);
            for at in events.into_iter().chain(midnights) {
                for at in [at - 1, at, at + 1] {
                    check(&schedule, &oracle, at);
                }
            }
        }
    }
}

#[test]
fn iteration_matches_the_oracle_in_each_window() {
    for (schedule, oracle) in in_windows() {
        for window in windows() {
            let events = oracle.events(&window, usize::MAX);
            check_iteration(&schedule, window, &events);
        }
    }
}

/// Checks all ways to iterate over the events of a range.
fn check_iteration(schedule: &Schedule, range: Range<i64>, events: &[i64]) {
    let text = schedule.expression();
    let walk = || schedule.events(range.clone());
    assert_eq!(walk().collect::<Vec<_>>(), events, "{text}");
    let mut back: Vec<i64> = walk().rev().collect();
    back.reverse();
    assert_eq!(back, events, "{text} backward");
    assert_eq!(schedule.count(range.clone()), length(events), "{text}");
    assert_eq!(walk().size_hint(), (events.len(), Some(events.len())), "{text}");

    // Alternate between both ends until they meet.
    let (mut both, mut left) = (walk(), events);
    while let [first, rest @ ..] = left {
        assert_eq!(both.next(), Some(*first), "{text} from both ends");
        left = rest;
        if let [rest @ .., last] = left {
            assert_eq!(both.next_back(), Some(*last), "{text} from both ends");
            left = rest;
        }
    }
    assert_eq!((both.next(), both.next_back()), (None, None), "{text} from both ends");

    check_events_taken_by_the_other_end(schedule, &range, events);
    for size in [1, 2, 3, 63, 64, 65] {
        check_fill(schedule, range.clone(), events, size);
        check_nth(schedule, range.clone(), events, size);
    }
    for n in indices(events.len()) {
        assert_eq!(walk().nth(n), events.get(n).copied(), "{text} nth({n})");
        let back = events.iter().nth_back(n).copied();
        assert_eq!(walk().nth_back(n), back, "{text} nth_back({n})");
        if let Some(&event) = events.get(n) {
            let (before, after) = (length(&events[..n]), length(&events[n..]));
            assert_eq!(schedule.count(range.start..event), before, "{text} until {event}");
            assert_eq!(schedule.count(event..range.end), after, "{text} from {event}");
        }
    }
}

/// Takes one event from one end, all but one of the rest from the other end, and the last one from
/// the first end, which may have buffered events that the other end has taken since.
fn check_events_taken_by_the_other_end(schedule: &Schedule, range: &Range<i64>, events: &[i64]) {
    let text = schedule.expression();
    let [first, .., last] = *events else { return };
    let most = events.len() - 2;

    let mut walk = schedule.events(range.clone());
    assert_eq!(walk.next_back(), Some(last), "{text} from the back");
    assert!(walk.by_ref().take(most).eq(events[..most].iter().copied()), "{text} then forward");
    assert!(walk.rev().eq([events[most]]), "{text} from the back again");

    let mut walk = schedule.events(range.clone());
    assert_eq!(walk.next_back(), Some(last), "{text} from the back");
    let mut buffer = vec![0; most];
    assert_eq!(walk.fill(&mut buffer), most, "{text} then by filling");
    assert!(walk.rev().eq([events[most]]), "{text} from the back again");

    let mut walk = schedule.events(range.clone());
    assert_eq!(walk.next(), Some(first), "{text} from the front");
    let back = events[2..].iter().rev().copied();
    assert!(walk.by_ref().rev().take(most).eq(back), "{text} then backward");
    assert!(walk.eq([events[1]]), "{text} from the front again");
}

/// Returns the indices up to `len`; of long lists only those near the ends and near the boundaries
/// of blocks, and some in between.
fn indices(len: usize) -> impl Iterator<Item = usize> {
    (0..=len).filter(move |index| {
        len < 500 || *index < 70 || len - index < 70 || index % 64 < 2 || index % 97 == 0
    })
}

/// Fills one buffer after the other, and takes an event from the front, from the back or from
/// neither end in between.
fn check_fill(schedule: &Schedule, range: Range<i64>, events: &[i64], size: usize) {
    let text = schedule.expression();
    for between in 0..3 {
        let (mut walk, mut left) = (schedule.events(range.clone()), events);
        loop {
            let mut buffer = vec![i64::MIN; size];
            let count = walk.fill(&mut buffer);
            assert_eq!(count, size.min(left.len()), "{text} fill of {size}");
            assert_eq!(buffer[..count], left[..count], "{text} fill of {size}");
            // The rest of the buffer is unchanged.
            assert!(buffer[count..].iter().all(|at| *at == i64::MIN), "{text} fill of {size}");
            left = &left[count..];
            match (between, left) {
                (_, []) => break,
                (1, [first, rest @ ..]) => {
                    assert_eq!(walk.next(), Some(*first), "{text} fill of {size}");
                    left = rest;
                }
                (2, [rest @ .., last]) => {
                    assert_eq!(walk.next_back(), Some(*last), "{text} fill of {size}");
                    left = rest;
                }
                _ => {}
            }
        }
    }
}

/// Alternates `nth(length)` and `next` up to the end, and the same from the back.
fn check_nth(schedule: &Schedule, range: Range<i64>, events: &[i64], length: usize) {
    let text = schedule.expression();
    let (mut walk, mut expected) = (schedule.events(range.clone()), events.iter().copied());
    loop {
        let event = walk.nth(length);
        assert_eq!(event, expected.nth(length), "{text} nth({length})");
        assert_eq!(walk.next(), expected.next(), "{text} nth({length})");
        if event.is_none() {
            break;
        }
    }
    let (mut walk, mut expected) = (schedule.events(range), events.iter().copied());
    loop {
        let event = walk.nth_back(length);
        assert_eq!(event, expected.nth_back(length), "{text} nth_back({length})");
        assert_eq!(walk.next_back(), expected.next_back(), "{text} nth_back({length})");
        if event.is_none() {
            break;
        }
    }
}

fn length(events: &[i64]) -> u64 {
    u64::try_from(events.len()).expect("`usize` has at most 64 bits")
}

#[test]
fn every_date_answers_like_the_oracle_on_every_day_of_the_century() {
    for date in DATES {
        let text = format!("{date} 12:15:11.320");
        let (schedule, oracle): (Schedule, _) = (text.parse().unwrap(), Oracle::new(&text));
        let time = 44_111_320;
        for day in sample(START / DAY - 2..=END / DAY + 2) {
            // Alternate between just before, at and just after the time. All three would take
            // long, and this test is about the day.
            let at = day * DAY + time + day % 3 - 1;
            check(&schedule, &oracle, at);
            assert_eq!(
                schedule.matches(day * DAY + time),
                oracle.matches(day * DAY + time),
                "{text}"
            );
            assert_eq!(schedule.count(at..), oracle.count(&(at..)), "{text} from {at}");
        }
        let events = oracle.events(&(..), usize::MAX);
        check_iteration(&schedule, START..END + 1, &events);
    }
}

#[test]
fn iteration_can_start_at_every_event() {
    for date in DATES {
        let text = format!("{date} 12:15:11.320");
        let (schedule, oracle): (Schedule, _) = (text.parse().unwrap(), Oracle::new(&text));
        let events = oracle.events(&(..), usize::MAX);
        // Walk farther than a block. If there are many events, start at some of them only.
        let step = (events.len() / 1000).max(1);
        for place in sample((0..events.len()).step_by(step)) {
            let (before, after) = events.split_at(place);
            let (until, from) = (events[place], events[place]);
            let forward = schedule.events(from..).take(130);
            assert!(forward.eq(after.iter().copied().take(130)), "{text} from {from}");
            let back = schedule.events(..until).rev().take(130);
            assert!(back.eq(before.iter().rev().copied().take(130)), "{text} until {until}");
        }
    }
}

#[test]
fn every_date_answers_like_the_oracle_with_every_time() {
    let pairs = DATES.into_iter().flat_map(|date| TIMES.into_iter().map(move |time| (date, time)));
    for (date, time) in sample(pairs) {
        let text = format!("{date} {time}");
        let (schedule, oracle): (Schedule, _) = (text.parse().unwrap(), Oracle::new(&text));
        let edges = [oracle.event(0), oracle.event(oracle.total() - 1)];
        for window in windows() {
            let ends = [oracle.nearest(window.start), oracle.prev(window.end)];
            for at in ends.into_iter().flatten().chain(edges).chain([window.start, window.end]) {
                for at in [at - DAY, at - 1, at, at + 1, at + DAY] {
                    check(&schedule, &oracle, at);
                    assert_eq!(schedule.count(..at), oracle.count(&(..at)), "{text} until {at}");
                }
                let (first, last) = (oracle.events(&(at..), 70), oracle.events_back(&(..at), 70));
                assert_eq!(
                    schedule.events(at..).take(70).collect::<Vec<_>>(),
                    first,
                    "{text} from {at}"
                );
                assert_eq!(
                    schedule.events(..at).rev().take(70).collect::<Vec<_>>(),
                    last,
                    "{text} until {at}"
                );
            }
        }
    }
}

/// Queries instants that differ from an event in one bit, or by a power of two of milliseconds or
/// days with wrapping arithmetic.
#[test]
fn matches_agrees_with_the_oracle_for_flipped_bits_and_powers_of_two() {
    let pairs = DATES.into_iter().flat_map(|date| TIMES[..6].iter().map(move |time| (date, time)));
    for (date, time) in sample(pairs) {
        let text = format!("{date} {time}");
        let (schedule, oracle): (Schedule, _) = (text.parse().unwrap(), Oracle::new(&text));
        let total = oracle.total();
        let places = [0, 1, total / 2, total - 1];
        for event in places.map(|place| oracle.event(place.min(total - 1))) {
            for bit in 0..64 {
                for by in [1_i64 << bit, DAY.wrapping_shl(bit), DAY.wrapping_shl(bit) + 1] {
                    for at in [event.wrapping_add(by), event.wrapping_sub(by), event ^ by] {
                        assert_eq!(schedule.matches(at), oracle.matches(at), "{text} {at}");
                    }
                }
            }
        }
    }
}

/// Cycles of years must not continue beyond the range, to 2101-01-01 or 2104-02-29.
#[test]
fn no_events_exist_beyond_2100_where_the_calendar_repeats() {
    for date in DATES {
        for time in ["00:00:00", "23:59:59.999", "8-17:*/20,59:00", "*:*:*.0,63,64,999"] {
            let text = format!("{date} {time}");
            let (schedule, oracle): (Schedule, _) = (text.parse().unwrap(), Oracle::new(&text));
            let last = oracle.event(oracle.total() - 1);
            let first = oracle.event(0);
            for day in sample(0..1600) {
                let after = END + 1 + day * DAY;
                assert_eq!(schedule.nearest_event(after), None, "{text} {after}");
                assert_eq!(schedule.prev_event(after), Some(last), "{text} {after}");
                assert!(!schedule.matches(after) && !schedule.matches(after - 1 + DAY), "{text}");
                let before = START - 1 - day * DAY;
                assert_eq!(schedule.nearest_prev_event(before), None, "{text} {before}");
                assert_eq!(schedule.next_event(before), Some(first), "{text} {before}");
                assert!(!schedule.matches(before) && !schedule.matches(before + 1 - DAY), "{text}");
            }
            assert_eq!(schedule.count(END + 1..), 0, "{text}");
            assert_eq!(schedule.events(last + 1..).next(), None, "{text}");
            assert_eq!(schedule.events(..first).next_back(), None, "{text}");
        }
    }
}
