//! Reads unions: schedules separated by `;`.

use alloc::vec::Vec;

use crate::compile::in_union;
use crate::days::DaySet;
use crate::error::Detail;
use crate::handle::{Owned, PlanHandle, PlanRef, Schedule, Union};
use crate::members::{member_spans, overlap};
use crate::overlap::{Overlap, PartDays, Times};
use crate::parse::Located;
use crate::parsed::Parsed;
use crate::planner::days_of_expression;
use crate::search::{DAY, DAYS, DatePlan};
use crate::{Calendars, Expression, ParseError, ParseErrorKind, Window};

/// Reads a union of schedules. A union of one is that schedule.
pub(crate) fn parse_union(text: &str, calendars: &dyn Calendars) -> Result<Schedule, ParseError> {
    let mut members = Vec::new();
    for span in member_spans(text)? {
        let mut located = Located::MIDNIGHTS;
        let parsed = Parsed::parse(&mut located, None, &text[span.clone()], calendars)
            .map_err(|error| in_union(text, span.start, error))?;
        members.push(Schedule(PlanHandle::Owned(Owned::parsed(parsed))));
    }
    union_of(text, members)
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
        let error = ParseError::new(ParseErrorKind::Empty, "", 0..0);
        return Err(error.with_detail(Detail::NoMembers));
    }
    let texts: Vec<&str> = members.iter().map(|member| member.text().trim_ascii()).collect();
    let text = texts.join("; ");
    // The errors are those of the text.
    member_spans(&text)?;
    union_of(&text, members)
}

/// Returns the union of some schedules, which are no unions themselves, with its text.
fn union_of(text: &str, members: Vec<Schedule>) -> Result<Schedule, ParseError> {
    match <[Schedule; 1]>::try_from(members) {
        Ok([member]) => Ok(member),
        Err(members) => {
            let overlap =
                overlap_of(&members).map_err(|kind| ParseError::new(kind, text, 0..text.len()))?;
            let union = Union::new(text, members.into(), overlap);
            Ok(Schedule(PlanHandle::Owned(Owned::union(union))))
        }
    }
}

/// Returns how to count the events of some schedules, if two of them have one in common.
fn overlap_of(members: &[Schedule]) -> Result<Option<Overlap>, ParseErrorKind> {
    let expressions: Vec<Expression> = members.iter().map(Schedule::expression).collect();
    let days = |index: usize| Some(days_of(&members[index], &expressions[index]));
    let Some((parts, sets)) = overlap(&expressions, days) else { return Ok(None) };
    let days = sets.iter().filter_map(|(_, days)| days.as_ref()).map(PartDays::owned).collect();
    let overlap = Overlap::new(parts.into(), days);
    overlap.map(Some).ok_or(ParseErrorKind::Intertwined)
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
    // including its end, has its first step also on the day after it, but not its second one, unless
    // that is the next day's first one: then a day counts if the next one has the first step too,
    // which may add days, but no events.
    let (today, _) = Times::of(expression);
    let step = expression.window.filter(Window::is_whole_day).map_or(0, |it| it.step);
    let has = |time: u64| time >= u64::from(DAYS) * DAY || schedule.0.plan().contains(time);
    let first = u64::from(today.first_of_day());
    let mut days = DaySet::EMPTY;
    (0..DAYS)
        .map(|day| (day, u64::from(day) * DAY + first))
        .filter(|(_, time)| has(*time) && has(*time + u64::from(step)))
        .for_each(|(day, _)| days.insert(day));
    days
}
