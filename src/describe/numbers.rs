//! Describes days of the month by their numbers.

use core::fmt::{self, Write};
use core::mem;

use super::set::{SHORTEST_STRIDE, Set};
use super::words::Ordinal;
use super::writer::Writer;
use millicron_runtime::list;

/// Writes days of the month: "the 1st, 10th to 15th and 20th".
pub(super) fn write_numbers(f: &mut Writer<'_>, days: &Set, conjunction: &str) -> fmt::Result {
    let mut article = "the ";
    list(f, days.runs(3, SHORTEST_STRIDE), conjunction, |f, run| {
        let [first, last, step] = [run.first, run.last, run.step].map(|it| Ordinal(it.into()));
        if run.step > 1 {
            article = "the ";
            return write!(f, "every {step} day from the {first} to the {last}");
        }
        f.write_str(mem::take(&mut article))?;
        if run.is_single() { write!(f, "{first}") } else { write!(f, "{first} to {last}") }
    })
}

pub(super) fn write_before_last(f: &mut Writer<'_>, n: u16) -> fmt::Result {
    match n {
        1 => f.write_str("the day before the last day"),
        n => write!(f, "the {} day before the last day", Ordinal(n.into())),
    }
}
