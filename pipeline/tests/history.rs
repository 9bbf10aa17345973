//! Unlocked runs, plans, and the history in memory.

use std::convert::Infallible;
use std::ops::ControlFlow;

use millicron::{Recurrence, Unit, schedule};
use millicron_pipeline::{History, MemoryHistory, Need, Run, RunState};

use crate::support::{
    DAY, HOUR, SATURDAY, SINCE, all_before, at, build, builder, check_waits, ready, record,
    saturday, steps, two_jobs,
};

/// If upstream will never run again, its last run is the check point of all later runs.
#[test]
fn last_run_of_upstream_unlocks_all_later_runs() {
    let need = Need::latest("up").period(Unit::Day);
    let pipeline = two_jobs("2026.11.20-21 06:00:00", "2026.11.20-23 12:00:00", need);
    let last = saturday("06:00:00");
    let history = crate::support::history_of("up", &[last - DAY]);
    let unlocked = pipeline
        .runs_unlocked_by("up", last, RunState::Succeeded, &history, ..)
        .expect("existing run");
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
fn success_unlocks_the_runs_that_waited_for_it() {
    let pipeline = build(
        builder()
            .job("daily", schedule!("3:01:03"), [])
            .job("hourly", schedule!("*:01:02"), [Need::latest("daily")])
            .job("bill", schedule!("4:00:00"), [Need::all("hourly"), Need::all("daily")]),
    );
    let daily = saturday("03:01:03");
    let mut history = all_before(&pipeline, SATURDAY);
    let unlocked = |history: &MemoryHistory| -> Vec<String> {
        let runs = pipeline
            .runs_unlocked_by("daily", daily, RunState::Succeeded, history, ..)
            .expect("existing run");
        runs.iter().map(Run::to_string).collect()
    };
    // The hourly runs of the day; the bill waits for them.
    let hours: Vec<String> =
        (0..24).map(|hour| format!("`hourly` 2026-11-21 {hour:02}:01:02")).collect();
    assert_eq!(unlocked(&history), hours);
    for hour in 0..4 {
        record(&mut history, "hourly", saturday("00:01:02") + hour * HOUR);
    }
    // Runs that have succeeded are not unlocked again; now the bill is ready.
    let rest: Vec<String> = ["`bill` 2026-11-21 04:00:00".to_owned()]
        .into_iter()
        .chain(hours[4..].iter().cloned())
        .collect();
    assert_eq!(unlocked(&history), rest);
    // It makes no difference whether the success is recorded.
    record(&mut history, "daily", daily);
    assert_eq!(unlocked(&history), rest);
    // A later success is enough for `latest`, so only `all` still needs this one.
    record(&mut history, "daily", daily + DAY);
    assert_eq!(unlocked(&history), rest[..1]);
}

#[test]
fn plan_puts_a_run_after_a_later_one_that_it_needs() {
    let pipeline =
        build(builder().job("hourly", schedule!("*/6:00:00"), [Need::latest("daily")]).job(
            "daily",
            schedule!("13:00:00"),
            [],
        ));
    let plan = |range: std::ops::Range<i64>| {
        pipeline.plan(range).expect("a plan").map(|run| run.to_string()).collect::<Vec<_>>()
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
    // Runs outside the range are taken to have succeeded.
    assert_eq!(
        plan(SATURDAY..SATURDAY + 8 * HOUR),
        ["`hourly` 2026-11-21 00:00:00", "`hourly` 2026-11-21 06:00:00"]
    );
    let [end, start] = [SATURDAY, SATURDAY + DAY];
    assert_eq!(plan(start..end), [""; 0]);
    assert_eq!(plan(SATURDAY..SATURDAY), [""; 0]);
    assert_eq!(pipeline.plan(..SINCE).expect("a plan").count(), 0);
    assert_eq!(pipeline.plan(SINCE..=SINCE).expect("a plan").count(), 1);
}

#[test]
fn recording_twice_is_the_same_as_once() {
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
fn successes_are_visited_in_order_until_break() {
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
fn reversed_range_is_empty() {
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
fn drop_before_removes_earlier_successes() {
    let mut history = crate::support::history_of("a", &[10, 20, 30]);
    record(&mut history, "b", 15);
    let Ok(()) = history.drop_before(&[("a", 20), ("b", 20), ("c", 20)]);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [20, 30]);
    assert_eq!(history.len(), 2);
    assert_eq!(history, crate::support::history_of("a", &[20, 30]));
    let Ok(()) = history.drop_before(&[("a", i64::MIN), ("b", i64::MAX)]);
    assert_eq!(history.len(), 2);
    let Ok(()) = history.drop_before(&[("a", 31)]);
    assert!(history.is_empty());
    assert_eq!(history, MemoryHistory::default());
}

#[test]
fn missing_counts_a_century_of_milliseconds() {
    let every: &(dyn Recurrence + Sync) = &schedule!("*:*:*.*");
    let [first, last] = [crate::oracle::START, crate::oracle::END];
    let history = crate::support::history_of("a", &[SATURDAY, SATURDAY + 2]);
    let Ok(missing) = history.missing("a", every, i64::MIN..=i64::MAX);
    // Missing events are not visited one by one.
    assert_eq!(missing.count(), first.abs_diff(last) + 1 - 2);
    let ends: Vec<_> = missing.ranges().iter().map(|range| (range.first, range.last)).collect();
    assert_eq!(ends, [(first, SATURDAY - 1), (SATURDAY + 1, SATURDAY + 1), (SATURDAY + 3, last)]);
    assert!(missing.instants().take(3).eq([first, first + 1, first + 2]));
    let pipeline = two_jobs("*:*:*.*", "*.*.1 00:00:00", Need::all("up"));
    let readiness = ready(&pipeline, "job", at("2027-01-01 00:00:00"), &history);
    let message = "waiting for `up` 2026-12-01 00:00:00.001 … 2027-01-01 00:00:00 (2678400000)";
    assert_eq!(readiness.to_string(), message);
}

#[cfg(feature = "std")]
proptest::proptest! {
    #![proptest_config(millicron_test_support::generate::cases(2000))]

    #[test]
    fn memory_agrees_with_a_model(operations in crate::support::history::operations()) {
        let mut model = crate::support::history::Model::default();
        let mut memory = MemoryHistory::new().with_clock(model.clock());
        for operation in operations {
            model.apply(&mut memory, &operation);
        }
        model.check(&memory);
    }
}

#[test]
fn history_can_be_a_trait_object() {
    let pipeline = two_jobs("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let mut history: Box<dyn History<Error = Infallible>> = Box::new(MemoryHistory::new());
    let is_ready = |history: &dyn History<Error = Infallible>| {
        pipeline.ready("job", run, history).map(|readiness| readiness.is_ready())
    };
    assert_eq!(is_ready(&*history), Ok(false));
    let unlocked = pipeline.runs_unlocked_by("up", needed, RunState::Succeeded, &*history, ..);
    assert_eq!(unlocked, Ok(vec![Run { job: "job", scheduled: run }]));
    assert_eq!(history.record("up", needed), Ok(()));
    assert_eq!(is_ready(&*history), Ok(true));
    assert_eq!(history.first_at_or_after("up", 0), Ok(Some(needed)));
    let daily = schedule!("2:01:04");
    let missing = history.missing("up", &daily, SATURDAY..=SATURDAY + 3 * DAY);
    assert_eq!(missing.map(|missing| missing.count()), Ok(2));
    assert_eq!(history.drop_before(&[("up", needed + 1)]), Ok(()));
    assert_eq!(is_ready(&*history), Ok(false));
}
