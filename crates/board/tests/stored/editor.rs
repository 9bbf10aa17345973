//! Schedules that visitors write.

use std::time::Duration;

use millicron::Language;
use millicron_apalis::Missed;
use millicron_apalis::stored::StoredSchedule;
use millicron_board::{Conflict, Draft, Invalid, Preview, Source, SourceError};

use crate::database::{Database, TestTable, on_both};

on_both! {
    drafts_are_previewed
    invalid_drafts_are_refused_with_the_position
    drafts_are_stored
    a_change_keeps_what_the_form_does_not_have
    somebody_elses_change_is_not_overwritten
    schedules_are_removed
}

fn draft(name: &str, schedule: &str) -> Draft {
    let mut draft = Draft::default();
    (draft.name, draft.schedule) = (name.to_owned(), schedule.to_owned());
    draft
}

impl<DB: TestTable> Database<DB> {
    async fn preview(&self, draft: Draft) -> Result<Preview, SourceError> {
        self.ask(move |source| source.editor().expect("an editor").preview(&draft)).await
    }

    async fn store(&self, draft: Draft) -> Result<(), SourceError> {
        self.ask(move |source| source.editor().expect("an editor").store(&draft)).await
    }

    async fn draft(&self, name: &'static str) -> Option<Draft> {
        let draft = self.ask(|source| source.editor().expect("an editor").draft(name)).await;
        draft.expect("an answer")
    }
}

async fn drafts_are_previewed<DB: TestTable>() {
    let Some(database) = DB::database("previews").await else { return };
    let mut draft = draft("a", "0 9 * * MON-FRI");
    "Europe/Berlin".clone_into(&mut draft.zone);
    let preview = database.preview(draft).await.expect("a valid draft");
    assert_eq!(preview.description, "At 09:00 on Monday to Friday");
    // 2026-11-21 is a Saturday.
    let monday = 1_795_392_000_000 + 8 * 3_600_000;
    let next = preview.pattern.recurrence().next_event(monday - 3 * 86_400_000);
    assert_eq!(next, Some(monday));
    assert_eq!(database.get("a").await, None);
}

async fn invalid_drafts_are_refused_with_the_position<DB: TestTable>() {
    let Some(database) = DB::database("invalid drafts").await else { return };
    let with = |change: fn(&mut Draft)| {
        let mut draft = draft("a", "12:00:00");
        change(&mut draft);
        draft
    };
    let drafts = [
        (
            draft("a", "*.*.* Mon 25:00:00"),
            "hour `25` is out of range: expected 0-23\n  |\n  | *.*.* Mon 25:00:00\n  |           ^^",
        ),
        (
            draft("a", "0 30 9 * * 1-5"),
            "the text has a different meaning in crontab and cron crate: name its language",
        ),
        (
            with(|draft| "Europe/Berlinn".clone_into(&mut draft.zone)),
            "`Europe/Berlinn` is not a time zone: expected `Europe/Berlin`",
        ),
        (with(|draft| draft.name.clear()), ""),
        (
            with(|draft| draft.payload = Some("{".to_owned())),
            "the payload is not JSON: EOF while parsing an object at line 1 column 1",
        ),
    ];
    for (draft, message) in drafts {
        let errors = [
            database.preview(draft.clone()).await.expect_err("an error"),
            database.store(draft.clone()).await.expect_err("an error"),
        ];
        for error in errors {
            let error = error.downcast::<Invalid>().expect("an invalid draft").to_string();
            assert!(error == message || message.is_empty(), "{draft:?}: {error}");
        }
    }
    assert_eq!(database.get("a").await, None);
}

async fn drafts_are_stored<DB: TestTable>() {
    let Some(database) = DB::database("drafts").await else { return };
    let mut new = draft("a/b", "12:00:00");
    new.tags = vec!["x".to_owned()];
    new.payload = Some("{\"to\": 7}".to_owned());
    database.store(new.clone()).await.expect("a new schedule");
    let row = database.get("a/b").await.expect("a row");
    assert_eq!((&*row.schedule, row.zone.as_deref(), &*row.tags), ("12:00:00", None, &*new.tags));
    assert_eq!(row.payload["to"], 7);
    assert!(row.next_at.is_some());

    let mut stored = database.draft("a/b").await.expect("a draft");
    assert_eq!((&stored.payload, stored.version), (&None, Some(1)));
    (new.payload, new.version) = (None, Some(1));
    assert_eq!(stored, new);
    "13:00:00".clone_into(&mut stored.schedule);
    "Asia/Tokyo".clone_into(&mut stored.zone);
    database.store(stored).await.expect("a change");
    let row = database.get("a/b").await.expect("a row");
    assert_eq!((&*row.schedule, row.zone.as_deref()), ("13:00:00", Some("Asia/Tokyo")));
    assert_eq!((row.version, &row.payload["to"]), (Some(2), &7.into()));
    assert_eq!(database.draft("a").await, None);
}

async fn a_change_keeps_what_the_form_does_not_have<DB: TestTable>() {
    let Some(database) = DB::database("settings").await else { return };
    let crontab = Language::with_keyword("crontab").expect("a language");
    let mut full = StoredSchedule::new("a", "0 9 * * 1-5")
        .dialect(crontab)
        .calendar("lse")
        .payload("secret")
        .missed(Missed::All { max: 3 })
        .catch_up(Duration::from_secs(5))
        .between(Some(1), Some(4_000_000_000_000))
        .tag("old");
    full.paused = true;
    database.put(full.clone()).await;
    let mut draft = database.draft("a").await.expect("a draft");
    "0 10 * * 1-5".clone_into(&mut draft.schedule);
    draft.tags.clear();
    let preview = database.preview(draft.clone()).await.expect("a valid draft");
    assert_eq!(preview.description, "At 10:00 on Monday to Friday, on the days of `lse`");
    database.store(draft).await.expect("a change");

    "0 10 * * 1-5".clone_into(&mut full.schedule);
    full.tags.clear();
    let mut row = database.get("a").await.expect("a row");
    assert_eq!(row.version, Some(2));
    (row.version, row.next_at) = (None, None);
    assert_eq!(row, full);
}

async fn somebody_elses_change_is_not_overwritten<DB: TestTable>() {
    let Some(database) = DB::database("conflicts").await else { return };
    database.put(StoredSchedule::new("a", "12:00:00")).await;
    let old = database.draft("a").await.expect("a draft");
    database.put(StoredSchedule::new("a", "13:00:00")).await;
    let mut gone = old.clone();
    "b".clone_into(&mut gone.name);
    for draft in [old, gone, draft("a", "14:00:00")] {
        let error = database.store(draft.clone()).await.expect_err("a conflict");
        assert!(error.is::<Conflict>(), "{draft:?}: {error}");
    }
    assert_eq!(database.get("a").await.expect("a row").schedule, "13:00:00");
    assert_eq!(database.get("b").await, None);
}

async fn schedules_are_removed<DB: TestTable>() {
    let Some(database) = DB::database("removals").await else { return };
    database.put(StoredSchedule::new("a", "12:00:00")).await;
    for was_there in [true, false] {
        let removed = database.ask(|source| source.editor().expect("an editor").remove("a")).await;
        assert_eq!(removed.expect("an answer"), was_there);
        assert_eq!(database.get("a").await, None);
    }
}
