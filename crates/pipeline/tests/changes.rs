//! Jobs with previous schedules: which records stay valid, and which needs are reset.

use millicron::{Unit, schedule};
use millicron_pipeline::{Need, Pipeline, PipelineRun, RunState};

use crate::support::{
    DAY, HOUR, SATURDAY, SINCE, all_before, at, build, builder, check_missing, parse, ready,
    record, saturday, steps,
};

/// Saturday at noon, when schedules change.
const CHANGE: i64 = SATURDAY + 12 * HOUR;

/// Returns a pipeline with a job whose upstream job changed its schedule on Saturday at noon.
fn changed(previous: &str, upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    let builder = builder().job("up", parse(upstream), []).job("job", parse(job), [need]);
    build(builder.previous_schedule("up", parse(previous), CHANGE))
}

/// Returns a pipeline with a job that changed its own schedule on Saturday at noon.
fn own_changed(previous: &str, job: &str, upstream: &str, need: Need<'_>) -> Pipeline {
    let builder = builder().job("up", parse(upstream), []).job("job", parse(job), [need]);
    build(builder.previous_schedule("job", parse(previous), CHANGE))
}

#[test]
fn records_stay_valid_when_the_period_becomes_shorter() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "*:00:00", "18:00:00", Need::latest("up"));
    check_missing(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    // Only events of the previous schedule were runs.
    let all = changed("3:00:00", "*:00:00", "18:00:00", Need::all("up"));
    check_missing(&all, evening, "waiting for `up` 2026-11-21 03:00:00 … 2026-11-21 18:00:00 (8)");
    let own = build(
        builder().job("job", schedule!("*:00:00"), [Need::self_previous()]).previous_schedule(
            "job",
            schedule!("3:00:00"),
            CHANGE,
        ),
    );
    check_missing(&own, CHANGE, "waiting for `job` 2026-11-21 03:00:00");
    check_missing(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 12:00:00");
}

#[test]
fn units_of_a_job_start_in_the_zone_that_its_schedule_had_then() {
    let tokyo = jiff::tz::TimeZone::get("Asia/Tokyo").expect("a zone");
    let builder = builder().job("up", schedule!("3:00:00").in_zone(jiff::tz::TimeZone::UTC), []);
    let previous = schedule!("3:00:00").in_zone(tokyo);
    let pipeline = build(builder.previous_schedule("up", previous, SATURDAY));
    let up = pipeline.job("up").expect("a job").recurrence();
    assert_eq!(up.unit_start(Unit::Day, CHANGE, 0), Some(SATURDAY));
    assert_eq!(up.unit_end(Unit::Day, CHANGE), Some(SATURDAY + DAY));
    assert_eq!(up.zone_name(), Some("UTC"));
    let friday = CHANGE - DAY;
    assert_eq!(up.unit_start(Unit::Day, friday, 0), Some(SATURDAY - 33 * HOUR));
    assert_eq!(up.unit_end(Unit::Day, friday), Some(SATURDAY - 9 * HOUR));
}

#[test]
fn needs_are_reset_when_the_upstream_period_becomes_longer() {
    let evening = saturday("18:00:00");
    let latest = changed("*:00:00", "3:00:00", "18:00:00", Need::latest("up"));
    check_missing(&latest, evening, "waiting for `up` 2026-11-22 03:00:00 or later");
    let old = crate::support::history_of("up", &steps(SATURDAY, HOUR, 12));
    assert!(!ready(&latest, "job", evening, &old).is_ready());
    check_missing(&latest, evening + DAY, "waiting for `up` 2026-11-22 03:00:00 or later");
    // A run before the change needs the previous schedule.
    let morning = changed("*:00:00", "3:00:00", "6:00:00", Need::latest("up"));
    check_missing(&morning, saturday("06:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");

    let all = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up"));
    check_missing(&all, evening, "ready");
    check_missing(&all, evening + DAY, "waiting for `up` 2026-11-22 03:00:00");
    let some = changed("*:00:00", "13:00:00", "18:00:00", Need::at_least(3, "up"));
    check_missing(&some, evening, "waiting for `up` 2026-11-21 13:00:00");
    let before = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up").periods_back(1));
    check_missing(&before, evening, "ready");

    let own = build(
        builder().job("job", schedule!("3:00:00"), [Need::self_previous()]).previous_schedule(
            "job",
            schedule!("*:00:00"),
            CHANGE,
        ),
    );
    check_missing(&own, CHANGE + 15 * HOUR, "ready");
    check_missing(&own, CHANGE + 39 * HOUR, "waiting for `job` 2026-11-22 03:00:00");
    check_missing(&own, CHANGE - HOUR, "waiting for `job` 2026-11-21 10:00:00");
}

#[test]
fn more_runs_in_the_same_unit_are_a_shorter_period() {
    let evening = saturday("18:00:00");
    let shorter = changed("3:00:00", "3,15:00:00", "18:00:00", Need::latest("up"));
    check_missing(&shorter, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let longer = changed("3,15:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_missing(&longer, evening, "waiting for `up` 2026-11-22 04:00:00 or later");
}

#[test]
fn records_stay_valid_when_the_period_is_equal() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_missing(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let all = changed("3:00:00", "15:00:00", "18:00:00", Need::all("up"));
    check_missing(&all, evening, "waiting for `up` 2026-11-21 03:00:00, 2026-11-21 15:00:00");
    let own = build(
        builder().job("job", schedule!("13:00:00"), [Need::self_previous()]).previous_schedule(
            "job",
            schedule!("3:00:00"),
            CHANGE,
        ),
    );
    check_missing(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 03:00:00");
}

#[test]
fn schedule_can_change_several_times() {
    let [six, noon] = [SATURDAY + 6 * HOUR, CHANGE];
    // Hourly, then daily, then half-hourly; the order of the calls does not matter.
    let with = |need: Need<'_>| {
        build(
            builder()
                .job("up", schedule!("*:*/30:00"), [])
                .job("job", schedule!("14:00:00"), [need])
                .previous_schedule("up", schedule!("9:00:00"), noon)
                .previous_schedule("up", schedule!("*:00:00"), six),
        )
    };
    let run = saturday("14:00:00");
    // Only the change to a longer period resets needs.
    check_missing(&with(Need::latest("up")), run, "waiting for `up` 2026-11-21 09:00:00 or later");
    check_missing(
        &with(Need::all("up")),
        run,
        "waiting for `up` 2026-11-21 09:00:00 … 2026-11-21 14:00:00 (6)",
    );
    let own = build(
        builder()
            .job("job", schedule!("*:*/30:00"), [Need::self_previous()])
            .previous_schedule("job", schedule!("*:00:00"), six)
            .previous_schedule("job", schedule!("9:00:00"), noon),
    );
    check_missing(&own, noon, "waiting for `job` 2026-11-21 09:00:00");
    check_missing(&own, saturday("09:00:00"), "ready");
    check_missing(&own, saturday("05:00:00"), "waiting for `job` 2026-11-21 04:00:00");
    let runs: Vec<i64> =
        own.plan(saturday("04:00:00")..=noon).expect("a plan").map(|run| run.scheduled).collect();
    assert_eq!(runs, ["04:00:00", "05:00:00", "09:00:00", "12:00:00"].map(saturday));
}

#[test]
fn change_before_the_beginning_has_no_effect() {
    let pipeline = build(
        builder()
            .job("up", schedule!("3:00:00"), [])
            .job("job", schedule!("18:00:00"), [Need::all("up")])
            .previous_schedule("up", schedule!("*:00:00"), SINCE)
            .previous_schedule("up", schedule!("*:*:00"), SINCE - DAY),
    );
    check_missing(&pipeline, SINCE + 18 * HOUR, "waiting for `up` 2026-11-19 03:00:00");
}

#[test]
fn own_shorter_period_keeps_needs() {
    let latest = own_changed("3:00:00", "*:30:00", "*:00:00", Need::latest("up"));
    check_missing(&latest, saturday("03:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");
    check_missing(&latest, saturday("12:30:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    // The first run after the change covers the data since the last run before it.
    let all = own_changed("3:00:00", "*:30:00", "*:00:00", Need::all("up"));
    check_missing(
        &all,
        saturday("12:30:00"),
        "waiting for `up` 2026-11-21 04:00:00 … 2026-11-21 12:00:00 (9)",
    );
    check_missing(&all, saturday("13:30:00"), "waiting for `up` 2026-11-21 13:00:00");
}

#[test]
fn own_longer_period_resets_needs() {
    let latest = own_changed("*:30:00", "18:00:00", "*:00:00", Need::latest("up"));
    check_missing(&latest, saturday("18:00:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    check_missing(
        &latest,
        saturday("18:00:00") + DAY,
        "waiting for `up` 2026-11-22 00:00:00 or later",
    );
    check_missing(&latest, saturday("10:30:00"), "waiting for `up` 2026-11-21 10:00:00 or later");
    // The data interval still starts at the last run.
    let all = own_changed("*:30:00", "18:00:00", "*:00:00", Need::all("up"));
    check_missing(
        &all,
        saturday("18:00:00"),
        "waiting for `up` 2026-11-21 12:00:00 … 2026-11-21 18:00:00 (7)",
    );
}

#[test]
fn last_run_before_a_change_unlocks_runs_after_it() {
    let pipeline = build(
        builder().job("job", schedule!("3:00:00"), [Need::self_previous()]).previous_schedule(
            "job",
            schedule!("*:00:00"),
            CHANGE,
        ),
    );
    let last_but_one = saturday("10:00:00");
    let history = all_before(&pipeline, last_but_one);
    let unlocked = pipeline
        .runs_unlocked_by("job", last_but_one, RunState::Succeeded, &history, ..)
        .expect("a run");
    assert_eq!(unlocked, [PipelineRun { job: "job", scheduled: saturday("11:00:00") }]);
}

/// Returns a pipeline whose `job` ran on the first of each month, and on Saturdays since May 1, a
/// Friday.
fn monthly_then_weekly(need: Need<'_>) -> Pipeline {
    let change = at("2026-05-01 13:00:00");
    build(
        Pipeline::builder()
            .since(at("2026-01-01 00:00:00"))
            .job("up", schedule!("6:00:00"), [])
            .job("job", schedule!("*.*.* Sat 12:00:00"), [need])
            .previous_schedule("job", schedule!("*.*.1 12:00:00"), change),
    )
}

/// A week may start before the month of an earlier run.
#[test]
fn check_point_may_be_earlier_after_a_change_from_months_to_weeks() {
    let pipeline = monthly_then_weekly(Need::latest("up"));
    let tuesday = at("2026-04-28 06:00:00");
    let history = all_before(&pipeline, at("2026-04-27 00:00:00"));
    let unlocked =
        pipeline.runs_unlocked_by("up", tuesday, RunState::Succeeded, &history, ..).expect("a run");
    assert_eq!(unlocked, [PipelineRun { job: "job", scheduled: at("2026-05-02 12:00:00") }]);
}

/// The previous month may end after the previous week of a later run.
#[test]
fn interval_may_end_later_before_a_change_from_months_to_weeks() {
    let pipeline = monthly_then_weekly(Need::all("up").periods_back(1));
    let tuesday = at("2026-04-28 06:00:00");
    let mut history = all_before(&pipeline, tuesday);
    for day in [29, 30] {
        record(&mut history, "up", at(&format!("2026-04-{day} 06:00:00")));
    }
    let unlocked =
        pipeline.runs_unlocked_by("up", tuesday, RunState::Succeeded, &history, ..).expect("a run");
    assert_eq!(unlocked, [PipelineRun { job: "job", scheduled: at("2026-05-01 12:00:00") }]);
}
