//! The runs that used a run.

use std::collections::BTreeSet;

use millicron::Unit;
use millicron_pipeline::{
    History as _, MemoryHistory, Need, Pipeline, PipelineRun, QueryError, Waiting,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::cases;
use crate::properties::{
    CHANGED, CHANGED_CYCLIC, CYCLIC, PLAIN, ZONED, ZONED_CHANGED, build as build_random,
};
use crate::support::events::ScheduleSpec;
use crate::support::model::Model;
use crate::support::random::{instant_of, spec};
use crate::support::rules::Required;
use crate::support::spec::{JobSpec, Limit, NeedKind, NeedSpec, PipelineSpec, Settings, name};
use crate::support::{DAY, HOUR, SINCE, all_before, at, build, builder, parse, pipeline, saturday};

fn downstream(pipeline: &Pipeline, job: &str, run: i64, until: i64) -> Vec<String> {
    let runs = pipeline.downstream(job, run, ..=until).expect("existing run");
    runs.map(|run| run.to_string()).collect()
}

#[test]
fn runs_that_used_a_run_directly_or_through_others_are_downstream() {
    let pipeline = build(pipeline(&[
        ("load", "*:00:00", &[]),
        ("report", "3:00:00", &[Need::all("load")]),
        ("bill", "*.*.* Sat 4:00:00", &[Need::all("report")]),
        ("other", "*:30:00", &[]),
    ]));
    let wednesday = at("2026-11-25 10:00:00");
    assert_eq!(
        downstream(&pipeline, "load", wednesday, i64::MAX),
        ["`report` 2026-11-26 03:00:00", "`bill` 2026-11-28 04:00:00"],
    );
    assert_eq!(
        downstream(&pipeline, "load", wednesday, at("2026-11-27 00:00:00")),
        ["`report` 2026-11-26 03:00:00"],
    );
    assert!(downstream(&pipeline, "other", saturday("00:30:00"), i64::MAX).is_empty());
    assert!(downstream(&pipeline, "bill", saturday("04:00:00"), i64::MAX).is_empty());
}

#[test]
fn latest_selects_the_runs_from_its_check_point_to_the_run() {
    let pipeline = build(pipeline(&[
        ("load", "*/6:00:00", &[]),
        ("report", "13:00:00", &[Need::latest("load")]),
        ("review", "14:00:00", &[Need::latest("load").periods_back(1)]),
    ]));
    let of = |time| downstream(&pipeline, "load", saturday(time), i64::MAX);
    let (report, review) = ("`report` 2026-11-21 13:00:00", "`review` 2026-11-22 14:00:00");
    assert_eq!(of("00:00:00"), [report, review]);
    assert_eq!(of("12:00:00"), [report, review]);
    assert_eq!(of("18:00:00"), [review]);
}

#[test]
fn runs_that_wait_for_a_later_check_point_come_after_it() {
    let pipeline = build(pipeline(&[
        ("source", "*:00:00", &[]),
        ("rates", "2:30:00", &[Need::all("source")]),
        ("report", "*:15:00", &[Need::latest("rates"), Need::last("source")]),
    ]));
    let runs = downstream(&pipeline, "source", saturday("00:00:00"), saturday("03:30:00"));
    assert_eq!(runs[0], "`rates` 2026-11-21 02:30:00");
    let reports: Vec<String> =
        (0..4).map(|hour| format!("`report` 2026-11-21 0{hour}:15:00")).collect();
    assert_eq!(runs[1..], reports);
}

#[test]
fn run_that_uses_a_later_one_comes_before_its_own_users() {
    let pipeline = build(pipeline(&[
        ("x", "1:00:00", &[]),
        ("load", "23:00:00", &[Need::last("x")]),
        ("day", "2:00:00", &[Need::all_data("load", Unit::Day)]),
        ("report", "12:00:00", &[Need::last("x"), Need::last("day")]),
    ]));
    let (run, until) = (saturday("01:00:00"), saturday("23:30:00"));
    assert_eq!(
        downstream(&pipeline, "x", run, until),
        ["`load` 2026-11-21 23:00:00", "`day` 2026-11-21 02:00:00", "`report` 2026-11-21 12:00:00",],
    );
}

#[test]
fn run_that_waits_for_a_later_check_point_comes_before_its_own_users() {
    let pipeline = build(pipeline(&[
        ("x", "1:00:00", &[]),
        ("load", "23:00:00", &[Need::last("x")]),
        ("early", "2:00:00", &[Need::latest("load")]),
        ("check", "3:00:00", &[Need::last("early")]),
        ("report", "12:00:00", &[Need::last("x"), Need::last("check")]),
    ]));
    let (run, until) = (saturday("01:00:00"), saturday("23:30:00"));
    assert_eq!(
        downstream(&pipeline, "x", run, until),
        [
            "`load` 2026-11-21 23:00:00",
            "`early` 2026-11-21 02:00:00",
            "`check` 2026-11-21 03:00:00",
            "`report` 2026-11-21 12:00:00",
        ],
    );
}

#[test]
fn endless_chain_is_lazy() {
    let pipeline = build(pipeline(&[("tick", "*:*:*", &[Need::self_previous()])]));
    let runs = pipeline.downstream("tick", SINCE, ..).expect("existing run");
    let instants: Vec<i64> = runs.map(|run| run.scheduled).take(3).collect();
    assert_eq!(instants, [SINCE + 1000, SINCE + 2000, SINCE + 3000]);
}

#[test]
fn runs_between_are_passed_over() {
    // Visiting billions of milliseconds one by one would never finish.
    let pipeline = build(pipeline(&[
        ("day", "0:00:00", &[]),
        ("tick", "*:*:*.*", &[Need::all("day")]),
        ("year", "*.1.1 0:00:00", &[Need::all("tick")]),
    ]));
    assert_eq!(
        downstream(&pipeline, "day", saturday("00:00:00"), i64::MAX),
        ["`tick` 2026-11-21 00:00:00", "`year` 2027-01-01 00:00:00"],
    );
}

#[test]
fn forgotten_runs_are_exactly_those_that_run_again() {
    let pipeline = build(pipeline(&[
        ("load", "*:00:00", &[]),
        ("clean", "*:00:00", &[Need::last("load")]),
        ("report", "3:00:00", &[Need::all("clean").period(Unit::Day).periods_back(1)]),
    ]));
    let now = SINCE + 4 * DAY;
    let mut history = all_before(&pipeline, now);
    let wrong = SINCE + 30 * HOUR;
    let mut forgotten = BTreeSet::from([(wrong, "load".to_owned())]);
    let Ok(()) = history.forget("load", wrong..=wrong);
    for PipelineRun { scheduled, job } in
        pipeline.downstream("load", wrong, ..now).expect("existing run")
    {
        let Ok(()) = history.forget(job, scheduled..=scheduled);
        forgotten.insert((scheduled, job.to_owned()));
    }
    assert_eq!(forgotten.len(), 3);
    for PipelineRun { scheduled, job } in pipeline.plan(..now).expect("a plan") {
        let Ok(state) = history.state(job, scheduled);
        assert_eq!(state.is_none(), forgotten.contains(&(scheduled, job.to_owned())));
    }
}

#[test]
fn unknown_run_is_an_error() {
    let pipeline = build(builder().job("load", parse("*:00:00"), []));
    let unknown = pipeline.downstream("other", SINCE, ..).map(|_| ());
    assert_eq!(unknown, Err(QueryError::UnknownJob { job: "other".into() }));
    let no_run = pipeline.downstream("load", SINCE + 1, ..).map(|_| ());
    assert!(matches!(no_run, Err(QueryError::NoRun { .. })), "{no_run:?}");
}

/// Returns whether a run directly selects another run, according to the model.
fn selects(model: &Model, run: (usize, i64), of: (usize, i64)) -> bool {
    let required = model.all_required(run.0, run.1);
    required.iter().filter(|(upstream, _)| *upstream == of.0).any(|(_, required)| match required {
        Required::Nothing => false,
        Required::CheckPoint(first, last) => (*first..=*last).contains(&of.1),
        Required::Last(event, _) => *event == of.1,
        Required::Runs(runs, _) => runs.contains(&of.1),
    })
}

/// Returns all runs up to an instant that used a run, by comparing every run with every other.
fn brute_force(model: &Model, run: (usize, i64), until: i64) -> BTreeSet<(usize, i64)> {
    let lines = model.lines.iter().enumerate();
    let each = lines.flat_map(|(job, line)| line.events.iter().map(move |event| (job, *event)));
    let all: Vec<(usize, i64)> = each.filter(|(_, event)| *event <= until).collect();
    let (mut found, mut queue) = (BTreeSet::new(), vec![run]);
    while let Some(of) = queue.pop() {
        for user in &all {
            if !found.contains(user) && selects(model, *user, of) {
                found.insert(*user);
                queue.push(*user);
            }
        }
    }
    found
}

fn check_downstream(
    spec: &PipelineSpec,
    pipeline: &Pipeline,
    look: usize,
    until: i64,
) -> Result<(), TestCaseError> {
    let mut model = Model::new(spec);
    // Every run is compared with every other, so limit the range to 60 runs per job.
    let limits = model.lines.iter().filter_map(|line| line.events.get(60).copied());
    let until = limits.min().unwrap_or(i64::MAX).min(instant_of(spec, until));
    for line in &mut model.lines {
        line.horizon = line.horizon.max(until);
    }
    let index = look % spec.jobs.len();
    let events = &model.lines[index].events;
    let count = events.partition_point(|event| *event <= until);
    let Some(place) = (look / 8).checked_rem(count) else { return Ok(()) };
    let run = (index, events[place]);
    let mut found = BTreeSet::new();
    for PipelineRun { scheduled, job } in
        pipeline.downstream(&name(index), run.1, ..=until).expect("existing run")
    {
        let job = (0..spec.jobs.len()).find(|index| name(*index) == job).expect("known job");
        for later in &found {
            prop_assert!(!selects(&model, *later, (job, scheduled)), "{later:?} comes before");
        }
        prop_assert!(found.insert((job, scheduled)), "{} at {} comes twice", job, scheduled);
    }
    prop_assert_eq!(found, brute_force(&model, run, until), "of {:?}", run);
    Ok(())
}

proptest! {
    #![proptest_config(cases(800))]

    #[test]
    fn downstream_agrees_with_brute_force(
        spec in spec(PLAIN), looks in vec(any::<usize>(), 2), until in 0..1000_i64,
    ) {
        if let Some(pipeline) = build_random(&spec)? {
            for look in looks {
                check_downstream(&spec, &pipeline, look, until)?;
            }
        }
    }

    #[test]
    fn downstream_agrees_with_brute_force_if_schedules_change(
        spec in spec(CHANGED), looks in vec(any::<usize>(), 2), until in 0..1000_i64,
    ) {
        if let Some(pipeline) = build_random(&spec)? {
            for look in looks {
                check_downstream(&spec, &pipeline, look, until)?;
            }
        }
    }

    #[test]
    fn downstream_agrees_with_brute_force_in_cycles(
        spec in prop_oneof![spec(CYCLIC), spec(CHANGED_CYCLIC)],
        looks in vec(any::<usize>(), 2), until in 0..1000_i64,
    ) {
        if let Ok(pipeline) = spec.builder().build() {
            for look in looks {
                check_downstream(&spec, &pipeline, look, until)?;
            }
        }
    }
}

/// Daily jobs, each with needs for earlier jobs that often lead to a later run.
fn daily() -> impl Strategy<Value = PipelineSpec> {
    let need = (0..6_u8, any::<usize>());
    let job = (0..24_u8, vec(need, 2..=3));
    vec(job, 5..=8).prop_map(|jobs| {
        let each = jobs.into_iter().enumerate().map(|(index, (hour, needs))| {
            let need = |(kind, of): (u8, usize)| {
                let of = of.checked_rem(index)?;
                let (kind, limit) = match kind {
                    0 | 1 => (NeedKind::Last(of), None),
                    2 => (NeedKind::Last(of), Some(Limit::Unit(Unit::Day))),
                    3 => (NeedKind::Latest(of), None),
                    _ => (NeedKind::AllData(of, Unit::Day), None),
                };
                Some(NeedSpec { kind, settings: Settings { limit, ..Settings::default() } })
            };
            JobSpec {
                when: ScheduleSpec { text: format!("{hour}:00:00"), zone: None },
                previous: Vec::new(),
                needs: needs.into_iter().filter_map(need).collect(),
            }
        });
        let jobs = each.collect();
        PipelineSpec { since: Some(SINCE), from: SINCE, horizon: SINCE + 12 * DAY, jobs }
    })
}

proptest! {
    #![proptest_config(cases(800))]

    #[test]
    fn downstream_agrees_with_brute_force_if_runs_wait_for_later_ones(
        spec in daily(), place in 0..4_usize, until in 0..1000_i64,
    ) {
        let pipeline = build(spec.builder());
        let count = spec.jobs.len();
        for index in 0..count {
            check_downstream(&spec, &pipeline, 8 * count * place + index, until)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn downstream_agrees_with_brute_force_in_time_zones(
        spec in prop_oneof![spec(ZONED), spec(ZONED_CHANGED)],
        looks in vec(any::<usize>(), 2), until in 0..1000_i64,
    ) {
        if let Some(pipeline) = build_random(&spec)? {
            for look in looks {
                check_downstream(&spec, &pipeline, look, until)?;
            }
        }
    }
}

/// If nothing has succeeded, a run waits for exactly the runs that it selects, except for runs
/// after a check point.
#[test]
fn downstream_agrees_with_what_runs_wait_for() {
    let pipeline = build(pipeline(&[
        ("load", "*:00:00", &[]),
        ("clean", "*:10:00", &[Need::all("load"), Need::self_previous()]),
        ("part", "*/6:20:00", &[Need::any_of(&[Need::all("clean"), Need::at_least(2, "load")])]),
        ("report", "3:00:00", &[Need::all_data("part", Unit::Day), Need::last("load")]),
    ]));
    let until = SINCE + 3 * DAY;
    let all: Vec<PipelineRun<'_>> = pipeline.plan(..=until).expect("a plan").collect();
    for run in all.iter().step_by(7) {
        let mut expected = BTreeSet::from([*run]);
        for user in &all {
            let readiness =
                pipeline.ready(user.job, user.scheduled, &MemoryHistory::new()).expect("a run");
            let waiting = readiness.waiting();
            if waiting.iter().flat_map(Waiting::runs).any(|needed| {
                expected.contains(&PipelineRun { scheduled: needed.scheduled, job: needed.job })
            }) {
                expected.insert(*user);
            }
        }
        expected.remove(run);
        let runs = pipeline.downstream(run.job, run.scheduled, ..=until).expect("existing run");
        assert_eq!(runs.collect::<BTreeSet<_>>(), expected, "of {run}");
    }
}
