//! [`Run`]: the values of a field as the items of a list.

use core::fmt;

use super::Expression;
use crate::Field;

/// Values of a field in equal steps, at least three; or a single value.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) first: u16,
    pub(crate) last: u16,
    pub(crate) step: u16,
}

impl Run {
    /// Whether the values are those of `*` or `*/n`.
    pub(crate) const fn is_whole(self, field: Field) -> bool {
        self.first < self.last
            && self.first == field.min_value()
            && self.last + self.step > field.last()
    }

    /// Writes a range or a value with numbers of at least `width` digits.
    pub(crate) fn write(
        self,
        f: &mut fmt::Formatter<'_>,
        width: usize,
        separator: &str,
    ) -> fmt::Result {
        let Self { first, last, step } = self;
        write!(f, "{first:0width$}")?;
        if first < last {
            write!(f, "{separator}{last:0width$}")?;
        }
        if step > 1 { write!(f, "/{step}") } else { Ok(()) }
    }
}

impl Expression {
    /// Returns the values of a field in ascending order, other than day 32, the last day of the
    /// month.
    pub(crate) fn runs(&self, field: Field) -> impl Iterator<Item = Run> {
        let mut from = self.next(field, field.min_value());
        core::iter::from_fn(move || {
            let run = self.run(field, from?);
            from = self.next(field, run.last + 1);
            Some(run)
        })
    }

    /// Returns the longest run that starts at the value `first`.
    fn run(&self, field: Field, first: u16) -> Run {
        let single = Run { first, last: first, step: 1 };
        let Some(second) = self.next(field, first + 1) else { return single };
        let (step, mut last) = (second - first, second);
        while self.next(field, last + 1) == Some(last + step) {
            last += step;
        }
        if last > second { Run { first, last, step } } else { single }
    }
}

/// Writes the items of a list. The flag is true until the first item.
pub(crate) struct List<'a, 'f>(&'a mut fmt::Formatter<'f>, bool);

impl<'a, 'f> List<'a, 'f> {
    pub(crate) const fn new(f: &'a mut fmt::Formatter<'f>) -> Self {
        Self(f, true)
    }

    /// Writes the comma before the next item, if it needs one.
    pub(crate) fn next(&mut self) -> Result<&mut fmt::Formatter<'f>, fmt::Error> {
        if !core::mem::replace(&mut self.1, false) {
            self.0.write_str(",")?;
        }
        Ok(self.0)
    }
}

/// Returns the places of the set bits of a word, in ascending order.
pub(crate) fn bits_of(bits: impl Into<u64>) -> impl Iterator<Item = u32> {
    let bits = bits.into();
    (0..u64::BITS).filter(move |place| bits >> place & 1 == 1)
}
