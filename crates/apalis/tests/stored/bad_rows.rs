//! Rows that cannot be read.

use std::time::Duration;

use millicron_apalis::stored::{Filter, InvalidSchedule, Selection, StoredError, StoredSchedule};
use millicron_apalis::{Missed, Notice, Run, Source};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use super::changes::{get, pause, push_due};
use super::{Database, TestTable, on_both, parts};

on_both! {
    row_that_no_program_can_read_stops_no_other
    payloads_and_tags_that_no_program_can_read_are_refused
    texts_of_another_program_are_read_again_later
    schedule_with_an_error_is_read_again_when_it_is_put
    old_version_that_cannot_be_read_expires_with_its_triggered_runs
    names_are_checked
    long_columns_are_refused
}

async fn row_that_no_program_can_read_stops_no_other<DB: TestTable>() {
    let Some(database) = DB::database("rows that cannot be read").await else { return };
    let Database { pool, schedules, .. } = &database;
    let good = StoredSchedule::new("good", "*:*:*.*/20").missed(Missed::All { max: 1000 });
    schedules.put(pool, &good.payload(1)).await.expect("a valid schedule");
    let (rows, names) = DB::BAD_ROWS;
    let mut accepted = 0;
    for (name, columns, values) in rows {
        let payload = if columns.contains("payload") { ["", ""] } else { ["payload, ", "'1', "] };
        let sql = format!(
            "INSERT INTO {} (name, schedule, {}{columns}) \
             VALUES ({name}, '*:*:*.*/20', {}{values})",
            DB::TABLE,
            payload[0],
            payload[1]
        );
        accepted += usize::from(DB::try_sql(pool, sql).await);
    }
    pause().await;
    push_due(&database).await;
    push_due(&database).await;
    let keys = DB::keys(pool).await;
    assert!(keys.iter().filter(|key| parts(key).0 == "good").count() >= 9, "{keys:?}");
    let page = schedules.list(pool, &Filter::default()).await.expect("a page");
    assert_eq!(page.schedules.len(), accepted + 1);
    let failed = schedules.list(pool, &Filter::default().failed()).await.expect("a page").schedules;
    let mut failed: Vec<_> = failed.into_iter().map(|it| (it.name.clone(), it)).collect();
    failed.sort_by(|a, b| a.0.cmp(&b.0));
    let found: Vec<_> = failed.iter().map(|it| &*it.0).collect();
    let mut names = names.to_vec();
    names.sort_unstable();
    assert_eq!(found, names);
    for (name, schedule) in &failed {
        assert!(schedule.error.is_some(), "{name}");
        if *name == "nested" {
            // What cannot be read is not written back.
            assert!(schedules.put(pool, schedule).await.is_err());
        }
    }
    let all = DB::tasks(pool).await;
    assert!(all.iter().all(|it| !names.contains(&parts(&it.0).0)), "{all:?}");
    let removed = schedules.remove(pool, Selection::Name("nested")).await.expect("a removal");
    assert_eq!(removed, 1);
    push_due(&database).await;
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |value, _| json!([value]))
}

async fn payloads_and_tags_that_no_program_can_read_are_refused<DB: TestTable>() {
    let Some(database) = DB::database("payloads").await else { return };
    let Database { pool, schedules, .. } = &database;
    let hourly = || StoredSchedule::new("a", "*:00:00");
    for (schedule, message) in [
        (hourly().payload(nested(127)), "the payload is nested deeper than 126 levels"),
        (hourly().payload(nested(1000)), "the payload is nested deeper than 126 levels"),
        (hourly().payload("a".repeat(65_535)), "the payload has 65537 bytes; the maximum is 65536"),
        (hourly().payload(json!({ "a": ["\0"] })), "the payload contains `\\0`"),
        (hourly().payload(json!({ "\0": 1 })), "the payload contains `\\0`"),
        (hourly().tag("\0"), "a tag contains `\\0`"),
        (hourly().tag("a").tag("ä".repeat(257)), "a tag has 514 bytes; the maximum is 512"),
    ] {
        let result = schedules.put(pool, &schedule).await;
        let Err(StoredError::Invalid { error, .. }) = result else { panic!("{result:?}") };
        assert_eq!(error.to_string(), message);
    }
    let deepest = hourly().payload(nested(126));
    schedules.put(pool, &deepest).await.expect("a valid schedule");
    assert_eq!(get(&database, "a").await.payload, deepest.payload);
    // A worker decodes it as a part of a run.
    let run = serde_json::to_string(&Run::new("a", 0, deepest.payload)).expect("a run");
    assert!(serde_json::from_str::<Run<Value>>(&run).is_ok());
}

/// During a deployment, another program may know them.
async fn texts_of_another_program_are_read_again_later<DB: TestTable>() {
    let Some(database) = DB::database("languages").await else { return };
    let table = DB::TABLE;
    let insert = format!(
        "INSERT INTO {table} (name, schedule, dialect, calendars) VALUES
            ('a', '* * *', 'new', {none}),
            ('b', '12:00:00 @other', NULL, {none}),
            ('c', '*.*.* Sun 12:00:00 @lse', NULL, {none}),
            ('d', '*.*.* Sun 12:00:00', NULL, {lse}),
            ('e', '12:00:00 of a later version', NULL, {none}),
            ('f', '0 30 9 * * 1-5', NULL, {none})",
        none = DB::LISTS[0],
        lse = DB::LISTS[1],
    );
    DB::run_sql(&database.pool, insert).await;
    push_due(&database).await;
    for name in ["a", "b", "c", "d", "e", "f"] {
        let row = get(&database, name).await;
        assert!(row.error.is_some() && row.next_at.is_some(), "{row:?}");
    }
}

/// Another program may have set it aside. The error is reported once.
async fn schedule_with_an_error_is_read_again_when_it_is_put<DB: TestTable>() {
    let Some(database) = DB::database("a schedule that is put again").await else { return };
    let Database { pool, schedules, .. } = &database;
    let (sender, mut notices) = unbounded_channel();
    let observer = move |notice: &Notice<'_>| sender.send(notice.to_string()).expect("a receiver");
    let source = Source::<u32>::builder().stored(schedules).observer(observer);
    let source = source.build().expect("a source");
    let unknown = StoredSchedule::new("a", "2099.01.01 00:00:00").payload("a text");
    let all = [unknown, StoredSchedule::new("b", "2099.01.01 00:00:00").payload(1)];
    schedules.put_all(pool, &all).await.expect("valid schedules");
    schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
    for notice in [true, false] {
        assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
        assert_eq!(notices.try_recv().is_ok(), notice);
        let row = get(&database, "a").await;
        assert!(row.error.is_some() && row.next_at.is_some(), "{row:?}");
        let versions = schedules.put_all(pool, &all).await.expect("valid schedules");
        assert_eq!(versions, [1, 1]);
        // It is not known before the row has been read.
        assert_eq!(get(&database, "a").await.next_at, None);
        assert_eq!(get(&database, "b").await.next_at, Some(4_070_908_800_000));
    }
    schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
    assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
    assert_eq!(notices.try_recv().ok(), None);
}

async fn old_version_that_cannot_be_read_expires_with_its_triggered_runs<DB: TestTable>() {
    let Some(database) = DB::database("old versions with triggers").await else { return };
    let Database { pool, schedules, .. } = &database;
    let (sender, mut notices) = unbounded_channel();
    let observer = move |notice: &Notice<'_>| sender.send(notice.to_string()).expect("a receiver");
    let source = Source::builder().stored(schedules).observer(observer).build().expect("a source");
    let mut storage = DB::storage(pool);
    for catch_up in [Duration::ZERO, Duration::from_hours(1)] {
        let unknown = StoredSchedule::new("a", "2099.01.01 00:00:00").payload("a text");
        schedules.put(pool, &unknown.catch_up(catch_up)).await.expect("a valid schedule");
        schedules.trigger(pool, Selection::Name("a")).await.expect("a trigger");
        schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
        pause().await;
        for _ in 0..2 {
            assert!(source.push_due(&mut storage).await.expect("a storage"));
            let retired = DB::TABLE.replace("schedules", "retired");
            DB::run_sql(pool, format!("UPDATE {retired} SET next_at = {}", DB::PAST)).await;
        }
        let notice = notices.try_recv().expect("a notice");
        assert!(notice.starts_with("the stored schedule `a` is invalid"), "{notice}");
        assert_eq!(notices.try_recv().ok(), None, "{catch_up:?}");
    }
    // Another program knows the payload.
    let retired = DB::TABLE.replace("schedules", "retired");
    DB::run_sql(pool, format!("UPDATE {retired} SET payload = '1'")).await;
    assert!(source.push_due(&mut storage).await.expect("a storage"));
    assert_eq!(DB::tasks(pool).await.len(), 1);
}

async fn long_columns_are_refused<DB: TestTable>() {
    let Some(database) = DB::database("long columns").await else { return };
    let Database { pool, schedules, .. } = &database;
    let hourly = || StoredSchedule::new("a", "*:00:00");
    let padded =
        |length: usize| StoredSchedule::new("a", "*:00:00".to_owned() + &" ".repeat(length - 7));
    // With the escape, each of these tags has nine bytes in a list.
    let tagged = (0..7281).fold(hourly(), |it, _| it.tag("\u{1}"));
    for (schedule, column) in [
        (padded(65_537), "schedule"),
        (hourly().zone("a".repeat(65_537)), "zone"),
        (hourly().calendar("a".repeat(65_533)), "calendars"),
        (tagged.clone().tag("bbbb"), "tags"),
    ] {
        let result = schedules.put(pool, &schedule).await;
        let Err(StoredError::Invalid { error, .. }) = result else { panic!("{result:?}") };
        let expected = format!("the column `{column}` has 65537 bytes; the maximum is 65536");
        assert_eq!(error.to_string(), expected);
    }
    for longest in [padded(65_536), tagged.tag("bbb"), hourly().tag("a".repeat(512))] {
        schedules.put(pool, &longest).await.expect("a valid schedule");
        let row = get(&database, "a").await;
        assert_eq!((row.schedule, row.tags), (longest.schedule, longest.tags));
    }
    let text = "*".repeat(65_537);
    let insert = format!("INSERT INTO {} (name, schedule) VALUES ('b', '{text}')", DB::TABLE);
    assert!(!DB::try_sql(pool, insert).await);
}

async fn names_are_checked<DB: TestTable>() {
    let Some(database) = DB::database("names").await else { return };
    let Database { pool, schedules, .. } = &database;
    for (name, message) in [
        (String::new(), "the name is empty".to_owned()),
        ("a".repeat(513), "the name has 513 bytes; the maximum is 512".to_owned()),
        ("a\0".to_owned(), "the name \"a\\0\" contains `\\0`".to_owned()),
    ] {
        let result = schedules.put(pool, &StoredSchedule::new(name, "*:00:00")).await;
        let Err(StoredError::Invalid { error, .. }) = result else { panic!("{result:?}") };
        assert!(matches!(*error, InvalidSchedule::Name(_)));
        assert_eq!(error.to_string(), message);
    }
}
