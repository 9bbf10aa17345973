//! Random operations on a history.

use millicron_history::{RunRecord, RunState};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::model::Operation;

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

/// A job and an instant, from few enough that claims collide.
fn claimed() -> impl Strategy<Value = (String, i64)> {
    const JOBS: &[&str] = &["", "a", "a\0"];
    let few = (proptest::sample::select(JOBS).prop_map(str::to_owned), -1..=1_i64);
    prop_oneof![4 => few, 1 => (job(), instant())]
}

fn state() -> impl Strategy<Value = RunState> {
    const STATES: &[RunState] = &[RunState::Succeeded, RunState::Failed, RunState::Skipped];
    proptest::sample::select(STATES)
}

fn record() -> impl Strategy<Value = RunRecord> {
    let instant = || proptest::option::of(instant());
    let attempts = proptest::option::of(prop_oneof![0..3_u32, Just(u32::MAX)]);
    let fields = (state(), instant(), instant(), attempts);
    fields.prop_map(|(state, started, ended, attempts)| RunRecord {
        state,
        started,
        ended,
        attempts,
    })
}

fn lease() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..20_000_u64, 1 => Just(u64::MAX)]
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..4_u64, 1 => Just(u64::MAX)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let range = || (job(), instant(), instant());
    let reads = prop_oneof![
        6 => (range(), 0..5_usize)
            .prop_map(|((job, start, end), stop)| Operation::States(job, start, end, stop)),
        6 => (range(), 0..5_usize)
            .prop_map(|((job, start, end), stop)| Operation::Successes(job, start, end, stop)),
        4 => (job(), instant()).prop_map(|(job, at)| Operation::First(job, at)),
        4 => (job(), instant()).prop_map(|(job, at)| Operation::State(job, at)),
        6 => vec((job(), (instant(), instant()), any::<(bool, bool)>(), (0..3_u64, count())), 0..4)
            .prop_map(Operation::Read),
        3 => Just(Operation::Started),
        1 => Just(Operation::Reopen),
    ];
    let writes = prop_oneof![
        4 => (job(), instant()).prop_map(|(job, at)| Operation::Record(job, at)),
        6 => (job(), instant(), state())
            .prop_map(|(job, at, state)| Operation::RecordState(job, at, state)),
        3 => vec((job(), instant(), record()), 0..40).prop_map(Operation::RecordRuns),
        3 => range().prop_map(|(job, start, end)| Operation::Forget(job, start, end)),
        2 => claimed().prop_map(|(job, at)| Operation::Forget(job, at, at)),
        1 => vec((job(), instant(), instant()), 0..4).prop_map(Operation::ForgetAll),
        1 => vec(prop_oneof![(job(), instant()), claimed()], 0..4).prop_map(Operation::DropBefore),
        1 => vec((job(), count()), 0..4).prop_map(Operation::KeepLast),
    ];
    let claims = prop_oneof![
        6 => (claimed(), job(), lease())
            .prop_map(|((job, at), owner, lease)| Operation::Claim(job, at, owner, lease)),
        2 => (any::<usize>(), lease()).prop_map(|(index, lease)| Operation::Renew(index, lease)),
        1 => any::<usize>().prop_map(Operation::Release),
        2 => (any::<usize>(), record())
            .prop_map(|(index, record)| Operation::RecordClaimed(index, record)),
        1 => (any::<usize>(), job(), lease())
            .prop_map(|(index, owner, lease)| Operation::TakeOver(index, owner, lease)),
        2 => (-5..15_i64).prop_map(Operation::Advance),
    ];
    prop_oneof![reads, writes, claims]
}

pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    vec(operation(), 0..80)
}
