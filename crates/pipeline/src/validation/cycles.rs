//! Finds dependency cycles.

use alloc::boxed::Box;
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use millicron::{Recurrence, Schedule, Unit};

use crate::error::PipelineProblem;
use crate::model::job::Job;
use crate::model::need::{AgeLimit, NeedSettings, Rule};
use crate::model::relation::{CheckPeriod, Relation};
use crate::model::timeline::Timeline;

/// A need of job `from` for job `to`.
#[derive(Clone, Copy)]
struct Edge<'a> {
    from: usize,
    to: usize,
    relation: Relation<'a>,
}

/// Where the runs that an edge leads to lie relative to the run that needs them.
#[derive(Clone, Copy)]
struct Distance {
    /// They are in the same calendar unit as the run or an earlier one; `None` if this is not known
    /// for any unit.
    within: Option<Unit>,
    /// They are in an earlier unit than the run; `None` if this is not known for any unit.
    before: Option<Unit>,
}

impl Distance {
    fn of(relation: Relation<'_>) -> Self {
        let Relation { job, upstream, requirement } = relation;
        let (job, upstream) = (&job.timeline, &upstream.timeline);
        let CheckPeriod { unit, .. } = relation.current_period();
        // A schedule that changes may leave a period without an event.
        let period = Some(unit).filter(|_| job.is_uniform() && upstream.is_uniform());
        let millisecond = Some(Unit::Millisecond);
        let NeedSettings { events, periods, millis, .. } = requirement.settings;
        match requirement.rule {
            // A check point, or the last run with data of a period, may be after the run; if
            // upstream does not run in each period, it may even be in a later period.
            Rule::Latest | Rule::Classic | Rule::AllData(_) => {
                let upstream = upstream.current();
                let is_regular = |unit: &Unit| {
                    *unit >= upstream.period.unit && runs_in_each(&*upstream.recurrence, *unit)
                };
                let within = period.filter(is_regular);
                Self { within, before: within.filter(|_| periods > 0) }
            }
            // If the last run is too old, the next one is needed.
            Rule::Last if may_expire(relation) => Self { within: None, before: None },
            Rule::Last | Rule::All | Rule::AtLeast(_) | Rule::Previous => {
                let is_earlier = events > 0 || millis > 0 || requirement.rule == Rule::Previous;
                let before = match periods {
                    0 => millisecond.filter(|_| is_earlier),
                    _ => period.or(millisecond),
                };
                Self { within: millisecond, before }
            }
        }
    }

    /// Returns whether the distance depends on where calendar units start in the jobs' local time.
    fn depends_on_local_time(self) -> bool {
        [self.within, self.before].iter().flatten().any(|unit| *unit > Unit::Millisecond)
    }
}

/// Returns whether upstream's last run may be older than the need's limit, unless upstream has not
/// run yet or will never run again; `true` if this is not known.
fn may_expire(Relation { upstream, requirement, .. }: Relation<'_>) -> bool {
    let upstream = &upstream.timeline;
    let age = match requirement.settings.limit {
        None => return false,
        Some(AgeLimit::SameUnit(_)) => return true,
        Some(AgeLimit::Elapsed(age)) => age,
    };
    let version = upstream.current();
    let began_before = || version.recurrence.nearest_prev_event(version.reset).is_some();
    let is_known = upstream.is_uniform() && !upstream.is_zoned() && began_before();
    let gaps = upstream.schedule().filter(|_| is_known).and_then(Schedule::gaps);
    gaps.is_none_or(|gaps| gaps.longest() > age)
}

/// Returns whether a recurrence has an event in every calendar unit from its first event to its
/// last; `false` if that would take too long to find out. The unit must be at least as long as the
/// unit of the recurrence's period.
fn runs_in_each(recurrence: &dyn Recurrence, unit: Unit) -> bool {
    let (unit, recurrence): (Unit, &dyn Recurrence) = match recurrence.schedule() {
        // All days with events are alike, so there is no need to check the hours of a day.
        Some(schedule) if !recurrence.is_zoned() => (unit.max(Unit::Day), schedule),
        // A clock change may leave a day without an event.
        Some(_) => (unit.max(Unit::Day), recurrence),
        // A century has too many hours to check each of them.
        None if unit < Unit::Day => return false,
        None => (unit, recurrence),
    };
    let Some(last) = recurrence.nearest_prev_event(i64::MAX) else { return false };
    let mut event = recurrence.nearest_event(i64::MIN);
    while let Some(start) = event.and_then(|event| recurrence.unit_end(unit, event)) {
        if start > last {
            break;
        }
        let end = recurrence.unit_end(unit, start).unwrap_or(i64::MAX);
        event = recurrence.nearest_event(start).filter(|event| *event < end);
        if event.is_none() {
            return false;
        }
    }
    true
}

/// Reports the cycles of jobs in which a run may need itself through other runs.
///
/// Consider the longest calendar unit that any need in a cycle uses. Along the cycle, each run is
/// in the same unit as the run that needs it, or in an earlier one. So if one of the needs leads to
/// an earlier unit, no run can be reached from itself. Such edges are removed, and the remaining
/// edges are searched again.
pub(crate) fn check<'a>(jobs: &'a [Job], problems: &mut Vec<PipelineProblem>) {
    let mut edges = Vec::new();
    for (from, job) in jobs.iter().enumerate() {
        let edge = |it: Relation<'a>| Edge { from, to: it.requirement.upstream, relation: it };
        edges.extend(Relation::of(jobs, job).map(edge));
    }
    while !edges.is_empty() {
        let mut rest = Vec::new();
        for component in components(jobs.len(), &edges) {
            let remaining = without_earlier(&component);
            if remaining.len() < component.len() {
                rest.extend(remaining);
            } else {
                let path = shortest_cycle(&component);
                debug_assert!(path.is_some(), "every job of a component is on a cycle");
                let path = path.into_iter().flatten();
                let path = path.map(|index| (&*jobs[index].name).into()).collect();
                let expiring = expiring(&component);
                problems.push(PipelineProblem::DependencyCycle { path, expiring });
            }
        }
        edges = rest;
    }
}

/// Returns a job whose last run may be too old for a need in a cycle.
fn expiring(edges: &[Edge<'_>]) -> Option<Box<str>> {
    let mut relations = edges.iter().map(|edge| edge.relation);
    let expiring = relations.find(|it| it.requirement.rule == Rule::Last && may_expire(*it));
    expiring.map(|relation| (&*relation.upstream.name).into())
}

/// Returns the edges of a component except those that lead to an earlier unit, for the longest unit
/// that the component uses.
fn without_earlier<'a>(edges: &[Edge<'a>]) -> Vec<Edge<'a>> {
    let distances: Vec<_> = edges.iter().map(|edge| Distance::of(edge.relation)).collect();
    let Some(longest) = longest(edges, &distances) else { return edges.to_vec() };
    let leads_back = |unit: Unit| unit >= longest && is_nested(longest, unit);
    let edges = edges.iter().zip(distances);
    edges.filter(|(_, it)| !it.before.is_some_and(leads_back)).map(|(edge, _)| *edge).collect()
}

/// Returns the longest unit of some edges if all their units nest in it, in all jobs' local time.
fn longest(edges: &[Edge<'_>], distances: &[Distance]) -> Option<Unit> {
    let units: Vec<Unit> = distances.iter().map(|it| it.within).collect::<Option<_>>()?;
    let longest = units.iter().max().copied()?;
    let is_nested = units.iter().all(|unit| is_nested(*unit, longest))
        && (longest == Unit::Millisecond || starts_alike(longest, edges, distances));
    is_nested.then_some(longest)
}

/// Returns whether a unit starts at the same instants for all jobs for which that matters.
fn starts_alike(unit: Unit, edges: &[Edge<'_>], distances: &[Distance]) -> bool {
    let local = edges.iter().zip(distances).filter(|(_, it)| it.depends_on_local_time());
    let timelines = local.flat_map(|(Edge { from, to, relation }, _)| {
        [(from, &relation.job.timeline), (to, &relation.upstream.timeline)]
    });
    // Each timeline once.
    let mut timelines = timelines.collect::<BTreeMap<_, _>>().into_values();
    let Some(first) = timelines.next() else { return true };
    timelines.all(|line| match (line.is_zoned(), first.is_zoned()) {
        (false, false) => true,
        (true, true) => unit >= Unit::Day && has_same_days(line, first),
        _ => false,
    })
}

/// Returns whether a unit nests in a longer one. All units do except weeks, which may span two
/// months or years.
fn is_nested(unit: Unit, longer: Unit) -> bool {
    unit != Unit::Week || longer == unit
}

/// Returns whether the days of two jobs, and therefore weeks, months and years, start at the same
/// instants. There is no other way to compare zones.
fn has_same_days(line: &Timeline, other: &Timeline) -> bool {
    fn days(line: &Timeline) -> impl Iterator<Item = i64> {
        let next = |day: &i64| line.unit_end(Unit::Day, *day);
        core::iter::successors(next(&i64::MIN), next)
    }
    days(line).eq(days(other))
}

/// Returns the edges within each strongly connected component, by Kosaraju's algorithm.
fn components<'a>(jobs: usize, edges: &[Edge<'a>]) -> Vec<Vec<Edge<'a>>> {
    let neighbors = |is_reversed: bool| {
        let mut lists = vec![Vec::new(); jobs];
        for Edge { from, to, .. } in edges {
            let (from, to) = if is_reversed { (to, from) } else { (from, to) };
            lists[*from].push(*to);
        }
        lists
    };
    let mut order = Vec::new();
    let mut is_visited = vec![false; jobs];
    let forward = neighbors(false);
    for start in 0..jobs {
        visit(start, &forward, &mut is_visited, &mut order);
    }
    let backward = neighbors(true);
    let mut is_visited = vec![false; jobs];
    let mut component = vec![0; jobs];
    for (number, start) in order.into_iter().rev().enumerate() {
        let mut members = Vec::new();
        visit(start, &backward, &mut is_visited, &mut members);
        for member in members {
            component[member] = number;
        }
    }
    let mut components = vec![Vec::new(); jobs];
    for edge in edges.iter().filter(|edge| component[edge.from] == component[edge.to]) {
        components[component[edge.from]].push(*edge);
    }
    components.retain(|edges| !edges.is_empty());
    components
}

/// Appends the unvisited jobs that can be reached from `start`, in depth-first postorder.
fn visit(start: usize, lists: &[Vec<usize>], is_visited: &mut [bool], order: &mut Vec<usize>) {
    if core::mem::replace(&mut is_visited[start], true) {
        return;
    }
    // Not recursive, since a chain of jobs may be long.
    let mut path = vec![(start, lists[start].iter())];
    while let Some((index, rest)) = path.last_mut() {
        match rest.next() {
            Some(next) if !core::mem::replace(&mut is_visited[*next], true) => {
                path.push((*next, lists[*next].iter()));
            }
            Some(_) => {}
            None => {
                order.push(*index);
                path.pop();
            }
        }
    }
}

/// Returns the shortest cycle through the first job of a component.
fn shortest_cycle(edges: &[Edge<'_>]) -> Option<Vec<usize>> {
    let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for Edge { from, to, .. } in edges {
        lists.entry(*from).or_default().push(*to);
    }
    let (&start, _) = lists.first_key_value()?;
    let mut predecessors = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(index) = queue.pop_front() {
        for next in lists.get(&index).into_iter().flatten() {
            if *next == start {
                let mut path = vec![index];
                while let Some(predecessor) = predecessors.get(path.last()?) {
                    path.push(*predecessor);
                }
                path.reverse();
                return Some(path);
            }
            if let Entry::Vacant(entry) = predecessors.entry(*next) {
                entry.insert(index);
                queue.push_back(*next);
            }
        }
    }
    None
}
