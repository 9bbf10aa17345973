//! Jobs that start in the same second.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use jiff::{Timestamp, ToSpan};

use crate::file::{Format, JobEntry, JobFile, Problem};

/// So many jobs that start in one second are a herd.
const HERD: usize = 10;

/// How many days are searched.
const DAYS: i64 = 40;

/// How many seconds with events of a job are looked at, in all jobs together.
const MAX_STEPS: usize = 300_000;

/// Finds the second in which the most jobs start.
pub(super) fn find(file: &JobFile, now: Timestamp) -> Vec<Problem> {
    // Schedules in sources need not be of jobs in the same program.
    if file.format == Format::Rust {
        return Vec::new();
    }
    // Jobs with jitter are spread.
    let jobs: Vec<&JobEntry> =
        file.jobs.iter().filter(|job| job.policies.jitter.is_none_or(|it| it.is_zero())).collect();
    let Some((second, herd)) = most_at_once(&jobs, now).filter(|(_, herd)| herd.len() >= HERD)
    else {
        return Vec::new();
    };
    let Some(first) = herd.first() else { return Vec::new() };
    let zone = first.schedule.zone().clone();
    let time = second.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S %Z");
    let mut names: Vec<_> = herd.iter().take(3).map(|job| format!("`{}`", job.name)).collect();
    names.push(format!("{} more", herd.len() - names.len()));
    let message = format_args!("{} jobs start at {time}: {}", herd.len(), names.join(", "));
    let problem = Problem::warning("herd", first.span.clone(), message);
    vec![problem.hint("spread them over minutes and seconds, or add `jitter`")]
}

/// Returns the first second with the most jobs, and these.
fn most_at_once<'a>(
    jobs: &[&'a JobEntry],
    now: Timestamp,
) -> Option<(Timestamp, Vec<&'a JobEntry>)> {
    let end = now.checked_add((DAYS * 24).hours()).ok()?.as_second();
    let next = |index: usize, second: i64| -> Option<Reverse<(i64, usize)>> {
        let from = Timestamp::from_second(second).ok()?;
        let event = jobs.get(index)?.schedule.nearest_event(from)?.as_second();
        (event < end).then_some(Reverse((event, index)))
    };
    let mut events: BinaryHeap<_> =
        (0..jobs.len()).filter_map(|index| next(index, now.as_second() + 1)).collect();
    let mut best: (i64, Vec<usize>) = (0, Vec::new());
    let mut together = Vec::new();
    let mut steps = 0;
    while let Some(Reverse((second, _))) = events.peek().copied() {
        together.clear();
        while let Some(Reverse((_, index))) =
            events.peek().copied().filter(|Reverse((other, _))| *other == second)
        {
            events.pop();
            together.push(index);
            steps += 1;
        }
        if together.len() > best.1.len() {
            best = (second, together.clone());
        }
        // A second with all jobs that are left cannot be surpassed.
        if steps > MAX_STEPS || best.1.len() > together.len() + events.len() {
            break;
        }
        events.extend(together.iter().filter_map(|index| next(*index, second + 1)));
    }
    let (second, mut herd) = best;
    // Those that start in the next second, too, say less about this one.
    herd.sort_unstable_by_key(|index| {
        let is_next = next(*index, second + 1).is_some_and(|Reverse((next, _))| next == second + 1);
        (is_next, *index)
    });
    let herd = herd.into_iter().filter_map(|index| jobs.get(index).copied()).collect();
    Some((Timestamp::from_second(second).ok()?, herd))
}
