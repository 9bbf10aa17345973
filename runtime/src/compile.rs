//! [`compile`]: from text to plan.

use alloc::vec::Vec;
use core::ops::Range;

use crate::days::{DayRule, DaySet};
use crate::error::Detail;
use crate::members::{MemberDays, member_spans, overlap};
use crate::overlap::Part;
use crate::parse::{Located, parse, parse_into};
use crate::planner::{NoDays, fill_time, rule_of};
use crate::search::{DatePlan, DayTimes, FixedTime, Plan, TimePart as _, TimePlan};
use crate::spans::trimmed;
use crate::{Calendar, Calendars, Dialect, Expression, Field, ParseError, ParseErrorKind, Phrase};

/// The search of a text, planned as far as it is known while the text is read.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one exists at a time, in the macro")]
pub enum Planned {
    /// The plan of a schedule without a calendar.
    Plan(Plan<DatePlan, TimePlan>),
    /// What is known of the plan of a schedule on a calendar.
    OnCalendar(OnCalendar),
    /// The members of a union.
    Union(PlannedUnion),
}

impl Planned {
    /// Whether a time of the schedule, or of a member, repeats.
    #[must_use]
    pub fn repeats(&self) -> bool {
        match self {
            Self::Plan(plan) => plan.time.repeats(),
            Self::OnCalendar(on) => on.time.repeats(),
            Self::Union(union) => union.members.iter().any(|member| member.planned.repeats()),
        }
    }
}

/// What is known of a union before the days of calendars are.
#[derive(Clone, Debug)]
pub struct PlannedUnion {
    /// The members, which are no unions themselves.
    pub members: Vec<PlannedMember>,
    /// The parts of the members, and the sets of days to which the parts refer, if two members may
    /// have an event in common.
    pub overlap: Option<(Vec<Part>, Vec<MemberDays>)>,
}

/// A member of a union.
#[derive(Clone, Debug)]
pub struct PlannedMember {
    /// The place of its text.
    pub span: Range<usize>,
    /// Its search.
    pub planned: Planned,
    /// Its days.
    pub rule: DayRule,
}

/// What is known of the plan of a schedule before the days of its calendar are.
#[derive(Clone, Debug)]
pub struct OnCalendar {
    /// The place of the calendar's name in the text.
    pub name: Range<usize>,
    /// The days, but for those of the calendar.
    pub rule: DayRule,
    /// The times.
    pub time: TimePlan,
    /// The times as the bounds depend on them.
    pub times: DayTimes,
    /// Whether the day after a day may have the end of its window as its only event.
    pub has_ends: bool,
    /// The error if the schedule has no days.
    pub never: ParseError,
}

/// Parses a schedule, in a dialect if there is one, and plans its search as far as possible without
/// its calendar. Also returns the meaning of the text, whose `Display` writes it in the language of
/// this crate.
///
/// The `schedule!` macro calls this while the program is compiled.
///
/// # Errors
///
/// Returns an error if the text is not a schedule in the language, has a time zone, or has no
/// events.
///
/// ```
/// use millicron_runtime::{Dialect, Planned, compile};
///
/// // Once an hour, on every day from 2000 to 2100.
/// let (planned, expression) = compile(Some(Dialect::Crontab), "30 * * * *")?;
/// assert_eq!(expression.to_string(), "*:30:00");
/// assert!(matches!(planned, Planned::Plan(plan) if plan.bounds.count == 24 * 36_890));
/// # Ok::<(), millicron_runtime::ParseError>(())
/// ```
pub fn compile(dialect: Option<Dialect>, text: &str) -> Result<(Planned, Expression), ParseError> {
    let (planned, expression, zone) = compile_with_zone(dialect, text)?;
    refuse_zone(dialect, text, zone)?;
    Ok((planned, expression))
}

/// Like [`compile`], but also returns the place of the time zone's name. In some dialects, a schedule may
/// have one.
///
/// # Errors
///
/// Returns an error if the text is not a schedule in the language, or has no events.
pub fn compile_with_zone(
    dialect: Option<Dialect>,
    text: &str,
) -> Result<(Planned, Expression, Option<Range<usize>>), ParseError> {
    let mut located = Located::MIDNIGHTS;
    match read_into(&mut located, dialect, text) {
        // No single schedule contains a semicolon.
        Err(_) if dialect.is_none() && text.contains(';') => {
            let (planned, expression) = compile_union(text)?;
            return Ok((planned, expression, None));
        }
        read => read?,
    }
    let planned = match located.spans.calendar.clone() {
        None => {
            let mut plan = Plan::empty();
            plan_into(&mut plan, dialect, text, &located, &())?;
            Planned::Plan(plan)
        }
        Some(name) => {
            let expression = &located.expression;
            let rule =
                rule_of(expression, true).map_err(|it| never(dialect, text, &located, &it))?;
            let mut time = TimePlan::FixedTime(FixedTime(0));
            fill_time(&mut time, expression, false);
            let times = DayTimes::of(&time);
            let has_ends = expression.window.is_some_and(|window| window.is_whole_day());
            let never = never(dialect, text, &located, &NoDays::OnCalendar);
            Planned::OnCalendar(OnCalendar { name, rule, time, times, has_ends, never })
        }
    };
    Ok((planned, located.expression, located.spans.zone))
}

/// Parses a union, like [`compile`].
fn compile_union(text: &str) -> Result<(Planned, Expression), ParseError> {
    let spans = member_spans(text)?;
    let mut expressions = Vec::new();
    let mut members = Vec::new();
    for span in spans {
        let (planned, expression) = compile(None, &text[span.clone()])
            .map_err(|error| in_union(text, span.start, error))?;
        let is_restricted = matches!(planned, Planned::OnCalendar(_));
        // Planning has succeeded already.
        if let Ok(rule) = rule_of(&expression, is_restricted) {
            members.push(PlannedMember { span, planned, rule });
        }
        expressions.push(expression);
    }
    let first = expressions.first().copied().unwrap_or(Expression::MIDNIGHTS);
    match <[PlannedMember; 1]>::try_from(members) {
        Ok([PlannedMember { planned, .. }]) => Ok((planned, first)),
        Err(members) => {
            let overlap = planned_overlap(&members, &expressions);
            Ok((Planned::Union(PlannedUnion { members, overlap }), Expression::MIDNIGHTS))
        }
    }
}

/// Returns the parts of some schedules, and where their days come from, if two of them may have an
/// event in common.
fn planned_overlap(
    members: &[PlannedMember],
    expressions: &[Expression],
) -> Option<(Vec<Part>, Vec<MemberDays>)> {
    // Days that only a calendar knows may be any days.
    let known = |index: usize| {
        let PlannedMember { planned, rule, .. } = &members[index];
        let is_known = !matches!(planned, Planned::OnCalendar(_));
        is_known.then(|| rule.days(&DaySet::MONDAY_TO_FRIDAY))
    };
    let (parts, sets) = overlap(expressions, known)?;
    Some((parts, sets.into_iter().map(|(days, _)| days).collect()))
}

/// Parses a schedule, in a dialect if there is one, into `located`, which must be
/// [`Located::MIDNIGHTS`]. If the text is a phrase in plain English, or begins like one, the error says so.
pub(crate) fn read_into(
    located: &mut Located,
    dialect: Option<Dialect>,
    text: &str,
) -> Result<(), ParseError> {
    parse_into(located, dialect, text).map_err(|error| {
        let may_be_phrase = !text.contains(';');
        if may_be_phrase && is_phrase(text) {
            phrase_error(dialect, text)
        } else if dialect.is_none() && Phrase::is_begun(text) {
            ParseError::new(ParseErrorKind::UnknownPhrase, text, trimmed(text))
        } else {
            error
        }
    })
}

/// Whether a text is a phrase, and a schedule in no language.
#[cold]
fn is_phrase(text: &str) -> bool {
    let mut languages = Dialect::ALL.into_iter().map(Some).chain([None]);
    Phrase::recognize(text).is_some() && languages.all(|it| parse(it, text).is_err())
}

/// Returns the error for a union one of whose members, which starts at a byte, is wrong.
#[cold]
pub(crate) fn in_union(text: &str, start: usize, error: ParseError) -> ParseError {
    let is_phrase = |error: &ParseError| matches!(error.kind(), ParseErrorKind::Phrase);
    // Half of a union is of no use. What else is wrong comes first.
    if !is_phrase(&error) {
        return error.within(text, start);
    }
    if Phrase::recognize(text).is_some() {
        return phrase_error(None, text);
    }
    let mut spans = member_spans(text).unwrap_or_default().into_iter();
    let other = spans.find_map(|span| {
        let error = compile(None, &text[span.clone()]).err().filter(|error| !is_phrase(error))?;
        Some(error.within(text, span.start))
    });
    other.unwrap_or_else(|| error.within(text, start))
}

fn phrase_error(dialect: Option<Dialect>, text: &str) -> ParseError {
    ParseError::new(ParseErrorKind::Phrase, text, trimmed(text)).in_dialect(dialect)
}

/// Plans the search of a parsed text in place, because a plan is expensive to move.
pub(crate) fn plan_into(
    plan: &mut Plan<DatePlan, TimePlan>,
    dialect: Option<Dialect>,
    text: &str,
    located: &Located,
    calendars: &dyn Calendars,
) -> Result<(), ParseError> {
    let calendar = match &located.spans.calendar {
        None => None,
        Some(name) => Some(find(text, name, calendars)?),
    };
    plan.fill(&located.expression, calendar.as_ref().map(Calendar::tables))
        .map_err(|no_days| never(dialect, text, located, &no_days))
}

/// Returns the days of a date and a weekday that are read from a text.
pub(crate) fn days_on(text: &str, located: &Located) -> Result<DaySet, ParseError> {
    let rule = rule_of(&located.expression, false);
    rule.map(|rule| rule.dates.days()).map_err(|no_days| never(None, text, located, &no_days))
}

/// Returns the calendar with a name.
pub(crate) fn find(
    text: &str,
    name: &Range<usize>,
    calendars: &dyn Calendars,
) -> Result<Calendar, ParseError> {
    calendars.find(&text[name.clone()]).ok_or_else(|| {
        let error = ParseError::new(ParseErrorKind::UnknownCalendar, text, name.clone());
        error.with_known(calendars.names())
    })
}

/// Returns the error for a schedule without days.
#[cold]
fn never(dialect: Option<Dialect>, text: &str, located: &Located, no_days: &NoDays) -> ParseError {
    let spans = &located.spans;
    let mut detail = Detail::None;
    let (kind, span) = match *no_days {
        NoDays::In(field @ Field::Weekday) => {
            (ParseErrorKind::Never { field }, spans.date_and_weekday())
        }
        NoDays::In(field) => (ParseErrorKind::Never { field }, spans.date()),
        NoDays::OnCalendar => {
            let days = spans.date_and_weekday();
            match &spans.calendar {
                Some(calendar) if days.is_empty() => {
                    (ParseErrorKind::NeverOnCalendar, calendar.clone())
                }
                Some(_) => (ParseErrorKind::NeverOnCalendar, days),
                None => {
                    detail = Detail::BusinessDays;
                    let has_moves = !located.expression.business.moves.is_empty();
                    let field = if has_moves { Field::Day } else { Field::Weekday };
                    (ParseErrorKind::Never { field }, days)
                }
            }
        }
    };
    ParseError::new(kind, text, span).in_dialect(dialect).with_detail(detail)
}

/// Returns an error if a text has a time zone.
pub(crate) fn refuse_zone(
    dialect: Option<Dialect>,
    text: &str,
    zone: Option<Range<usize>>,
) -> Result<(), ParseError> {
    match zone {
        None => Ok(()),
        Some(zone) => {
            Err(ParseError::new(ParseErrorKind::TimeZone, text, zone).in_dialect(dialect))
        }
    }
}
