//! Unlocked runs, plans, and missing runs.

use std::convert::Infallible;

use millicron::{Recurrence, Unit, schedule};
use millicron_pipeline::{History, MemoryHistory, Missing, Need, PipelineRun, RunState};

use crate::support::{
    DAY, HOUR, SATURDAY, SINCE, all_before, at, build, builder, check_waits, ready, record,
    saturday, steps, two_jobs,
};

/// If upstream will never run again, its last run is the check point of all later runs.
#[test]
fn last_run_of_upstream_unlocks_all_later_runs() {
    let need = Need::latest("up").period(Unit::Day);
    let pipeline = two_jobs("2026.11.20-21 06:00:00", "2026.11.20-23 12:00:00", need);
    let last = saturday("06:00:00");
    let history = crate::support::history_of("up", &[last - DAY]);
    let unlocked = pipeline
        .runs_unlocked_by("up", last, RunState::Succeeded, &history, ..)
        .expect("existing run");
    let runs = steps(saturday("12:00:00"), DAY, 3);
    assert_eq!(unlocked.iter().map(|run| run.scheduled).collect::<Vec<_>>(), runs);
    for run in runs {
        check_waits(
            &ready(&pipeline, "job", run, &history),
            &[("up", last)],
            "waiting for `up` 2026-11-21 06:00:00 or later",
        );
    }
}

#[test]
fn success_unlocks_the_runs_that_waited_for_it() {
    let pipeline = build(
        builder()
            .job("daily", schedule!("3:01:03"), [])
            .job("hourly", schedule!("*:01:02"), [Need::latest("daily")])
            .job("bill", schedule!("4:00:00"), [Need::all("hourly"), Need::all("daily")]),
    );
    let daily = saturday("03:01:03");
    let mut history = all_before(&pipeline, SATURDAY);
    let unlocked = |history: &MemoryHistory| -> Vec<String> {
        let runs = pipeline
            .runs_unlocked_by("daily", daily, RunState::Succeeded, history, ..)
            .expect("existing run");
        runs.iter().map(PipelineRun::to_string).collect()
    };
    // The hourly runs of the day; the bill waits for them.
    let hours: Vec<String> =
        (0..24).map(|hour| format!("`hourly` 2026-11-21 {hour:02}:01:02")).collect();
    assert_eq!(unlocked(&history), hours);
    for hour in 0..4 {
        record(&mut history, "hourly", saturday("00:01:02") + hour * HOUR);
    }
    // Runs that have succeeded are not unlocked again; now the bill is ready.
    let rest: Vec<String> = ["`bill` 2026-11-21 04:00:00".to_owned()]
        .into_iter()
        .chain(hours[4..].iter().cloned())
        .collect();
    assert_eq!(unlocked(&history), rest);
    // It makes no difference whether the success is recorded.
    record(&mut history, "daily", daily);
    assert_eq!(unlocked(&history), rest);
    // A later success is enough for `latest`, so only `all` still needs this one.
    record(&mut history, "daily", daily + DAY);
    assert_eq!(unlocked(&history), rest[..1]);
}

#[test]
fn plan_puts_a_run_after_a_later_one_that_it_needs() {
    let pipeline =
        build(builder().job("hourly", schedule!("*/6:00:00"), [Need::latest("daily")]).job(
            "daily",
            schedule!("13:00:00"),
            [],
        ));
    let plan = |range: std::ops::Range<i64>| {
        pipeline.plan(range).expect("a plan").map(|run| run.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        plan(SATURDAY + 12 * HOUR..SATURDAY + 13 * HOUR + 1),
        ["`daily` 2026-11-21 13:00:00", "`hourly` 2026-11-21 12:00:00"]
    );
    assert_eq!(
        plan(SATURDAY..SATURDAY + DAY),
        [
            "`daily` 2026-11-21 13:00:00",
            "`hourly` 2026-11-21 00:00:00",
            "`hourly` 2026-11-21 06:00:00",
            "`hourly` 2026-11-21 12:00:00",
            "`hourly` 2026-11-21 18:00:00",
        ]
    );
    // Runs outside the range are assumed to have succeeded.
    assert_eq!(
        plan(SATURDAY..SATURDAY + 8 * HOUR),
        ["`hourly` 2026-11-21 00:00:00", "`hourly` 2026-11-21 06:00:00"]
    );
    let [end, start] = [SATURDAY, SATURDAY + DAY];
    assert_eq!(plan(start..end), [""; 0]);
    assert_eq!(plan(SATURDAY..SATURDAY), [""; 0]);
    assert_eq!(pipeline.plan(..SINCE).expect("a plan").count(), 0);
    assert_eq!(pipeline.plan(SINCE..=SINCE).expect("a plan").count(), 1);
}

#[test]
fn nothing_is_missing_in_a_reversed_range() {
    let history = crate::support::history_of("a", &[0, 1, 2]);
    let every = schedule!("*:*:*");
    let [end, start] = [SATURDAY - 1, SATURDAY];
    let Ok(missing) = Missing::find(&history, "a", &every, start..=end);
    assert!(missing.is_empty());
    assert_eq!((missing.count(), missing.instants().count()), (0, 0));
    assert_eq!(missing.to_string(), "");
}

#[test]
fn missing_counts_a_century_of_milliseconds() {
    let every: &(dyn Recurrence + Sync) = &schedule!("*:*:*.*");
    let [first, last] = [crate::oracle::START, crate::oracle::END];
    let history = crate::support::history_of("a", &[SATURDAY, SATURDAY + 2]);
    let Ok(missing) = Missing::find(&history, "a", every, i64::MIN..=i64::MAX);
    // Missing events are not visited one by one.
    assert_eq!(missing.count(), first.abs_diff(last) + 1 - 2);
    let ends: Vec<_> = missing.ranges().iter().map(|range| (range.first, range.last)).collect();
    assert_eq!(ends, [(first, SATURDAY - 1), (SATURDAY + 1, SATURDAY + 1), (SATURDAY + 3, last)]);
    assert!(missing.instants().take(3).eq([first, first + 1, first + 2]));
    let pipeline = two_jobs("*:*:*.*", "*.*.1 00:00:00", Need::all("up"));
    let readiness = ready(&pipeline, "job", at("2027-01-01 00:00:00"), &history);
    let message = "waiting for `up` 2026-12-01 00:00:00.001 … 2027-01-01 00:00:00 (2678400000)";
    assert_eq!(readiness.to_string(), message);
}

#[test]
fn history_can_be_a_trait_object() {
    let pipeline = two_jobs("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let mut history: Box<dyn History<Error = Infallible>> = Box::new(MemoryHistory::new());
    let is_ready = |history: &dyn History<Error = Infallible>| {
        pipeline.ready("job", run, history).map(|readiness| readiness.is_ready())
    };
    assert_eq!(is_ready(&*history), Ok(false));
    let unlocked = pipeline.runs_unlocked_by("up", needed, RunState::Succeeded, &*history, ..);
    assert_eq!(unlocked, Ok(vec![PipelineRun { job: "job", scheduled: run }]));
    assert_eq!(history.record("up", needed), Ok(()));
    assert_eq!(is_ready(&*history), Ok(true));
    assert_eq!(history.first_at_or_after("up", 0), Ok(Some(needed)));
    let daily = schedule!("2:01:04");
    let missing = Missing::find(&*history, "up", &daily, SATURDAY..=SATURDAY + 3 * DAY);
    assert_eq!(missing.map(|missing| missing.count()), Ok(2));
    assert_eq!(history.drop_before(&[("up", needed + 1)]), Ok(()));
    assert_eq!(is_ready(&*history), Ok(false));
}

#[cfg(feature = "std")]
#[test]
fn prune_leaves_claims_that_have_not_expired() {
    use std::time::Duration;

    use millicron_pipeline::{ClaimOutcome, Claims as _};

    let pipeline = build(builder().job("load", schedule!("*:00:00"), []));
    let mut history = MemoryHistory::new().with_clock(|| 1_000);
    let Ok(claimed) = history.claim("load", SATURDAY, "a runner", Duration::from_mins(1));
    let ClaimOutcome::Granted(claim) = claimed else { panic!("{claimed:?}") };
    pipeline.prune(SATURDAY + HOUR, &mut history).expect("a history in memory does not fail");
    assert_eq!(history.record_claimed(&claim, RunState::Succeeded), Ok(()));
}
