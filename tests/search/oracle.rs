//! The oracle, compared with a check of every single millisecond.
//!
//! The other tests rely on the oracle, so these test the oracle itself, without the library.

use crate::support::oracle::calendar::days;
use crate::support::oracle::days::{MonthDay, NumberedWeekday, Place, StepUnit, Steps};
use crate::support::oracle::text::{Sets, values};
use crate::support::oracle::windows::Window;
use crate::support::oracle::{END, Oracle, START, midnight};

const TEXTS: [&str; 26] = [
    "*:*:*.*",
    "*:00:00",
    "23:59:59.999",
    "*.*.* *:*:*.1,2,3-5,10-20/3",
    "2000,2100.*.1,32 *:*:*.*/500",
    "*.12-Dec.20-32/11 *:*/59:*/59.998,999",
    "2000-2001.Jan.* sun,SAT 0,23:0,59:59.0-999/7",
    "*.*.31 0-6 12,12,0-13/4:3:4.5",
    "2000.1.1 00:00:00",
    "2100.12.31 23:59:59.999",
    "*.*.L,L-2,1W,LW,L-30W *:*:*.*/250",
    "*.*.* Fri#L,6#1,Sun *:*:*.*/250",
    "*.*.32 | 5,6 *:*:*.*/250",
    "2000.01.01/2d *:*:*.*/250",
    "2001.01.01/5w Sun,Thu *:*:*.*/250",
    "00:00:00../1ms",
    "00:00:00..=00:00:00/1ms",
    "12:34:59..11:00:00/17ms",
    "12:35:00.001..=12:35:00/12h",
    "23:59:59.999..=23:59:59.999/24h",
    "23:59:58..=00:00:01/7ms",
    "23:59:59.000..00:00:01/250ms",
    "12:00:00..=24:00:00/1h",
    "*.*.L 12:34:56.789..=12:34:56.789/250ms",
    "*.*.31 | Fri#L 20:00:00..04:00:00/1s1ms",
    "2100.12.31/1d 23:59:59.998..=01:00:00/1ms",
];

/// Decides for a single instant whether it is an event, from the sets and days alone.
pub(super) struct Plain {
    /// The sets of each member of a union, and whether it has events on each day.
    members: Vec<(Sets, Vec<bool>)>,
}

impl Plain {
    pub(super) fn of(oracle: &Oracle) -> Plain {
        let member = |member: &Oracle| {
            let dates = member.sets().dates();
            let has_events = days().iter().map(|date| dates.binary_search(&date.number).is_ok());
            (member.sets().clone(), has_events.collect())
        };
        Plain { members: oracle.members().iter().map(member).collect() }
    }

    pub(super) fn is_event(&self, at: i64) -> bool {
        (START..=END).contains(&at)
            && self.members.iter().any(|(sets, has_events)| is_event(sets, has_events, at))
    }
}

fn is_event(sets: &Sets, has_events: &[bool], at: i64) -> bool {
    let [day, time] = [(at - START) / 86_400_000, (at - START) % 86_400_000]
        .map(|part| usize::try_from(part).expect("after the start"));
    if let Some(Window { from, step, count }) = sets.window {
        let is_in = |time: i64| {
            let past = time - from;
            past >= 0 && past % step == 0 && past / step < count
        };
        let time = i64::try_from(time).expect("a time of day");
        // The previous day's window may last until now.
        let was_on = day.checked_sub(1).is_some_and(|before| has_events[before]);
        return has_events[day] && is_in(time) || was_on && is_in(time + 86_400_000);
    }
    has_events[day]
        && sets.hours[time / 3_600_000]
        && sets.minutes[time / 60_000 % 60]
        && sets.seconds[time / 1000 % 60]
        && sets.millis[time % 1000]
}

#[test]
fn days_have_known_dates_and_weekdays() {
    let days = days();
    let of = |number: i64| {
        let day = days.iter().find(|day| day.number == number).unwrap();
        (day.year, day.month, day.day, day.weekday, day.last_of_month)
    };
    assert_eq!(days.len(), 36_890);
    assert_eq!(of(10_957), (2000, 1, 1, 6, false));
    assert_eq!(of(11_016), (2000, 2, 29, 2, true));
    assert_eq!(of(18_686), (2021, 2, 28, 0, true));
    assert_eq!(of(20_000), (2024, 10, 4, 5, false));
    assert_eq!(of(47_540), (2100, 2, 28, 0, true));
    assert_eq!(of(47_846), (2100, 12, 31, 5, true));
    assert_eq!(days[36_889].number, 47_846);
    assert_eq!((START, END), (946_684_800_000, 4_133_980_799_999));
}

#[test]
fn valid_texts_are_read_into_sets() {
    let read = |text| Sets::read(text).unwrap();
    let sets = read("\t 002000,2098-2100.Feb-aPr.5-8/2,30-32,32  mon,5-6 */9:7:0-3.9 ");
    let on = values;
    assert_eq!(on(&sets.years), [2000, 2098, 2099, 2100]);
    assert_eq!(on(&sets.months), [2, 3, 4]);
    assert_eq!(on(&sets.days), [5, 7, 30, 31, 32]);
    assert_eq!(on(&sets.weekdays), [1, 5, 6]);
    assert_eq!(on(&sets.hours), [0, 9, 18]);
    assert_eq!(on(&sets.minutes), [7]);
    assert_eq!(on(&sets.seconds), [0, 1, 2, 3]);
    assert_eq!(on(&sets.millis), [9]);

    let free = read("*.*.* * */1:0-59:*");
    assert_eq!(free, read("*:*:*.0"));
    assert_eq!(on(&free.days), (1..=31).collect::<Vec<_>>());
    assert_eq!(on(&read("*.*.20-32/3 1:1:1").days), [20, 23, 26, 29]);
    assert_eq!(on(&read("*.*.32-32/7 1:1:1").days), [32]);
}

#[test]
fn other_days_are_read() {
    let read = |text| Sets::read(text).unwrap();
    let before = |days, to_workday| MonthDay::BeforeLast { days, to_workday };
    let sets = read("*.*.L-3,LW,1W,L-30W,L,5,20-L/3 1:1:1");
    let expected = [before(0, true), before(3, false), before(30, true), MonthDay::Workday(1)];
    assert_eq!(Vec::from_iter(sets.month_days), expected);
    assert_eq!(values(&sets.days), [5, 20, 23, 26, 29, 32]);

    let sets = read("*.*.* fri#2,0#L,1-2,Sat 1:1:1");
    let of = |weekday, place| NumberedWeekday { weekday, place };
    assert_eq!(Vec::from_iter(sets.numbered_weekdays), [of(0, Place::Last), of(5, Place::Nth(2))]);
    assert_eq!(values(&sets.weekdays), [1, 2, 6]);

    for text in ["*.*.1|2 1:1:1", "*.*.1 | 2 1:1:1", "*.*.1| 2\t1:1:1", "\n*.*.1\t|\t2 1:1:1 "] {
        assert!(read(text).is_either, "{text}");
    }
    let steps = |text| read(text).steps.unwrap();
    let from = 20_458; // 2026-01-05
    assert_eq!(steps("2026.01.05/14d 1:1:1"), Steps { from, by: 14, unit: StepUnit::Days });
    assert_eq!(steps("2026.1.5/2w 1:1:1"), Steps { from, by: 14, unit: StepUnit::Days });
    assert_eq!(steps("2026.01.05/2w Mon 1:1:1"), Steps { from, by: 2, unit: StepUnit::Weeks });
}

#[test]
fn windows_are_read() {
    let window = |text: &str| Sets::read(text).unwrap().window.unwrap();
    let of =
        |from: i64, step: i64, count| Window { from: from * 60_000, step: step * 60_000, count };
    for (text, expected) in [
        ("09:30:00..16:00:00/15m", of(570, 15, 26)),
        ("09:30:00..=16:00:00/15m", of(570, 15, 27)),
        ("09:30:00..16:00:00.001/15m", of(570, 15, 27)),
        ("22:00:00..06:00:00/30m", of(1320, 30, 16)),
        ("00:00:00../7m", of(0, 7, 206)),
        ("00:00:00..0:0:0/6h", of(0, 360, 4)),
        ("00:00:00..=0:0:0/6h", of(0, 360, 5)),
        ("00:00:00..=24:00:00/6h", of(0, 360, 5)),
        ("23:00:00..=23:00:00/24h", of(1380, 1440, 2)),
        ("12:00:00../1h30m", of(720, 90, 8)),
        ("12:00:00../1h29m59s1000ms", of(720, 90, 8)),
    ] {
        assert_eq!(window(text), expected, "{text}");
    }
    assert_eq!(window("0:0:0.5..0:0:0.010/2ms"), Window { from: 5, step: 2, count: 3 });
    // One event a day.
    let sets = Sets::read("09:30:15.250..10:00:00/1h").unwrap();
    assert_eq!(Some(sets), Sets::read("09:30:15.250"));
}

/// The known answers of the language, without the library.
#[test]
fn oracle_has_the_known_answers() {
    // 2026-11-01 is a Sunday.
    let at = |month, day, hour: i64, minute: i64| {
        midnight(2026, month, day) + hour * 3_600_000 + minute * 60_000
    };
    for (text, after, answers) in [
        ("*.*.L-3 12:00:00", at(4, 1, 0, 0), &[at(4, 27, 12, 0)][..]),
        ("*.*.1W 08:00:00", at(7, 31, 12, 0), &[at(8, 3, 8, 0)]),
        ("*.*.31W 08:00:00", at(5, 1, 0, 0), &[at(5, 29, 8, 0), at(7, 31, 8, 0)]),
        ("*.*.LW 17:00:00", at(5, 1, 0, 0), &[at(5, 29, 17, 0)]),
        ("*.*.* Fri#2 10:00:00", at(11, 1, 0, 0), &[at(11, 13, 10, 0)]),
        ("*.*.* Mon#5 10:00:00", at(11, 1, 0, 0), &[at(11, 30, 10, 0)]),
        ("*.*.13 | Fri 00:00:00", at(11, 6, 0, 0), &[at(11, 13, 0, 0), at(11, 20, 0, 0)]),
        ("2026.01.05/2w Mon,Thu 09:00:00", at(1, 8, 9, 0), &[at(1, 19, 9, 0)]),
        ("2026.01.05/10d 09:00:00", midnight(2025, 6, 1), &[at(1, 5, 9, 0), at(1, 15, 9, 0)]),
        ("*.*.* 1-5 09:30:00..16:00:00/15m", at(11, 20, 15, 45), &[at(11, 23, 9, 30)]),
        ("*.*.* 1-5 09:30:00..=16:00:00/15m", at(11, 20, 15, 45), &[at(11, 20, 16, 0)]),
        (
            "*.*.* Fri 22:00:00..06:00:00/30m",
            at(11, 21, 5, 0),
            &[at(11, 21, 5, 30), at(11, 27, 22, 0)],
        ),
        ("00:00:00../7m", at(11, 22, 23, 55), &[at(11, 23, 0, 0)]),
    ] {
        let events = Oracle::new(text).events(&(after + 1..), answers.len());
        assert_eq!(events, answers, "{text}");
    }
}

/// Invalid values, items and forms.
const INVALID: &[&str] = &[
    "",
    " ",
    "1:2",
    "1:2:3:4",
    "1:2:3.4.5",
    "*.* 1:2:3",
    "*.*.*.* 1:2:3",
    "* 1:2:3",
    "*.*.* * * 1:2:3",
    "*.*.* *",
    "24:0:0",
    "0:60:0",
    "0:0:60",
    "0:0:0.1000",
    "1999.1.1 0:0:0",
    "2101.1.1 0:0:0",
    "*.0.1 0:0:0",
    "*.13.1 0:0:0",
    "*.1.0 0:0:0",
    "*.1.33 0:0:0",
    "*.*.* 7 0:0:0",
    "1/2:0:0",
    "*,1:0:0",
    "5-4:0:0",
    "1-:0:0",
    "-1:0:0",
    "+1:0:0",
    "*/0:0:0",
    "*/:0:0",
    "1-2/+3:0:0",
    ":0:0",
    "1,:0:0",
    "1 :0:0",
    "*.*.*\n1:0:0",
    "４:0:0",
    "*-5:0:0",
    "4294967296:0:0",
    "*/4294967296:0:0",
    "*.Mon.1 0:0:0",
    "*.*.* Jan 0:0:0",
    "1-2-3:0:0",
    "*/24:0:0",
    "*:*/90:0",
    "*.*.1,*/31 0:0:0",
    "*.*.* */7 0:0:0",
    "*.*/12.* 0:0:0",
    "*:*:*.*/1000",
    "*/101.*.* 0:0:0",
];

/// Invalid days that are not numbers, steps from a date, and windows.
const INVALID_DAYS_AND_WINDOWS: &[&str] = &[
    "*.*.L-0 0:0:0",
    "*.*.L-31 0:0:0",
    "*.*.W 0:0:0",
    "*.*.0W 0:0:0",
    "*.*.32W 0:0:0",
    "*.*.5-10W 0:0:0",
    "*.*.L-3-5 0:0:0",
    "*.*.L-5/2 0:0:0",
    "*.*.*,L 0:0:0",
    "*.L.* 0:0:0",
    "*.*.* Fri#0 0:0:0",
    "*.*.* Fri#6 0:0:0",
    "*.*.* 1-5#2 0:0:0",
    "*.*.* Fri# 0:0:0",
    "*.*.* 7#1 0:0:0",
    "*.*.* *,1#1 0:0:0",
    "*.*.* *#1 0:0:0",
    "*.*.13 | 0:0:0",
    "| Fri 0:0:0",
    "*.*.13 || Fri 0:0:0",
    "*.*.13 | Fri | 0:0:0",
    "*.*.13\n| Fri 0:0:0",
    "2026.*.05/14d 0:0:0",
    "2026.01.05/14 0:0:0",
    "2026.02.29/7d 0:0:0",
    "2026.01.05/0d 0:0:0",
    "2026.01.05/0w 0:0:0",
    "2026.01.05/d 0:0:0",
    "2026.01.05,06/2d 0:0:0",
    "2026.01.05d 0:0:0",
    "2026.01.05/7d | Fri 0:0:0",
    "09:30:00..16:00:00",
    "9-17:00:00..18:00:00/1m",
    "09:30..16:00/15m",
    "09:30:00..16:00:00/15",
    "09:30:00..16:00:00/",
    "09:30:00..16:00:00/m",
    "09:30:00..16:00:00/0m",
    "09:30:00..16:00:00/25h",
    "09:30:00..16:00:00/24h1ms",
    "09:30:00..16:00:00/30m1h",
    "09:30:00..16:00:00/1m1m",
    "09:30:00..16:00:00/1.5h",
    "09:30:00...16:00:00/1m",
    "09:30:00..=/1m",
    "..16:00:00/1m",
    "25:00:00..26:00:00/1m",
    "24:00:00..06:00:00/1m",
    "09:30:00..24:00:01/1m",
    "09:30:00..16:60:00/1m",
];

#[test]
fn invalid_texts_have_no_sets() {
    for text in INVALID.iter().chain(INVALID_DAYS_AND_WINDOWS) {
        assert_eq!(Sets::read(text), None, "{text:?}");
    }
}

#[test]
fn answers_match_every_millisecond_around_midnight() {
    // Midnights at the ends of the range, of months and of years.
    let midnights = [START, START + 31 * 86_400_000, 1_609_459_200_000, END + 1];
    for text in TEXTS {
        let oracle = Oracle::new(text);
        for midnight in midnights {
            check_every_millisecond(&oracle, midnight - 2500, midnight + 2500);
        }
    }
}

#[test]
fn answers_match_every_millisecond_around_the_end_of_a_minute() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        check_every_millisecond(&oracle, START + 45_298_000, START + 45_302_000);
    }
}

/// Checks all queries for the instants from `first` to `last`.
pub(super) fn check_every_millisecond(oracle: &Oracle, first: i64, last: i64) {
    let plain = Plain::of(oracle);
    let events: Vec<i64> = (first..=last).filter(|at| plain.is_event(*at)).collect();
    let count = u64::try_from(events.len()).unwrap();
    assert_eq!(oracle.count(&(first..=last)), count);
    assert_eq!(oracle.events(&(first..=last), usize::MAX), events);
    let mut back = oracle.events_back(&(first..last + 1), usize::MAX);
    back.reverse();
    assert_eq!(back, events);
    assert_eq!(oracle.nth(&(first..=last), count), None);
    for (n, event) in (0..).zip(&events) {
        assert_eq!(oracle.nth(&(first..=last), n), Some(*event));
    }

    // Track the expected answers, first forward and then backward.
    let mut latest = oracle.prev(first);
    assert!(latest.is_none_or(|event| event < first && plain.is_event(event)));
    for at in first..=last {
        assert_eq!(oracle.prev(at), latest);
        assert_eq!(oracle.matches(at), plain.is_event(at));
        if plain.is_event(at) {
            latest = Some(at);
        }
        assert_eq!(oracle.nearest_prev(at), latest);
    }
    let mut soonest = oracle.next(last);
    assert!(soonest.is_none_or(|event| event > last && plain.is_event(event)));
    for at in (first..=last).rev() {
        assert_eq!(oracle.next(at), soonest);
        if plain.is_event(at) {
            soonest = Some(at);
        }
        assert_eq!(oracle.nearest(at), soonest);
    }
}

#[test]
fn events_by_index_match_iteration() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        let total = oracle.total();
        assert_eq!(oracle.count(&..), total, "{text}");
        for (n, event) in (0..).zip(oracle.events(&.., 1000)) {
            assert_eq!(oracle.event(n), event, "{text}");
        }
        for (n, event) in (1..).zip(oracle.events_back(&.., 1000)) {
            assert_eq!(oracle.event(total - n), event, "{text}");
        }
    }
}

#[test]
fn no_events_exist_outside_the_range() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        let (first, last) = (oracle.event(0), oracle.event(oracle.total() - 1));
        for before in [i64::MIN, -1, 0, START - 1] {
            assert_eq!(oracle.next(before), Some(first));
            assert_eq!(oracle.nearest(before), Some(first));
            assert_eq!(oracle.prev(before), None);
            assert_eq!(oracle.nearest_prev(before), None);
            assert_eq!(oracle.count(&(..=before)), 0);
        }
        for after in [END + 1, i64::MAX] {
            assert_eq!(oracle.next(after), None);
            assert_eq!(oracle.nearest(after), None);
            assert_eq!(oracle.prev(after), Some(last));
            assert_eq!(oracle.nearest_prev(after), Some(last));
            assert_eq!(oracle.count(&(after..)), 0);
        }
    }
}
