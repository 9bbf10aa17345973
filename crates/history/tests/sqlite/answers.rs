//! Answers of a history in a file.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use millicron_history::{History as _, RunQuery, RunState, SqliteError, SqliteHistory};
use millicron_test_support::generate::cases;
use proptest::prelude::*;

use super::damage::transactions;
use super::{Directory, FILE, all, first, open, record_all, successes};
use crate::model::{Model, Operation};
use crate::operations::operations;
use crate::reads::HOUR;

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn file_agrees_with_a_model(operations in operations()) {
        let directory = Directory::new("model");
        let mut model = Model::default();
        let open = |model: &Model| open(directory.join(FILE)).with_clock(model.clock());
        let mut file = open(&model);
        for operation in operations {
            match operation {
                Operation::RecordRuns(runs) => {
                    file.record_states(runs.iter().map(|(job, at, state)| (job, *at, *state)))?;
                    for (job, at, state) in runs {
                        model.record(&job, at, state);
                    }
                }
                Operation::Reopen => {
                    drop(file);
                    file = open(&model);
                }
                operation => model.apply(&mut file, &operation),
            }
        }
        model.check(&file);
        drop(file);
        // Opening checks the sum of all checksums.
        model.check(&open(&model));
    }
}

#[test]
fn names_are_kept_byte_for_byte() {
    let directory = Directory::new("names");
    let names =
        ["", "\0", "nul\0in it", "nul\0in", "naïve", "nai\u{308}ve", "x'y\"z", "\u{10ffff}"];
    let mut history = open(directory.join(FILE));
    for (at, name) in (0..).zip(names) {
        history.record(name, at).expect("the record succeeds");
    }
    drop(history);
    let history = open(directory.join(FILE));
    for (at, name) in (0..).zip(names) {
        assert_eq!(all(&history, name), [at], "{name:?}");
    }
    drop(history);
    let content = fs::read(directory.join(FILE)).expect("accessible file");
    for name in names {
        let bytes = name.as_bytes();
        assert!(bytes.is_empty() || content.windows(bytes.len()).any(|window| window == bytes));
    }
}

#[test]
fn ranges_reach_the_ends_of_i64() {
    let directory = Directory::new("ends");
    let mut history = open(directory.join(FILE));
    for at in [i64::MIN, -1, 0, i64::MAX] {
        history.record("job", at).expect("the record succeeds");
    }
    assert_eq!(all(&history, "job"), [i64::MIN, -1, 0, i64::MAX]);
    assert_eq!(successes(&history, "job", i64::MAX..=i64::MAX), [i64::MAX]);
    assert_eq!(successes(&history, "job", i64::MIN..=i64::MIN), [i64::MIN]);
    #[expect(clippy::reversed_empty_ranges, reason = "an empty range")]
    let reversed = [0..=-1, i64::MAX..=i64::MIN];
    for range in reversed {
        assert_eq!(successes(&history, "job", range), []);
    }
    let mut exhausted = 0..=0;
    assert_eq!(exhausted.next(), Some(0));
    assert_eq!(successes(&history, "job", exhausted), []);
    history.drop_before(&[("job", i64::MIN)]).expect("the removal succeeds");
    assert_eq!(all(&history, "job"), [i64::MIN, -1, 0, i64::MAX]);
    history.drop_before(&[("job", i64::MAX)]).expect("the removal succeeds");
    assert_eq!(all(&history, "job"), [i64::MAX]);
}

#[test]
fn visitor_can_read_and_panic() {
    let directory = Directory::new("visitors");
    let mut history = open(directory.join(FILE));
    record_all(&mut history, (0..4).map(|at| ("job", at)));
    let mut pairs = Vec::new();
    let visited = history.successes("job", 0..=3, &mut |outer| {
        for inner in successes(&history, "job", outer + 1..=3) {
            pairs.push((outer, inner));
        }
        ControlFlow::Continue(())
    });
    visited.expect("the read succeeds");
    assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);

    for at in 4..8 {
        let panicking = AssertUnwindSafe(|| {
            let mut panic = |_| resume_unwind(Box::new("visited"));
            let _: Result<(), SqliteError> = history.successes("job", 0..=3, &mut panic);
        });
        assert!(catch_unwind(panicking).is_err());
        // A statement that stays open would block other writers.
        history.record("job", at).expect("the record succeeds");
        open(directory.join(FILE)).record("other", at).expect("the record succeeds");
        assert_eq!(all(&history, "other").last(), Some(&at));
        assert_eq!(all(&history, "job"), first(at + 1));
    }
    drop(history);
    assert_eq!(directory.content().len(), 1, "the file is closed");
}

#[test]
fn visitor_of_several_queries_can_read_several_queries() {
    let directory = Directory::new("nested reads");
    let mut history = open(directory.join(FILE));
    record_all(&mut history, [("one", 1), ("two", 2)]);
    let queries = ["one", "two"].map(|job| RunQuery::new(job, ..));
    let mut seen = Vec::new();
    let read = history.read(&queries, &mut |outer, _, _| {
        let read = history.read(&queries, &mut |inner, at, _| {
            seen.push((outer, inner, at));
            ControlFlow::Continue(())
        });
        read.expect("the read succeeds");
        ControlFlow::Continue(())
    });
    read.expect("the read succeeds");
    assert_eq!(seen, [(0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 1, 2)]);
}

#[test]
fn record_states_records_all_or_none() {
    let directory = Directory::new("all");
    let mut history = open(directory.join(FILE));
    history.record("job", 1).expect("the record succeeds");
    for _ in 0..2 {
        let runs = [1, 2, 3, 4].into_iter().map(|at| {
            if at == 4 {
                resume_unwind(Box::new("iterated"));
            }
            ("job", at, RunState::Succeeded)
        });
        let panicking = AssertUnwindSafe(|| history.record_states(runs));
        assert!(catch_unwind(panicking).is_err());
        assert_eq!(all(&history, "job"), [1]);
    }
    record_all(&mut history, [("job", 2), ("job", 2), ("job", 1)]);
    record_all(&mut history, Vec::<(String, i64)>::new());
    assert_eq!(all(&open(directory.join(FILE)), "job"), [1, 2]);
}

/// Returns how many transactions an open history has written to its log.
fn written(directory: &Directory) -> usize {
    transactions(&fs::read(directory.join("history-wal")).expect("an open history")).len()
}

#[test]
fn many_runs_are_forgotten_in_one_transaction() {
    let directory = Directory::new("forget all");
    let mut history = open(directory.join(FILE));
    let runs =
        || ["up", "job"].into_iter().flat_map(|job| (0..100).map(move |at| (job, at * HOUR)));
    record_all(&mut history, runs());
    let before = written(&directory);
    let odd: Vec<_> = runs().skip(1).step_by(2).map(|(job, at)| (job, at..=at)).collect();
    history.forget_all(&odd).expect("the removal succeeds");
    assert_eq!(written(&directory), before + 1);
    let even: Vec<i64> = (0..100).step_by(2).map(|at| at * HOUR).collect();
    assert_eq!([all(&history, "up"), all(&history, "job")], [even.clone(), even]);

    let removal = history.drop_before(&[("up", 98 * HOUR), ("job", 98 * HOUR)]);
    removal.expect("the removal succeeds");
    assert_eq!(written(&directory), before + 2);
    assert_eq!([all(&history, "up"), all(&history, "job")], [[98 * HOUR], [98 * HOUR]]);
}

#[test]
fn history_is_send() {
    fn is_send<T: Send + 'static>() {}
    fn is_error<T: Error + Send + Sync + 'static>() {}
    is_send::<SqliteHistory>();
    is_error::<SqliteError>();
    let directory = Directory::new("threads");
    let mut history = open(directory.join(FILE));
    let history = thread::spawn(move || {
        history.record("job", 1).expect("the record succeeds");
        history
    });
    assert_eq!(all(&history.join().expect("the thread succeeds"), "job"), [1]);
}

#[test]
fn queries_of_one_read_see_the_same_state() {
    let directory = Directory::new("snapshot");
    let [mut writer, reader] = [(), ()].map(|()| open(directory.join(FILE)));
    writer.record("first", 1).expect("the record succeeds");
    let queries = [RunQuery::new("first", ..), RunQuery::new("second", ..)];
    let mut seen = Vec::new();
    let read = reader.read(&queries, &mut |query, at, _| {
        seen.push((query, at));
        writer.record("second", 2).expect("the record succeeds");
        ControlFlow::Continue(())
    });
    read.expect("the read succeeds");
    assert_eq!(seen, [(0, 1)]);
    assert_eq!(all(&reader, "second"), [2]);
}
