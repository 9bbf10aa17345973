//! Two jobs with all combinations of periods. Each combination is tested with the history just
//! before and just after the decisive run, and with the message for the missing runs.

use millicron::CalendarDigits;
use millicron_pipeline::{MemoryHistory, Need};

use crate::oracle::Oracle;
use crate::support::{
    DAY, HOUR, MINUTE, SATURDAY, SECOND, SINCE, at, check_ready, check_waits, friday, ready,
    record, saturday, steps, two_jobs,
};

fn shown(instant: i64) -> String {
    let text = CalendarDigits::from_millis(instant).to_string();
    text.trim_end_matches(".000").to_owned()
}

/// Checks histories with everything before the check point, with the check point added, and with a
/// later success instead.
#[track_caller]
fn check_latest(upstream: &str, job: &str, run: i64, check_point: i64) {
    let pipeline = two_jobs(upstream, job, Need::latest("up"));
    let events = Oracle::new(upstream);
    let mut history = MemoryHistory::new();
    for before in events.events(&(SINCE..check_point), usize::MAX) {
        record(&mut history, "up", before);
    }
    // The job's own runs do not matter.
    for before in Oracle::new(job).events(&(SINCE..run), usize::MAX) {
        record(&mut history, "job", before);
    }
    let message = format!("waiting for `up` {} or later", shown(check_point));
    check_waits(&ready(&pipeline, "job", run, &history), &[("up", check_point)], &message);

    let mut later = history.clone();
    record(&mut history, "up", check_point);
    check_ready(&ready(&pipeline, "job", run, &history));
    record(&mut later, "up", events.next(check_point).expect("a later one"));
    check_ready(&ready(&pipeline, "job", run, &later));
    let far = events.nearest(run + 3 * DAY).expect("a later one");
    check_ready(&ready(&pipeline, "job", run, &crate::support::history_of("up", &[far])));
}

/// Checks that each needed run is reported if it alone is missing, and that the needed runs are
/// enough.
#[track_caller]
fn check_all(upstream: &str, job: &str, run: i64, needed: &[i64]) {
    let pipeline = two_jobs(upstream, job, Need::all("up"));
    let runs = Oracle::new(upstream).events(&(SINCE..run + 2 * DAY), 10_000);
    for absent in needed {
        assert!(runs.contains(absent), "{} is no event", shown(*absent));
        let others: Vec<i64> = runs.iter().copied().filter(|run| run != absent).collect();
        let message = format!("waiting for `up` {}", shown(*absent));
        let history = crate::support::history_of("up", &others);
        check_waits(&ready(&pipeline, "job", run, &history), &[("up", *absent)], &message);
    }
    check_ready(&ready(&pipeline, "job", run, &crate::support::history_of("up", needed)));
}

#[test]
fn daily_job_needs_the_daily_run_an_hour_earlier() {
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    check_latest("2:01:04", "3:00:01", run, needed);
    check_all("2:01:04", "3:00:01", run, &[needed]);
    // In the other direction, the later run is the one of the previous day.
    check_latest("3:00:01", "2:01:04", needed, run);
    check_all("3:00:01", "2:01:04", needed, &[friday("03:00:01")]);
}

#[test]
fn daily_job_needs_hourly_runs() {
    let run = saturday("03:01:03");
    check_latest("*:01:04", "3:01:03", run, saturday("00:01:04"));
    check_all("*:01:04", "3:01:03", run, &steps(friday("03:01:04"), HOUR, 24));
}

#[test]
fn hourly_job_needs_daily_runs() {
    let daily = saturday("03:01:03");
    for hour in 0..24 {
        // Earlier runs of the day wait for the daily run, too.
        check_latest("3:01:03", "*:01:02", SATURDAY + hour * HOUR + 62 * SECOND, daily);
    }
    check_latest("3:01:03", "*:01:02", saturday("00:01:02") + DAY, daily + DAY);
    check_latest("3:01:03", "*:01:02", friday("23:01:02"), daily - DAY);
    check_all("3:01:03", "*:01:02", saturday("03:01:02"), &[]);
    check_all("3:01:03", "*:01:02", saturday("04:01:02"), &[daily]);
    check_all("3:01:03", "*:01:02", saturday("05:01:02"), &[]);
}

#[test]
fn daily_job_needs_irregular_runs() {
    let run = saturday("03:01:03");
    check_latest("1,13:01:04", "3:01:03", run, saturday("01:01:04"));
    check_all("1,13:01:04", "3:01:03", run, &[friday("13:01:04"), saturday("01:01:04")]);
}

#[test]
fn hourly_job_needs_irregular_runs() {
    let check_point = saturday("01:01:04");
    for hour in [0, 1, 2, 5, 12, 13, 14, 23] {
        let run = SATURDAY + hour * HOUR + 63 * SECOND;
        check_latest("1,13:01:04", "*:01:03", run, check_point);
    }
    check_all("1,13:01:04", "*:01:03", saturday("01:01:03"), &[]);
    check_all("1,13:01:04", "*:01:03", saturday("02:01:03"), &[check_point]);
    check_all("1,13:01:04", "*:01:03", saturday("03:01:03"), &[]);
    check_all("1,13:01:04", "*:01:03", saturday("14:01:03"), &[saturday("13:01:04")]);
}

#[test]
fn hourly_job_needs_runs_every_five_minutes() {
    let run = saturday("05:05:04");
    check_latest("*:*/5:03", "*:05:04", run, saturday("05:00:03"));
    check_all("*:*/5:03", "*:05:04", run, &steps(saturday("04:10:03"), 5 * MINUTE, 12));
}

#[test]
fn runs_need_upstream_runs_at_the_same_instant() {
    let run = saturday("00:00:00");
    check_latest("00:00:00", "00:00:00", run, run);
    check_all("00:00:00", "00:00:00", run, &[run]);
    check_all("*:00:00", "00:00:00", run, &steps(friday("01:00:00"), HOUR, 24));
    let run = SINCE + 3 * SECOND;
    check_latest("*:*:*.*/100", "*:*:*", run, run);
    check_all("*:*:*.*/100", "*:*:*", run, &steps(run - 900, 100, 10));
}

#[test]
fn check_points_of_weeks_months_and_years_are_first_events() {
    // The 16th was a Monday; the pipeline began on a Thursday.
    check_latest(
        "6:00:00",
        "*.*.* Wed 12:00:00",
        at("2026-12-02 12:00:00"),
        at("2026-11-30 06:00:00"),
    );
    check_latest(
        "*.*.* Sun 06:00:00",
        "12:00:00",
        at("2026-12-02 12:00:00"),
        at("2026-12-06 06:00:00"),
    );
    check_latest(
        "*.*.* Mon 06:00:00",
        "12:00:00",
        at("2026-12-06 12:00:00"),
        at("2026-11-30 06:00:00"),
    );
    check_latest(
        "6:00:00",
        "*.*.15 12:00:00",
        at("2026-12-15 12:00:00"),
        at("2026-12-01 06:00:00"),
    );
    check_latest(
        "*.*.32 06:00:00",
        "12:00:00",
        at("2026-12-15 12:00:00"),
        at("2026-12-31 06:00:00"),
    );
    check_latest(
        "*.*.* Mon 06:00:00",
        "*.*.15 12:00:00",
        at("2027-01-15 12:00:00"),
        at("2027-01-04 06:00:00"),
    );
    check_latest("6:00:00", "*.7.1 12:00:00", at("2027-07-01 12:00:00"), at("2027-01-01 06:00:00"));
    check_latest(
        "*.2.14 06:00:00",
        "*.*.1 12:00:00",
        at("2027-01-01 12:00:00"),
        at("2027-02-14 06:00:00"),
    );
}

#[test]
fn check_point_is_after_a_period_without_events() {
    check_latest(
        "*.*.31 06:00:00",
        "12:00:00",
        at("2027-04-05 12:00:00"),
        at("2027-05-31 06:00:00"),
    );
    check_latest(
        "*.*.31 06:00:00",
        "12:00:00",
        at("2027-03-05 12:00:00"),
        at("2027-03-31 06:00:00"),
    );
    check_latest(
        "*.2.29 06:00:00",
        "*.1.1 12:00:00",
        at("2027-01-01 12:00:00"),
        at("2028-02-29 06:00:00"),
    );
}

#[test]
fn last_run_is_the_check_point_if_upstream_never_runs_again() {
    let pipeline = two_jobs("2026.*.* 06:00:00", "12:00:00", Need::latest("up"));
    let last = at("2026-12-31 06:00:00");
    let run = at("2031-05-05 12:00:00");
    let history = crate::support::history_of("up", &[last - DAY]);
    let message = "waiting for `up` 2026-12-31 06:00:00 or later";
    check_waits(&ready(&pipeline, "job", run, &history), &[("up", last)], message);
    check_ready(&ready(&pipeline, "job", run, &crate::support::history_of("up", &[last])));
}

#[test]
fn successes_that_are_not_events_do_not_count_for_all() {
    let pipeline = two_jobs("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let strays = crate::support::history_of("up", &[needed - 1, needed + 1, run]);
    let message = "waiting for `up` 2026-11-21 02:01:04";
    check_waits(&ready(&pipeline, "job", run, &strays), &[("up", needed)], message);
}

/// For example, the success of a manual run.
#[test]
fn successes_that_are_not_events_count_for_latest() {
    let pipeline = two_jobs("2:01:04", "3:00:01", Need::latest("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let message = "waiting for `up` 2026-11-21 02:01:04 or later";
    let before = crate::support::history_of("up", &[needed - 1]);
    check_waits(&ready(&pipeline, "job", run, &before), &[("up", needed)], message);
    check_ready(&ready(&pipeline, "job", run, &crate::support::history_of("up", &[needed + 1])));
}

#[test]
fn missing_runs_are_displayed_as_ranges() {
    let pipeline = two_jobs("*:01:04", "3:01:03", Need::all("up"));
    let run = saturday("03:01:03");
    let message = |done: &[i64]| {
        let done: Vec<i64> = done.iter().map(|hour| friday("03:01:04") + hour * HOUR).collect();
        ready(&pipeline, "job", run, &crate::support::history_of("up", &done)).to_string()
    };
    assert_eq!(message(&[]), "waiting for `up` 2026-11-20 03:01:04 … 2026-11-21 02:01:04 (24)");
    assert_eq!(
        message(&[2, 5]),
        "waiting for `up` 2026-11-20 03:01:04, 2026-11-20 04:01:04, 2026-11-20 06:01:04, \
         2026-11-20 07:01:04, 2026-11-20 09:01:04 … 2026-11-21 02:01:04 (18)"
    );
    assert_eq!(
        message(&[1, 3, 5, 7, 9, 11]),
        "waiting for `up` 2026-11-20 03:01:04, 2026-11-20 05:01:04, 2026-11-20 07:01:04, \
         2026-11-20 09:01:04, 2026-11-20 11:01:04 and 13 more"
    );
    let every: Vec<i64> = (0..24).collect();
    assert_eq!(message(&every), "ready");
}

#[test]
fn milliseconds_are_displayed_unless_zero() {
    let pipeline = two_jobs("*:*:*.5,500", "*:*:*", Need::all("up"));
    let readiness = ready(&pipeline, "job", saturday("12:00:01"), &MemoryHistory::new());
    let message = "waiting for `up` 2026-11-21 12:00:00.005, 2026-11-21 12:00:00.500";
    let runs = [5, 500].map(|millis| ("up", saturday("12:00:00") + millis));
    check_waits(&readiness, &runs, message);
}
