//! A history in a file, compared with one in memory.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use millicron_pipeline::{History, MemoryHistory, SqliteError, SqliteHistory};
use millicron_test_support::generate::cases;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Directory, FILE, all, first, open, successes};

#[derive(Clone, Debug)]
enum Operation {
    Record(String, i64),
    RecordAll(Vec<(String, i64)>),
    Successes(String, i64, i64, usize),
    First(String, i64),
    DropBefore(i64),
    Reopen,
}

fn job() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] =
        &["", "a", "A", "a ", "a\0", "a\0b", "\0", "a'; --", "\"a\"", "?1", "1", "ä", "日本"];
    prop_oneof![
        8 => proptest::sample::select(KNOWN).prop_map(str::to_owned),
        1 => vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ]
}

fn instant() -> impl Strategy<Value = i64> {
    const ENDS: &[i64] = &[i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
    prop_oneof![
        8 => -8..8_i64,
        1 => proptest::sample::select(ENDS),
        1 => any::<i64>(),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (job(), instant()).prop_map(|(job, at)| Operation::Record(job, at)),
        3 => vec((job(), instant()), 0..40).prop_map(Operation::RecordAll),
        6 => (job(), instant(), instant(), 0..5_usize)
            .prop_map(|(job, start, end, stop)| Operation::Successes(job, start, end, stop)),
        4 => (job(), instant()).prop_map(|(job, at)| Operation::First(job, at)),
        1 => instant().prop_map(Operation::DropBefore),
        1 => Just(Operation::Reopen),
    ]
}

/// Returns the successes in a range, up to `stop` of them.
fn some<H: History<Error: std::fmt::Debug>>(
    history: &H,
    job: &str,
    (start, end): (i64, i64),
    stop: usize,
) -> Vec<i64> {
    let mut successes = Vec::new();
    let visited = history.successes(job, start..=end, &mut |success| {
        successes.push(success);
        if successes.len() < stop { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    visited.expect("the read succeeds");
    successes
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn file_answers_like_memory(operations in vec(operation(), 0..60)) {
        let directory = Directory::new("model");
        let mut file = open(directory.join(FILE));
        let mut memory = MemoryHistory::new();
        let mut jobs = BTreeSet::new();
        for operation in operations {
            match operation {
                Operation::Record(job, at) => {
                    file.record(&job, at)?;
                    memory.record(&job, at)?;
                    jobs.insert(job);
                }
                Operation::RecordAll(runs) => {
                    file.record_all(runs.iter().map(|(job, at)| (job, *at)))?;
                    for (job, at) in runs {
                        memory.record(&job, at)?;
                        jobs.insert(job);
                    }
                }
                Operation::Successes(job, start, end, stop) => {
                    let range = (start, end);
                    prop_assert_eq!(
                        some(&file, &job, range, stop),
                        some(&memory, &job, range, stop)
                    );
                }
                Operation::First(job, at) => {
                    prop_assert_eq!(
                        file.first_at_or_after(&job, at)?,
                        memory.first_at_or_after(&job, at)?
                    );
                }
                Operation::DropBefore(at) => {
                    file.drop_before(at)?;
                    memory.drop_before(at)?;
                }
                Operation::Reopen => {
                    drop(file);
                    file = open(directory.join(FILE));
                }
            }
        }
        for job in jobs {
            prop_assert_eq!(all(&file, &job), all(&memory, &job), "{:?}", job);
        }
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
    history.drop_before(i64::MIN).expect("the removal succeeds");
    assert_eq!(all(&history, "job"), [i64::MIN, -1, 0, i64::MAX]);
    history.drop_before(i64::MAX).expect("the removal succeeds");
    assert_eq!(all(&history, "job"), [i64::MAX]);
}

#[test]
fn visitor_can_read_and_panic() {
    let directory = Directory::new("visitors");
    let mut history = open(directory.join(FILE));
    history.record_all((0..4).map(|at| ("job", at))).expect("the records succeed");
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
fn record_all_records_all_or_none() {
    let directory = Directory::new("all");
    let mut history = open(directory.join(FILE));
    history.record("job", 1).expect("the record succeeds");
    for _ in 0..2 {
        let runs = [1, 2, 3, 4].into_iter().map(|at| {
            if at == 4 {
                resume_unwind(Box::new("iterated"));
            }
            ("job", at)
        });
        let panicking = AssertUnwindSafe(|| history.record_all(runs));
        assert!(catch_unwind(panicking).is_err());
        assert_eq!(all(&history, "job"), [1]);
    }
    history.record_all([("job", 2), ("job", 2), ("job", 1)]).expect("the records succeed");
    history.record_all(Vec::<(String, i64)>::new()).expect("nothing to record");
    assert_eq!(all(&open(directory.join(FILE)), "job"), [1, 2]);
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
