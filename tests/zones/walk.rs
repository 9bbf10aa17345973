//! Schedules in time zones, compared with a walk minute by minute through every clock change from
//! 2000 to 2100.

use std::collections::HashMap;
use std::ops::Range;

use crate::support::oracle::text::Sets;
use crate::support::oracle::zoned::{
    Change, Event, FOLDS, GAPS, HOUR, MINUTE, Window, changes, default_of, zone,
};
use crate::support::sample;
use jiff::tz::TimeZone;
use millicron::{CalendarDigits, Fold, Gap, Occurrence, Schedule, ZonedSchedule, schedule};

/// A compiled schedule, and the sets that the oracle reads from its text.
struct Case {
    schedule: Schedule,
    sets: Sets,
    by_default: (Gap, Fold),
}

impl Case {
    fn new(schedule: Schedule) -> Case {
        let sets = Sets::read(schedule.expression()).expect("a well-formed text");
        Case { schedule, by_default: default_of(&sets), sets }
    }
}

macro_rules! compiled {
    ($($text:literal)*) => {
        vec![$(Case::new(schedule!($text))),*]
    };
}

/// Schedules with few events, which are checked at every change.
fn everywhere() -> Vec<Case> {
    compiled! {
        // Fixed times.
        "0:00:00"
        "2:30:00"
        "1-3:10:00"
        "*.*.* Sun 02:00:00"
        // Intervals.
        "*:30:00"
        "*/4:00:00"
        "2:*/30:00"
        "*.*.* Mon-Fri *:00:00"
        // Only days of clock changes.
        "*.3.8-14 Sun 02:30:00"
        "*.3,4,10,11.* Sat,Sun 1:59:00"
    }
}

/// More schedules, some dense, for the changes that are checked closely.
fn closely() -> Vec<Case> {
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
        // Half a year apart, at the same offset.
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

/// A schedule in a zone, and its events in a range of instants.
struct Walk<'a> {
    zoned: &'a ZonedSchedule<TimeZone>,
    /// All events from `range.start` to `range.end`.
    events: &'a [Event],
    range: Range<i64>,
    label: &'a str,
}

impl Walk<'_> {
    /// Returns the event of the range with this index.
    fn event(&self, place: Option<usize>) -> Option<i64> {
        self.events.get(place?).map(|event| event.instant)
    }

    /// Checks an answer if it is in the range; if not, it must be later.
    #[track_caller]
    fn expect_later(&self, question: &str, at: i64, answer: Option<i64>, expected: usize) {
        let answer = answer.filter(|answer| *answer < self.range.end);
        assert_eq!(answer, self.event(Some(expected)), "{}: {question} {at}", self.what());
    }

    /// Checks an answer if it is in the range; if not, it must be earlier.
    #[track_caller]
    fn expect_earlier(&self, question: &str, at: i64, answer: Option<i64>, after: usize) {
        let answer = answer.filter(|answer| *answer >= self.range.start);
        let expected = self.event(after.checked_sub(1));
        assert_eq!(answer, expected, "{}: {question} {at}", self.what());
    }

    fn what(&self) -> String {
        let (gap, fold) = (self.zoned.gap(), self.zoned.fold());
        format!("{:?} in {}, {gap:?} and {fold:?}", self.zoned.schedule().expression(), self.label)
    }

    /// Returns the number of events of the range before an instant.
    fn before(&self, at: i64) -> usize {
        self.events.partition_point(|event| event.instant < at)
    }

    /// Returns the number of events of the range at or before an instant.
    fn up_to(&self, at: i64) -> usize {
        self.events.partition_point(|event| event.instant <= at)
    }

    /// Checks all queries at an instant.
    fn check_queries(&self, at: i64) {
        let (before, up_to) = (self.before(at), self.up_to(at));
        self.expect_later("next after", at, self.zoned.next_event(at), up_to);
        self.expect_later("nearest to", at, self.zoned.nearest_event(at), before);
        self.expect_earlier("prev before", at, self.zoned.prev_event(at), before);
        self.expect_earlier("nearest prev to", at, self.zoned.nearest_prev_event(at), up_to);
        assert_eq!(self.zoned.matches(at), before < up_to, "{}: matches {at}", self.what());
        let event = self.events.get(before).filter(|_| before < up_to);
        let occurrence = self.zoned.occurrence(at).as_ref().map(event_of);
        assert_eq!(occurrence, event.copied(), "{}: occurrence at {at}", self.what());
    }

    /// Checks the events of the whole range: forward, backward, from both ends, and by index.
    fn enumerate(&self) {
        let expected: Vec<i64> = self.events.iter().map(|event| event.instant).collect();
        let len = expected.len();
        let events = self.zoned.events(self.range.clone());
        assert_eq!(events.size_hint(), (0, None), "{}", self.what());
        assert_eq!(self.zoned.count(self.range.clone()), count(len), "{}", self.what());
        assert_eq!(events.clone().last(), expected.last().copied(), "{}", self.what());

        assert!(events.clone().eq(expected.iter().copied()), "{}", self.what());
        let backward = events.clone().rev();
        assert!(backward.eq(expected.iter().rev().copied()), "{}: backward", self.what());

        let mut from_both = events.clone();
        let (mut front, mut back) = (Vec::new(), Vec::new());
        while let Some(event) = from_both.next() {
            front.push(event);
            back.extend(from_both.next_back());
        }
        front.extend(back.iter().rev());
        assert_eq!(front, expected, "{}: from both ends", self.what());

        for n in [0, 2, 9, len / 2, len.saturating_sub(1), len] {
            let nth = expected.get(n).copied();
            assert_eq!(events.clone().nth(n), nth, "{}: event {n}", self.what());
            let nth_back = expected.iter().rev().nth(n).copied();
            assert_eq!(events.clone().nth_back(n), nth_back, "{}: {n} from back", self.what());
        }
    }

    /// Checks the number of events between any two of some instants.
    fn count_between(&self, instants: &[i64]) {
        for &start in instants {
            for &end in instants {
                let expected = self.before(end).saturating_sub(self.before(start));
                let counted = self.zoned.count(start..end);
                assert_eq!(counted, count(expected), "{}: {start}..{end}", self.what());
                let expected = self.up_to(end).saturating_sub(self.before(start));
                let counted = self.zoned.count(start..=end);
                assert_eq!(counted, count(expected), "{}: {start}..={end}", self.what());
            }
        }
    }

    /// Checks the n-th event after and before some instants.
    fn select_from(&self, instants: &[i64]) {
        for &at in instants {
            let (start, end) = (self.before(at), self.up_to(at));
            // Few events are visited, more are counted.
            for n in [0, 1, 2, 8, 11] {
                let nth = self.zoned.events(at..self.range.end).nth(n);
                assert_eq!(nth, self.event(Some(start + n)), "{}: {n} from {at}", self.what());
                let nth_back = self.zoned.events(self.range.start..=at).nth_back(n);
                let expected = self.event(end.checked_sub(n + 1));
                assert_eq!(nth_back, expected, "{}: {n} back from {at}", self.what());
            }
        }
    }
}

fn event_of(occurrence: &Occurrence<i64>) -> Event {
    let Occurrence { instant, civil, resolution, .. } = *occurrence;
    Event { instant, civil: civil.to_millis(), resolution }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).expect("as narrow as u64")
}

/// Returns the instants at which a change starts and ceases to matter.
fn corners(change: Change) -> [i64; 5] {
    let Change { at, .. } = change;
    let length = change.length();
    [at - length, at - length / 2, at, at + length / 2, at + length]
}

/// Returns every minute where a change matters, and some beyond.
fn every_minute(change: Change, range: &Range<i64>) -> Vec<i64> {
    let reach = change.length() + 40 * MINUTE;
    let near = (change.at - reach..=change.at + reach).step_by(60_000);
    near.chain(range.clone().step_by(17 * 60_000)).collect()
}

/// A change, and how closely to check it.
struct Look<'a> {
    zone: &'a TimeZone,
    label: &'a str,
    change: Change,
    is_close: bool,
}

impl Look<'_> {
    /// Thirty hours on each side, more than any change.
    fn range(&self) -> Range<i64> {
        let reach = 30 * HOUR + self.change.length();
        self.change.at - reach..self.change.at + reach
    }

    fn walk(&self, cases: &[Case]) {
        let range = self.range();
        let window = Window::new(self.zone, &range);
        for Case { schedule, sets, by_default } in cases {
            let minutes = window.of(sets);
            for (gap, fold) in GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold))) {
                let zoned = schedule.in_zone(self.zone.clone());
                let zoned = if (gap, fold) == *by_default {
                    zoned
                } else {
                    zoned.with_gap(gap).with_fold(fold)
                };
                self.questions(&zoned, &minutes.events(gap, fold));
            }
        }
    }

    fn questions(&self, zoned: &ZonedSchedule<TimeZone>, events: &[Event]) {
        let range = self.range();
        let walk = Walk { zoned, events, range: range.clone(), label: self.label };
        let corners = corners(self.change);
        walk.enumerate();
        walk.count_between(&corners);
        let reach = self.change.length() + 2 * HOUR;
        let is_near = |at: &i64| (at - self.change.at).abs() <= reach;
        let near = events.iter().map(|event| event.instant).filter(is_near);
        for at in near.chain(corners) {
            (at - 1..=at + 1).for_each(|at| walk.check_queries(at));
        }
        if self.is_close {
            for at in every_minute(self.change, &range) {
                walk.check_queries(at);
            }
            let edges = corners.map(|at| [at - 1, at + MINUTE]).concat();
            walk.count_between(&edges);
            walk.select_from(&corners);
        }
    }
}

/// Checks all changes of a zone with the schedules of few events, and the first and the last change
/// of each kind with all schedules.
fn walk_through(name: &str, at_least: usize) {
    let zone = zone(name);
    let changes = changes(&zone);
    assert!(changes.len() >= at_least, "{name} has {} changes", changes.len());
    let (few, more) = (everywhere(), closely());
    let (mut first, mut last) = (HashMap::new(), HashMap::new());
    for (place, change) in changes.iter().enumerate() {
        // Changes between the same offsets at the same time of day are of one kind.
        let kind = (change.before, change.after, change.at % (24 * HOUR));
        first.entry(kind).or_insert(place);
        last.insert(kind, place);
    }
    for (place, &change) in sample(changes.iter().enumerate()) {
        let is_close = first.values().chain(last.values()).any(|close| *close == place);
        let label = format!("{name} about {}", CalendarDigits::from_millis(change.at));
        let look = Look { zone: &zone, label: &label, change, is_close };
        look.walk(&few);
        if is_close {
            look.walk(&more);
        }
    }
}

/// A test for each zone, with a lower bound on its number of changes.
macro_rules! walks {
    ($($test:ident: $zone:literal, $at_least:literal;)*) => {
        $(
            #[test]
            fn $test() {
                walk_through($zone, $at_least);
            }
        )*
    };
}

walks! {
    // Half an hour.
    lord_howe: "Australia/Lord_Howe", 49;
    // A skipped day, and daylight saving time for ten years.
    apia: "Pacific/Apia", 23;
    // An hour back for each Ramadan.
    casablanca: "Africa/Casablanca", 45;
    // Midnight is skipped, and occurs twice.
    sao_paulo: "America/Sao_Paulo", 39;
    // Two hours.
    troll: "Antarctica/Troll", 40;
    // Half an hour back once and forward once, permanently.
    pyongyang: "Asia/Pyongyang", 2;
    new_york: "America/New_York", 50;
    london: "Europe/London", 50;
    // Twice a year, and four times in some.
    gaza: "Asia/Gaza", 50;
    // Forward at midnight, and back to midnight at 01:00.
    havana: "America/Havana", 47;
    // Two, three and more hours, throughout the year.
    casey: "Antarctica/Casey", 15;
    // No change since 2000.
    kathmandu: "Asia/Kathmandu", 0;
    // Midnight of a Friday is skipped, and occurs twice.
    cairo: "Africa/Cairo", 30;
    // On Saturday evening, with a gap across midnight.
    scoresbysund: "America/Scoresbysund", 50;
}
