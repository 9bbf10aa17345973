//! Pipelines.

use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use millicron::{IntoRecurrence as _, every, schedule};
use millicron_board::{Action, ActionKind, JobState, RecordedPipeline, RunState, Source};
use millicron_history::{
    ClaimOutcome, Claims, History, MemoryHistory, RunState as Recorded, SqliteHistory,
};
use millicron_pipeline::{Need, Pipeline};
use millicron_scheduler::{RunContext, Scheduler};
use tempfile::TempDir;

const DAY: i64 = 86_400_000;

/// Returns the midnight of today, even if the day ends during a test.
fn today() -> i64 {
    static TODAY: OnceLock<i64> = OnceLock::new();
    *TODAY.get_or_init(|| {
        let now = SystemTime::UNIX_EPOCH.elapsed().expect("an instant after 1970").as_millis();
        i64::try_from(now).expect("an instant") / DAY * DAY
    })
}

/// A pipeline that began ten days ago, and two handles of its history.
fn pipeline() -> (Pipeline, SqliteHistory, SqliteHistory, TempDir) {
    let pipeline = Pipeline::builder()
        .since(today() - 10 * DAY)
        .job("load", schedule!("00:00:00"), [])
        .job(
            "check",
            every(6).hours().from(0).into_recurrence(today()).expect("an interval"),
            [Need::latest("load")],
        )
        .job("report", schedule!("00:00:00"), [Need::last("load"), Need::all("check")])
        .job(
            "page",
            schedule!("00:00:00"),
            [Need::any_of(&[Need::last("load"), Need::last("check")])],
        )
        .build()
        .expect("a pipeline");
    let directory = TempDir::new().expect("a directory");
    let file = directory.path().join("runs.db");
    let open = || SqliteHistory::open(&file).expect("a history");
    (pipeline, open(), open(), directory)
}

#[test]
fn needs_have_the_labels_of_the_graph() {
    let (pipeline, _, shared, _directory) = pipeline();
    let source = RecordedPipeline::new(&pipeline, shared);
    let needs = source.needs().expect("needs");
    let needs =
        needs.iter().map(|it| (&*it.upstream, &*it.downstream, &*it.label, it.is_alternative));
    assert_eq!(
        needs.collect::<Vec<_>>(),
        [
            ("load", "check", "latest", false),
            ("load", "report", "last", false),
            ("check", "report", "all", false),
            ("load", "page", "last", true),
            ("check", "page", "last", true),
        ]
    );
}

#[test]
fn jobs_have_their_schedules_and_runs() {
    let (pipeline, mut history, shared, _directory) = pipeline();
    let source = RecordedPipeline::new(&pipeline, shared);
    let first = source.changes(None).expect("jobs");
    assert!(first.is_complete);
    let jobs: Vec<_> = first.jobs.iter().map(|job| (&*job.name, &*job.description)).collect();
    assert_eq!(
        jobs,
        [
            ("check", "4 times a day"),
            ("load", "Every day at midnight"),
            ("page", "Every day at midnight"),
            ("report", "Every day at midnight"),
        ]
    );
    let load = &first.jobs[1];
    assert_eq!((&*load.schedule, load.state), ("00:00:00", JobState::Waiting));
    assert_eq!(load.next, Some(today() + DAY));
    assert_eq!((&load.last, load.running), (&None, 0));

    history.record("load", today() - DAY).expect("a record");
    let claim = history.claim("load", today(), "runner", Duration::from_mins(10)).expect("a claim");
    assert!(matches!(claim, ClaimOutcome::Granted(_)));
    let changes = loop {
        let changes = source.changes(Some(first.version)).expect("changes");
        if changes.version > first.version {
            break changes;
        }
    };
    assert!(!changes.is_complete);
    let [load] = &*changes.jobs else { panic!("{changes:?}") };
    assert_eq!(
        (&*load.name, load.running, &*load.outcomes),
        ("load", 1, &[RunState::Succeeded][..])
    );
    assert_eq!(source.job("load").expect("a job").as_ref(), Some(load));
    let runs = source.runs("load", None, 10).expect("runs").runs;
    let runs: Vec<_> = runs.iter().map(|run| (run.id, run.state)).collect();
    assert_eq!(runs, [(today(), RunState::Running), (today() - DAY, RunState::Succeeded)]);

    let pattern = source.pattern("check").expect("an answer").expect("a pattern");
    assert_eq!(pattern.recurrence().next_event(today()), Some(today() + DAY / 4));
    assert!(source.pattern("other").expect("an answer").is_none());
    assert_eq!(source.job("other").expect("an answer"), None);
    assert!(source.actions().is_empty() && source.editor().is_none());
}

#[test]
fn a_run_waits_for_the_missing_runs() {
    let (pipeline, mut history, shared, _directory) = pipeline();
    let source = RecordedPipeline::new(&pipeline, shared);
    let waits = |job| source.waits_for(job).expect("an answer");
    assert!(waits("load").is_empty());
    let [load, checks] = &*waits("report") else { panic!("not two reasons") };
    assert!(load.starts_with("It waits for `load` "), "{load}");
    assert!(checks.starts_with("It waits for `check` "), "{checks}");

    history.record("load", today()).expect("a record");
    let waiting = waits("report");
    assert_eq!(waiting, [checks.as_str()]);
    for hours in [18, 12, 6, 0] {
        history.record("check", today() - hours * DAY / 24).expect("a record");
    }
    assert!(waits("report").is_empty());
    history.forget("load", today()..=today()).expect("a record");
    assert_eq!(waits("report").len(), 1);
    history.record_state("report", today(), Recorded::Failed).expect("a record");
    assert!(waits("report").is_empty());
    assert!(waits("other").is_empty());
}

/// Returns a pipeline whose jobs are in a time zone.
fn zoned(zone: &str) -> RecordedPipeline<MemoryHistory> {
    in_zone(TimeZone::get(zone).expect("a zone"))
}

fn in_zone(zone: TimeZone) -> RecordedPipeline<MemoryHistory> {
    let pipeline = Pipeline::builder()
        .since(today() - 10 * DAY)
        .job("load", schedule!("00:00:00").in_zone(zone.clone()), [])
        .job("report", schedule!("00:00:00").in_zone(zone), [Need::last("load")])
        .build()
        .expect("a pipeline");
    RecordedPipeline::new(&pipeline, MemoryHistory::new())
}

#[test]
fn jobs_have_their_time_zone() {
    let source = zoned("Europe/Berlin");
    let job = source.job("report").expect("an answer").expect("a job");
    assert_eq!(job.zone.as_deref(), Some("Europe/Berlin"));
    let reason = &source.waits_for("report").expect("an answer")[0];
    assert!(reason.contains(":00+0") && !reason.contains("UTC"), "{reason}");
    let job = zoned("UTC").job("report").expect("an answer").expect("a job");
    assert_eq!(job.zone, None);
    let offset = TimeZone::fixed(jiff::tz::offset(-3));
    let job = in_zone(offset).job("report").expect("an answer").expect("a job");
    assert_eq!(job.zone.as_deref(), Some("-03:00"));
}

/// The instants that a reason names are those of the other job.
#[test]
fn reasons_are_in_the_zone_of_the_jobs_that_they_name() {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let pipeline = Pipeline::builder()
        .since(today() - 10 * DAY)
        .job("local", schedule!("00:00:00").in_zone(zone.clone()), [])
        .job(
            "steady",
            every(1).days().from(today() - 5 * DAY).into_recurrence(0).expect("an interval"),
            [],
        )
        .job("local report", schedule!("00:00:00").in_zone(zone), [Need::last("steady")])
        .job(
            "steady report",
            every(1).days().from(today() - 5 * DAY).into_recurrence(0).expect("an interval"),
            [Need::last("local")],
        )
        .build()
        .expect("a pipeline");
    let source = RecordedPipeline::new(&pipeline, MemoryHistory::new());
    let reason = |job| source.waits_for(job).expect("an answer").remove(0);
    assert!(reason("local report").ends_with(" (UTC)"), "{}", reason("local report"));
    let local = reason("steady report");
    assert!(local.contains(":00+0") && !local.contains("UTC"), "{local}");
}

#[test]
fn reasons_without_a_time_zone_say_that_they_are_in_utc() {
    let (pipeline, _, shared, _directory) = pipeline();
    let source = RecordedPipeline::new(&pipeline, shared);
    let reasons = source.waits_for("report").expect("an answer");
    assert_eq!(reasons.len(), 2);
    assert!(reasons.iter().all(|reason| reason.ends_with(" (UTC)")), "{reasons:?}");
}

#[test]
fn jobs_of_a_running_pipeline_are_run_paused_and_resumed() {
    let (pipeline, history, shared, _directory) = pipeline();
    let scheduler = Scheduler::new().expect("a scheduler");
    let (started, runs) = channel();
    let [load, check, report, page] = ["load", "check", "report", "page"].map(|job| {
        let started = started.clone();
        move |_: RunContext| started.send(job)
    });
    let runner = pipeline.clone().run_on(&scheduler, history).run("load", load).run("check", check);
    let running = runner.run("report", report).run("page", page).start().expect("a pipeline");
    let source = RecordedPipeline::new(&pipeline, shared).running(&running);
    assert_eq!(source.actions(), [ActionKind::Run, ActionKind::Pause, ActionKind::Resume]);
    let act = |job, action| source.act(job, action).expect("an answer");
    let state = |job| source.job(job).expect("an answer").expect("a job").state;

    assert!(act("report", Action::Pause));
    assert!(!act("report", Action::Pause));
    assert_eq!((state("report"), state("load")), (JobState::Paused, JobState::Waiting));
    // The run of today, although the job is paused and the runs that it needs are missing.
    assert!(act("report", Action::Run));
    assert_eq!(runs.recv_timeout(Duration::from_mins(1)), Ok("report"));
    assert!(act("report", Action::Resume));
    assert!(!act("report", Action::Resume));
    assert_eq!(state("report"), JobState::Waiting);
    assert!(!act("other", Action::Run));
    assert!(!act("report", Action::Cancel { run: today() }));
}
