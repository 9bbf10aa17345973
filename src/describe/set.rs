//! [`Set`]: the values of a field, and the runs that describe them.

use core::slice::from_ref;

use millicron_runtime::Expression;

use super::writer::{HOUR, MINUTE, SECOND};
use crate::Field;

/// The fields of the time in ascending order, and the length of their units in milliseconds.
pub(super) const FIELDS: [(Field, u32); 4] = [
    (Field::Millisecond, 1),
    (Field::Second, SECOND),
    (Field::Minute, MINUTE),
    (Field::Hour, HOUR),
];

/// The index of the hour in [`FIELDS`].
pub(super) const HOURS: usize = 3;

/// The values of each of the [`FIELDS`].
pub(super) type Sets<'a> = [Set<'a>; 4];

/// The values of a field, as a bitmap.
#[derive(Clone, Copy)]
pub(super) struct Set<'a> {
    words: &'a [u64],
    /// The value of the first bit.
    lowest: u16,
    /// The number of values that the field has.
    pub(super) size: u16,
}

/// Fewer values in equal steps than this are described one by one.
pub(super) const SHORTEST_STRIDE: u16 = 6;

/// Values in equal steps.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) step: u16,
    pub(super) len: u16,
}

impl<'a> Set<'a> {
    /// Returns the values of a field. The last day of the month is not one of them.
    pub(super) fn of(expression: &'a Expression, field: Field) -> Self {
        let lowest = field.min_value();
        let highest = if field == Field::Day { 31 } else { field.max_value() };
        Self { words: expression.words(field), lowest, size: highest - lowest + 1 }
    }

    /// Returns the set of a bitmap whose first bit represents 0.
    pub(super) const fn from_bits(bits: &'a u64, size: u16) -> Self {
        Self { words: from_ref(bits), lowest: 0, size }
    }

    /// Returns the first value at or after `from`.
    fn next(self, from: u16) -> Option<u16> {
        let mut index = from - self.lowest;
        while index < self.size {
            let rest = self.words.get(usize::from(index / 64))? >> (index % 64);
            if rest != 0 {
                index += u16::try_from(rest.trailing_zeros()).ok()?;
                return (index < self.size).then_some(self.lowest + index);
            }
            index = (index / 64 + 1) * 64;
        }
        None
    }

    /// Returns the values in ascending order.
    pub(super) fn values(self) -> impl Iterator<Item = u16> {
        self.values_from(self.lowest)
    }

    fn values_from(self, from: u16) -> impl Iterator<Item = u16> {
        core::iter::successors(self.next(from), move |value| self.next(value + 1))
    }

    pub(super) fn len(self) -> u32 {
        let ones: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        // The bit after the days represents the last day of the month.
        let behind =
            self.words.get(usize::from(self.size / 64)).map_or(0, |word| word >> (self.size % 64));
        ones - behind.count_ones()
    }

    pub(super) fn is_full(self) -> bool {
        self.len() == u32::from(self.size)
    }

    /// Returns the value if there is exactly one.
    pub(super) fn only(self) -> Option<u16> {
        if self.len() == 1 { self.next(self.lowest) } else { None }
    }

    /// Returns the values as a run, if they form one.
    pub(super) fn as_run(self) -> Option<Run> {
        let run = self.run_from(self.lowest)?;
        (u32::from(run.len) == self.len()).then_some(run)
    }

    /// Returns the longest run that starts with the first value at or after `from`.
    fn run_from(self, from: u16) -> Option<Run> {
        let mut values = self.values_from(from);
        let first = values.next()?;
        let Some(second) = values.next() else {
            return Some(Run { first, last: first, step: 1, len: 1 });
        };
        let step = second - first;
        let rest = values.zip(1..).take_while(|(value, place)| value - second == place * step);
        let len = rest.fold(2, |len, _| len + 1);
        Some(Run { first, last: first + (len - 1) * step, step, len })
    }

    /// Returns the values as runs in ascending order: ranges of at least `shortest_range` values,
    /// other runs of at least `shortest_stride` values, and single values.
    pub(super) fn runs(
        self,
        shortest_range: u16,
        shortest_stride: u16,
    ) -> impl Iterator<Item = Run> {
        let mut from = self.lowest;
        core::iter::from_fn(move || {
            let run = self.run_from(from)?;
            let shortest = if run.step == 1 { shortest_range } else { shortest_stride };
            let run = if run.len >= shortest {
                run
            } else {
                Run { first: run.first, last: run.first, step: 1, len: 1 }
            };
            from = run.last + 1;
            Some(run)
        })
    }
}

impl Run {
    pub(super) const fn is_single(self) -> bool {
        self.len == 1
    }

    /// Whether the run starts with 0 and its steps stay equal when a field of `size` values wraps
    /// around.
    pub(super) const fn is_even(self, size: u16) -> bool {
        self.first == 0 && self.len * self.step == size
    }
}
