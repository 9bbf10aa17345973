//! Jobs that need each other in a circle, and circles that are none.

use crate::support::{DAY, HOUR, SINCE, built, check_problem, pipeline, record, refused};
use millicron::Unit;
use millicron::schedule;
use millicron_pipeline::{MemoryHistory, Need, Pipeline, Problem};

#[test]
fn circles_are_told_by_their_jobs() {
    let words =
        |path: &str| format!("a circle: {path}; one of them has to look a whole cycle back");
    check_problem(&[("a", "1:00:00", &[Need::latest("a")])], &words("`a` needs `a`"));
    check_problem(&[("a", "1:00:00", &[Need::all("a")])], &words("`a` needs `a`"));
    check_problem(
        &[
            ("z", "*:30:00", &[]),
            ("a", "1:00:00", &[Need::all("c"), Need::all("z")]),
            ("b", "2:00:00", &[Need::any_of(&[Need::all("z"), Need::latest("a")])]),
            ("c", "3:00:00", &[Need::at_least(1, "b")]),
        ],
        &words("`a` needs `c`, which needs `b`, which needs `a`"),
    );
    // The shorter of two.
    check_problem(
        &[
            ("a", "1:00:00", &[Need::latest("b")]),
            ("b", "1:00:00", &[Need::latest("c"), Need::latest("d")]),
            ("c", "1:00:00", &[Need::latest("d")]),
            ("d", "1:00:00", &[Need::latest("a")]),
        ],
        &words("`a` needs `b`, which needs `d`, which needs `a`"),
    );
}

#[test]
fn each_circle_is_told() {
    let error = refused(pipeline(&[
        ("a", "1:00:00", &[Need::latest("b")]),
        ("b", "1:00:00", &[Need::latest("a")]),
        ("between", "1:00:00", &[Need::latest("a")]),
        ("c", "1:00:00", &[Need::latest("c"), Need::latest("between")]),
    ]));
    let mut paths: Vec<Vec<String>> = Vec::new();
    for problem in error.problems() {
        let Problem::Circle { path } = problem else { panic!("{problem}") };
        paths.push(path.iter().map(ToString::to_string).collect());
    }
    paths.sort();
    assert_eq!(paths, [vec!["a", "b"], vec!["c"]]);
}

/// That the plan of a range has so many runs, and none before what it needs.
#[track_caller]
fn check_plan(pipeline: &Pipeline, start: i64, end: i64, count: usize) {
    let mut history = MemoryHistory::new();
    let mut runs = 0;
    for run in pipeline.plan(start..end) {
        let readiness = crate::support::ready(pipeline, run.job, run.scheduled, &history);
        for (job, missing) in crate::support::missing(&readiness) {
            assert!(!(start..end).contains(&missing), "{run} comes before {job} {missing}");
        }
        record(&mut history, run.job, run.scheduled);
        runs += 1;
    }
    assert_eq!(runs, count);
    assert_eq!(history.len(), count);
}

/// Pipelines that would be circles if none of their needs looked a cycle back, and how many
/// runs they have in four weeks that begin on a Thursday.
fn seeming_circles() -> Vec<(Pipeline, usize)> {
    let latest = |of| Need::latest(of);
    vec![
        (
            built(pipeline(&[
                ("a", "2:00:00", &[latest("b").cycles_back(1)]),
                ("b", "1:00:00", &[latest("a")]),
            ])),
            56,
        ),
        (
            built(pipeline(&[
                ("a", "*/12:00:00", &[latest("b")]),
                ("b", "6:00:00", &[latest("c")]),
                ("c", "18:00:00", &[latest("a").cycles_back(1), Need::all("a").cycles_back(2)]),
            ])),
            112,
        ),
        (
            built(pipeline(&[
                ("daily", "2:00:00", &[latest("weekly")]),
                ("weekly", "*.*.* Wed 3:00:00", &[latest("daily").cycles_back(1)]),
            ])),
            32,
        ),
        (
            built(pipeline(&[
                ("a", "2:00:00", &[Need::all("b").events_back(1)]),
                ("b", "2:00:00", &[Need::all("a")]),
            ])),
            56,
        ),
        (
            built(pipeline(&[
                ("a", "2:00:00", &[Need::all("b"), Need::self_previous()]),
                ("b", "*/6:00:00", &[Need::all("a").cycles_back(1), Need::self_previous()]),
            ])),
            140,
        ),
    ]
}

#[test]
fn a_need_that_looks_a_cycle_back_makes_no_circle() {
    // Long after the beginning.
    let start = SINCE + 70 * DAY;
    for (pipeline, count) in seeming_circles() {
        check_plan(&pipeline, start, start + 28 * DAY, count);
    }
}

#[test]
fn where_needs_look_a_cycle_back_the_first_runs_can_start() {
    for (pipeline, count) in seeming_circles() {
        check_plan(&pipeline, SINCE, SINCE + 28 * DAY, count);
    }
}

/// The job's first run is at noon, of a day whose daily run was before the beginning.
#[test]
fn a_beginning_within_a_cycle_makes_no_circle() {
    let pipeline = built(
        Pipeline::builder()
            .since(SINCE + 12 * HOUR)
            .job("hourly", schedule!("*:00:00"), [Need::latest("daily")])
            .job("daily", schedule!("2:00:00"), [Need::latest("hourly").cycles_back(1)]),
    );
    check_plan(&pipeline, SINCE, SINCE + 3 * DAY, 12 + 48 + 2);
}

/// A pipeline that begins with all schedules, in the middle of a week.
#[test]
fn the_first_week_of_schedules_makes_no_circle() {
    let pipeline = built(
        Pipeline::builder().job("daily", schedule!("2:00:00"), [Need::latest("weekly")]).job(
            "weekly",
            schedule!("*.*.* Mon 3:00:00"),
            [Need::latest("daily").cycles_back(1)],
        ),
    );
    let start = crate::oracle::START;
    check_plan(&pipeline, start, start + 14 * DAY, 14 + 2);
}

#[track_caller]
fn check_circle(jobs: &[(&str, &str, &[Need<'_>])]) {
    let error = refused(pipeline(jobs));
    let is_circle = |problem: &Problem| matches!(problem, Problem::Circle { .. });
    assert!(error.problems().iter().all(is_circle), "{error}");
}

#[test]
fn a_need_that_looks_back_too_little_makes_a_circle() {
    let latest = |of| Need::latest(of);
    // Monday's run needs Wednesday's, that needs Tuesday's, and that Monday's.
    check_circle(&[
        ("first", "2:00:00", &[latest("weekly")]),
        ("weekly", "*.*.* Wed 3:00:00", &[Need::all("second")]),
        ("second", "2:00:00", &[latest("first").cycles_back(1)]),
    ]);
    check_circle(&[
        ("daily", "2:00:00", &[latest("weekly")]),
        ("weekly", "*.*.* Wed 3:00:00", &[latest("daily").by(Unit::Day).cycles_back(1)]),
    ]);
    // The last hour of its interval is of the same day.
    check_circle(&[
        ("hourly", "*:00:00", &[latest("daily")]),
        ("daily", "2:00:00", &[Need::all("hourly")]),
    ]);
    // A run of the 31st may be of a later month.
    check_circle(&[
        ("daily", "2:00:00", &[latest("late")]),
        ("late", "*.*.31 3:00:00", &[latest("daily").cycles_back(1)]),
    ]);
    // One of two ways around looks back, the other does not.
    check_circle(&[
        ("a", "2:00:00", &[latest("b").cycles_back(1), latest("b")]),
        ("b", "1:00:00", &[latest("a")]),
    ]);
}

/// An hourly job needs the daily run of its day, and that the hourly runs of yesterday.
fn daily_and_hourly(zones: [&str; 2]) -> Result<Pipeline, millicron_pipeline::PipelineError> {
    let [daily, hourly] = zones.map(|zone| jiff::tz::TimeZone::get(zone).expect("a zone"));
    Pipeline::builder()
        .since(SINCE)
        .job("daily", schedule!("2:00:00").in_zone(daily), [Need::all("hourly").cycles_back(1)])
        .job("hourly", schedule!("*:00:00").in_zone(hourly), [Need::latest("daily")])
        .build()
}

#[test]
fn what_looks_a_day_back_by_the_clocks_of_one_zone_makes_no_circle() {
    let pipeline = daily_and_hourly(["Europe/Berlin"; 2]).expect("nothing is wrong with it");
    let runs = pipeline.plan(SINCE..SINCE + 400 * DAY).count();
    assert_eq!(runs, 400 * 25);
    // By other clocks, a day is another.
    let error = daily_and_hourly(["Europe/Berlin", "Europe/London"]).expect_err("a circle");
    assert!(matches!(error.problems(), [Problem::Circle { .. }]), "{error}");
}
