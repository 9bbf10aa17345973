//! How schedules are shown.

use millicron::Language;
use millicron_apalis::stored::StoredSchedule;
use millicron_board::{JobState, Pattern, Source};

use crate::database::{TestTable, names, on_both};

on_both! {
    schedules_are_shown_with_their_meaning
    bounds_and_calendars_decide_the_next_event
    unreadable_schedules_are_shown_with_the_reason
    secrets_are_never_shown
    most_of_too_many_schedules_are_only_counted
}

async fn schedules_are_shown_with_their_meaning<DB: TestTable>() {
    let Some(database) = DB::database("jobs").await else { return };
    let report = StoredSchedule::new("report/7", "0 9 * * MON-FRI").zone("Europe/Berlin");
    database.put(report.tag("customer-7").tag("pdf")).await;
    let zoned = StoredSchedule::new("zoned", "*.*.* Mon 10:00:00 Asia/Tokyo").zone("Europe/Berlin");
    database.put(zoned).await;
    let mut quartz = StoredSchedule::new("quartz", "0 30 9 ? * 2-6").zone("UTC");
    quartz = quartz.dialect(Language::with_keyword("quartz").expect("a language"));
    quartz.paused = true;
    database.put(quartz).await;

    let report = database.job("report/7").await;
    assert_eq!(report.schedule, "0 9 * * MON-FRI");
    assert_eq!(report.description, "At 09:00 on Monday to Friday");
    assert_eq!(report.zone.as_deref(), Some("Europe/Berlin"));
    assert_eq!(report.tags, ["customer-7", "pdf"]);
    assert_eq!(report.state, JobState::Waiting);
    let row = database.get("report/7").await.expect("a row");
    assert!(row.next_at.is_some());
    assert_eq!(report.next, row.next_at);
    assert!(report.overdue_at > report.next);
    assert_eq!((report.running, report.last, report.outcomes), (0, None, vec![]));

    let zoned = database.job("zoned").await;
    assert_eq!(zoned.zone.as_deref(), Some("Asia/Tokyo"));

    let quartz = database.job("quartz").await;
    assert_eq!(quartz.description, "At 09:30 on Monday to Friday");
    assert_eq!((quartz.state, quartz.zone), (JobState::Paused, None));
    assert_eq!((quartz.next, quartz.overdue_at), (None, None));

    let changes = database.changes(None).await;
    assert!(changes.is_complete);
    assert_eq!(changes.jobs[1], database.job("report/7").await);
    assert_eq!(database.ask(|source| source.job("report")).await.expect("an answer"), None);
}

async fn bounds_and_calendars_decide_the_next_event<DB: TestTable>() {
    let Some(database) = DB::database("bounds").await else { return };
    // In 2001, two hours before the event of the day.
    let last = 1_000_029_600_000;
    database.put(StoredSchedule::new("free", "12:00:00").calendar("lse")).await;
    database.put(StoredSchedule::new("ended", "12:00:00").between(None, Some(last))).await;

    let pattern = async |name: &'static str| {
        let pattern = database.ask(|source| source.pattern(name)).await;
        pattern.expect("an answer").expect("a pattern")
    };
    // 2026-11-21 is a Saturday.
    let (friday, monday) = (1_795_176_000_000, 1_795_435_200_000);
    let free = pattern("free").await;
    assert!(matches!(free, Pattern::Schedule(_)));
    assert_eq!(free.recurrence().next_event(friday), Some(monday));
    let free = database.job("free").await;
    assert_eq!(free.description, "Every day at noon, on the days of `lse`");

    let ended = pattern("ended").await;
    let noon = last - 79_200_000;
    assert_eq!(ended.recurrence().next_event(noon - 1), Some(noon));
    assert_eq!(ended.recurrence().next_event(noon), None);
    let ended = database.job("ended").await;
    assert_eq!((ended.state, ended.next), (JobState::Ended, None));
}

async fn unreadable_schedules_are_shown_with_the_reason<DB: TestTable>() {
    let Some(database) = DB::database("unreadable rows").await else { return };
    let sql = format!(
        "INSERT INTO {} (name, schedule, zone, payload) VALUES
            ('calendar', '12:00:00 @nyse', NULL, '1'),
            ('fine', '12:00:00', NULL, '1'),
            ('text', '25:00:00', NULL, '1'),
            ('zone', '12:00:00', 'Europe/Berlinn', '1')",
        DB::TABLE
    );
    DB::run_sql(&database.pool, sql).await;
    let problems = [
        ("calendar", "`nyse` is not a known calendar: expected `lse`"),
        ("text", "hour `25` is out of range: expected 0-23"),
        ("zone", "`Europe/Berlinn` is not a time zone: expected `Europe/Berlin`"),
    ];
    // Before and after a worker has found the errors.
    for _ in 0..2 {
        let changes = database.changes(None).await;
        assert_eq!(names(&changes.jobs), ["calendar", "fine", "text", "zone"]);
        for (name, problem) in problems {
            let job = database.job(name).await;
            assert_eq!(job.description, format!("It has no events: {problem}"));
            assert_eq!((job.state, job.next), (JobState::Ended, None));
            let waits = database.ask(move |source| source.waits_for(name)).await;
            assert_eq!(waits.expect("an answer"), [problem]);
            let pattern = database.ask(move |source| source.pattern(name)).await;
            assert!(pattern.expect("an answer").is_none());
        }
        let fine = database.job("fine").await;
        assert_eq!((fine.state, &*fine.description), (JobState::Waiting, "Every day at noon"));
        assert!(fine.next.is_some());
        database.push_due().await;
    }
    let zone = database.get("zone").await.expect("a row");
    assert!(zone.error.is_some());
    assert_eq!(database.job("zone").await.zone.as_deref(), Some("Europe/Berlinn"));
}

async fn secrets_are_never_shown<DB: TestTable>() {
    let Some(database) = DB::database("secrets").await else { return };
    database.put(StoredSchedule::new("a", "12:00:00").payload("hunter2")).await;
    let sql = format!("UPDATE {} SET error = 'cannot decode \"hunter2\"'", DB::TABLE);
    DB::run_sql(&database.pool, sql).await;

    let shown = database.ask(|source| {
        let (changes, draft) = (source.changes(None)?, source.editor().expect("one").draft("a")?);
        let mut edited = draft.clone().expect("a draft");
        "25:00:00".clone_into(&mut edited.schedule);
        let invalid = source.editor().expect("one").store(&edited).expect_err("an error");
        edited.payload = Some("hunter2".to_owned());
        let payload = source.editor().expect("one").store(&edited).expect_err("an error");
        let (waits, job) = (source.waits_for("a")?, source.job("a")?);
        let json = [serde_json::to_string(&draft)?, serde_json::to_string(&job)?];
        let rest = format!("{changes:?} {invalid} {invalid:?} {payload} {payload:?} {source:?}");
        Ok::<_, millicron_board::SourceError>((json.join(" "), waits, rest))
    });
    let (json, waits, rest) = shown.await.expect("answers");
    assert_eq!(waits.len(), 1);
    assert!(json.contains("\"payload\":null"));
    for shown in [json, waits.join(" "), rest] {
        assert!(shown.len() > 50 && !shown.contains("hunter2"), "{shown}");
    }
}

async fn most_of_too_many_schedules_are_only_counted<DB: TestTable>() {
    let Some(database) = DB::database("20,000 schedules").await else { return };
    for thousands in 0..2 {
        let names = (0..10_000).map(|it| format!("job {:05}", thousands * 10_000 + it));
        let all: Vec<_> = names.map(|name| StoredSchedule::new(name, "*:*:00")).collect();
        database.schedules.put_all(&database.pool, &all).await.expect("valid schedules");
    }
    let changes = database.changes(None).await;
    assert_eq!((changes.jobs.len(), changes.unlisted), (10_000, 10_000));
    assert_eq!(changes.jobs[0].name, "job 00000");
    assert_eq!(changes.jobs[9_999].name, "job 09999");
    assert_eq!(database.job("job 19999").await.description, "Every minute");
}
