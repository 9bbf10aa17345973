//! The events of several schedules, each instant once.
//!
//! The next and the previous event are simply the nearest of those of the members. To count events,
//! a day is split into hours, minutes and seconds until only one member has events in such a block,
//! or until the events are few enough to be listed, sorted, and freed from repetitions.

use std::collections::HashMap;
use std::sync::Mutex;

use super::calendar::{FIRST_DAY, days, place_of};
use super::{DAY, MAX_MEMBERS, Oracle};

/// The lengths of blocks.
const BLOCKS: [i64; 4] = [DAY, 60 * 60 * 1000, 60 * 1000, 1000];

/// The place of seconds in `BLOCKS`.
const SECONDS: usize = 3;

/// Blocks with at most this many events are not split.
const FEW: u64 = 1000;

/// Some events of a member within a block.
///
/// As blocks start at a whole unit of time and last that long, this determines the other events: a
/// member with fields has the same events in all blocks of the same length in which it has any, and
/// those of a window are at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BlockRun {
    /// How long after the start of the block the first event of a window is, or 0.
    pub(super) first: i64,
    pub(super) count: u64,
}

/// The runs of each member in a block of some length.
type Key = (usize, Vec<Vec<BlockRun>>);

#[derive(Debug)]
pub(super) struct Union {
    pub(super) members: Vec<Oracle>,
    /// The number of events before each day of the range, and before the day that follows it.
    before: Vec<u64>,
    /// The number of events in blocks that have been counted.
    counted: Mutex<HashMap<Key, u64>>,
}

impl Union {
    pub(super) fn new(members: Vec<Oracle>) -> Union {
        assert!(members.len() <= 2 * MAX_MEMBERS, "two bits for each member");
        let mut union = Union { members, before: vec![0], counted: Mutex::default() };
        // Two bits for each member: whether it has events of its fields or of a window on the day, and
        // whether it has those of the window of the day before. Days with the same bits have the
        // same times.
        let mut bits = vec![0_u64; days().len()];
        for (member, bit) in union.members.iter().zip((0..64).step_by(2)) {
            let is_on = member.has_events_on();
            let crosses_midnight = member.crosses_midnight();
            for (place, bits) in bits.iter_mut().enumerate() {
                let was_on = place.checked_sub(1).is_some_and(|before| is_on[before]);
                *bits |= u64::from(is_on[place]) << bit;
                *bits |= u64::from(was_on && crosses_midnight) << (bit + 1);
            }
        }
        let (mut total, mut counts) = (0, HashMap::new());
        for (day, bits) in (FIRST_DAY..).zip(bits) {
            total += *counts.entry(bits).or_insert_with(|| union.count_in(day * DAY, 0));
            union.before.push(total);
        }
        union
    }

    pub(super) fn total(&self) -> u64 {
        self.before[days().len()]
    }

    /// Returns the event at an index, from 0.
    pub(super) fn event(&self, index: u64) -> i64 {
        let place = self.before.partition_point(|before| *before <= index) - 1;
        let (mut from, mut rest) = (days()[place].number * DAY, index - self.before[place]);
        for (level, length) in BLOCKS.into_iter().enumerate().skip(1) {
            loop {
                let count = self.count_in(from, level);
                if rest < count {
                    break;
                }
                rest -= count;
                from += length;
            }
        }
        let events = self.list(from, from + BLOCKS[SECONDS]);
        events[usize::try_from(rest).expect("an index")]
    }

    /// Returns the number of events before `at`, which must be in `START..=END + 1`.
    pub(super) fn count_before(&self, at: i64) -> u64 {
        let day = at.div_euclid(DAY);
        let mut count = self.before[place_of(day)];
        let mut from = day * DAY;
        for (level, length) in BLOCKS.into_iter().enumerate().skip(1) {
            while from + length <= at {
                count += self.count_in(from, level);
                from += length;
            }
        }
        count + length(&self.list(from, at))
    }

    /// Returns the number of events in a block.
    fn count_in(&self, from: i64, level: usize) -> u64 {
        let until = from + BLOCKS[level];
        let runs: Vec<Vec<BlockRun>> =
            self.members.iter().map(|member| member.runs(from, until)).collect();
        let counts = runs.iter().map(|runs| runs.iter().map(|run| run.count).sum::<u64>());
        let counts: Vec<u64> = counts.filter(|count| *count > 0).collect();
        let most = counts.iter().sum();
        if counts.len() <= 1 {
            return most;
        }
        let key = (level, runs);
        if let Some(count) = self.counted.lock().expect("no panics").get(&key) {
            return *count;
        }
        let count = if level == SECONDS || most <= FEW {
            length(&self.list(from, until))
        } else {
            let next = level + 1;
            let starts = std::iter::successors(Some(from), |start| Some(start + BLOCKS[next]));
            starts.take_while(|start| *start < until).map(|start| self.count_in(start, next)).sum()
        };
        self.counted.lock().expect("no panics").insert(key, count);
        count
    }

    /// Returns the events from `from` to before `until`, in order.
    fn list(&self, from: i64, until: i64) -> Vec<i64> {
        let mut events: Vec<i64> =
            self.members.iter().flat_map(|member| member.list(from, until)).collect();
        events.sort_unstable();
        events.dedup();
        events
    }
}

fn length(events: &[i64]) -> u64 {
    u64::try_from(events.len()).expect("a length")
}
