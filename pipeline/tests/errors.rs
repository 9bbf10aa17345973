//! Pipelines that can not be built, questions that have no answer, and what is said of
//! them.

use std::ops::{ControlFlow, RangeInclusive};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::{DAY, HOUR, SINCE, begun, built, check_problem, pipeline, refused};
use millicron::Unit;
use millicron::{CalendarDigits, schedule};
use millicron_pipeline::{AskError, History, MemoryHistory, Need, Never, Pipeline, Problem};

#[test]
fn all_that_is_wrong_is_told_at_once() {
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
    let builder = builder.formerly("lost", schedule!("1:00:00"), SINCE + DAY);
    let error = refused(builder);
    let names = "`chick`, `egg`, `greedy`, `hen`, `load`, `old`, `report`";
    let expected = [
        "two jobs are named `load`".to_owned(),
        format!(
            "`lost`, which formerly had another schedule, is no job of the pipeline; there are \
             {names}"
        ),
        format!("`report` needs `laod`, which is no job of the pipeline; there are {names}"),
        format!("`report` needs `rate`, which is no job of the pipeline; there are {names}"),
        "`old` never runs: it has no event since the pipeline began".to_owned(),
        "`greedy` needs one of no alternatives".to_owned(),
        "`greedy` needs 25 runs of `report`, and there are never more than 1".to_owned(),
        "a circle: `egg` needs `hen`, which needs `chick`, which needs `egg`; one of them has to \
         look a whole cycle back"
            .to_owned(),
    ];
    let text = error.to_string();
    let mut lines = text.split("\n- ");
    assert_eq!(lines.next(), Some("the pipeline can not be built:"));
    assert!(lines.eq(expected.iter()), "{text}");
    assert_eq!(error.problems().len(), expected.len());
    let is_an_error: &dyn std::error::Error = &error;
    assert_eq!(is_an_error.to_string(), text);
}

#[test]
fn a_name_is_of_one_job() {
    let same = |name| (name, "1:00:00", &[][..]);
    check_problem(&[same("a"), same("b"), same("a")], "two jobs are named `a`");
    let error = refused(pipeline(&[same("a"), same("a"), same("a")]));
    let twice = Problem::Duplicate { job: "a".into() };
    assert_eq!(error.problems(), [twice.clone(), twice]);
    // Names are told apart by their letters.
    assert_eq!(built(pipeline(&[same("a"), same("A"), same("")])).jobs().len(), 3);
}

#[test]
fn of_many_names_some_are_told() {
    let names: Vec<String> = (0..10).map(|index| format!("job {index}")).collect();
    let some = |count: usize| {
        let jobs: Vec<_> =
            names[..count].iter().map(|name| (&**name, "1:00:00", &[][..])).collect();
        pipeline(&jobs).job("own", schedule!("2:00:00"), [Need::self_previous(), Need::all("jobs")])
    };
    let words = |count| refused(some(count)).problems()[0].to_string();
    let start = "`own` needs `jobs`, which is no job of the pipeline; there are ";
    assert_eq!(words(0), format!("{start}`own`"));
    let seven = "`job 0`, `job 1`, `job 2`, `job 3`, `job 4`, `job 5`, `job 6`";
    assert_eq!(words(7), format!("{start}{seven}, `own`"));
    assert_eq!(words(8), format!("{start}{seven}, `job 7` and 1 more"));
    assert_eq!(words(10), format!("{start}{seven}, `job 7` and 3 more"));
}

#[test]
fn a_former_schedule_is_of_a_job() {
    let error = refused(begun().formerly("a", schedule!("1:00:00"), SINCE));
    assert_eq!(
        error.to_string(),
        "the pipeline can not be built: `a`, which formerly had another schedule, is no job"
    );
}

#[test]
fn a_job_runs_some_time() {
    let words = "`a` never runs: it has no event since the pipeline began";
    check_problem(&[("a", "2020.*.* 3:00:00", &[])], words);
    check_problem(
        &[("a", "2026.11.18 23:59:59.999", &[]), ("b", "1:00:00", &[Need::all("a")])],
        words,
    );
    built(pipeline(&[("a", "2026.11.19 00:00:00", &[])]));
    let once = Pipeline::builder().job("a", schedule!("2020.*.* 3:00:00"), []);
    assert_eq!(built(once).plan(..).count(), 366);
    // It did, by its former schedule.
    let formerly = pipeline(&[("a", "2020.*.* 3:00:00", &[])]);
    let formerly = formerly.formerly("a", schedule!("3:00:00"), SINCE + DAY);
    assert_eq!(built(formerly).plan(..).count(), 1);
}

#[test]
fn one_of_no_alternatives_is_never_met() {
    let words = "`a` needs one of no alternatives";
    check_problem(&[("a", "1:00:00", &[Need::any_of(&[])])], words);
    check_problem(
        &[("a", "1:00:00", &[Need::all_of(&[Need::any_of(&[]), Need::any_of(&[])])])],
        words,
    );
    let inner = [Need::any_of(&[])];
    let nested = [Need::self_previous(), Need::all_of(&inner)];
    check_problem(&[("a", "1:00:00", &[Need::any_of(&nested)])], words);
    // Each of none is met.
    built(pipeline(&[("a", "1:00:00", &[Need::all_of(&[])])]));
}

#[test]
fn runs_that_come_too_late_are_never_there() {
    let check = |need| {
        check_problem(
            &[("up", "2030.1.1 00:00:00", &[]), ("job", "2027.*.* 3:00:00", &[need])],
            "`job` needs runs of `up`, the first of which is 2030-01-01 00:00:00, after its own \
             last, 2027-12-31 03:00:00",
        );
    };
    check(Need::all("up"));
    check(Need::at_least(1, "up"));
    let last =
        [("up", "2030.1.1 00:00:00", &[][..]), ("job", "2030.1.1 00:00:00", &[Need::all("up")])];
    built(pipeline(&last));
}

#[test]
fn more_runs_than_there_are_is_too_many() {
    let check = |upstream: &str, job: &str, need: fn(u64) -> Need<'static>, most: u64| {
        built(pipeline(&[("up", upstream, &[]), ("job", job, &[need(most)])]));
        let count = most + 1;
        check_problem(
            &[("up", upstream, &[]), ("job", job, &[need(count)])],
            &format!("`job` needs {count} runs of `up`, and there are never more than {most}"),
        );
    };
    let in_interval = |count| Need::at_least(count, "up");
    check("*:01:04", "3:01:03", in_interval, 24);
    check("3:01:03", "*:01:04", in_interval, 1);
    check("6:00:00", "*.*.* Mon-Fri 09:30:00", in_interval, 3);
    check("6:00:00", "*.*.1 12:00:00", in_interval, 31);
    check("2030.1.1 00:00:00", "3:00:00", in_interval, 1);
    // Those before the first run, which is in 2028.
    check("12:00:00", "2028.1.1 00:00:00", in_interval, 43 + 365 - 1 + 1);
    let day_before = |count| Need::at_least(count, "up").cycles_back(1);
    check("*:01:04", "3:01:03", day_before, 24);
    check("6:00:00", "*.*.* Wed 09:30:00", day_before, 7);
    check("6:00:00", "*.*.1 12:00:00", day_before, 31);
    let error =
        refused(pipeline(&[("up", "*:01:04", &[]), ("job", "3:01:03", &[in_interval(25)])]));
    let why = Never::TooMany { count: 25, most: 24 };
    let problem = Problem::Never { job: "job".into(), needs: Some("up".into()), why };
    assert_eq!(error.problems(), [problem]);
}

#[test]
fn questions_of_no_job_have_no_answer() {
    let pipeline = built(pipeline(&[("load", "*:01:04", &[])]));
    let history = MemoryHistory::new();
    let run = SINCE + 64_000;
    let words = "`laod` is no job of the pipeline";
    let ready = pipeline.ready("laod", run, &history).expect_err("no job");
    assert_eq!(ready, AskError::NoJob { job: "laod".into() });
    assert_eq!(ready.to_string(), words);
    let unlocked = pipeline.runs_unlocked_by("laod", run, &history, i64::MAX).expect_err("no job");
    assert_eq!(unlocked.to_string(), words);
    let explanation = pipeline.explain("laod").expect_err("no job");
    assert_eq!(explanation.to_string(), words);
    let is_an_error: &dyn std::error::Error = &explanation;
    assert_eq!(is_an_error.to_string(), words);
}

#[test]
fn questions_of_no_run_have_no_answer() {
    let load = pipeline(&[("load", "*:01:04", &[])]);
    let change = SINCE + 12 * HOUR;
    let pipeline = built(load.formerly("load", schedule!("*:00:00"), change));
    let check = |instant: i64, words: &str| {
        let history = MemoryHistory::new();
        let ready = pipeline.ready("load", instant, &history).expect_err("no run");
        let is_no_run = matches!(ready, AskError::NoRun { scheduled, .. } if scheduled == instant);
        assert!(is_no_run, "{ready:?}");
        assert_eq!(ready.to_string(), words);
        let unlocked =
            pipeline.runs_unlocked_by("load", instant, &history, i64::MAX).expect_err("no run");
        assert_eq!(unlocked.to_string(), words);
    };
    check(
        SINCE + 1,
        "`load` has no event at 2026-11-19 00:00:00.001: the last before is 2026-11-19 00:00:00, \
         the next is 2026-11-19 01:00:00",
    );
    check(
        SINCE - HOUR,
        "`load` has no event at 2026-11-18 23:00:00: the next is 2026-11-19 00:00:00",
    );
    // The one schedule before the change, the other after it.
    check(
        SINCE + 64_000,
        "`load` has no event at 2026-11-19 00:01:04: the last before is 2026-11-19 00:00:00, the \
         next is 2026-11-19 01:00:00",
    );
    check(
        change,
        "`load` has no event at 2026-11-19 12:00:00: the last before is 2026-11-19 11:00:00, the \
         next is 2026-11-19 12:01:04",
    );
    check(0, "`load` has no event at 1970-01-01 00:00:00: the next is 2026-11-19 00:00:00");
    let last = CalendarDigits::from_millis(i64::MAX).year();
    let before = "the last before is 2100-12-31 23:01:04";
    check(i64::MAX, &format!("`load` has no event at {last}-08-17 07:12:55.807: {before}"));
    assert!(pipeline.ready("load", change + 64_000, &MemoryHistory::new()).is_ok());

    let moment = UNIX_EPOCH + Duration::from_millis(SINCE.unsigned_abs());
    let ask = |moment: SystemTime| pipeline.ready("load", moment, &MemoryHistory::new());
    assert!(ask(moment).is_ok());
    let finer = ask(moment + Duration::from_nanos(1)).expect_err("no run");
    assert_eq!(
        finer.to_string(),
        "`load` has no event a part of a millisecond after 2026-11-19 00:00:00: the last before is \
         2026-11-19 00:00:00, the next is 2026-11-19 01:00:00"
    );
}

/// A history whose disk is gone.
struct Gone;

impl History for Gone {
    type Error = &'static str;

    fn record(&mut self, _: &str, _: i64) -> Result<(), &'static str> {
        Err("the disk is gone")
    }

    fn successes(
        &self,
        _: &str,
        _: RangeInclusive<i64>,
        _: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), &'static str> {
        Err("the disk is gone")
    }

    fn drop_before(&mut self, _: i64) -> Result<(), &'static str> {
        Err("the disk is gone")
    }
}

#[test]
fn a_history_that_can_not_be_read_is_told_of() {
    for need in [Need::latest("up"), Need::all("up"), Need::any_of(&[Need::at_least(1, "up")])] {
        let pipeline = built(pipeline(&[("up", "1:00:00", &[]), ("job", "2:00:00", &[need])]));
        let [up, run] = [SINCE + HOUR, SINCE + 2 * HOUR];
        let error = pipeline.ready("job", run, &Gone).expect_err("no history");
        assert_eq!(error, AskError::History("the disk is gone"));
        assert_eq!(error.to_string(), "the disk is gone");
        let error = pipeline.runs_unlocked_by("up", up, &Gone, i64::MAX).expect_err("no history");
        assert_eq!(error, AskError::History("the disk is gone"));
        // What needs nothing asks for nothing.
        assert!(pipeline.ready("up", up, &Gone).is_ok_and(|readiness| readiness.is_ready()));
    }
}

/// What is said of a job that needs something of `up`.
fn explained(upstream: &str, job: &str, needs: &[Need<'_>]) -> String {
    let pipeline = built(pipeline(&[("up", upstream, &[]), ("job", job, needs)]));
    let explanation = pipeline.explain("job").expect("a job");
    assert_eq!(format!("{explanation:?}"), explanation.to_string());
    explanation.to_string()
}

#[test]
fn a_job_is_explained() {
    assert_eq!(
        explained("*:01:04", "3:01:03", &[]),
        "`job` runs at `3:01:03`, 1 a day. It needs nothing."
    );
    assert_eq!(
        explained("*:01:04", "*:*/5:03", &[]),
        "`job` runs at `*:*/5:03`, 12 an hour. It needs nothing."
    );
}

#[test]
fn each_kind_of_need_is_explained() {
    let daily = |need: Need<'_>| {
        let text = explained("*:01:04", "3:01:03", &[need]);
        let needs = text.strip_prefix("`job` runs at `3:01:03`, 1 a day. A run needs\n- ");
        needs.expect("one need").to_owned()
    };
    let latest = "a success of `up` (1 an hour) at or after the check point: the first event of \
                  `up` at or after the start of ";
    assert_eq!(daily(Need::latest("up")), format!("{latest}the day."));
    assert_eq!(daily(Need::latest("up").cycles_back(1)), format!("{latest}the day before."));
    assert_eq!(daily(Need::latest("up").cycles_back(3)), format!("{latest}the day 3 days before."));
    assert_eq!(daily(Need::latest("up").by(Unit::Week)), format!("{latest}the week."));
    assert_eq!(
        daily(Need::latest("up").events_back(1)),
        format!("{latest}the day, as for the run before.")
    );
    assert_eq!(
        daily(Need::all("up")),
        "every run of `up` (1 an hour) after its previous event and up to itself."
    );
    assert_eq!(
        daily(Need::all("up").events_back(2)),
        "every run of `up` (1 an hour) after its previous event and up to itself, as for the run \
         2 runs before."
    );
    assert_eq!(
        daily(Need::all("up").cycles_back(1)),
        "every run of `up` (1 an hour) in the day before."
    );
    assert_eq!(
        daily(Need::all("up").by(Unit::Month).cycles_back(2)),
        "every run of `up` (1 an hour) in the month 2 months before."
    );
    assert_eq!(
        daily(Need::at_least(20, "up")),
        "at least 20 runs of `up` (1 an hour) after its previous event and up to itself."
    );
    assert_eq!(
        daily(Need::at_least(20, "up").cycles_back(1)),
        "at least 20 runs of `up` (1 an hour) in the day before."
    );
    assert_eq!(daily(Need::self_previous()), "the success of its own run before.");
    assert_eq!(
        daily(Need::self_previous().events_back(1)),
        "the success of its own run before, as for the run before."
    );
    assert_eq!(
        daily(Need::self_previous().cycles_back(1)),
        "the success of its own run before, up to the end of the day before."
    );
}

#[test]
fn the_larger_cycle_is_named() {
    let cycle = |upstream: &str, job: &str| {
        let text = explained(upstream, job, &[Need::latest("up")]);
        let (_, unit) = text.rsplit_once("the start of the ").expect("a check point");
        unit.trim_end_matches('.').to_owned()
    };
    assert_eq!(cycle("*:01:04", "*:*/5:03"), "hour");
    assert_eq!(cycle("3:01:03", "*:01:04"), "day");
    assert_eq!(cycle("3:01:03", "*.*.* Mon 00:00:00"), "week");
    assert_eq!(cycle("*.*.32 00:00:00", "*.*.* Mon 00:00:00"), "month");
    assert_eq!(cycle("3:01:03", "*.1.1 00:00:00"), "year");
    assert_eq!(cycle("*:*:*.*", "*:*:*.*"), "millisecond");
}

#[test]
fn several_needs_are_explained_as_a_list() {
    let both = [Need::all("up"), Need::self_previous()];
    let one = [Need::all_of(&both), Need::at_least(2, "up").cycles_back(1)];
    assert_eq!(
        explained("*:01:04", "3:01:03", &[Need::any_of(&one), Need::latest("up")]),
        "`job` runs at `3:01:03`, 1 a day. A run needs
- one of
  - each of
    - every run of `up` (1 an hour) after its previous event and up to itself;
    - the success of its own run before;
  - at least 2 runs of `up` (1 an hour) in the day before;
- a success of `up` (1 an hour) at or after the check point: the first event of `up` at or after \
         the start of the day."
    );
}

#[test]
fn the_clocks_of_a_zone_are_explained() {
    let zone = crate::oracle::zoned::zone("Europe/Berlin");
    let pipeline = built(begun().job("job", schedule!("3:01:03").in_zone(zone), []));
    let explanation = pipeline.explain("job").expect("a job").to_string();
    let words = "`job` runs at `3:01:03` by the clocks of its zone, 1 a day. It needs nothing.";
    assert_eq!(explanation, words);
}

/// A day may have an hour more by the clocks of a zone, so that 25 is not too many.
#[test]
fn in_a_zone_a_day_may_be_longer() {
    let zone = crate::oracle::zoned::zone("Europe/Berlin");
    let builder = begun().job("up", schedule!("*:00:00").in_zone(zone.clone()), []).job(
        "job",
        schedule!("00:00:00").in_zone(zone),
        [Need::at_least(25, "up")],
    );
    assert_eq!(built(builder).jobs().collect::<Vec<_>>(), ["up", "job"]);
}

#[test]
fn needs_are_not_nested_without_end() {
    let nest = |depth: usize| {
        let need =
            (1..depth).fold(Need::latest("load"), |need, _| Need::any_of(Vec::leak(vec![need])));
        pipeline(&[("load", "*:01:04", &[]), ("report", "3:01:03", &[need])]).build()
    };
    assert!(nest(64).is_ok());
    for depth in [65, 100_000] {
        let error = nest(depth).expect_err("it is too deep");
        assert_eq!(
            error.to_string(),
            "the pipeline can not be built: what `report` needs is nested more than 64 deep"
        );
    }
}
