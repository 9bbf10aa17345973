//! How much of a history a pipeline needs.

use millicron::Unit;
use millicron_pipeline::{History as _, MemoryHistory, Need, Pipeline, QueryError, RunState};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::cases;
use crate::properties::{
    CHANGED, CHANGED_CYCLIC, CYCLIC, PLAIN, ZONED_CHANGED, history, random_outcomes, some,
};
use crate::support::model::Model;
use crate::support::random::{instant_of, spec};
use crate::support::spec::{PipelineSpec, name};
use crate::support::{DAY, SINCE, all_before, at, build, pipeline, saturday};

fn oldest(needs: &[Need<'_>], instant: i64) -> Option<i64> {
    let pipeline = build(pipeline(&[("up", "*:00:00", &[]), ("job", "3:00:00", needs)]));
    pipeline.oldest_needed("up", instant).expect("a job")
}

#[test]
fn oldest_needed_is_the_first_run_that_a_later_run_selects() {
    let noon = saturday("12:00:00");
    let (today, sunday) = (saturday("04:00:00"), at("2026-11-22 00:00:00"));
    assert_eq!(oldest(&[Need::all("up")], noon), Some(today));
    assert_eq!(oldest(&[Need::all("up")], saturday("03:00:00")), Some(today - DAY));
    assert_eq!(oldest(&[Need::latest("up")], noon), Some(sunday));
    assert_eq!(oldest(&[Need::last("up")], noon), Some(at("2026-11-22 03:00:00")));
    assert_eq!(oldest(&[Need::last("up"), Need::latest("up")], noon), Some(sunday));
    let yesterday = Need::all("up").period(Unit::Day).periods_back(1);
    assert_eq!(oldest(&[yesterday], noon), Some(saturday("00:00:00")));
    assert_eq!(oldest(&[yesterday.events_back(2)], noon), Some(SINCE));
    assert_eq!(oldest(&[Need::self_previous()], noon), None);
}

#[test]
fn each_job_has_its_own_oldest_needed_run() {
    let pipeline = build(pipeline(&[
        ("load", "*:00:00", &[]),
        ("rates", "2:30:00", &[]),
        ("report", "3:00:00", &[Need::all("load"), Need::last("rates").events_back(1)]),
    ]));
    let oldest = |instant: i64| {
        ["load", "rates", "report"].map(|job| pipeline.oldest_needed(job, instant).expect("a job"))
    };
    let (four, rates) = (saturday("04:00:00"), saturday("02:30:00"));
    assert_eq!(oldest(saturday("12:00:00")), [Some(four), Some(rates), None]);
    assert_eq!(oldest(saturday("03:00:00")), [Some(four - DAY), Some(rates - DAY), None]);
    assert_eq!(oldest(i64::MAX), [None; 3]);
}

#[test]
fn nothing_is_needed_after_the_last_run() {
    let once = build(pipeline(&[
        ("up", "*:00:00", &[]),
        ("job", "2026.11.22 3:00:00", &[Need::all("up")]),
    ]));
    let last = at("2026-11-22 03:00:00");
    assert_eq!(once.oldest_needed("up", last).expect("a job"), Some(SINCE));
    assert_eq!(once.oldest_needed("up", last + 1).expect("a job"), None);
    let unknown = once.oldest_needed("other", last);
    assert_eq!(unknown, Err(QueryError::UnknownJob { job: "other".into() }));
}

#[test]
fn prune_keeps_later_runs_and_other_jobs() {
    let pipeline = build(pipeline(&[
        ("up", "*:00:00", &[]),
        ("job", "3:00:00", &[Need::all("up"), Need::self_previous()]),
    ]));
    let mut history = all_before(&pipeline, saturday("06:30:00"));
    let Ok(()) = history.record("other", 0);
    let noon = at("2026-11-21 05:00:00");
    pipeline.prune(noon, &mut history).expect("a history in memory does not fail");
    let of = |job| {
        let mut runs = Vec::new();
        let Ok(()) = history.successes(job, i64::MIN..=i64::MAX, &mut |run| {
            runs.push(run);
            std::ops::ControlFlow::Continue(())
        });
        runs
    };
    let hours = ["04:00:00", "05:00:00", "06:00:00"];
    assert_eq!(of("up"), hours.map(saturday));
    assert_eq!(of("job"), [saturday("03:00:00")]);
    assert_eq!(of("other"), [0]);
}

/// Checks that pruning a history changes no answer about later runs.
fn check_prune(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    chances: &[u8],
    instant: i64,
) -> Result<(), TestCaseError> {
    let model = Model::new(spec);
    let instant = instant_of(spec, instant);
    let before = history(&random_outcomes(&model, chances));
    let mut after = before.clone();
    pipeline.prune(instant, &mut after).expect("a history in memory does not fail");
    prop_assert!(after.len() <= before.len());
    for (index, line) in model.lines.iter().enumerate() {
        let events: Vec<i64> =
            line.events.iter().copied().filter(|event| *event >= instant).collect();
        let job = name(index);
        for run in events.iter().copied().take(3).chain(some(&events, 12)) {
            let ready = |history: &MemoryHistory| pipeline.ready(&job, run, history);
            prop_assert_eq!(ready(&before), ready(&after), "{} at {}", job, run);
            prop_assert_eq!(before.state(&job, run), after.state(&job, run));
        }
        for run in some(&line.events, 3) {
            let unlocked = |history: &MemoryHistory| {
                pipeline.runs_unlocked_by(
                    &job,
                    run,
                    RunState::Succeeded,
                    history,
                    instant..=spec.horizon,
                )
            };
            prop_assert_eq!(unlocked(&before), unlocked(&after), "{} at {}", job, run);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn pruned_history_gives_the_same_answers(
        spec in prop_oneof![spec(PLAIN), spec(CHANGED)],
        chances in vec(any::<u8>(), 6), instant in 0..1000_i64,
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_prune(&spec, &pipeline, &chances, instant)?;
        }
    }

    #[test]
    fn pruned_history_gives_the_same_answers_in_cycles_and_zones(
        spec in prop_oneof![spec(CYCLIC), spec(CHANGED_CYCLIC), spec(ZONED_CHANGED)],
        chances in vec(any::<u8>(), 6), instant in 0..1000_i64,
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_prune(&spec, &pipeline, &chances, instant)?;
        }
    }
}
