//! Needs that accept every end of a run.

use millicron::{Unit, schedule};
use millicron_pipeline::{History as _, MemoryHistory, Need, RunState};

use crate::support::{
    DAY, HOUR, SINCE, build, builder, check_ready, check_waits, friday, history_of, ready, record,
    saturday, steps, two_jobs,
};

const ENDS: [RunState; 2] = [RunState::Failed, RunState::Skipped];

fn record_state(history: &mut MemoryHistory, scheduled: i64, state: RunState) {
    let Ok(()) = history.record_state("up", scheduled, state);
}

#[test]
fn each_kind_of_need_accepts_ended_runs_only_if_set() {
    let run = saturday("06:00:00");
    let previous = friday("06:00:00");
    for need in [
        Need::last("up"),
        Need::latest("up"),
        Need::classic("up"),
        Need::all("up"),
        Need::at_least(1, "up"),
        Need::all_data("up", Unit::Day),
        Need::any_of(&[Need::last("up"), Need::all("up")]),
    ] {
        for state in ENDS {
            let mut history = MemoryHistory::new();
            for scheduled in steps(previous - DAY, DAY / 4, 12) {
                record_state(&mut history, scheduled, state);
            }
            let [strict, lenient] =
                [need, need.ended()].map(|need| two_jobs("*/6:00:00", "6:00:00", need));
            assert!(!ready(&strict, "job", run, &history).is_ready(), "{need:?}");
            check_ready(&ready(&lenient, "job", run, &history));
            assert!(!ready(&lenient, "job", run, &MemoryHistory::new()).is_ready(), "{need:?}");
        }
    }
}

#[test]
fn ended_alternatives_and_successes_can_be_mixed() {
    const ENDED: Need<'_> = Need::all("up").ended();
    let pipeline =
        two_jobs("*:00:00", "*/3:30:00", Need::all_of(&[ENDED, Need::at_least(2, "up")]));
    let run = saturday("03:30:00");
    let [one, two, three] = [1, 2, 3].map(|hour| saturday("00:00:00") + hour * HOUR);
    let mut history = history_of("up", &[one]);
    record_state(&mut history, two, RunState::Failed);
    let message = "waiting for `up` 2026-11-21 03:00:00; and for 1 of `up` 2026-11-21 02:00:00, \
                   2026-11-21 03:00:00";
    check_waits(
        &ready(&pipeline, "job", run, &history),
        &[("up", three), ("up", two), ("up", three)],
        message,
    );
    record_state(&mut history, three, RunState::Skipped);
    assert!(!ready(&pipeline, "job", run, &history).is_ready());
    record(&mut history, "up", three);
    check_ready(&ready(&pipeline, "job", run, &history));
}

#[test]
fn own_previous_run_may_have_ended() {
    let pipeline = two_jobs("6:00:00", "6:00:00", Need::self_previous().ended());
    let mut history = MemoryHistory::new();
    let Ok(()) = history.record_state("job", SINCE + 6 * HOUR, RunState::Failed);
    check_ready(&ready(&pipeline, "job", SINCE + DAY + 6 * HOUR, &history));
    assert!(!ready(&pipeline, "job", SINCE + 2 * DAY + 6 * HOUR, &history).is_ready());
}

#[test]
fn explanation_says_which_ends_are_accepted() {
    let explain = |need| {
        let pipeline = two_jobs("*:00:00", "6:00:00", need);
        let explanation = pipeline.explain("job").expect("known job").to_string();
        explanation.split_once("needs\n- ").expect("one need").1.to_owned()
    };
    assert_eq!(
        explain(Need::last("up").ended()),
        "the end of the last run of `up` (once an hour) at or before its own instant."
    );
    assert_eq!(
        explain(Need::all("up").ended()),
        "every run of `up` (once an hour) after its own previous run and up to its own instant, \
         which must have ended."
    );
    assert_eq!(explain(Need::self_previous().ended()), "the end of its own previous run.");
}

#[test]
fn failure_unlocks_only_runs_that_accept_it() {
    let (clean, report) = ([Need::last("up").ended()], [Need::last("up")]);
    let jobs = builder().job("up", schedule!("1:00:00"), []);
    let jobs = jobs.job("clean", schedule!("2:00:00"), clean);
    let pipeline = build(jobs.job("report", schedule!("3:00:00"), report));
    let up = saturday("01:00:00");
    let unlocked = |state: RunState, history: &MemoryHistory| {
        let range = up..up + DAY;
        let runs = pipeline.runs_unlocked_by("up", up, state, history, range).expect("a run");
        runs.into_iter().map(|run| run.job.to_owned()).collect::<Vec<String>>()
    };
    // The end that the history records makes no difference.
    let mut failed = MemoryHistory::new();
    record_state(&mut failed, up, RunState::Failed);
    for history in [MemoryHistory::new(), history_of("up", &[up]), failed] {
        assert_eq!(unlocked(RunState::Succeeded, &history), ["clean", "report"]);
        assert_eq!(unlocked(RunState::Failed, &history), ["clean"]);
        assert_eq!(unlocked(RunState::Skipped, &history), ["clean"]);
    }
}
