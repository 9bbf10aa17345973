//! What has changed, and actions.

use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_board::{Action, ActionKind, JobState, Source};

use crate::database::{TestTable, names, on_both};

on_both! {
    changes_of_others_appear
    actions_are_carried_out
    actions_appear_at_once
}

async fn changes_of_others_appear<DB: TestTable>() {
    let Some(database) = DB::database("changes").await else { return };
    let empty = database.changes(None).await;
    assert!(empty.is_complete && empty.jobs.is_empty());
    for name in ["a", "b", "c"] {
        database.put(StoredSchedule::new(name, "12:00:00")).await;
    }
    let added = database.next_changes(empty.version).await;
    assert!(!added.is_complete);
    let mut version = added.version;
    let mut known = names(&added.jobs).len();
    while known < 3 {
        let changes = database.next_changes(version).await;
        (version, known) = (changes.version, known + changes.jobs.len());
    }

    let mut b = StoredSchedule::new("b", "13:00:00").zone("Europe/Berlin");
    b.paused = true;
    database.put(b).await;
    let changed = database.next_changes(version).await;
    assert!(!changed.is_complete && changed.removed.is_empty());
    assert_eq!(names(&changed.jobs), ["b"]);
    let b = &changed.jobs[0];
    assert_eq!((&*b.description, b.state), ("Every day at 13:00", JobState::Paused));
    assert_eq!(b.zone.as_deref(), Some("Europe/Berlin"));

    database.schedules.remove(&database.pool, Selection::Name("a")).await.expect("a row");
    let removed = database.next_changes(changed.version).await;
    assert_eq!((removed.jobs.len(), &*removed.removed), (0, &["a".to_owned()][..]));

    for unknown in [None, Some(0), Some(version), Some(99)] {
        let complete = database.changes(unknown).await;
        assert!(complete.is_complete);
        assert_eq!((complete.version, names(&complete.jobs)), (removed.version, vec!["b", "c"]));
    }
}

async fn actions_are_carried_out<DB: TestTable>() {
    let Some(database) = DB::database("actions").await else { return };
    database.put(StoredSchedule::new("a", "*.1.1 00:00:00").payload(7)).await;
    let act = async |job: &'static str, action| {
        database.ask(move |source| source.act(job, action)).await.expect("an answer")
    };
    for _ in 0..2 {
        assert!(act("a", Action::Pause).await);
        assert_eq!(database.job("a").await.state, JobState::Paused);
    }
    for _ in 0..2 {
        assert!(act("a", Action::Resume).await);
        assert_eq!(database.job("a").await.state, JobState::Waiting);
    }
    assert!(act("a", Action::Run).await);
    assert_eq!(database.job("a").await.last, None);
    database.push_due().await;
    let last = database.job("a").await.last.expect("an event");
    assert_eq!(Some(last.scheduled), database.get("a").await.expect("a row").last_at);

    for action in [Action::Run, Action::Pause, Action::Resume] {
        assert!(!act("b", action).await);
    }
    let offered = database.ask(|source| source.actions().to_vec()).await;
    assert_eq!(offered, [ActionKind::Run, ActionKind::Pause, ActionKind::Resume]);
    let cancel = database.ask(|source| source.act("a", Action::Cancel { run: 1 })).await;
    assert!(cancel.is_err());
}

async fn actions_appear_at_once<DB: TestTable>() {
    let Some(database) = DB::database("actions that appear").await else { return };
    database.put(StoredSchedule::new("a", "12:00:00")).await;
    let before = database.changes(None).await;
    for action in [Action::Pause, Action::Resume] {
        database.ask(move |source| source.act("a", action)).await.expect("an answer");
        let changes = database.changes(None).await;
        let is_paused = matches!(action, Action::Pause);
        assert_eq!(changes.jobs[0].state == JobState::Paused, is_paused);
        assert!(changes.version > before.version);
    }
}
