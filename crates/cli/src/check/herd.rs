//! Jobs that start in the same second.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use jiff::{Timestamp, ToSpan};

use crate::file::{JobEntry, JobFile, Problem};

/// The minimum number of jobs in a herd.
const HERD: usize = 10;

/// The most herds to report.
const MOST: usize = 3;

/// How many days are searched.
const DAYS: i64 = 366;

/// How many seconds with events of each job are visited. After that, a job is only checked when another one starts, so
/// a job that starts every second does not hide others.
const STEPS: u32 = 2000;

/// How many times jobs are checked when another one starts.
const MAX_LOOKS: usize = 10_000_000;

/// Finds the seconds in which the most jobs start. Each herd has enough jobs that are not in an earlier one.
pub(super) fn find(file: &JobFile, now: Timestamp) -> Vec<Problem> {
    // Jobs with jitter are spread.
    let jobs: Vec<&JobEntry> =
        file.jobs.iter().filter(|job| job.policies.jitter.is_none_or(|it| it.is_zero())).collect();
    let mut left = jobs.clone();
    let mut problems = Vec::new();
    while problems.len() < MOST && left.len() >= HERD {
        let Some((second, herd)) = most_at_once(&left, now) else { break };
        if herd.len() < HERD {
            break;
        }
        problems.extend(problem(second, &herd, &jobs));
        let found: HashSet<&str> = herd.iter().map(|job| &*job.name).collect();
        left.retain(|job| !found.contains(&*job.name));
    }
    problems
}

/// Reports a herd. Jobs of a herd that was reported before may start with it.
fn problem(second: i64, herd: &[&JobEntry], jobs: &[&JobEntry]) -> Option<Problem> {
    let first = herd.first()?;
    let count = jobs.iter().filter(|job| next(job, second) == Some(second)).count();
    let zone = first.schedule.zone().clone();
    let time = Timestamp::from_second(second)
        .ok()?
        .to_zoned_datetime(zone)
        .strftime("%Y-%m-%d %H:%M:%S %Z");
    let mut names: Vec<_> = herd.iter().take(3).map(|job| format!("`{}`", job.name)).collect();
    names.push(format!("{} more", count - names.len()));
    let message = format_args!("{count} jobs start at {time}: {}", names.join(", "));
    let problem = Problem::warning("herd", first.span.clone(), message);
    Some(problem.hint("spread them over minutes and seconds, or add `jitter`"))
}

/// Returns the first second at or after one in which a job starts.
fn next(job: &JobEntry, second: i64) -> Option<i64> {
    let from = Timestamp::from_second(second).ok()?;
    Some(job.schedule.nearest_event(from)?.as_second())
}

/// Returns the first second in which the most jobs start, and these jobs.
fn most_at_once<'a>(jobs: &[&'a JobEntry], now: Timestamp) -> Option<(i64, Vec<&'a JobEntry>)> {
    let end = now.checked_add((DAYS * 24).hours()).ok()?.as_second();
    let next_of = |index: usize, second: i64| next(jobs.get(index)?, second);
    let visit = |index: usize, second: i64, steps: u32| {
        let next = next_of(index, second).filter(|next| *next < end)?;
        Some(Reverse((next, index, steps)))
    };
    let mut visits: BinaryHeap<_> =
        (0..jobs.len()).filter_map(|index| visit(index, now.as_second() + 1, 1)).collect();
    // The jobs that are only checked, and when they start next.
    let mut others: Vec<(i64, usize)> = Vec::new();
    let mut looks = 0;
    let mut best: (i64, Vec<usize>) = (0, Vec::new());
    while let Some(Reverse((second, ..))) = visits.peek().copied() {
        let mut together = Vec::new();
        for (start, index) in &mut others {
            if *start < second {
                *start = next_of(*index, second).unwrap_or(i64::MAX);
                looks += 1;
            }
            together.extend((*start == second).then_some(*index));
        }
        while let Some(Reverse((_, index, steps))) =
            visits.peek().copied().filter(|Reverse((other, ..))| *other == second)
        {
            visits.pop();
            together.push(index);
            if steps < STEPS {
                visits.extend(visit(index, second + 1, steps + 1));
            } else {
                others.push((second, index));
            }
        }
        if together.len() > best.1.len() {
            best = (second, together);
        }
        if looks > MAX_LOOKS || best.1.len() >= visits.len() + others.len() {
            break;
        }
    }
    let (second, mut herd) = best;
    // Jobs that also start in the next second come last, since they are less typical of this one.
    herd.sort_unstable_by_key(|index| (next_of(*index, second + 1) == Some(second + 1), *index));
    Some((second, herd.into_iter().filter_map(|index| jobs.get(index).copied()).collect()))
}
