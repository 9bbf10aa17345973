//! The strategy of the time part.

use crate::calendar::DAY_MILLIS;
use crate::expression::Fields;
use crate::search::{
    FieldProduct, FixedTime, MillisecondSet, OneField, SingleValue, Stride, TimePart, TimePlan,
    ValueSet, WindowSteps,
};
use crate::{Expression, Field, Window, bits};

/// A field of the time of day.
struct TimeField {
    field: Field,
    /// The unit, in milliseconds.
    unit: u32,
    /// The number of values that the field could have.
    radix: u32,
    /// The number of values in the set.
    len: u32,
    /// The lowest and the highest value in the set.
    first: u32,
    last: u32,
}

impl TimeField {
    fn of(expression: &Expression, field: Field, millis: Option<&MillisecondSet>) -> Self {
        let (unit, radix) = (field.unit(), field.radix());
        let of = |len, first, last| Self { field, unit, radix, len, first, last };
        match (expression.words(field), millis) {
            (&[word], _) => of(word.count_ones(), bits::first(word), bits::last(word)),
            (_, None) => of(1, 0, 0),
            (_, Some(millis)) => of(millis.count(), millis.first(), millis.last()),
        }
    }

    /// Returns the distance between values if they are equally spaced, including the distance from
    /// the last value to the first one when the field wraps around.
    fn step(&self, expression: &Expression) -> Option<u32> {
        let step = self.radix / self.len;
        let words = expression.words(self.field);
        let is_even =
            self.radix.is_multiple_of(self.len) && self.last - self.first == self.radix - step;
        // There are as many values as steps, so the values are equally spaced if each step is a
        // value.
        let mut steps = (self.first..=self.last).step_by(step as usize);
        let is_value = |value: u32| {
            words.get(value as usize / 64).is_some_and(|&word| bits::contains(word, value))
        };
        (is_even && (step == 1 || steps.all(is_value))).then_some(step)
    }

    const fn is_free(&self) -> bool {
        self.len == self.radix
    }
}

/// Chooses the strategy of the time part and fills it in, in place, because a strategy is large.
/// `is_every_day` says whether there are events on every day.
pub(crate) fn fill_time(plan: &mut TimePlan, expression: &Expression, is_every_day: bool) {
    if let Some(window) = expression.window {
        return fill_window(plan, window, is_every_day);
    }
    // Usually there are none.
    let has_millis = expression.millisecond != Expression::ZERO;
    let millis = has_millis.then(|| MillisecondSet::new(expression.millisecond));
    let fields = &[Field::Hour, Field::Minute, Field::Second, Field::Millisecond]
        .map(|field| TimeField::of(expression, field, millis.as_ref()));
    let amount =
        |fields: &[TimeField]| fields.iter().map(|field| field.first * field.unit).sum::<u32>();
    // The strategy depends on the lowest field that is not fixed, and on whether all fields
    // above it are free.
    let Some(lowest) = fields.iter().rposition(|field| field.len > 1) else {
        let time = amount(fields);
        // One time on every day is a stride of a day.
        if is_every_day {
            *plan = TimePlan::Stride(Stride::new(DAY_MILLIS, time));
        } else {
            *plan = TimePlan::FixedTime(FixedTime(time));
        }
        return;
    };
    let (upper, field, fixed) = (&fields[..lowest], &fields[lowest], &fields[lowest + 1..]);
    let millis = millis.filter(|_| field.radix == 1000);
    if !upper.iter().all(TimeField::is_free) {
        let Fields { hour, minute, second, .. } = expression.fields;
        if let Some(millis) = millis {
            let product = FieldProduct::new(hour, minute, second, millis);
            *plan = TimePlan::ProductWithMilliseconds(product);
        } else {
            let milli = SingleValue(fields[3].first);
            let product = FieldProduct::new(hour, minute, second, milli);
            *plan = TimePlan::ProductWithOneMillisecond(product);
        }
    } else if let Some(step) = field.step(expression) {
        *plan = TimePlan::Stride(Stride::new(step * field.unit, amount(fields)));
    } else if let Some(set) = millis {
        let field = OneField::new(field.unit, field.radix, amount(fixed), set);
        *plan = TimePlan::OneMillisecondField(field);
    } else {
        let set = expression.words(field.field)[0];
        let field = OneField::new(field.unit, field.radix, amount(fixed), set);
        *plan = TimePlan::OneSmallField(field);
    }
}

/// Chooses the strategy of a window and fills it in. A window that continues through the day is a
/// stride.
fn fill_window(plan: &mut TimePlan, window: Window, is_every_day: bool) {
    let Window { from, step, mut count } = window;
    // The last step of a whole day is the first step of the next day: see `add_ends`.
    count -= u32::from(window.is_whole_day());
    let has_ends = window.is_whole_day() && !is_every_day;
    let is_all_day = from < step && step.checked_mul(count) == Some(DAY_MILLIS);
    let stride = (is_all_day && !has_ends).then(|| Stride::new(step, from));
    // A window of several events always repeats; see `TimePart::repeats`.
    *plan = match stride.filter(Stride::repeats) {
        Some(stride) => TimePlan::Stride(stride),
        None => TimePlan::WindowSteps(WindowSteps::new(from, step, count)),
    };
}
