//! Schedules in several databases.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use millicron::unix_millis;
use millicron_apalis::stored::{Filter, Schedules, Selection, Shards, StoredError, StoredSchedule};
use millicron_apalis::{Missed, Source};
use sqlx::{Sqlite, SqlitePool};
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts, push_and_count_duplicates};

on_both! {
    each_event_is_a_task_in_the_database_of_its_schedule
    all_is_put_into_its_database_or_refused
    lists_are_merged_and_paged
    tags_are_for_all_databases_and_names_for_one
    no_event_is_lost_or_doubled_while_databases_change
    schedules_that_start_later_or_have_ended_move_too
    moves_that_take_longer_than_the_delay_are_reported
}

/// Databases with the names `a`, `b` and so on.
async fn databases<DB: TestTable>(what: &str, count: usize) -> Option<Vec<Database<DB>>> {
    let mut databases = Vec::new();
    for _ in 0..count {
        databases.push(DB::database(what).await?);
    }
    Some(databases)
}

fn shards<DB: TestTable>(databases: &[Database<DB>]) -> Shards<DB> {
    let databases = databases.iter().map(|it| it.schedules.clone());
    Shards::new(["a", "b", "c"].into_iter().zip(databases)).expect("different names")
}

/// Shards without databases.
async fn names<const COUNT: usize>(names: [&str; COUNT]) -> Result<Shards<Sqlite>, StoredError> {
    let pool = SqlitePool::connect("sqlite::memory:").await.expect("a database");
    let schedules = Schedules::open(&pool).await.expect("a table");
    Shards::new(names.map(|name| (name, schedules.clone())))
}

fn often(name: &str) -> StoredSchedule {
    let schedule = StoredSchedule::new(name, "*:*:*.*/50").payload(1);
    schedule.missed(Missed::All { max: 10_000 })
}

async fn push_due<DB: TestTable>(databases: &[Database<DB>]) {
    for database in databases {
        assert_eq!(push_and_count_duplicates(database).await, 0);
    }
}

#[tokio::test]
async fn databases_need_different_names() {
    let error = names([]).await.expect_err("no database");
    assert_eq!(error.to_string(), "no database is given");
    let error = names(["a", "b", "a"]).await.expect_err("two databases");
    assert_eq!(error.to_string(), "two databases are named `a`");
}

/// Programs of all versions must agree. A program in Python computed the expected names.
#[tokio::test]
async fn placement_never_changes() {
    let schedules = ["", "a", "report/7", "customer/00000001", "Bericht für Jürgen", "日報"];
    let places = async |databases: [&'static str; 3]| {
        let shards = names(databases).await.expect("different names");
        schedules.map(|name| shards.name_of(name).to_owned())
    };
    assert_eq!(places(["a", "b", "c"]).await, ["b", "c", "a", "b", "c", "c"]);
    assert_eq!(places(["c", "a", "b"]).await, places(["a", "b", "c"]).await);
    let expected = ["db-3", "db-3", "db-1", "db-2", "db-3", "db-1"];
    assert_eq!(places(["db-1", "db-2", "db-3"]).await, expected);
}

#[tokio::test]
async fn placement_is_balanced_and_a_new_database_takes_its_share() {
    const SCHEDULES: usize = 40_000;
    let all = ["db-00", "db-01", "db-02", "db-03", "db-04", "db-05", "db-06", "db-07"];
    let few = names(*all.first_chunk::<7>().expect("seven")).await.expect("different names");
    let many = names(all).await.expect("different names");
    let names: [fn(usize) -> String; 3] =
        [|n| format!("customer/{n:08}"), |n| n.to_string(), |n| format!("{n}/daily")];
    for name in names {
        let mut counts = [0_usize; 8];
        for schedule in (0..SCHEDULES).map(name) {
            let (before, after) = (few.name_of(&schedule), many.name_of(&schedule));
            assert!(after == before || after == "db-07", "{schedule}: {before}, {after}");
            counts[all.binary_search(&after).expect("a database")] += 1;
        }
        // Five standard deviations.
        assert!(counts.iter().all(|count| count.abs_diff(SCHEDULES / 8) < 330), "{counts:?}");
    }
}

async fn each_event_is_a_task_in_the_database_of_its_schedule<DB: TestTable>() {
    let Some(databases) = databases::<DB>("shards", 2).await else { return };
    let shards = shards(&databases);
    // Two machines, each with a source for each database.
    let replicas: Vec<_> = databases
        .iter()
        .chain(&databases)
        .map(|database| {
            let source = Source::builder().stored(&database.schedules).build().expect("a source");
            let (task, storage) = (source.clone(), DB::storage(&database.pool));
            let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
            (source, task)
        })
        .collect();
    let all: Vec<_> = (0..20).map(|n| often(&format!("often/{n}")).tag("often")).collect();
    shards.put_all(&all).await.expect("valid schedules");
    sleep(Duration::from_secs(1)).await;
    shards.pause(Selection::Tag("often")).await.expect("a pause");
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
        assert_eq!((source.stats().duplicates, source.stats().failures), (0, 0));
    }
    push_due(&databases).await;
    let mut names = BTreeSet::new();
    for (database, (shard, _)) in databases.iter().zip(shards.iter()) {
        let keys = DB::keys(&database.pool).await;
        assert!(keys.iter().all(|key| shards.name_of(parts(key).0) == shard), "{shard}: {keys:?}");
        names.extend(keys.iter().map(|key| parts(key).0.to_owned()));
    }
    assert_eq!(names.len(), 20);
    assert_consecutive(&databases).await;
}

/// The events of each schedule are 50 ms apart, whichever database has their tasks.
async fn assert_consecutive<DB: TestTable>(databases: &[Database<DB>]) {
    let mut events = Vec::new();
    for database in databases {
        let keys = DB::keys(&database.pool).await;
        events.extend(keys.iter().map(|key| {
            let (name, instant) = parts(key);
            (name.to_owned(), instant)
        }));
    }
    events.sort();
    for events in events.chunk_by(|(a, _), (b, _)| a == b) {
        let is_next = |pair: &[(String, i64)]| pair[1].1 == pair[0].1 + 50;
        assert!(events.windows(2).all(is_next), "{events:?}");
        assert!(events.len() >= 16, "{events:?}");
    }
}

async fn all_is_put_into_its_database_or_refused<DB: TestTable>() {
    let Some(databases) = databases::<DB>("shards and changes", 2).await else { return };
    let shards = shards(&databases);
    let schedule = |n| StoredSchedule::new(format!("{n:02}"), "*:00:00");
    let mut all: Vec<_> = (0..20).map(schedule).collect();
    assert_eq!(shards.put_all(&all[..10]).await.expect("valid schedules"), [1; 10]);
    all[3] = schedule(3).tag("changed");
    let versions = shards.put_all(&all).await.expect("valid schedules");
    let expected: Vec<_> = (0..20).map(|n| if n == 3 { 2 } else { 1 }).collect();
    assert_eq!(versions, expected);
    for StoredSchedule { name, .. } in &all {
        for (shard, schedules) in shards.iter() {
            let found = schedules.get(schedules.pool(), name).await.expect("a table");
            assert_eq!(found.is_some(), shard == shards.name_of(name), "{name} in {shard}");
        }
    }
    // All databases refuse it if one does.
    for wrong in [StoredSchedule::new("19", "25:00:00"), schedule(0)] {
        let new: Vec<_> = (0..19).map(|n| schedule(n).tag("new")).chain([wrong]).collect();
        shards.put_all(&new).await.expect_err("an error");
        let page = shards.list(&Filter::default().tag("new")).await.expect("a page");
        assert_eq!(page.schedules, []);
    }
    assert_eq!(shards.put_all(&[]).await.expect("nothing"), [0; 0]);
}

async fn lists_are_merged_and_paged<DB: TestTable>() {
    let Some(databases) = databases::<DB>("lists of shards", 2).await else { return };
    let shards = shards(&databases);
    let mut all: Vec<_> = (0..30)
        .map(|n| {
            // The later the name, the earlier the event.
            let text = format!("2099.01.{:02} 00:00:00", 30 - n / 2);
            StoredSchedule::new(format!("{n:02}"), text)
        })
        .collect();
    shards.put_all(&all).await.expect("valid schedules");
    let pages = async |mut filter: Filter| {
        let mut pages = Vec::new();
        loop {
            let page = shards.list(&filter).await.expect("a page");
            pages.push(page.schedules.into_iter().map(|it| it.name).collect::<Vec<_>>());
            match page.next {
                Some(next) => filter = next,
                None => return pages,
            }
        }
    };
    let names: Vec<_> = all.iter().map(|it| it.name.clone()).collect();
    for limit in [1, 7, 10, 30, 100] {
        let pages = pages(Filter::default().limit(limit)).await;
        assert_eq!(pages.len(), 30_usize.div_ceil(limit));
        assert_eq!(pages.concat(), names, "{limit}");
    }
    all.sort_by_key(|it| it.schedule.clone());
    let names: Vec<_> = all.iter().map(|it| it.name.clone()).collect();
    for limit in [1, 7, 100] {
        let pages = pages(Filter::default().due_before(i64::MAX >> 12).limit(limit)).await;
        assert_eq!(pages.concat(), names, "{limit}");
    }
}

async fn tags_are_for_all_databases_and_names_for_one<DB: TestTable>() {
    let Some(databases) = databases::<DB>("tags of shards", 2).await else { return };
    let shards = shards(&databases);
    let all: Vec<_> = (0..20)
        .map(|n| StoredSchedule::new(n.to_string(), "*:00:00").payload(1))
        .map(|it| if it.name.len() == 2 { it.tag("long") } else { it })
        .collect();
    shards.put_all(&all).await.expect("valid schedules");
    let (tag, name) = (Selection::Tag("long"), Selection::Name("7"));
    assert_eq!(shards.pause(tag).await.expect("a pause"), 10);
    assert_eq!(shards.pause(name).await.expect("a pause"), 1);
    let paused = shards.list(&Filter::default().paused()).await.expect("a page");
    assert_eq!(paused.schedules.len(), 11);
    assert_eq!(shards.resume(tag).await.expect("a resumption"), 10);
    assert_eq!(shards.trigger(tag).await.expect("a trigger"), 10);
    assert_eq!(shards.trigger(name).await.expect("a trigger"), 1);
    push_due(&databases).await;
    let mut tasks = Vec::new();
    for Database { pool, .. } in &databases {
        tasks.push(DB::keys(pool).await.len());
    }
    assert_eq!(tasks.iter().sum::<usize>(), 11, "{tasks:?}");
    assert!(!tasks.contains(&0), "{tasks:?}");
    assert_eq!(shards.remove(tag).await.expect("a removal"), 10);
    assert_eq!(shards.remove(name).await.expect("a removal"), 1);
    let page = shards.list(&Filter::default()).await.expect("a page");
    assert_eq!(page.schedules.len(), 9);
}

async fn get<DB: TestTable>(shards: &Shards<DB>, name: &str) -> StoredSchedule {
    let table = shards.of(name);
    table.get(table.pool(), name).await.expect("a table").expect("a schedule")
}

/// Calls a test with a delay for moves of schedules, and with longer ones where writing them takes too long.
async fn with_delay<T: Future<Output = Result<(), StoredError>>>(test: impl Fn(Duration) -> T) {
    for seconds in [2, 10, 60] {
        match test(Duration::from_secs(seconds)).await {
            Err(StoredError::TimedOut(_)) => {}
            result => return result.expect("databases"),
        }
    }
    panic!("it takes a minute to write the schedules");
}

/// Moves schedules, and returns how many times that took.
async fn rebalance<DB: TestTable>(
    to: &Shards<DB>,
    from: &Shards<DB>,
    delay: Duration,
) -> Result<usize, StoredError> {
    let mut calls = 1;
    while to.rebalance(from, delay).await? > 0 {
        calls += 1;
        sleep(Duration::from_millis(300)).await;
    }
    Ok(calls)
}

async fn no_event_is_lost_or_doubled_while_databases_change<DB: TestTable>() {
    with_delay(move_all_schedules::<DB>).await;
}

async fn move_all_schedules<DB: TestTable>(delay: Duration) -> Result<(), StoredError> {
    let Some(databases) = databases::<DB>("more shards", 3).await else { return Ok(()) };
    let (before, after) = (shards(&databases[..2]), shards(&databases));
    let all: Vec<_> = (0..30).map(|n| often(&format!("often/{n}"))).collect();
    before.put_all(&all).await.expect("valid schedules");
    assert_eq!(rebalance(&before, &before, delay).await?, 1);
    // As if a program had died after it had written the new row of some.
    let start = unix_millis(SystemTime::now()) + 60_000;
    let moving: Vec<_> = all.iter().filter(|it| after.name_of(&it.name) == "c").take(3).collect();
    let copies: Vec<_> = moving.iter().map(|&it| it.clone().between(Some(start), None)).collect();
    assert_eq!(after.put_all(&copies).await.expect("valid schedules"), [1; 3]);
    for (to, from) in [(&after, &before), (&before, &after)] {
        assert!(rebalance(to, from, delay).await? > 1);
        // Each schedule is in its database only.
        for (shard, schedules) in from.iter() {
            let page = schedules.list(schedules.pool(), &Filter::default()).await;
            for schedule in page.expect("a page").schedules {
                assert_eq!(to.name_of(&schedule.name), shard, "{schedule:?}");
                assert_eq!(schedule.tags, [""; 0]);
            }
        }
        assert_eq!(to.list(&Filter::default()).await.expect("a page").schedules.len(), 30);
    }
    push_due(&databases).await;
    assert!(!DB::keys(&databases[2].pool).await.is_empty());
    assert_consecutive(&databases).await;
    Ok(())
}

async fn schedules_that_start_later_or_have_ended_move_too<DB: TestTable>() {
    with_delay(move_bounded_schedules::<DB>).await;
}

async fn move_bounded_schedules<DB: TestTable>(delay: Duration) -> Result<(), StoredError> {
    let Some(databases) = databases::<DB>("shards and bounds", 2).await else { return Ok(()) };
    let (before, after) = (shards(&databases[..1]), shards(&databases));
    let name = (0..).map(|n| n.to_string()).filter(|it| after.name_of(it) == "b");
    let names: Vec<_> = name.take(5).collect();
    let later = 4_070_908_800_000;
    let bounds = [(None, Some(1)), (Some(later), None), (None, None), (None, Some(later))];
    let all: Vec<_> = names
        .iter()
        .zip(bounds)
        .map(|(name, (start, end))| often(name).between(start, end).tag("own"))
        .collect();
    before.put_all(&all).await.expect("valid schedules");
    // A row that no program can read has no events.
    let invalid = &names[4];
    let insert = format!("INSERT INTO {} (name, schedule) VALUES ('{invalid}', '?')", DB::TABLE);
    DB::run_sql(&databases[0].pool, insert).await;
    assert_eq!(after.rebalance(&before, delay).await?, 4);
    let [old, new] = [&before, &after].map(|shards| get(shards, &names[2]));
    let (old, new) = (old.await, new.await);
    assert_eq!(old.ends_at.expect("an end") + 1, new.starts_at.expect("a start"));
    rebalance(&after, &before, delay).await?;
    for (schedule, bounds) in all.iter().zip(bounds) {
        let found = get(&after, &schedule.name).await;
        assert_eq!((found.paused, found.tags, found.version), (false, vec!["own".into()], Some(1)));
        assert_eq!((found.payload, found.ends_at), (1.into(), bounds.1));
        let keeps_start = found.starts_at == bounds.0;
        assert_eq!(keeps_start, bounds != (None, None) && bounds != (None, Some(later)));
    }
    let left = before.list(&Filter::default()).await.expect("a page").schedules;
    assert_eq!(left.iter().map(|it| &*it.name).collect::<Vec<_>>(), [invalid.as_str()]);
    Ok(())
}

async fn moves_that_take_longer_than_the_delay_are_reported<DB: TestTable>() {
    let Some(databases) = databases::<DB>("slow moves", 2).await else { return };
    let (before, after) = (shards(&databases[..1]), shards(&databases));
    let all: Vec<_> = (0..9).map(|n| often(&n.to_string())).collect();
    before.put_all(&all).await.expect("valid schedules");
    let error = after.rebalance(&before, Duration::ZERO).await.expect_err("a move takes time");
    assert_eq!(
        error.to_string(),
        "moving schedules took longer than 0ns: some may have lost or doubled events"
    );
}
