//! What a success unlocks, what is planned, and what a history in memory answers.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::support::{
    DAY, HOUR, SATURDAY, SINCE, all_before, at, begun, built, check_waits, pair, ready, record,
    saturday, steps,
};
use millicron::schedule;
use millicron::{Recurrence, Unit};
use millicron_pipeline::{History, MemoryHistory, Need, Run};

/// Where upstream will never run again, its last run is the check point of all runs to come.
#[test]
fn the_last_run_ever_unlocks_all_that_come_after_it() {
    let need = Need::latest("up").by(Unit::Day);
    let pipeline = pair("2026.11.20-21 06:00:00", "2026.11.20-23 12:00:00", need);
    let last = saturday("06:00:00");
    let history = crate::support::history_of("up", &[last - DAY]);
    let unlocked = pipeline.runs_unlocked_by("up", last, &history, i64::MAX).expect("a run");
    let runs = steps(saturday("12:00:00"), DAY, 3);
    assert_eq!(unlocked.iter().map(|run| run.scheduled).collect::<Vec<_>>(), runs);
    for run in runs {
        check_waits(
            &ready(&pipeline, "job", run, &history),
            &[("up", last)],
            "waiting for `up` 2026-11-21 06:00:00 or later",
        );
    }
}

#[test]
fn one_success_unlocks_what_waited_for_it() {
    let pipeline = built(
        begun()
            .job("daily", schedule!("3:01:03"), [])
            .job("hourly", schedule!("*:01:02"), [Need::latest("daily")])
            .job("bill", schedule!("4:00:00"), [Need::all("hourly"), Need::all("daily")]),
    );
    let daily = saturday("03:01:03");
    let mut history = all_before(&pipeline, SATURDAY);
    let unlocked = |history: &MemoryHistory| -> Vec<String> {
        let runs = pipeline.runs_unlocked_by("daily", daily, history, i64::MAX).expect("a run");
        runs.iter().map(Run::to_string).collect()
    };
    // Those of the day; the bill waits for these.
    let hours: Vec<String> =
        (0..24).map(|hour| format!("`hourly` 2026-11-21 {hour:02}:01:02")).collect();
    assert_eq!(unlocked(&history), hours);
    for hour in 0..4 {
        record(&mut history, "hourly", saturday("00:01:02") + hour * HOUR);
    }
    // Those that have succeeded do not start again, and the bill is next to start.
    let rest: Vec<String> = ["`bill` 2026-11-21 04:00:00".to_owned()]
        .into_iter()
        .chain(hours[4..].iter().cloned())
        .collect();
    assert_eq!(unlocked(&history), rest);
    // Whether it is recorded does not matter.
    record(&mut history, "daily", daily);
    assert_eq!(unlocked(&history), rest);
    // After a later success it unlocks no run that needs any.
    record(&mut history, "daily", daily + DAY);
    assert_eq!(unlocked(&history), rest[..1]);
}

#[test]
fn a_plan_holds_what_needs_a_later_run() {
    let pipeline =
        built(begun().job("hourly", schedule!("*/6:00:00"), [Need::latest("daily")]).job(
            "daily",
            schedule!("13:00:00"),
            [],
        ));
    let plan = |range: std::ops::Range<i64>| {
        pipeline.plan(range).map(|run| run.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        plan(SATURDAY..SATURDAY + DAY),
        [
            "`daily` 2026-11-21 13:00:00",
            "`hourly` 2026-11-21 00:00:00",
            "`hourly` 2026-11-21 06:00:00",
            "`hourly` 2026-11-21 12:00:00",
            "`hourly` 2026-11-21 18:00:00",
        ]
    );
    // What is out of the range is taken for done.
    assert_eq!(
        plan(SATURDAY..SATURDAY + 8 * HOUR),
        ["`hourly` 2026-11-21 00:00:00", "`hourly` 2026-11-21 06:00:00"]
    );
    let [end, start] = [SATURDAY, SATURDAY + DAY];
    assert_eq!(plan(start..end), [""; 0]);
    assert_eq!(plan(SATURDAY..SATURDAY), [""; 0]);
    assert_eq!(pipeline.plan(..SINCE).count(), 0);
    assert_eq!(pipeline.plan(SINCE..=SINCE).count(), 1);
}

#[test]
fn the_same_record_twice_is_one() {
    let mut history = MemoryHistory::new();
    assert!(history.is_empty());
    record(&mut history, "a", 5);
    record(&mut history, "a", 5);
    assert_eq!(history.len(), 1);
    record(&mut history, "b", 5);
    record(&mut history, "a", -5);
    assert_eq!(history.len(), 3);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [-5, 5]);
    let mut other = MemoryHistory::new();
    for (job, run) in [("a", -5), ("b", 5), ("a", 5)] {
        record(&mut other, job, run);
    }
    assert_eq!(history, other);
}

fn successes(history: &MemoryHistory, job: &str, first: i64, last: i64) -> Vec<i64> {
    let mut all = Vec::new();
    let Ok(()) = history.successes(job, first..=last, &mut |success| {
        all.push(success);
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn successes_are_visited_in_order_until_told_to_break() {
    let history = crate::support::history_of("a", &[30, 10, 40, 20]);
    assert_eq!(successes(&history, "a", 10, 40), [10, 20, 30, 40]);
    assert_eq!(successes(&history, "a", 11, 39), [20, 30]);
    assert_eq!(successes(&history, "b", 0, 100), []);
    let mut seen = Vec::new();
    let Ok(()) = history.successes("a", 0..=100, &mut |success| {
        seen.push(success);
        if success == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, [10, 20]);
    assert_eq!(history.first_at_or_after("a", 20), Ok(Some(20)));
    assert_eq!(history.first_at_or_after("a", 21), Ok(Some(30)));
    assert_eq!(history.first_at_or_after("a", 41), Ok(None));
    assert_eq!(history.first_at_or_after("b", i64::MIN), Ok(None));
}

#[test]
fn a_reversed_range_holds_nothing() {
    let history = crate::support::history_of("a", &[0, 1, 2]);
    assert_eq!(successes(&history, "a", 2, 1), []);
    assert_eq!(successes(&history, "a", i64::MAX, i64::MIN), []);
    let every = schedule!("*:*:*");
    let [end, start] = [SATURDAY - 1, SATURDAY];
    let Ok(missing) = history.missing("a", &every, start..=end);
    assert!(missing.is_empty());
    assert_eq!((missing.count(), missing.instants().count()), (0, 0));
    assert_eq!(missing.to_string(), "");
}

#[test]
fn what_is_before_an_instant_is_dropped() {
    let mut history = crate::support::history_of("a", &[10, 20, 30]);
    record(&mut history, "b", 15);
    let Ok(()) = history.drop_before(20);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [20, 30]);
    assert_eq!(history.len(), 2);
    assert_eq!(history, crate::support::history_of("a", &[20, 30]));
    let Ok(()) = history.drop_before(31);
    assert!(history.is_empty());
    assert_eq!(history, MemoryHistory::default());
}

#[test]
fn millions_of_missing_runs_are_counted() {
    let every: &dyn Recurrence = &schedule!("*:*:*.*");
    let [first, last] = [crate::oracle::START, crate::oracle::END];
    let history = crate::support::history_of("a", &[SATURDAY, SATURDAY + 2]);
    let Ok(missing) = history.missing("a", every, i64::MIN..=i64::MAX);
    // A century of milliseconds takes no time, since they are not looked at.
    assert_eq!(missing.count(), first.abs_diff(last) + 1 - 2);
    let ends: Vec<_> =
        missing.stretches().iter().map(|stretch| (stretch.first, stretch.last)).collect();
    assert_eq!(ends, [(first, SATURDAY - 1), (SATURDAY + 1, SATURDAY + 1), (SATURDAY + 3, last)]);
    assert!(missing.instants().take(3).eq([first, first + 1, first + 2]));
    let pipeline = pair("*:*:*.*", "*.*.1 00:00:00", Need::all("up"));
    let readiness = ready(&pipeline, "job", at("2027-01-01 00:00:00"), &history);
    let words = "waiting for `up` 2026-12-01 00:00:00.001 … 2027-01-01 00:00:00 (2678400000)";
    assert_eq!(readiness.to_string(), words);
}

/// A history that is not known by its type.
#[test]
fn any_history_can_be_asked() {
    let pipeline = pair("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let mut history: Box<dyn History<Error = Infallible>> = Box::new(MemoryHistory::new());
    let is_ready = |history: &dyn History<Error = Infallible>| {
        pipeline.ready("job", run, history).map(|readiness| readiness.is_ready())
    };
    assert_eq!(is_ready(&*history), Ok(false));
    let unlocked = pipeline.runs_unlocked_by("up", needed, &*history, i64::MAX);
    assert_eq!(unlocked, Ok(vec![Run { job: "job", scheduled: run }]));
    assert_eq!(history.record("up", needed), Ok(()));
    assert_eq!(is_ready(&*history), Ok(true));
    assert_eq!(history.first_at_or_after("up", 0), Ok(Some(needed)));
    let daily = schedule!("2:01:04");
    let missing = history.missing("up", &daily, SATURDAY..=SATURDAY + 3 * DAY);
    assert_eq!(missing.map(|missing| missing.count()), Ok(2));
    assert_eq!(history.drop_before(needed + 1), Ok(()));
    assert_eq!(is_ready(&*history), Ok(false));
}
