//! The members of a union: where they are in its text, and which of them may have events in common.

use alloc::vec::Vec;
use core::ops::Range;

use crate::days::DaySet;
use crate::overlap::{Part, Times};
use crate::spans::trimmed;
use crate::union_plan::MOST_MEMBERS;
use crate::{Expression, ParseError, ParseErrorKind};

/// The days of a member of a union, or the days after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberDays {
    /// Which member.
    pub member: usize,
    /// Whether it is the days after them.
    pub is_next: bool,
}

/// Returns the spans of the members, without white space around them.
pub(crate) fn member_spans(text: &str) -> Result<Vec<Range<usize>>, ParseError> {
    let mut spans = Vec::new();
    let mut start = 0;
    let end = text.trim_ascii_end().len();
    for part in text[..end].split(';') {
        let (from, after) = (start, start + part.len());
        start = after + 1;
        let member = trimmed(part);
        let member = from + member.start..from + member.end;
        if member.is_empty() {
            // A semicolon at the very end is allowed.
            if after == end && !spans.is_empty() {
                break;
            }
            let span = after.min(end)..(after + 1).min(end);
            return Err(ParseError::new(ParseErrorKind::EmptyMember, text, span));
        }
        if spans.len() == MOST_MEMBERS {
            return Err(ParseError::new(ParseErrorKind::TooManyMembers, text, member));
        }
        spans.push(member);
    }
    Ok(spans)
}

/// Returns a text without the semicolon that may follow its last schedule, and without the white space
/// around that.
#[must_use]
pub fn without_last_semicolon(text: &str) -> &str {
    let body = text.trim_ascii_end();
    body.strip_suffix(';').map_or(body, str::trim_ascii_end)
}

/// The days of a member, if they are known.
pub(crate) type KnownDays = (MemberDays, Option<DaySet>);

/// Returns the parts of some schedules, and the sets of days to which the parts refer, if two
/// schedules may have an event in common. `days_of` returns the days of a schedule, if they are known.
pub(crate) fn overlap(
    expressions: &[Expression],
    days_of: impl Fn(usize) -> Option<DaySet>,
) -> Option<(Vec<Part>, Vec<KnownDays>)> {
    let mut all = Vec::new();
    for (member, expression) in expressions.iter().enumerate() {
        let (today, next) = Times::of(expression);
        all.push((MemberDays { member, is_next: false }, today));
        all.extend(next.map(|next| (MemberDays { member, is_next: true }, next)));
    }
    let have_times = |(one, its): &(MemberDays, Times), (other, others): &(MemberDays, Times)| {
        one.member != other.member && its.overlaps(others)
    };
    if !pairs(&all).any(|(it, other)| have_times(it, other)) {
        return None;
    }
    let by_member: Vec<_> = (0..expressions.len()).map(days_of).collect();
    let mut sets: Vec<KnownDays> = Vec::new();
    let mut parts = Vec::new();
    for (of, times) in &all {
        let days = by_member[of.member];
        let days = if of.is_next { days.map(|days| days.later()) } else { days };
        let known = sets.iter().position(|(known, others)| match (days, others) {
            (Some(days), Some(others)) => days == *others,
            _ => known == of,
        });
        let place = known.unwrap_or(sets.len());
        if known.is_none() {
            sets.push((*of, days));
        }
        parts.push(Part { member: of.member, days: place, times: *times });
    }
    let have_days = |one: &Part, other: &Part| match (&sets[one.days].1, &sets[other.days].1) {
        (Some(days), Some(others)) => !days.and(others).is_empty(),
        _ => true,
    };
    let has_common = pairs(&parts).any(|(it, other)| {
        it.member != other.member && it.times.overlaps(&other.times) && have_days(it, other)
    });
    has_common.then_some((parts, sets))
}

/// Returns all pairs of two different items, in order.
fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let with_later = |(at, it)| items[at + 1..].iter().map(move |other| (it, other));
    items.iter().enumerate().flat_map(with_later)
}
