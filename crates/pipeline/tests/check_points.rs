//! Check points derived from the gaps between events.

use millicron::{IntoRecurrence, Unit, every, schedule};
use millicron_pipeline::{MemoryHistory, Need, Pipeline};

use crate::support::{
    DAY, HOUR, SATURDAY, SECOND, SINCE, build, builder, check_ready, check_waits, history_of,
    missing, ready, saturday, steps, two_jobs,
};

/// Returns the only run that a run waits for if nothing has succeeded.
#[track_caller]
fn check_point(pipeline: &Pipeline, run: i64) -> i64 {
    match *missing(&ready(pipeline, "job", run, &MemoryHistory::new())) {
        [(_, check_point)] => check_point,
        ref missing => panic!("{missing:?}"),
    }
}

fn hour(hour: i64) -> i64 {
    SATURDAY + hour * HOUR
}

#[test]
fn twelve_hours_are_the_check_period_of_two_runs_a_day() {
    let classic = two_jobs("1,13:01:04", "*:01:03", Need::classic("up"));
    let latest = two_jobs("1,13:01:04", "*:01:03", Need::latest("up"));
    let events = [1 - 24, 13 - 24, 1, 13].map(|at| hour(at) + 64 * SECOND);
    let [_, afternoon_before, morning, afternoon] = events;
    for (at, expected, day) in [
        (0, afternoon_before, morning),
        (1, morning, morning),
        (12, morning, morning),
        (13, afternoon, morning),
        (14, afternoon, morning),
        (23, afternoon, morning),
        (24, afternoon, morning + DAY),
    ] {
        let run = hour(at) + 63 * SECOND;
        assert_eq!(check_point(&classic, run), expected, "at {at} o'clock");
        assert_eq!(check_point(&latest, run), day, "at {at} o'clock");
    }
    // Any success at or after the check point is enough.
    let run = hour(23) + 63 * SECOND;
    let message = "waiting for `up` 2026-11-21 13:01:04 or later";
    let before = history_of("up", &[morning]);
    check_waits(&ready(&classic, "job", run, &before), &[("up", afternoon)], message);
    check_ready(&ready(&classic, "job", run, &history_of("up", &[afternoon])));
    check_ready(&ready(&classic, "job", run, &history_of("up", &[morning + DAY])));
}

#[test]
fn five_minutes_are_the_check_period_of_twelve_runs_an_hour() {
    let pipeline = two_jobs("*:*/5:03", "*:*:30", Need::classic("up"));
    let at = |time: &str| check_point(&pipeline, saturday(time));
    assert_eq!(at("10:59:30"), saturday("10:55:03"));
    assert_eq!(at("10:55:30"), saturday("10:55:03"));
    assert_eq!(at("10:54:30"), saturday("10:50:03"));
    assert_eq!(at("11:00:30"), saturday("11:00:03"));
}

/// With one run in each unit, both rules are the same.
#[test]
fn single_runs_of_a_unit_have_the_same_check_points_as_latest() {
    for [upstream, job] in [
        ["2:01:04", "3:00:01"],
        ["3:00:01", "2:01:04"],
        ["*:01:04", "3:01:03"],
        ["3:01:03", "*:01:02"],
        ["*.*.10 1:00:00", "3:00:00"],
        ["*.*.* Mon 6:00:00", "12:00:00"],
        ["6:00:00", "*.*.* Wed 12:00:00"],
        ["6:00:00", "*.7.1 12:00:00"],
    ] {
        let [classic, latest] =
            [Need::classic("up"), Need::latest("up")].map(|need| two_jobs(upstream, job, need));
        let runs = classic.plan(SINCE + DAY..SINCE + 400 * DAY).expect("a plan");
        let runs: Vec<i64> = runs.filter(|run| run.job == "job").map(|run| run.scheduled).collect();
        for run in runs.iter().step_by(runs.len() / 50 + 1) {
            let nothing = MemoryHistory::new();
            let answer = |pipeline: &Pipeline| ready(pipeline, "job", *run, &nothing).to_string();
            assert_eq!(answer(&classic), answer(&latest), "{upstream} and {job}");
        }
    }
}

/// With `k` units in a period, the check point is the same as for `latest` with one unit, `k - 1`
/// units back.
#[test]
fn several_runs_of_a_unit_have_the_check_points_of_units_before() {
    for (upstream, job, unit, count) in [
        ("1,13:01:04", "*:01:03", Unit::Hour, 12),
        ("*:01:03", "1,13:01:04", Unit::Hour, 12),
        ("*:*/5:03", "*:*:30", Unit::Minute, 5),
        ("0,6,12,18:00:00", "*:30:00", Unit::Hour, 6),
        ("*.*.* Mon,Thu 06:00:00", "12:00:00", Unit::Day, 3),
        ("*.1,4,7,10.1 6:00:00", "12:00:00", Unit::Month, 3),
        ("*:*:*/20", "*:*:*", Unit::Second, 20),
        ("*.*.1 6:00:00", "*.*.1,16 12:00:00", Unit::Month, 1),
        ("*/4.2.29 6:00:00", "*.1.1 12:00:00", Unit::Year, 4),
    ] {
        let classic = two_jobs(upstream, job, Need::classic("up"));
        let latest = Need::latest("up").period(unit).periods_back(count - 1);
        let latest = two_jobs(upstream, job, latest);
        let years = if unit == Unit::Year { 30 } else { 3 };
        // Late enough that the beginning cuts off no period.
        let from = SINCE + (years - 2) * 365 * DAY;
        for start in steps(from, 17 * HOUR + 1, 40) {
            let run = classic.neighbors("job", start).expect("known job").next;
            let Some(run) = run else { continue };
            assert_eq!(
                check_point(&classic, run),
                check_point(&latest, run),
                "{upstream} and {job} at {run}"
            );
        }
    }
}

#[test]
fn check_periods_are_counted_back() {
    let pipeline = two_jobs("1,13:01:04", "*:01:03", Need::classic("up").periods_back(2));
    let run = hour(23) + 63 * SECOND;
    assert_eq!(check_point(&pipeline, run), hour(13 - 24) + 64 * SECOND);
}

/// An interval has no cron expression, so its gap is measured from its first events.
#[test]
fn gap_of_an_interval_is_measured_by_its_events() {
    let interval = every(90).minutes().from(SINCE).into_recurrence(SINCE).expect("valid interval");
    let pipeline = build(builder().job("up", interval, []).job(
        "job",
        schedule!("*:*/10:00"),
        [Need::classic("up")],
    ));
    // The check period is 90 minutes, from 4:41 to 6:10.
    assert_eq!(check_point(&pipeline, saturday("06:10:00")), saturday("06:00:00"));
    assert_eq!(check_point(&pipeline, saturday("05:50:00")), saturday("04:30:00"));
}

#[test]
fn explanation_of_a_measured_check_period_counts_units() {
    let pipeline = two_jobs("1,13:01:04", "*:01:03", Need::classic("up"));
    assert_eq!(
        pipeline.explain("job").expect("known job").to_string(),
        "`job` runs at `*:01:03`, once an hour. A run needs\n\
         - a success of `up` (twice a day) at or after the check point: the first event of `up` at or \
         after the start of the hour 11 hours before."
    );
}
