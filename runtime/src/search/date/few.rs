//! [`FewDays`]: a list.

use super::super::DAYS;
use super::super::batch::Batch;
use super::DatePart;

/// Few days: a sorted list, and for each 256 days where in the list they begin.
///
/// At most `SPREAD` days lie in any such 256, so that many comparisons find a
/// day's place, with no year and no month computed. `SIZE` is at least the
/// number of days and `SPREAD` more.
#[derive(Clone, Debug)]
pub struct FewDays<const SIZE: usize, const SPREAD: usize> {
    /// Ends with days that never come.
    days: [u16; SIZE],
    count: u16,
    index: [u8; CHUNKS],
}

/// How many times 256 days the range has, the last not in full.
const CHUNKS: usize = (DAYS as usize).div_ceil(256);

/// A day that never comes.
const NEVER: u16 = u16::MAX;

impl<const SIZE: usize, const SPREAD: usize> FewDays<SIZE, SPREAD> {
    /// The days, ascending. `None` where they lie too close for the index, or
    /// where `SIZE` or the index can not hold so many.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 255 days")]
    pub const fn new(list: &[u16]) -> Option<Self> {
        if list.len() + SPREAD > SIZE || list.len() > u8::MAX as usize {
            return None;
        }
        let mut days = [NEVER; SIZE];
        days.split_at_mut(list.len()).0.copy_from_slice(list);
        let mut index = [0; CHUNKS];
        // A chunk begins at the first day that is not before it.
        let mut chunk = 0;
        let mut place = 0;
        while place < list.len() {
            let of_day = list[place] as usize / 256;
            while chunk <= of_day && chunk < CHUNKS {
                index[chunk] = place as u8;
                chunk += 1;
            }
            let beyond = place + SPREAD;
            if beyond < list.len() && list[beyond] as usize / 256 == of_day {
                return None;
            }
            place += 1;
        }
        while chunk < CHUNKS {
            index[chunk] = place as u8;
            chunk += 1;
        }
        Some(Self { days, count: list.len() as u16, index })
    }

    /// The days, ascending.
    #[must_use]
    pub fn days(&self) -> &[u16] {
        self.days.get(..usize::from(self.count)).unwrap_or(&[])
    }

    #[inline(always)]
    fn at(&self, place: u32) -> u32 {
        u32::from(self.days.get(place as usize).copied().unwrap_or(NEVER))
    }
}

impl<const SIZE: usize, const SPREAD: usize> DatePart for FewDays<SIZE, SPREAD> {
    #[inline(always)]
    fn ceil(&self, day: u32) -> u32 {
        self.at(self.rank(day))
    }

    #[inline(always)]
    fn floor(&self, day: u32) -> u32 {
        self.at(self.rank(day + 1).wrapping_sub(1))
    }

    #[inline(always)]
    fn contains(&self, day: u32) -> bool {
        self.at(self.rank(day)) == day
    }

    #[inline(always)]
    fn rank(&self, day: u32) -> u32 {
        let start = self.index.get(day as usize / 256).copied().unwrap_or(0);
        let near = self.days.get(usize::from(start)..).and_then(|days| days.first_chunk());
        let near: [u16; SPREAD] = near.copied().unwrap_or([NEVER; SPREAD]);
        near.iter().fold(u32::from(start), |rank, &other| rank + u32::from(u32::from(other) < day))
    }

    #[inline(always)]
    fn select(&self, rank: u32) -> u32 {
        self.at(rank)
    }

    #[inline]
    fn ahead(&self, day: u32, batch: &mut Batch) {
        let from = self.rank(day) as usize;
        for day in self.days().get(from..).unwrap_or(&[]) {
            if !batch.push((*day).into()) {
                break;
            }
        }
    }

    #[inline]
    fn behind(&self, day: u32, batch: &mut Batch) {
        let to = self.rank(day + 1) as usize;
        for day in self.days().get(..to).unwrap_or(&[]).iter().rev() {
            if !batch.push((*day).into()) {
                break;
            }
        }
    }
}
