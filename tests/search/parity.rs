//! Compiled and parsed schedules are equal, and both answer like the oracle, for a corpus of texts.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::support::counts::{clamped, nth};
use crate::support::oracle::{END, Oracle, START};
use millicron::{Schedule, schedule};

struct Entry {
    text: &'static str,
    compiled: Schedule,
    /// Queries a constant, which the optimizer may evaluate.
    answers: fn(i64) -> Answers,
}

/// The next, nearest, previous and nearest previous event, whether the instant matches, and the
/// number of events from the instant on.
type Answers = ([Option<i64>; 4], bool, u64);

#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::inline_always, reason = "so that the optimizer sees the constant")]
fn query(schedule: &Schedule, at: i64) -> Answers {
    let answers = [
        schedule.next_event(at),
        schedule.nearest_event(at),
        schedule.prev_event(at),
        schedule.nearest_prev_event(at),
    ];
    (answers, schedule.matches(at), schedule.count(at..))
}

macro_rules! corpus {
    ($($text:literal)*) => {
        fn corpus() -> Vec<Entry> {
            vec![$(Entry {
                text: $text,
                compiled: schedule!($text),
                answers: |at| {
                    const COMPILED: Schedule = schedule!($text);
                    query(&COMPILED, at)
                },
            }),*]
        }
    };
}

corpus! {
    // Strides, every day.
    "*:00:00"
    "*:*:00"
    "*:*:*"
    "*:*:*.*"
    "*:*:*.*/5"
    "*:*:*.*/7"
    "*:*:*.*/100"
    "*:*:*.*/250"
    "*:*:*.*/500"
    "*:*:*.*/999"
    "*:*:*/5"
    "*:*:*/7"
    "*:*:*/15"
    "*:*:*/30"
    "*:*:*/59"
    "*:*/5:00"
    "*:*/7:0"
    "*:*/15:00"
    "*:*/30:00.000"
    "*/2:00:00"
    "*/4:0:0"
    "*/5:0:0"
    "*/6:00:00"
    "*/12:00:00"
    "*/23:0:0"
    "0-23/24:0:0"
    "0-23:0-59:0-59.0-999"
    "*/1:*/1:*/1.*/1"

    // Strides that do not start at 0.
    "*:*:5-59/10"
    "*:*:*.3-999/10"
    "*:3-59/15:0"
    "3-23/6:0:0"
    "*:*:*.1-999/2"

    // Strides on some days only.
    "*.*.* 1-5 *:00:00"
    "*.*.1 *:*:*"
    "*.*.32 *:*:*.*/5"
    "2024.*.* *:*/15:00"
    "*.2.29 *:*:*.*"

    // Once a day.
    "0:0:0"
    "00:00:00.000"
    "23:59:59.999"
    "09:30:00"
    "12:00:00.5"
    "*.*.* 1-5 09:30:00"
    "*.*.* 0,6 23:59:59.999"
    "*.*.* * 0:0:0.001"

    // `*` in the fields above a list.
    "*:*:*.1,2,3-5,10-20/3"
    "*:*:*.0,999"
    "*:*:*.999"
    "*:*:*.500-999"
    "*:*:*.63,64,65,127,128"
    "*:*:*.0-62,64-999"
    "*:*:1,2,30"
    "*:*:59.999"
    "*:*:0,59.0"
    "*:*:1-58.*"
    "*:1,2,3:00"
    "*:59:59.999"
    "*:0,59:30"
    "*:17:*.*"
    "*:17,19:*"

    // Lists in several fields.
    "0,23:0,59:0,59.0,999"
    "1,3-9/2,15,20-23:5,10-20/3,44:*/13"
    "9-17:*/15:00"
    "9-17:*:00.250"
    "8,12,18:*/20:*/30.*/250"
    "22-23,0-5:*:*"
    "*/3:*/7:*/11.*/13"
    "*:*/2:*/3.*/7"
    "0-11:30-59:0-29.500-999"
    "13:*:13.*"
    "*:13:*.13"
    "13:13:13.13"
    "5:*:*.*"
    "5:5:*.*"
    "5:5:5.*"

    // Weekdays only.
    "*.*.* 0 12:00:00"
    "*.*.* 6 12:00:00"
    "*.*.* 0,6 12:00:00"
    "*.*.* 1-5 12:00:00"
    "*.*.* */2 12:00:00"
    "*.*.* 1-5/2 *:*:*"
    "*.*.* 0-6 12:00:00"
    "*.*.* 0-5 *:*:*.*"
    "*.*.* Mon-Fri 09:30:00"
    "*.*.* sUN,SAT *:00:00"

    // Days and months.
    "*.*.01 01:30:00"
    "*.*.1 0:0:0"
    "*.*.13 12:00:00"
    "*.*.28 12:00:00"
    "*.*.29 12:00:00"
    "*.*.30 12:00:00"
    "*.*.31 12:00:00"
    "*.*.32 12:00:00"
    "*.*.31,32 12:00:00"
    "*.*.5,32 12:00:00"
    "*.*.1,15,32 6:0:0"
    "*.*.28-31,32 1:0:0"
    "*.*.1-31,32 1:0:0"
    "*.*.29-32 12:00:00"
    "*.*.20-32 12:00:00"
    "*.*.20-32/3 12:00:00"
    "*.*.20-32/4 12:00:00"
    "*.*.1-32 12:00:00"
    "*.*.1-32/31 12:00:00"
    "*.*.31-32 12:00:00"
    "*.*.32-32 12:00:00"
    "*.*.32-32/9 12:00:00"
    "*.*.*/2 12:00:00"
    "*.*.*/30 12:00:00"
    "*.*.1-31/4294967295 12:00:00"
    "*.*.2-31 12:00:00"
    "*.*.1-30 *:*:*"
    "*.2.* 12:00:00"
    "*.2.29 0:0:0"
    "*.2.28,32 0:0:0"
    "*.02.32 23:59:59.999"
    "*.2,4.30,31 12:00:00"
    "*.Jan,Jul.1 0:0:0"
    "*.jan-JUN.32 0:0:0"
    "*.*/3.1 0:0:0"
    "*.1.1 0:0:0"
    "*.12.31 23:59:59.999"
    "*.12.25 *:*:*.*"

    // Days, months and weekdays.
    "*.*.13 5 12:00:00"
    "*.9.*/2 1-5 10:00:00"
    "*.*.31 3 12:14:34"
    "*.1,10.5-26/7 1 12:00:00"
    "*.1,10.5-26/7 1 12:15:11.320"
    "*.4.6,7 * *:*:*.1,2,3-5,10-20/3"
    "*.*.20-32/5 5 12:14:34"
    "*.*.1-7 1 9:0:0"
    "*.*.32 1-5 18:00:00"
    "*.*.32 0 18:00:00"
    "*.11.22-28 Thu 12:00:00"
    "*.2.29 1 12:00:00"
    "*.02.29 6 12:00:00"
    "*.2.29 0-5 *:*:*.*/9"
    "*.12.24,31 Mon-Fri 8-12:0:0"
    "*.*.*/5 */3 */5:*/25:*/35.*/350"

    // No event before the first one, neither in its year nor in years of the same shape.
    "*.6,8,5.8 2,1,3 0:0:0"
    "*.*/3.9,2 0 0:0:0"
    "2077,2014.1,1.*/7 5 0:0:0.0"
    "*/81.2.*/7 0-2 0:0:0"

    // Some years only.
    "*/4.01.01 12:00:00"
    "*/4.2.29 12:00:00"
    "*/100.*.* 12:00:00"
    "2000.*.* 12:00:00"
    "2100.*.* 12:00:00"
    "2100.2.32 12:00:00"
    "2096-2100.2.29 12:00:00"
    "2000,2100.1,12.1,31 0,23:0,59:0,59.0,999"
    "2020-2030.*.* * *:*:*"
    "2020-2030/3.*.* 1-5 9-17:0:0"
    "2063,2064.*.* 0:0:0"
    "2001-2099/2.*.31 5 12:00:00"
    "2024-2025.12-Dec.* */6 *:*:*.*"
    "2099-2100.12.32 23:59:59.999"

    // Each date strategy with each time strategy. First, a few days, all listed:
    "*.02.29 6 23:59:59.999"
    "2004,2050,2099.12.31 *:*/15:00"
    "2000,2055,2100.2.32 0,7,23:59:59.999"
    "2000-2098/7.12.31 *:0,17,59:30"
    "2005,2100.3.1 *:*:0,59.5"
    "2000,2100.1,12.1,31 *:*:*.0,63,64,999"
    "*.12.31 5 8-17:*/20,59:00"
    "*.1.1 6 0,23:0,59:0,59.1,2,63"
    "2048,2100.2.28 9,17:30:0.0,64,128,999"
    "2001-2100.6,12.30 8-17:*/20,59:00"
    "2001-2098.12.31 23:59:59.999"

    // Days that repeat every four years.
    "*.*.1,15 12:15:11.320"
    "*.*.13,29 *:30:00"
    "*.1-8.1,15 0,7,23:59:59.999"
    "*.1-8.13,29 *:0,17,59:30"
    "*.1,12.1,31 *:*:0,59.5"
    "*.2,3.1,32 *:*:*.0,63,64,999"
    "*.*.5,32 8-17:*/20,59:00"
    "*.2.29 0,23:0,59:0,59.1,2,63"
    "*.2.28-32 12:00:00"
    "*.*/3.1,32 9,17:30:0.0,64,128,999"

    // Days that repeat every 28 years.
    "*.*.13,20 5 23:59:59.999"
    "*.2.29 1-5 */6:00:00"
    "*.1-7.1-7 1 0,7,23:59:59.999"
    "*.12.31 4-6 *:0,17,59:30"
    "*.3.1 1-3 *:*:0,59.5"
    "*.*.32 0 *:*:*.0,63,64,999"
    "*.11.22-28 Thu 8-17:*/20,59:00"
    "*.2.28,32 0,6 0,23:0,59:0,59.1,2,63"
    "*.*.31 3 9,17:30:0.0,64,128,999"
    "*.2.29 2-4 23:59:59.999"

    // Days of the year.
    "*.*.*/2 23:59:59.999"
    "2020-2060/3.*.*/2 *:*/15:00"
    "2000,2100.*.28-32 0,7,23:59:59.999"
    "2100.2-3.* *:0,17,59:30"
    "2000,2050.2.25-32 *:*:0,59.5"
    "2096-2100.2.27-32 *:*:*.0,63,64,999"
    "*.2.* 8-17:*/20,59:00"
    "*.1,12.*/2 0,23:0,59:0,59.1,2,63"
    "2000-2096/4.2.* 9,17:30:0.0,64,128,999"

    // Days of the year on weekdays. The last has one day more than a list can hold.
    "2020-2060/3.*.*/2 1-5 00:00:00"
    "*.9.*/2 1-5 *:30:00"
    "2000,2100.2,12.20-32 0,6 0,7,23:59:59.999"
    "2100.*.* 1-5 *:0,17,59:30"
    "*.*.1-7 1 *:*:0,59.5"
    "2009,2063.*.1-30/2 0-5 *:*:*.0,63,64,999"
    "*.*.20-32 1-5 8-17:*/20,59:00"
    "2096-2100.2-3.* */2 0,23:0,59:0,59.1,2,63"
    "*.12.*/3 2-6 9,17:30:0.0,64,128,999"
    "*.1-8.1-7 1 12:00:00"

    // Weekdays.
    "*.*.* 1-5 0,7,23:59:59.999"
    "*.*.* 6 *:0,17,59:30"
    "*.*.* 0,3 *:*:0,59.5"
    "*.*.* 2-4 *:*:*.0,63,64,999"
    "*.*.* 1-5 8-17:*/20,59:00"
    "*.*.* 5 0,23:0,59:0,59.1,2,63"
    "*.*.* 1-6 9,17:30:0.0,64,128,999"

    // Every day.
    "0,7,23:59:59.999"
    "*:0,17,59:30"
    "*:*:0,59.5"
    "*:*:*.0,63,64,999"
    "8-17:*/20,59:00"
    "0,23:0,59:0,59.1,2,63"
    "9,17:30:0.0,64,128,999"

    // Days relative to the month.
    "*.*.L 12:00:00"
    "*.*.L-3 12:00:00"
    "*.*.L-30 *:*/15:00"
    "*.2.L-28 0,7,23:59:59.999"
    "*.*.15W 12:00:00"
    "*.*.1W 08:00:00"
    "*.*.31W 9,17:30:0.0,64,128,999"
    "*.*.LW 17:00:00"
    "*.*.L-5W *:*:0,59.5"
    "*.2.29W 23:59:59.999"
    "*.*.1,15,L,L-7,3W,LW 12:15:11.320"
    "*.3,6,9,12.LW Fri 18:00:00"
    "2000,2100.2.LW,L-2 *:0,17,59:30"
    "*.*.20-L/3,1W *:*:*.0,63,64,999"

    // Numbered weekdays.
    "*.*.* Fri#2 10:00:00"
    "*.*.* Mon#5 10:00:00"
    "*.*.* Fri#L 18:00:00"
    "*.*.* Sun#1,Wed#3,Sat#L *:*/15:00"
    "*.*.* Tue,Thu#1 9:0:0"
    "*.11.* Thu#4 12:00:00"
    "*.*.13 Fri#2 12:00:00"
    "*.*.L-6,15 Mon#L,1-3 8-17:*/20,59:00"
    "2096-2100.2.* 0#5,1#L *:*:*.*"

    // Days or weekdays.
    "*.*.13 | Fri 00:00:00"
    "*.*.1,15|Mon 12:00:00"
    "*.*.L | Sun#1 *:00:00"
    "*.2.29 | 6 23:59:59.999"
    "*.2.30 | Fri#L 12:00:00"
    "2000,2100.*.LW | 0,6 0,7,23:59:59.999"
    "*.*.* | Fri 12:00:00"

    // Steps from a date.
    "2026.01.05/10d 09:00:00"
    "2026.01.05/14d 09:00:00"
    "2026.01.05/2w 09:00:01"
    "2026.01.05/2w Mon,Thu 09:00:00"
    "2026.01.05/3w * *:*/15:00"
    "2000.01.01/1d 12:00:00"
    "2000.01.01/2d 1-5 *:0,17,59:30"
    "2000.02.29/1461d 12:00:00"
    "2026.01.05/7d Mon#1 9:00:00"
    "2026.01.07/5w Fri#L,Sun *:*:0,59.5"
    "2100.12.31/7d 23:59:59.999"
    "2050.6.15/4294967295d *:*:*.*"

    // Windows.
    "00:00:00../7m"
    "*.*.* 1-5 09:30:00..16:00:00/15m"
    "*.*.* 1-5 09:30:00..=16:00:00/15m"
    "*.*.* 1-5 09:30:00..16:00:00/250ms"
    "*.*.* Fri 22:00:00..06:00:00/30m"
    "*.*.* Fri 09:00:00..=09:00:00/1h"
    "2026.01.05/2w Fri#2 09:00:00..=09:00:00/24h"
    "22:00:00..06:00:00/1h30m"
    "22:00:00..=06:00:00/30m"
    "12:00:00..12:00:00/7h"
    "12:00:00..=24:00:00/20m"
    "09:00:00..10:00:00/2h"
    "23:59:59.999..23:59:59.998/1ms"
    "00:00:00../1ms"
    "00:00:00..00:00:00/24h"
    "*.*.LW 23:00:00..01:00:00/17m3s5ms"
    "*.*.* Fri#2 08:30:00..=17:30:00/45m"
    "*.*.13 | Fri 20:00:00..04:00:00/1h"
    "2026.01.05/2w Mon,Thu 10:00:00..11:00:00.001/6s"
    "2100.12.31 18:00:00..17:00:00/1h1m"
    "*.2.29 6 00:00:00..=12:00:00/4h"
    "2000-2098/7.12.31 23:30:00..00:30:00/1s"

    // One day, or one instant.
    "2000.1.1 00:00:00"
    "2000.01.01 *:*:*.*"
    "2100.12.31 23:59:59.999"
    "2100.12.31 *:*:*.*"
    "2024.2.29 12:34:56.789"
    "2024.2.29 4 12:34:56.789"
    "2048.02.29 6 */6:0:0"
    "2021.6.15 *:00:00"

    // Alternative spellings.
    "*.*.* * *:00:00.000"
    "*.*.* * 1,3-9/2,15,20-23:5,10-20/3,44:*/13"
    "002020.001.3 007:08:0009.0010"
    "  *.*.13\t5 \t 12:00:00  "
    "\t12:00:00"
    "5,5,3-6,4-5,*/6:0:0"
    "1-5/9:0:0"
    "1-5/4000000000:0:0"
    r"*:30:00"
    "*.*.* tue 12:00:00"
}

/// Returns pseudorandom numbers, by a xorshift generator.
fn random_numbers(count: usize) -> impl Iterator<Item = u64> {
    let next = |state: &u64| {
        let mut state = *state;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state)
    };
    std::iter::successors(Some(0x2545_f491_4f6c_dd1d), next).take(count)
}

/// Returns instants across the range, at and next to events, and at all edges.
fn instants(oracle: &Oracle) -> Vec<i64> {
    let mut instants = vec![i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    for edge in [START, END, oracle.event(0), oracle.event(oracle.total() - 1)] {
        instants.extend([-86_400_000, -1, 0, 1, 86_400_000].map(|by| edge + by));
    }
    let length = END.abs_diff(START) + 1;
    for random in random_numbers(200) {
        instants.push(START + i64::try_from(random % length).unwrap());
        let event = oracle.event(random % oracle.total());
        instants.extend([event - 1, event, event + 1]);
    }
    instants
}

fn hash(schedule: &Schedule) -> u64 {
    let mut hasher = DefaultHasher::new();
    schedule.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn corpus_is_large_and_has_no_duplicates() {
    let mut texts: Vec<&str> = corpus().iter().map(|entry| entry.text).collect();
    texts.sort_unstable();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(texts.len() >= 240, "{}", texts.len());
}

#[test]
fn compiled_and_parsed_schedules_are_equal() {
    for Entry { text, compiled, .. } in corpus() {
        let parsed: Schedule = text.parse().unwrap();
        assert_eq!(parsed, compiled, "{text}");
        assert_eq!(hash(&parsed), hash(&compiled), "{text}");
        assert_eq!(parsed.to_string(), compiled.to_string(), "{text}");
        assert_eq!((parsed.expression(), compiled.expression()), (text, text));
        let canonical: Schedule = compiled.to_string().parse().unwrap();
        assert_eq!(canonical, compiled, "{text}");
    }
}

#[test]
fn schedules_with_other_events_have_other_hashes() {
    let texts =
        ["12:00:00", "13:00:00", "*.*.* Mon 12:00:00", "12:00:00; 13:00:00", "12:00:00; 14:00:00"];
    let mut hashes = texts.map(|text| hash(&text.parse().unwrap()));
    hashes.sort_unstable();
    assert!(hashes.windows(2).all(|pair| pair[0] != pair[1]), "{hashes:?}");
}

#[test]
fn compiled_and_parsed_schedules_answer_like_the_oracle() {
    for Entry { text, compiled, answers } in corpus() {
        let parsed: Schedule = text.parse().unwrap();
        let oracle = Oracle::new(text);
        for at in instants(&oracle) {
            let expected = (
                [oracle.next(at), oracle.nearest(at), oracle.prev(at), oracle.nearest_prev(at)],
                oracle.matches(at),
                oracle.count(&(at..)),
            );
            assert_eq!(query(&parsed, at), expected, "parsed {text} at {at}");
            assert_eq!(query(&compiled, at), expected, "compiled {text} at {at}");
            assert_eq!(answers(at), expected, "constant {text} at {at}");
        }
    }
}

#[test]
fn compiled_and_parsed_schedules_have_the_events_of_the_oracle() {
    for Entry { text, compiled, .. } in corpus() {
        let parsed: Schedule = text.parse().unwrap();
        let oracle = Oracle::new(text);
        for pair in instants(&oracle).chunks_exact(2) {
            let range = pair[0].min(pair[1])..=pair[0].max(pair[1]);
            let count = oracle.count(&range);
            let (first, last) = (oracle.events(&range, 3), oracle.events_back(&range, 3));
            for schedule in [&parsed, &compiled] {
                let events = schedule.events(range.clone());
                assert_eq!(schedule.count(range.clone()), count, "{text} {range:?}");
                assert_eq!(events.size_hint().0, clamped(count), "{text} {range:?}");
                assert_eq!(events.clone().take(3).collect::<Vec<_>>(), first, "{text} {range:?}");
                assert_eq!(events.rev().take(3).collect::<Vec<_>>(), last, "{text} {range:?}");
            }
        }
        let middle = oracle.total() / 2;
        for schedule in [&parsed, &compiled] {
            assert_eq!(nth(schedule.events(..), middle), Some(oracle.event(middle)), "{text}");
            let back = oracle.total() - 1 - middle;
            assert_eq!(nth(schedule.events(..).rev(), middle), Some(oracle.event(back)), "{text}");
        }
    }
}
