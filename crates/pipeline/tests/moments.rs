//! Civil times and instants in all queries, and jobs with and without a time zone.

use std::error::Error as _;

use jiff::ZonedDateTime;
use jiff::civil::date;
use jiff::tz::TimeZone;
use millicron::{CalendarDigits, IntoRecurrence, every, schedule};
use millicron_pipeline::{History as _, MemoryHistory, Need, Pipeline, QueryError, RunState};

use crate::support::{DAY, HOUR, SATURDAY, SINCE, build, build_error};

fn digits(millis: i64) -> CalendarDigits {
    CalendarDigits::from_millis(millis)
}

fn zone() -> TimeZone {
    crate::oracle::zoned::zone("Europe/Berlin")
}

fn civil() -> Pipeline {
    build(
        Pipeline::builder()
            .since(digits(SINCE))
            .job("up", schedule!("2:00:00"), [])
            .previous_schedule("up", schedule!("1:00:00"), date(2026, 11, 20).at(0, 0, 0, 0))
            .job("job", schedule!("3:00:00"), [Need::last("up")]),
    )
}

#[test]
fn queries_take_civil_times_if_no_job_has_a_zone() {
    let pipeline = civil();
    let [up, job] = [2, 3].map(|hour| SATURDAY + hour * HOUR);
    let mut history = MemoryHistory::new();
    let readiness = pipeline.ready("job", digits(job), &history).expect("existing run");
    assert_eq!(readiness.to_string(), "waiting for `up` 2026-11-21 02:00:00");
    let unlocked = pipeline.runs_unlocked_by(
        "up",
        date(2026, 11, 21).at(2, 0, 0, 0),
        RunState::Succeeded,
        &history,
        digits(SATURDAY)..digits(SATURDAY + DAY),
    );
    assert_eq!(unlocked.expect("existing run")[0].scheduled, job);
    let plan = pipeline.plan(digits(SATURDAY)..digits(SATURDAY + DAY)).expect("a plan");
    assert!(plan.map(|run| run.scheduled).eq([up, job]));
    assert_eq!(pipeline.neighbors("up", digits(up)).expect("known job").current, Some(up));

    let Ok(()) = history.record("up", up);
    assert!(pipeline.ready("job", digits(job), &history).expect("existing run").is_ready());
}

#[test]
fn civil_times_are_errors_if_a_job_has_a_zone() {
    let pipeline = build(Pipeline::builder().since(SINCE).job(
        "job",
        schedule!("3:00:00").in_zone(zone()),
        [],
    ));
    let run = SATURDAY + 2 * HOUR;
    let expected = QueryError::CivilTime { job: "job".into() };
    let history = MemoryHistory::new();
    assert_eq!(pipeline.ready("job", digits(run), &history), Err(expected.clone()));
    let range = digits(SINCE)..digits(SATURDAY);
    assert_eq!(pipeline.plan(range.clone()).err(), Some(expected.clone()));
    let unlocked = pipeline.runs_unlocked_by("job", run, RunState::Succeeded, &history, range);
    assert_eq!(unlocked, Err(expected.clone()));
    assert_eq!(pipeline.neighbors("job", digits(run)), Err(expected.clone()));
    let message = "a civil time is ambiguous, because `job` has a time zone: pass an instant, such \
                   as a `SystemTime`, a `ZonedDateTime` or milliseconds since 1970-01-01 00:00:00 UTC";
    assert_eq!(expected.to_string(), message);
    assert!(expected.source().is_none());

    let moment: ZonedDateTime = "2026-11-21T03:00[Europe/Berlin]".parse().expect("valid moment");
    assert!(pipeline.ready("job", &moment, &history).expect("existing run").is_ready());
    assert!(pipeline.ready("job", run, &history).expect("existing run").is_ready());
}

#[test]
fn civil_beginning_is_an_error_if_a_job_has_a_zone() {
    let message = "invalid pipeline: `since` and `previous_schedule` take no civil time, because \
                   `job` has a time zone";
    let builder = Pipeline::builder().since(digits(SINCE));
    let error = build_error(builder.job("job", schedule!("3:00:00").in_zone(zone()), []));
    assert_eq!(error.to_string(), message);
    let berlin = || schedule!("3:00:00").in_zone(zone());
    let builder = Pipeline::builder().job("job", berlin(), []);
    let error = build_error(builder.previous_schedule("job", berlin(), digits(SINCE)));
    assert_eq!(error.to_string(), message);
}

#[test]
fn schedules_with_and_without_a_zone_are_an_error() {
    let berlin = || schedule!("3:00:00").in_zone(zone());
    let builder = || Pipeline::builder().since(SINCE).job("local", berlin(), []);
    let error = build_error(builder().job("plain", schedule!("3:00:00"), []));
    assert_eq!(
        error.to_string(),
        "invalid pipeline: a schedule of `local` has a time zone, but one of `plain` has none: give \
         it one with `in_zone`, which may be UTC"
    );
    let error = build_error(builder().previous_schedule("local", schedule!("3:00:00"), SATURDAY));
    assert!(error.to_string().contains("but one of `local` has none"), "{error}");
    let interval = every(90).minutes().from(SINCE).into_recurrence(SINCE).expect("valid");
    let pipeline = builder().job("utc", schedule!("3:00:00").in_zone(TimeZone::UTC), []).job(
        "interval",
        interval,
        [],
    );
    assert_eq!(build(pipeline).jobs().len(), 3);
}

#[test]
fn reasons_are_in_the_local_time_of_the_job_that_is_needed() {
    let [berlin, kolkata] = ["Europe/Berlin", "Asia/Kolkata"].map(crate::oracle::zoned::zone);
    let jobs = |need: Need<'_>| {
        build(
            Pipeline::builder()
                .since(SINCE)
                .job("up", schedule!("*.*.* Mon-Fri 2:00:00").in_zone(kolkata.clone()), [])
                .job("job", schedule!("3:00:00").in_zone(berlin.clone()), [need]),
        )
    };
    let answer = |need: Need<'_>| {
        let run: ZonedDateTime = "2026-11-21T03:00[Europe/Berlin]".parse().expect("valid moment");
        let readiness = jobs(need);
        let readiness = readiness.ready("job", run, &MemoryHistory::new());
        readiness.expect("existing run").to_string()
    };
    assert_eq!(answer(Need::last("up")), "waiting for `up` 2026-11-20 02:00:00+05:30");
    assert_eq!(answer(Need::latest("up")), "waiting for `up` 2026-11-23 02:00:00+05:30 or later");
    assert_eq!(
        answer(Need::last("up").within_unit(millicron::Unit::Day)),
        "waiting for `up` 2026-11-23 02:00:00+05:30 (the one at 2026-11-20 02:00:00+05:30 is too \
         old: it must be in the same day)"
    );
}

#[test]
fn unlocked_runs_need_a_start_if_the_pipeline_has_none() {
    let jobs = |builder: millicron_pipeline::PipelineBuilder| {
        let builder = builder.job("up", schedule!("2:00:00"), []);
        build(builder.job("job", schedule!("*:00:00"), [Need::latest("up")]))
    };
    let nothing = MemoryHistory::new();
    let up = SATURDAY + 2 * HOUR;
    let endless = jobs(Pipeline::builder());
    let unlocked =
        endless.runs_unlocked_by("up", up, RunState::Succeeded, &nothing, ..=SATURDAY + DAY);
    assert_eq!(unlocked, Err(QueryError::NoStart));
    let message = "neither the range of runs nor the pipeline has a start: pass a range that has \
                   one, or set the beginning of the pipeline with `since`";
    assert_eq!(QueryError::<std::convert::Infallible>::NoStart.to_string(), message);
    let unlocked =
        endless.runs_unlocked_by("up", up, RunState::Succeeded, &nothing, SATURDAY - HOUR..);
    assert_eq!(unlocked.expect("existing run").len(), 25);
    let begun = jobs(Pipeline::builder().since(SATURDAY));
    let unlocked = begun.runs_unlocked_by("up", up, RunState::Succeeded, &nothing, ..);
    assert_eq!(unlocked.expect("existing run").len(), 24);
}
