//! Random pipelines with random histories, held against the rules written once more.
//!
//! The seed is fixed, so a run that passes passes again. To look farther, set
//! `PROPTEST_RNG_SEED`, and `PROPTEST_CASES` for the cases of each property.

use std::collections::BTreeSet;

use crate::generate::cases;
use crate::oracle::Oracle;
use crate::support::draw::{Choice, Graph, draft, instant_of};
use crate::support::naive::{Demand, Done, Draft, Model, Task, What, Wish, name, told};
use crate::support::record;
use millicron::Schedule;
use millicron_pipeline::{History as _, MemoryHistory, Never, Pipeline, Problem, Run};
use proptest::collection::vec;
use proptest::prelude::*;

const PLAIN: Choice =
    Choice { graph: Graph::Earlier, has_former: false, is_zoned: false, has_begun: false };
const CHANGED: Choice = Choice { has_former: true, ..PLAIN };
const CIRCULAR: Choice = Choice { graph: Graph::Any, ..PLAIN };
const CHANGED_CIRCULAR: Choice = Choice { graph: Graph::Any, ..CHANGED };
const BEGUN_CIRCULAR: Choice = Choice { has_begun: true, ..CIRCULAR };
const BEGUN_CHANGED_CIRCULAR: Choice = Choice { has_begun: true, ..CHANGED_CIRCULAR };
const ZONED: Choice = Choice { is_zoned: true, ..PLAIN };
const ZONED_CHANGED: Choice = Choice { is_zoned: true, ..CHANGED };

/// The pipeline of a draft without circles. It may be refused, but only for what the
/// schedules can not give.
fn build(draft: &Draft) -> Result<Option<Pipeline>, TestCaseError> {
    match draft.builder().build() {
        Ok(pipeline) => Ok(Some(pipeline)),
        Err(error) => {
            for problem in error.problems() {
                let is_fair = matches!(problem, Problem::NoRun { .. } | Problem::Never { .. });
                prop_assert!(is_fair, "{}", problem);
            }
            Ok(None)
        }
    }
}

/// Which of the listed runs have succeeded, by chance: one number for each job tells how
/// many, and a hash of place and event which ones.
fn done(model: &Model, chances: &[u8]) -> Done {
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

fn history(done: &Done) -> MemoryHistory {
    let mut history = MemoryHistory::new();
    for (place, runs) in done.iter().enumerate() {
        for run in runs {
            record(&mut history, &name(place), *run);
        }
    }
    history
}

/// Some of the listed events of a job.
fn some(events: &[i64], most: usize) -> impl Iterator<Item = i64> {
    events.iter().copied().step_by(events.len() / most + 1)
}

/// That the library and the rules say the same of some runs of each job.
fn check_ready(draft: &Draft, pipeline: &Pipeline, chances: &[u8]) -> Result<(), TestCaseError> {
    let model = Model::new(draft);
    let done = done(&model, chances);
    let history = history(&done);
    for (place, line) in model.lines.iter().enumerate() {
        for run in some(&line.events, 12) {
            let readiness = pipeline.ready(&name(place), run, &history).expect("a run");
            let expected = model.waits(place, run, &done);
            prop_assert_eq!(told(&readiness), expected, "{} at {}", name(place), run);
        }
    }
    Ok(())
}

/// That a plan lists each run of a range once, and each after what it needs in the range.
fn check_plan(draft: &Draft, pipeline: &Pipeline, ends: [i64; 2]) -> Result<(), TestCaseError> {
    let model = Model::new(draft);
    let mut ends = ends.map(|end| instant_of(draft, end));
    ends.sort_unstable();
    let [start, end] = ends;
    let place_of = |run: Run<'_>| (0..draft.tasks.len()).find(|place| name(*place) == run.job);
    // What is before the range has succeeded; what comes after it is not to be waited for.
    let before = model.lines.iter().map(|line| line.events.iter().filter(|event| **event < start));
    let mut done: Done = before.map(|events| events.copied().collect()).collect();
    let mut recorded = history(&done);
    let mut last = vec![i64::MIN; draft.tasks.len()];
    for run in pipeline.plan(start..=end) {
        let place = place_of(run).expect("a job");
        let scheduled = run.scheduled;
        prop_assert!((start..=end).contains(&scheduled), "{} is out of the range", run);
        prop_assert!(last[place] < scheduled, "{} is not in order", run);
        last[place] = scheduled;
        for (upstream, demand) in model.demands(place, scheduled) {
            let needed = match demand {
                Demand::Nothing => Vec::new(),
                Demand::CheckPoint(instant) => vec![instant],
                Demand::Runs(runs, _) => runs,
            };
            let late = needed.iter().find(|run| **run <= end && !done[upstream].contains(run));
            prop_assert_eq!(late, None, "{} comes before {}", run, name(upstream));
        }
        let readiness = pipeline.ready(run.job, scheduled, &recorded).expect("a run");
        for (job, missing) in crate::support::missing(&readiness) {
            prop_assert!(missing > end, "{} comes before {} {}", run, job, missing);
        }
        done[place].insert(scheduled);
        record(&mut recorded, run.job, scheduled);
    }
    for (place, line) in model.lines.iter().enumerate() {
        let up_to_end = line.events.iter().copied().filter(|event| *event <= end);
        prop_assert!(done[place].iter().copied().eq(up_to_end), "not all runs of {}", name(place));
    }
    Ok(())
}

/// The same for a pipeline that began long before, asking nobody but the library: a run
/// waits for none that comes later in the plan.
fn check_plan_of_begun(
    draft: &Draft,
    pipeline: &Pipeline,
    ends: [i64; 2],
) -> Result<(), TestCaseError> {
    let mut ends = ends.map(|end| instant_of(draft, end));
    ends.sort_unstable();
    let [start, end] = ends;
    let mut recorded = MemoryHistory::new();
    let mut listed = BTreeSet::new();
    for run in pipeline.plan(start..=end) {
        let readiness = pipeline.ready(run.job, run.scheduled, &recorded).expect("a run");
        for (job, missing) in crate::support::missing(&readiness) {
            let is_late = (start..=end).contains(&missing);
            prop_assert!(!is_late, "{} comes before {} {}", run, job, missing);
        }
        record(&mut recorded, run.job, run.scheduled);
        prop_assert!(listed.insert((run.job.to_owned(), run.scheduled)), "{} comes twice", run);
    }
    for (place, task) in draft.tasks.iter().enumerate() {
        for event in events_of(task, start, end) {
            let run = (name(place), event);
            prop_assert!(listed.remove(&run), "{:?} is left out", run);
        }
    }
    prop_assert!(listed.is_empty(), "{:?} are no runs", listed);
    Ok(())
}

/// The events of a job without a zone in a range.
fn events_of(task: &Task, start: i64, end: i64) -> Vec<i64> {
    let mut events = Vec::new();
    let mut from = i64::MIN;
    let last = (&task.when, i64::MAX);
    for (when, until) in task.former.iter().map(|(when, until)| (when, *until)).chain([last]) {
        let range = start.max(from)..until.min(end + 1);
        events.extend(Oracle::new(&when.text).events(&range, usize::MAX));
        from = until;
    }
    events
}

/// That one success lets those runs start which are ready with it and not without it.
fn check_unlocked(
    draft: &Draft,
    pipeline: &Pipeline,
    chances: &[u8],
    looks: &[usize],
) -> Result<(), TestCaseError> {
    let model = Model::new(draft);
    let middle = instant_of(draft, 500);
    let mut without = done(&model, chances);
    for (line, done) in model.lines.iter().zip(&mut without) {
        done.extend(line.events.iter().filter(|event| **event < middle));
    }
    for look in looks {
        let place = look % draft.tasks.len();
        let line = &model.lines[place];
        let late = line.events.partition_point(|event| *event < middle);
        let Some(index) = (look / 8).checked_rem(line.events.len() - late) else { continue };
        let run = line.events[late + index];
        let recorded = history(&without);
        let told =
            pipeline.runs_unlocked_by(&name(place), run, &recorded, i64::MAX).expect("a run");
        let listed = told.iter().filter(|run| run.scheduled <= draft.horizon);
        let told: BTreeSet<(i64, String)> =
            listed.map(|run| (run.scheduled, run.job.to_owned())).collect();

        let was_done = without[place].remove(&run);
        let mut with = without.clone();
        with[place].insert(run);
        let mut expected = BTreeSet::new();
        for (job, line) in model.lines.iter().enumerate() {
            for event in line.events.iter().filter(|event| !with[job].contains(event)) {
                let is_ready = |done: &Done| model.waits(job, *event, done).is_empty();
                if is_ready(&with) && !is_ready(&without) {
                    expected.insert((*event, name(job)));
                }
            }
        }
        prop_assert_eq!(told, expected, "by {} at {}", name(place), run);
        if was_done {
            without[place].insert(run);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn ready_says_what_the_rules_say(draft in draft(PLAIN), chances in vec(any::<u8>(), 6)) {
        if let Some(pipeline) = build(&draft)? {
            check_ready(&draft, &pipeline, &chances)?;
        }
    }

    #[test]
    fn ready_says_what_the_rules_say_where_schedules_change(
        draft in draft(CHANGED), chances in vec(any::<u8>(), 6),
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_ready(&draft, &pipeline, &chances)?;
        }
    }

    #[test]
    fn a_plan_is_complete_and_in_order(draft in draft(PLAIN), ends in [0..1000_i64, 0..1000_i64]) {
        if let Some(pipeline) = build(&draft)? {
            check_plan(&draft, &pipeline, ends)?;
        }
    }

    #[test]
    fn a_plan_is_complete_and_in_order_where_schedules_change(
        draft in draft(CHANGED), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_plan(&draft, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn a_success_unlocks_what_it_makes_ready(
        draft in draft(PLAIN), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_unlocked(&draft, &pipeline, &chances, &looks)?;
        }
    }

    #[test]
    fn a_success_unlocks_what_it_makes_ready_where_schedules_change(
        draft in draft(CHANGED), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_unlocked(&draft, &pipeline, &chances, &looks)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(600))]

    /// Also where jobs need each other, and look back to do so.
    #[test]
    fn circles_that_are_none_go_by_the_rules(
        draft in draft(CIRCULAR), chances in vec(any::<u8>(), 6),
        looks in vec(any::<usize>(), 2),
    ) {
        if let Ok(pipeline) = draft.builder().build() {
            check_ready(&draft, &pipeline, &chances)?;
            check_unlocked(&draft, &pipeline, &chances, &looks)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    /// Jobs that need each other in a circle are refused; if they are not, there is an order.
    #[test]
    fn a_circle_that_is_built_is_none(
        draft in draft(BEGUN_CIRCULAR), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = draft.builder().build() {
            check_plan_of_begun(&draft, &pipeline, ends)?;
        }
    }

    #[test]
    fn a_circle_that_is_built_is_none_where_schedules_change(
        draft in draft(BEGUN_CHANGED_CIRCULAR), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = draft.builder().build() {
            check_plan_of_begun(&draft, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    /// The first runs have no cycle to look back to.
    #[test]
    fn a_circle_that_is_built_is_none_at_the_beginning(
        draft in draft(CIRCULAR), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = draft.builder().build() {
            check_plan(&draft, &pipeline, ends)?;
        }
    }

    #[test]
    fn a_circle_that_is_built_is_none_at_the_beginning_where_schedules_change(
        draft in draft(CHANGED_CIRCULAR), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Ok(pipeline) = draft.builder().build() {
            check_plan(&draft, &pipeline, ends)?;
        }
    }
}

/// Events that follow each other and have not succeeded, as a list of each such run.
fn stretches_of(events: &[i64], succeeded: &BTreeSet<i64>) -> Vec<Vec<i64>> {
    let runs = events.split(|event| succeeded.contains(event));
    runs.filter(|run| !run.is_empty()).map(<[i64]>::to_vec).collect()
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn missing_runs_are_those_of_no_success(
        draft in draft(PLAIN), ends in [0..1000_i64, 0..1000_i64], chance in any::<u8>(),
        strays in vec(0..1000_i64, 0..5),
    ) {
        let text = &draft.tasks[0].when.text;
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        let oracle = Oracle::new(text);
        let [start, end] = ends.map(|end| instant_of(&draft, end));
        let events = oracle.events(&(draft.from..=draft.horizon), 1000);
        let hash = |event: i64| (event / 50).wrapping_mul(0x5851_F42D_4C95_7F2D) >> 33;
        let has_succeeded = |event: &i64| hash(*event).rem_euclid(7) < i64::from(chance % 8);
        let mut succeeded: BTreeSet<i64> = events.iter().copied().filter(has_succeeded).collect();
        // Some at any instant, which mostly are no events.
        succeeded.extend(strays.into_iter().map(|stray| instant_of(&draft, stray)));
        succeeded.extend(events.iter().take(2).map(|event| event + 1));
        let mut history = MemoryHistory::new();
        for success in &succeeded {
            record(&mut history, "a", *success);
        }
        record(&mut history, "b", start);
        let Ok(missing) = history.missing("a", &schedule, start..=end);
        let events = oracle.events(&(start..=end), usize::MAX);
        let expected = stretches_of(&events, &succeeded);
        let told = missing.stretches().iter().map(|stretch| (stretch.first, stretch.last, stretch.count));
        let ends = expected.iter().map(|run| {
            (run[0], run[run.len() - 1], u64::try_from(run.len()).expect("a count"))
        });
        prop_assert!(told.clone().eq(ends), "{:?} of {} are not {:?}", told.collect::<Vec<_>>(), text, expected);
        prop_assert!(missing.instants().eq(expected.iter().flatten().copied()));
        let count = u64::try_from(expected.iter().flatten().count()).expect("a count");
        prop_assert_eq!((missing.count(), missing.is_empty()), (count, count == 0));
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    /// More runs than are said to be the most are in no interval.
    #[test]
    fn too_many_runs_are_too_many(draft in draft(PLAIN), back in crate::support::draw::any_back()) {
        let mut draft = draft;
        draft.tasks.truncate(2);
        let wish = |what| vec![Wish { what, back }];
        draft.tasks[0].needs.clear();
        draft.tasks[1].needs = wish(What::AtLeast(u64::MAX, 0));
        let Err(error) = draft.builder().build() else {
            return Err(TestCaseError::fail("so many runs there are not"));
        };
        let most = error.problems().iter().find_map(|problem| match problem {
            Problem::Never { why: Never::TooMany { most, .. }, .. } => Some(*most),
            _ => None,
        });
        let Some(most) = most else { return Ok(()) };
        draft.tasks[1].needs = wish(What::All(0));
        let model = Model::new(&draft);
        for run in some(&model.lines[1].events, 50) {
            for (_, demand) in model.demands(1, run) {
                let Demand::Runs(runs, _) = demand else { continue };
                let count = u64::try_from(runs.len()).expect("a count");
                prop_assert!(count <= most, "{} are {} of {}", run, count, most);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn ready_says_what_the_rules_say_in_zones(
        draft in draft(ZONED_CHANGED), chances in vec(any::<u8>(), 6),
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_ready(&draft, &pipeline, &chances)?;
        }
    }

    #[test]
    fn a_plan_is_complete_and_in_order_in_zones(
        draft in draft(ZONED), ends in [0..1000_i64, 0..1000_i64],
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_plan(&draft, &pipeline, ends)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_success_unlocks_what_it_makes_ready_in_zones(
        draft in draft(ZONED), chances in vec(any::<u8>(), 6), looks in vec(any::<usize>(), 3),
    ) {
        if let Some(pipeline) = build(&draft)? {
            check_unlocked(&draft, &pipeline, &chances, &looks)?;
        }
    }
}
