//! Finds needs that can never be met.

use alloc::vec::Vec;

use millicron::{Recurrence, Schedule, Unit};

use crate::error::{Impossible, PipelineProblem};
use crate::model::job::{Job, NeedTree};
use crate::model::need::Rule;
use crate::model::relation::Relation;

/// Reports jobs that never run, and needs that can never be met.
pub(crate) fn check(jobs: &[Job], problems: &mut Vec<PipelineProblem>) {
    for job in jobs {
        let name = || (&*job.name).into();
        if job.timeline.nearest_event(i64::MIN).is_none() {
            problems.push(PipelineProblem::NeverRuns { job: name() });
            continue;
        }
        if job.needs.iter().any(has_no_alternative) {
            problems.push(PipelineProblem::NoAlternative { job: name() });
        }
        for relation in Relation::of(jobs, job) {
            if let Some(reason) = impossible(relation) {
                let upstream = (&*relation.upstream.name).into();
                problems.push(PipelineProblem::ImpossibleNeed { job: name(), upstream, reason });
            }
        }
    }
}

fn has_no_alternative(need: &NeedTree) -> bool {
    match need {
        NeedTree::Leaf(_) => false,
        NeedTree::AnyOf(needs) => needs.is_empty() || needs.iter().any(has_no_alternative),
        NeedTree::AllOf(needs) => needs.iter().any(has_no_alternative),
    }
}

/// Returns why a need can never be met, if the schedules alone show it.
fn impossible(relation: Relation<'_>) -> Option<Impossible> {
    let Relation { job, upstream, requirement } = relation;
    // Where the pipeline begins makes no need impossible.
    let first = upstream.timeline.first_event()?;
    let last = job.timeline.nearest_prev_event(i64::MAX)?;
    match requirement.rule {
        Rule::All | Rule::AtLeast(_) if first > last => {
            let offset = upstream.timeline.offset_at(first);
            Some(Impossible::TooLate { first, last, offset })
        }
        Rule::AtLeast(count) => {
            let max = max_in_interval(relation)?;
            (count > max).then_some(Impossible::TooMany { count, max })
        }
        _ => None,
    }
}

/// Returns an upper bound on the number of upstream events in any of a job's intervals; `None` if
/// the schedules alone do not determine one.
fn max_in_interval(relation: Relation<'_>) -> Option<u64> {
    let Relation { job, upstream, requirement } = relation;
    let timelines = [&job.timeline, &upstream.timeline];
    let is_plain = timelines.iter().all(|line| line.is_uniform() && !line.is_zoned());
    if !is_plain {
        return None;
    }
    // Only a schedule knows its gaps exactly.
    let [own_schedule, upstream_schedule] = timelines.map(Recurrence::schedule);
    let (own_schedule, upstream_schedule) = (own_schedule?, upstream_schedule?);
    // The first run's interval has no start.
    let start = job.timeline.nearest_event(i64::MIN)?;
    let before = upstream.timeline.count(i64::MIN..=start);
    // Those of some unions take too long to find.
    let is_single = |schedule: &Schedule| schedule.count(..) == 1;
    let Some(shortest) = upstream_schedule.gaps().map(|gaps| gaps.shortest()) else {
        return is_single(upstream_schedule).then_some(1);
    };
    let longest = if requirement.settings.periods == 0 {
        match own_schedule.gaps() {
            Some(gaps) => gaps.longest().as_millis(),
            None if is_single(own_schedule) => 0,
            None => return None,
        }
    } else {
        max_length(relation.current_period().unit)
    };
    let in_others = longest.div_ceil(shortest.as_millis());
    Some(before.max(u64::try_from(in_others).ok()?))
}

/// Returns the maximum length of a calendar unit in milliseconds.
const fn max_length(unit: Unit) -> u128 {
    const DAY: u128 = 86_400_000;
    match unit {
        Unit::Millisecond => 1,
        Unit::Second => 1000,
        Unit::Minute => 60_000,
        Unit::Hour => 3_600_000,
        Unit::Day => DAY,
        Unit::Week => 7 * DAY,
        Unit::Month => 31 * DAY,
        Unit::Year => 366 * DAY,
    }
}
