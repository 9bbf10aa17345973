//! A history in memory.

use std::ops::{Bound, ControlFlow};

use millicron_history::{History as _, MemoryHistory, RunQuery, RunState};

fn record(history: &mut MemoryHistory, job: &str, scheduled: i64) {
    let Ok(()) = history.record(job, scheduled);
}

/// Returns a history of successes of one job.
fn history_of(job: &str, runs: &[i64]) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for run in runs {
        record(&mut history, job, *run);
    }
    history
}

#[test]
fn recording_twice_is_the_same_as_once() {
    let mut history = MemoryHistory::new();
    assert!(history.is_empty());
    record(&mut history, "a", 5);
    record(&mut history, "a", 5);
    assert_eq!(history.len(), 1);
    assert!(!history.is_empty());
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
    let history = history_of("a", &[30, 10, 40, 20]);
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
fn query_skips_and_limits_runs_in_its_order() {
    let history = history_of("a", &[10, 20, 30, 40]);
    let read = |query: RunQuery<'_>| {
        let mut runs = Vec::new();
        let Ok(()) = history.read(&[query], &mut |_, scheduled, _| {
            runs.push(scheduled);
            ControlFlow::Continue(())
        });
        runs
    };
    assert_eq!(read(RunQuery::new("a", ..).skip(1).limit(2)), [20, 30]);
    assert_eq!(read(RunQuery::new("a", ..).newest_first().skip(1).limit(2)), [30, 20]);
    assert_eq!(read(RunQuery::new("a", 20..).limit(1)), [20]);
    assert_eq!(read(RunQuery::new("a", ..).limit(0)), []);
    let between = (Bound::Excluded(10), Bound::Excluded(40));
    assert_eq!(read(RunQuery::new("a", between)), [20, 30]);
}

#[test]
fn histories_with_other_records_are_not_equal() {
    let history = history_of("a", &[10, 20]);
    assert_eq!(history, history_of("a", &[20, 10]));
    let mut failed = history.clone();
    let Ok(()) = failed.record_state("a", 20, RunState::Failed);
    for other in
        [failed, history_of("a", &[10]), history_of("a", &[10, 30]), history_of("b", &[10, 20])]
    {
        assert_ne!(history, other);
    }
}

#[cfg(feature = "std")]
#[test]
fn debug_output_names_the_clock() {
    let history = MemoryHistory::new();
    let debug = format!("{history:?}");
    assert!(debug.contains("Clock(system)"), "{debug}");
    let debug = format!("{:?}", history.with_clock(|| 0));
    assert!(debug.contains("Clock(function)"), "{debug}");
}

#[test]
fn reversed_range_is_empty() {
    let history = history_of("a", &[0, 1, 2]);
    assert_eq!(successes(&history, "a", 2, 1), []);
    assert_eq!(successes(&history, "a", i64::MAX, i64::MIN), []);
}

#[test]
fn drop_before_removes_earlier_successes() {
    let mut history = history_of("a", &[10, 20, 30]);
    record(&mut history, "b", 15);
    let Ok(()) = history.drop_before(&[("a", 20), ("b", 20), ("c", 20)]);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [20, 30]);
    assert_eq!(history.len(), 2);
    assert_eq!(history, history_of("a", &[20, 30]));
    let Ok(()) = history.drop_before(&[("a", i64::MIN), ("b", i64::MAX)]);
    assert_eq!(history.len(), 2);
    let Ok(()) = history.drop_before(&[("a", 31)]);
    assert!(history.is_empty());
    assert_eq!(history, MemoryHistory::default());
}

#[cfg(feature = "std")]
proptest::proptest! {
    #![proptest_config(millicron_test_support::generate::cases(2000))]

    #[test]
    fn memory_agrees_with_a_model(operations in crate::operations::operations()) {
        let mut model = crate::model::Model::default();
        let mut memory = MemoryHistory::new().with_clock(model.clock());
        for operation in operations {
            model.apply(&mut memory, &operation);
        }
        model.check(&memory);
    }
}
