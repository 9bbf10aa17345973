//! [`FieldValues`]: the values of a field in the events of a schedule.

use core::iter::FusedIterator;

use millicron_runtime::{Expression, Schedule, Window};

use crate::Field;
use crate::calendar::{MILLIS_PER_DAY, civil_date, days_in_month, weekday};

/// An iterator over the values of a field, in ascending order, returned by
/// [`Schedule::values`](crate::Schedule::values).
///
/// ```
/// use millicron::{Field, schedule};
///
/// let mut hours = schedule!("9-17/2:00:00").values(Field::Hour);
/// assert_eq!(hours.len(), 5);
/// assert_eq!((hours.next(), hours.next_back()), (Some(9), Some(17)));
/// assert!(hours.eq([11, 13, 15]));
/// ```
#[derive(Clone, Debug)]
pub struct FieldValues {
    /// The value of bit 0.
    min: u16,
    /// The remaining values, as bits.
    words: [u64; 16],
}

impl FieldValues {
    /// Returns the values of a field in the events of a schedule.
    pub(crate) fn of(schedule: &Schedule, field: Field) -> Self {
        let members = schedule.members();
        if !members.is_empty() {
            let mut all = Self { min: field.min_value(), words: [0; 16] };
            for member in members {
                let values = Self::of(member, field);
                all.words.iter_mut().zip(values.words).for_each(|(all, word)| *all |= word);
            }
            return all;
        }
        let mut values = Self { min: field.min_value(), words: [0; 16] };
        if matches!(field, Field::Year | Field::Month | Field::Day | Field::Weekday) {
            values.fill_dates(schedule, field);
            return values;
        }
        let expression = schedule.expression();
        let Some(window) = expression.window else {
            // Every day that has events has all of these values.
            return Self::in_set(&expression, field);
        };
        // The end of the range may cut off the only window.
        let [first, last] = [schedule.next_event(i64::MIN), schedule.prev_event(i64::MAX)]
            .map(Option::unwrap_or_default);
        let length = window.length().min((last - first).try_into().unwrap_or(u32::MAX));
        values.fill_window(window, window.from + length, field);
        values
    }

    /// Returns the values in the set of a field. The last day of the month is not one of them.
    pub(crate) fn in_set(expression: &Expression, field: Field) -> Self {
        let mut values = Self { min: field.min_value(), words: [0; 16] };
        let set = expression.words(field);
        values.words[..set.len()].copy_from_slice(set);
        if field == Field::Day {
            values.words[0] &= !(1 << 31);
        }
        values
    }

    /// Returns the number of values that a field has, without the last day of the month.
    pub(crate) fn size(field: Field) -> u32 {
        let highest = if field == Field::Day { 31 } else { field.max_value() };
        u32::from(highest - field.min_value()) + 1
    }

    /// Returns the values of a bitmap whose first bit represents 0.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        let mut words = [0; 16];
        words[0] = bits;
        Self { min: 0, words }
    }

    /// Returns the number of remaining values.
    pub(crate) fn remaining(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Adds the values of the dates on which events are.
    fn fill_dates(&mut self, schedule: &Schedule, field: Field) {
        let mut from = i64::MIN;
        while self.remaining() < Self::size(field)
            && let Some(event) = schedule.nearest_event(from)
        {
            let today = event.div_euclid(MILLIS_PER_DAY);
            let (year, month, day) = civil_date(today);
            let to_next_month = i64::from(days_in_month(year, month) - day) + 1;
            let (value, days) = match field {
                Field::Year => (year.try_into().unwrap_or_default(), to_next_month),
                Field::Month => (month.into(), to_next_month),
                Field::Day => (day.into(), 1),
                _ => (weekday(today).into(), 1),
            };
            self.insert(value);
            from = (today + days) * MILLIS_PER_DAY;
        }
    }

    /// Adds the values of the times of a window, up to a last one.
    fn fill_window(&mut self, window: Window, last: u32, field: Field) {
        /// The field of the second repeats after these steps at the latest, all others before.
        const MOST_STEPS: usize = 60_000;

        let (unit, count) = match field {
            Field::Hour => (3_600_000, 24),
            Field::Minute => (60_000, 60),
            Field::Second => (1000, 60),
            _ => (1, 1000),
        };
        // Shorter steps leave no value out.
        let step = usize::try_from(window.step.max(unit)).unwrap_or(usize::MAX);
        for time in (window.from..=last).step_by(step).take(MOST_STEPS).chain([last]) {
            self.insert((time / unit % count).try_into().unwrap_or_default());
        }
    }

    fn insert(&mut self, value: u16) {
        let place = value - self.min;
        if let Some(word) = self.words.get_mut(usize::from(place / 64)) {
            *word |= 1 << (place % 64);
        }
    }

    /// Returns the value of a bit.
    fn value(&self, word: usize, bit: u32) -> Option<u16> {
        let place = u16::try_from(word * 64).ok()? + u16::try_from(bit).ok()?;
        Some(self.min + place)
    }
}

impl Iterator for FieldValues {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        let (index, word) = self.words.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        self.value(index, bit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.remaining() as usize;
        (count, Some(count))
    }
}

impl DoubleEndedIterator for FieldValues {
    fn next_back(&mut self) -> Option<u16> {
        let mut words = self.words.iter_mut().enumerate().rev();
        let (index, word) = words.find(|(_, word)| **word != 0)?;
        let bit = word.ilog2();
        *word &= !(1 << bit);
        self.value(index, bit)
    }
}

impl ExactSizeIterator for FieldValues {}

impl FusedIterator for FieldValues {}
