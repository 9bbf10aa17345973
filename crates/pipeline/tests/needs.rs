//! Each kind of need: the number of runs, combinations, the beginning, look-backs and check periods.

use std::time::Duration;

use millicron::{CalendarDigits, Unit, schedule};
use millicron_pipeline::{MemoryHistory, Need, Pipeline, Reason};

use crate::support::{
    DAY, HOUR, MINUTE, SATURDAY, SECOND, SINCE, at, build, builder, check_ready, check_waits,
    friday, missing, parse, ready, record, saturday, steps, two_jobs,
};

#[test]
fn at_least_needs_only_some_runs() {
    let pipeline = two_jobs("*:01:04", "3:01:03", Need::at_least(20, "up"));
    let run = saturday("03:01:03");
    let hours = steps(friday("03:01:04"), HOUR, 24);
    let mut history = crate::support::history_of("up", &hours[..19]);
    let readiness = ready(&pipeline, "job", run, &history);
    let runs: Vec<_> = hours[19..].iter().map(|hour| ("up", *hour)).collect();
    let message = "waiting for 1 of `up` 2026-11-20 22:01:04 … 2026-11-21 02:01:04 (5)";
    check_waits(&readiness, &runs, message);
    let waiting = readiness.waiting().expect("waiting");
    let [Reason::Runs { job: "up", missing, needed: 1 }] = waiting.reasons() else {
        panic!("{waiting:?}")
    };
    assert_eq!(missing.count(), 5);
    let others = crate::support::history_of("up", &hours[1..20]);
    assert_ne!(Some(&waiting), ready(&pipeline, "job", run, &others).waiting().as_ref());
    // Successes outside the interval do not count; all within it do.
    record(&mut history, "up", hours[0] - HOUR);
    record(&mut history, "up", hours[23] + HOUR);
    assert!(!ready(&pipeline, "job", run, &history).is_ready());
    record(&mut history, "up", hours[22]);
    check_ready(&ready(&pipeline, "job", run, &history));
}

#[test]
fn at_least_needs_all_runs_if_there_are_fewer() {
    // A month has four or five Mondays.
    let pipeline = build(builder().job("up", schedule!("*.*.* Mon 06:00:00"), []).job(
        "job",
        schedule!("*.*.1 12:00:00"),
        [Need::at_least(5, "up")],
    ));
    let mondays = steps(at("2026-11-02 06:00:00") + 28 * DAY, 7 * DAY, 10);
    let january = at("2027-01-01 12:00:00");
    // December 7, 14, 21 and 28.
    let needed = &mondays[1..5];
    let history = crate::support::history_of("up", &needed[..3]);
    let message = "waiting for `up` 2026-12-28 06:00:00";
    check_waits(&ready(&pipeline, "job", january, &history), &[("up", needed[3])], message);
    check_ready(&ready(&pipeline, "job", january, &crate::support::history_of("up", needed)));
}

#[test]
fn interval_without_upstream_events_needs_nothing() {
    for need in [Need::all("up"), Need::at_least(1, "up")] {
        let pipeline = two_jobs("3:01:03", "*:01:02", need);
        check_ready(&ready(&pipeline, "job", saturday("02:01:02"), &MemoryHistory::new()));
        assert!(!ready(&pipeline, "job", saturday("04:01:02"), &MemoryHistory::new()).is_ready());
    }
}

#[test]
fn at_least_zero_is_always_met() {
    let pipeline = two_jobs("2:01:04", "3:00:01", Need::at_least(0, "up"));
    check_ready(&ready(&pipeline, "job", saturday("03:00:01"), &MemoryHistory::new()));
}

fn three(needs: &[Need<'_>]) -> Pipeline {
    let builder = builder()
        .job("bank", schedule!("2:00:00"), [])
        .job("exchange", schedule!("*:30:00"), [])
        .job("report", schedule!("3:00:00"), needs.iter().copied());
    build(builder)
}

#[test]
fn any_of_needs_one_alternative() {
    let pipeline = three(&[Need::any_of(&[Need::latest("bank"), Need::latest("exchange")])]);
    let run = saturday("03:00:00");
    let [bank, exchange] = [saturday("02:00:00"), saturday("00:30:00")];
    let mut history = crate::support::history_of("exchange", &[exchange - HOUR]);
    check_waits(
        &ready(&pipeline, "report", run, &history),
        &[("bank", bank), ("exchange", exchange)],
        "waiting for `bank` 2026-11-21 02:00:00 or later, or for `exchange` 2026-11-21 00:30:00 \
         or later",
    );
    record(&mut history, "exchange", exchange);
    check_ready(&ready(&pipeline, "report", run, &history));
    check_ready(&ready(&pipeline, "report", run, &crate::support::history_of("bank", &[bank])));
}

#[test]
fn needs_of_a_job_and_all_of_must_all_be_met() {
    for needs in [
        &[Need::latest("bank"), Need::latest("exchange")][..],
        &[Need::all_of(&[Need::latest("bank"), Need::latest("exchange")])],
    ] {
        let pipeline = three(needs);
        let run = saturday("03:00:00");
        let [bank, exchange] = [saturday("02:00:00"), saturday("00:30:00")];
        let mut history = MemoryHistory::new();
        check_waits(
            &ready(&pipeline, "report", run, &history),
            &[("bank", bank), ("exchange", exchange)],
            "waiting for `bank` 2026-11-21 02:00:00 or later; and for `exchange` 2026-11-21 \
             00:30:00 or later",
        );
        record(&mut history, "bank", bank);
        let message = "waiting for `exchange` 2026-11-21 00:30:00 or later";
        check_waits(&ready(&pipeline, "report", run, &history), &[("exchange", exchange)], message);
        record(&mut history, "exchange", exchange);
        check_ready(&ready(&pipeline, "report", run, &history));
    }
}

#[test]
fn any_of_and_all_of_nest() {
    const BOTH: &[Need<'_>] = &[Need::all("bank"), Need::at_least(2, "exchange")];
    const NEEDS: &[Need<'_>] = &[Need::any_of(&[Need::all_of(BOTH), Need::self_previous()])];
    let pipeline = three(NEEDS);
    let run = saturday("03:00:00");
    let [bank, exchange, before] = [saturday("02:00:00"), friday("03:30:00"), friday("03:00:00")];
    let history = crate::support::history_of("exchange", &[exchange]);
    let readiness = ready(&pipeline, "report", run, &history);
    assert_eq!(
        readiness.to_string(),
        "waiting for (`bank` 2026-11-21 02:00:00; and for 1 of `exchange` 2026-11-20 04:30:00 … \
         2026-11-21 02:30:00 (23)), or for `report` 2026-11-20 03:00:00"
    );
    assert_eq!(missing(&readiness).len(), 25);
    let waiting = readiness.waiting().expect("waiting");
    let [Reason::AnyOf(alternatives)] = waiting.reasons() else { panic!("{waiting:?}") };
    assert_eq!(alternatives.reason_counts(), [2, 1]);

    let mut first = history.clone();
    record(&mut first, "bank", bank);
    assert!(!ready(&pipeline, "report", run, &first).is_ready());
    record(&mut first, "exchange", exchange + 5 * HOUR);
    check_ready(&ready(&pipeline, "report", run, &first));
    check_ready(&ready(&pipeline, "report", run, &crate::support::history_of("report", &[before])));
}

trait Lengths {
    fn reason_counts(&self) -> Vec<usize>;
}

impl Lengths for Vec<millicron_pipeline::Waiting<'_>> {
    fn reason_counts(&self) -> Vec<usize> {
        self.iter().map(|waiting| waiting.reasons().len()).collect()
    }
}

#[test]
fn first_run_needs_no_previous_run() {
    let pipeline = build(builder().job("job", schedule!("3:00:00"), [Need::self_previous()]));
    let first = SINCE + 3 * HOUR;
    let mut history = MemoryHistory::new();
    check_ready(&ready(&pipeline, "job", first, &history));
    let message = "waiting for `job` 2026-11-19 03:00:00";
    check_waits(&ready(&pipeline, "job", first + DAY, &history), &[("job", first)], message);
    // Successes before the beginning, and of the run itself, do not count.
    record(&mut history, "job", first - DAY);
    record(&mut history, "job", first + DAY);
    assert!(!ready(&pipeline, "job", first + DAY, &history).is_ready());
    record(&mut history, "job", first);
    check_ready(&ready(&pipeline, "job", first + DAY, &history));

    let all = build(Pipeline::builder().job("job", schedule!("3:00:00"), [Need::self_previous()]));
    let first = at("2000-01-01 03:00:00");
    check_ready(&ready(&all, "job", first, &MemoryHistory::new()));
    assert!(!ready(&all, "job", first + DAY, &MemoryHistory::new()).is_ready());
}

#[test]
fn events_before_the_beginning_are_not_needed() {
    let noon = SINCE + 12 * HOUR;
    let pipeline = build(
        Pipeline::builder()
            .since(CalendarDigits::from_millis(noon).to_millis())
            .job("up", schedule!("*:00:00"), [])
            .job("job", schedule!("15:00:00"), [Need::all("up"), Need::latest("up")]),
    );
    let run = SINCE + 15 * HOUR;
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    let message = "waiting for `up` 2026-11-19 12:00:00 … 2026-11-19 15:00:00 (4); and for `up` \
                 2026-11-19 12:00:00 or later";
    assert_eq!(readiness.to_string(), message);
    check_ready(&ready(
        &pipeline,
        "job",
        run,
        &crate::support::history_of("up", &steps(noon, HOUR, 4)),
    ));
}

/// The pipeline begins on a Thursday.
#[test]
fn first_run_of_upstream_is_needed_unless_the_beginning_cuts_off_the_check_period() {
    let need = Need::latest("up").period(Unit::Day);
    for (since, message) in
        [(SINCE, "waiting for `up` 2026-11-25 03:00:00 or later"), (SINCE + HOUR, "ready")]
    {
        let weekly = Pipeline::builder().since(since).job("up", parse("*.*.* Wed 3:00:00"), []);
        let pipeline = build(weekly.job("job", parse("2:00:00"), [need]));
        crate::support::check_missing(&pipeline, SINCE + 2 * HOUR, message);
    }
}

#[test]
fn beginning_is_rounded_up_to_a_millisecond() {
    use std::time::{Duration, UNIX_EPOCH};
    let since = UNIX_EPOCH + Duration::from_millis(SATURDAY.unsigned_abs());
    let runs = |since| {
        let pipeline = build(Pipeline::builder().since(since).job("job", schedule!("*:*:*.*"), []));
        pipeline
            .plan(..SATURDAY + 2)
            .expect("a plan")
            .map(|run| run.scheduled - SATURDAY)
            .collect::<Vec<_>>()
    };
    assert_eq!(runs(since), [0, 1]);
    // The resolution of system times on some platforms.
    assert_eq!(runs(since + Duration::from_nanos(100)), [1]);
}

#[test]
fn events_back_needs_what_an_earlier_run_needs() {
    let run = saturday("03:01:03");
    let pipeline = two_jobs("*:01:04", "3:01:03", Need::latest("up").events_back(1));
    let message = "waiting for `up` 2026-11-20 00:01:04 or later";
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &[("up", friday("00:01:04"))],
        message,
    );

    let pipeline = two_jobs("*:01:04", "3:01:03", Need::all("up").events_back(1));
    let needed = steps(friday("03:01:04") - DAY, HOUR, 24);
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    let message = "waiting for `up` 2026-11-19 03:01:04 … 2026-11-20 02:01:04 (24)";
    let runs: Vec<_> = needed.iter().map(|run| ("up", *run)).collect();
    check_waits(&readiness, &runs, message);
    check_ready(&ready(&pipeline, "job", run, &crate::support::history_of("up", &needed)));

    let pipeline =
        build(builder().job("job", schedule!("*:00:00"), [Need::self_previous().events_back(2)]));
    let run = SINCE + 5 * HOUR;
    let message = "waiting for `job` 2026-11-19 02:00:00";
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &[("job", run - 3 * HOUR)],
        message,
    );
    check_ready(&ready(
        &pipeline,
        "job",
        run,
        &crate::support::history_of("job", &[run - 3 * HOUR]),
    ));
}

#[test]
fn events_back_needs_nothing_without_an_earlier_run() {
    for need in
        [Need::latest("up"), Need::all("up"), Need::at_least(1, "up"), Need::self_previous()]
    {
        let pipeline = two_jobs("*:00:00", "*:30:00", need.events_back(2));
        for hour in 0..2 {
            let run = SINCE + hour * HOUR + 30 * MINUTE;
            check_ready(&ready(&pipeline, "job", run, &MemoryHistory::new()));
        }
    }
    let pipeline = two_jobs("*:00:00", "*:30:00", Need::all("up").events_back(2));
    let run = SINCE + 2 * HOUR + 30 * MINUTE;
    let message = "waiting for `up` 2026-11-19 00:00:00";
    check_waits(&ready(&pipeline, "job", run, &MemoryHistory::new()), &[("up", SINCE)], message);
}

#[test]
fn periods_back_looks_at_the_day_before() {
    let run = saturday("03:01:03");
    let all = two_jobs("*:01:04", "3:01:03", Need::all("up").periods_back(1));
    let needed = steps(friday("00:01:04"), HOUR, 24);
    let readiness = ready(&all, "job", run, &MemoryHistory::new());
    let message = "waiting for `up` 2026-11-20 00:01:04 … 2026-11-20 23:01:04 (24)";
    let runs: Vec<_> = needed.iter().map(|run| ("up", *run)).collect();
    check_waits(&readiness, &runs, message);
    check_ready(&ready(&all, "job", run, &crate::support::history_of("up", &needed)));

    let some = two_jobs("*:01:04", "3:01:03", Need::at_least(2, "up").periods_back(1));
    let early = [needed[0] - HOUR, needed[0], needed[23] + HOUR];
    let message = "waiting for 1 of `up` 2026-11-20 01:01:04 … 2026-11-20 23:01:04 (23)";
    let history = crate::support::history_of("up", &early);
    assert_eq!(ready(&some, "job", run, &history).to_string(), message);

    let latest = two_jobs("*:01:04", "3:01:03", Need::latest("up").periods_back(1));
    let message = "waiting for `up` 2026-11-20 00:01:04 or later";
    let before = crate::support::history_of("up", &[needed[0] - HOUR]);
    check_waits(&ready(&latest, "job", run, &before), &[("up", needed[0])], message);
    check_ready(&ready(&latest, "job", run, &crate::support::history_of("up", &needed[..1])));

    // An hourly job needs the previous day's daily run, at any hour.
    for need in [Need::all("up").periods_back(1), Need::latest("up").periods_back(1)] {
        let pipeline = two_jobs("3:01:03", "*:01:02", need);
        for hour in [0, 3, 4, 23] {
            let run = SATURDAY + hour * HOUR + 62 * SECOND;
            let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
            assert_eq!(missing(&readiness), [("up".to_owned(), friday("03:01:03"))]);
            let history = crate::support::history_of("up", &[friday("03:01:03")]);
            check_ready(&ready(&pipeline, "job", run, &history));
        }
    }
    // The job's own last run of the previous period.
    let own =
        build(builder().job("job", schedule!("*:00:00"), [Need::self_previous().periods_back(1)]));
    let message = "waiting for `job` 2026-11-21 11:00:00";
    let run = saturday("12:00:00");
    check_waits(&ready(&own, "job", run, &MemoryHistory::new()), &[("job", run - HOUR)], message);
}

#[test]
fn periods_back_looks_at_the_week_month_or_year_before() {
    let check = |upstream: &str, job: &str, run: &str, message: &str| {
        let builder = Pipeline::builder().since(at("2025-01-01 00:00:00"));
        let need = [Need::all("up").periods_back(1)];
        let pipeline = build(builder.job("up", parse(upstream), []).job("job", parse(job), need));
        let readiness = ready(&pipeline, "job", at(run), &MemoryHistory::new());
        assert_eq!(readiness.to_string(), format!("waiting for `up` {message}"));
        let mut history = MemoryHistory::new();
        for (_, run) in missing(&readiness) {
            record(&mut history, "up", run);
        }
        check_ready(&ready(&pipeline, "job", at(run), &history));
    };
    check(
        "6:00:00",
        "*.*.* Mon 12:00:00",
        "2026-11-23 12:00:00",
        "2026-11-16 06:00:00 … 2026-11-22 06:00:00 (7)",
    );
    check(
        "*.*.* Mon-Fri 06:00:00",
        "*.*.* Sun 12:00:00",
        "2026-11-22 12:00:00",
        "2026-11-09 06:00:00 … 2026-11-13 06:00:00 (5)",
    );
    check(
        "6:00:00",
        "*.*.1 12:00:00",
        "2028-03-01 12:00:00",
        "2028-02-01 06:00:00 … 2028-02-29 06:00:00 (29)",
    );
    check("*.*.32 06:00:00", "12:00:00", "2028-03-17 12:00:00", "2028-02-29 06:00:00");
    check(
        "*.*.1 06:00:00",
        "*.7.1 12:00:00",
        "2028-07-01 12:00:00",
        "2027-01-01 06:00:00 … 2027-12-01 06:00:00 (12)",
    );
    check("*:00:00", "*:05:00", "2026-11-21 12:05:00", "2026-11-21 11:00:00");
    check(
        "*:*:*/20",
        "*:*:30",
        "2026-11-21 12:00:30",
        "2026-11-21 11:59:00 … 2026-11-21 11:59:40 (3)",
    );
}

#[test]
fn look_back_of_a_combination_is_added_to_that_of_each_part() {
    const NEEDS: &[Need<'_>] =
        &[Need::any_of(&[Need::all("up").events_back(1)]).events_back(1).periods_back(1)];
    let pipeline = build(builder().job("up", schedule!("12:00:00"), []).job(
        "job",
        schedule!("6:00:00"),
        NEEDS.iter().copied(),
    ));
    // Two runs earlier, and one day before that.
    let run = at("2026-11-25 06:00:00");
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    assert_eq!(missing(&readiness), [("up".to_owned(), at("2026-11-22 12:00:00"))]);
    let far = [Need::all("up").periods_back(u32::MAX).events_back(u32::MAX)];
    let far = Need::all_of(&far).periods_back(1).events_back(1);
    let far = two_jobs("12:00:00", "6:00:00", far);
    check_ready(&ready(&far, "job", run, &MemoryHistory::new()));
    // The unit of a part takes precedence.
    let each = [Need::latest("up").period(Unit::Day), Need::latest("up")];
    let pipeline = two_jobs("12:00:00", "6:00:00", Need::any_of(&each).period(Unit::Month));
    let readiness = ready(&pipeline, "job", at("2026-12-16 06:00:00"), &MemoryHistory::new());
    let check_points = ["2026-12-16 12:00:00", "2026-12-01 12:00:00"].map(at);
    assert_eq!(missing(&readiness), check_points.map(|instant| ("up".to_owned(), instant)));
}

#[test]
fn look_backs_add_up_and_the_last_period_and_age_count() {
    let need = Need::all("up");
    assert_eq!(need.events_back(5).events_back(2), need.events_back(7));
    assert_eq!(need.events_back(5).events_back(u32::MAX), need.events_back(u32::MAX));
    assert_eq!(need.periods_back(5).periods_back(0), need.periods_back(5));
    let [one, two] = [1, 2].map(Duration::from_millis);
    assert_eq!(need.time_back(one).time_back(one), need.time_back(two));
    assert_eq!(need.time_back(Duration::from_nanos(1)), need.time_back(one));
    assert_eq!(need.time_back(Duration::MAX).time_back(one), need.time_back(Duration::MAX));
    assert_eq!(need.within(one).within_unit(Unit::Day), need.within_unit(Unit::Day));
    assert_eq!(need.period(Unit::Day).period(Unit::Week), need.period(Unit::Week));
    assert_eq!(need.periods_back(1).period(Unit::Day), need.period(Unit::Day).periods_back(1));
    assert_ne!(need.period(Unit::Day), need);
}

#[test]
fn period_sets_the_check_period() {
    let weekdays = "*.*.* Mon-Fri 06:00:00";
    let wednesday = at("2026-12-02 12:00:00");
    let monday = at("2026-11-30 06:00:00");
    let check = |upstream: &str, job: &str, need: Need<'_>, expected: &[i64]| {
        let pipeline = two_jobs(upstream, job, need);
        let readiness = ready(&pipeline, "job", wednesday, &MemoryHistory::new());
        let expected: Vec<_> = expected.iter().map(|run| ("up".to_owned(), *run)).collect();
        assert_eq!(missing(&readiness), expected, "{need:?}");
        let mut history = MemoryHistory::new();
        for (job, run) in expected {
            record(&mut history, &job, run);
        }
        check_ready(&ready(&pipeline, "job", wednesday, &history));
    };
    let noon = "12:00:00";
    check(weekdays, noon, Need::latest("up"), &[monday + 2 * DAY]);
    check(weekdays, noon, Need::latest("up").period(Unit::Week), &[monday]);
    check(weekdays, noon, Need::latest("up").period(Unit::Day).periods_back(1), &[monday + DAY]);
    check(weekdays, noon, Need::latest("up").period(Unit::Month), &[monday + DAY]);
    check("6:00:00", noon, Need::latest("up").period(Unit::Week), &[monday]);
    check("6:00:00", noon, Need::latest("up").period(Unit::Hour), &[monday + 3 * DAY]);
    let week: Vec<i64> = steps(monday - 7 * DAY, DAY, 5);
    check(weekdays, noon, Need::all("up").period(Unit::Week).periods_back(1), &week);
    check(weekdays, noon, Need::all("up").period(Unit::Day).periods_back(1), &[monday + DAY]);
    check("*.*.* Sat 06:00:00", noon, Need::all("up").period(Unit::Day).periods_back(1), &[]);
}
