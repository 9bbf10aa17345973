//! The last upstream run, and how old it may be.

use std::time::Duration;

use millicron::Unit;
use millicron_pipeline::{AgeLimit, History as _, MemoryHistory, Need, Pipeline, Reason, RunState};

use crate::support::{
    DAY, HOUR, MINUTE, SINCE, at, build, check_ready, check_waits, history_of, parse, ready,
    record, two_jobs,
};

const LAST: Need<'_> = Need::last("up");

const fn hours(count: u64) -> Duration {
    Duration::from_hours(count)
}

fn jobs_since(since: &str, upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    let builder = Pipeline::builder().since(at(since)).job("up", parse(upstream), []);
    build(builder.job("job", parse(job), [need]))
}

/// Checks that a run waits for one upstream run and nothing else, whatever else has succeeded.
#[track_caller]
fn check_needs(pipeline: &Pipeline, run: &str, needed: &str, others: &[&str], message: &str) {
    let [run, needed] = [run, needed].map(at);
    let others: Vec<i64> = others.iter().map(|other| at(other)).collect();
    let mut history = history_of("up", &others);
    check_waits(&ready(pipeline, "job", run, &history), &[("up", needed)], message);
    record(&mut history, "up", needed);
    check_ready(&ready(pipeline, "job", run, &history));
    check_ready(&ready(pipeline, "job", run, &history_of("up", &[needed])));
}

#[track_caller]
fn check_last(upstream: &str, job: &str, run: &str, needed: &str, others: &[&str]) {
    let pipeline = jobs_since("2021-01-01 00:00:00", upstream, job, LAST);
    check_needs(&pipeline, run, needed, others, &format!("waiting for `up` {needed}"));
}

/// The upstream run at 2 o'clock has succeeded, the one at 4 o'clock failed: the job must not start
/// at 4:10, which `latest` would allow.
#[test]
fn earlier_success_of_the_day_does_not_replace_the_last_run() {
    let jobs = ["2,4:00:00", "2,4:10:00"];
    let others = ["2024-03-26 02:00:00", "2024-03-27 02:00:00"];
    check_last(jobs[0], jobs[1], "2024-03-26 04:10:00", "2024-03-26 04:00:00", &others);
    check_last(jobs[0], jobs[1], "2024-03-26 02:10:00", "2024-03-26 02:00:00", &others[1..]);

    let latest = jobs_since("2024-03-01 00:00:00", jobs[0], jobs[1], Need::latest("up"));
    let mut history = history_of("up", &[at(others[0])]);
    check_ready(&ready(&latest, "job", at("2024-03-26 04:10:00"), &history));
    // A recorded failure makes no difference to either rule.
    let failed = at("2024-03-26 04:00:00");
    let Ok(()) = history.record_state("up", failed, RunState::Failed);
    check_ready(&ready(&latest, "job", at("2024-03-26 04:10:00"), &history));
    let last = jobs_since("2024-03-01 00:00:00", jobs[0], jobs[1], LAST);
    let readiness = ready(&last, "job", at("2024-03-26 04:10:00"), &history);
    check_waits(&readiness, &[("up", failed)], "waiting for `up` 2024-03-26 04:00:00");
}

/// On May 5, the run of April 10 is the last one; `latest` waits for May 10.
#[test]
fn daily_job_needs_the_monthly_run_of_the_month_before() {
    let jobs = ["*.*.10 1:00:00", "3:00:00"];
    let april = "2021-04-10 01:00:00";
    check_last(jobs[0], jobs[1], "2021-05-05 03:00:00", april, &["2021-05-10 01:00:00"]);
    check_last(jobs[0], jobs[1], "2021-05-09 03:00:00", april, &["2021-05-10 01:00:00"]);
    check_last(jobs[0], jobs[1], "2021-05-10 03:00:00", "2021-05-10 01:00:00", &[april]);

    let latest = jobs_since("2021-01-01 00:00:00", jobs[0], jobs[1], Need::latest("up"));
    let readiness = ready(&latest, "job", at("2021-05-05 03:00:00"), &MemoryHistory::new());
    assert_eq!(readiness.to_string(), "waiting for `up` 2021-05-10 01:00:00 or later");
    // In the other direction, the monthly job needs the daily run of its day.
    check_last("1:00:00", "*.*.10 3:00:00", "2021-05-10 03:00:00", "2021-05-10 01:00:00", &[april]);
}

#[test]
fn saturday_run_needs_the_run_of_friday() {
    let weekdays = "*.*.* Mon-Fri 18:00:00";
    let [friday, monday] = ["2026-11-20 18:00:00", "2026-11-23 18:00:00"];
    check_last(weekdays, "20:00:00", "2026-11-21 20:00:00", friday, &[monday]);
    check_last(weekdays, "20:00:00", "2026-11-22 20:00:00", friday, &[monday]);
    check_last(weekdays, "20:00:00", "2026-11-23 20:00:00", monday, &[friday]);
    check_last(weekdays, "17:00:00", "2026-11-23 17:00:00", friday, &[monday]);
}

#[test]
fn last_run_may_be_at_the_same_instant() {
    check_last("*:00:00", "6:00:00", "2026-11-21 06:00:00", "2026-11-21 06:00:00", &[]);
    check_last("*:00:00", "5:59:59", "2026-11-21 05:59:59", "2026-11-21 05:00:00", &[]);
    check_last("6:00:00.001", "6:00:00", "2026-11-21 06:00:00", "2026-11-20 06:00:00.001", &[]);
}

#[test]
fn run_before_the_first_upstream_event_needs_nothing() {
    let pipeline = two_jobs("*.*.* Sat 6:00:00", "3:00:00", LAST);
    let nothing = MemoryHistory::new();
    check_ready(&ready(&pipeline, "job", SINCE + 3 * HOUR, &nothing));
    check_ready(&ready(&pipeline, "job", SINCE + 2 * DAY + 3 * HOUR, &nothing));
    assert!(!ready(&pipeline, "job", SINCE + 3 * DAY + 3 * HOUR, &nothing).is_ready());
}

/// The limit is inclusive. If the last run is older, the next one is needed, and the reason says why.
#[test]
fn next_run_is_needed_if_the_last_one_is_too_old() {
    let weekdays = "*.*.* Mon-Fri 18:00:00";
    let within = |age| jobs_since("2026-11-01 00:00:00", weekdays, "20:00:00", LAST.within(age));
    let [friday, monday] = ["2026-11-20 18:00:00", "2026-11-23 18:00:00"];
    let saturday = "2026-11-21 20:00:00";
    check_needs(
        &within(hours(26)),
        saturday,
        friday,
        &[monday],
        "waiting for `up` 2026-11-20 18:00:00",
    );
    let almost = Duration::from_millis(26 * 3_600_000 - 1);
    check_needs(
        &within(almost),
        saturday,
        monday,
        &[friday],
        "waiting for `up` 2026-11-23 18:00:00 (the one at 2026-11-20 18:00:00 is too old: it must \
         be at most 1d 1h 59m 59s 999ms before)",
    );
    let pipeline = within(almost);
    let waiting = ready(&pipeline, "job", at(saturday), &MemoryHistory::new()).waiting();
    let waiting = waiting.expect("waiting");
    let [Reason::Last { job: "up", scheduled, offset: None, expired: Some(expired) }] =
        waiting.reasons()
    else {
        panic!("{waiting:?}")
    };
    assert_eq!(*scheduled, at(monday));
    assert_eq!(expired.last, Some(at(friday)));
    assert_eq!(expired.limit, AgeLimit::Elapsed(almost));
}

#[test]
fn run_of_another_day_is_too_old_if_it_must_be_in_the_same_unit() {
    let same_day = LAST.within_unit(Unit::Day);
    let pipeline = jobs_since("2026-11-01 00:00:00", "2:30:00", "*:00:00", same_day);
    let [friday, saturday] = ["2026-11-20 02:30:00", "2026-11-21 02:30:00"];
    let of_saturday = "waiting for `up` 2026-11-21 02:30:00";
    check_needs(&pipeline, "2026-11-21 23:00:00", saturday, &[friday], of_saturday);
    let too_old = "waiting for `up` 2026-11-21 02:30:00 (the one at 2026-11-20 02:30:00 is too old: \
                   it must be in the same day)";
    check_needs(&pipeline, "2026-11-21 01:00:00", saturday, &[friday], too_old);
    // With a limit to the same week, Monday's run accepts no run of the previous week.
    let same_week = LAST.within_unit(Unit::Week);
    let pipeline = jobs_since("2026-11-01 00:00:00", "2:30:00", "*:00:00", same_week);
    check_needs(&pipeline, "2026-11-22 01:00:00", saturday, &[friday], of_saturday);
    let of_monday = "waiting for `up` 2026-11-23 02:30:00 (the one at 2026-11-22 02:30:00 is too \
                     old: it must be in the same week)";
    check_needs(&pipeline, "2026-11-23 01:00:00", "2026-11-23 02:30:00", &[saturday], of_monday);
}

/// Before its beginning, the pipeline does not know whether there was a recent run.
#[test]
fn beginning_of_the_pipeline_is_not_too_old() {
    let within = LAST.within(hours(24));
    let pipeline = jobs_since("2026-11-19 02:45:00", "2:30:00", "*:00:00", within);
    let nothing = MemoryHistory::new();
    check_ready(&ready(&pipeline, "job", at("2026-11-19 03:00:00"), &nothing));
    check_ready(&ready(&pipeline, "job", at("2026-11-20 02:00:00"), &nothing));
    let message = "waiting for `up` 2026-11-20 02:30:00";
    check_needs(&pipeline, "2026-11-20 03:00:00", "2026-11-20 02:30:00", &[], message);
    // A day after the beginning, upstream should have run.
    let pipeline = jobs_since("2026-11-19 00:00:00", "*.*.* Sat 6:00:00", "*:00:00", within);
    check_ready(&ready(&pipeline, "job", at("2026-11-19 23:00:00"), &nothing));
    let message = "waiting for `up` 2026-11-21 06:00:00 (the next one, because none is at most 1d \
                   before)";
    check_needs(&pipeline, "2026-11-20 01:00:00", "2026-11-21 06:00:00", &[], message);
}

#[test]
fn last_run_of_all_is_never_too_old() {
    let ends = "2026.*.* 6:00:00";
    let pipeline = jobs_since("2026-11-01 00:00:00", ends, "12:00:00", LAST.within(hours(24)));
    let message = "waiting for `up` 2026-12-31 06:00:00";
    check_needs(&pipeline, "2031-05-05 12:00:00", "2026-12-31 06:00:00", &[], message);
}

#[test]
fn last_run_can_be_of_an_earlier_instant_or_period() {
    let need = |need: Need<'_>| jobs_since("2026-11-01 00:00:00", "*:*/15:00", "*:10:00", need);
    let run = "2026-11-21 06:10:00";
    let check = |with: Need<'_>, needed: &str| {
        check_needs(&need(with), run, needed, &[], &format!("waiting for `up` {needed}"));
    };
    check(LAST, "2026-11-21 06:00:00");
    check(LAST.events_back(2), "2026-11-21 04:00:00");
    check(LAST.time_back(Duration::from_mins(11)), "2026-11-21 05:45:00");
    check(LAST.events_back(1).time_back(hours(24)), "2026-11-20 05:00:00");
    check(LAST.periods_back(1), "2026-11-21 05:45:00");
    check(LAST.period(Unit::Day).periods_back(1), "2026-11-20 23:45:00");
    check(
        LAST.period(Unit::Month).periods_back(0).period(Unit::Day).periods_back(2),
        "2026-11-19 23:45:00",
    );
    // The age is measured from there.
    let yesterday = LAST.period(Unit::Day).periods_back(1);
    check(yesterday.within(Duration::from_mins(15)), "2026-11-20 23:45:00");
    check_needs(
        &need(yesterday.within(Duration::from_mins(14))),
        run,
        "2026-11-21 00:00:00",
        &["2026-11-20 23:45:00"],
        "waiting for `up` 2026-11-21 00:00:00 (the one at 2026-11-20 23:45:00 is too old: it must be \
         at most 14m before)",
    );
}

#[test]
fn settings_of_alternatives_apply_to_those_that_set_none() {
    const OWN: Need<'_> = LAST.within_unit(Unit::Hour);
    const NEEDS: &[Need<'_>] = &[OWN, LAST, Need::all("up")];
    let pipeline = two_jobs("*:30:00", "6:45:00", Need::all_of(NEEDS).within_unit(Unit::Day));
    let explanation = pipeline.explain("job").expect("known job").to_string();
    assert_eq!(
        explanation,
        "`job` runs at `6:45:00`, once a day. A run needs\n\
         - all of\n  \
           - a success of the last run of `up` (once an hour) at or before its own instant, if it is \
         in the same hour, or else the next;\n  \
           - a success of the last run of `up` (once an hour) at or before its own instant, if it is \
         in the same day, or else the next;\n  \
           - every run of `up` (once an hour) after its own previous run and up to its own instant."
    );
}

#[test]
fn ages_are_displayed_in_whole_units() {
    let shown = |age| AgeLimit::Elapsed(age).to_string();
    assert_eq!(shown(Duration::ZERO), "at most 0s before");
    assert_eq!(shown(Duration::from_micros(1500)), "at most 1.5ms before");
    assert_eq!(shown(hours(49)), "at most 2d 1h before");
    assert_eq!(shown(Duration::from_millis(60_001)), "at most 1m 1ms before");
    assert_eq!(AgeLimit::SameUnit(Unit::Day).to_string(), "in the same day");
}

/// A success unlocks the runs until the next upstream event, and the plan waits for a later run only
/// if the last one is too old.
#[test]
fn last_run_unlocks_the_runs_until_the_next_one() {
    let pipeline = two_jobs("2:30:00", "*:00:00", LAST);
    let daily = SINCE + DAY + 2 * HOUR + 30 * MINUTE;
    let unlocked =
        pipeline.runs_unlocked_by("up", daily, RunState::Succeeded, &MemoryHistory::new(), ..);
    let unlocked: Vec<i64> =
        unlocked.expect("existing run").iter().map(|run| run.scheduled).collect();
    let expected: Vec<i64> = (1..=24).map(|hour| daily - 30 * MINUTE + hour * HOUR).collect();
    assert_eq!(unlocked, expected);

    let order = |need| {
        let pipeline = two_jobs("2:30:00", "2:00:00", need);
        let plan = pipeline.plan(SINCE + DAY..SINCE + 2 * DAY).expect("a plan");
        plan.map(|run| run.job.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(LAST), ["job", "up"]);
    assert_eq!(order(LAST.within(hours(12))), ["up", "job"]);
}
