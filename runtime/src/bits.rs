//! Arithmetic on machine words that the searches share: places of set bits,
//! and division by a number that is only known while running.

use core::hint::select_unpredictable;

/// The first set bit at or after `place` (0-63); 64 or more where there is none.
#[inline(always)]
pub(crate) const fn ceil(bits: u64, place: u32) -> u32 {
    place + (bits >> (place & 63)).trailing_zeros()
}

/// The first set bit after `place` (0-63); 64 where there is none.
#[inline(always)]
pub(crate) const fn above(bits: u64, place: u32) -> u32 {
    (bits & (u64::MAX << (place & 63) << 1)).trailing_zeros()
}

/// The bits up to `place` (0-63), and that too.
#[inline(always)]
pub(crate) const fn up_to(bits: u64, place: u32) -> u64 {
    bits & (u64::MAX >> (63 - (place & 63)))
}

/// The last set bit at or before `place` (0-63); 0 where there is none.
#[inline(always)]
pub(crate) const fn floor(bits: u64, place: u32) -> u32 {
    last(up_to(bits, place))
}

/// The first set bit; 64 where there is none.
#[inline(always)]
pub(crate) const fn first(bits: u64) -> u32 {
    bits.trailing_zeros()
}

/// The last set bit; 0 where there is none. The processors that Rust compiles for
/// by default have an instruction for the place, but not for all words: that of none
/// would be a case of its own.
#[inline(always)]
pub(crate) const fn last(bits: u64) -> u32 {
    (bits | 1).ilog2()
}

/// The difference, or 0 where that would be below. The numbers may be larger ones
/// cut to their lowest 32 bits, as long as they are less than 2^31 apart. How it
/// turns out is hard to predict, so it is no branch.
#[inline(always)]
pub(crate) fn difference(minuend: u32, subtrahend: u32) -> u32 {
    let difference = minuend.wrapping_sub(subtrahend);
    select_unpredictable(difference.cast_signed() < 0, 0, difference)
}

/// An element of a table at an index that is always within it; `or` stands for it
/// so that no panic is compiled in.
#[inline(always)]
pub(crate) const fn element<T: Copy, const SIZE: usize>(table: &[T; SIZE], index: u32, or: T) -> T {
    if (index as usize) < SIZE { table[index as usize] } else { missing(or) }
}

/// What stands for an element that is always there. The compiler keeps the case
/// out of the way.
#[cold]
pub(crate) const fn missing<T: Copy>(or: T) -> T {
    or
}

/// Whether the bit at `place` (0-63) is set.
#[inline(always)]
pub(crate) const fn contains(bits: u64, place: u32) -> bool {
    (bits >> (place & 63)) & 1 != 0
}

/// Whether the bits below `len` (1-63) are those of several equal steps from 0 on,
/// as far as they go, and no other bit is set.
#[inline(always)]
pub(crate) const fn are_steps(bits: u64, len: u32) -> bool {
    let step = above(bits, 0);
    // A step on, and from 0, they are the same.
    step < len && ((bits << (step & 63)) | 1) & !(u64::MAX << (len & 63)) == bits
}

/// How many bits are set before `place` (0-63).
#[inline(always)]
pub(crate) const fn rank(bits: u64, place: u32) -> u32 {
    (bits & !(u64::MAX << (place & 63))).count_ones()
}

/// The place of the set bit that has `rank` set bits before it, where there
/// is one.
///
/// Counts within all bytes at once, finds the byte, and does the same with the
/// bits of that byte: S. Vigna, "Broadword implementation of rank/select
/// queries", WEA 2008, section 3.
#[inline(always)]
pub(crate) const fn select(bits: u64, rank: u32) -> u32 {
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let counts = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = sums(counts);
    let place = (8 * bytes_up_to(sums, rank)) & 63;
    let before = ((sums << 8 >> place) & 0xff) as u32;
    // One byte for each bit of the byte that was found, one where it is set.
    let spread = ((bits >> place) & 0xff).wrapping_mul(EACH_BYTE) & 0x8040_2010_0804_0201;
    let ones = ((spread + (HIGH_BITS - EACH_BYTE)) & HIGH_BITS) >> 7;
    place + bytes_up_to(ones.wrapping_mul(EACH_BYTE), rank.wrapping_sub(before) & 0x7f)
}

/// 1 in each byte.
pub(crate) const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The sum of each byte and those below it, where all sums are below 256.
#[inline(always)]
pub(crate) const fn sums(bytes: u64) -> u64 {
    bytes.wrapping_mul(EACH_BYTE)
}

/// How many bytes of `sums`, ascending and below 128, are at most `rank`.
#[inline(always)]
const fn bytes_up_to(sums: u64, rank: u32) -> u32 {
    let at_most = ((rank as u64).wrapping_mul(EACH_BYTE) | HIGH_BITS).wrapping_sub(sums);
    (!at_most & HIGH_BITS).trailing_zeros() / 8
}

/// Four numbers of 16 bits in one word, the first lowest.
#[inline(always)]
pub(crate) const fn lanes([a, b, c, d]: [u16; 4]) -> u64 {
    a as u64 | (b as u64) << 16 | (c as u64) << 32 | (d as u64) << 48
}

/// How many of four ascending numbers, which are below 2^15, are below `bound`, which
/// is at most that.
///
/// All four at once, as in H. S. Warren, "Hacker's Delight", 2nd edition, section 2-18:
/// a lane keeps its highest bit where what is taken from it is less.
#[inline(always)]
pub(crate) const fn lanes_below(lanes: u64, bound: u32) -> u32 {
    let are_below = (HIGH_LANES - EACH_LANE).wrapping_add(bound as u64 * EACH_LANE);
    (!are_below.wrapping_sub(lanes) & HIGH_LANES).trailing_zeros() / 16
}

/// Whether one of four numbers is `number`, which is below 2^16.
#[inline(always)]
pub(crate) const fn has_lane(lanes: u64, number: u32) -> bool {
    let zero = lanes ^ (number as u64).wrapping_mul(EACH_LANE);
    zero.wrapping_sub(EACH_LANE) & !zero & HIGH_LANES != 0
}

/// As [`has_lane`], of numbers that are all below 2^15: in fewer steps.
#[inline(always)]
pub(crate) const fn has_low_lane(lanes: u64, number: u32) -> bool {
    let differences = lanes ^ (number as u64).wrapping_mul(EACH_LANE);
    !differences.wrapping_add(HIGH_LANES - EACH_LANE) & HIGH_LANES != 0
}

/// The lowest bit of each lane, and the highest.
const EACH_LANE: u64 = 0x0001_0001_0001_0001;
const HIGH_LANES: u64 = EACH_LANE << 15;

/// A divisor with its reciprocal, so that division is a multiplication also
/// where the compiler does not know the divisor.
///
/// T. Granlund and P. Montgomery, "Division by invariant integers using
/// multiplication", PLDI 1994. Exact for dividends below 2^42 and divisors
/// below 2^27: with k the place of the divisor's highest bit, the reciprocal
/// `2^(63+k) / divisor`, rounded up, is off by less than one, which the dividend
/// scales to less than 2^42 / 2^(63+k), and that is too little to reach the
/// next quotient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    value: u32,
    shift: u32,
    reciprocal: u64,
}

impl Divisor {
    /// A divisor from 1 to 2^27.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "2^(63+k) / 2^k is 2^63")]
    pub(crate) const fn new(value: u32) -> Self {
        let value = if value == 0 { 1 } else { value };
        let shift = value.ilog2();
        let reciprocal = ((1_u128 << (63 + shift)) / value as u128) as u64 + 1;
        Self { value, shift, reciprocal }
    }

    /// The divisor itself.
    #[inline(always)]
    pub(crate) const fn value(self) -> u32 {
        self.value
    }

    /// `dividend / divisor` for a dividend below 2^42.
    #[inline(always)]
    pub(crate) const fn quotient(self, dividend: u64) -> u64 {
        high(2 * dividend, self.reciprocal) >> self.shift
    }

    /// `dividend % divisor` for a dividend below 2^42.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    pub(crate) const fn remainder(self, dividend: u64) -> u32 {
        (dividend - self.quotient(dividend) * self.value as u64) as u32
    }
}

/// A divisor of at most 2^22 with its reciprocal: fewer steps than for any
/// [`Divisor`], of which the remainder does not wait for the quotient.
///
/// D. Lemire, O. Kaser and N. Kurz, "Faster remainder by direct computation",
/// Software: Practice and Experience 49 (2019). Exact for dividends below 2^42: the
/// reciprocal `2^64 / divisor`, rounded up, is too large by less than one, which the
/// dividend scales to less than 2^42, and the next quotient is at least that far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallDivisor {
    value: u32,
    reciprocal: u64,
}

impl SmallDivisor {
    /// A divisor from 1 to 2^22.
    #[must_use]
    pub(crate) const fn new(value: u32) -> Self {
        // That of 1 would be 2^64.
        let reciprocal = if value < 2 { 0 } else { u64::MAX / value as u64 + 1 };
        Self { value, reciprocal }
    }

    /// The divisor itself.
    #[inline(always)]
    pub(crate) const fn value(self) -> u32 {
        self.value
    }

    /// `dividend / divisor` for a dividend below 2^42, but not by 1.
    #[inline(always)]
    pub(crate) const fn quotient(self, dividend: u64) -> u64 {
        high(dividend, self.reciprocal)
    }

    /// `dividend % divisor` for a dividend below 2^42.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    pub(crate) const fn remainder(self, dividend: u64) -> u32 {
        high(dividend.wrapping_mul(self.reciprocal), self.value as u64) as u32
    }
}

/// The upper half of a product.
#[inline(always)]
const fn high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// Tells the multiples of a divisor: H. S. Warren, "Hacker's Delight", 2nd
/// edition, section 10-17.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiples {
    /// Of the divisor's odd part, modulo 2^64.
    inverse: u64,
    /// How often 2 divides the divisor.
    twos: u32,
}

impl Multiples {
    /// The multiples of a divisor that is not 0.
    pub(crate) const fn of(divisor: u32) -> Self {
        let divisor = if divisor == 0 { 1 } else { divisor };
        let twos = divisor.trailing_zeros();
        let odd = (divisor >> twos) as u64;
        // Newton's method: an odd number is its own inverse modulo 8, and each
        // step doubles the bits that are right.
        let mut inverse = odd;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
            step += 1;
        }
        Self { inverse, twos }
    }

    /// `number / divisor` for a multiple; for any other number something above
    /// all such quotients.
    #[inline(always)]
    pub(crate) const fn quotient(self, number: u64) -> u64 {
        number.wrapping_mul(self.inverse).rotate_right(self.twos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u64; 8] = [
        0,
        1,
        u64::MAX,
        1 << 63,
        0x8000_0000_0000_0001,
        0x5555_5555_5555_5555,
        0x0001_2400_00ff_0810,
        0xfedc_ba98_7654_3210,
    ];

    #[test]
    fn places_are_those_of_a_walk() {
        for bits in WORDS {
            let set = |place: &u32| bits >> place & 1 == 1;
            for place in 0..64 {
                assert_eq!(ceil(bits, place).min(64), (place..64).find(set).unwrap_or(64));
                assert_eq!(above(bits, place), (place + 1..64).find(set).unwrap_or(64));
                assert_eq!(floor(bits, place), (0..=place).rev().find(set).unwrap_or(0));
                assert_eq!(rank(bits, place) as usize, (0..place).filter(set).count());
            }
            for (rank, place) in (0..64).filter(set).enumerate() {
                assert_eq!(select(bits, u32::try_from(rank).unwrap()), place, "{rank} of {bits:x}");
            }
        }
    }

    #[test]
    fn steps_are_those_of_a_range() {
        let stepped = |len: u32, step: usize| {
            (0..len).step_by(step).fold(0, |bits, place| bits | 1_u64 << place)
        };
        for len in 1..64 {
            for step in 1..70 {
                let bits = stepped(len, step);
                assert_eq!(are_steps(bits, len), bits != 1);
                for place in 0..64 {
                    let changed = bits ^ 1 << place;
                    let is_other = (1..64).any(|step| stepped(len, step) == changed);
                    assert_eq!(are_steps(changed, len), is_other && changed != 1);
                }
            }
        }
    }

    #[test]
    fn lanes_are_those_of_a_walk() {
        let ascending = [[0, 0, 0, 0], [0, 1, 2, 3], [7, 7, 20_454, 32_767], [5, 300, 301, 9_000]];
        for numbers in ascending {
            let word = lanes(numbers);
            for bound in (0..400).chain([8_999, 9_000, 9_001, 20_454, 32_766, 32_767, 32_768]) {
                let below = numbers.iter().filter(|&&number| u32::from(number) < bound);
                assert_eq!(lanes_below(word, bound) as usize, below.count());
                let is_one = numbers.iter().any(|&number| u32::from(number) == bound);
                assert_eq!(has_lane(word, bound), is_one);
                if bound < 1 << 15 {
                    assert_eq!(has_low_lane(word, bound), is_one);
                }
            }
        }
        let any = [u16::MAX, 1, 0x8000, 0x7fff];
        for (number, is_one) in [(0, false), (1, true), (0x8000, true), (0xffff, true)] {
            assert_eq!(has_lane(lanes(any), number), is_one);
        }
    }

    #[test]
    fn quotients_are_exact_at_the_steps() {
        for value in (1..200).chain([
            999, 1000, 60_000, 84_375, 3_600_000, 4_194_304, 43_200_000, 86_399_999, 86_400_000,
        ]) {
            let (divisor, multiples) = (Divisor::new(value), Multiples::of(value));
            let value = u64::from(value);
            let largest = (1_u64 << 42) - 1;
            for multiple in [0, 1, 2, 7, 1000, largest / value / 2, largest / value] {
                for dividend in (multiple * value).saturating_sub(1)..=multiple * value + 1 {
                    let dividend = dividend.min(largest);
                    assert_eq!(
                        divisor.quotient(dividend),
                        dividend / value,
                        "{dividend} / {value}"
                    );
                    assert_eq!(u64::from(divisor.remainder(dividend)), dividend % value);
                    if (2..=1 << 22).contains(&value) {
                        let small = SmallDivisor::new(u32::try_from(value).unwrap());
                        assert_eq!(small.quotient(dividend), dividend / value);
                        assert_eq!(u64::from(small.remainder(dividend)), dividend % value);
                    }
                    let exact = multiples.quotient(dividend);
                    assert_eq!(exact <= u64::MAX / value, dividend % value == 0);
                    assert!(dividend % value != 0 || exact == dividend / value);
                }
            }
        }
    }
}
