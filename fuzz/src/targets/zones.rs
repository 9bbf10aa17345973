//! Schedules in zones made of the input. In a zone that keeps the contract of [`Zone`], answers are those of
//! the oracle; in any other, each query returns.

use arbitrary::{Result, Unstructured};
use millicron::{Schedule, Zone};
use millicron_test_oracle::zoned::{FOLDS, GAPS, Judge};
use millicron_test_oracle::{DAY, END, Oracle, START};

use crate::{LIBRARY, ORACLE, instant, numbers_and_text};

/// Offsets, each from an instant on.
struct Offsets {
    first: i32,
    changes: Vec<(i64, i32)>,
}

impl Zone for &Offsets {
    fn offset_at(&self, instant: i64) -> i32 {
        let last = self.changes.iter().rev().find(|(at, _)| *at <= instant);
        last.map_or(self.first, |(_, offset)| *offset)
    }
}

impl Offsets {
    fn read(input: &mut Unstructured, is_regular: bool) -> Result<Self> {
        let offset = |input: &mut Unstructured| {
            if is_regular { Ok(input.int_in_range(-48..=48)? * 900_000) } else { input.arbitrary() }
        };
        let first = offset(input)?;
        let mut changes = Vec::new();
        let mut at = instant(input, None)?.clamp(START, END);
        for _ in 0..input.int_in_range(0..=4)? {
            changes.push((at, offset(input)?));
            let apart = if is_regular { 7 * DAY } else { 0 };
            at = at.saturating_add(apart + i64::from(input.arbitrary::<u32>()?));
        }
        Ok(Self { first, changes })
    }

    fn offsets(&self) -> impl Iterator<Item = i32> {
        std::iter::once(self.first).chain(self.changes.iter().map(|(_, offset)| *offset))
    }
}

pub(crate) fn run(data: &[u8]) {
    let Some((numbers, text)) = numbers_and_text(data) else { return };
    let Ok(schedule) = Schedule::parse_with(text, &*LIBRARY) else { return };
    let _ = check(&schedule, text, &mut Unstructured::new(numbers));
}

fn check(schedule: &Schedule, text: &str, input: &mut Unstructured) -> Result<()> {
    let is_regular = input.arbitrary()?;
    let (gap, fold) = (*input.choose(&GAPS)?, *input.choose(&FOLDS)?);
    let zone = Offsets::read(input, is_regular)?;
    let zoned = schedule.in_zone(&zone).with_gap(gap).with_fold(fold);
    let near = zone.changes.first().map(|(at, _)| *at);
    let at = instant(input, near)?;
    let next = zoned.next_event(at);
    let to = at.saturating_add(3 * DAY);
    let ahead = zoned.events(at..to).take(20).count();
    let back = zoned.events(at..to).rev().take(20).count();
    let count = zoned.count(at..to);
    let _ = (zoned.prev_event(at), zoned.matches(at), zoned.occurrence(at), zoned.local_time(at));
    if !is_regular || schedule.members().len() > 1 {
        return Ok(());
    }
    assert_eq!(ahead, back);
    assert_eq!(ahead as u64, count.min(20));
    let Some(civil) = Oracle::read(text, &ORACLE) else { return Ok(()) };
    let offset = |instant: i64| i64::from((&zone).offset_at(instant));
    let judge = Judge { civil: &civil, offset, gap, fold };
    assert_eq!(zoned.matches(at), judge.event(at).is_some(), "matches {at}");
    // An event is at a civil time under some offset, or at a change.
    let from = at.saturating_sub(2 * DAY);
    let civil_times = civil.events(&(from..), 400);
    let until = civil_times.get(399).map_or(i64::MAX, |last| last.saturating_sub(DAY));
    let candidates = civil_times
        .iter()
        .flat_map(|civil| zone.offsets().map(move |offset| civil - i64::from(offset)))
        .chain(zone.changes.iter().map(|(at, _)| *at));
    let first = candidates.filter(|it| *it > at && judge.event(*it).is_some()).min();
    if first.or(next).is_none_or(|event| event < until) && next.is_none_or(|event| event < until) {
        assert_eq!(next, first, "next after {at}");
    }
    Ok(())
}
