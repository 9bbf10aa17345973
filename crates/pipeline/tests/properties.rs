//! Random pipelines with random histories, compared with an independent model of the rules.
//!
//! The seed is fixed, so results are reproducible. To search further, set `PROPTEST_RNG_SEED`, and
//! set `PROPTEST_CASES` to the number of cases of each property.

use std::collections::BTreeSet;

use millicron::Schedule;
use millicron_pipeline::{
    History as _, Impossible, MemoryHistory, Missing, Pipeline, PipelineProblem, PipelineRun,
    RunState,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::cases;
use crate::oracle::Oracle;
use crate::support::model::{Model, Outcomes, Successes};
use crate::support::random::{Graph, SpecOptions, any_look_back, instant_of, spec};
use crate::support::record;
use crate::support::rules::{Required, reasons};
use crate::support::spec::{JobSpec, NeedKind, NeedSpec, PipelineSpec, name};

pub(crate) const PLAIN: SpecOptions = SpecOptions {
    graph: Graph::Earlier,
    has_changed: false,
    is_zoned: false,
    started_long_before: false,
};
pub(crate) const CHANGED: SpecOptions = SpecOptions { has_changed: true, ..PLAIN };
pub(crate) const CYCLIC: SpecOptions = SpecOptions { graph: Graph::Any, ..PLAIN };
pub(crate) const CHANGED_CYCLIC: SpecOptions = SpecOptions { graph: Graph::Any, ..CHANGED };
const STARTED_CYCLIC: SpecOptions = SpecOptions { started_long_before: true, ..CYCLIC };
const STARTED_CHANGED_CYCLIC: SpecOptions =
    SpecOptions { started_long_before: true, ..CHANGED_CYCLIC };
pub(crate) const ZONED: SpecOptions = SpecOptions { is_zoned: true, ..PLAIN };
pub(crate) const ZONED_CHANGED: SpecOptions = SpecOptions { is_zoned: true, ..CHANGED };

/// Builds a pipeline without dependency cycles. Only its schedules may make it invalid.
pub(crate) fn build(spec: &PipelineSpec) -> Result<Option<Pipeline>, TestCaseError> {
    match spec.builder().build() {
        Ok(pipeline) => Ok(Some(pipeline)),
        Err(error) => {
            for problem in error.problems() {
                let is_expected = matches!(
                    problem,
                    PipelineProblem::NeverRuns { .. }
                        | PipelineProblem::NoAlternative { .. }
                        | PipelineProblem::ImpossibleNeed { .. }
                );
                prop_assert!(is_expected, "{}", problem);
            }
            Ok(None)
        }
    }
}

/// Chooses successful runs. A number for each job decides how many, and a hash of the event decides
/// which.
fn random_successes(model: &Model, chances: &[u8]) -> Successes {
    let has_succeeded = |event: i64, chance: u8| {
        let hash = event.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()) >> 40;
        match chance % 4 {
            0 => false,
            1 => true,
            2 => hash.rem_euclid(2) == 0,
            _ => hash.rem_euclid(16) != 0,
        }
    };
    let each = model.lines.iter().zip(chances.iter().cycle()).map(|(line, chance)| {
        line.events.iter().copied().filter(|event| has_succeeded(*event, *chance)).collect()
    });
    each.collect()
}

/// Chooses successful runs, and among the others, runs that failed or were skipped.
pub(crate) fn random_outcomes(model: &Model, chances: &[u8]) -> Outcomes {
    let other: Vec<u8> = chances.iter().map(|chance| chance / 4).collect();
    let (succeeded, mut failed) =
        (random_successes(model, chances), random_successes(model, &other));
    for (failed, succeeded) in failed.iter_mut().zip(&succeeded) {
        failed.retain(|run| !succeeded.contains(run));
    }
    Outcomes { succeeded, failed }
}

pub(crate) fn history(done: &Outcomes) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for (index, (succeeded, failed)) in done.succeeded.iter().zip(&done.failed).enumerate() {
        let states = [RunState::Failed, RunState::Skipped];
        for (run, state) in failed.iter().zip(states.into_iter().cycle()) {
            let Ok(()) = history.record_state(&name(index), *run, state);
        }
        for run in succeeded {
            record(&mut history, &name(index), *run);
        }
    }
    history
}

/// Returns about `max` of a job's events, evenly spaced.
pub(crate) fn some(events: &[i64], max: usize) -> impl Iterator<Item = i64> {
    events.iter().copied().step_by(events.len() / max + 1)
}

/// Checks that the library and the model agree on some runs of each job.
fn check_ready(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    chances: &[u8],
) -> Result<(), TestCaseError> {
    let model = Model::new(spec);
    let done = random_outcomes(&model, chances);
    let history = history(&done);
    for (index, line) in model.lines.iter().enumerate() {
        for run in some(&line.events, 12) {
            let readiness = pipeline.ready(&name(index), run, &history).expect("existing run");
            let expected = model.waits(index, run, &done);
            prop_assert_eq!(reasons(&readiness), expected, "{} at {}", name(index), run);
        }
    }
    Ok(())
}

/// Checks that a plan lists each run in a range once, after the runs in the range that it needs.
fn check_plan(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    ends: [i64; 2],
) -> Result<(), TestCaseError> {
    let model = Model::new(spec);
    let mut ends = ends.map(|end| instant_of(spec, end));
    ends.sort_unstable();
    let [start, end] = ends;
    let index_of =
        |run: PipelineRun<'_>| (0..spec.jobs.len()).find(|index| name(*index) == run.job);
    // Runs before the range have succeeded, and the plan does not wait for runs after it.
    let before = model.lines.iter().map(|line| line.events.iter().filter(|event| **event < start));
    let mut done: Successes = before.map(|events| events.copied().collect()).collect();
    let mut recorded = history(&Outcomes::successes(done.clone()));
    let mut last = vec![i64::MIN; spec.jobs.len()];
    for run in pipeline.plan(start..=end).expect("a plan") {
        let index = index_of(run).expect("known job");
        let scheduled = run.scheduled;
        prop_assert!((start..=end).contains(&scheduled), "{} is outside the range", run);
        prop_assert!(last[index] < scheduled, "{} is not in order", run);
        last[index] = scheduled;
        for (upstream, required) in model.all_required(index, scheduled) {
            let needed = match required {
                Required::Nothing => Vec::new(),
                Required::CheckPoint(run, _) | Required::Last(run, _) => vec![run],
                Required::Runs(runs, _) => runs,
            };
            let late = needed.iter().find(|run| **run <= end && !done[upstream].contains(run));
            prop_assert_eq!(late, None, "{} comes before {}", run, name(upstream));
        }
        let readiness = pipeline.ready(run.job, scheduled, &recorded).expect("existing run");
        for (job, missing) in crate::support::missing(&readiness) {
            prop_assert!(missing > end, "{} comes before {} {}", run, job, missing);
        }
        done[index].insert(scheduled);
        record(&mut recorded, run.job, scheduled);
    }
    for (index, line) in model.lines.iter().enumerate() {
        let up_to_end = line.events.iter().copied().filter(|event| *event <= end);
        prop_assert!(done[index].iter().copied().eq(up_to_end), "not all runs of {}", name(index));
    }
    Ok(())
}

/// Checks, without the model, that no run waits for one that comes later in the plan. The pipeline
/// began long before the range.
fn check_plan_long_after_start(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    ends: [i64; 2],
) -> Result<(), TestCaseError> {
    let mut ends = ends.map(|end| instant_of(spec, end));
    ends.sort_unstable();
    let [start, end] = ends;
    let mut recorded = MemoryHistory::new();
    let mut listed = BTreeSet::new();
    for run in pipeline.plan(start..=end).expect("a plan") {
        let readiness = pipeline.ready(run.job, run.scheduled, &recorded).expect("existing run");
        for (job, missing) in crate::support::missing(&readiness) {
            let is_late = (start..=end).contains(&missing);
            prop_assert!(!is_late, "{} comes before {} {}", run, job, missing);
        }
        record(&mut recorded, run.job, run.scheduled);
        prop_assert!(listed.insert((run.job.to_owned(), run.scheduled)), "{} comes twice", run);
    }
    for (index, job) in spec.jobs.iter().enumerate() {
        for event in events_of(job, start, end) {
            let run = (name(index), event);
            prop_assert!(listed.remove(&run), "{:?} is missing", run);
        }
    }
    prop_assert!(listed.is_empty(), "{:?} are not runs", listed);
    Ok(())
}

/// Returns the events of a job in a range. The job has no zone.
fn events_of(job: &JobSpec, start: i64, end: i64) -> Vec<i64> {
    let mut events = Vec::new();
    let mut from = i64::MIN;
    let last = (&job.when, i64::MAX);
    for (when, until) in job.previous.iter().map(|(when, until)| (when, *until)).chain([last]) {
        let range = start.max(from)..until.min(end + 1);
        events.extend(Oracle::new(&when.text).events(&range, usize::MAX));
        from = until;
    }
    events
}

/// Checks that the end of a run unlocks the runs that are ready with it and not without it.
fn check_unlocked(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    chances: &[u8],
    looks: &[usize],
) -> Result<(), TestCaseError> {
    let model = Model::new(spec);
    let middle = instant_of(spec, 500);
    let mut without = random_outcomes(&model, chances);
    for (index, line) in model.lines.iter().enumerate() {
        let early = line.events.iter().filter(|event| **event < middle);
        without.succeeded[index].extend(early);
        without.failed[index].retain(|event| *event >= middle);
    }
    for look in looks {
        let index = look % spec.jobs.len();
        let line = &model.lines[index];
        let late = line.events.partition_point(|event| *event < middle);
        let Some(offset) = (look / 8).checked_rem(line.events.len() - late) else { continue };
        let run = line.events[late + offset];
        let recorded = history(&without);
        let is_failure = look % 3 == 0;
        let state = if is_failure { RunState::Failed } else { RunState::Succeeded };
        let unlocked = pipeline.runs_unlocked_by(&name(index), run, state, &recorded, i64::MIN..);
        let unlocked = unlocked.expect("existing run");
        let listed = unlocked.iter().filter(|run| run.scheduled <= spec.horizon);
        let unlocked: BTreeSet<(i64, String)> =
            listed.map(|run| (run.scheduled, run.job.to_owned())).collect();

        let [had_succeeded, had_failed] =
            [&mut without.succeeded, &mut without.failed].map(|runs| runs[index].remove(&run));
        let mut with = without.clone();
        let runs = if is_failure { &mut with.failed } else { &mut with.succeeded };
        runs[index].insert(run);
        let mut expected = BTreeSet::new();
        for (job, line) in model.lines.iter().enumerate() {
            for event in line.events.iter().filter(|event| !with.succeeded[job].contains(event)) {
                let is_ready = |done: &Outcomes| model.waits(job, *event, done).is_empty();
                if is_ready(&with) && !is_ready(&without) {
                    expected.insert((*event, name(job)));
                }
            }
        }
        prop_assert_eq!(unlocked, expected, "by {} at {}", name(index), run);
        if had_succeeded {
            without.succeeded[index].insert(run);
        }
        if had_failed {
            without.failed[index].insert(run);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn ready_agrees_with_the_model(spec in spec(PLAIN), chances in vec(any::<u8>(), 6)) {
        if let Some(pipeline) = build(&spec)? {
            check_ready(&spec, &pipeline, &chances)?;
        }
    }

    #[test]
    fn ready_agrees_with_the_model_if_schedules_change(
        spec in spec(CHANGED), chances in vec(any::<u8>(), 6),
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_ready(&spec, &pipeline, &chances)?;
        }
    }

    #[test]
    fn plan_is_complete_and_in_order(spec in spec(PLAIN), ends in [0..1000_i64, 0..1000_i64]) {
        if let Some(pipeline) = build(&spec)? {
            check_plan(&spec, &pipeline, ends)?;
        }
    }

    #[test]
    fn plan_is_complete_and_in_order_if_schedules_change(
        spec in spec(CHANGED), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_plan(&spec, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn success_unlocks_the_runs_that_it_makes_ready(
        spec in spec(PLAIN), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_unlocked(&spec, &pipeline, &chances, &looks)?;
        }
    }

    #[test]
    fn success_unlocks_the_runs_that_it_makes_ready_if_schedules_change(
        spec in spec(CHANGED), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_unlocked(&spec, &pipeline, &chances, &looks)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn broken_dependency_cycles_agree_with_the_model(
        spec in spec(CYCLIC), chances in vec(any::<u8>(), 6),
        looks in vec(any::<usize>(), 2),
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_ready(&spec, &pipeline, &chances)?;
            check_unlocked(&spec, &pipeline, &chances, &looks)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    /// A pipeline with a dependency cycle is invalid, so the runs of a valid pipeline have an
    /// order.
    #[test]
    fn valid_pipeline_has_an_order(
        spec in spec(STARTED_CYCLIC), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_plan_long_after_start(&spec, &pipeline, ends)?;
        }
    }

    #[test]
    fn valid_pipeline_has_an_order_if_schedules_change(
        spec in spec(STARTED_CHANGED_CYCLIC), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_plan_long_after_start(&spec, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    /// The first runs have no earlier period to look back to.
    #[test]
    fn valid_pipeline_has_an_order_at_the_beginning(
        spec in spec(CYCLIC), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_plan(&spec, &pipeline, ends)?;
        }
    }

    #[test]
    fn valid_pipeline_has_an_order_at_the_beginning_if_schedules_change(
        spec in spec(CHANGED_CYCLIC), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            check_plan(&spec, &pipeline, ends)?;
        }
    }
}

/// Returns the consecutive events that have not succeeded.
fn missing_ranges(events: &[i64], succeeded: &BTreeSet<i64>) -> Vec<Vec<i64>> {
    let runs = events.split(|event| succeeded.contains(event));
    runs.filter(|run| !run.is_empty()).map(<[i64]>::to_vec).collect()
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn missing_runs_are_those_without_success(
        spec in spec(PLAIN), ends in [0..1000_i64, 0..1000_i64], chance in any::<u8>(),
        strays in vec(0..1000_i64, 0..5),
    ) {
        let text = &spec.jobs[0].when.text;
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        let oracle = Oracle::new(text);
        let [start, end] = ends.map(|end| instant_of(&spec, end));
        let events = oracle.events(&(spec.from..=spec.horizon), 1000);
        let hash = |event: i64| (event / 50).wrapping_mul(0x5851_F42D_4C95_7F2D) >> 33;
        let has_succeeded = |event: &i64| hash(*event).rem_euclid(7) < i64::from(chance % 8);
        let mut succeeded: BTreeSet<i64> = events.iter().copied().filter(has_succeeded).collect();
        // Some at instants that are mostly not events.
        succeeded.extend(strays.into_iter().map(|stray| instant_of(&spec, stray)));
        succeeded.extend(events.iter().take(2).map(|event| event + 1));
        let mut history = MemoryHistory::new();
        for success in &succeeded {
            record(&mut history, "a", *success);
        }
        record(&mut history, "b", start);
        let Ok(missing) = Missing::find(&history, "a", &schedule, start..=end);
        let events = oracle.events(&(start..=end), usize::MAX);
        let expected = missing_ranges(&events, &succeeded);
        let actual = missing.ranges().iter().map(|range| (range.first, range.last, range.count));
        let ends = expected.iter().map(|run| {
            (run[0], run[run.len() - 1], u64::try_from(run.len()).expect("the count fits"))
        });
        prop_assert!(actual.clone().eq(ends), "{:?} of {} are not {:?}", actual.collect::<Vec<_>>(), text, expected);
        prop_assert!(missing.instants().eq(expected.iter().flatten().copied()));
        let count = u64::try_from(expected.iter().flatten().count()).expect("the count fits");
        prop_assert_eq!((missing.count(), missing.is_empty()), (count, count == 0));
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    /// No interval has more runs than the error reports.
    #[test]
    fn no_interval_has_more_runs_than_the_reported_maximum(spec in spec(PLAIN), settings in any_look_back()) {
        let mut spec = spec;
        spec.jobs.truncate(2);
        let need = |kind| vec![NeedSpec { kind, settings }];
        spec.jobs[0].needs.clear();
        spec.jobs[1].needs = need(NeedKind::AtLeast(u64::MAX, 0));
        let Err(error) = spec.builder().build() else {
            return Err(TestCaseError::fail("no interval has so many runs"));
        };
        let max = error.problems().iter().find_map(|problem| match problem {
            PipelineProblem::ImpossibleNeed { reason: Impossible::TooMany { max, .. }, .. } => Some(*max),
            _ => None,
        });
        let Some(max) = max else { return Ok(()) };
        spec.jobs[1].needs = need(NeedKind::All(0));
        let model = Model::new(&spec);
        for run in some(&model.lines[1].events, 50) {
            for (_, required) in model.all_required(1, run) {
                let Required::Runs(runs, _) = required else { continue };
                let count = u64::try_from(runs.len()).expect("the count fits");
                prop_assert!(count <= max, "{} are {} of {}", run, count, max);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn ready_agrees_with_the_model_in_zones(
        spec in spec(ZONED_CHANGED), chances in vec(any::<u8>(), 6),
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_ready(&spec, &pipeline, &chances)?;
        }
    }

    #[test]
    fn plan_is_complete_and_in_order_in_zones(
        spec in spec(ZONED), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_plan(&spec, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn success_unlocks_the_runs_that_it_makes_ready_in_zones(
        spec in spec(ZONED), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&spec)? {
            check_unlocked(&spec, &pipeline, &chances, &looks)?;
        }
    }
}
