//! [`Set`]: the values of a field, and the runs that they form.

use core::iter::{self, Peekable};
use core::ops::Range;

use millicron_runtime::Expression;

use super::words::{HOUR, MINUTE, SECOND};
use crate::{Field, FieldValues};

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
pub(super) type Sets = [Set; 4];

/// Returns the time with the lowest value of some of the [`FIELDS`].
pub(super) fn earliest(sets: &Sets, places: Range<usize>) -> u32 {
    let lowest = |set: &Set| u32::from(set.values().next().unwrap_or_default());
    places.map(|place| lowest(&sets[place]) * FIELDS[place].1).sum()
}

/// The values of a field.
pub(super) struct Set {
    values: FieldValues,
    /// The number of values that the field has.
    pub(super) size: u32,
}

/// Fewer values in equal steps than this are described one by one.
pub(super) const SHORTEST_STRIDE: u32 = 6;

/// Values in equal steps.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) step: u16,
    pub(super) len: u32,
}

impl Set {
    /// Returns the values of a field. The last day of the month is not one of them.
    pub(super) fn of(expression: &Expression, field: Field) -> Self {
        Self { values: FieldValues::in_set(expression, field), size: FieldValues::size(field) }
    }

    /// Returns the set of a bitmap whose first bit represents 0.
    pub(super) fn from_bits(bits: impl Into<u64>, size: u32) -> Self {
        Self { values: FieldValues::from_bits(bits.into()), size }
    }

    /// Returns the values in ascending order.
    pub(super) fn values(&self) -> FieldValues {
        self.values.clone()
    }

    pub(super) fn len(&self) -> u32 {
        self.values.remaining()
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() == self.size
    }

    /// Returns the value if there is exactly one.
    pub(super) fn only(&self) -> Option<u16> {
        self.values().next().filter(|_| self.len() == 1)
    }

    /// Returns the values as a run, if they form one.
    pub(super) fn as_run(&self) -> Option<Run> {
        next_run(&mut self.values().peekable()).filter(|run| run.len == self.len())
    }

    /// Returns the values as runs in ascending order: ranges of at least `shortest_range` values,
    /// other runs of at least `shortest_stride` values, and single values.
    pub(super) fn runs(
        &self,
        shortest_range: u32,
        shortest_stride: u32,
    ) -> impl Iterator<Item = Run> {
        let mut values = self.values().peekable();
        iter::from_fn(move || {
            let mut rest = values.clone();
            let run = next_run(&mut rest)?;
            let shortest = if run.step == 1 { shortest_range } else { shortest_stride };
            if run.len < shortest {
                return values.next().map(Run::single);
            }
            values = rest;
            Some(run)
        })
    }
}

/// Takes the longest run that starts with the next value.
fn next_run(values: &mut Peekable<FieldValues>) -> Option<Run> {
    let mut run = Run::single(values.next()?);
    while let Some(value) = values.next_if(|value| run.len == 1 || value - run.last == run.step) {
        run = Run { last: value, step: value - run.last, len: run.len + 1, ..run };
    }
    Some(run)
}

impl Run {
    const fn single(value: u16) -> Self {
        Self { first: value, last: value, step: 1, len: 1 }
    }

    pub(super) const fn is_single(self) -> bool {
        self.len == 1
    }

    /// Whether the steps stay equal when a field of `size` values wraps around.
    pub(super) fn wraps(self, size: u32) -> bool {
        u32::from(self.step) * self.len == size
    }

    /// Whether the run starts with 0 and [wraps](Self::wraps).
    pub(super) fn is_even(self, size: u32) -> bool {
        self.first == 0 && self.wraps(size)
    }
}
