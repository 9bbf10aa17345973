//! Jobs whose recurrence is more than one cron expression: unions, schedules on calendars, intervals, and
//! a user's type.

use millicron::{Calendar, Interval, IntoRecurrence, Recurrence, Unit, calendar, every, schedule};
use millicron_pipeline::{Impossible, MemoryHistory, Need, Pipeline, PipelineProblem, RunState};

use crate::support::{
    DAY, HOUR, MINUTE, SATURDAY, SINCE, all_before, build, build_error, builder, check_ready,
    check_waits, history_of, missing, parse, ready, saturday, steps,
};

/// Every 90 minutes since the pipeline's beginning.
fn interval() -> Interval {
    every(90).minutes().from(SINCE).into_recurrence(SINCE).expect("valid interval")
}

/// The first, the third and the tenth hour of each day, without overriding any default.
#[derive(Clone, Copy)]
struct Hours;

impl Hours {
    const HOURS: [i64; 3] = [0, 2, 9];

    fn of_day(day: i64) -> impl DoubleEndedIterator<Item = i64> {
        Self::HOURS.into_iter().map(move |hour| day * DAY + hour * HOUR)
    }
}

impl Recurrence for Hours {
    fn next_event(&self, instant: i64) -> Option<i64> {
        if instant < SINCE - 10 * DAY {
            return self.next_event(SINCE - 10 * DAY);
        }
        let day = instant.div_euclid(DAY);
        (day..=day + 1).flat_map(Self::of_day).find(|event| *event > instant)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let instant = instant.min(SINCE + 1000 * DAY);
        let day = instant.div_euclid(DAY);
        let mut events = (day - 1..=day).rev().flat_map(|day| Self::of_day(day).rev());
        events.find(|event| *event <= instant && *event > SINCE - 10 * DAY)
    }
}

/// Returns a pipeline of `job`, which needs `up`.
fn two_jobs(
    upstream: impl Recurrence + Send + Sync + 'static,
    job: impl Recurrence + Send + Sync + 'static,
    need: Need<'_>,
) -> Pipeline {
    build(builder().job("up", upstream, []).job("job", job, [need]))
}

#[test]
fn all_needs_every_event_of_a_union() {
    let up = schedule!("*.*.* Mon-Fri 09:00:00; *.*.* Fri,Sat 03:00:00; *.*.* Fri 09:00:00");
    let pipeline = two_jobs(up, schedule!("6:00:00"), Need::all("up"));
    let run = saturday("06:00:00");
    let [friday, morning] = [SATURDAY - 15 * HOUR, SATURDAY + 3 * HOUR];
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &[("up", friday), ("up", morning)],
        "waiting for `up` 2026-11-20 09:00:00, 2026-11-21 03:00:00",
    );
    check_ready(&ready(&pipeline, "job", run, &history_of("up", &[friday, morning])));
    // The union has 09:00 of Friday once.
    let explanation = pipeline.explain("job").expect("an explanation").to_string();
    assert!(explanation.contains("every run of `up` (7 times a week)"), "{explanation}");
}

#[test]
fn no_run_is_needed_on_a_day_that_the_calendar_lacks() {
    const OPEN: Calendar = calendar!("*.*.* Mon-Fri\n- 2026-11-20");
    let up = schedule!("09:00:00 @OPEN", OPEN);
    let pipeline = two_jobs(up, schedule!("6:00:00"), Need::all("up"));
    let ready_at = |run| ready(&pipeline, "job", run, &MemoryHistory::new());
    check_ready(&ready_at(saturday("06:00:00")));
    check_waits(
        &ready_at(saturday("06:00:00") - DAY),
        &[("up", SATURDAY - 39 * HOUR)],
        "waiting for `up` 2026-11-19 09:00:00",
    );
}

#[test]
fn all_needs_every_event_of_an_interval() {
    let pipeline = two_jobs(interval(), schedule!("6:00:00"), Need::all("up"));
    // 7:30 on Friday to 6:00 on Saturday.
    let needed = steps(SATURDAY - 16 * HOUR - 30 * MINUTE, 90 * MINUTE, 16);
    let run = saturday("06:00:00");
    let runs: Vec<_> = needed.iter().map(|run| ("up", *run)).collect();
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &runs,
        "waiting for `up` 2026-11-20 07:30:00 … 2026-11-21 06:00:00 (16)",
    );
    check_ready(&ready(&pipeline, "job", run, &history_of("up", &needed)));
    check_waits(
        &ready(&pipeline, "job", run, &history_of("up", &needed[1..])),
        &[("up", needed[0])],
        "waiting for `up` 2026-11-20 07:30:00",
    );
}

#[test]
fn all_of_a_day_before_needs_every_event_of_an_interval() {
    let need = Need::all("up").period(Unit::Day).periods_back(1);
    let pipeline = two_jobs(interval(), schedule!("6:00:00"), need);
    let readiness = ready(&pipeline, "job", saturday("06:00:00"), &MemoryHistory::new());
    assert_eq!(
        readiness.to_string(),
        "waiting for `up` 2026-11-20 00:00:00 … 2026-11-20 22:30:00 (16)"
    );
}

#[test]
fn latest_takes_the_check_point_from_an_interval() {
    let pipeline = two_jobs(interval(), schedule!("6:00:00"), Need::latest("up"));
    let run = saturday("06:00:00");
    check_waits(
        &ready(&pipeline, "job", run, &history_of("up", &[SATURDAY - 90 * MINUTE])),
        &[("up", SATURDAY)],
        "waiting for `up` 2026-11-21 00:00:00 or later",
    );
    check_ready(&ready(&pipeline, "job", run, &history_of("up", &[SATURDAY])));
}

#[test]
fn job_with_an_interval_needs_a_schedule() {
    let all = two_jobs(schedule!("*:*/15:00"), interval(), Need::all("up"));
    let readiness = ready(&all, "job", SATURDAY, &MemoryHistory::new());
    assert_eq!(missing(&readiness).len(), 6);
    // The larger unit is a day: 16 runs a day, and 4 an hour.
    let latest = two_jobs(schedule!("*:*/15:00"), interval(), Need::latest("up"));
    let readiness = ready(&latest, "job", saturday("03:00:00"), &MemoryHistory::new());
    assert_eq!(readiness.to_string(), "waiting for `up` 2026-11-21 00:00:00 or later");
}

#[test]
fn self_previous_needs_the_previous_event_of_an_interval() {
    let pipeline = build(builder().job("job", interval(), [Need::self_previous()]));
    check_ready(&ready(&pipeline, "job", SINCE, &MemoryHistory::new()));
    check_waits(
        &ready(&pipeline, "job", SATURDAY, &MemoryHistory::new()),
        &[("job", SATURDAY - 90 * MINUTE)],
        "waiting for `job` 2026-11-20 22:30:00",
    );
    let previous = history_of("job", &[SATURDAY - 90 * MINUTE]);
    check_ready(&ready(&pipeline, "job", SATURDAY, &previous));
}

#[test]
fn needs_accept_a_recurrence_of_the_user() {
    let run = saturday("06:00:00");
    let nothing = MemoryHistory::new();
    let all = two_jobs(Hours, schedule!("6:00:00"), Need::all("up"));
    check_waits(
        &ready(&all, "job", run, &nothing),
        &[("up", SATURDAY - DAY + 9 * HOUR), ("up", SATURDAY), ("up", SATURDAY + 2 * HOUR)],
        "waiting for `up` 2026-11-20 09:00:00 … 2026-11-21 02:00:00 (3)",
    );
    let latest = two_jobs(Hours, schedule!("6:00:00"), Need::latest("up"));
    check_waits(
        &ready(&latest, "job", run, &nothing),
        &[("up", SATURDAY)],
        "waiting for `up` 2026-11-21 00:00:00 or later",
    );
    let own = build(builder().job("job", Hours, [Need::self_previous()]));
    check_waits(
        &ready(&own, "job", SATURDAY, &nothing),
        &[("job", SATURDAY - 15 * HOUR)],
        "waiting for `job` 2026-11-20 09:00:00",
    );
    let two_back = build(builder().job("job", Hours, [Need::self_previous().events_back(2)]));
    check_waits(
        &ready(&two_back, "job", SATURDAY, &nothing),
        &[("job", SATURDAY - DAY)],
        "waiting for `job` 2026-11-20 00:00:00",
    );
}

#[test]
fn plan_and_unlocked_runs_follow_intervals() {
    let pipeline = two_jobs(interval(), Hours, Need::all("up"));
    let runs: Vec<String> = pipeline
        .plan(SATURDAY..SATURDAY + 3 * HOUR)
        .expect("a plan")
        .map(|run| run.to_string())
        .collect();
    assert_eq!(
        runs,
        [
            "`up` 2026-11-21 00:00:00",
            "`job` 2026-11-21 00:00:00",
            "`up` 2026-11-21 01:30:00",
            "`job` 2026-11-21 02:00:00",
        ]
    );
    let history = all_before(&pipeline, SATURDAY + 90 * MINUTE);
    let unlocked =
        pipeline.runs_unlocked_by("up", SATURDAY + 90 * MINUTE, RunState::Succeeded, &history, ..);
    let unlocked: Vec<String> =
        unlocked.expect("existing run").iter().map(ToString::to_string).collect();
    assert_eq!(unlocked, ["`job` 2026-11-21 02:00:00"]);
}

#[test]
fn explanation_shows_how_often_a_recurrence_without_expression_runs() {
    let explained = |recurrence: Interval| {
        let pipeline = build(builder().job("job", recurrence, []));
        pipeline.explain("job").expect("known job").to_string()
    };
    assert_eq!(explained(interval()), "`job` runs 16 times a day. It needs nothing.");
    let every = |period: millicron::IntervalBuilder| {
        explained(period.from(SINCE).into_recurrence(SINCE).expect("valid interval"))
    };
    assert_eq!(every(every_hours(1)), "`job` runs once an hour. It needs nothing.");
    assert_eq!(every(every_hours(12)), "`job` runs twice a day. It needs nothing.");

    let pipeline = two_jobs(interval(), schedule!("6:00:00"), Need::latest("up"));
    assert_eq!(
        pipeline.explain("job").expect("known job").to_string(),
        "`job` runs at `6:00:00`, once a day. A run needs\n\
         - a success of `up` (16 times a day) at or after the check point: the first event of `up` \
         at or after the start of the day."
    );
    let pipeline = two_jobs(Hours, schedule!("6:00:00"), Need::all("up"));
    let explanation = pipeline.explain("up").expect("known job").to_string();
    // The shortest gap is two hours.
    assert_eq!(explanation, "`up` runs 12 times a day. It needs nothing.");
}

fn every_hours(count: u32) -> millicron::IntervalBuilder {
    every(count).hours()
}

/// Only schedules know their gaps, so no count is known to be too high.
#[test]
fn any_number_of_events_of_an_interval_may_be_needed() {
    let pipeline = two_jobs(interval(), schedule!("6:00:00"), Need::at_least(1000, "up"));
    let readiness = ready(&pipeline, "job", saturday("06:00:00"), &MemoryHistory::new());
    assert_eq!(missing(&readiness).len(), 16);
}

#[test]
fn interval_that_starts_after_the_last_run_is_an_error() {
    let late = every(1).days().from(SINCE + 10 * DAY).into_recurrence(SINCE).expect("valid");
    let jobs = builder().job("up", late, []);
    let error = build_error(jobs.job("job", schedule!("2026.11.20 6:00:00"), [Need::all("up")]));
    let [PipelineProblem::ImpossibleNeed { reason, .. }] = error.problems() else {
        panic!("{error}")
    };
    let last = SINCE + DAY + 6 * HOUR;
    assert_eq!(*reason, Impossible::TooLate { first: SINCE + 10 * DAY, last, offset: None });
}

/// The interval has an event in each unit, so a unit's check point is within the unit.
#[test]
fn looking_a_unit_back_breaks_a_dependency_cycle_with_an_interval() {
    let cycle = |need: Need<'static>| {
        let jobs = builder().job("interval", interval(), [Need::all("daily")]);
        jobs.job("daily", schedule!("6:00:00"), [need]).build()
    };
    let error = cycle(Need::latest("interval")).expect_err("dependency cycle");
    assert!(matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]), "{error}");
    for unit in [Unit::Day, Unit::Week] {
        let pipeline = cycle(Need::latest("interval").period(unit).periods_back(1));
        let pipeline = pipeline.expect("the look-back breaks the cycle");
        let plan = pipeline.plan(SATURDAY..SATURDAY + 7 * DAY).expect("a plan");
        assert_eq!(plan.count(), 7 * (16 + 1));
    }
}

/// The interval skips days, so a day's check point may be on a later day.
#[test]
fn looking_a_day_back_does_not_break_a_cycle_with_an_interval_that_skips_days() {
    let long = every(30).hours().from(SINCE).into_recurrence(SINCE).expect("valid interval");
    let jobs = builder().job("interval", long, [Need::all("daily")]);
    let need = Need::latest("interval").period(Unit::Day).periods_back(1);
    let error = build_error(jobs.job("daily", schedule!("6:00:00"), [need]));
    assert!(matches!(error.problems(), [PipelineProblem::DependencyCycle { .. }]), "{error}");
}

#[test]
fn schedule_can_change_to_an_interval() {
    let builder =
        builder().job("up", interval(), []).previous_schedule("up", parse("*:00:00"), SATURDAY);
    let pipeline = build(builder.job("job", schedule!("6:00:00"), [Need::all("up")]));
    let readiness = ready(&pipeline, "job", saturday("06:00:00"), &MemoryHistory::new());
    // The period became longer, so only runs since the change are needed.
    assert_eq!(
        readiness.to_string(),
        "waiting for `up` 2026-11-21 00:00:00 … 2026-11-21 06:00:00 (5)"
    );
}
