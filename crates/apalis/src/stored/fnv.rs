//! The hash [FNV-1a](http://www.isthe.com/chongo/tech/comp/fnv/), on which all builds of a program agree.

/// Returns the hash of values: of bytes, or, in the same way, of whole numbers.
///
/// This must never change.
pub(super) fn fnv(values: impl IntoIterator<Item = impl Into<u64>>) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x100_0000_01b3;
    values.into_iter().fold(BASIS, |hash, value| (hash ^ value.into()).wrapping_mul(PRIME))
}
