//! [`Minutes`]: times that are all at the same second and millisecond of a minute.

use super::Part;
use super::times::{MINUTE, MINUTES_PER_DAY, Steps, Times};
use crate::bits;

const WORDS: usize = MINUTES_PER_DAY.div_ceil(64) as usize;

/// Times of a day that are all at the same second and millisecond, as most unions have them: the
/// minutes, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minutes {
    /// How long after the start of a minute, in milliseconds.
    past: u32,
    words: [u64; WORDS],
    /// The number of minutes before each word.
    before: [u16; WORDS],
}

impl Minutes {
    pub(super) const NONE: Self = Self { past: 0, words: [0; WORDS], before: [0; WORDS] };

    /// Returns the times that some parts, given as bits, have together; `None` if they are not at the
    /// same second and millisecond. It takes few operations, since constant evaluation does it too.
    pub(super) const fn of(parts: &[Part], chosen: u32) -> Option<Self> {
        let mut minutes = Self::NONE;
        let (mut rest, mut is_first) = (chosen, true);
        while rest != 0 {
            let times = &parts[rest.trailing_zeros() as usize].times;
            rest &= rest - 1;
            match times.past_minute() {
                Some(past) if is_first || past == minutes.past => minutes.past = past,
                _ => return None,
            }
            is_first = false;
            minutes.add(times);
        }
        let (mut index, mut count) = (0, 0);
        while index < WORDS {
            minutes.before[index] = count;
            #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
            let of_word = minutes.words[index].count_ones() as u16;
            count += of_word;
            index += 1;
        }
        Some(minutes)
    }

    /// Adds the minutes of some times that are at the same second and millisecond.
    const fn add(&mut self, times: &Times) {
        let ([hours, of_hour, _], _, Steps { first, step, count }) = times.parts();
        if times.is_steps() {
            let mut index = 0;
            while index < count {
                let minute = (first + index * step) / MINUTE;
                self.words[minute as usize / 64] |= 1 << (minute % 64);
                index += 1;
            }
            return;
        }
        let mut hour = 0;
        while hour < 24 {
            if hours >> hour & 1 == 1 {
                let (index, place) = (hour * 60 / 64, hour * 60 % 64);
                self.words[index] |= of_hour << place;
                self.words[index + 1] |= of_hour >> 1 >> (63 - place);
            }
            hour += 1;
        }
    }

    /// Returns the number of times.
    pub(super) const fn count(&self) -> u32 {
        self.before[WORDS - 1] as u32 + self.words[WORDS - 1].count_ones()
    }

    /// Returns the number of times before a time of the day.
    pub(super) const fn before(&self, time: u32) -> u32 {
        if time <= self.past {
            return 0;
        }
        let minutes = (time - self.past).div_ceil(MINUTE);
        let index = minutes as usize / 64;
        if index >= WORDS {
            // 1440 is not a multiple of 64, so this is beyond the day.
            return self.count();
        }
        self.before[index] as u32 + bits::rank(self.words[index], minutes)
    }
}
