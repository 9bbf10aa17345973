//! Invalid pipelines, failed queries, and explanations.

use std::error::Error;
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{CalendarDigits, Unit, schedule};
use millicron_pipeline::{
    History, Impossible, MemoryHistory, Need, Pipeline, PipelineProblem, QueryError, RunQuery,
    RunRecord, RunState,
};

use crate::support::{
    DAY, HOUR, SINCE, at, build, build_error, builder, check_problem, check_ready, pipeline, ready,
};

#[test]
fn all_problems_are_reported_at_once() {
    let builder = pipeline(&[
        ("load", "*:01:04", &[]),
        ("load", "2:00:00", &[]),
        ("report", "3:01:03", &[Need::all("laod"), Need::any_of(&[Need::latest("rate")])]),
        ("egg", "1:00:00", &[Need::latest("hen")]),
        ("hen", "2:00:00", &[Need::latest("chick")]),
        ("chick", "3:00:00", &[Need::latest("egg")]),
        ("old", "2020.*.* 3:00:00", &[Need::latest("egg")]),
        ("greedy", "3:00:00", &[Need::at_least(25, "report"), Need::any_of(&[])]),
    ]);
    let builder = builder.previous_schedule("lost", schedule!("1:00:00"), SINCE + DAY);
    let error = build_error(builder);
    let names = "`chick`, `egg`, `greedy`, `hen`, `load`, `old`, `report`";
    let expected = [
        "two jobs are named `load`".to_owned(),
        format!(
            "a previous schedule is set for `lost`, which is not a job of the pipeline; its jobs \
             are {names}"
        ),
        format!("`report` needs `laod`, which is not a job of the pipeline; its jobs are {names}"),
        format!("`report` needs `rate`, which is not a job of the pipeline; its jobs are {names}"),
        "`old` never runs: it has no event since the pipeline began".to_owned(),
        "`greedy` needs one of an empty list of alternatives".to_owned(),
        "`greedy` needs 25 runs of `report`, but there are never more than 1".to_owned(),
        "dependency cycle: `egg` needs `hen`, which needs `chick`, which needs `egg`; one of \
         these needs must look back, as with `periods_back(1)`"
            .to_owned(),
    ];
    let text = error.to_string();
    let mut lines = text.split("\n- ");
    assert_eq!(lines.next(), Some("invalid pipeline:"));
    assert!(lines.eq(expected.iter()), "{text}");
    assert_eq!(error.problems().len(), expected.len());
    assert!(error.source().is_none());
}

#[test]
fn names_must_be_unique() {
    let same = |name| (name, "1:00:00", &[][..]);
    check_problem(&[same("a"), same("b"), same("a")], "two jobs are named `a`");
    let error = build_error(pipeline(&[same("a"), same("a"), same("a")]));
    let twice = PipelineProblem::DuplicateJob { job: "a".into() };
    assert_eq!(error.problems(), [twice.clone(), twice]);
    // Names are compared exactly.
    assert_eq!(build(pipeline(&[same("a"), same("A"), same("")])).jobs().len(), 3);
}

#[test]
fn unknown_job_lists_at_most_eight_names() {
    let names: Vec<String> = (0..10).map(|index| format!("job {index}")).collect();
    let some = |count: usize| {
        let jobs: Vec<_> =
            names[..count].iter().map(|name| (&**name, "1:00:00", &[][..])).collect();
        pipeline(&jobs).job("own", schedule!("2:00:00"), [Need::self_previous(), Need::all("jobs")])
    };
    let message = |count| build_error(some(count)).problems()[0].to_string();
    let start = "`own` needs `jobs`, which is not a job of the pipeline; its jobs are ";
    assert_eq!(message(0), format!("{start}`own`"));
    let seven = "`job 0`, `job 1`, `job 2`, `job 3`, `job 4`, `job 5`, `job 6`";
    assert_eq!(message(7), format!("{start}{seven}, `own`"));
    assert_eq!(message(8), format!("{start}{seven}, `job 7` and 1 more"));
    assert_eq!(message(10), format!("{start}{seven}, `job 7` and 3 more"));
}

#[test]
fn previous_schedule_of_an_unknown_job_is_an_error() {
    let error = build_error(builder().previous_schedule("a", schedule!("1:00:00"), SINCE));
    assert_eq!(
        error.to_string(),
        "invalid pipeline: a previous schedule is set for `a`, which is not a job of the pipeline"
    );
}

#[test]
fn job_must_have_an_event_since_the_beginning() {
    let message = "`a` never runs: it has no event since the pipeline began";
    check_problem(&[("a", "2020.*.* 3:00:00", &[])], message);
    check_problem(
        &[("a", "2026.11.18 23:59:59.999", &[]), ("b", "1:00:00", &[Need::all("a")])],
        message,
    );
    build(pipeline(&[("a", "2026.11.19 00:00:00", &[])]));
    let once = Pipeline::builder().job("a", schedule!("2020.*.* 3:00:00"), []);
    assert_eq!(build(once).plan(..).expect("a plan").count(), 366);
    // Its previous schedule has an event.
    let previous = pipeline(&[("a", "2020.*.* 3:00:00", &[])]);
    let previous = previous.previous_schedule("a", schedule!("3:00:00"), SINCE + DAY);
    assert_eq!(build(previous).plan(..).expect("a plan").count(), 1);
}

#[test]
fn empty_any_of_is_an_error() {
    let message = "`a` needs one of an empty list of alternatives";
    check_problem(&[("a", "1:00:00", &[Need::any_of(&[])])], message);
    check_problem(
        &[("a", "1:00:00", &[Need::all_of(&[Need::any_of(&[]), Need::any_of(&[])])])],
        message,
    );
    let inner = [Need::any_of(&[])];
    let nested = [Need::self_previous(), Need::all_of(&inner)];
    check_problem(&[("a", "1:00:00", &[Need::any_of(&nested)])], message);
    // An empty `all_of` is met.
    build(pipeline(&[("a", "1:00:00", &[Need::all_of(&[])])]));
}

#[test]
fn upstream_that_starts_after_the_last_run_is_an_error() {
    let check = |need| {
        check_problem(
            &[("up", "2030.1.1 00:00:00", &[]), ("job", "2027.*.* 3:00:00", &[need])],
            "`job` needs runs of `up`, but the first of them, at 2030-01-01 00:00:00, is after the \
             last run of `job`, at 2027-12-31 03:00:00",
        );
    };
    check(Need::all("up"));
    check(Need::at_least(1, "up"));
    let last =
        [("up", "2030.1.1 00:00:00", &[][..]), ("job", "2030.1.1 00:00:00", &[Need::all("up")])];
    build(pipeline(&last));
}

/// Nothing is needed, since the intervals of the remaining runs have no event of upstream.
#[test]
fn upstream_may_start_after_the_last_run_if_the_pipeline_begins_after_its_first_event() {
    let begun = |since| {
        let builder = Pipeline::builder().since(at(since));
        let builder = builder.job("up", schedule!("*.1.1 08:00:00"), []);
        builder.job("job", schedule!("2000-2026.*.* 12:00:00"), [Need::all("up")])
    };
    build(begun("2026-01-01 00:00:00"));
    let pipeline = build(begun("2026-11-28 00:00:00"));
    check_ready(&ready(&pipeline, "job", at("2026-12-31 12:00:00"), &MemoryHistory::new()));
}

#[test]
fn more_runs_than_any_interval_has_is_an_error() {
    let check = |upstream: &str, job: &str, need: fn(u64) -> Need<'static>, max: u64| {
        build(pipeline(&[("up", upstream, &[]), ("job", job, &[need(max)])]));
        let count = max + 1;
        check_problem(
            &[("up", upstream, &[]), ("job", job, &[need(count)])],
            &format!("`job` needs {count} runs of `up`, but there are never more than {max}"),
        );
    };
    let in_interval = |count| Need::at_least(count, "up");
    check("*:01:04", "3:01:03", in_interval, 24);
    check("3:01:03", "*:01:04", in_interval, 1);
    check("6:00:00", "*.*.* Mon-Fri 09:30:00", in_interval, 3);
    check("6:00:00", "*.*.1 12:00:00", in_interval, 31);
    check("2030.1.1 00:00:00", "3:00:00", in_interval, 1);
    // The first run, in 2028, covers all events before it.
    check("12:00:00", "2028.1.1 00:00:00", in_interval, 43 + 365 - 1 + 1);
    let period_before = |count| Need::at_least(count, "up").periods_back(1);
    check("*:01:04", "3:01:03", period_before, 24);
    check("6:00:00", "*.*.* Fri 09:30:00", period_before, 7);
    check("6:00:00", "*.*.1 12:00:00", period_before, 31);
    check("6:00:00", "*.7.1 12:00:00", period_before, 366);
    let error =
        build_error(pipeline(&[("up", "*:01:04", &[]), ("job", "3:01:03", &[in_interval(25)])]));
    let reason = Impossible::TooMany { count: 25, max: 24 };
    let (job, upstream) = ("job".into(), "up".into());
    let problem = PipelineProblem::ImpossibleNeed { job, upstream, reason };
    assert_eq!(error.problems(), [problem]);
}

#[test]
fn query_of_an_unknown_job_is_an_error() {
    let pipeline = build(pipeline(&[("load", "*:01:04", &[])]));
    let history = MemoryHistory::new();
    let run = SINCE + 64_000;
    let message = "`laod` is not a job of the pipeline";
    let ready = pipeline.ready("laod", run, &history).expect_err("unknown job");
    assert_eq!(ready, QueryError::UnknownJob { job: "laod".into() });
    assert_eq!(ready.to_string(), message);
    let unlocked = pipeline
        .runs_unlocked_by("laod", run, RunState::Succeeded, &history, ..)
        .expect_err("unknown job");
    assert_eq!(unlocked.to_string(), message);
    let explanation = pipeline.explain("laod").expect_err("unknown job");
    assert_eq!(explanation.to_string(), message);
    assert!(explanation.source().is_none());
}

#[test]
fn query_of_an_instant_without_a_run_is_an_error() {
    let load = pipeline(&[("load", "*:01:04", &[])]);
    let change = SINCE + 12 * HOUR;
    let pipeline = build(load.previous_schedule("load", schedule!("*:00:00"), change));
    let check = |instant: i64, message: &str| {
        let history = MemoryHistory::new();
        let ready = pipeline.ready("load", instant, &history).expect_err("no run");
        let is_no_run =
            matches!(ready, QueryError::NoRun { scheduled, .. } if scheduled == instant);
        assert!(is_no_run, "{ready:?}");
        assert_eq!(ready.to_string(), message);
        let unlocked = pipeline
            .runs_unlocked_by("load", instant, RunState::Succeeded, &history, ..)
            .expect_err("no run");
        assert_eq!(unlocked.to_string(), message);
    };
    check(
        SINCE + 1,
        "`load` has no event at 2026-11-19 00:00:00.001: the previous one is 2026-11-19 00:00:00, \
         the next one is 2026-11-19 01:00:00",
    );
    check(
        SINCE - HOUR,
        "`load` has no event at 2026-11-18 23:00:00: the next one is 2026-11-19 00:00:00",
    );
    // The previous schedule applies before the change, the current one after it.
    check(
        SINCE + 64_000,
        "`load` has no event at 2026-11-19 00:01:04: the previous one is 2026-11-19 00:00:00, the \
         next one is 2026-11-19 01:00:00",
    );
    check(
        change,
        "`load` has no event at 2026-11-19 12:00:00: the previous one is 2026-11-19 11:00:00, the \
         next one is 2026-11-19 12:01:04",
    );
    check(0, "`load` has no event at 1970-01-01 00:00:00: the next one is 2026-11-19 00:00:00");
    let last = CalendarDigits::from_millis(i64::MAX);
    let before = "the previous one is 2100-12-31 23:01:04";
    check(i64::MAX, &format!("`load` has no event at {last}: {before}"));
    assert!(pipeline.ready("load", change + 64_000, &MemoryHistory::new()).is_ok());

    let moment = UNIX_EPOCH + Duration::from_millis(SINCE.unsigned_abs());
    let query = |moment: SystemTime| pipeline.ready("load", moment, &MemoryHistory::new());
    assert!(query(moment).is_ok());
    // The resolution of system times on some platforms.
    let finer = query(moment + Duration::from_nanos(100)).expect_err("no run");
    assert_eq!(
        finer.to_string(),
        "`load` has no event a fraction of a millisecond after 2026-11-19 00:00:00: the previous one is \
         2026-11-19 00:00:00, the next one is 2026-11-19 01:00:00"
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NoDisk;

impl fmt::Display for NoDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no disk")
    }
}

impl Error for NoDisk {}

/// A history that always fails.
struct Failing;

impl History for Failing {
    type Error = NoDisk;

    fn record_runs(&mut self, _: &[(&str, i64, RunRecord)]) -> Result<(), NoDisk> {
        Err(NoDisk)
    }

    fn read(
        &self,
        _: &[RunQuery<'_>],
        _: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), NoDisk> {
        Err(NoDisk)
    }

    fn forget_all(&mut self, _: &[(&str, RangeInclusive<i64>)]) -> Result<(), NoDisk> {
        Err(NoDisk)
    }
    fn drop_before(&mut self, _: &[(&str, i64)]) -> Result<(), NoDisk> {
        Err(NoDisk)
    }
}

#[test]
fn error_of_the_history_is_the_source_of_the_query_error() {
    for need in [Need::latest("up"), Need::all("up"), Need::any_of(&[Need::at_least(1, "up")])] {
        let pipeline = build(pipeline(&[("up", "1:00:00", &[]), ("job", "2:00:00", &[need])]));
        let [up, run] = [SINCE + HOUR, SINCE + 2 * HOUR];
        let error = pipeline.ready("job", run, &Failing).expect_err("no disk");
        assert_eq!(error, QueryError::History(NoDisk));
        assert_eq!(error.to_string(), "the history failed");
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("no disk"));
        let error = pipeline
            .runs_unlocked_by("up", up, RunState::Succeeded, &Failing, ..)
            .expect_err("no disk");
        assert_eq!(error, QueryError::History(NoDisk));
        // The query for a run without needs does not read the history.
        assert!(pipeline.ready("up", up, &Failing).is_ok_and(|readiness| readiness.is_ready()));
    }
}

/// Returns the explanation of a job that needs `up`.
fn explained(upstream: &str, job: &str, needs: &[Need<'_>]) -> String {
    let pipeline = build(pipeline(&[("up", upstream, &[]), ("job", job, needs)]));
    let explanation = pipeline.explain("job").expect("known job");
    assert_eq!(format!("{explanation:?}"), explanation.to_string());
    explanation.to_string()
}

#[test]
fn explanation_shows_schedule_and_period() {
    assert_eq!(
        explained("*:01:04", "3:01:03", &[]),
        "`job` runs at `3:01:03`, once a day. It needs nothing."
    );
    assert_eq!(
        explained("*:01:04", "*:*/5:03", &[]),
        "`job` runs at `*:*/5:03`, 12 times an hour. It needs nothing."
    );
}

#[test]
fn explanation_shows_every_kind_of_need() {
    let daily = |need: Need<'_>| {
        let text = explained("*:01:04", "3:01:03", &[need]);
        let needs = text.strip_prefix("`job` runs at `3:01:03`, once a day. A run needs\n- ");
        needs.expect("one need").to_owned()
    };
    let latest = "a success of `up` (once an hour) at or after the check point: the first event of \
                  `up` at or after the start of ";
    assert_eq!(daily(Need::latest("up")), format!("{latest}the day."));
    assert_eq!(daily(Need::latest("up").periods_back(1)), format!("{latest}the day before."));
    assert_eq!(
        daily(Need::latest("up").periods_back(3)),
        format!("{latest}the day 3 days before.")
    );
    assert_eq!(daily(Need::latest("up").period(Unit::Week)), format!("{latest}the week."));
    assert_eq!(
        daily(Need::latest("up").events_back(1)),
        format!("what its previous run needs: {latest}the day.")
    );
    assert_eq!(
        daily(Need::all("up")),
        "every run of `up` (once an hour) after its own previous run and up to its own instant."
    );
    assert_eq!(
        daily(Need::all("up").events_back(2)),
        "what the run 2 runs earlier needs: every run of `up` (once an hour) after its own previous \
         run and up to its own instant."
    );
    assert_eq!(
        daily(Need::all("up").periods_back(1)),
        "every run of `up` (once an hour) in the day before."
    );
    assert_eq!(
        daily(Need::all("up").period(Unit::Month).periods_back(2)),
        "every run of `up` (once an hour) in the month 2 months before."
    );
    assert_eq!(
        daily(Need::at_least(20, "up")),
        "at least 20 runs of `up` (once an hour) after its own previous run and up to its own \
         instant."
    );
    assert_eq!(
        daily(Need::at_least(20, "up").periods_back(1)),
        "at least 20 runs of `up` (once an hour) in the day before."
    );
    assert_eq!(
        daily(Need::at_least(1, "up").periods_back(1)),
        "at least 1 run of `up` (once an hour) in the day before."
    );
    assert_eq!(daily(Need::self_previous()), "a success of its own previous run.");
    assert_eq!(
        daily(Need::self_previous().events_back(1)),
        "what its previous run needs: a success of its own previous run."
    );
    assert_eq!(
        daily(Need::self_previous().periods_back(1)),
        "a success of its own previous run, up to the end of the day before."
    );
}

#[test]
fn explanation_names_the_larger_unit() {
    let unit = |upstream: &str, job: &str| {
        let text = explained(upstream, job, &[Need::latest("up")]);
        let (_, unit) = text.rsplit_once("the start of the ").expect("a check point");
        unit.trim_end_matches('.').to_owned()
    };
    assert_eq!(unit("*:01:04", "*:*/5:03"), "hour");
    assert_eq!(unit("3:01:03", "*:01:04"), "day");
    assert_eq!(unit("3:01:03", "*.*.* Mon 00:00:00"), "week");
    assert_eq!(unit("*.*.32 00:00:00", "*.*.* Mon 00:00:00"), "month");
    assert_eq!(unit("3:01:03", "*.1.1 00:00:00"), "year");
    assert_eq!(unit("*:*:*.*", "*:*:*.*"), "millisecond");
}

#[test]
fn explanation_lists_nested_needs() {
    let both = [Need::all("up"), Need::self_previous()];
    let one = [Need::all_of(&both), Need::at_least(2, "up").periods_back(1)];
    assert_eq!(
        explained("*:01:04", "3:01:03", &[Need::any_of(&one), Need::latest("up")]),
        "`job` runs at `3:01:03`, once a day. A run needs
- one of
  - all of
    - every run of `up` (once an hour) after its own previous run and up to its own instant;
    - a success of its own previous run;
  - at least 2 runs of `up` (once an hour) in the day before;
- a success of `up` (once an hour) at or after the check point: the first event of `up` at or after \
         the start of the day."
    );
}

#[test]
fn explanation_says_that_a_schedule_is_in_local_time() {
    let zone = crate::oracle::zoned::zone("Europe/Berlin");
    let pipeline = build(builder().job("job", schedule!("3:01:03").in_zone(zone), []));
    let explanation = pipeline.explain("job").expect("known job").to_string();
    let message = "`job` runs at `3:01:03` in local time, once a day. It needs nothing.";
    assert_eq!(explanation, message);
}

/// A day may have 25 hours.
#[test]
fn number_of_runs_is_not_limited_in_zones() {
    let zone = crate::oracle::zoned::zone("Europe/Berlin");
    let builder = builder().job("up", schedule!("*:00:00").in_zone(zone.clone()), []).job(
        "job",
        schedule!("00:00:00").in_zone(zone),
        [Need::at_least(25, "up")],
    );
    assert_eq!(build(builder).jobs().collect::<Vec<_>>(), ["up", "job"]);
}

#[test]
fn needs_nest_at_most_64_levels_deep() {
    let nest = |depth: usize| {
        let need =
            (1..depth).fold(Need::latest("load"), |need, _| Need::any_of(Vec::leak(vec![need])));
        pipeline(&[("load", "*:01:04", &[]), ("report", "3:01:03", &[need])]).build()
    };
    assert!(nest(64).is_ok());
    for depth in [65, 100_000] {
        let error = nest(depth).expect_err("too deep");
        assert_eq!(
            error.to_string(),
            "invalid pipeline: the needs of `report` are nested more than 64 levels deep"
        );
    }
}
