//! Random schedules in random zones, from the database and synthetic, compared with the oracle and
//! with themselves.
//!
//! The seed is fixed, so results are reproducible. To test other cases, set
//! `PROPTEST_RNG_SEED`; to change the number of cases for each property, set `PROPTEST_CASES`.

use std::ops::{Bound, RangeBounds};
use std::sync::LazyLock;

use crate::support::counts::{clamped, nth};
use crate::support::generate::{cases, expression};
use crate::support::oracle::zoned::{
    Event, FOLDS, GAPS, HOUR, Judge, database, default_of, offset,
};
use crate::support::oracle::{END, Oracle, START, midnight};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{
    Fold, Gap, OffsetSpan, Offsets, Resolution, Schedule, Zone, ZoneTable, ZonedSchedule,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const DAY: i64 = 24 * HOUR;

/// A zone of the database or a synthetic one, with the instants of its clock changes.
#[derive(Clone, Debug)]
struct TestZone {
    source: Source,
    table: Option<ZoneTable>,
    changes: Vec<i64>,
}

#[derive(Clone, Debug)]
enum Source {
    Database(TimeZone),
    Synthetic(Synthetic),
    OffsetOnly(OffsetOnly),
}

impl Zone for Source {
    fn offset_at(&self, instant: i64) -> i32 {
        match self {
            Self::Database(zone) => zone.offset_at(instant),
            Self::Synthetic(zone) => zone.offset_at(instant),
            Self::OffsetOnly(zone) => zone.offset_at(instant),
        }
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        match self {
            Self::Database(zone) => zone.offsets_of(civil),
            Self::Synthetic(zone) => zone.offsets_of(civil),
            Self::OffsetOnly(zone) => zone.offsets_of(civil),
        }
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        match self {
            Self::Database(zone) => zone.next_change(after, until),
            Self::Synthetic(zone) => zone.next_change(after, until),
            Self::OffsetOnly(zone) => zone.next_change(after, until),
        }
    }
}

/// If there is a table, it answers all queries.
impl Zone for TestZone {
    fn offset_at(&self, instant: i64) -> i32 {
        match &self.table {
            Some(table) => table.offset_at(instant),
            None => self.source.offset_at(instant),
        }
    }

    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        self.table.as_ref()?.offset_span(instant)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        match &self.table {
            Some(table) => table.offsets_of(civil),
            None => self.source.offsets_of(civil),
        }
    }

    fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        match &self.table {
            Some(table) => table.next_change(after, until),
            None => self.source.next_change(after, until),
        }
    }
}

impl TestZone {
    /// Returns the offset that the oracle uses, without going through [`Zone`] for database zones.
    fn offset(&self, instant: i64) -> i64 {
        match &self.source {
            Source::Database(zone) => offset(zone, instant),
            Source::Synthetic(zone) => zone.offset_at(instant).into(),
            Source::OffsetOnly(zone) => zone.offset_at(instant).into(),
        }
    }

    /// Returns the change that is nearest to an instant.
    fn nearest_change(&self, at: i64) -> Option<i64> {
        self.changes.iter().copied().min_by_key(|change| change.abs_diff(at))
    }
}

/// A zone whose offset changes by any number of milliseconds up to a day, at any instants that are
/// more than six days apart.
#[derive(Clone, Debug)]
struct Synthetic {
    first: i32,
    /// The first instant of each new offset, and that offset.
    changes: Vec<(i64, i32)>,
}

impl Zone for Synthetic {
    fn offset_at(&self, instant: i64) -> i32 {
        let last = self.changes.iter().rev().find(|(at, _)| *at <= instant);
        last.map_or(self.first, |(_, offset)| *offset)
    }

    fn offsets_of(&self, civil: i64) -> Offsets {
        let mut before = self.first;
        for &(at, after) in &self.changes {
            let (old, new) = (civil < at + i64::from(before), civil < at + i64::from(after));
            match (old, new) {
                (true, true) => return Offsets::One(before),
                (true, false) => return Offsets::Fold { before, after },
                (false, true) => return Offsets::Gap { before, after },
                (false, false) => before = after,
            }
        }
        Offsets::One(before)
    }
}

/// A synthetic zone that implements only [`Zone::offset_at`].
#[derive(Clone, Debug)]
struct OffsetOnly(Synthetic);

impl Zone for OffsetOnly {
    fn offset_at(&self, instant: i64) -> i32 {
        self.0.offset_at(instant)
    }
}

/// All zones of the database: those with clock changes, then those without.
static DATABASE_ZONES: LazyLock<[Vec<TestZone>; 2]> = LazyLock::new(|| {
    let zones = database().available().map(|name| {
        let zone = database().get(name.as_str()).expect("an available zone");
        let start = Timestamp::from_millisecond(START).expect("an instant");
        let changes = zone.following(start).map(|change| change.timestamp().as_millisecond());
        let changes = changes.take_while(|at| *at <= END).collect();
        TestZone { source: Source::Database(zone), table: None, changes }
    });
    let (changing, constant) = zones.partition(|zone| !zone.changes.is_empty());
    [changing, constant]
});

/// Returns zones with and without a table.
fn test_zone() -> impl Strategy<Value = TestZone> {
    (source(), any::<bool>()).prop_map(|(zone, has_table)| {
        let table = has_table.then(|| table_of(&zone.source));
        TestZone { table, ..zone }
    })
}

/// Returns the table of a zone; that of a zone of the database was compiled.
fn table_of(source: &Source) -> ZoneTable {
    #[cfg(all(feature = "chrono-tz", feature = "zones"))]
    if let Source::Database(zone) = source {
        let name = zone.iana_name().expect("the name that was looked up");
        return ZoneTable::new(&super::static_zones::static_zone(name));
    }
    ZoneTable::new(source)
}

fn source() -> impl Strategy<Value = TestZone> {
    let [changing, constant] = &*DATABASE_ZONES;
    prop_oneof![
        8 => select(&changing[..]),
        1 => select(&constant[..]),
        4 => (synthetic(), any::<bool>()).prop_map(|(zone, is_offset_only)| {
            let changes = zone.changes.iter().map(|(at, _)| *at).collect();
            let source = if is_offset_only {
                Source::OffsetOnly(OffsetOnly(zone))
            } else {
                Source::Synthetic(zone)
            };
            TestZone { source, table: None, changes }
        }),
    ]
}

/// The largest offset from UTC that a zone may have, in milliseconds: just less than a day.
const MAX_OFFSET: i32 = 86_399_999;

fn synthetic() -> impl Strategy<Value = Synthetic> {
    let start = prop_oneof![
        2 => START - 3 * DAY..END,
        1 => START - 3 * DAY..START + 3 * DAY,
        1 => END - 9 * DAY..END + 3 * DAY,
    ];
    let distance = prop_oneof![6 * DAY + 1..8 * DAY, 6 * DAY + 1..800 * DAY];
    let by = prop_oneof![
        1 => select(vec![-86_400_000, -7_200_000, -3_600_000, -1_800_000, -1, 1, 1_800_000, 86_400_000]),
        2 => -86_400_000..=86_400_000_i32,
        2 => -9_000_000..=9_000_000_i32,
    ];
    let first = prop_oneof![-50_000_000..50_000_000_i32, -MAX_OFFSET..=MAX_OFFSET];
    (start, first, vec((distance, by), 1..8)).prop_map(|(start, first, steps)| {
        let (mut at, mut offset) = (start, first);
        let changes = steps.into_iter().filter_map(|(distance, by)| {
            at += distance;
            let before = offset;
            offset = (offset + by).clamp(-MAX_OFFSET, MAX_OFFSET);
            (offset != before).then_some((at, offset))
        });
        Synthetic { first, changes: changes.collect() }
    })
}

/// Generates expressions of any kind, and expressions with events in nights of clock changes.
fn text() -> impl Strategy<Value = String> {
    const DATES: &[&str] =
        &["", "*.*.* Sun ", "*.*.* Mon-Sat ", "*.3,10,11.* Sun ", "*.*.20-32 0,6 "];
    const HOURS: &[&str] =
        &["0", "1", "2", "3", "0-3", "1,3", "2,3", "23", "0,12", "*/2", "*/3", "*"];
    const MINUTES: &[&str] = &["0", "30", "59", "0-59/7", "10,20", "15,45", "*/15", "0,30", "*"];
    const SECONDS: &[&str] = &["0", "30", "0,59", "*/30", "*"];
    const MILLIS: &[&str] = &["", ".999", ".1,2,63", ".0,500", ".*/250", ".*"];
    let nightly = (select(DATES), select(HOURS), select(MINUTES), select(SECONDS), select(MILLIS))
        .prop_map(|(date, hour, minute, second, milli)| {
            format!("{date}{hour}:{minute}:{second}{milli}")
        });
    prop_oneof![1 => expression(), 1 => nightly]
}

/// Generates gap and fold policies; `None` keeps the defaults.
fn policies() -> impl Strategy<Value = Option<(Gap, Fold)>> {
    proptest::option::weighted(0.8, (select(&GAPS[..]), select(&FOLDS[..])))
}

/// An instant, given relative to the events of a schedule or the changes of a zone.
#[derive(Clone, Copy, Debug)]
enum Position {
    Exact(i64),
    /// At a distance from the change with this index.
    Change(usize, Distance),
    /// At a distance from the change that is nearest to the event with this index.
    ChangeNear(u64, Distance),
    /// At a distance, in milliseconds, from the event with this index in UTC.
    Civil(u64, i64),
}

/// A distance from a change: `halves` times half the length of the change, plus `millis`.
#[derive(Clone, Copy, Debug)]
struct Distance {
    halves: i64,
    millis: i64,
}

impl Position {
    fn resolve(self, zone: &TestZone, civil: &Oracle) -> i64 {
        let event = |index: u64| civil.event(index % civil.total());
        let from_change = |change: i64, by: Distance| {
            let length = (zone.offset(change) - zone.offset(change - 1)).abs();
            change + by.halves * length / 2 + by.millis
        };
        match self {
            Position::Exact(at) => at,
            Position::Change(_, by) if zone.changes.is_empty() => START + by.millis,
            Position::Change(index, by) => {
                from_change(zone.changes[index % zone.changes.len()], by)
            }
            Position::ChangeNear(index, by) => {
                let event = event(index);
                from_change(zone.nearest_change(event).unwrap_or(event), by)
            }
            Position::Civil(index, by) => event(index) + by,
        }
    }
}

fn position() -> impl Strategy<Value = Position> {
    let millis = || {
        prop_oneof![
            2 => Just(0),
            3 => -2..=2_i64,
            3 => -2 * HOUR..=2 * HOUR,
            2 => -DAY..=DAY,
            1 => -40 * DAY..=40 * DAY,
        ]
    };
    let by = || {
        let halves = prop_oneof![3 => Just(0), 4 => -2..=2_i64];
        (halves, millis()).prop_map(|(halves, millis)| Distance { halves, millis })
    };
    let edges = vec![i64::MIN, i64::MAX, 0, midnight(2000, 1, 1), midnight(2100, 12, 31), END];
    let centuries = START - 400 * DAY..END + 400 * DAY;
    prop_oneof![
        6 => (any::<usize>(), by()).prop_map(|(index, by)| Position::Change(index, by)),
        6 => (any::<u64>(), by()).prop_map(|(index, by)| Position::ChangeNear(index, by)),
        2 => (any::<u64>(), millis()).prop_map(|(index, by)| Position::Civil(index, by)),
        2 => centuries.prop_map(Position::Exact),
        2 => (select(edges), millis()).prop_map(|(at, by)| Position::Exact(at.saturating_add(by))),
    ]
}

/// A schedule in a zone, with the oracle of its civil times.
struct Subject {
    zone: TestZone,
    civil: Oracle,
    zoned: ZonedSchedule<TestZone>,
}

impl Subject {
    /// Parses a well-formed expression, and returns `None` if the schedule never fires.
    fn new(text: &str, zone: TestZone, policies: Option<(Gap, Fold)>) -> Option<Subject> {
        let civil = Oracle::new(text);
        let schedule: Schedule = text.parse().ok()?;
        let zoned = schedule.in_zone(zone.clone());
        let zoned = match policies {
            Some((gap, fold)) => zoned.with_gap(gap).with_fold(fold),
            None => zoned,
        };
        Some(Subject { zone, civil, zoned })
    }

    fn judge(&self) -> Judge<'_, impl Fn(i64) -> i64> {
        Judge {
            civil: &self.civil,
            offset: |instant| self.zone.offset(instant),
            gap: self.zoned.gap(),
            fold: self.zoned.fold(),
        }
    }

    /// Returns the occurrence at an instant, as the library reports it.
    fn occurrence(&self, at: i64) -> Option<Event> {
        let occurrence = self.zoned.occurrence(at)?;
        let (civil, resolution) = (occurrence.civil.to_millis(), occurrence.resolution);
        Some(Event { instant: occurrence.instant, civil, resolution })
    }

    /// Checks an instant against the oracle, and returns whether it is an event.
    fn check_instant(&self, at: i64) -> Result<bool, TestCaseError> {
        let event = self.judge().event(at);
        prop_assert_eq!(self.occurrence(at), event, "{} in {:?}", at, &self.zoned);
        prop_assert_eq!(self.zoned.matches(at), event.is_some(), "{}", at);
        Ok(event.is_some())
    }

    /// Checks that no event is strictly between two instants, by probing random and likely
    /// instants.
    fn check_no_events_between(
        &self,
        after: i64,
        before: i64,
        probes: &[u64],
    ) -> Result<(), TestCaseError> {
        let (after, before) = (after.max(START - 2 * DAY), before.min(END + 2 * DAY));
        let Some(length) = before.checked_sub(after).and_then(|length| u64::try_from(length).ok())
        else {
            return Ok(());
        };
        if length < 2 {
            return Ok(());
        }
        let anywhere = probes.iter().map(|probe| after + 1 + (probe % (length - 1)).cast_signed());
        // The instant of the next civil event, unless that is in a gap.
        let civil = self.civil.next(after + self.zone.offset(after)).unwrap_or(after);
        let likely = civil - self.zone.offset(after);
        let change = self.zone.nearest_change(likely).unwrap_or(after);
        let likely = [after + 1, before - 1, likely, civil - self.zone.offset(change), change];
        for at in anywhere.chain(likely).filter(|at| after < *at && *at < before) {
            prop_assert!(!self.check_instant(at)?, "{} is missing in {:?}", at, &self.zoned);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(cases(6_000))]

    /// Each query returns an event of the oracle on the correct side, with no event in between.
    #[test]
    fn queries_return_the_nearest_events_of_the_oracle(
        text in text(), zone in test_zone(), policies in policies(), instants in vec(position(), 6),
        probes in vec(any::<u64>(), 4),
    ) {
        let Some(subject) = Subject::new(&text, zone, policies) else { return Ok(()) };
        let Subject { zoned, zone, civil } = &subject;
        for at in instants.iter().map(|at| at.resolve(zone, civil)) {
            let is_event = subject.check_instant(at)?;
            let (next, prev) = (zoned.next_event(at), zoned.prev_event(at));
            prop_assert_eq!(zoned.nearest_event(at), if is_event { Some(at) } else { next });
            prop_assert_eq!(zoned.nearest_prev_event(at), if is_event { Some(at) } else { prev });
            if let Some(next) = next {
                prop_assert!(next > at && subject.check_instant(next)?, "{} after {}", next, at);
            }
            if let Some(prev) = prev {
                prop_assert!(prev < at && subject.check_instant(prev)?, "{} before {}", prev, at);
            }
            subject.check_no_events_between(at, next.unwrap_or(i64::MAX), &probes)?;
            subject.check_no_events_between(prev.unwrap_or(i64::MIN), at, &probes)?;
        }
    }

    /// The next event after the previous event is the nearest event, and vice versa.
    #[test]
    fn next_event_and_prev_event_invert_each_other(
        text in text(), zone in test_zone(), policies in policies(), instants in vec(position(), 6),
    ) {
        let Some(subject) = Subject::new(&text, zone, policies) else { return Ok(()) };
        let Subject { zoned, zone, civil } = &subject;
        for at in instants.iter().map(|at| at.resolve(zone, civil)) {
            if let Some(prev) = zoned.prev_event(at) {
                prop_assert_eq!(zoned.next_event(prev), zoned.nearest_event(at), "{}", at);
            }
            if let Some(next) = zoned.next_event(at) {
                prop_assert_eq!(zoned.prev_event(next), zoned.nearest_prev_event(at), "{}", at);
            }
            prop_assert_eq!(zoned.events(at..).next(), zoned.nearest_event(at), "{}", at);
            prop_assert_eq!(zoned.events(..=at).next_back(), zoned.nearest_prev_event(at));
            prop_assert_eq!(zoned.events(..at).next_back(), zoned.prev_event(at), "{}", at);
        }
    }

    /// Each event has a matching civil time: the local time shown, or one in the gap just before.
    #[test]
    fn occurrence_reports_the_civil_time_of_each_event(
        text in text(), zone in test_zone(), policies in policies(), instants in vec(position(), 6),
    ) {
        let Some(subject) = Subject::new(&text, zone, policies) else { return Ok(()) };
        let Subject { zoned, zone, civil } = &subject;
        let by_default = default_of(civil.sets());
        prop_assert_eq!((zoned.gap(), zoned.fold()), policies.unwrap_or(by_default));
        for at in instants.iter().map(|at| at.resolve(zone, civil)) {
            let Some(event) = zoned.nearest_event(at) else { continue };
            let occurrence = zoned.occurrence(event).expect("an event should have an occurrence");
            let from = occurrence.civil.to_millis();
            prop_assert_eq!(occurrence.instant, event);
            prop_assert!(zoned.schedule().matches(from), "{}", from);
            let shown = event + zone.offset(event);
            if occurrence.resolution == Resolution::Shifted {
                let gap = event + zone.offset(event - 1)..shown;
                prop_assert!(gap.contains(&from), "{} in {:?}", from, gap);
            } else {
                prop_assert_eq!(shown, from);
            }
        }
    }
}

/// Generates wide and narrow ranges with all kinds of bounds, including empty and reversed ranges.
fn range() -> impl Strategy<Value = (Bound<Position>, Bound<Position>)> {
    let bound = || {
        (0..8_u8, position()).prop_map(|(kind, at)| match kind {
            0..3 => Bound::Included(at),
            3..6 => Bound::Excluded(at),
            _ => Bound::Unbounded,
        })
    };
    let near = (any::<u64>(), -2 * DAY..2 * DAY, -2 * DAY..2 * DAY).prop_map(|(index, a, b)| {
        let at = |millis| Position::ChangeNear(index, Distance { halves: 0, millis });
        (Bound::Included(at(a.min(b))), Bound::Excluded(at(a.max(b))))
    });
    prop_oneof![1 => (bound(), bound()), 2 => near]
}

fn length(count: usize) -> u64 {
    u64::try_from(count).expect("usize should fit in u64")
}

/// The most events that a test lists in each direction.
const MAX_LISTED: usize = 300;

proptest! {
    #![proptest_config(cases(4_000))]

    /// Forward and backward iteration return the same events in order, as many as `count` returns.
    #[test]
    fn events_agree_forward_and_backward(
        text in text(), zone in test_zone(), policies in policies(), range in range(),
        n in 0..MAX_LISTED,
    ) {
        let Some(subject) = Subject::new(&text, zone, policies) else { return Ok(()) };
        let Subject { zoned, zone, civil } = &subject;
        let range =
            (range.0.map(|at| at.resolve(zone, civil)), range.1.map(|at| at.resolve(zone, civil)));
        let events = zoned.events(range);
        let forward: Vec<i64> = events.clone().take(MAX_LISTED).collect();
        let mut backward: Vec<i64> = events.clone().rev().take(MAX_LISTED).collect();
        backward.reverse();
        for events in [&forward, &backward] {
            prop_assert!(events.is_sorted_by(|a, b| a < b), "{:?}", events);
            prop_assert!(events.iter().all(|event| range.contains(event)), "{:?}", events);
        }

        let count = zoned.count(range);
        prop_assert_eq!(events.clone().count(), clamped(count));
        if forward.len() < MAX_LISTED {
            prop_assert_eq!(&forward, &backward);
            prop_assert_eq!(length(forward.len()), count);
        } else {
            prop_assert!(count >= length(MAX_LISTED), "{}", count);
        }
        prop_assert_eq!(events.clone().nth(n), forward.get(n).copied());
        prop_assert_eq!(events.clone().nth_back(n), backward.iter().rev().nth(n).copied());
        prop_assert_eq!(events.last(), backward.last().copied());
    }

    /// The index of an event equals the number of events before it.
    #[test]
    fn nth_agrees_with_count(
        text in text(), zone in test_zone(), policies in policies(),
        a in position(), b in position(), n in any::<u64>(),
    ) {
        let Some(subject) = Subject::new(&text, zone, policies) else { return Ok(()) };
        let Subject { zoned, zone, civil } = &subject;
        let (a, b) = (a.resolve(zone, civil), b.resolve(zone, civil));
        let (start, end) = (a.min(b), a.max(b));
        let count = zoned.count(start..end);
        let middle = start.midpoint(end);
        prop_assert_eq!(zoned.count(start..middle) + zoned.count(middle..end), count, "{}", middle);
        prop_assert_eq!(zoned.count(end..start), 0);
        let Some(n) = n.checked_rem(count) else {
            prop_assert_eq!(zoned.events(start..end).next(), None);
            prop_assert_eq!(zoned.events(start..end).next_back(), None);
            return Ok(());
        };
        let after = count - n - 1;
        let mut events = zoned.events(start..end);
        let event = nth(&mut events, n);
        prop_assert!(event.is_some(), "{} of {}", n, count);
        prop_assert_eq!(nth(zoned.events(start..end).rev(), after), event);
        prop_assert_eq!(events.clone().count(), clamped(after));
        let event = event.unwrap_or_default();
        prop_assert_eq!(zoned.count(start..event), n);
        prop_assert!(subject.check_instant(event)?);
        prop_assert_eq!(events.next(), zoned.next_event(event).filter(|next| *next < end));
    }
}
