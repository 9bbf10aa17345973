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
const STEPS: usize = 2000;

/// How many seconds with events of all jobs are visited for a herd, so that a file may have many jobs.
const MAX_VISITS: usize = 1_000_000;

/// How many times the next event of a job is computed, for all herds of a file.
const MAX_LOOKS: usize = 5_000_000;

/// Finds the seconds in which the most jobs start. Each herd has enough jobs that are not in an earlier one.
pub(super) fn find(file: &JobFile, now: Timestamp) -> Vec<Problem> {
    // Jobs with jitter are spread.
    let jobs: Vec<&JobEntry> =
        file.jobs.iter().filter(|job| job.policies.jitter.is_none_or(|it| it.is_zero())).collect();
    let (mut left, mut looks) = (jobs.clone(), 0);
    let mut problems = Vec::new();
    while problems.len() < MOST && left.len() >= HERD {
        let Some((second, herd)) = most_at_once(&left, now, &mut looks) else { break };
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

/// Returns the first second in which the most jobs start, and these jobs. Adds to `looks`.
fn most_at_once<'a>(
    jobs: &[&'a JobEntry],
    now: Timestamp,
    looks: &mut usize,
) -> Option<(i64, Vec<&'a JobEntry>)> {
    let end = now.checked_add((DAYS * 24).hours()).ok()?.as_second();
    let most = STEPS.min(MAX_VISITS / jobs.len().max(1));
    let next_of = |index: usize, second: i64| next(jobs.get(index)?, second);
    let mut visit = |index: usize, second: i64, steps: usize| {
        *looks += 1;
        let is_over = *looks > MAX_LOOKS;
        let next = next_of(index, second).filter(|next| *next < end && !is_over)?;
        Some(Reverse((next, index, steps)))
    };
    let mut visits: BinaryHeap<_> =
        (0..jobs.len()).filter_map(|index| visit(index, now.as_second() + 1, 1)).collect();
    // The jobs that are only checked, and when they start next.
    let mut others = BinaryHeap::new();
    let mut best: (i64, Vec<usize>) = (0, Vec::new());
    while let Some(Reverse((second, ..))) = visits.peek().copied() {
        let mut together = Vec::new();
        while let Some(Reverse((_, index, _))) = pop_until(&mut others, second - 1) {
            others.extend(visit(index, second, most));
        }
        while let Some(Reverse((_, index, _))) = pop_until(&mut others, second) {
            together.push(index);
        }
        let checked = together.len();
        while let Some(Reverse((_, index, steps))) = pop_until(&mut visits, second) {
            together.push(index);
            if steps < most {
                visits.extend(visit(index, second + 1, steps + 1));
            } else {
                others.push(Reverse((second, index, steps)));
            }
        }
        others.extend(together.iter().take(checked).map(|index| Reverse((second, *index, most))));
        if together.len() > best.1.len() {
            best = (second, together);
        }
        if best.1.len() >= visits.len() + others.len() {
            break;
        }
    }
    let (second, mut herd) = best;
    // Jobs that also start in the next second come last, since they are less typical of this one.
    herd.sort_by_cached_key(|index| (next_of(*index, second + 1) == Some(second + 1), *index));
    Some((second, herd.into_iter().filter_map(|index| jobs.get(index).copied()).collect()))
}

/// A second in which a job starts, the job, and how many of its seconds were visited.
type Visit = Reverse<(i64, usize, usize)>;

/// Removes and returns the first visit, if it is at or before a second.
fn pop_until(visits: &mut BinaryHeap<Visit>, second: i64) -> Option<Visit> {
    visits.peek().filter(|Reverse((first, ..))| *first <= second)?;
    visits.pop()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::{MAX_LOOKS, MAX_VISITS, most_at_once};
    use crate::file::{FileFormat, JobEntry, JobFile, ReadOptions};

    #[test]
    fn the_work_for_many_jobs_is_bounded() {
        let daily = |job| format!("{} {} * * * x\n", job % 60, job / 60 % 24);
        let text = (0..4000).map(daily).collect::<String>() + &"30 12 * * 1 y\n".repeat(20);
        let options =
            ReadOptions { format: Some(FileFormat::Crontab), zone: TimeZone::UTC, has_users: None };
        let file = JobFile::parse(Path::new("crontab"), text, &options);
        let jobs = file.jobs.iter().collect::<Vec<&JobEntry>>();
        // A Monday.
        let now: Timestamp = "2024-01-01T00:00:00Z".parse().expect("a time");
        let mut looks = 0;
        let (second, herd) = most_at_once(&jobs, now, &mut looks).expect("a herd");
        // At 12:30, with two or three of the daily jobs.
        assert_eq!((second - now.as_second(), herd.len()), (12 * 3600 + 30 * 60, 23));
        // A visit of each job on each day would be half as many again.
        assert!(looks <= MAX_VISITS / 5 * 6, "{looks}");
        // The limit of the file ends the search at once.
        let mut looks = MAX_LOOKS;
        let (_, herd) = most_at_once(&jobs, now, &mut looks).expect("an answer");
        assert!(herd.is_empty());
    }
}
