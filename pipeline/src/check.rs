//! What is wrong with the needs of jobs, apart from their names.

use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use crate::demand::{Job, Leaf, Node};
use crate::error::{Never, Problem};
use crate::need::Rule;
use crate::timeline::Timeline;
use millicron::Recurrence as _;
use millicron::{Schedule, Unit};

/// Adds the needs that can never be met.
pub(crate) fn needs(jobs: &[Job], problems: &mut Vec<Problem>) {
    for job in jobs {
        if job.timeline.nearest_event(i64::MIN).is_none() {
            problems.push(Problem::NoRun { job: (&*job.name).into() });
            continue;
        }
        if job.needs.iter().any(has_no_alternative) {
            let why = Never::NoAlternative;
            problems.push(Problem::Never { job: (&*job.name).into(), needs: None, why });
        }
        for leaf in &job.leaves {
            let upstream = &jobs[leaf.upstream];
            if let Some(why) = never(job, upstream, leaf) {
                let [job, needs] = [job, upstream].map(|job| (&*job.name).into());
                problems.push(Problem::Never { job, needs: Some(needs), why });
            }
        }
    }
}

fn has_no_alternative(need: &Node) -> bool {
    match need {
        Node::Leaf(_) => false,
        Node::AnyOf(needs) => needs.is_empty() || needs.iter().any(has_no_alternative),
        Node::AllOf(needs) => needs.iter().any(has_no_alternative),
    }
}

/// Why a need can never be met, where that can be told from the schedules alone.
fn never(job: &Job, upstream: &Job, leaf: &Leaf) -> Option<Never> {
    let first = upstream.timeline.nearest_event(i64::MIN)?;
    let last = job.timeline.nearest_prev_event(i64::MAX)?;
    match leaf.rule {
        Rule::All | Rule::AtLeast(_) if first > last => Some(Never::TooLate { first, last }),
        Rule::AtLeast(count) => {
            let most = most_in_interval(job, upstream, leaf)?;
            (count > most).then_some(Never::TooMany { count, most })
        }
        _ => None,
    }
}

/// More upstream events than this are in no interval of a job, if that can be told.
fn most_in_interval(job: &Job, upstream: &Job, leaf: &Leaf) -> Option<u64> {
    let timelines = [&job.timeline, &upstream.timeline];
    let is_plain = timelines.iter().all(|line| line.is_uniform() && !line.is_zoned());
    if !is_plain {
        return None;
    }
    // Those before the first event, which has none before it.
    let start = job.timeline.nearest_event(i64::MIN)?;
    let before = upstream.timeline.count(i64::MIN..=start);
    let Some(shortest) = upstream.timeline.schedule()?.gaps().map(|gaps| gaps.shortest()) else {
        return Some(1);
    };
    let longest = if leaf.back.cycles == 0 {
        job.timeline.schedule()?.gaps().map_or(0, |gaps| gaps.longest().as_millis())
    } else {
        let [own, upstream] = timelines.map(|line| line.era(start));
        let (unit, _) = leaf.cycle(own, upstream);
        longest_length(unit)
    };
    let in_others = longest.div_ceil(shortest.as_millis());
    Some(before.max(u64::try_from(in_others).ok()?))
}

/// Returns whether a schedule has an event in every calendar unit from its first event to its last.
/// The unit is at least that of the schedule's period.
fn is_in_each(schedule: &Schedule, unit: Unit) -> bool {
    // Days that have events are alike, so their hours need no look.
    let unit_end = |instant| schedule.unit_end(unit.max(Unit::Day), instant);
    let Some(last) = schedule.prev_event(i64::MAX) else { return false };
    let mut event = schedule.next_event(i64::MIN);
    while let Some(start) = event.and_then(unit_end) {
        if start > last {
            break;
        }
        let end = unit_end(start).unwrap_or(i64::MAX);
        event = schedule.nearest_event(start).filter(|event| *event < end);
        if event.is_none() {
            return false;
        }
    }
    true
}

/// The longest length of a calendar unit, in milliseconds.
const fn longest_length(unit: Unit) -> u128 {
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

/// A job needs another.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    leaf: Leaf,
}

/// How far the upstream runs that are needed are from a run.
#[derive(Clone, Copy)]
struct Reach {
    /// They are in the same unit as the run, or before that; `None` where this is not
    /// known of any.
    unit: Option<Unit>,
    /// They are in a unit before that of the run.
    before: Option<Unit>,
}

impl Reach {
    fn of(jobs: &[Job], Edge { from, to, leaf }: &Edge) -> Self {
        let [job, upstream] = [from, to].map(|place| &jobs[*place].timeline);
        let [own_era, upstream_era] = [job, upstream].map(|line| line.era(i64::MAX));
        let (unit, _) = leaf.cycle(own_era, upstream_era);
        // Where a schedule was changed, a cycle may be without an event.
        let cycle = Some(unit).filter(|_| job.is_uniform() && upstream.is_uniform());
        let millisecond = Some(Unit::Millisecond);
        let (unit, before) = match (leaf.rule, leaf.back.cycles, leaf.back.events) {
            // A check point may be after the run; where upstream does not run in each
            // cycle, even in a later one.
            (Rule::Latest, cycles, _) => {
                let runs_in_each = |unit: &Unit| {
                    *unit >= upstream_era.cycle.unit
                        && upstream.schedule().is_some_and(|it| is_in_each(it, *unit))
                };
                let unit = cycle.filter(runs_in_each);
                (unit, unit.filter(|_| cycles > 0))
            }
            (_, 1.., _) => (millisecond, cycle.or(millisecond)),
            (Rule::Previous, ..) | (_, _, 1..) => (millisecond, millisecond),
            (Rule::All | Rule::AtLeast(_), 0, 0) => (millisecond, None),
        };
        Self { unit, before }
    }

    /// Whether it speaks of units by the clocks of its jobs.
    fn is_by_clocks(self) -> bool {
        [self.unit, self.before].iter().flatten().any(|unit| *unit > Unit::Millisecond)
    }
}

/// Adds the circles of jobs in which a run may need itself, by way of others.
///
/// Along a circle of jobs, each run is in the same unit of time as the one that needs it,
/// or before that: of the longest unit that one of its needs speaks of. If one
/// of them is a unit before, the circle never closes.
pub(crate) fn circles(jobs: &[Job], problems: &mut Vec<Problem>) {
    let mut edges = Vec::new();
    for (from, job) in jobs.iter().enumerate() {
        let edge = |leaf: &Leaf| Edge { from, to: leaf.upstream, leaf: *leaf };
        edges.extend(job.leaves.iter().map(edge));
    }
    while !edges.is_empty() {
        let mut rest = Vec::new();
        for circle in components(jobs.len(), &edges) {
            let left = without_those_before(jobs, &circle);
            if left.len() < circle.len() {
                rest.extend(left);
            } else if let Some(path) = shortest(&circle) {
                let path = path.into_iter().map(|place| (&*jobs[place].name).into()).collect();
                problems.push(Problem::Circle { path });
            }
        }
        edges = rest;
    }
}

/// The edges of circles without those that look a unit back: of the longest unit of all.
fn without_those_before(jobs: &[Job], edges: &[Edge]) -> Vec<Edge> {
    let reaches: Vec<Reach> = edges.iter().map(|edge| Reach::of(jobs, edge)).collect();
    let longest = longest(jobs, edges, &reaches);
    let looks_back = |reach: &Reach| {
        reach
            .before
            .zip(longest)
            .is_some_and(|(before, longest)| before >= longest && is_nested(longest, before))
    };
    let edges = edges.iter().zip(&reaches).filter(|(_, reach)| !looks_back(reach));
    edges.map(|(edge, _)| *edge).collect()
}

/// The longest unit that edges speak of, if all their units are parts of it.
fn longest(jobs: &[Job], edges: &[Edge], reaches: &[Reach]) -> Option<Unit> {
    let units: Vec<Unit> = reaches.iter().map(|reach| reach.unit).collect::<Option<_>>()?;
    let longest = units.iter().max().copied()?;
    if !units.iter().all(|unit| is_nested(*unit, longest)) {
        return None;
    }
    if longest > Unit::Millisecond {
        let by_clocks = edges.iter().zip(reaches).filter(|(_, reach)| reach.is_by_clocks());
        let places: BTreeSet<usize> =
            by_clocks.flat_map(|(edge, _)| [edge.from, edge.to]).collect();
        let mut lines = places.into_iter().map(|place| &jobs[place].timeline);
        let first = lines.next()?;
        let is_alike = |line: &Timeline| match (line.is_zoned(), first.is_zoned()) {
            (false, false) => true,
            (true, true) => longest >= Unit::Day && has_same_days(line, first),
            _ => false,
        };
        return lines.all(is_alike).then_some(longest);
    }
    Some(longest)
}

/// No week is in one month.
fn is_nested(unit: Unit, longer: Unit) -> bool {
    unit != Unit::Week || longer == unit
}

/// Whether days begin at the same instants by the clocks of two jobs, and so do weeks,
/// months and years: zones can not be compared otherwise.
fn has_same_days(line: &Timeline, other: &Timeline) -> bool {
    fn days(line: &Timeline) -> impl Iterator<Item = i64> {
        let next = |day: &i64| line.unit_end(Unit::Day, *day);
        core::iter::successors(next(&i64::MIN), next)
    }
    days(line).eq(days(other))
}

/// The edges of each set of jobs that are all on circles with each other (the strongly
/// connected components, by Kosaraju's two walks).
fn components(jobs: usize, edges: &[Edge]) -> Vec<Vec<Edge>> {
    let neighbours = |is_back: bool| {
        let mut lists = vec![Vec::new(); jobs];
        for Edge { from, to, .. } in edges {
            let (from, to) = if is_back { (to, from) } else { (from, to) };
            lists[*from].push(*to);
        }
        lists
    };
    let mut order = Vec::new();
    let mut is_seen = vec![false; jobs];
    let forward = neighbours(false);
    for start in 0..jobs {
        walk(start, &forward, &mut is_seen, &mut order);
    }
    let backward = neighbours(true);
    let mut is_seen = vec![false; jobs];
    let mut component = vec![0; jobs];
    for (index, start) in order.into_iter().rev().enumerate() {
        let mut members = Vec::new();
        walk(start, &backward, &mut is_seen, &mut members);
        for member in members {
            component[member] = index;
        }
    }
    let mut circles = vec![Vec::new(); jobs];
    for edge in edges.iter().filter(|edge| component[edge.from] == component[edge.to]) {
        circles[component[edge.from]].push(*edge);
    }
    circles.retain(|circle| !circle.is_empty());
    circles
}

/// Adds what can be reached from a job and was not seen, each after all it leads to.
fn walk(start: usize, lists: &[Vec<usize>], is_seen: &mut [bool], order: &mut Vec<usize>) {
    if core::mem::replace(&mut is_seen[start], true) {
        return;
    }
    // Not recursive: a chain of jobs may be long.
    let mut path = vec![(start, lists[start].iter())];
    while let Some((place, rest)) = path.last_mut() {
        match rest.next() {
            Some(next) if !core::mem::replace(&mut is_seen[*next], true) => {
                path.push((*next, lists[*next].iter()));
            }
            Some(_) => {}
            None => {
                order.push(*place);
                path.pop();
            }
        }
    }
}

/// The shortest circle through the first job of some that are on circles.
fn shortest(edges: &[Edge]) -> Option<Vec<usize>> {
    let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for Edge { from, to, .. } in edges {
        lists.entry(*from).or_default().push(*to);
    }
    let (&start, _) = lists.first_key_value()?;
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(place) = queue.pop_front() {
        for next in lists.get(&place).into_iter().flatten() {
            if *next == start {
                let mut path = vec![place];
                while let Some(before) = came_from.get(path.last()?) {
                    path.push(*before);
                }
                path.reverse();
                return Some(path);
            }
            if let Entry::Vacant(entry) = came_from.entry(*next) {
                entry.insert(place);
                queue.push_back(*next);
            }
        }
    }
    None
}
