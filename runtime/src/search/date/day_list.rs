//! [`DayList`]: a list.

use super::lists::{NEVER, list};
use super::part::{DatePart, Dates};
use super::years::Year;
use crate::bits;
use crate::search::block::{Block, Enclosing, Span};
use crate::search::range::DAYS;

/// Few days: a sorted list, and for each stretch of days where in the list it
/// begins.
///
/// At most two or four days lie in any such stretch, so as many comparisons find
/// a day's place, with no year and no month computed.
///
/// Where all years have the same rule, the days repeat: dates alone after 4
/// years, and weekdays with them after 28. `YEARS` is one of these, and the list
/// is of the days of one cycle; or it is 101, and the list is of all days. Only
/// 2100, which is not a leap year, is out of turn: its days are listed on their
/// own.
#[derive(Clone, Debug)]
pub struct DayList<const SIZE: usize, const YEARS: u32> {
    /// The last day of the cycle before, wrapped; the days of a cycle; four of the next
    /// one, as many as are read at once; the days of 2100; then days that never come,
    /// which also stand where there is no other cycle.
    days: [u16; SIZE],
    /// How many days are listed of a cycle.
    count: u16,
    /// How many days lie before 2100.
    before_2100: u16,
    /// How many days are listed of 2100.
    in_2100: u16,
    /// From each day to the next where all days are listed and these are equally far,
    /// else 0.
    step: u16,
    /// How many of a cycle's days lie before each stretch.
    index: [u8; STRETCHES],
}

/// How many stretches a cycle has at the most.
const STRETCHES: usize = 160;

/// The first day of 2100: where the 26th cycle of 4 years would begin; within the
/// fourth of 28.
const START_OF_2100: u32 = Year::at(100).start();

/// Where the days of a cycle begin.
const FIRST: usize = 1;

/// How many days are read at once.
const READ: usize = 4;

impl<const SIZE: usize, const YEARS: u32> DayList<SIZE, YEARS> {
    const IS_CYCLE: bool = YEARS < 101;

    /// How many days a cycle has.
    const CYCLE: u32 = Year::at(YEARS).start();

    /// How many days a stretch may have, and so a search by order has to look at. The
    /// others that are read are of later stretches: to look at them changes nothing.
    const SPREAD: usize = if YEARS == 28 { 4 } else { 2 };

    /// How many days a stretch has.
    #[expect(clippy::cast_possible_truncation, reason = "160")]
    const STRETCH: u32 = Self::CYCLE.div_ceil(STRETCHES as u32).next_power_of_two();

    pub(crate) const EMPTY: Self = Self {
        days: [NEVER; SIZE],
        count: 0,
        before_2100: 0,
        in_2100: 0,
        step: 0,
        index: [0; STRETCHES],
    };

    /// The `SIZE` that lists need.
    #[must_use]
    pub const fn size_for(list: &[u16], of_2100: &[u16]) -> usize {
        FIRST + list.len() + READ + of_2100.len()
    }

    /// The days of a cycle, and those of 2100 where that is out of turn, each
    /// ascending. `None` where they lie too close for the index, where there is
    /// none, or where `SIZE` or the index can not hold so many.
    #[must_use]
    pub const fn new(list: &[u16], of_2100: &[u16]) -> Option<Self> {
        let mut few = Self::EMPTY;
        if Self::size_for(list, of_2100) > SIZE {
            return None;
        }
        let (_, days) = few.days.split_at_mut(FIRST);
        days.split_at_mut(list.len()).0.copy_from_slice(list);
        let (_, rest) = days.split_at_mut(list.len() + READ);
        rest.split_at_mut(of_2100.len()).0.copy_from_slice(of_2100);
        if few.link(list.len(), of_2100.len()) { Some(few) } else { None }
    }

    /// Takes the days of some dates, and returns whether they are few and far
    /// enough from each other.
    pub(crate) fn fill(&mut self, dates: &Dates) -> bool {
        let (cycle, rest) =
            if Self::IS_CYCLE { ((1 << YEARS) - 1, 1 << 100) } else { (u128::MAX, 0) };
        let (_, out) = self.days.split_at_mut(FIRST);
        let Some(len) = list(out, dates, cycle) else { return false };
        let of_2100 = out.get_mut(len + READ..).and_then(|out| list(out, dates, rest));
        of_2100.is_some_and(|in_2100| self.link(len, in_2100))
    }

    /// Fills in what follows from a list of so many days of a cycle, and so many of
    /// 2100. Returns whether it holds.
    #[expect(clippy::cast_possible_truncation, reason = "days of the range, at most 255")]
    const fn link(&mut self, count: usize, in_2100: usize) -> bool {
        if count == 0 || count > u8::MAX as usize || FIRST + count + READ > SIZE {
            return false;
        }
        // How many days each stretch has: written for each of its days, and not added up
        // there, where each addition would wait for the last.
        let end = FIRST + count;
        let (mut len, mut most, mut last_stretch) = (0_u32, 0, 0);
        let mut place = FIRST;
        while place < end {
            let stretch = self.days[place] as u32 / Self::STRETCH;
            // No branch: whether a stretch goes on is hard to predict.
            len = (len & 0_u32.wrapping_sub((stretch == last_stretch) as u32)) + 1;
            last_stretch = stretch;
            most |= 1 << (len & 31);
            if (stretch as usize) < STRETCHES {
                self.index[stretch as usize] = len as u8;
            }
            place += 1;
        }
        if most >> (Self::SPREAD + 1) != 0 {
            return false;
        }
        // How many days lie before each, eight at a time.
        let (groups, _) = self.index.as_chunks_mut();
        let mut before = 0;
        let mut group = 0;
        while group < groups.len() {
            let lens = u64::from_le_bytes(groups[group]);
            let ends = bits::sums(lens);
            groups[group] = (ends - lens + before * bits::EACH_BYTE).to_le_bytes();
            before += ends >> 56;
            group += 1;
        }
        self.count = count as u16;
        (self.before_2100, self.in_2100) = (self.count, in_2100 as u16);
        if Self::IS_CYCLE {
            // The first is found where a cycle has no more; the others are only
            // to be after all its days.
            let mut beyond = 0;
            while beyond < READ {
                self.days[end + beyond] = Self::CYCLE as u16 + self.days[FIRST + beyond % count];
                beyond += 1;
            }
            self.days[0] = self.days[count].wrapping_sub(Self::CYCLE as u16);
            // How many of a cycle's days lie before where 2100 begins in it.
            let start = START_OF_2100 % Self::CYCLE;
            let mut before = self.index[(start / Self::STRETCH) as usize] as usize;
            while before < count && (self.days[FIRST + before] as u32) < start {
                before += 1;
            }
            self.before_2100 = (START_OF_2100 / Self::CYCLE * count as u32 + before as u32) as u16;
        } else {
            self.step = self.equal_step();
        }
        true
    }

    /// From each of the days listed to the next where these are equally far, else 0.
    const fn equal_step(&self) -> u16 {
        // After a day alone there is no next one: any step ends the walk.
        let step = if self.count > 1 { self.days[FIRST + 1] - self.days[FIRST] } else { 1 };
        let mut place = FIRST + 1;
        while place < FIRST + self.count as usize {
            if self.days[place] - self.days[place - 1] != step {
                return 0;
            }
            place += 1;
        }
        step
    }

    /// What [`new`](Self::new) took.
    #[must_use]
    pub fn parts(&self) -> (&[u16], &[u16]) {
        let days = self.days.split_at(FIRST).1;
        (days.get(..usize::from(self.count)).unwrap_or(&[]), self.of_2100())
    }

    /// The days of 2100, where that is out of turn.
    #[inline(always)]
    fn of_2100(&self) -> &[u16] {
        let days = self.days.get(FIRST + usize::from(self.count) + READ..);
        days.and_then(|days| days.get(..usize::from(self.in_2100))).unwrap_or(&[])
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "1")]
    fn at(&self, place: u32) -> u32 {
        u32::from(bits::element(&self.days, FIRST as u32 + place, NEVER))
    }

    /// The day before a place, be it of the cycle before: then it is wrapped.
    #[inline(always)]
    fn before(&self, place: u32) -> u32 {
        let day = bits::element(&self.days, place, NEVER);
        if Self::IS_CYCLE { i32::from(day.cast_signed()).cast_unsigned() } else { day.into() }
    }

    /// The start of a day's cycle, and the day counted from it.
    #[inline(always)]
    const fn turn(day: u32) -> (u32, u32) {
        if !Self::IS_CYCLE {
            return (0, day);
        }
        let start = day / Self::CYCLE * Self::CYCLE;
        (start, day - start)
    }

    /// Where the list comes to the stretch of `day`, counted from the start of
    /// the cycle, and the days from there on.
    #[inline(always)]
    fn near(&self, day: u32) -> (u32, [u16; READ]) {
        let start = bits::element(&self.index, day / Self::STRETCH, 0);
        let near = self.days.get(FIRST + usize::from(start)..).and_then(<[u16]>::first_chunk);
        let near = near.map_or_else(|| bits::missing([NEVER; READ]), |near| *near);
        (start.into(), near)
    }

    /// How many days of a cycle lie before `day`, counted from its start.
    #[inline(always)]
    fn place(&self, day: u32) -> u32 {
        let (start, near) = self.near(day);
        if Self::SPREAD == READ {
            // Even the days of the next cycle are below 2^15.
            return start + bits::lanes_below(bits::lanes(near), day);
        }
        let is_before = |other: &u16| u32::from(u32::from(*other) < day);
        start + near.iter().take(Self::SPREAD).map(is_before).sum::<u32>()
    }

    /// The last day at or before `day`, as if the cycles never broke.
    #[inline(always)]
    fn floor_in_turn(&self, day: u32) -> u32 {
        let (start, day) = Self::turn(day);
        start.wrapping_add(self.before(self.place(day + 1)))
    }

    #[cold]
    fn ceil_in_2100(&self, day: u32) -> u32 {
        let (days, place) = self.place_in_2100(day);
        days.get(place).map_or(DAYS, |&day| day.into())
    }

    #[cold]
    fn floor_in_2100(&self, day: u32) -> u32 {
        let (days, place) = self.place_in_2100(day + 1);
        let found = place.checked_sub(1).and_then(|place| days.get(place));
        found.map_or_else(|| self.floor_in_turn(START_OF_2100 - 1), |&day| day.into())
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "a place in the list")]
    fn rank_in_2100(&self, day: u32) -> u32 {
        u32::from(self.before_2100) + self.place_in_2100(day).1 as u32
    }

    /// The days of 2100, and how many of them lie before `day`.
    #[inline(always)]
    fn place_in_2100(&self, day: u32) -> (&[u16], usize) {
        let days = self.of_2100();
        (days, days.partition_point(|&other| u32::from(other) < day))
    }

    #[inline(always)]
    const fn is_out_of_turn(day: u32) -> bool {
        Self::IS_CYCLE && day >= START_OF_2100
    }
}

impl<const SIZE: usize, const YEARS: u32> DatePart for DayList<SIZE, YEARS> {
    #[inline(always)]
    fn step(&self) -> Option<u16> {
        (self.step != 0).then_some(self.step)
    }

    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        let (start, of_cycle) = Self::turn(day);
        let found = start + self.at(self.place(of_cycle));
        if Self::is_out_of_turn(found) { self.ceil_in_2100(day) } else { found }
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        if Self::is_out_of_turn(day) { self.floor_in_2100(day) } else { self.floor_in_turn(day) }
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        if Self::is_out_of_turn(day) {
            return self.ceil_in_2100(day) == day;
        }
        let (_, day) = Self::turn(day);
        let near = bits::lanes(self.near(day).1);
        // Even the days of the next cycle are below 2^15; those of the range are not.
        if Self::IS_CYCLE { bits::has_low_lane(near, day) } else { bits::has_lane(near, day) }
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        if Self::is_out_of_turn(day) {
            return self.rank_in_2100(day);
        }
        let (start, day) = Self::turn(day);
        start / Self::CYCLE * u32::from(self.count) + self.place(day)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "four")]
    fn select(&self, rank: u32) -> u32 {
        if !Self::IS_CYCLE {
            return self.at(rank);
        }
        let count = u32::from(self.count.max(1));
        if rank >= u32::from(self.before_2100) {
            return self.at(count + READ as u32 + rank - u32::from(self.before_2100));
        }
        rank / count * Self::CYCLE + self.at(rank % count)
    }

    #[inline(always)]
    fn list(&self) -> &[u16] {
        &self.days
    }

    /// A block is a cycle, or what it has before 2100, or 2100. Its token is its
    /// start; those of a span are the cycles that end before 2100.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let count = u32::from(self.count);
        if Self::is_out_of_turn(day) {
            let (first, len) = (FIRST + usize::from(self.count) + READ, self.of_2100().len());
            let place = self.rank_in_2100(day) - u32::from(self.before_2100);
            return Enclosing::alone(Block::listed(0, first as u64, len as u64), place);
        }
        let (start, day) = Self::turn(day);
        let len = (u32::from(self.before_2100) - start / Self::CYCLE * count).min(count);
        let events = Block::listed(start.into(), FIRST as u64, len.into());
        let cycles = u32::from(self.before_2100) / count.max(1);
        let tokens = Block::new(0, Self::CYCLE.into(), !(u64::MAX << cycles));
        Enclosing {
            span: Span { events, tokens },
            event: self.place(day),
            token: start / Self::CYCLE,
        }
    }

    /// A whole cycle.
    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        Block::listed(token, FIRST as u64, self.count.into())
    }
}
