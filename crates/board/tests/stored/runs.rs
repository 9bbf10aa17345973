//! The runs of schedules.

use std::sync::Arc;
use std::time::Duration;

use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_board::{RunState, Source, StoredSource};
use millicron_history::{
    ClaimOutcome, Claims, History, RunRecord, RunState as Recorded, SqliteHistory,
};

use crate::database::{Database, TestTable, names, on_both};

on_both! {
    the_last_event_is_a_run_in_a_queue
    a_history_has_the_runs
}

impl<DB: TestTable> Database<DB> {
    /// Has a schedule have an event that becomes a task. Returns its instant.
    async fn trigger(&self, name: &str) -> i64 {
        self.schedules.trigger(&self.pool, Selection::Name(name)).await.expect("a schedule");
        self.push_due().await;
        self.get(name).await.expect("a row").last_at.expect("an event")
    }
}

async fn the_last_event_is_a_run_in_a_queue<DB: TestTable>() {
    let Some(database) = DB::database("last events").await else { return };
    database.put(StoredSchedule::new("a", "*.1.1 00:00:00").payload(1)).await;
    let runs = async |before| {
        let runs = database.ask(move |source| source.runs("a", before, 10)).await;
        runs.expect("an answer").runs
    };
    assert_eq!(runs(None).await, []);
    let version = database.changes(None).await.version;
    let last = database.trigger("a").await;
    let [run] = &*runs(None).await else { panic!("not one run") };
    assert_eq!((run.id, run.scheduled, run.state), (last, last, RunState::Queued));
    assert_eq!((run.started, run.ended), (None, None));
    assert_eq!(runs(Some(last)).await, []);
    let changes = database.next_changes(version).await;
    assert_eq!(changes.jobs[0].last.as_ref(), Some(run));
}

async fn a_history_has_the_runs<DB: TestTable>() {
    let Some(mut database) = DB::database("a history").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("runs.db");
    let mut history = SqliteHistory::open(&file).expect("a history");
    let shared = SqliteHistory::open(&file).expect("a history");
    database.source = Arc::new(StoredSource::new(&database.schedules).history(shared));
    for name in ["a", "b"] {
        database.put(StoredSchedule::new(name, "*.1.1 00:00:00").payload(1)).await;
    }
    let record = |state: Recorded, at: i64| {
        let (started, ended) = (Some(at + 5), Some(at + 25));
        RunRecord { state, started, ended, attempts: Some(2) }
    };
    for at in 0..40 {
        let state = if at % 2 == 0 { Recorded::Succeeded } else { Recorded::Failed };
        history.record_run("a", at, record(state, at)).expect("a record");
    }

    let first = database.changes(None).await;
    let a = &first.jobs[0];
    assert_eq!(a.outcomes.len(), 30);
    assert_eq!(a.outcomes.last(), Some(&RunState::Failed));
    let last = a.last.as_ref().expect("a run");
    assert_eq!((last.id, last.started, last.ended, last.attempts), (39, Some(44), Some(64), 2));
    assert_eq!(first.jobs[1].last, None);

    // The event is a task, then it runs, then it has ended.
    let event = database.trigger("a").await;
    let queued = database.next_changes(first.version).await;
    assert_eq!(names(&queued.jobs), ["a"]);
    let states = |jobs: &[millicron_board::Job]| {
        let job = &jobs[0];
        (job.last.as_ref().map(|run| (run.id, run.state)), job.running, job.outcomes.len())
    };
    assert_eq!(states(&queued.jobs), (Some((event, RunState::Queued)), 0, 30));
    let claim = history.claim("a", event, "worker", Duration::from_mins(10)).expect("an answer");
    let ClaimOutcome::Granted(claim) = claim else { panic!("{claim:?}") };
    let running = database.next_changes(queued.version).await;
    assert_eq!(states(&running.jobs), (Some((event, RunState::Running)), 1, 30));
    history.record_claimed(&claim, Recorded::Succeeded).expect("a record");
    let ended = database.next_changes(running.version).await;
    assert_eq!(states(&ended.jobs), (Some((event, RunState::Succeeded)), 0, 30));
    assert_eq!(ended.jobs[0], database.job("a").await);

    let page = async |before, limit| {
        let runs = database.ask(move |source| source.runs("a", before, limit)).await;
        let runs = runs.expect("an answer");
        (runs.runs.iter().map(|run| run.id).collect::<Vec<_>>(), runs.has_more)
    };
    assert_eq!(page(None, 3).await, (vec![event, 39, 38], true));
    assert_eq!(page(Some(38), 2).await, (vec![37, 36], true));
    assert_eq!(page(Some(2), 2).await, (vec![1, 0], false));
    let again = database.trigger("a").await;
    assert_eq!(page(None, 2).await, (vec![again, event], true));
}
