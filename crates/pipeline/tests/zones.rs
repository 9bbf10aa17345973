//! Pipelines in time zones: calendar units are in local time.

use jiff::ZonedDateTime;
use jiff::tz::TimeZone;
use millicron::{IntoRecurrence as _, Recurrence, Unit, ZonedSchedule, every};
use millicron_pipeline::{MemoryHistory, Need, Pipeline, PipelineProblem};

use crate::support::{
    DAY, HOUR, at, build, build_error, check_missing, check_ready, check_waits, missing, parse,
    ready, saturday, steps,
};

fn zoned(text: &str, zone: &str) -> ZonedSchedule<TimeZone> {
    parse(text).in_zone(crate::oracle::zoned::zone(zone))
}

fn instant(text: &str) -> i64 {
    text.parse::<ZonedDateTime>().expect("valid moment").timestamp().as_millisecond()
}

/// Checks which runs a run waits for if nothing has succeeded, in local time, and that these are
/// enough.
#[track_caller]
fn check(pipeline: &Pipeline, run: &str, message: &str) {
    check_missing(pipeline, instant(run), message);
}

fn pair_in(zones: [&str; 2], texts: [&str; 2], need: Need<'_>) -> Pipeline {
    let [upstream, job] = [0, 1].map(|index| zoned(texts[index], zones[index]));
    let since = at("2026-01-01 00:00:00");
    build(Pipeline::builder().since(since).job("up", upstream, []).job("job", job, [need]))
}

const BERLIN: [&str; 2] = ["Europe/Berlin"; 2];

#[test]
fn check_period_is_a_day_in_local_time() {
    let latest = pair_in(BERLIN, ["*:30:00", "6:00:00"], Need::latest("up"));
    check(
        &latest,
        "2026-11-21T06:00[Europe/Berlin]",
        "waiting for `up` 2026-11-21 00:30:00+01:00 or later",
    );
    check(
        &latest,
        "2026-07-21T06:00[Europe/Berlin]",
        "waiting for `up` 2026-07-21 00:30:00+02:00 or later",
    );
    let new_york = pair_in(["America/New_York"; 2], ["*:30:00", "22:00:00"], Need::latest("up"));
    check(
        &new_york,
        "2026-11-21T22:00[America/New_York]",
        "waiting for `up` 2026-11-21 00:30:00-05:00 or later",
    );
}

#[test]
fn days_with_23_and_25_hours_need_as_many_runs() {
    let all = pair_in(BERLIN, ["*:00:00", "00:00:00"], Need::all("up"));
    check(
        &all,
        "2026-03-30T00:00[Europe/Berlin]",
        "waiting for `up` 2026-03-29 01:00:00+01:00 … 2026-03-30 00:00:00+02:00 (23)",
    );
    check(
        &all,
        "2026-10-26T00:00[Europe/Berlin]",
        "waiting for `up` 2026-10-25 01:00:00+02:00 … 2026-10-26 00:00:00+01:00 (25)",
    );
    let before = pair_in(BERLIN, ["*:00:00", "6:00:00"], Need::all("up").periods_back(1));
    check(
        &before,
        "2026-03-30T06:00[Europe/Berlin]",
        "waiting for `up` 2026-03-29 00:00:00+01:00 … 2026-03-29 23:00:00+02:00 (23)",
    );
    check(
        &before,
        "2026-10-26T06:00[Europe/Berlin]",
        "waiting for `up` 2026-10-25 00:00:00+02:00 … 2026-10-25 23:00:00+01:00 (25)",
    );
    let half_hours = pair_in(
        ["Australia/Lord_Howe"; 2],
        ["*:*/30:00", "6:00:00"],
        Need::all("up").periods_back(1),
    );
    let of_day = |run: &str| {
        let readiness = ready(&half_hours, "job", instant(run), &MemoryHistory::new());
        missing(&readiness).len()
    };
    assert_eq!(of_day("2026-10-05T06:00[Australia/Lord_Howe]"), 47);
    assert_eq!(of_day("2026-04-06T06:00[Australia/Lord_Howe]"), 49);
}

#[test]
fn at_least_24_needs_23_runs_on_a_short_day() {
    let some = pair_in(BERLIN, ["*:00:00", "00:00:00"], Need::at_least(24, "up"));
    let run = instant("2026-03-30T00:00[Europe/Berlin]");
    let hours = steps(at("2026-03-29 00:00:00"), HOUR, 23);
    let history = crate::support::history_of("up", &hours[1..]);
    let message = "waiting for `up` 2026-03-29 01:00:00+01:00";
    check_waits(&ready(&some, "job", run, &history), &[("up", hours[0])], message);
    check_ready(&ready(&some, "job", run, &crate::support::history_of("up", &hours)));
}

#[test]
fn weeks_months_and_years_are_in_local_time() {
    let week = pair_in(BERLIN, ["0:30:00", "*.*.* Wed 6:00:00"], Need::latest("up"));
    check(
        &week,
        "2026-04-01T06:00[Europe/Berlin]",
        "waiting for `up` 2026-03-30 00:30:00+02:00 or later",
    );
    let month = pair_in(BERLIN, ["0:30:00", "*.*.15 6:00:00"], Need::all("up").periods_back(1));
    check(
        &month,
        "2026-04-15T06:00[Europe/Berlin]",
        "waiting for `up` 2026-03-01 00:30:00+01:00 … 2026-03-31 00:30:00+02:00 (31)",
    );
    let year = pair_in(BERLIN, ["*.*.1 0:30:00", "*.7.1 6:00:00"], Need::latest("up"));
    check(
        &year,
        "2027-07-01T06:00[Europe/Berlin]",
        "waiting for `up` 2027-01-01 00:30:00+01:00 or later",
    );
}

#[test]
fn check_period_is_in_the_zone_of_the_larger_unit() {
    let texts = ["6:00:00", "*:30:00"];
    // It is Saturday in Berlin, and still Friday in New York.
    let run = "2026-11-21T02:30[Europe/Berlin]";
    let upstream = pair_in(["America/New_York", "Europe/Berlin"], texts, Need::latest("up"));
    check(&upstream, run, "waiting for `up` 2026-11-20 06:00:00-05:00 or later");
    let own =
        pair_in(["America/New_York", "Europe/Berlin"], ["*:30:00", "2:30:00"], Need::latest("up"));
    check(&own, run, "waiting for `up` 2026-11-20 18:30:00-05:00 or later");
    // If the units are equal, the job's own zone applies.
    let equal =
        pair_in(["America/New_York", "Europe/Berlin"], ["20:00:00", "2:30:00"], Need::latest("up"));
    check(&equal, run, "waiting for `up` 2026-11-20 20:00:00-05:00 or later");
}

/// Jobs that run once and twice a day have the same unit.
#[test]
fn number_of_runs_does_not_make_a_unit_larger() {
    let zones = ["America/New_York", "Europe/Berlin"];
    let run = "2026-11-21T02:30[Europe/Berlin]";
    let upstream = pair_in(zones, ["*.*.* 6:00:00", "2,14:30:00"], Need::latest("up"));
    // Saturday in Berlin.
    check(&upstream, run, "waiting for `up` 2026-11-21 06:00:00-05:00 or later");
}

#[test]
fn errors_show_local_time_with_its_offset() {
    let berlin = || zoned("3:00:00", "Europe/Berlin");
    let pipeline = build(crate::support::builder().job("load", berlin(), []));
    let run = instant("2026-11-21T04:00[Europe/Berlin]");
    let error = pipeline.ready("load", run, &MemoryHistory::new()).expect_err("no run");
    assert_eq!(
        error.to_string(),
        "`load` has no event at 2026-11-21 04:00:00+01:00: the previous one is 2026-11-21 \
         03:00:00+01:00, the next one is 2026-11-22 03:00:00+01:00",
    );
    let twice = crate::support::builder()
        .job("load", berlin(), [])
        .previous_schedule("load", berlin(), run)
        .previous_schedule("load", berlin(), run);
    assert_eq!(
        build_error(twice).problems()[0].to_string(),
        "two schedules of `load` were replaced at the same instant, 2026-11-21 04:00:00+01:00",
    );
    let late = Pipeline::builder().job("up", zoned("2028.1.1 0:00:00", "Europe/Berlin"), []).job(
        "job",
        zoned("2027.1.1 0:00:00", "Europe/Berlin"),
        [Need::all("up")],
    );
    assert_eq!(
        build_error(late).problems()[0].to_string(),
        "`job` needs runs of `up`, but the first of them, at 2028-01-01 00:00:00+01:00, is after \
         the last run of `job`, at 2027-01-01 00:00:00+01:00",
    );
}

/// The events of two zoned schedules, with only the required methods of a recurrence.
struct Union([ZonedSchedule<TimeZone>; 2]);

impl Recurrence for Union {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.0.iter().filter_map(|it| Recurrence::next_event(it, instant)).min()
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.0.iter().filter_map(|it| Recurrence::nearest_prev_event(it, instant)).max()
    }
}

#[test]
fn calendar_units_of_a_recurrence_without_a_zone_beside_zones_are_an_error() {
    let zone = "America/New_York";
    let problems = |need: Need<'_>| {
        let union = Union([zoned("3:00:00", zone), zoned("20:00:00", zone)]);
        let jobs = Pipeline::builder().since(at("2026-11-01 00:00:00"));
        let jobs = jobs.job("load", zoned("*:00:00", zone), []).job("union", union, [need]);
        match jobs.build() {
            Ok(_) => Vec::new(),
            Err(error) => error.problems().iter().map(ToString::to_string).collect(),
        }
    };
    let message = "a need of `union` looks at a day in the local time of `union`, which has no time \
                   zone, although others have one";
    for need in [
        Need::all_data("load", Unit::Day),
        Need::latest("load").period(Unit::Day),
        Need::last("load").within_unit(Unit::Day),
        Need::all("load").period(Unit::Day).periods_back(1),
    ] {
        assert_eq!(problems(need), [message], "{need:?}");
    }
    for need in [Need::all("load"), Need::last("load"), Need::latest("load").period(Unit::Minute)] {
        assert_eq!(problems(need), [""; 0], "{need:?}");
    }
    // A cron expression without a zone is reported once.
    let jobs = Pipeline::builder().job("load", zoned("*:00:00", zone), []);
    let error =
        build_error(jobs.job("civil", parse("3:00:00"), [Need::all_data("load", Unit::Day)]));
    assert!(matches!(error.problems(), [PipelineProblem::MixedZones { .. }]), "{error}");
    // The days of the other job.
    let interval = every(30).minutes().from(0).into_recurrence(0).expect("valid interval");
    let jobs = Pipeline::builder().job("union", interval, [Need::latest("daily")]);
    assert_eq!(build(jobs.job("daily", zoned("3:00:00", zone), [])).jobs().len(), 2);
}

#[test]
fn job_can_move_to_a_zone() {
    let since = at("2026-11-19 00:00:00");
    let pipeline = build(
        Pipeline::builder()
            .since(since)
            .job("up", zoned("3:00:00", "Europe/Berlin"), [])
            .job("job", zoned("18:00:00", "UTC"), [Need::all("up")])
            .previous_schedule("up", zoned("3:00:00", "UTC"), at("2026-11-21 12:00:00")),
    );
    check_missing(&pipeline, saturday("18:00:00"), "waiting for `up` 2026-11-21 03:00:00+00:00");
    check_missing(
        &pipeline,
        saturday("18:00:00") + DAY,
        "waiting for `up` 2026-11-22 03:00:00+01:00",
    );
    let moment: ZonedDateTime = "2026-11-21T19:00[Europe/Berlin]".parse().expect("valid moment");
    let readiness = pipeline.ready("job", &moment, &MemoryHistory::new()).expect("existing run");
    assert_eq!(readiness.to_string(), "waiting for `up` 2026-11-21 03:00:00+00:00");
}
