//! Pipelines whose jobs have run by other schedules before: what stays valid, and what
//! begins anew.

use crate::support::{
    DAY, HOUR, SATURDAY, SINCE, all_before, at, begun, built, check_change, parse, ready, record,
    saturday, steps,
};
use millicron::schedule;
use millicron_pipeline::{Need, Pipeline, Run};

/// Saturday at noon, when schedules are changed.
const CHANGE: i64 = SATURDAY + 12 * HOUR;

/// A job whose upstream has changed its schedule on Saturday at noon.
fn changed(former: &str, upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    let builder = begun().job("up", parse(upstream), []).job("job", parse(job), [need]);
    built(builder.formerly("up", parse(former), CHANGE))
}

/// A job that has changed its own schedule on Saturday at noon.
fn own_changed(former: &str, job: &str, upstream: &str, need: Need<'_>) -> Pipeline {
    let builder = begun().job("up", parse(upstream), []).job("job", parse(job), [need]);
    built(builder.formerly("job", parse(former), CHANGE))
}

#[test]
fn records_of_a_longer_period_stay_valid() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "*:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    // What is no event of the former schedule was no run.
    let all = changed("3:00:00", "*:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "waiting for `up` 2026-11-21 03:00:00 … 2026-11-21 18:00:00 (8)");
    let own = built(begun().job("job", schedule!("*:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("3:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE, "waiting for `job` 2026-11-21 03:00:00");
    check_change(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 12:00:00");
}

#[test]
fn with_a_longer_period_needs_begin_anew() {
    let evening = saturday("18:00:00");
    let latest = changed("*:00:00", "3:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-22 03:00:00 or later");
    let old = crate::support::history_of("up", &steps(SATURDAY, HOUR, 12));
    assert!(!ready(&latest, "job", evening, &old).is_ready());
    check_change(&latest, evening + DAY, "waiting for `up` 2026-11-22 03:00:00 or later");
    // A run before the change goes by what was then.
    let morning = changed("*:00:00", "3:00:00", "6:00:00", Need::latest("up"));
    check_change(&morning, saturday("06:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");

    let all = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "ready");
    check_change(&all, evening + DAY, "waiting for `up` 2026-11-22 03:00:00");
    let some = changed("*:00:00", "13:00:00", "18:00:00", Need::at_least(3, "up"));
    check_change(&some, evening, "waiting for `up` 2026-11-21 13:00:00");
    let before = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up").cycles_back(1));
    check_change(&before, evening, "ready");

    let own = built(begun().job("job", schedule!("3:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("*:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE + 15 * HOUR, "ready");
    check_change(&own, CHANGE + 39 * HOUR, "waiting for `job` 2026-11-22 03:00:00");
    check_change(&own, CHANGE - HOUR, "waiting for `job` 2026-11-21 10:00:00");
}

#[test]
fn more_runs_in_the_same_unit_are_a_shorter_period() {
    let evening = saturday("18:00:00");
    let shorter = changed("3:00:00", "3,15:00:00", "18:00:00", Need::latest("up"));
    check_change(&shorter, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let longer = changed("3,15:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_change(&longer, evening, "waiting for `up` 2026-11-22 04:00:00 or later");
}

#[test]
fn records_of_an_equal_period_stay_valid() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let all = changed("3:00:00", "15:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "waiting for `up` 2026-11-21 03:00:00, 2026-11-21 15:00:00");
    let own = built(begun().job("job", schedule!("13:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("3:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 03:00:00");
}

#[test]
fn a_schedule_changes_several_times() {
    let [six, noon] = [SATURDAY + 6 * HOUR, CHANGE];
    // Told in any order: an hour, then a day, then half an hour.
    let with = |need: Need<'_>| {
        built(
            begun()
                .job("up", schedule!("*:*/30:00"), [])
                .job("job", schedule!("14:00:00"), [need])
                .formerly("up", schedule!("9:00:00"), noon)
                .formerly("up", schedule!("*:00:00"), six),
        )
    };
    let run = saturday("14:00:00");
    // The change to a day counts, that to half an hour does not.
    check_change(&with(Need::latest("up")), run, "waiting for `up` 2026-11-21 09:00:00 or later");
    check_change(
        &with(Need::all("up")),
        run,
        "waiting for `up` 2026-11-21 09:00:00 … 2026-11-21 14:00:00 (6)",
    );
    let own = built(
        begun()
            .job("job", schedule!("*:*/30:00"), [Need::self_previous()])
            .formerly("job", schedule!("*:00:00"), six)
            .formerly("job", schedule!("9:00:00"), noon),
    );
    check_change(&own, noon, "waiting for `job` 2026-11-21 09:00:00");
    check_change(&own, saturday("09:00:00"), "ready");
    check_change(&own, saturday("05:00:00"), "waiting for `job` 2026-11-21 04:00:00");
    let runs: Vec<i64> = own.plan(saturday("04:00:00")..=noon).map(|run| run.scheduled).collect();
    assert_eq!(runs, ["04:00:00", "05:00:00", "09:00:00", "12:00:00"].map(saturday));
}

#[test]
fn a_change_before_the_beginning_is_none() {
    let pipeline = built(
        begun()
            .job("up", schedule!("3:00:00"), [])
            .job("job", schedule!("18:00:00"), [Need::all("up")])
            .formerly("up", schedule!("*:00:00"), SINCE)
            .formerly("up", schedule!("*:*:00"), SINCE - DAY),
    );
    check_change(&pipeline, SINCE + 18 * HOUR, "waiting for `up` 2026-11-19 03:00:00");
}

#[test]
fn a_job_with_a_shorter_period_than_before_needs_what_it_needed() {
    let latest = own_changed("3:00:00", "*:30:00", "*:00:00", Need::latest("up"));
    check_change(&latest, saturday("03:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");
    check_change(&latest, saturday("12:30:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    // The first run after the change covers the data from the last one before it.
    let all = own_changed("3:00:00", "*:30:00", "*:00:00", Need::all("up"));
    check_change(
        &all,
        saturday("12:30:00"),
        "waiting for `up` 2026-11-21 04:00:00 … 2026-11-21 12:00:00 (9)",
    );
    check_change(&all, saturday("13:30:00"), "waiting for `up` 2026-11-21 13:00:00");
}

#[test]
fn a_job_with_a_longer_period_than_before_begins_anew() {
    let latest = own_changed("*:30:00", "18:00:00", "*:00:00", Need::latest("up"));
    check_change(&latest, saturday("18:00:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    check_change(
        &latest,
        saturday("18:00:00") + DAY,
        "waiting for `up` 2026-11-22 00:00:00 or later",
    );
    check_change(&latest, saturday("10:30:00"), "waiting for `up` 2026-11-21 10:00:00 or later");
    // What it covers is still told by its last run.
    let all = own_changed("*:30:00", "18:00:00", "*:00:00", Need::all("up"));
    check_change(
        &all,
        saturday("18:00:00"),
        "waiting for `up` 2026-11-21 12:00:00 … 2026-11-21 18:00:00 (7)",
    );
}

#[test]
fn a_change_lets_the_last_run_before_it_unlock_no_less() {
    let pipeline =
        built(begun().job("job", schedule!("3:00:00"), [Need::self_previous()]).formerly(
            "job",
            schedule!("*:00:00"),
            CHANGE,
        ));
    let last_but_one = saturday("10:00:00");
    let history = all_before(&pipeline, last_but_one);
    let unlocked =
        pipeline.runs_unlocked_by("job", last_but_one, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: saturday("11:00:00") }]);
}

/// A job of the first of each month that runs on Saturdays since the first of May, a Friday.
fn monthly_then_weekly(need: Need<'_>) -> Pipeline {
    let change = at("2026-05-01 13:00:00");
    built(
        Pipeline::builder()
            .since(at("2026-01-01 00:00:00"))
            .job("up", schedule!("6:00:00"), [])
            .job("job", schedule!("*.*.* Sat 12:00:00"), [need])
            .formerly("job", schedule!("*.*.1 12:00:00"), change),
    )
}

/// A week may begin before the month that an earlier run went by.
#[test]
fn a_week_after_a_month_has_an_earlier_check_point() {
    let pipeline = monthly_then_weekly(Need::latest("up"));
    let tuesday = at("2026-04-28 06:00:00");
    let history = all_before(&pipeline, at("2026-04-27 00:00:00"));
    let unlocked = pipeline.runs_unlocked_by("up", tuesday, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: at("2026-05-02 12:00:00") }]);
}

/// A month before may end after the week before that a later run goes by.
#[test]
fn a_month_before_a_week_ends_later() {
    let pipeline = monthly_then_weekly(Need::all("up").cycles_back(1));
    let tuesday = at("2026-04-28 06:00:00");
    let mut history = all_before(&pipeline, tuesday);
    for day in [29, 30] {
        record(&mut history, "up", at(&format!("2026-04-{day} 06:00:00")));
    }
    let unlocked = pipeline.runs_unlocked_by("up", tuesday, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: at("2026-05-01 12:00:00") }]);
}
