//! Counts of events, which 32-bit machines cannot hold in a `usize`.

/// Returns a count as iterators return it: at most `usize::MAX`.
pub fn clamped(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Returns the `n`-th item, from 0.
pub fn nth<I: Iterator>(mut items: I, mut n: u64) -> Option<I::Item> {
    loop {
        let Ok(few) = usize::try_from(n) else {
            n -= u64::try_from(usize::MAX).expect("`usize` has at most 64 bits") + 1;
            items.nth(usize::MAX)?;
            continue;
        };
        return items.nth(few);
    }
}
