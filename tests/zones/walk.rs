//! Schedules in time zones, compared with an oracle that walks minute by minute through every clock
//! change from 2000 to 2100.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::variants;
use crate::support::oracle::Oracle;
use crate::support::oracle::zoned::{
    Change, Event, FOLDS, GAPS, HOUR, MINUTE, Window, changes, default_of, zone,
};
use crate::support::{is_full, sample};
use jiff::tz::TimeZone;
use millicron::{CalendarDigits, Fold, Gap, Occurrence, Schedule, Zone, ZonedSchedule, schedule};

/// A schedule that the macro compiled, and the oracle of its text.
struct Case {
    schedule: Schedule,
    civil: Oracle,
    by_default: (Gap, Fold),
}

impl Case {
    fn new(schedule: Schedule) -> Case {
        let civil = Oracle::new(schedule.expression());
        Case { schedule, by_default: default_of(civil.sets()), civil }
    }
}

macro_rules! compiled {
    ($($text:literal)*) => {
        vec![$(Case::new(schedule!($text))),*]
    };
}

/// Returns sparse schedules, which are tested around every change.
fn sparse_cases() -> Vec<Case> {
    compiled! {
        // Fixed times.
        "0:00:00"
        "2:30:00"
        "1-3:10:00"
        "*.*.* Sun 02:00:00"
        // Repeating times.
        "*:30:00"
        "*/4:00:00"
        "2:*/30:00"
        "*.*.* Mon-Fri *:00:00"
        // Only days on which clocks change.
        "*.3.8-14 Sun 02:30:00"
        "*.3,4,10,11.* Sat,Sun 1:59:00"
    }
}

/// Returns more schedules, including dense ones, for the changes that are tested thoroughly.
fn dense_cases() -> Vec<Case> {
    compiled! {
        "23:59:00"
        "0,2,3:15,30,45:00"
        "1:59:00"
        "2:00:00"
        "3:00:00"
        "0-23/2:00:00"
        "9-17:00:00"
        "1,3:30:00"
        "2,3:00:00"
        "2:10,20:00"
        "0:0-59:00"
        "23:45-59:00"
        "1-2:*/7:00"
        "0,12:00:00"
        "1,13:00:00"
        "*/2:30:00"
        "*/3:15:00"
        "*/5:45:00"
        "*:*/15:00"
        "*:1-59/2:00"
        "*:*:00"
        "2:*:00"
        "0:*/30:00"
        "*.*.32 *:15:00"
        "*.*.1-7 Sun 0-3:00:00"
        "*.*.20-32 0,6 0-3:30:00"
        "*.11.1-7 Sun 1:30:00"
        // Events half a year apart, at the same offset.
        "*.4,10.25-31 Sun 1:30:00"
        "*.4,10.1-7 Sun 1:45:00"
        "*.3.25-31 Sun 1:30:00"
        "*.10.25-31 Sun 1:*/20:00"
        "*.10.1-7 Sun 2:15:00"
        "*.4.1-7 Sun 1:45:00"
        "2010-2018/2.11.* Sun 0:00:00"
        "2011.12.30 0:00:00"
        "2011.12.30 12:00:00"
        "2011.12.30 *:00:00"
        "2011.12.28-31 */6:00:00"
        "2000,2100.*.* 1-3:*/10:00"
    }
}

/// A schedule in a time zone, and its events in a range of instants.
struct Walk<'a, Z> {
    zoned: &'a ZonedSchedule<Z>,
    /// All events in `range`, as the oracle finds them.
    events: &'a [Event],
    range: Range<i64>,
    label: &'a str,
}

impl<Z: Zone> Walk<'_, Z> {
    /// Returns the event with this index in the range.
    fn event(&self, index: Option<usize>) -> Option<i64> {
        self.events.get(index?).map(|event| event.instant)
    }

    /// Asserts that a query returned the event at index `expected`, or one past the range if there
    /// is no such event.
    #[track_caller]
    fn assert_forward(&self, query: &str, at: i64, actual: Option<i64>, expected: usize) {
        let actual = actual.filter(|actual| *actual < self.range.end);
        assert_eq!(actual, self.event(Some(expected)), "{}: {query} {at}", self.context());
    }

    /// Asserts that a query returned the event just before index `after`, or one before the range
    /// if `after` is 0.
    #[track_caller]
    fn assert_backward(&self, query: &str, at: i64, actual: Option<i64>, after: usize) {
        let actual = actual.filter(|actual| *actual >= self.range.start);
        let expected = self.event(after.checked_sub(1));
        assert_eq!(actual, expected, "{}: {query} {at}", self.context());
    }

    fn context(&self) -> String {
        let (gap, fold) = (self.zoned.gap(), self.zoned.fold());
        format!("{:?} in {}, {gap:?} and {fold:?}", self.zoned.schedule().expression(), self.label)
    }

    /// Counts the events of the range before an instant.
    fn count_before(&self, at: i64) -> usize {
        self.events.partition_point(|event| event.instant < at)
    }

    /// Counts the events of the range at or before an instant.
    fn count_up_to(&self, at: i64) -> usize {
        self.events.partition_point(|event| event.instant <= at)
    }

    /// Checks all queries at an instant.
    fn check_instant(&self, at: i64) {
        let (before, up_to) = (self.count_before(at), self.count_up_to(at));
        self.assert_forward("next after", at, self.zoned.next_event(at), up_to);
        self.assert_forward("nearest to", at, self.zoned.nearest_event(at), before);
        self.assert_backward("prev before", at, self.zoned.prev_event(at), before);
        self.assert_backward("nearest prev to", at, self.zoned.nearest_prev_event(at), up_to);
        assert_eq!(self.zoned.matches(at), before < up_to, "{}: matches {at}", self.context());
        let event = self.events.get(before).filter(|_| before < up_to);
        let occurrence = self.zoned.occurrence(at).as_ref().map(to_event);
        assert_eq!(occurrence, event.copied(), "{}: occurrence at {at}", self.context());
    }

    /// Checks the events of the range forward, backward, from both ends and by index.
    fn check_enumeration(&self) {
        let expected: Vec<i64> = self.events.iter().map(|event| event.instant).collect();
        let len = expected.len();
        let events = self.zoned.events(self.range.clone());
        assert_eq!(events.size_hint(), (0, None), "{}", self.context());
        assert_eq!(self.zoned.count(self.range.clone()), count(len), "{}", self.context());
        assert_eq!(events.clone().last(), expected.last().copied(), "{}", self.context());

        assert!(events.clone().eq(expected.iter().copied()), "{}", self.context());
        let backward = events.clone().rev();
        assert!(backward.eq(expected.iter().rev().copied()), "{}: backward", self.context());

        let mut from_both = events.clone();
        let (mut front, mut back) = (Vec::new(), Vec::new());
        while let Some(event) = from_both.next() {
            front.push(event);
            back.extend(from_both.next_back());
        }
        front.extend(back.iter().rev());
        assert_eq!(front, expected, "{}: from both ends", self.context());

        for n in [0, 2, 9, len / 2, len.saturating_sub(1), len] {
            let nth = expected.get(n).copied();
            assert_eq!(events.clone().nth(n), nth, "{}: event {n}", self.context());
            let nth_back = expected.iter().rev().nth(n).copied();
            assert_eq!(events.clone().nth_back(n), nth_back, "{}: {n} from back", self.context());
        }
    }

    /// Checks the number of events between each pair of instants.
    fn check_counts(&self, instants: &[i64]) {
        for &start in instants {
            for &end in instants {
                let expected = self.count_before(end).saturating_sub(self.count_before(start));
                let counted = self.zoned.count(start..end);
                assert_eq!(counted, count(expected), "{}: {start}..{end}", self.context());
                let expected = self.count_up_to(end).saturating_sub(self.count_before(start));
                let counted = self.zoned.count(start..=end);
                assert_eq!(counted, count(expected), "{}: {start}..={end}", self.context());
            }
        }
    }

    /// Checks `nth` and `nth_back` for the events after and before each of some instants.
    fn check_nth(&self, instants: &[i64]) {
        for &at in instants {
            let (start, end) = (self.count_before(at), self.count_up_to(at));
            // The library steps over a few events, and counts to skip more.
            for n in [0, 1, 2, 8, 11] {
                let nth = self.zoned.events(at..self.range.end).nth(n);
                assert_eq!(nth, self.event(Some(start + n)), "{}: {n} from {at}", self.context());
                let nth_back = self.zoned.events(self.range.start..=at).nth_back(n);
                let expected = self.event(end.checked_sub(n + 1));
                assert_eq!(nth_back, expected, "{}: {n} back from {at}", self.context());
            }
        }
    }
}

fn to_event(occurrence: &Occurrence<i64>) -> Event {
    let Occurrence { instant, civil, resolution, .. } = *occurrence;
    Event { instant, civil: civil.to_millis(), resolution }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).expect("usize should fit in u64")
}

/// Returns the instants around a change where the handling of events can differ.
fn boundaries(change: Change) -> [i64; 5] {
    let Change { at, .. } = change;
    let length = change.length();
    [at - length, at - length / 2, at, at + length / 2, at + length]
}

/// Returns every minute that a change affects, and some minutes from the rest of the range.
fn minutes_around(change: Change, range: &Range<i64>) -> Vec<i64> {
    let reach = change.length() + 40 * MINUTE;
    let near = (change.at - reach..=change.at + reach).step_by(60_000);
    near.chain(range.clone().step_by(17 * 60_000)).collect()
}

/// The test of all schedules around one clock change.
struct ChangeCheck<'a> {
    zone: &'a TimeZone,
    variants: &'a [Arc<dyn Zone>],
    label: &'a str,
    change: Change,
    /// Which of the zone's changes it is.
    index: usize,
    is_thorough: bool,
}

impl ChangeCheck<'_> {
    /// Returns a range of thirty hours plus the length of the change on either side.
    fn range(&self) -> Range<i64> {
        let reach = 30 * HOUR + self.change.length();
        self.change.at - reach..self.change.at + reach
    }

    fn check_cases(&self, cases: &[Case]) {
        let range = self.range();
        let window = Window::new(self.zone, &range);
        for Case { schedule, civil, by_default } in cases {
            let minutes = window.of(civil);
            for (gap, fold) in GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold))) {
                let events = minutes.events(gap, fold);
                let chosen = Some((gap, fold)).filter(|chosen| chosen != by_default);
                // Changes alternate between the variants. In full tests, the thorough ones use all.
                for (turn, zone) in self.variants.iter().enumerate() {
                    let is_its_turn = self.index % self.variants.len() == turn;
                    if is_its_turn || self.is_thorough && is_full() {
                        self.check_schedule(schedule.in_zone(Arc::clone(zone)), chosen, &events);
                    }
                }
            }
        }
    }

    fn check_schedule(
        &self,
        zoned: ZonedSchedule<impl Zone>,
        chosen: Option<(Gap, Fold)>,
        events: &[Event],
    ) {
        let zoned = &match chosen {
            Some((gap, fold)) => zoned.with_gap(gap).with_fold(fold),
            None => zoned,
        };
        let range = self.range();
        let walk = Walk { zoned, events, range: range.clone(), label: self.label };
        let boundaries = boundaries(self.change);
        walk.check_enumeration();
        walk.check_counts(&boundaries);
        let reach = self.change.length() + 2 * HOUR;
        let is_near = |at: &i64| (at - self.change.at).abs() <= reach;
        let near = events.iter().map(|event| event.instant).filter(is_near);
        for at in near.chain(boundaries) {
            (at - 1..=at + 1).for_each(|at| walk.check_instant(at));
        }
        if self.is_thorough {
            for at in minutes_around(self.change, &range) {
                walk.check_instant(at);
            }
            let edges = boundaries.map(|at| [at - 1, at + MINUTE]).concat();
            walk.check_counts(&edges);
            walk.check_nth(&boundaries);
        }
    }
}

/// Tests the sparse schedules around all changes of a zone, and all schedules around the first and
/// last change of each kind.
fn check_zone(name: &str, at_least: usize) {
    let zone = zone(name);
    let changes = changes(&zone);
    assert!(changes.len() >= at_least, "{name} has {} changes", changes.len());
    let variants = variants(&zone);
    let (sparse, dense) = (sparse_cases(), dense_cases());
    let (mut first, mut last) = (HashMap::new(), HashMap::new());
    for (index, change) in changes.iter().enumerate() {
        // Changes of one kind have the same offsets and the same UTC time of day.
        let kind = (change.before, change.after, change.at % (24 * HOUR));
        first.entry(kind).or_insert(index);
        last.insert(kind, index);
    }
    for (index, &change) in sample(changes.iter().enumerate()) {
        let is_thorough = first.values().chain(last.values()).any(|chosen| *chosen == index);
        let label = format!("{name} around {}", CalendarDigits::from_millis(change.at));
        let (zone, variants) = (&zone, &*variants);
        let check = ChangeCheck { zone, variants, label: &label, change, index, is_thorough };
        check.check_cases(&sparse);
        if is_thorough {
            check.check_cases(&dense);
        }
    }
}

/// Defines a test for each zone, with the least number of changes that it has from 2000 on.
macro_rules! zone_tests {
    ($($test:ident: $zone:literal, $at_least:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check_zone($zone, $at_least);
            }
        )*
    };
}

zone_tests! {
    // Changes of half an hour.
    lord_howe: "Australia/Lord_Howe", 49;
    // A skipped day, and ten years of daylight saving time.
    apia: "Pacific/Apia", 23;
    // Back an hour for each Ramadan.
    casablanca: "Africa/Casablanca", 45;
    // Midnight is in the gap, and 23:00 to midnight is repeated.
    sao_paulo: "America/Sao_Paulo", 39;
    // Changes of two hours.
    troll: "Antarctica/Troll", 40;
    // Two permanent changes of half an hour: one back, one forward.
    pyongyang: "Asia/Pyongyang", 2;
    new_york: "America/New_York", 50;
    london: "Europe/London", 50;
    // Two changes a year, and four in some years.
    gaza: "Asia/Gaza", 50;
    // Forward at midnight, and back to midnight at 01:00.
    havana: "America/Havana", 47;
    // Changes of two, three and more hours, at any time of year.
    casey: "Antarctica/Casey", 15;
    // No changes since 2000.
    kathmandu: "Asia/Kathmandu", 0;
    // Midnight of a Friday is in the gap, and 23:00 to midnight is repeated.
    cairo: "Africa/Cairo", 30;
    // Since 2025, forward on Saturday evening to midnight.
    scoresbysund: "America/Scoresbysund", 50;
}
