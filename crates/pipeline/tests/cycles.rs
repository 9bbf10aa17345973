//! Dependency cycles, and cycles that a look-back breaks.

use std::time::Duration;

use millicron::{Gap, Unit, schedule};
use millicron_pipeline::{MemoryHistory, Need, Pipeline, PipelineProblem};

use crate::support::{
    DAY, HOUR, SINCE, build, build_error, builder, check_problem, pipeline, record,
};

#[test]
fn dependency_cycle_lists_its_jobs() {
    let message = |path: &str| {
        let hint = "one of these needs must look back, as with `periods_back(1)`";
        format!("dependency cycle: {path}; {hint}")
    };
    check_problem(&[("a", "1:00:00", &[Need::latest("a")])], &message("`a` needs `a`"));
    check_problem(&[("a", "1:00:00", &[Need::all("a")])], &message("`a` needs `a`"));
    check_problem(
        &[
            ("z", "*:30:00", &[]),
            ("a", "1:00:00", &[Need::all("c"), Need::all("z")]),
            ("b", "2:00:00", &[Need::any_of(&[Need::all("z"), Need::latest("a")])]),
            ("c", "3:00:00", &[Need::at_least(1, "b")]),
        ],
        &message("`a` needs `c`, which needs `b`, which needs `a`"),
    );
    // Reports the shorter of two cycles.
    check_problem(
        &[
            ("a", "1:00:00", &[Need::latest("b")]),
            ("b", "1:00:00", &[Need::latest("c"), Need::latest("d")]),
            ("c", "1:00:00", &[Need::latest("d")]),
            ("d", "1:00:00", &[Need::latest("a")]),
        ],
        &message("`a` needs `b`, which needs `d`, which needs `a`"),
    );
}

#[test]
fn every_dependency_cycle_is_reported() {
    let error = build_error(pipeline(&[
        ("a", "1:00:00", &[Need::latest("b")]),
        ("b", "1:00:00", &[Need::latest("a")]),
        ("between", "1:00:00", &[Need::latest("a")]),
        ("c", "1:00:00", &[Need::latest("c"), Need::latest("between")]),
    ]));
    let mut paths: Vec<Vec<String>> = Vec::new();
    for problem in error.problems() {
        let PipelineProblem::DependencyCycle { path, .. } = problem else { panic!("{problem}") };
        paths.push(path.iter().map(ToString::to_string).collect());
    }
    paths.sort();
    assert_eq!(paths, [vec!["a", "b"], vec!["c"]]);
}

/// Checks that a plan has `count` runs, each after the runs that it needs.
#[track_caller]
fn check_plan(pipeline: &Pipeline, start: i64, end: i64, count: usize) {
    let mut history = MemoryHistory::new();
    let mut runs = 0;
    for run in pipeline.plan(start..end).expect("a plan") {
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

/// Returns pipelines whose dependency cycles are broken by a need that looks a period back, with
/// the number of their runs in four weeks from a Thursday.
fn broken_cycles() -> Vec<(Pipeline, usize)> {
    let latest = |of| Need::latest(of);
    vec![
        (
            build(pipeline(&[
                ("a", "2:00:00", &[latest("b").periods_back(1)]),
                ("b", "1:00:00", &[latest("a")]),
            ])),
            56,
        ),
        (
            build(pipeline(&[
                ("a", "*/12:00:00", &[latest("b")]),
                ("b", "6:00:00", &[latest("c")]),
                ("c", "18:00:00", &[latest("a").periods_back(1), Need::all("a").periods_back(2)]),
            ])),
            112,
        ),
        (
            build(pipeline(&[
                ("daily", "2:00:00", &[latest("weekly")]),
                ("weekly", "*.*.* Wed 3:00:00", &[latest("daily").periods_back(1)]),
            ])),
            32,
        ),
        (
            build(pipeline(&[
                ("a", "2:00:00", &[Need::all("b").events_back(1)]),
                ("b", "2:00:00", &[Need::all("a")]),
            ])),
            56,
        ),
        (
            build(pipeline(&[
                ("a", "2:00:00", &[Need::all("b"), Need::self_previous()]),
                ("b", "*/6:00:00", &[Need::all("a").periods_back(1), Need::self_previous()]),
            ])),
            140,
        ),
    ]
}

#[test]
fn looking_a_period_back_breaks_a_dependency_cycle() {
    // Long after the pipeline began.
    let start = SINCE + 70 * DAY;
    for (pipeline, count) in broken_cycles() {
        check_plan(&pipeline, start, start + 28 * DAY, count);
    }
}

#[test]
fn first_runs_can_start_if_a_need_looks_a_period_back() {
    for (pipeline, count) in broken_cycles() {
        check_plan(&pipeline, SINCE, SINCE + 28 * DAY, count);
    }
}

/// The first run is at noon, on a day whose daily run was before the pipeline began.
#[test]
fn beginning_within_a_period_makes_no_dependency_cycle() {
    let pipeline = build(
        Pipeline::builder()
            .since(SINCE + 12 * HOUR)
            .job("hourly", schedule!("*:00:00"), [Need::latest("daily")])
            .job("daily", schedule!("2:00:00"), [Need::latest("hourly").periods_back(1)]),
    );
    check_plan(&pipeline, SINCE, SINCE + 3 * DAY, 12 + 48 + 2);
}

/// The pipeline begins in 2000, in the middle of a week.
#[test]
fn first_week_of_all_schedules_makes_no_dependency_cycle() {
    let pipeline = build(
        Pipeline::builder().job("daily", schedule!("2:00:00"), [Need::latest("weekly")]).job(
            "weekly",
            schedule!("*.*.* Mon 3:00:00"),
            [Need::latest("daily").periods_back(1)],
        ),
    );
    let start = crate::oracle::START;
    check_plan(&pipeline, start, start + 14 * DAY, 14 + 2);
}

#[track_caller]
fn check_cycle(jobs: &[(&str, &str, &[Need<'_>])]) {
    let error = build_error(pipeline(jobs));
    let is_cycle =
        |problem: &PipelineProblem| matches!(problem, PipelineProblem::DependencyCycle { .. });
    assert!(error.problems().iter().all(is_cycle), "{error}");
}

#[test]
fn looking_back_too_little_leaves_a_dependency_cycle() {
    let latest = |of| Need::latest(of);
    // Monday's run needs Wednesday's, which needs Tuesday's, which needs Monday's.
    check_cycle(&[
        ("first", "2:00:00", &[latest("weekly")]),
        ("weekly", "*.*.* Wed 3:00:00", &[Need::all("second")]),
        ("second", "2:00:00", &[latest("first").periods_back(1)]),
    ]);
    check_cycle(&[
        ("daily", "2:00:00", &[latest("weekly")]),
        ("weekly", "*.*.* Wed 3:00:00", &[latest("daily").period(Unit::Day).periods_back(1)]),
    ]);
    // The last hour of the interval is on the same day.
    check_cycle(&[
        ("hourly", "*:00:00", &[latest("daily")]),
        ("daily", "2:00:00", &[Need::all("hourly")]),
    ]);
    // A check point on the 31st may be in a later month.
    check_cycle(&[
        ("daily", "2:00:00", &[latest("late")]),
        ("late", "*.*.31 3:00:00", &[latest("daily").periods_back(1)]),
    ]);
    // A week may be in two months.
    check_cycle(&[
        ("daily", "2:00:00", &[latest("weekly")]),
        ("weekly", "*.*.* Wed 3:00:00", &[latest("monthly")]),
        ("monthly", "*.*.15 4:00:00", &[latest("daily").periods_back(1)]),
    ]);
    // Only one of two cycles looks back.
    check_cycle(&[
        ("a", "2:00:00", &[latest("b").periods_back(1), latest("b")]),
        ("b", "1:00:00", &[latest("a")]),
    ]);
}

/// Builds an hourly job that needs the daily run of its day, which needs yesterday's hourly runs.
fn daily_and_hourly(zones: [&str; 2]) -> Result<Pipeline, millicron_pipeline::PipelineError> {
    let [daily, hourly] = zones.map(|zone| jiff::tz::TimeZone::get(zone).expect("a zone"));
    Pipeline::builder()
        .since(SINCE)
        .job("daily", schedule!("2:00:00").in_zone(daily), [Need::all("hourly").periods_back(1)])
        .job("hourly", schedule!("*:00:00").in_zone(hourly), [Need::latest("daily")])
        .build()
}

#[test]
fn looking_a_day_back_breaks_a_dependency_cycle_only_within_one_zone() {
    let pipeline = daily_and_hourly(["Europe/Berlin"; 2]).expect("valid pipeline");
    let runs = pipeline.plan(SINCE..SINCE + 400 * DAY).expect("a plan").count();
    assert_eq!(runs, 400 * 25);
    // Another zone has other days.
    let error = daily_and_hourly(["Europe/Berlin", "Europe/London"]).expect_err("dependency cycle");
    assert!(matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]), "{error}");
}

/// The daily run of 29 March 2026 is in a gap.
#[test]
fn day_whose_event_is_skipped_leaves_a_dependency_cycle() {
    for (gap, is_cycle) in [(Gap::Bridge, false), (Gap::Skip, true)] {
        let berlin = jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone");
        let daily = schedule!("2:30:00").in_zone(berlin.clone()).with_gap(gap);
        let hourly = schedule!("*:00:00").in_zone(berlin);
        let jobs = builder().job("daily", daily, [Need::all("hourly").periods_back(1)]).job(
            "hourly",
            hourly,
            [Need::latest("daily")],
        );
        assert_eq!(jobs.build().is_err(), is_cycle, "{gap:?}");
    }
}

/// There is no daily run on the day of the change.
#[test]
fn day_without_a_run_because_of_a_change_leaves_a_dependency_cycle() {
    let jobs = builder()
        .job("hourly", schedule!("*:00:00"), [Need::latest("daily")])
        .job("daily", schedule!("2:00:00"), [Need::latest("hourly").periods_back(1)])
        .previous_schedule("daily", schedule!("20:00:00"), SINCE + 10 * DAY + 12 * HOUR);
    let error = build_error(jobs);
    assert!(matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]), "{error}");
}

/// Only the jobs whose needs look at days must have the same days.
#[test]
fn job_in_another_zone_may_be_on_a_cycle_that_looking_a_day_back_breaks() {
    let [berlin, tokyo] =
        ["Europe/Berlin", "Asia/Tokyo"].map(|zone| jiff::tz::TimeZone::get(zone).expect("a zone"));
    let daily = schedule!("2:00:00").in_zone(berlin.clone());
    let builder = builder().job("daily", daily, [Need::latest("hourly").periods_back(1)]);
    let hourly = schedule!("*:00:00").in_zone(berlin);
    let builder = builder.job("hourly", hourly, [Need::last("other")]);
    let other = schedule!("3:30:00").in_zone(tokyo);
    let pipeline = build(builder.job("other", other, [Need::last("daily")]));
    check_plan(&pipeline, SINCE, SINCE + 28 * DAY, 28 * (1 + 24 + 1));
}

/// Returns whether a daily job and an hourly job that needs it form an invalid cycle.
fn in_a_cycle(hourly: Need<'_>, daily: Need<'_>) -> bool {
    let jobs = [
        ("hourly", "*:30:00", &[hourly] as &[Need<'_>]),
        ("daily", "2:00:00", &[daily]),
        ("free", "2:00:00", &[]),
    ];
    match pipeline(&jobs).build() {
        Ok(pipeline) => {
            check_plan(&pipeline, SINCE, SINCE + 28 * DAY, 28 * (24 + 1 + 1));
            false
        }
        Err(error) => {
            assert!(
                matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]),
                "{error}"
            );
            true
        }
    }
}

#[test]
fn last_runs_are_never_later_unless_they_may_be_too_old() {
    let (all, last) = (Need::all("hourly"), Need::last("daily"));
    let hours = Duration::from_hours;
    assert!(in_a_cycle(last, all));
    for back in [
        last.events_back(1),
        last.time_back(Duration::from_millis(1)),
        last.periods_back(1),
        // The daily runs are at most 24 hours apart.
        last.events_back(1).within(hours(24)),
    ] {
        assert!(!in_a_cycle(back, all), "{back:?}");
    }
    assert!(!in_a_cycle(last, all.time_back(hours(1))));
    for later in [
        last.events_back(1).within(hours(23)),
        last.periods_back(1).within_unit(Unit::Year),
        last.time_back(hours(1)).within(hours(1)),
    ] {
        assert!(in_a_cycle(later, all), "{later:?}");
    }
}

#[test]
fn data_of_an_earlier_unit_is_before_the_unit() {
    let latest = Need::latest("daily");
    let data = |periods| Need::all_data("hourly", Unit::Day).periods_back(periods);
    // The first hourly run of the day contains the last data of yesterday, and needs today's daily
    // run.
    assert!(in_a_cycle(latest, data(0)));
    assert!(!in_a_cycle(latest, data(1)));
    assert!(in_a_cycle(latest, Need::all_data("hourly", Unit::Hour).periods_back(1)));
}

#[test]
fn message_of_a_cycle_names_the_job_whose_last_run_may_be_too_old() {
    let last = Need::last("daily").events_back(1);
    let of = |need: Need<'_>| {
        let jobs = pipeline(&[
            ("hourly", "*:30:00", &[need]),
            ("daily", "2:00:00", &[Need::all("hourly")]),
        ]);
        build_error(jobs).to_string()
    };
    assert_eq!(
        of(last.within(Duration::from_hours(23))),
        "invalid pipeline: dependency cycle: `hourly` needs `daily`, which needs `hourly`; the last \
         run of `daily` may be older than its maximum age, and then a later run is needed, which \
         no cycle may have",
    );
    // Without a limit, the error asks only for a look-back.
    assert!(of(Need::last("daily")).ends_with("must look back, as with `periods_back(1)`"));
}

/// Before upstream's first event, the limit is exceeded, however close the later events are to each
/// other.
#[test]
fn last_run_may_be_too_old_before_upstream_begins() {
    let last = Need::last("daily").events_back(1).within(Duration::from_hours(24));
    for (daily, is_cycle) in [("2:00:00", false), ("2030.*.* 2:00:00", true)] {
        let jobs =
            pipeline(&[("hourly", "*:30:00", &[last]), ("daily", daily, &[Need::all("hourly")])]);
        assert_eq!(jobs.build().is_err(), is_cycle, "{daily}");
    }
}

/// When clocks are set back, the daily runs are 25 hours apart.
#[test]
fn last_run_in_a_zone_may_be_older_than_a_day() {
    let last = Need::last("daily").events_back(1).within(Duration::from_hours(24));
    let berlin = jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone");
    let jobs = builder().job("hourly", schedule!("*:30:00").in_zone(berlin.clone()), [last]);
    let jobs = jobs.job("daily", schedule!("2:00:00").in_zone(berlin), [Need::all("hourly")]);
    let error = build_error(jobs);
    assert!(matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]), "{error}");
}

/// The check period spans 12 units, so `twice` is not known to run in each of them.
#[test]
fn measured_check_periods_break_a_cycle_only_if_upstream_runs_in_each_unit() {
    let all = Need::all("hourly").periods_back(1);
    assert!(!in_a_cycle(Need::classic("daily"), all));
    assert!(!in_a_cycle(Need::classic("daily").periods_back(1), Need::latest("hourly")));
    assert!(in_a_cycle(Need::classic("daily"), Need::latest("hourly")));
    let twice = pipeline(&[
        ("hourly", "*:30:00", &[Need::all("twice")]),
        ("twice", "2,14:00:00", &[Need::classic("hourly").periods_back(1)]),
    ]);
    check_plan(&build(twice), SINCE, SINCE + 28 * DAY, 28 * (24 + 2));
    let several = pipeline(&[
        ("hourly", "*:30:00", &[Need::classic("twice")]),
        ("twice", "2,14:00:00", &[all]),
    ]);
    assert!(matches!(build_error(several).problems(), [PipelineProblem::DependencyCycle { .. }]));
}

#[test]
fn units_without_upstream_matter_only_between_its_events() {
    for (daily, is_cycle) in [
        ("2:00:00", false),
        ("2026-2030.*.* 2:00:00", false),
        ("2026-2028,2030.*.* 2:00:00", true),
        // The event after a day without one is at midnight.
        ("*.*.* Mon,Wed,Fri,Sun 0:00:00", true),
    ] {
        let jobs = pipeline(&[
            ("hourly", "*:00:00", &[Need::latest("daily")]),
            ("daily", daily, &[Need::latest("hourly").periods_back(1)]),
        ]);
        assert_eq!(jobs.build().is_err(), is_cycle, "{daily}");
    }
}
