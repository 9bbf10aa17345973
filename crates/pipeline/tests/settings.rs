//! Settings of needs that have no effect, and the meaning of nested and repeated settings.

use std::time::Duration;

use millicron::{Unit, schedule};
use millicron_pipeline::{Need, PipelineProblem, Setting};

use crate::support::{SATURDAY, build, build_error, builder, parse};

const PERIOD: &str = "a need of `job` does not use its `period`: only `latest` has one, and with \
                      `periods_back` also `last`, `all`, `at_least` and `self_previous`";
const AGE: &str = "a need of `job` does not use its maximum age, set by `within` or `within_unit`: \
                   only `last` has one";

/// Returns the problems of a job with one need.
fn problems(need: Need<'_>) -> Vec<String> {
    let jobs = builder().job("up", schedule!("*:00:00"), []).job("job", parse("6:00:00"), [need]);
    match jobs.build() {
        Ok(_) => Vec::new(),
        Err(error) => error.problems().iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn period_of_a_need_without_a_check_period_is_an_error() {
    for need in [Need::all("up"), Need::at_least(2, "up"), Need::last("up"), Need::self_previous()]
    {
        assert_eq!(problems(need.period(Unit::Day)), [PERIOD], "{need:?}");
        assert_eq!(problems(need.period(Unit::Day).periods_back(1)), [""; 0], "{need:?}");
        assert_eq!(problems(need.periods_back(1)), [""; 0], "{need:?}");
    }
    assert_eq!(problems(Need::latest("up").period(Unit::Day)), [""; 0]);
    // These needs have their own unit.
    for need in [Need::classic("up"), Need::all_data("up", Unit::Day)] {
        assert_eq!(problems(need.period(Unit::Day).periods_back(1)), [PERIOD], "{need:?}");
    }
    let jobs =
        builder().job("job", schedule!("6:00:00"), [Need::self_previous().period(Unit::Day)]);
    let error = build_error(jobs);
    let [PipelineProblem::UnusedSetting { job, setting }] = error.problems() else {
        panic!("another problem")
    };
    assert_eq!((&**job, *setting), ("job", Setting::Period));
}

#[test]
fn age_of_a_need_for_other_than_the_last_run_is_an_error() {
    let day = Duration::from_hours(24);
    for need in [Need::all("up"), Need::latest("up"), Need::classic("up"), Need::self_previous()] {
        assert_eq!(problems(need.within(day)), [AGE], "{need:?}");
        assert_eq!(problems(need.within_unit(Unit::Day)), [AGE], "{need:?}");
    }
    assert_eq!(problems(Need::last("up").within(day)), [""; 0]);
    assert_eq!(problems(Need::all("up").within(day).period(Unit::Day)), [PERIOD, AGE]);
}

/// A group's setting has an effect if a need inside uses it and does not override it.
#[test]
fn setting_of_a_group_without_effect_is_an_error() {
    const LATEST: Need<'_> = Need::latest("up");
    const ALL: Need<'_> = Need::all("up");
    const MIXED: &[Need<'_>] = &[ALL, LATEST];
    const OWN: &[Need<'_>] = &[ALL, LATEST.period(Unit::Week)];
    const NESTED: &[Need<'_>] = &[ALL, Need::any_of(MIXED)];
    const HIDDEN: &[Need<'_>] = &[ALL, Need::any_of(MIXED).period(Unit::Week)];
    const LAST: &[Need<'_>] = &[ALL, Need::last("up")];
    for (needs, expected) in [
        (MIXED, &[][..]),
        (OWN, &[PERIOD]),
        (NESTED, &[]),
        (HIDDEN, &[PERIOD]),
        (LAST, &[PERIOD]),
        (&[], &[PERIOD]),
    ] {
        let found = problems(Need::all_of(needs).period(Unit::Day));
        assert_eq!(found, expected, "{needs:?}");
    }
    // The group looks back, so all needs in it do.
    assert_eq!(problems(Need::all_of(LAST).period(Unit::Day).periods_back(1)), [""; 0]);
    assert_eq!(problems(Need::all_of(LAST).within_unit(Unit::Day)), [""; 0]);
    assert_eq!(problems(Need::all_of(MIXED).within_unit(Unit::Day)), [AGE]);
}

#[test]
fn two_schedules_replaced_at_one_instant_are_an_error() {
    let jobs = builder()
        .job("job", schedule!("6:00:00"), [])
        .previous_schedule("job", schedule!("5:00:00"), SATURDAY)
        .previous_schedule("job", schedule!("4:00:00"), SATURDAY);
    let error = build_error(jobs);
    assert_eq!(
        error.to_string(),
        "invalid pipeline: two schedules of `job` were replaced at the same instant, 2026-11-21 \
         00:00:00"
    );
    let [PipelineProblem::DuplicateChange { job, until: SATURDAY, offset: None }] =
        error.problems()
    else {
        panic!("{error}")
    };
    assert_eq!(&**job, "job");
    let other = builder()
        .job("job", schedule!("6:00:00"), [])
        .previous_schedule("job", schedule!("5:00:00"), SATURDAY)
        .previous_schedule("job", schedule!("4:00:00"), SATURDAY + 1);
    assert_eq!(build(other).jobs().len(), 1);
}
