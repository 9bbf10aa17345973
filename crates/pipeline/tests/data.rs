//! Runs with the data of a calendar unit, and needs that look back by elapsed time.

use std::time::Duration;

use millicron::Unit;
use millicron_pipeline::{MemoryHistory, Need, Pipeline, RunState};

use crate::support::{
    DAY, HOUR, MINUTE, SECOND, at, build, check_missing, check_ready, missing, parse, ready, steps,
};

const MINUTES: Duration = Duration::from_mins(30);

fn jobs(upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    let since = at("2026-10-01 00:00:00");
    let builder = Pipeline::builder().since(since).job("up", parse(upstream), []);
    build(builder.job("job", parse(job), [need]))
}

fn needed(pipeline: &Pipeline, run: &str) -> Vec<i64> {
    let readiness = ready(pipeline, "job", at(run), &MemoryHistory::new());
    missing(&readiness).into_iter().map(|(_, run)| run).collect()
}

#[test]
fn day_before_has_24_hourly_runs_with_its_data() {
    let pipeline = jobs("*:01:04", "3:01:03", Need::all_data("up", Unit::Day));
    let run = at("2026-11-10 03:01:03");
    check_missing(
        &pipeline,
        run,
        "waiting for `up` 2026-11-09 01:01:04 … 2026-11-10 00:01:04 (24)",
    );
    assert_eq!(needed(&pipeline, "2026-11-10 03:01:03"), steps(run - 26 * HOUR + SECOND, HOUR, 24));
    // Selected by their own instants, the runs are those from 0 to 23 o'clock.
    let by_instant = jobs("*:01:04", "3:01:03", Need::all("up").period(Unit::Day).periods_back(1));
    check_missing(
        &by_instant,
        run,
        "waiting for `up` 2026-11-09 00:01:04 … 2026-11-09 23:01:04 (24)",
    );
}

#[test]
fn run_at_midnight_has_data_of_the_day_before() {
    let pipeline = jobs("*:00:00", "0:30:00", Need::all_data("up", Unit::Day));
    check_missing(
        &pipeline,
        at("2026-11-10 00:30:00"),
        "waiting for `up` 2026-11-09 01:00:00 … 2026-11-10 00:00:00 (24)",
    );
}

/// The daily run at 2:30 on the first contains the last data of the previous month.
#[test]
fn run_waits_for_a_later_one_that_has_the_last_data() {
    let pipeline = jobs("2:30:00", "*.*.1 2:00:00", Need::all_data("up", Unit::Month));
    check_missing(
        &pipeline,
        at("2026-12-01 02:00:00"),
        "waiting for `up` 2026-11-02 02:30:00 … 2026-12-01 02:30:00 (30)",
    );
}

#[test]
fn units_in_which_no_data_begins_need_nothing() {
    // Monday's run contains the data since Friday.
    let pipeline = jobs("*.*.* Mon-Fri 9:00:00", "12:00:00", Need::all_data("up", Unit::Day));
    let monday = at("2026-11-23 09:00:00");
    assert_eq!(needed(&pipeline, "2026-11-20 12:00:00"), [at("2026-11-20 09:00:00")]);
    assert_eq!(needed(&pipeline, "2026-11-21 12:00:00"), [monday]);
    assert!(needed(&pipeline, "2026-11-22 12:00:00").is_empty());
    assert!(needed(&pipeline, "2026-11-23 12:00:00").is_empty());
    assert_eq!(needed(&pipeline, "2026-11-24 12:00:00"), [monday + DAY]);
}

#[test]
fn earlier_units_are_counted_from_the_one_before() {
    let need = Need::all_data("up", Unit::Day).periods_back(1);
    let pipeline = jobs("*:00:00", "0:30:00", need);
    assert_eq!(
        needed(&pipeline, "2026-11-10 00:30:00"),
        steps(at("2026-11-08 01:00:00"), HOUR, 24)
    );
}

#[test]
fn data_before_the_beginning_is_not_needed() {
    let pipeline = jobs("*:01:04", "3:00:00", Need::all_data("up", Unit::Day));
    assert!(needed(&pipeline, "2026-10-01 03:00:00").is_empty());
    let first = at("2026-10-01 01:01:04");
    assert_eq!(needed(&pipeline, "2026-10-02 03:00:00"), steps(first, HOUR, 24));
    // The pipeline began within the unit.
    let month = jobs("*:01:04", "3:00:00", Need::all_data("up", Unit::Year));
    let runs = needed(&month, "2027-01-01 03:00:00");
    assert_eq!(runs[0], at("2026-10-01 00:01:04"));
    assert_eq!(runs.last(), Some(&at("2027-01-01 00:01:04")));
}

#[test]
fn data_of_a_unit_unlocks_and_orders_runs() {
    let pipeline = jobs("*:30:00", "0:15:00", Need::all_data("up", Unit::Day));
    let day = at("2026-11-10 00:00:00");
    let plan = pipeline.plan(day..day + HOUR).expect("a plan");
    assert_eq!(plan.map(|run| run.job.to_owned()).collect::<Vec<_>>(), ["up", "job"]);
    let mut history = crate::support::all_before(&pipeline, day);
    let last = day + 30 * MINUTE;
    let unlocked = pipeline
        .runs_unlocked_by("up", last, RunState::Succeeded, &history, ..)
        .expect("existing run");
    assert_eq!(unlocked.len(), 1);
    assert_eq!(unlocked[0].scheduled, day + 15 * MINUTE);
    crate::support::record(&mut history, "up", last);
    check_ready(&ready(&pipeline, "job", day + 15 * MINUTE, &history));
}

#[test]
fn explanation_names_the_unit_of_the_data() {
    let pipeline = jobs("*:01:04", "3:01:03", Need::all_data("up", Unit::Day).time_back(MINUTES));
    assert_eq!(
        pipeline.explain("job").expect("known job").to_string(),
        "`job` runs at `3:01:03`, once a day. A run needs\n\
         - what a run 30m earlier needs: every run of `up` (once an hour) with data of the day before."
    );
}

/// Monday's interval continues where Friday's ended.
#[test]
fn moved_intervals_follow_each_other() {
    let need = Need::all("up").time_back(MINUTES);
    let pipeline = jobs("*:00:00", "*.*.* Mon-Fri 0:30:00", need);
    assert_eq!(
        needed(&pipeline, "2026-11-20 00:30:00"),
        steps(at("2026-11-19 01:00:00"), HOUR, 24)
    );
    assert_eq!(
        needed(&pipeline, "2026-11-23 00:30:00"),
        steps(at("2026-11-20 01:00:00"), HOUR, 72)
    );
    let pipeline = jobs("*:*/10:00", "*:00:00", need);
    assert_eq!(
        needed(&pipeline, "2026-11-20 01:00:00"),
        steps(at("2026-11-19 23:40:00"), 600_000, 6)
    );
}

#[test]
fn moved_needs_look_at_the_period_of_an_earlier_instant() {
    let need = Need::latest("up").period(Unit::Day).time_back(MINUTES);
    let pipeline = jobs("*:10:00", "*:15:00", need);
    assert_eq!(needed(&pipeline, "2026-11-20 00:15:00"), [at("2026-11-19 00:10:00")]);
    assert_eq!(needed(&pipeline, "2026-11-20 01:15:00"), [at("2026-11-20 00:10:00")]);
    let previous = jobs("*:10:00", "*:15:00", Need::self_previous().time_back(MINUTES * 3));
    assert_eq!(needed(&previous, "2026-11-20 04:15:00"), [at("2026-11-20 02:15:00")]);
    assert!(needed(&previous, "2026-10-01 01:15:00").is_empty());
}
