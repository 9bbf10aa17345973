//! Business days in phrases: `the third business day of the month`, `the first business day on or
//! after the 15th`.

use super::draft::{Clause, Draft, Note, Period};
use super::parts::{days_before_last, ordinal_range, start};
use crate::Field;
use crate::expression::Move;

/// The items of a list of days, in the order in which they are tried.
pub(super) const ITEMS: [Clause; 2] = [moved, numbered];

/// The bit of the last one in a set of numbers from the end, and of the first one in a set of numbers.
const ONE: u32 = 1;

/// Reads `every 3rd business day`, which counts from a date.
pub(super) fn steps(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("on");
    it.words.any("every each").then_some(())?;
    let other = it.words.any("other").then_some(2);
    let n = other.or_else(|| it.words.ordinal()).or_else(|| it.words.number()).unwrap_or(1);
    business_days(it)?;
    // `Every third business day of the month` does not say whether only the third one is meant. Without
    // a date, `every business day` is a weekday.
    let is_clear =
        if n > 1 { !it.words.clone().any("of") } else { start(&mut it.clone()).is_some() };
    let is_new = it.steps.replace((n, Period::BusinessDay)).is_none();
    (is_clear && is_new).then_some(())
}

/// Reads `business day` or `business days`, and returns whether it is the plural. Notes which days
/// these are, if a calendar does not say so.
pub(super) fn business_days(it: &mut Draft<'_>) -> Option<bool> {
    let are_many = it.words.attempt(|words| {
        let single = words.position("workday workdays");
        single.or_else(|| words.any("business working work").then(|| words.position("day days"))?)
    })?;
    if it.calendar.is_none() {
        it.note(Note::BusinessDays);
    }
    Some(are_many == 1)
}

/// Reads `the first, third and last business days of the month`.
fn numbered(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("the");
    let (mut from_start, mut from_end, mut forms) = (0_u32, 0_u32, 0);
    it.list(&mut |it| {
        let form = it.words.form();
        if it.words.any("last") {
            from_end |= if it.words.all("but one") { 2 } else { ONE };
        } else {
            let n = it.words.ordinal()?;
            let is_before_last = it.words.all("before the last");
            let (set, first) =
                if is_before_last { (&mut from_end, 0) } else { (&mut from_start, 1) };
            let bit = 1_u32.checked_shl(n.checked_sub(first)?);
            *set |= bit.filter(|_| (1..=30 + first).contains(&n))?;
        }
        forms |= form;
        Some(())
    })?;
    // `The 15th and last business day`: is the 15th a day of the month?
    let is_list = from_start.count_ones() + from_end.count_ones() > 1;
    let is_clear = !is_list || forms < 3 && from_start >> 10 == 0;
    (business_days(it)? || is_clear).then_some(())?;
    it.forms[1] |= forms;
    let is_first_or_last = matches!((from_start, from_end), (ONE, 0) | (0, ONE));
    // Without a calendar, `the last business day` is the last day from Monday to Friday, but as one of the business days
    // it may be restricted, as in `the first business day if it falls on the 1st`.
    if it.calendar.is_none() && is_first_or_last && !it.words.clone().all("if it falls") {
        return None;
    }
    let is_of_month = it.words.clone().any("of if");
    it.open(Field::Weekday);
    it.expression.business.numbered |= from_start;
    it.expression.business.before_last |= from_end;
    (is_of_month || is_first_or_last).then_some(())
}

/// Reads `the first business day on or after the 15th`, or `the second business day before the last
/// business day on or before the 25th`.
fn moved(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("the");
    let offset = it.attempt(|it| {
        let n = it.words.ordinal().filter(|n| (1..=99).contains(n))?;
        business_days(it)?;
        let side = it.words.position("before after")?;
        let n = i8::try_from(n).ok()?;
        it.words.any("the").then_some(if side == 0 { -n } else { n })
    });
    let number = it.words.position("first last");
    let are_many = business_days(it)?;
    it.words.all("on or").then_some(())?;
    let is_back = it.words.position("before after")? == 0;
    let days = days(it, are_many)?;
    let is_modified = number.is_none();
    if is_modified {
        let other = if is_back { "after" } else { "before" };
        let them = if are_many { "them" } else { "it" };
        let has_other = it.words.all("( or") && it.words.any(other) && it.words.any(them);
        (has_other && it.words.all(", to stay in the month )")).then_some(())?;
    }
    let is_consistent = number.is_none_or(|number| (number == 1) == is_back);
    it.open(Field::Day);
    let added = Move { is_back, is_modified, offset: offset.unwrap_or(0), days };
    (is_consistent && it.expression.business.moves.insert(added)).then_some(())
}

/// Reads the days that are moved, one or several, as in [`Move::days`].
fn days(it: &mut Draft<'_>, are_many: bool) -> Option<u64> {
    let mut set = 0;
    let mut item = |it: &mut Draft<'_>| {
        set |= day(it)?;
        Some(())
    };
    if are_many {
        it.list(&mut item)?;
    } else {
        item(it)?;
        // `The business day after the 15th and 20th`: is the 20th moved too?
        let mut ahead = it.words;
        let is_clear = !ahead.separator() || ahead.any("on at");
        is_clear.then_some(())?;
    }
    ((set.count_ones() > 1) == are_many).then_some(set)
}

/// Reads a day that is moved, or a range of them.
fn day(it: &mut Draft<'_>) -> Option<u64> {
    if it.words.all("the last day") {
        return Some(1 << Move::LAST);
    }
    if let Some(n) = it.attempt(days_before_last) {
        return (1..=30).contains(&n).then_some(1 << (Move::LAST + n));
    }
    let step = it.words.attempt(|words| {
        let n = words.any("every").then(|| words.ordinal())??;
        words.all("day from").then_some(n)
    });
    let [from, to] = ordinal_range(it)?;
    let is_valid = step != Some(0) && 1 <= from && from <= to && to <= 31;
    let days = (from..=to).step_by(step.unwrap_or(1).max(1) as usize);
    is_valid.then(|| days.fold(0, |set, day| set | 1 << (day - 1)))
}
