//! Random texts for one field.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Debug)]
pub struct Field {
    lowest: u32,
    /// The highest number. For days of the month it is 32, the last day.
    highest: u32,
    names: &'static [&'static str],
}

const fn numbers(lowest: u32, highest: u32) -> Field {
    Field { lowest, highest, names: &[] }
}

pub static YEAR: Field = numbers(2000, 2100);
pub static MONTH: Field = Field {
    lowest: 1,
    highest: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
pub static DAY: Field = numbers(1, 32);
pub static WEEKDAY: Field =
    Field { lowest: 0, highest: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };
pub static HOUR: Field = numbers(0, 23);
pub static MINUTE: Field = numbers(0, 59);
pub static SECOND: Field = numbers(0, 59);
pub static MILLI: Field = numbers(0, 999);

pub type Text = BoxedStrategy<String>;

/// Every value, mostly as `*`.
pub fn free(field: &'static Field) -> Text {
    let Field { lowest, highest, .. } = field;
    prop_oneof![
        8 => Just("*".to_owned()),
        1 => Just("*/1".to_owned()),
        1 => Just(format!("{lowest}-{highest}")),
    ]
    .boxed()
}

/// One value.
pub fn one(field: &'static Field) -> Text {
    (field.lowest..=field.highest, spelling())
        .prop_map(|(value, spelling)| field.spell(value, spelling))
        .boxed()
}

/// The lowest value of a time field.
pub fn start() -> Text {
    prop_oneof![3 => Just("00"), 1 => Just("0")].prop_map(str::to_owned).boxed()
}

/// Every n-th value, from the lowest or from any other.
pub fn strided(field: &'static Field) -> Text {
    let Field { lowest, highest, .. } = *field;
    prop_oneof![
        3 => star_step(field).prop_map(|step| format!("*/{step}")),
        1 => (lowest..=highest, star_step(field))
            .prop_map(move |(from, step)| format!("{from}-{highest}/{step}")),
    ]
    .boxed()
}

/// A step for `*/n`, which must leave at least two values.
fn star_step(field: &Field) -> BoxedStrategy<u32> {
    // `*/n` runs over 1-31, without the last day.
    let most = if field.highest == DAY.highest { 30 } else { field.highest - field.lowest };
    // A step that divides the number of values is not cut short where the field wraps around.
    let even = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 50, 100, 500];
    let even: Vec<u32> = even.into_iter().filter(|step| *step <= most).collect();
    prop_oneof![2 => proptest::sample::select(even), 1 => 1..=most].boxed()
}

/// A list of arbitrary items.
pub fn list(field: &'static Field) -> Text {
    let Field { lowest, highest, .. } = *field;
    let numbers = (lowest..=highest, lowest..=highest);
    let item = (0..10_u8, numbers, step(), star_step(field), spelling(), spelling()).prop_map(
        move |(kind, (a, b), step, star_step, spelling, other)| {
            let spell = |value, spelling| field.spell(value, spelling);
            let (low, high) = (a.min(b), a.max(b));
            match kind {
                0..5 => spell(a, spelling),
                5..7 => format!("{}-{}", spell(low, spelling), spell(high, other)),
                7..9 => format!("{}-{}/{step}", spell(low, spelling), spell(high, other)),
                _ => format!("*/{star_step}"),
            }
        },
    );
    let all_but_one = (lowest + 1..highest, spelling()).prop_map(move |(hole, spelling)| {
        let (before, after) = (field.spell(hole - 1, spelling), field.spell(hole + 1, spelling));
        format!("{lowest}-{before},{after}-{highest}")
    });
    prop_oneof![
        3 => item.clone(),
        5 => vec(item.clone(), 2..5).prop_map(|items| items.join(",")),
        1 => vec(item, 5..20).prop_map(|items| items.join(",")),
        1 => all_but_one,
    ]
    .boxed()
}

/// Any item of a list of days of the month.
pub fn month_day() -> Text {
    let day = || number(1..=31);
    let before = || prop_oneof![3 => number(1..=7), 1 => number(1..=30)];
    prop_oneof![
        3 => Just("L".to_owned()),
        3 => before().prop_map(|days| format!("L-{days}")),
        4 => day().prop_map(|day| format!("{day}W")),
        3 => Just("LW".to_owned()),
        2 => before().prop_map(|days| format!("L-{days}W")),
        1 => day().prop_map(|day| format!("{day}-L")),
        1 => (day(), step()).prop_map(|(day, step)| format!("{day}-L/{step}")),
        2 => one(&DAY),
        1 => few(&DAY),
    ]
    .boxed()
}

/// Any item of a list of weekdays.
pub fn numbered_weekday() -> Text {
    let place = prop_oneof![5 => number(1..=5), 2 => Just("L".to_owned())];
    prop_oneof![
        6 => (one(&WEEKDAY), place).prop_map(|(weekday, place)| format!("{weekday}#{place}")),
        1 => one(&WEEKDAY),
        1 => few(&WEEKDAY),
    ]
    .boxed()
}

/// A range.
fn few(field: &'static Field) -> Text {
    let Field { lowest, highest, .. } = *field;
    (lowest..=highest, 0..=5_u32, spelling(), spelling())
        .prop_map(move |(from, length, spelling, other)| {
            let to = (from + length).min(highest);
            format!("{}-{}", field.spell(from, spelling), field.spell(to, other))
        })
        .boxed()
}

/// A number, sometimes with leading zeros.
pub fn number(values: RangeInclusive<u32>) -> Text {
    (values, prop_oneof![6 => Just(""), 1 => Just("0"), 1 => Just("000")])
        .prop_map(|(value, zeros)| format!("{zeros}{value}"))
        .boxed()
}

/// A list of items, mostly short.
pub fn items(item: Text) -> Text {
    prop_oneof![
        5 => item.clone(),
        4 => vec(item.clone(), 2..4).prop_map(|items| items.join(",")),
        1 => vec(item, 4..8).prop_map(|items| items.join(",")),
    ]
    .boxed()
}

fn step() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        8 => (1..=12_u32).prop_map(|step| step.to_string()),
        2 => (1..=1000_u32).prop_map(|step| format!("0{step}")),
        1 => (1..=u32::MAX).prop_map(|step| step.to_string()),
    ]
}

/// Bits that select how `spell` writes a value.
fn spelling() -> impl Strategy<Value = u8> + Clone {
    any::<u8>()
}

impl Field {
    fn spell(&self, value: u32, spelling: u8) -> String {
        let place = usize::try_from(value - self.lowest).expect("a value of a field");
        match self.names.get(place) {
            Some(name) if spelling & 1 != 0 => {
                let letters = name.chars().zip([2, 4, 8]).map(|(letter, bit)| {
                    if spelling & bit == 0 { letter } else { letter.to_ascii_uppercase() }
                });
                letters.collect()
            }
            _ if spelling >= 0xf0 => format!("{value:012}"),
            _ if spelling >= 0xc0 => format!("0{value}"),
            _ => value.to_string(),
        }
    }
}
