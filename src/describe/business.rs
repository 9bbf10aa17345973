//! Describes business days and days that are moved to them.

use core::fmt::{self, Write};

use millicron_runtime::{BusinessDays, Move};

use super::numbers::{write_before_last, write_numbers};
use super::set::Set;
use super::words::{Ordinal, OrdinalWord};
use super::writer::Writer;
use crate::FieldValues;
use millicron_runtime::list;

/// Writes the business days with some numbers in the month: "the first and last business day".
pub(super) fn write_numbered(f: &mut Writer<'_>, business: &BusinessDays) -> fmt::Result {
    let BusinessDays { numbered, before_last, .. } = *business;
    let from_start = FieldValues::from_bits(numbered.into()).map(|bit| (bit + 1, false));
    let from_end = FieldValues::from_bits(before_last.into()).map(|n| (n, true));
    f.write_str("the ")?;
    list(f, from_start.chain(from_end), "and", |f, number| match number {
        (number, false) => write!(f, "{}", OrdinalWord(number.into())),
        (0, true) => f.write_str("last"),
        (1, true) => f.write_str("last but one"),
        (n, true) => write!(f, "{} before the last", Ordinal(n.into())),
    })?;
    let is_one = (numbered.count_ones() + before_last.count_ones()) == 1;
    f.write_str(if is_one { " business day" } else { " business days" })
}

/// Writes days that are moved in the same way: "the first business day on or after the 15th".
pub(super) fn write_moved(f: &mut Writer<'_>, moved: &Move) -> fmt::Result {
    let Move { is_back, is_modified, offset, days } = *moved;
    let are_many = days.count_ones() > 1;
    let plural = if are_many { "s" } else { "" };
    if offset != 0 {
        let number = OrdinalWord(offset.unsigned_abs().into());
        let side = if offset < 0 { "before" } else { "after" };
        write!(f, "the {number} business day {side} ")?;
    }
    f.write_str(match (is_back, is_modified) {
        (false, false) => "the first business day",
        (true, false) => "the last business day",
        _ => "the business day",
    })?;
    f.write_str(plural)?;
    f.write_str(if is_back { " on or before " } else { " on or after " })?;
    let numbers = Set::from_bits(moved.numbers() << 1, 32);
    let has_numbers = numbers.len() > 0;
    let from_end = FieldValues::from_bits(moved.before_last().into()).map(Some);
    let items = has_numbers.then_some(None).into_iter().chain(from_end);
    list(f, items, "and", |f, item| match item {
        None => write_numbers(f, &numbers, "and"),
        Some(0) => f.write_str("the last day"),
        Some(n) => write_before_last(f, n),
    })?;
    let other_way = if is_back { " (or after" } else { " (or before" };
    match (is_modified, are_many) {
        (false, _) => Ok(()),
        (true, false) => write!(f, "{other_way} it, to stay in the month)"),
        (true, true) => write!(f, "{other_way} them, to stay in the month)"),
    }
}

/// Writes every n-th business day.
pub(super) fn write_steps(f: &mut Writer<'_>, n: u32, is_behind: bool) -> fmt::Result {
    f.write_str(if is_behind { "on every " } else { "every " })?;
    match n {
        1 => f.write_str("business day"),
        n => write!(f, "{} business day", Ordinal(n)),
    }
}
