//! Random texts for one field.

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

type Text = BoxedStrategy<String>;

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
    // A step that divides the number of values is not cut short where the field wraps around.
    let step = prop_oneof![
        2 => proptest::sample::select(vec![1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 50, 100, 500]),
        1 => 1..=highest + 1,
    ];
    prop_oneof![
        3 => step.clone().prop_map(|step| format!("*/{step}")),
        1 => (lowest..=highest, step).prop_map(move |(from, step)| format!("{from}-{highest}/{step}")),
    ]
    .boxed()
}

/// A list of arbitrary items.
pub fn list(field: &'static Field) -> Text {
    let Field { lowest, highest, .. } = *field;
    let item = (0..10_u8, lowest..=highest, lowest..=highest, step(), spelling(), spelling())
        .prop_map(move |(kind, a, b, step, spelling, other)| {
            let spell = |value, spelling| field.spell(value, spelling);
            let (low, high) = (a.min(b), a.max(b));
            match kind {
                0..5 => spell(a, spelling),
                5..7 => format!("{}-{}", spell(low, spelling), spell(high, other)),
                7..9 => format!("{}-{}/{step}", spell(low, spelling), spell(high, other)),
                _ => format!("*/{step}"),
            }
        });
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
