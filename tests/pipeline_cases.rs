//! Pipelines of two or three jobs, each with the history before and after the run that
//! decides, written out.

#![cfg(feature = "dependency")]

mod oracle;
mod pipelines;

use std::convert::Infallible;
use std::ops::ControlFlow;

use millicron::dependency::{
    Builder, History, MemoryHistory, Need, Pipeline, Readiness, Reason, Recurring, Run, Unit,
};
use millicron::{CalendarDigits, Schedule, schedule};
use oracle::Oracle;
use pipelines::{DAY, HOUR, MINUTE, SECOND, all_before, at, built, missing, ready, record};

/// The first day that the pipelines here know, a Thursday, and two days after it.
const SINCE: i64 = 1_795_046_400_000;
const SATURDAY: i64 = SINCE + 2 * DAY;

fn parse(text: &str) -> Schedule {
    text.parse().expect("a schedule")
}

fn begun() -> Builder {
    Pipeline::builder().since(SINCE)
}

/// A job and what it needs of another.
fn pair(upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    built(begun().job("up", parse(upstream), []).job("job", parse(job), [need]))
}

/// The instant of a time of Saturday.
fn saturday(time: &str) -> i64 {
    at(&format!("2026-11-21 {time}"))
}

/// The instant of a time of Friday.
fn friday(time: &str) -> i64 {
    at(&format!("2026-11-20 {time}"))
}

fn shown(instant: i64) -> String {
    let text = CalendarDigits::from_millis(instant).to_string();
    text.trim_end_matches(".000").to_owned()
}

#[track_caller]
fn check_waits(readiness: &Readiness<'_>, runs: &[(&str, i64)], words: &str) {
    let runs: Vec<_> = runs.iter().map(|(job, run)| ((*job).to_owned(), *run)).collect();
    assert_eq!(missing(readiness), runs);
    assert_eq!(readiness.to_string(), words);
    assert!(!readiness.is_ready());
}

#[track_caller]
fn check_ready(readiness: &Readiness<'_>) {
    assert_eq!(*readiness, Readiness::Ready);
    assert_eq!(readiness.to_string(), "ready");
    assert!(readiness.is_ready());
}

/// Everything but the check point and what comes after it; then the check point; then in
/// its stead what comes after it.
#[track_caller]
fn check_latest(upstream: &str, job: &str, run: i64, check_point: i64) {
    let pipeline = pair(upstream, job, Need::latest("up"));
    let events = Oracle::new(upstream);
    let mut history = MemoryHistory::new();
    for before in events.events(&(SINCE..check_point), usize::MAX) {
        record(&mut history, "up", before);
    }
    // The job's own runs are not asked for.
    for before in Oracle::new(job).events(&(SINCE..run), usize::MAX) {
        record(&mut history, "job", before);
    }
    let words = format!("waiting for `up` {} or later", shown(check_point));
    check_waits(&ready(&pipeline, "job", run, &history), &[("up", check_point)], &words);

    let mut later = history.clone();
    record(&mut history, "up", check_point);
    check_ready(&ready(&pipeline, "job", run, &history));
    record(&mut later, "up", events.next(check_point).expect("a later one"));
    check_ready(&ready(&pipeline, "job", run, &later));
    let far = events.nearest(run + 3 * DAY).expect("a later one");
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", &[far])));
}

/// Everything but one of the runs that are needed, each in turn; then nothing but these.
#[track_caller]
fn check_all(upstream: &str, job: &str, run: i64, needed: &[i64]) {
    let pipeline = pair(upstream, job, Need::all("up"));
    let runs = Oracle::new(upstream).events(&(SINCE..run + 2 * DAY), usize::MAX);
    for absent in needed {
        assert!(runs.contains(absent), "{} is no event", shown(*absent));
        let others: Vec<i64> = runs.iter().copied().filter(|run| run != absent).collect();
        let words = format!("waiting for `up` {}", shown(*absent));
        let history = pipelines::history_of("up", &others);
        check_waits(&ready(&pipeline, "job", run, &history), &[("up", *absent)], &words);
    }
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", needed)));
}

/// So many instants, each so far after the one before.
fn steps(from: i64, step: i64, count: i64) -> Vec<i64> {
    (0..count).map(|index| from + index * step).collect()
}

#[test]
fn a_daily_job_and_one_an_hour_later() {
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    check_latest("2:01:04", "3:00:01", run, needed);
    check_all("2:01:04", "3:00:01", run, &[needed]);
    // The other way around, what is later in the day is of the day before.
    check_latest("3:00:01", "2:01:04", needed, run);
    check_all("3:00:01", "2:01:04", needed, &[friday("03:00:01")]);
}

#[test]
fn a_daily_job_needs_hourly_runs() {
    let run = saturday("03:01:03");
    check_latest("*:01:04", "3:01:03", run, saturday("00:01:04"));
    check_all("*:01:04", "3:01:03", run, &steps(friday("03:01:04"), HOUR, 24));
}

#[test]
fn an_hourly_job_needs_daily_runs() {
    let daily = saturday("03:01:03");
    for hour in 0..24 {
        // Also those that come before it, which wait.
        check_latest("3:01:03", "*:01:02", SATURDAY + hour * HOUR + 62 * SECOND, daily);
    }
    check_latest("3:01:03", "*:01:02", saturday("00:01:02") + DAY, daily + DAY);
    check_latest("3:01:03", "*:01:02", friday("23:01:02"), daily - DAY);
    check_all("3:01:03", "*:01:02", saturday("03:01:02"), &[]);
    check_all("3:01:03", "*:01:02", saturday("04:01:02"), &[daily]);
    check_all("3:01:03", "*:01:02", saturday("05:01:02"), &[]);
}

#[test]
fn a_daily_job_needs_irregular_runs() {
    let run = saturday("03:01:03");
    check_latest("1,13:01:04", "3:01:03", run, saturday("01:01:04"));
    check_all("1,13:01:04", "3:01:03", run, &[friday("13:01:04"), saturday("01:01:04")]);
}

#[test]
fn an_hourly_job_needs_irregular_runs() {
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
fn an_hourly_job_needs_runs_of_five_minutes() {
    let run = saturday("05:05:04");
    check_latest("*:*/5:03", "*:05:04", run, saturday("05:00:03"));
    check_all("*:*/5:03", "*:05:04", run, &steps(saturday("04:10:03"), 5 * MINUTE, 12));
}

#[test]
fn runs_need_those_of_the_same_instant() {
    let run = saturday("00:00:00");
    check_latest("00:00:00", "00:00:00", run, run);
    check_all("00:00:00", "00:00:00", run, &[run]);
    check_all("*:00:00", "00:00:00", run, &steps(friday("01:00:00"), HOUR, 24));
    let run = SINCE + 3 * SECOND;
    check_latest("*:*:*.*/100", "*:*:*", run, run);
    check_all("*:*:*.*/100", "*:*:*", run, &steps(run - 900, 100, 10));
}

#[test]
fn check_points_of_weeks_months_and_years() {
    // The 16th was a Monday; the pipeline began on Thursday.
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
fn a_cycle_without_an_event_has_the_check_point_after_it() {
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
fn of_a_job_that_runs_no_more_the_last_run_is_needed() {
    let pipeline = pair("2026.*.* 06:00:00", "12:00:00", Need::latest("up"));
    let last = at("2026-12-31 06:00:00");
    let run = at("2031-05-05 12:00:00");
    let history = pipelines::history_of("up", &[last - DAY]);
    let words = "waiting for `up` 2026-12-31 06:00:00 or later";
    check_waits(&ready(&pipeline, "job", run, &history), &[("up", last)], words);
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", &[last])));
}

#[test]
fn instants_that_are_no_events_are_no_successes() {
    let pipeline = pair("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let strays = pipelines::history_of("up", &[needed - 1, needed + 1, run]);
    let words = "waiting for `up` 2026-11-21 02:01:04";
    check_waits(&ready(&pipeline, "job", run, &strays), &[("up", needed)], words);
}

/// The latest success may be of any instant: that of a run by hand, say.
#[test]
fn instants_that_are_no_events_may_be_the_latest_success() {
    let pipeline = pair("2:01:04", "3:00:01", Need::latest("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let words = "waiting for `up` 2026-11-21 02:01:04 or later";
    let before = pipelines::history_of("up", &[needed - 1]);
    check_waits(&ready(&pipeline, "job", run, &before), &[("up", needed)], words);
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", &[needed + 1])));
}

#[test]
fn missing_runs_are_told_in_stretches() {
    let pipeline = pair("*:01:04", "3:01:03", Need::all("up"));
    let run = saturday("03:01:03");
    let words = |done: &[i64]| {
        let done: Vec<i64> = done.iter().map(|hour| friday("03:01:04") + hour * HOUR).collect();
        ready(&pipeline, "job", run, &pipelines::history_of("up", &done)).to_string()
    };
    assert_eq!(words(&[]), "waiting for `up` 2026-11-20 03:01:04 … 2026-11-21 02:01:04 (24)");
    assert_eq!(
        words(&[2, 5]),
        "waiting for `up` 2026-11-20 03:01:04, 2026-11-20 04:01:04, 2026-11-20 06:01:04, \
         2026-11-20 07:01:04, 2026-11-20 09:01:04 … 2026-11-21 02:01:04 (18)"
    );
    assert_eq!(
        words(&[1, 3, 5, 7, 9, 11]),
        "waiting for `up` 2026-11-20 03:01:04, 2026-11-20 05:01:04, 2026-11-20 07:01:04, \
         2026-11-20 09:01:04, 2026-11-20 11:01:04 and 13 more"
    );
    let every: Vec<i64> = (0..24).collect();
    assert_eq!(words(&every), "ready");
}

#[test]
fn milliseconds_are_told_where_they_matter() {
    let pipeline = pair("*:*:*.5,500", "*:*:*", Need::all("up"));
    let readiness = ready(&pipeline, "job", saturday("12:00:01"), &MemoryHistory::new());
    let words = "waiting for `up` 2026-11-21 12:00:00.005, 2026-11-21 12:00:00.500";
    let runs = [5, 500].map(|millis| ("up", saturday("12:00:00") + millis));
    check_waits(&readiness, &runs, words);
}

#[test]
fn some_runs_are_enough() {
    let pipeline = pair("*:01:04", "3:01:03", Need::at_least(20, "up"));
    let run = saturday("03:01:03");
    let hours = steps(friday("03:01:04"), HOUR, 24);
    let mut history = pipelines::history_of("up", &hours[..19]);
    let readiness = ready(&pipeline, "job", run, &history);
    let runs: Vec<_> = hours[19..].iter().map(|hour| ("up", *hour)).collect();
    let words = "waiting for 1 of `up` 2026-11-20 22:01:04 … 2026-11-21 02:01:04 (5)";
    check_waits(&readiness, &runs, words);
    let waiting = readiness.waiting().expect("it waits");
    let [Reason::Runs { job: "up", missing, needed: 1 }] = waiting.reasons() else {
        panic!("{waiting:?}")
    };
    assert_eq!(missing.count(), 5);
    // Those before and after the interval do not count, any within it does.
    record(&mut history, "up", hours[0] - HOUR);
    record(&mut history, "up", hours[23] + HOUR);
    assert!(!ready(&pipeline, "job", run, &history).is_ready());
    record(&mut history, "up", hours[22]);
    check_ready(&ready(&pipeline, "job", run, &history));
}

#[test]
fn all_are_enough_where_there_are_fewer() {
    // Four Mondays, or five.
    let pipeline = built(begun().job("up", schedule!("*.*.* Mon 06:00:00"), []).job(
        "job",
        schedule!("*.*.1 12:00:00"),
        [Need::at_least(5, "up")],
    ));
    let mondays = steps(at("2026-11-02 06:00:00") + 28 * DAY, 7 * DAY, 10);
    let january = at("2027-01-01 12:00:00");
    // 7, 14, 21 and 28 December.
    let needed = &mondays[1..5];
    let history = pipelines::history_of("up", &needed[..3]);
    let words = "waiting for `up` 2026-12-28 06:00:00";
    check_waits(&ready(&pipeline, "job", january, &history), &[("up", needed[3])], words);
    check_ready(&ready(&pipeline, "job", january, &pipelines::history_of("up", needed)));
}

#[test]
fn none_is_needed_where_there_is_none() {
    for need in [Need::all("up"), Need::at_least(1, "up")] {
        let pipeline = pair("3:01:03", "*:01:02", need);
        check_ready(&ready(&pipeline, "job", saturday("02:01:02"), &MemoryHistory::new()));
        assert!(!ready(&pipeline, "job", saturday("04:01:02"), &MemoryHistory::new()).is_ready());
    }
}

#[test]
fn at_least_none_is_always_there() {
    let pipeline = pair("2:01:04", "3:00:01", Need::at_least(0, "up"));
    check_ready(&ready(&pipeline, "job", saturday("03:00:01"), &MemoryHistory::new()));
}

fn three(needs: &[Need<'_>]) -> Pipeline {
    let builder = begun()
        .job("bank", schedule!("2:00:00"), [])
        .job("exchange", schedule!("*:30:00"), [])
        .job("report", schedule!("3:00:00"), needs.iter().copied());
    built(builder)
}

#[test]
fn one_of_several_is_enough() {
    let pipeline = three(&[Need::any_of(&[Need::latest("bank"), Need::latest("exchange")])]);
    let run = saturday("03:00:00");
    let [bank, exchange] = [saturday("02:00:00"), saturday("00:30:00")];
    let mut history = pipelines::history_of("exchange", &[exchange - HOUR]);
    check_waits(
        &ready(&pipeline, "report", run, &history),
        &[("bank", bank), ("exchange", exchange)],
        "waiting for `bank` 2026-11-21 02:00:00 or later, or for `exchange` 2026-11-21 00:30:00 \
         or later",
    );
    record(&mut history, "exchange", exchange);
    check_ready(&ready(&pipeline, "report", run, &history));
    check_ready(&ready(&pipeline, "report", run, &pipelines::history_of("bank", &[bank])));
}

#[test]
fn each_of_several_is_needed() {
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
        let words = "waiting for `exchange` 2026-11-21 00:30:00 or later";
        check_waits(&ready(&pipeline, "report", run, &history), &[("exchange", exchange)], words);
        record(&mut history, "exchange", exchange);
        check_ready(&ready(&pipeline, "report", run, &history));
    }
}

#[test]
fn needs_nest() {
    const BOTH: &[Need<'_>] = &[Need::all("bank"), Need::at_least(2, "exchange")];
    const NEEDS: &[Need<'_>] = &[Need::any_of(&[Need::all_of(BOTH), Need::self_previous()])];
    let pipeline = three(NEEDS);
    let run = saturday("03:00:00");
    let [bank, exchange, before] = [saturday("02:00:00"), friday("03:30:00"), friday("03:00:00")];
    let history = pipelines::history_of("exchange", &[exchange]);
    let readiness = ready(&pipeline, "report", run, &history);
    assert_eq!(
        readiness.to_string(),
        "waiting for (`bank` 2026-11-21 02:00:00; and for 1 of `exchange` 2026-11-20 04:30:00 … \
         2026-11-21 02:30:00 (23)), or for `report` 2026-11-20 03:00:00"
    );
    assert_eq!(missing(&readiness).len(), 25);
    let waiting = readiness.waiting().expect("it waits");
    let [Reason::AnyOf(alternatives)] = waiting.reasons() else { panic!("{waiting:?}") };
    assert_eq!(alternatives.each_ref_len(), [2, 1]);

    let mut first = history.clone();
    record(&mut first, "bank", bank);
    assert!(!ready(&pipeline, "report", run, &first).is_ready());
    record(&mut first, "exchange", exchange + 5 * HOUR);
    check_ready(&ready(&pipeline, "report", run, &first));
    check_ready(&ready(&pipeline, "report", run, &pipelines::history_of("report", &[before])));
}

/// How many reasons each alternative has.
trait Lengths {
    fn each_ref_len(&self) -> Vec<usize>;
}

impl Lengths for Vec<millicron::dependency::Waiting<'_>> {
    fn each_ref_len(&self) -> Vec<usize> {
        self.iter().map(|waiting| waiting.reasons().len()).collect()
    }
}

#[test]
fn the_first_run_ever_has_none_before_it() {
    let pipeline = built(begun().job("job", schedule!("3:00:00"), [Need::self_previous()]));
    let first = SINCE + 3 * HOUR;
    let mut history = MemoryHistory::new();
    check_ready(&ready(&pipeline, "job", first, &history));
    let words = "waiting for `job` 2026-11-19 03:00:00";
    check_waits(&ready(&pipeline, "job", first + DAY, &history), &[("job", first)], words);
    // What was before the beginning, and the run itself, do not count.
    record(&mut history, "job", first - DAY);
    record(&mut history, "job", first + DAY);
    assert!(!ready(&pipeline, "job", first + DAY, &history).is_ready());
    record(&mut history, "job", first);
    check_ready(&ready(&pipeline, "job", first + DAY, &history));

    let all = built(Pipeline::builder().job("job", schedule!("3:00:00"), [Need::self_previous()]));
    let first = at("2000-01-01 03:00:00");
    check_ready(&ready(&all, "job", first, &MemoryHistory::new()));
    assert!(!ready(&all, "job", first + DAY, &MemoryHistory::new()).is_ready());
}

#[test]
fn nothing_is_needed_that_was_before_the_beginning() {
    let noon = SINCE + 12 * HOUR;
    let pipeline = built(
        Pipeline::builder()
            .since(CalendarDigits::from_millis(noon).to_millis())
            .job("up", schedule!("*:00:00"), [])
            .job("job", schedule!("15:00:00"), [Need::all("up"), Need::latest("up")]),
    );
    let run = SINCE + 15 * HOUR;
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    let words = "waiting for `up` 2026-11-19 12:00:00 … 2026-11-19 15:00:00 (4); and for `up` \
                 2026-11-19 12:00:00 or later";
    assert_eq!(readiness.to_string(), words);
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", &steps(noon, HOUR, 4))));
}

#[test]
fn a_beginning_between_two_milliseconds_is_the_next() {
    use std::time::{Duration, UNIX_EPOCH};
    let since = UNIX_EPOCH + Duration::from_millis(SATURDAY.unsigned_abs());
    let runs = |since| {
        let pipeline = built(Pipeline::builder().since(since).job("job", schedule!("*:*:*.*"), []));
        pipeline.plan(..SATURDAY + 2).map(|run| run.scheduled - SATURDAY).collect::<Vec<_>>()
    };
    assert_eq!(runs(since), [0, 1]);
    assert_eq!(runs(since + Duration::from_nanos(1)), [1]);
}

#[test]
fn a_need_looks_some_runs_back() {
    let run = saturday("03:01:03");
    let pipeline = pair("*:01:04", "3:01:03", Need::latest("up").events_back(1));
    let words = "waiting for `up` 2026-11-20 00:01:04 or later";
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &[("up", friday("00:01:04"))],
        words,
    );

    let pipeline = pair("*:01:04", "3:01:03", Need::all("up").events_back(1));
    let needed = steps(friday("03:01:04") - DAY, HOUR, 24);
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    let words = "waiting for `up` 2026-11-19 03:01:04 … 2026-11-20 02:01:04 (24)";
    let runs: Vec<_> = needed.iter().map(|run| ("up", *run)).collect();
    check_waits(&readiness, &runs, words);
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("up", &needed)));

    let pipeline =
        built(begun().job("job", schedule!("*:00:00"), [Need::self_previous().events_back(2)]));
    let run = SINCE + 5 * HOUR;
    let words = "waiting for `job` 2026-11-19 02:00:00";
    check_waits(
        &ready(&pipeline, "job", run, &MemoryHistory::new()),
        &[("job", run - 3 * HOUR)],
        words,
    );
    check_ready(&ready(&pipeline, "job", run, &pipelines::history_of("job", &[run - 3 * HOUR])));
}

#[test]
fn nothing_is_needed_where_there_is_no_run_to_look_back_to() {
    for need in
        [Need::latest("up"), Need::all("up"), Need::at_least(1, "up"), Need::self_previous()]
    {
        let pipeline = pair("*:00:00", "*:30:00", need.events_back(2));
        for hour in 0..2 {
            let run = SINCE + hour * HOUR + 30 * MINUTE;
            check_ready(&ready(&pipeline, "job", run, &MemoryHistory::new()));
        }
    }
    let pipeline = pair("*:00:00", "*:30:00", Need::all("up").events_back(2));
    let run = SINCE + 2 * HOUR + 30 * MINUTE;
    let words = "waiting for `up` 2026-11-19 00:00:00";
    check_waits(&ready(&pipeline, "job", run, &MemoryHistory::new()), &[("up", SINCE)], words);
}

#[test]
fn the_day_before() {
    let run = saturday("03:01:03");
    let all = pair("*:01:04", "3:01:03", Need::all("up").cycles_back(1));
    let needed = steps(friday("00:01:04"), HOUR, 24);
    let readiness = ready(&all, "job", run, &MemoryHistory::new());
    let words = "waiting for `up` 2026-11-20 00:01:04 … 2026-11-20 23:01:04 (24)";
    let runs: Vec<_> = needed.iter().map(|run| ("up", *run)).collect();
    check_waits(&readiness, &runs, words);
    check_ready(&ready(&all, "job", run, &pipelines::history_of("up", &needed)));

    let some = pair("*:01:04", "3:01:03", Need::at_least(2, "up").cycles_back(1));
    let early = [needed[0] - HOUR, needed[0], needed[23] + HOUR];
    let words = "waiting for 1 of `up` 2026-11-20 01:01:04 … 2026-11-20 23:01:04 (23)";
    let history = pipelines::history_of("up", &early);
    assert_eq!(ready(&some, "job", run, &history).to_string(), words);

    let latest = pair("*:01:04", "3:01:03", Need::latest("up").cycles_back(1));
    let words = "waiting for `up` 2026-11-20 00:01:04 or later";
    let before = pipelines::history_of("up", &[needed[0] - HOUR]);
    check_waits(&ready(&latest, "job", run, &before), &[("up", needed[0])], words);
    check_ready(&ready(&latest, "job", run, &pipelines::history_of("up", &needed[..1])));

    // An hourly job needs the daily run of the day before, whatever the hour.
    for need in [Need::all("up").cycles_back(1), Need::latest("up").cycles_back(1)] {
        let pipeline = pair("3:01:03", "*:01:02", need);
        for hour in [0, 3, 4, 23] {
            let run = SATURDAY + hour * HOUR + 62 * SECOND;
            let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
            assert_eq!(missing(&readiness), [("up".to_owned(), friday("03:01:03"))]);
            let history = pipelines::history_of("up", &[friday("03:01:03")]);
            check_ready(&ready(&pipeline, "job", run, &history));
        }
    }
    // Its own last run of that day.
    let own =
        built(begun().job("job", schedule!("*:00:00"), [Need::self_previous().cycles_back(1)]));
    let words = "waiting for `job` 2026-11-21 11:00:00";
    let run = saturday("12:00:00");
    check_waits(&ready(&own, "job", run, &MemoryHistory::new()), &[("job", run - HOUR)], words);
}

#[test]
fn the_week_the_month_and_the_year_before() {
    let check = |upstream: &str, job: &str, run: &str, words: &str| {
        let builder = Pipeline::builder().since(at("2025-01-01 00:00:00"));
        let need = [Need::all("up").cycles_back(1)];
        let pipeline = built(builder.job("up", parse(upstream), []).job("job", parse(job), need));
        let readiness = ready(&pipeline, "job", at(run), &MemoryHistory::new());
        assert_eq!(readiness.to_string(), format!("waiting for `up` {words}"));
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
fn what_is_chosen_of_several_goes_for_each() {
    const NEEDS: &[Need<'_>] =
        &[Need::any_of(&[Need::all("up").events_back(1)]).events_back(1).cycles_back(1)];
    let pipeline = built(begun().job("up", schedule!("12:00:00"), []).job(
        "job",
        schedule!("6:00:00"),
        NEEDS.iter().copied(),
    ));
    // Two runs before, and the day before that.
    let run = at("2026-11-25 06:00:00");
    let readiness = ready(&pipeline, "job", run, &MemoryHistory::new());
    assert_eq!(missing(&readiness), [("up".to_owned(), at("2026-11-22 12:00:00"))]);
    let far = [Need::all("up").cycles_back(u32::MAX).events_back(u32::MAX)];
    let far = Need::all_of(&far).cycles_back(1).events_back(1);
    let far = pair("12:00:00", "6:00:00", far);
    check_ready(&ready(&far, "job", run, &MemoryHistory::new()));
    // Where each chooses for itself, that goes.
    let each = [Need::latest("up").by(Unit::Day), Need::latest("up")];
    let pipeline = pair("12:00:00", "6:00:00", Need::any_of(&each).by(Unit::Month));
    let readiness = ready(&pipeline, "job", at("2026-12-16 06:00:00"), &MemoryHistory::new());
    let check_points = ["2026-12-16 12:00:00", "2026-12-01 12:00:00"].map(at);
    assert_eq!(missing(&readiness), check_points.map(|instant| ("up".to_owned(), instant)));
}

#[test]
fn what_is_chosen_last_goes() {
    let need = Need::all("up");
    assert_eq!(need.events_back(5).events_back(2), need.events_back(2));
    assert_eq!(need.cycles_back(5).cycles_back(0), need);
    assert_eq!(need.by(Unit::Day).by(Unit::Week), need.by(Unit::Week));
    assert_eq!(need.cycles_back(1).by(Unit::Day), need.by(Unit::Day).cycles_back(1));
    assert_ne!(need.by(Unit::Day), need);
}

#[test]
fn a_need_goes_by_another_unit() {
    let weekdays = "*.*.* Mon-Fri 06:00:00";
    let wednesday = at("2026-12-02 12:00:00");
    let monday = at("2026-11-30 06:00:00");
    let check = |upstream: &str, job: &str, need: Need<'_>, expected: &[i64]| {
        let pipeline = pair(upstream, job, need);
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
    check(weekdays, noon, Need::latest("up"), &[monday]);
    check(weekdays, noon, Need::latest("up").by(Unit::Day), &[monday + 2 * DAY]);
    check(weekdays, noon, Need::latest("up").by(Unit::Day).cycles_back(1), &[monday + DAY]);
    check(weekdays, noon, Need::latest("up").by(Unit::Month), &[monday + DAY]);
    check("6:00:00", noon, Need::latest("up").by(Unit::Week), &[monday]);
    check("6:00:00", noon, Need::latest("up").by(Unit::Hour), &[monday + 3 * DAY]);
    // The interval of a run has nothing to do with a cycle.
    check(weekdays, noon, Need::all("up").by(Unit::Week), &[monday + 2 * DAY]);
    let week: Vec<i64> = steps(monday - 7 * DAY, DAY, 5);
    check(weekdays, noon, Need::all("up").by(Unit::Week).cycles_back(1), &week);
    check(weekdays, noon, Need::all("up").by(Unit::Day).cycles_back(1), &[monday + DAY]);
    check("*.*.* Sat 06:00:00", noon, Need::all("up").by(Unit::Day).cycles_back(1), &[]);
}

/// Saturday at noon, when schedules are changed.
const CHANGE: i64 = SATURDAY + 12 * HOUR;

/// A job whose upstream has changed its schedule on Saturday at noon.
fn changed(former: &str, upstream: &str, job: &str, need: Need<'_>) -> Pipeline {
    let builder = begun().job("up", parse(upstream), []).job("job", parse(job), [need]);
    built(builder.formerly("up", parse(former), CHANGE))
}

/// A job that has changed its own schedule on Saturday at noon.
fn own_changed(former: &str, job: &str, upstream: &str, need: Need<'_>) -> Pipeline {
    let builder = begun().job("up", parse(upstream), []).job("job", parse(job), [need]);
    built(builder.formerly("job", parse(former), CHANGE))
}

#[track_caller]
fn check_change(pipeline: &Pipeline, run: i64, words: &str) {
    let readiness = ready(pipeline, "job", run, &MemoryHistory::new());
    assert_eq!(readiness.to_string(), words);
    let mut history = MemoryHistory::new();
    for (job, run) in missing(&readiness) {
        record(&mut history, &job, run);
    }
    check_ready(&ready(pipeline, "job", run, &history));
}

#[test]
fn records_of_a_longer_period_stay_valid() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "*:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    // What is no event of the former schedule was no run.
    let all = changed("3:00:00", "*:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "waiting for `up` 2026-11-21 03:00:00 … 2026-11-21 18:00:00 (8)");
    let own = built(begun().job("job", schedule!("*:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("3:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE, "waiting for `job` 2026-11-21 03:00:00");
    check_change(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 12:00:00");
}

#[test]
fn with_a_longer_period_needs_begin_anew() {
    let evening = saturday("18:00:00");
    let latest = changed("*:00:00", "3:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-22 03:00:00 or later");
    let old = pipelines::history_of("up", &steps(SATURDAY, HOUR, 12));
    assert!(!ready(&latest, "job", evening, &old).is_ready());
    check_change(&latest, evening + DAY, "waiting for `up` 2026-11-22 03:00:00 or later");
    // A run before the change goes by what was then.
    let morning = changed("*:00:00", "3:00:00", "6:00:00", Need::latest("up"));
    check_change(&morning, saturday("06:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");

    let all = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "ready");
    check_change(&all, evening + DAY, "waiting for `up` 2026-11-22 03:00:00");
    let some = changed("*:00:00", "13:00:00", "18:00:00", Need::at_least(3, "up"));
    check_change(&some, evening, "waiting for `up` 2026-11-21 13:00:00");
    let before = changed("*:00:00", "3:00:00", "18:00:00", Need::all("up").cycles_back(1));
    check_change(&before, evening, "ready");

    let own = built(begun().job("job", schedule!("3:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("*:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE + 15 * HOUR, "ready");
    check_change(&own, CHANGE + 39 * HOUR, "waiting for `job` 2026-11-22 03:00:00");
    check_change(&own, CHANGE - HOUR, "waiting for `job` 2026-11-21 10:00:00");
}

#[test]
fn more_runs_in_the_same_unit_are_a_shorter_period() {
    let evening = saturday("18:00:00");
    let shorter = changed("3:00:00", "3,15:00:00", "18:00:00", Need::latest("up"));
    check_change(&shorter, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let longer = changed("3,15:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_change(&longer, evening, "waiting for `up` 2026-11-22 04:00:00 or later");
}

#[test]
fn records_of_an_equal_period_stay_valid() {
    let evening = saturday("18:00:00");
    let latest = changed("3:00:00", "4:00:00", "18:00:00", Need::latest("up"));
    check_change(&latest, evening, "waiting for `up` 2026-11-21 03:00:00 or later");
    let all = changed("3:00:00", "15:00:00", "18:00:00", Need::all("up"));
    check_change(&all, evening, "waiting for `up` 2026-11-21 03:00:00, 2026-11-21 15:00:00");
    let own = built(begun().job("job", schedule!("13:00:00"), [Need::self_previous()]).formerly(
        "job",
        schedule!("3:00:00"),
        CHANGE,
    ));
    check_change(&own, CHANGE + HOUR, "waiting for `job` 2026-11-21 03:00:00");
}

#[test]
fn a_schedule_changes_several_times() {
    let [six, noon] = [SATURDAY + 6 * HOUR, CHANGE];
    // Told in any order: an hour, then a day, then half an hour.
    let with = |need: Need<'_>| {
        built(
            begun()
                .job("up", schedule!("*:*/30:00"), [])
                .job("job", schedule!("14:00:00"), [need])
                .formerly("up", schedule!("9:00:00"), noon)
                .formerly("up", schedule!("*:00:00"), six),
        )
    };
    let run = saturday("14:00:00");
    // The change to a day counts, that to half an hour does not.
    check_change(&with(Need::latest("up")), run, "waiting for `up` 2026-11-21 09:00:00 or later");
    check_change(
        &with(Need::all("up")),
        run,
        "waiting for `up` 2026-11-21 09:00:00 … 2026-11-21 14:00:00 (6)",
    );
    let own = built(
        begun()
            .job("job", schedule!("*:*/30:00"), [Need::self_previous()])
            .formerly("job", schedule!("*:00:00"), six)
            .formerly("job", schedule!("9:00:00"), noon),
    );
    check_change(&own, noon, "waiting for `job` 2026-11-21 09:00:00");
    check_change(&own, saturday("09:00:00"), "ready");
    check_change(&own, saturday("05:00:00"), "waiting for `job` 2026-11-21 04:00:00");
    let runs: Vec<i64> = own.plan(saturday("04:00:00")..=noon).map(|run| run.scheduled).collect();
    assert_eq!(runs, ["04:00:00", "05:00:00", "09:00:00", "12:00:00"].map(saturday));
}

#[test]
fn a_change_before_the_beginning_is_none() {
    let pipeline = built(
        begun()
            .job("up", schedule!("3:00:00"), [])
            .job("job", schedule!("18:00:00"), [Need::all("up")])
            .formerly("up", schedule!("*:00:00"), SINCE)
            .formerly("up", schedule!("*:*:00"), SINCE - DAY),
    );
    check_change(&pipeline, SINCE + 18 * HOUR, "waiting for `up` 2026-11-19 03:00:00");
}

#[test]
fn a_job_with_a_shorter_period_than_before_needs_what_it_needed() {
    let latest = own_changed("3:00:00", "*:30:00", "*:00:00", Need::latest("up"));
    check_change(&latest, saturday("03:00:00"), "waiting for `up` 2026-11-21 00:00:00 or later");
    check_change(&latest, saturday("12:30:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    // The first run after the change covers the data from the last one before it.
    let all = own_changed("3:00:00", "*:30:00", "*:00:00", Need::all("up"));
    check_change(
        &all,
        saturday("12:30:00"),
        "waiting for `up` 2026-11-21 04:00:00 … 2026-11-21 12:00:00 (9)",
    );
    check_change(&all, saturday("13:30:00"), "waiting for `up` 2026-11-21 13:00:00");
}

#[test]
fn a_job_with_a_longer_period_than_before_begins_anew() {
    let latest = own_changed("*:30:00", "18:00:00", "*:00:00", Need::latest("up"));
    check_change(&latest, saturday("18:00:00"), "waiting for `up` 2026-11-21 12:00:00 or later");
    check_change(
        &latest,
        saturday("18:00:00") + DAY,
        "waiting for `up` 2026-11-22 00:00:00 or later",
    );
    check_change(&latest, saturday("10:30:00"), "waiting for `up` 2026-11-21 10:00:00 or later");
    // What it covers is still told by its last run.
    let all = own_changed("*:30:00", "18:00:00", "*:00:00", Need::all("up"));
    check_change(
        &all,
        saturday("18:00:00"),
        "waiting for `up` 2026-11-21 12:00:00 … 2026-11-21 18:00:00 (7)",
    );
}

#[test]
fn a_change_lets_the_last_run_before_it_unlock_no_less() {
    let pipeline =
        built(begun().job("job", schedule!("3:00:00"), [Need::self_previous()]).formerly(
            "job",
            schedule!("*:00:00"),
            CHANGE,
        ));
    let last_but_one = saturday("10:00:00");
    let history = all_before(&pipeline, last_but_one);
    let unlocked =
        pipeline.runs_unlocked_by("job", last_but_one, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: saturday("11:00:00") }]);
}

/// A job of the first of each month that runs on Saturdays since the first of May, a Friday.
fn monthly_then_weekly(need: Need<'_>) -> Pipeline {
    let change = at("2026-05-01 13:00:00");
    built(
        Pipeline::builder()
            .since(at("2026-01-01 00:00:00"))
            .job("up", schedule!("6:00:00"), [])
            .job("job", schedule!("*.*.* Sat 12:00:00"), [need])
            .formerly("job", schedule!("*.*.1 12:00:00"), change),
    )
}

/// A week may begin before the month that an earlier run went by.
#[test]
fn a_week_after_a_month_has_an_earlier_check_point() {
    let pipeline = monthly_then_weekly(Need::latest("up"));
    let tuesday = at("2026-04-28 06:00:00");
    let history = all_before(&pipeline, at("2026-04-27 00:00:00"));
    let unlocked = pipeline.runs_unlocked_by("up", tuesday, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: at("2026-05-02 12:00:00") }]);
}

/// A month before may end after the week before that a later run goes by.
#[test]
fn a_month_before_a_week_ends_later() {
    let pipeline = monthly_then_weekly(Need::all("up").cycles_back(1));
    let tuesday = at("2026-04-28 06:00:00");
    let mut history = all_before(&pipeline, tuesday);
    for day in [29, 30] {
        record(&mut history, "up", at(&format!("2026-04-{day} 06:00:00")));
    }
    let unlocked = pipeline.runs_unlocked_by("up", tuesday, &history, i64::MAX).expect("a run");
    assert_eq!(unlocked, [Run { job: "job", scheduled: at("2026-05-01 12:00:00") }]);
}

/// Where upstream will never run again, its last run is the check point of all runs to come.
#[test]
fn the_last_run_ever_unlocks_all_that_come_after_it() {
    let need = Need::latest("up").by(Unit::Day);
    let pipeline = pair("2026.11.20-21 06:00:00", "2026.11.20-23 12:00:00", need);
    let last = saturday("06:00:00");
    let history = pipelines::history_of("up", &[last - DAY]);
    let unlocked = pipeline.runs_unlocked_by("up", last, &history, i64::MAX).expect("a run");
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
fn one_success_unlocks_what_waited_for_it() {
    let pipeline = built(
        begun()
            .job("daily", schedule!("3:01:03"), [])
            .job("hourly", schedule!("*:01:02"), [Need::latest("daily")])
            .job("bill", schedule!("4:00:00"), [Need::all("hourly"), Need::all("daily")]),
    );
    let daily = saturday("03:01:03");
    let mut history = all_before(&pipeline, SATURDAY);
    let unlocked = |history: &MemoryHistory| -> Vec<String> {
        let runs = pipeline.runs_unlocked_by("daily", daily, history, i64::MAX).expect("a run");
        runs.iter().map(Run::to_string).collect()
    };
    // Those of the day; the bill waits for these.
    let hours: Vec<String> =
        (0..24).map(|hour| format!("`hourly` 2026-11-21 {hour:02}:01:02")).collect();
    assert_eq!(unlocked(&history), hours);
    for hour in 0..4 {
        record(&mut history, "hourly", saturday("00:01:02") + hour * HOUR);
    }
    // Those that have succeeded do not start again, and the bill is next to start.
    let rest: Vec<String> = ["`bill` 2026-11-21 04:00:00".to_owned()]
        .into_iter()
        .chain(hours[4..].iter().cloned())
        .collect();
    assert_eq!(unlocked(&history), rest);
    // Whether it is recorded does not matter.
    record(&mut history, "daily", daily);
    assert_eq!(unlocked(&history), rest);
    // After a later success it unlocks no run that needs any.
    record(&mut history, "daily", daily + DAY);
    assert_eq!(unlocked(&history), rest[..1]);
}

#[test]
fn a_plan_holds_what_needs_a_later_run() {
    let pipeline =
        built(begun().job("hourly", schedule!("*/6:00:00"), [Need::latest("daily")]).job(
            "daily",
            schedule!("13:00:00"),
            [],
        ));
    let plan = |range: std::ops::Range<i64>| {
        pipeline.plan(range).map(|run| run.to_string()).collect::<Vec<_>>()
    };
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
    // What is out of the range is taken for done.
    assert_eq!(
        plan(SATURDAY..SATURDAY + 8 * HOUR),
        ["`hourly` 2026-11-21 00:00:00", "`hourly` 2026-11-21 06:00:00"]
    );
    let [end, start] = [SATURDAY, SATURDAY + DAY];
    assert_eq!(plan(start..end), [""; 0]);
    assert_eq!(plan(SATURDAY..SATURDAY), [""; 0]);
    assert_eq!(pipeline.plan(..SINCE).count(), 0);
    assert_eq!(pipeline.plan(SINCE..=SINCE).count(), 1);
}

#[test]
fn the_same_record_twice_is_one() {
    let mut history = MemoryHistory::new();
    assert!(history.is_empty());
    record(&mut history, "a", 5);
    record(&mut history, "a", 5);
    assert_eq!(history.len(), 1);
    record(&mut history, "b", 5);
    record(&mut history, "a", -5);
    assert_eq!(history.len(), 3);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [-5, 5]);
    let mut other = MemoryHistory::new();
    for (job, run) in [("a", -5), ("b", 5), ("a", 5)] {
        record(&mut other, job, run);
    }
    assert_eq!(history, other);
}

fn successes(history: &MemoryHistory, job: &str, first: i64, last: i64) -> Vec<i64> {
    let mut all = Vec::new();
    let Ok(()) = history.successes(job, first..=last, &mut |success| {
        all.push(success);
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn successes_are_visited_in_order_until_told_to_break() {
    let history = pipelines::history_of("a", &[30, 10, 40, 20]);
    assert_eq!(successes(&history, "a", 10, 40), [10, 20, 30, 40]);
    assert_eq!(successes(&history, "a", 11, 39), [20, 30]);
    assert_eq!(successes(&history, "b", 0, 100), []);
    let mut seen = Vec::new();
    let Ok(()) = history.successes("a", 0..=100, &mut |success| {
        seen.push(success);
        if success == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, [10, 20]);
    assert_eq!(history.first_at_or_after("a", 20), Ok(Some(20)));
    assert_eq!(history.first_at_or_after("a", 21), Ok(Some(30)));
    assert_eq!(history.first_at_or_after("a", 41), Ok(None));
    assert_eq!(history.first_at_or_after("b", i64::MIN), Ok(None));
}

#[test]
fn a_reversed_range_holds_nothing() {
    let history = pipelines::history_of("a", &[0, 1, 2]);
    assert_eq!(successes(&history, "a", 2, 1), []);
    assert_eq!(successes(&history, "a", i64::MAX, i64::MIN), []);
    let every = schedule!("*:*:*");
    let [end, start] = [SATURDAY - 1, SATURDAY];
    let Ok(missing) = history.missing("a", &every, start..=end);
    assert!(missing.is_empty());
    assert_eq!((missing.count(), missing.instants().count()), (0, 0));
    assert_eq!(missing.to_string(), "");
}

#[test]
fn what_is_before_an_instant_is_dropped() {
    let mut history = pipelines::history_of("a", &[10, 20, 30]);
    record(&mut history, "b", 15);
    let Ok(()) = history.drop_before(20);
    assert_eq!(successes(&history, "a", i64::MIN, i64::MAX), [20, 30]);
    assert_eq!(history.len(), 2);
    assert_eq!(history, pipelines::history_of("a", &[20, 30]));
    let Ok(()) = history.drop_before(31);
    assert!(history.is_empty());
    assert_eq!(history, MemoryHistory::default());
}

#[test]
fn millions_of_missing_runs_are_counted() {
    let every: &dyn Recurring = &schedule!("*:*:*.*");
    let [first, last] = [oracle::START, oracle::END];
    let history = pipelines::history_of("a", &[SATURDAY, SATURDAY + 2]);
    let Ok(missing) = history.missing("a", every, i64::MIN..=i64::MAX);
    // A century of milliseconds takes no time, since they are not looked at.
    assert_eq!(missing.count(), first.abs_diff(last) + 1 - 2);
    let ends: Vec<_> =
        missing.stretches().iter().map(|stretch| (stretch.first, stretch.last)).collect();
    assert_eq!(ends, [(first, SATURDAY - 1), (SATURDAY + 1, SATURDAY + 1), (SATURDAY + 3, last)]);
    assert!(missing.instants().take(3).eq([first, first + 1, first + 2]));
    let pipeline = pair("*:*:*.*", "*.*.1 00:00:00", Need::all("up"));
    let readiness = ready(&pipeline, "job", at("2027-01-01 00:00:00"), &history);
    let words = "waiting for `up` 2026-12-01 00:00:00.001 … 2027-01-01 00:00:00 (2678400000)";
    assert_eq!(readiness.to_string(), words);
}

/// A history that is not known by its type.
#[test]
fn any_history_can_be_asked() {
    let pipeline = pair("2:01:04", "3:00:01", Need::all("up"));
    let (run, needed) = (saturday("03:00:01"), saturday("02:01:04"));
    let mut history: Box<dyn History<Error = Infallible>> = Box::new(MemoryHistory::new());
    let is_ready = |history: &dyn History<Error = Infallible>| {
        pipeline.ready("job", run, history).map(|readiness| readiness.is_ready())
    };
    assert_eq!(is_ready(&*history), Ok(false));
    let unlocked = pipeline.runs_unlocked_by("up", needed, &*history, i64::MAX);
    assert_eq!(unlocked, Ok(vec![Run { job: "job", scheduled: run }]));
    assert_eq!(history.record("up", needed), Ok(()));
    assert_eq!(is_ready(&*history), Ok(true));
    assert_eq!(history.first_at_or_after("up", 0), Ok(Some(needed)));
    let daily = schedule!("2:01:04");
    let missing = history.missing("up", &daily, SATURDAY..=SATURDAY + 3 * DAY);
    assert_eq!(missing.map(|missing| missing.count()), Ok(2));
    assert_eq!(history.drop_before(needed + 1), Ok(()));
    assert_eq!(is_ready(&*history), Ok(false));
}

#[cfg(feature = "jiff")]
mod zones {
    use jiff::Zoned;
    use jiff::tz::TimeZone;
    use millicron::ZonedSchedule;

    use super::*;

    fn zoned(text: &str, zone: &str) -> ZonedSchedule<TimeZone> {
        parse(text).in_zone(oracle::zoned::zone(zone))
    }

    fn instant(text: &str) -> i64 {
        text.parse::<Zoned>().expect("a moment in a zone").timestamp().as_millisecond()
    }

    /// What a run waits for where nothing has succeeded, in UTC; that is enough.
    #[track_caller]
    fn check(pipeline: &Pipeline, run: &str, words: &str) {
        check_change(pipeline, instant(run), words);
    }

    fn pair_in(zones: [&str; 2], texts: [&str; 2], need: Need<'_>) -> Pipeline {
        let [upstream, job] = [0, 1].map(|place| zoned(texts[place], zones[place]));
        let since = at("2026-01-01 00:00:00");
        built(Pipeline::builder().since(since).job("up", upstream, []).job("job", job, [need]))
    }

    const BERLIN: [&str; 2] = ["Europe/Berlin"; 2];

    #[test]
    fn a_day_is_one_of_its_zone() {
        let latest = pair_in(BERLIN, ["*:30:00", "6:00:00"], Need::latest("up"));
        check(
            &latest,
            "2026-11-21T06:00[Europe/Berlin]",
            "waiting for `up` 2026-11-20 23:30:00 or later",
        );
        check(
            &latest,
            "2026-07-21T06:00[Europe/Berlin]",
            "waiting for `up` 2026-07-20 22:30:00 or later",
        );
        let new_york =
            pair_in(["America/New_York"; 2], ["*:30:00", "22:00:00"], Need::latest("up"));
        check(
            &new_york,
            "2026-11-21T22:00[America/New_York]",
            "waiting for `up` 2026-11-21 05:30:00 or later",
        );
    }

    #[test]
    fn days_of_23_and_25_hours_need_so_many() {
        let all = pair_in(BERLIN, ["*:00:00", "00:00:00"], Need::all("up"));
        check(
            &all,
            "2026-03-30T00:00[Europe/Berlin]",
            "waiting for `up` 2026-03-29 00:00:00 … 2026-03-29 22:00:00 (23)",
        );
        check(
            &all,
            "2026-10-26T00:00[Europe/Berlin]",
            "waiting for `up` 2026-10-24 23:00:00 … 2026-10-25 23:00:00 (25)",
        );
        let before = pair_in(BERLIN, ["*:00:00", "6:00:00"], Need::all("up").cycles_back(1));
        check(
            &before,
            "2026-03-30T06:00[Europe/Berlin]",
            "waiting for `up` 2026-03-28 23:00:00 … 2026-03-29 21:00:00 (23)",
        );
        check(
            &before,
            "2026-10-26T06:00[Europe/Berlin]",
            "waiting for `up` 2026-10-24 22:00:00 … 2026-10-25 22:00:00 (25)",
        );
        let half_hours = pair_in(
            ["Australia/Lord_Howe"; 2],
            ["*:*/30:00", "6:00:00"],
            Need::all("up").cycles_back(1),
        );
        let of_day = |run: &str| {
            let readiness = ready(&half_hours, "job", instant(run), &MemoryHistory::new());
            missing(&readiness).len()
        };
        assert_eq!(of_day("2026-10-05T06:00[Australia/Lord_Howe]"), 47);
        assert_eq!(of_day("2026-04-06T06:00[Australia/Lord_Howe]"), 49);
    }

    #[test]
    fn all_are_enough_on_a_short_day() {
        let some = pair_in(BERLIN, ["*:00:00", "00:00:00"], Need::at_least(24, "up"));
        let run = instant("2026-03-30T00:00[Europe/Berlin]");
        let hours = steps(at("2026-03-29 00:00:00"), HOUR, 23);
        let history = pipelines::history_of("up", &hours[1..]);
        let words = "waiting for `up` 2026-03-29 00:00:00";
        check_waits(&ready(&some, "job", run, &history), &[("up", hours[0])], words);
        check_ready(&ready(&some, "job", run, &pipelines::history_of("up", &hours)));
    }

    #[test]
    fn weeks_months_and_years_are_those_of_the_zone() {
        let week = pair_in(BERLIN, ["0:30:00", "*.*.* Wed 6:00:00"], Need::latest("up"));
        check(
            &week,
            "2026-04-01T06:00[Europe/Berlin]",
            "waiting for `up` 2026-03-29 22:30:00 or later",
        );
        let month = pair_in(BERLIN, ["0:30:00", "*.*.15 6:00:00"], Need::all("up").cycles_back(1));
        check(
            &month,
            "2026-04-15T06:00[Europe/Berlin]",
            "waiting for `up` 2026-02-28 23:30:00 … 2026-03-30 22:30:00 (31)",
        );
        let year = pair_in(BERLIN, ["*.*.1 0:30:00", "*.7.1 6:00:00"], Need::latest("up"));
        check(
            &year,
            "2027-07-01T06:00[Europe/Berlin]",
            "waiting for `up` 2026-12-31 23:30:00 or later",
        );
    }

    #[test]
    fn the_clocks_of_the_larger_cycle_tell_where_it_begins() {
        let texts = ["6:00:00", "*:30:00"];
        // It is still Friday in New York, and Saturday in Berlin.
        let run = "2026-11-21T02:30[Europe/Berlin]";
        let upstream = pair_in(["America/New_York", "Europe/Berlin"], texts, Need::latest("up"));
        check(&upstream, run, "waiting for `up` 2026-11-20 11:00:00 or later");
        let own = pair_in(
            ["America/New_York", "Europe/Berlin"],
            ["*:30:00", "2:30:00"],
            Need::latest("up"),
        );
        check(&own, run, "waiting for `up` 2026-11-20 23:30:00 or later");
        // Of equal cycles the job's own.
        let equal = pair_in(
            ["America/New_York", "Europe/Berlin"],
            ["20:00:00", "2:30:00"],
            Need::latest("up"),
        );
        check(&equal, run, "waiting for `up` 2026-11-21 01:00:00 or later");
    }

    /// Once a day and twice a day are of the same unit.
    #[test]
    fn the_larger_cycle_is_that_of_the_larger_unit() {
        let zones = ["America/New_York", "Europe/Berlin"];
        let run = "2026-11-21T02:30[Europe/Berlin]";
        let upstream = pair_in(zones, ["*.*.* 6:00:00", "2,14:30:00"], Need::latest("up"));
        // Of Saturday in Berlin.
        check(&upstream, run, "waiting for `up` 2026-11-21 11:00:00 or later");
    }

    #[test]
    fn a_job_can_move_to_a_zone() {
        let since = at("2026-11-19 00:00:00");
        let pipeline = built(
            Pipeline::builder()
                .since(since)
                .job("up", zoned("3:00:00", "Europe/Berlin"), [])
                .job("job", schedule!("18:00:00"), [Need::all("up")])
                .formerly("up", schedule!("3:00:00"), at("2026-11-21 12:00:00")),
        );
        check_change(&pipeline, saturday("18:00:00"), "waiting for `up` 2026-11-21 03:00:00");
        check_change(&pipeline, saturday("18:00:00") + DAY, "waiting for `up` 2026-11-22 02:00:00");
        let moment: Zoned = "2026-11-21T19:00[Europe/Berlin]".parse().expect("a moment");
        let readiness = pipeline.ready("job", &moment, &MemoryHistory::new()).expect("a run");
        assert_eq!(readiness.to_string(), "waiting for `up` 2026-11-21 03:00:00");
    }
}
