//! Reads unions: schedules separated by `;`.

use alloc::vec::Vec;
use core::ops::Range;

use crate::days::DaySet;
use crate::handle::{Overlap, PlanHandle, PlanRef, Schedule, Union};
use crate::overlap::{Part, Times};
use crate::parsed::SharedParsed;
use crate::planner::days_of_expression;
use crate::search::{DAY, DAYS, DatePlan};
use crate::shared::Shared;
use crate::{Calendars, Expression, ParseError, ParseErrorKind, Window};

/// The most members of a union.
pub(crate) const MOST_MEMBERS: usize = 16;

/// Reads a union of schedules. A union of one is that schedule.
pub(crate) fn parse_union(text: &str, calendars: &dyn Calendars) -> Result<Schedule, ParseError> {
    let mut members = Vec::new();
    for span in member_spans(text)? {
        let (parsed, _) = SharedParsed::parse(None, &text[span.clone()], calendars)
            .map_err(|error| error.within(span.start))?;
        members.push(Schedule(PlanHandle::Parsed(parsed)));
    }
    Ok(union_of(text, members))
}

/// Returns the union of some schedules, which may be unions themselves.
pub(crate) fn any_of(schedules: impl Iterator<Item = Schedule>) -> Result<Schedule, ParseError> {
    let mut members = Vec::new();
    for schedule in schedules {
        match schedule.members() {
            [] => members.push(schedule),
            of_union => members.extend_from_slice(of_union),
        }
    }
    if members.is_empty() {
        return Err(ParseError::new(ParseErrorKind::Empty, "", 0..0));
    }
    let texts: Vec<&str> = members.iter().map(|member| member.text().trim_ascii()).collect();
    let text = texts.join("; ");
    // The errors are those of the text.
    member_spans(&text)?;
    Ok(union_of(&text, members))
}

/// Returns the union of some schedules, which are no unions themselves, with its text.
fn union_of(text: &str, members: Vec<Schedule>) -> Schedule {
    match <[Schedule; 1]>::try_from(members) {
        Ok([member]) => member,
        Err(members) => {
            let overlap = overlap_of(&members);
            let union = Union::new(text, members.into(), overlap);
            Schedule(PlanHandle::ParsedUnion(Shared::new(union)))
        }
    }
}

/// Returns the spans of the members, without white space around them.
pub(crate) fn member_spans(text: &str) -> Result<Vec<Range<usize>>, ParseError> {
    let mut spans = Vec::new();
    let mut start = 0;
    let end = text.trim_ascii_end().len();
    for part in text[..end].split(';') {
        let (from, after) = (start, start + part.len());
        start = after + 1;
        let trimmed = part.trim_ascii();
        let begin = from + (part.len() - part.trim_ascii_start().len());
        if trimmed.is_empty() {
            // A semicolon at the very end is allowed.
            if after == end && !spans.is_empty() {
                break;
            }
            let span = after.min(end)..(after + 1).min(end);
            return Err(ParseError::new(ParseErrorKind::EmptyMember, text, span));
        }
        if spans.len() == MOST_MEMBERS {
            let span = begin..begin + trimmed.len();
            return Err(ParseError::new(ParseErrorKind::TooManyMembers, text, span));
        }
        spans.push(begin..begin + trimmed.len());
    }
    Ok(spans)
}

/// Returns how to count the events of some schedules, if two of them have one in common.
fn overlap_of(members: &[Schedule]) -> Option<Overlap> {
    let expressions: Vec<Expression> = members.iter().map(Schedule::expression).collect();
    let days = |index: usize| days_of(&members[index], &expressions[index]);
    overlap(&expressions, days).map(|(parts, days)| Overlap::new(parts.into(), days.into()))
}

/// Returns the parts of some schedules, and the sets of days to which the parts refer, if two
/// schedules may have an event in common.
pub(crate) fn overlap(
    expressions: &[Expression],
    days_of: impl Fn(usize) -> DaySet,
) -> Option<(Vec<Part>, Vec<DaySet>)> {
    let times: Vec<_> = expressions.iter().map(Times::of).collect();
    let each = |index: usize| {
        let (today, tomorrow): &(Times, Option<Times>) = &times[index];
        core::iter::once((index, false, today))
            .chain(tomorrow.iter().map(move |it| (index, true, it)))
    };
    let all: Vec<_> = (0..times.len()).flat_map(each).collect();
    let have_common = |(one, _, its): &(usize, bool, &Times),
                       (other, _, others): &(usize, bool, &Times)| {
        one != other && its.overlaps(others)
    };
    if !all.iter().enumerate().any(|(at, it)| all[at..].iter().any(|other| have_common(it, other)))
    {
        return None;
    }
    let mut sets: Vec<DaySet> = Vec::new();
    let mut place_of = |days: DaySet| {
        sets.iter().position(|known| *known == days).unwrap_or_else(|| {
            sets.push(days);
            sets.len() - 1
        })
    };
    let by_member: Vec<_> = (0..times.len()).map(days_of).collect();
    let parts: Vec<Part> = all
        .iter()
        .map(|(member, is_next, times)| {
            let days = by_member[*member];
            let days = place_of(if *is_next { days.later() } else { days });
            Part { member: *member, days, times: **times }
        })
        .collect();
    let is_common = |(one, it): (usize, &Part), (other, others): (usize, &Part)| {
        all[one].0 != all[other].0
            && it.times.overlaps(&others.times)
            && !sets[it.days].and(&sets[others.days]).is_empty()
    };
    let pairs = || parts.iter().enumerate();
    let has_common = pairs().any(|it| pairs().skip(it.0 + 1).any(|other| is_common(it, other)));
    has_common.then_some((parts, sets))
}

/// Returns the days of a schedule, on which its windows begin.
fn days_of(schedule: &Schedule, expression: &Expression) -> DaySet {
    if schedule.calendar().is_none() {
        return days_of_expression(expression);
    }
    if let PlanRef::Parsed(parsed) = schedule.0.plan()
        && let DatePlan::DayBitmap(days) = &parsed.plan.date
    {
        return DaySet(*days.days.words());
    }
    // A compiled schedule has a time on no other day than its own. A window that lasts a whole day,
    // including its end, has its first step also on the day after it, but not its second one.
    let (today, _) = Times::of(expression);
    let step = expression.window.filter(Window::is_whole_day).map_or(0, |it| it.step);
    let time = u64::from(today.first_of_day() + step);
    let mut days = DaySet::EMPTY;
    (0..DAYS)
        .filter(|day| schedule.0.plan().contains(u64::from(*day) * DAY + time))
        .for_each(|day| days.insert(day));
    days
}
