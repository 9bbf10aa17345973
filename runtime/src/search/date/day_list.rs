//! [`DayList`]: a list of days.

use super::lists::{NEVER, list};
use super::part::{DatePart, Dates};
use super::years::Year;
use crate::bits;
use crate::search::block::{Block, Enclosing, Span};
use crate::search::range::DAYS;

/// A sorted list of days with an index: for each stretch of days, the place in the list where it
/// begins.
///
/// A stretch contains at most two or four days of the list, so two or four comparisons find the
/// place of a day, without computing a year or a month.
///
/// If the schedule has all years, its days repeat: dates alone after 4 years, dates on weekdays
/// after 28. `YEARS` is then 4 or 28, and the list contains the days of one cycle. Otherwise,
/// `YEARS` is 101, and the list contains all days. 2100 breaks the cycles, because it is not a leap
/// year, so its days are listed separately.
#[derive(Clone, Debug)]
pub struct DayList<const SIZE: usize, const YEARS: u32> {
    /// The last day of the previous cycle, wrapped; the days of a cycle; the first four days of
    /// the next one, because four are read at once; the days of 2100; padding. Without cycles,
    /// padding replaces the days of other cycles.
    days: [u16; SIZE],
    /// The number of days in a cycle.
    count: u16,
    /// The number of days before 2100.
    before_2100: u16,
    /// The number of days listed for 2100.
    in_2100: u16,
    /// The distance between days if all are listed and equally spaced, otherwise 0.
    step: u16,
    /// The number of days in a cycle before each stretch.
    index: [u8; STRETCHES],
}

/// The largest number of stretches in a cycle.
const STRETCHES: usize = 160;

/// The first day of 2100, at which the 26th cycle of 4 years would begin; it is within the fourth
/// cycle of 28 years.
const START_OF_2100: u32 = Year::at(100).start();

/// The place in the list where the days of a cycle begin.
const FIRST: usize = 1;

/// The number of days that are read at once.
const READ: usize = 4;

impl<const SIZE: usize, const YEARS: u32> DayList<SIZE, YEARS> {
    const IS_CYCLE: bool = YEARS < 101;

    /// The length of a cycle, in days.
    const CYCLE: u32 = Year::at(YEARS).start();

    /// The most listed days that a stretch may contain. Further days that are read belong to later
    /// stretches and do not change the result.
    const SPREAD: usize = if YEARS == 28 { 4 } else { 2 };

    /// The length of a stretch, in days.
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

    /// Returns the `SIZE` that the given lists need.
    #[must_use]
    pub const fn size_for(list: &[u16], of_2100: &[u16]) -> usize {
        FIRST + list.len() + READ + of_2100.len()
    }

    /// Returns a list of the days of a cycle, and of 2100 if that breaks the cycle, each in
    /// ascending order. `None` if the first list is empty, if its days are too dense for the
    /// index, or if there are too many for `SIZE` or the index.
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
        if few.complete(list.len(), of_2100.len()) { Some(few) } else { None }
    }

    /// Fills in the days of some dates, and returns whether they are few and sparse enough.
    pub(crate) fn fill(&mut self, dates: &Dates) -> bool {
        let (cycle, rest) =
            if Self::IS_CYCLE { ((1 << YEARS) - 1, 1 << 100) } else { (u128::MAX, 0) };
        let (_, out) = self.days.split_at_mut(FIRST);
        let Some(len) = list(out, dates, cycle) else { return false };
        let of_2100 = out.get_mut(len + READ..).and_then(|out| list(out, dates, rest));
        of_2100.is_some_and(|in_2100| self.complete(len, in_2100))
    }

    /// Fills in the rest, given `count` listed days of a cycle and `in_2100` of 2100. Returns
    /// whether the days are few and sparse enough.
    #[expect(clippy::cast_possible_truncation, reason = "at most 255 days, and those of 2100")]
    const fn complete(&mut self, count: usize, in_2100: usize) -> bool {
        if count == 0 || count > u8::MAX as usize || FIRST + count + READ > SIZE {
            return false;
        }
        (self.count, self.in_2100) = (count as u16, in_2100 as u16);
        if self.count_by_stretch() > Self::SPREAD as u32 {
            return false;
        }
        self.sum_counts();
        if Self::IS_CYCLE {
            self.list_adjacent_cycles();
            self.before_2100 = self.count_before_2100();
        } else {
            self.before_2100 = self.count;
            self.step = self.equal_step();
        }
        true
    }

    /// Sets the index to the number of days in each stretch. Returns the largest of them, at most
    /// 31.
    #[expect(clippy::cast_possible_truncation, reason = "at most 255 days")]
    const fn count_by_stretch(&mut self) -> u32 {
        // The number is written again for each day of a stretch. Incrementing the entry would make
        // each addition wait for the previous one.
        let (mut len, mut lens, mut last_stretch) = (0_u32, 1_u32, 0);
        let (mut place, end) = (FIRST, FIRST + self.count as usize);
        while place < end {
            let stretch = self.days[place] as u32 / Self::STRETCH;
            // No branch, because it is hard to predict whether a stretch continues.
            len = (len & 0_u32.wrapping_sub((stretch == last_stretch) as u32)) + 1;
            last_stretch = stretch;
            lens |= 1 << (len & 31);
            if (stretch as usize) < STRETCHES {
                self.index[stretch as usize] = len as u8;
            }
            place += 1;
        }
        lens.ilog2()
    }

    /// Replaces the number of days in each stretch with the number of days before it, eight at a
    /// time.
    const fn sum_counts(&mut self) {
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
    }

    /// Lists the last day of the previous cycle, and the days after the last one.
    #[expect(clippy::cast_possible_truncation, reason = "a day of two cycles is below 2^15")]
    const fn list_adjacent_cycles(&mut self) {
        let (count, cycle) = (self.count as usize, Self::CYCLE as u16);
        self.days[0] = self.days[count].wrapping_sub(cycle);
        // The first one is the answer after the last day of a cycle. The others only have to be
        // later than all days of the cycle.
        let mut beyond = 0;
        while beyond < READ {
            self.days[FIRST + count + beyond] = cycle + self.days[FIRST + beyond % count];
            beyond += 1;
        }
    }

    /// Returns the number of days before 2100, if the days repeat.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^16 days")]
    const fn count_before_2100(&self) -> u16 {
        let (cycles, start) = (START_OF_2100 / Self::CYCLE, START_OF_2100 % Self::CYCLE);
        let mut before = self.index[(start / Self::STRETCH) as usize] as u32;
        while before < self.count as u32 && (self.days[FIRST + before as usize] as u32) < start {
            before += 1;
        }
        (cycles * self.count as u32 + before) as u16
    }

    /// Returns the distance between the listed days if they are equally spaced, otherwise 0.
    const fn equal_step(&self) -> u16 {
        // After a single day, any step ends an iteration.
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

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub fn parts(&self) -> (&[u16], &[u16]) {
        let days = self.days.split_at(FIRST).1;
        (days.get(..usize::from(self.count)).unwrap_or(&[]), self.of_2100())
    }

    /// Returns the days listed for 2100.
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

    /// Returns the day before a place: a negative number, wrapped, if it is in the previous cycle.
    #[inline(always)]
    fn before(&self, place: u32) -> u32 {
        let day = bits::element(&self.days, place, NEVER);
        if Self::IS_CYCLE { i32::from(day.cast_signed()).cast_unsigned() } else { day.into() }
    }

    /// Returns the start of a day's cycle, and the day counted from that start.
    #[inline(always)]
    const fn split_cycle(day: u32) -> (u32, u32) {
        if !Self::IS_CYCLE {
            return (0, day);
        }
        let start = day / Self::CYCLE * Self::CYCLE;
        (start, day - start)
    }

    /// Returns the place of the first day in the stretch of `day`, and the days from that place on.
    /// `day` counts from the start of the cycle.
    #[inline(always)]
    fn near(&self, day: u32) -> (u32, [u16; READ]) {
        let start = bits::element(&self.index, day / Self::STRETCH, 0);
        let near = self.days.get(FIRST + usize::from(start)..).and_then(<[u16]>::first_chunk);
        let near = near.map_or_else(|| bits::missing([NEVER; READ]), |near| *near);
        (start.into(), near)
    }

    /// Returns how many days of a cycle precede `day`. `day` counts from the start of the cycle.
    #[inline(always)]
    fn place(&self, day: u32) -> u32 {
        let (start, near) = self.near(day);
        if Self::SPREAD == READ {
            // All days, even those of the next cycle, are below 2^15.
            return start + bits::lanes_below(bits::lanes(near), day);
        }
        let is_before = |other: &u16| u32::from(u32::from(*other) < day);
        start + near.iter().take(Self::SPREAD).map(is_before).sum::<u32>()
    }

    /// Returns the last day at or before `day`, which is before 2100.
    #[inline(always)]
    fn floor_in_cycle(&self, day: u32) -> u32 {
        let (start, day) = Self::split_cycle(day);
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
        found.map_or_else(|| self.floor_in_cycle(START_OF_2100 - 1), |&day| day.into())
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "a place in the list")]
    fn rank_in_2100(&self, day: u32) -> u32 {
        u32::from(self.before_2100) + self.place_in_2100(day).1 as u32
    }

    /// Returns the days listed for 2100, and how many of them precede `day`.
    #[inline(always)]
    fn place_in_2100(&self, day: u32) -> (&[u16], usize) {
        let days = self.of_2100();
        (days, days.partition_point(|&other| u32::from(other) < day))
    }

    #[inline(always)]
    const fn is_in_2100(day: u32) -> bool {
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
        let (start, of_cycle) = Self::split_cycle(day);
        let found = start + self.at(self.place(of_cycle));
        if Self::is_in_2100(found) { self.ceil_in_2100(day) } else { found }
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        if Self::is_in_2100(day) { self.floor_in_2100(day) } else { self.floor_in_cycle(day) }
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        if Self::is_in_2100(day) {
            return self.ceil_in_2100(day) == day;
        }
        let (_, day) = Self::split_cycle(day);
        let near = bits::lanes(self.near(day).1);
        // All days of a cycle and the next one are below 2^15, but the days of the whole range are
        // not.
        if Self::IS_CYCLE { bits::has_low_lane(near, day) } else { bits::has_lane(near, day) }
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        if Self::is_in_2100(day) {
            return self.rank_in_2100(day);
        }
        let (start, day) = Self::split_cycle(day);
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

    /// A block is a cycle, the part of a cycle before 2100, or 2100. Its token is its start. A span
    /// consists of the cycles that end before 2100.
    #[inline(always)]
    fn enclosing(&self, day: u32) -> Enclosing {
        let count = u32::from(self.count);
        if Self::is_in_2100(day) {
            let (first, len) = (FIRST + usize::from(self.count) + READ, self.of_2100().len());
            let place = self.rank_in_2100(day) - u32::from(self.before_2100);
            return Enclosing::alone(Block::listed(0, first as u64, len as u64), place);
        }
        let (start, day) = Self::split_cycle(day);
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

    /// Returns the block of a whole cycle.
    #[inline(always)]
    fn block(&self, token: u64) -> Block {
        Block::listed(token, FIRST as u64, self.count.into())
    }
}
