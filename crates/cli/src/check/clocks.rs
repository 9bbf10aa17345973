//! The lint for clock changes.

use jiff::ToSpan;
use millicron::{CalendarDigits, ClockEffect, Field, Gap, Schedule};
use millicron_pictures::{AffectedEvents, ClockChangeEvents};

use super::subject::Subject;
use crate::file::{Problem, members};

/// Events in the gaps and folds of the time zone.
pub(super) fn clock_change(subject: &Subject<'_>) -> Option<Problem> {
    let schedule = &subject.job.schedule;
    let start = subject.now.to_zoned_datetime(schedule.zone().clone());
    let end = start.checked_add(2.years()).ok()?;
    let range = start.timestamp().as_millisecond()..end.timestamp().as_millisecond();
    let changes = ClockChangeEvents::list(schedule, range);
    let (clocks, events) = changes.iter().find_map(|change| {
        let events = change.affected.iter().find(|events| is_surprise(subject, change, events))?;
        Some((change.clocks, events))
    })?;
    // Last, since it looks at all years.
    if is_round_the_clock(subject) {
        return None;
    }
    let text = |civil: CalendarDigits| civil.to_string().trim_end_matches(".000").to_owned();
    let time = |civil: CalendarDigits| text(civil).get(11..).unwrap_or_default().to_owned();
    let how = match events.effect {
        ClockEffect::Doubled(_) => "fires in both passes".to_owned(),
        effect => effect.to_string(),
    };
    let message = format_args!(
        "{} {how}: the clocks go from {} to {}",
        text(events.first),
        time(clocks.from),
        time(clocks.to)
    );
    let problem = Problem::warning("clock-change", subject.span(Field::Hour), message);
    let (from, to) = (clocks.from.min(clocks.to), clocks.from.max(clocks.to));
    let hint = format_args!("choose a time before {} or from {} on", time(from), time(to));
    Some(problem.hint(hint))
}

/// Whether a schedule repeats all day long, so that nobody counts on a certain time.
fn is_round_the_clock(subject: &Subject<'_>) -> bool {
    let schedule = subject.job.schedule.schedule();
    let is_any_hour = subject.canonical.get(Field::Hour).is_some_and(|text| text.starts_with('*'));
    let is_even = || schedule.gaps().is_some_and(|gaps| gaps.shortest() == gaps.longest());
    repeats(schedule, subject) && (is_any_hour || is_even())
}

/// Whether a schedule keeps its pace where the clocks change.
fn repeats(schedule: &Schedule, subject: &Subject<'_>) -> bool {
    // The job's own policy is no help: a timer has that of systemd.
    schedule.in_zone(subject.job.schedule.zone().clone()).gap() == Gap::Bridge
}

/// Whether a clock change affects more than the pace of events that go on after it.
fn is_surprise(subject: &Subject<'_>, change: &ClockChangeEvents, events: &AffectedEvents) -> bool {
    match events.effect {
        ClockEffect::Bridged => false,
        ClockEffect::Doubled(_) => {
            let [end, start] =
                [change.clocks.from, change.clocks.to].map(CalendarDigits::to_millis);
            let after = end..end.saturating_add(end.saturating_sub(start));
            // Of a union, each member by itself.
            members(subject.job.schedule.schedule()).iter().any(|member| {
                let is_doubled = repeats(member, subject) && member.count(start..end) > 0;
                is_doubled && member.count(after.clone()) == 0
            })
        }
        _ => true,
    }
}
