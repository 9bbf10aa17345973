//! Arithmetic on machine words: places of set bits, and division by numbers known only at run
//! time.

use core::hint::select_unpredictable;

/// Returns the first set bit at or after `place` (0-63); 64 or more if not found.
#[inline(always)]
pub(crate) const fn ceil(bits: u64, place: u32) -> u32 {
    place + (bits >> (place & 63)).trailing_zeros()
}

/// Returns the first set bit after `place` (0-63); 64 if not found.
#[inline(always)]
pub(crate) const fn above(bits: u64, place: u32) -> u32 {
    (bits & (u64::MAX << (place & 63) << 1)).trailing_zeros()
}

/// Returns the bits up to and including `place` (0-63).
#[inline(always)]
pub(crate) const fn up_to(bits: u64, place: u32) -> u64 {
    bits & (u64::MAX >> (63 - (place & 63)))
}

/// Returns the last set bit at or before `place` (0-63); 0 if not found.
#[inline(always)]
pub(crate) const fn floor(bits: u64, place: u32) -> u32 {
    last(up_to(bits, place))
}

/// Returns the first set bit; 64 if not found.
#[inline(always)]
pub(crate) const fn first(bits: u64) -> u32 {
    bits.trailing_zeros()
}

/// Returns the last set bit; 0 if not found.
///
/// The bit scan of baseline x86-64 is undefined for an empty word, so setting bit 0 avoids a
/// special case.
#[inline(always)]
pub(crate) const fn last(bits: u64) -> u32 {
    (bits | 1).ilog2()
}

/// Returns the difference, or 0 if it would be negative, without a branch, because the sign is
/// hard to predict. The arguments may be truncated to 32 bits if the full numbers are less than
/// 2^31 apart.
#[inline(always)]
pub(crate) fn difference(minuend: u32, subtrahend: u32) -> u32 {
    let difference = minuend.wrapping_sub(subtrahend);
    select_unpredictable(difference.cast_signed() < 0, 0, difference)
}

/// Returns the element of a table at an index that is in range. Takes a default instead of
/// panicking, because the panic would be compiled into every search. An index out of range finds
/// another element, or the default.
#[inline(always)]
pub(crate) const fn element<T: Copy, const SIZE: usize>(table: &[T; SIZE], index: u32, or: T) -> T {
    let index = index as usize;
    if SIZE.is_power_of_two() {
        // Without a comparison.
        table[index & (SIZE - 1)]
    } else if index < SIZE {
        table[index]
    } else {
        missing(or)
    }
}

/// Returns the default for an element that is always present. `#[cold]` makes the compiler move
/// this case out of line.
#[cold]
pub(crate) const fn missing<T: Copy>(or: T) -> T {
    or
}

/// Whether the bit at `place` (0-63) is set.
#[inline(always)]
pub(crate) const fn contains(bits: u64, place: u32) -> bool {
    (bits >> (place & 63)) & 1 != 0
}

/// Whether the set bits are exactly the multiples of a step below `len` (1-63), and there is more
/// than one.
#[inline(always)]
pub(crate) const fn are_steps(bits: u64, len: u32) -> bool {
    let step = above(bits, 0);
    // Shifted by the step, with bit 0 added, the bits are the same.
    step < len && ((bits << (step & 63)) | 1) & !(u64::MAX << (len & 63)) == bits
}

/// Returns how many bits are set before `place` (0-63).
#[inline(always)]
pub(crate) const fn rank(bits: u64, place: u32) -> u32 {
    (bits & !(u64::MAX << (place & 63))).count_ones()
}

/// Returns the place of the set bit with `rank` set bits before it, if there is one.
///
/// Counts within all bytes at once, and finds the byte: S. Vigna, "Broadword implementation of
/// rank/select queries", WEA 2008, section 3. The bits of a byte are in a table.
#[inline(always)]
pub(crate) const fn select(bits: u64, rank: u32) -> u32 {
    let sums = byte_sums(bits);
    let place = (8 * bytes_up_to(sums, rank)) & 63;
    let before = ((sums << 8 >> place) & 0xff) as u32;
    place + Places::of(bits >> place).at(rank.wrapping_sub(before))
}

/// Returns the number of set bits in each byte and all lower bytes.
#[inline(always)]
const fn byte_sums(bits: u64) -> u64 {
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    sums((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f)
}

/// The places of the set bits of a byte.
#[derive(Clone, Copy)]
pub(crate) struct Places(u32);

impl Places {
    /// Returns the places of the set bits in the lowest byte.
    #[inline(always)]
    pub(crate) const fn of(bits: u64) -> Self {
        Self(PLACES[(bits & 0xff) as usize])
    }

    /// Returns the number of set bits.
    #[inline(always)]
    pub(crate) const fn count(self) -> u32 {
        self.0 >> 24
    }

    /// Returns the place of the set bit with `rank` set bits before it, if there is one.
    #[inline(always)]
    pub(crate) const fn at(self, rank: u32) -> u32 {
        self.0 >> (rank.wrapping_mul(3) & 31) & 7
    }
}

/// For each byte, three bits for the place of each set bit, the first one lowest, and their number.
static PLACES: [u32; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < all.len() {
        let (mut rest, mut count) = (byte, 0);
        while rest != 0 {
            all[byte] |= rest.trailing_zeros() << (3 * count);
            rest &= rest - 1;
            count += 1;
        }
        all[byte] |= count << 24;
        byte += 1;
    }
    all
};

/// 1 in each byte.
pub(crate) const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns the sum of each byte and all lower bytes, if all sums are below 256.
#[inline(always)]
pub(crate) const fn sums(bytes: u64) -> u64 {
    bytes.wrapping_mul(EACH_BYTE)
}

/// Returns how many bytes of `sums`, which are ascending and below 128, are at most `rank`.
#[inline(always)]
const fn bytes_up_to(sums: u64, rank: u32) -> u32 {
    let at_most = ((rank as u64).wrapping_mul(EACH_BYTE) | HIGH_BITS).wrapping_sub(sums);
    (!at_most & HIGH_BITS).trailing_zeros() / 8
}

/// Packs four numbers of 16 bits into one word, the first one lowest.
#[inline(always)]
pub(crate) const fn lanes([a, b, c, d]: [u16; 4]) -> u64 {
    a as u64 | (b as u64) << 16 | (c as u64) << 32 | (d as u64) << 48
}

/// Returns how many of four ascending numbers below 2^15 are below `bound`, which is at most
/// 2^15.
///
/// Compares all four at once, as in H. S. Warren, "Hacker's Delight", 2nd edition, section 2-18:
/// a lane keeps its highest bit if the number subtracted from it is less.
#[inline(always)]
pub(crate) const fn lanes_below(lanes: u64, bound: u32) -> u32 {
    let are_below = (HIGH_LANES - EACH_LANE).wrapping_add(bound as u64 * EACH_LANE);
    (!are_below.wrapping_sub(lanes) & HIGH_LANES).trailing_zeros() / 16
}

/// Whether one of four numbers equals `number`, which is below 2^16.
#[inline(always)]
pub(crate) const fn has_lane(lanes: u64, number: u32) -> bool {
    let zero = lanes ^ (number as u64).wrapping_mul(EACH_LANE);
    zero.wrapping_sub(EACH_LANE) & !zero & HIGH_LANES != 0
}

/// Like [`has_lane`], for numbers below 2^15, in fewer steps.
#[inline(always)]
pub(crate) const fn has_low_lane(lanes: u64, number: u32) -> bool {
    let differences = lanes ^ (number as u64).wrapping_mul(EACH_LANE);
    !differences.wrapping_add(HIGH_LANES - EACH_LANE) & HIGH_LANES != 0
}

/// The lowest bit of each lane.
const EACH_LANE: u64 = 0x0001_0001_0001_0001;
/// The highest bit of each lane.
const HIGH_LANES: u64 = EACH_LANE << 15;

/// A divisor with its reciprocal, so that division is a multiplication even if the compiler does
/// not know the divisor.
///
/// T. Granlund and P. Montgomery, "Division by invariant integers using multiplication", PLDI 1994.
/// Exact for dividends below 2^42 and divisors up to 2^27: with k the place of the divisor's
/// highest bit, the reciprocal `2^(63+k) / divisor`, rounded up, is off by less than one. The
/// dividend scales this error to less than 2^42 / 2^(63+k), which is too little to reach the next
/// quotient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    value: u32,
    shift: u32,
    reciprocal: u64,
}

impl Divisor {
    /// Returns a divisor from 1 to 2^27.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "2^(63+k) / 2^k is 2^63")]
    pub(crate) const fn new(value: u32) -> Self {
        let value = if value == 0 { 1 } else { value };
        let shift = value.ilog2();
        let reciprocal = ((1_u128 << (63 + shift)) / value as u128) as u64 + 1;
        Self { value, shift, reciprocal }
    }

    /// Returns the divisor itself.
    #[inline(always)]
    pub(crate) const fn value(self) -> u32 {
        self.value
    }

    /// Returns `dividend / divisor` for a dividend below 2^42.
    #[inline(always)]
    pub(crate) const fn quotient(self, dividend: u64) -> u64 {
        high(2 * dividend, self.reciprocal) >> self.shift
    }

    /// Returns `dividend % divisor` for a dividend below 2^42.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    pub(crate) const fn remainder(self, dividend: u64) -> u32 {
        (dividend - self.quotient(dividend) * self.value as u64) as u32
    }
}

/// A divisor of days with its reciprocal.
///
/// The reciprocal `2^32 / divisor`, rounded up, is too large by less than one. The dividend scales
/// this error to less than the dividend itself. The next quotient is at least `2^32 / divisor`
/// away, so the quotient is exact if the product of dividend and divisor is below 2^32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DayDivisor {
    value: u32,
    reciprocal: u64,
}

impl DayDivisor {
    /// Returns a divisor from 1 to 2^16 - 1.
    #[must_use]
    pub(crate) const fn new(value: u32) -> Self {
        let value = if value == 0 { 1 } else { value };
        Self { value, reciprocal: (1_u64 << 32).div_ceil(value as u64) }
    }

    /// Returns the divisor itself.
    #[inline(always)]
    pub(crate) const fn value(self) -> u32 {
        self.value
    }

    /// Returns `dividend / divisor` if the product of both is below 2^32.
    #[inline(always)]
    pub(crate) const fn quotient(self, dividend: u32) -> u32 {
        debug_assert!(dividend.checked_mul(self.value).is_some(), "the quotient is exact");
        ((dividend as u64 * self.reciprocal) >> 32) as u32
    }
}

/// A divisor of at most 2^22 with its reciprocal. It takes fewer steps than [`Divisor`], and the
/// remainder does not wait for the quotient.
///
/// D. Lemire, O. Kaser and N. Kurz, "Faster remainder by direct computation", Software: Practice
/// and Experience 49 (2019). Exact for dividends below 2^42: the reciprocal `2^64 / divisor`,
/// rounded up, is too large by less than one. The dividend scales this error to less than 2^42, and
/// the next quotient is at least that far away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallDivisor {
    value: u32,
    reciprocal: u64,
}

impl SmallDivisor {
    /// Returns a divisor from 1 to 2^22.
    #[must_use]
    pub(crate) const fn new(value: u32) -> Self {
        // The reciprocal of 1 would be 2^64.
        let reciprocal = if value < 2 { 0 } else { u64::MAX / value as u64 + 1 };
        Self { value, reciprocal }
    }

    /// Returns the divisor itself.
    #[inline(always)]
    pub(crate) const fn value(self) -> u32 {
        self.value
    }

    /// Returns `dividend / divisor` for a dividend below 2^42 and a divisor above 1.
    #[inline(always)]
    pub(crate) const fn quotient(self, dividend: u64) -> u64 {
        high(dividend, self.reciprocal)
    }

    /// Returns `dividend % divisor` for a dividend below 2^42.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below its divisor")]
    pub(crate) const fn remainder(self, dividend: u64) -> u32 {
        high(dividend.wrapping_mul(self.reciprocal), self.value as u64) as u32
    }
}

/// Returns the upper half of a product.
#[inline(always)]
const fn high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// Recognizes the multiples of a divisor: H. S. Warren, "Hacker's Delight", 2nd
/// edition, section 10-17.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiples {
    /// The inverse of the odd part of the divisor, modulo 2^64.
    inverse: u64,
    /// The exponent of 2 in the divisor.
    twos: u32,
}

impl Multiples {
    /// Returns the multiples of a divisor above 0.
    pub(crate) const fn of(divisor: u32) -> Self {
        let divisor = if divisor == 0 { 1 } else { divisor };
        let twos = divisor.trailing_zeros();
        let odd = (divisor >> twos) as u64;
        // Newton's method: an odd number is its own inverse modulo 8, and each step doubles the
        // number of correct bits.
        let mut inverse = odd;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
            step += 1;
        }
        Self { inverse, twos }
    }

    /// Returns `number / divisor` for a multiple, and a number above all such quotients for any
    /// other number.
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
    fn places_agree_with_a_scan() {
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
    fn steps_agree_with_a_stepped_range() {
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
    fn lanes_agree_with_a_scan() {
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
    fn quotients_are_exact_next_to_multiples() {
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
