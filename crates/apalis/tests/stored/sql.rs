//! Statements of users, and settings at their limits.

use std::time::{Duration, SystemTime};

use millicron::every;
use millicron_apalis::Source;
use millicron_apalis::stored::{Filter, Schedules, Selection, StoredError, StoredSchedule};
use sqlx::{PgPool, Postgres, Sqlite};
use tokio::time::sleep;

use super::changes::{get, often, pause, push_due};
use super::{Database, TestTable, on_both, parts};
use crate::support::{soon, unix_millis};

on_both! {
    longest_durations_are_clamped
    tags_alone_change_no_event
    trigger_together_with_tags_is_pushed_at_once
    columns_of_the_database_are_not_taken_from_users
    schemas_may_have_names_of_keywords
}

async fn longest_durations_are_clamped<DB: TestTable>() {
    let Some(database) = DB::database("the longest durations").await else { return };
    let Database { pool, schedules, .. } = &database;
    let yearly = StoredSchedule::new("yearly", "2090.01.01 00:00:00").payload(1);
    schedules.put(pool, &yearly).await.expect("a valid schedule");
    let source = Source::builder().stored(schedules).catch_up(Duration::MAX).ahead(Duration::MAX);
    let decade = every(10 * 365 * 24).hours().from(0);
    let source = source.grace(Duration::MAX).add("job", decade, 1).build().expect("a source");
    for _ in 0..2 {
        assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
    }
    let keys = DB::keys(pool).await;
    assert!(keys.contains(&"yearly:3786912000000".to_owned()), "{keys:?}");
    assert!(keys.iter().any(|key| parts(key).0 == "job"), "{keys:?}");
}

async fn tags_alone_change_no_event<DB: TestTable>() {
    let Some(database) = DB::database("changed tags").await else { return };
    let Database { pool, schedules, .. } = &database;
    let yearly = StoredSchedule::new("yearly", "2099.01.01 00:00:00").payload(1);
    let mut paused = StoredSchedule::new("paused", "2099.01.01 00:00:00");
    paused.paused = true;
    let all = [yearly, paused, often(1)];
    schedules.put_all(pool, &all).await.expect("valid schedules");
    schedules.trigger(pool, Selection::Name("yearly")).await.expect("a trigger");
    pause().await;
    let before = [get(&database, "often").await, get(&database, "paused").await];
    let all = all.map(|it| it.tag("new"));
    assert_eq!(schedules.put_all(pool, &all).await.expect("valid schedules"), [2, 2, 2]);
    let after = [get(&database, "often").await, get(&database, "paused").await];
    assert_eq!(before.map(|it| it.next_at), after.map(|it| it.next_at));
    push_due(&database).await;
    let tasks = DB::tasks(pool).await;
    assert_eq!(tasks.iter().filter(|task| parts(&task.0).0 == "yearly").count(), 1, "{tasks:?}");
    assert!(tasks.iter().filter(|task| parts(&task.0).0 == "often").count() >= 9, "{tasks:?}");
    let page = schedules.list(pool, &Filter::default().tag("new")).await.expect("a page");
    assert_eq!(page.schedules.len(), 3);
}

/// A transaction of a user that refers to a schedule holds up neither its events nor its changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_keys_hold_up_nothing() {
    let Some(database) = <Postgres as TestTable>::database("foreign keys").await else { return };
    let Database { pool, schedules, .. } = &database;
    let table = "CREATE TABLE customers (report text COLLATE \"C\" REFERENCES millicron.schedules)";
    Postgres::run_sql(pool, table).await;
    schedules.put(pool, &often(1)).await.expect("a valid schedule");
    pause().await;
    let mut transaction = pool.begin().await.expect("a transaction");
    let customer = sqlx::query("INSERT INTO customers VALUES ('often')");
    customer.execute(&mut *transaction).await.expect("a customer");
    push_due(&database).await;
    let count = Postgres::keys(pool).await.len();
    assert!(count >= 9, "{count}");
    soon(schedules.put(pool, &often(2))).await.expect("a change");
    transaction.commit().await.expect("a commit");
}

/// With the rights that the documentation names.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_roles_can_change_schedules() {
    let Some(database) = <Postgres as TestTable>::database("roles").await else { return };
    let Database { pool, schedules, .. } = &database;
    let rights = "CREATE ROLE shop;
        GRANT USAGE ON SCHEMA millicron TO shop;
        GRANT SELECT, INSERT, UPDATE, DELETE ON millicron.schedules TO shop;
        GRANT INSERT ON millicron.retired TO shop;";
    Postgres::run_sql(pool, rights).await;
    schedules.put(pool, &often(1)).await.expect("a valid schedule");
    pause().await;
    let changes = "BEGIN;
        SET LOCAL ROLE shop;
        INSERT INTO millicron.schedules (name, schedule, payload) VALUES ('new', '*:*:*', '1');
        UPDATE millicron.schedules SET payload = '2' WHERE name = 'often';
        COMMIT;";
    Postgres::run_sql(pool, changes).await;
    push_due(&database).await;
    let tasks = Postgres::tasks(pool).await;
    let is_old = |(key, payload): &&(String, u32)| parts(key).0 == "often" && *payload == 1;
    assert!(tasks.iter().filter(is_old).count() >= 9, "{tasks:?}");
    assert_eq!(get(&database, "new").await.error, None);
}

/// Mappers of objects write all columns of a row, whichever have changed.
async fn trigger_together_with_tags_is_pushed_at_once<DB: TestTable>() {
    let Some(database) = DB::database("a trigger with tags").await else { return };
    let Database { pool, schedules, .. } = &database;
    let yearly = StoredSchedule::new("yearly", "2099.01.01 00:00:00").payload(1);
    schedules.put(pool, &yearly).await.expect("a valid schedule");
    let (tags, triggered) = if DB::NAME == "SQLite" {
        ("json_insert(tags, '$[#]', 'new')", "json_insert(triggered, '$[#]', 1795219200000)")
    } else {
        ("tags || 'new'::text", "triggered || '2026-11-21 00:00:00Z'::timestamptz")
    };
    for tags in [tags, "tags"] {
        let update = format!(
            "UPDATE {} SET name = name, payload = payload, tags = {tags}, triggered = {triggered}, next_at = {}",
            DB::TABLE,
            DB::PAST
        );
        DB::run_sql(pool, update).await;
        assert_eq!(get(&database, "yearly").await.next_at, None);
        push_due(&database).await;
        assert_eq!(DB::keys(pool).await, ["yearly:1795219200000"], "{tags}");
        DB::run_sql(pool, format!("DELETE FROM {}", DB::TASKS)).await;
        assert_eq!(get(&database, "yearly").await.next_at, Some(4_070_908_800_000));
    }
}

/// A row that is copied, and one that is saved with what was read earlier.
async fn columns_of_the_database_are_not_taken_from_users<DB: TestTable>() {
    let Some(database) = DB::database("columns of the database").await else { return };
    let Database { pool, schedules, .. } = &database;
    let now = unix_millis(SystemTime::now());
    // All its events have passed.
    let ended = StoredSchedule::new("ended", "*:00:00").payload(1).between(None, Some(now));
    schedules.put(pool, &ended).await.expect("a valid schedule");
    let yearly = StoredSchedule::new("yearly", "2099.01.01 00:00:00").payload(1);
    schedules.put(pool, &yearly).await.expect("a valid schedule");
    let (table, past) = (DB::TABLE, DB::PAST);
    let copy = format!(
        "INSERT INTO {table} (name, schedule, payload, version, next_at)
        SELECT 'copy', '*:*:*', '2', version, next_at FROM {table} WHERE name = 'yearly'"
    );
    DB::run_sql(pool, copy).await;
    // It is to be read.
    assert_eq!(get(&database, "copy").await.next_at, None);
    DB::run_sql(pool, format!("DELETE FROM {table} WHERE name = 'copy'")).await;
    // As mappers create rows.
    let new = format!(
        "INSERT INTO {table} (name, schedule, payload, version, next_at) VALUES ('new', '*:*:*', '2', 0, NULL)"
    );
    DB::run_sql(pool, new).await;
    push_due(&database).await;
    assert_ne!(get(&database, "new").await.next_at, None);
    DB::run_sql(pool, format!("DELETE FROM {table} WHERE name = 'new'")).await;

    push_due(&database).await;
    let keys = DB::keys(pool).await;
    let before = [get(&database, "ended").await, get(&database, "yearly").await];
    let save = format!(
        "UPDATE {table} SET name = name, schedule = schedule, payload = payload, tags = tags, version = 7,
        next_at = {past}, last_at = {past}, error = 'an old one', since = {past}, claimed_through = {past}"
    );
    DB::run_sql(pool, save).await;
    let after = [get(&database, "ended").await, get(&database, "yearly").await];
    assert_eq!(before, after);
    // The next event of another version.
    let change = format!("UPDATE {table} SET payload = '3', next_at = NULL WHERE name = 'yearly'");
    DB::run_sql(pool, change).await;
    DB::run_sql(pool, format!("UPDATE {table} SET next_at = {past} WHERE name = 'ended'")).await;
    push_due(&database).await;
    assert_eq!(DB::keys(pool).await, keys);
    assert_eq!(get(&database, "yearly").await.next_at, Some(4_070_908_800_000));
}

/// With `PostgreSQL`, the claim locks the row until its instants are removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn earlier_trigger_during_a_push_is_not_lost() {
    let Some(database) = <Sqlite as TestTable>::database("an earlier trigger").await else {
        return;
    };
    let Database { pool, schedules, .. } = &database;
    let yearly = StoredSchedule::new("yearly", "2099.01.01 00:00:00").payload(1);
    schedules.put(pool, &yearly).await.expect("a valid schedule");
    let during_push = "
        CREATE TRIGGER during_push AFTER INSERT ON Jobs WHEN NEW.idempotency_key = 'yearly:3000' BEGIN
            UPDATE millicron_schedules SET
                triggered = json_insert(triggered, '$[#]', 2000, '$[#]', 4000),
                next_at = 0;
        END";
    Sqlite::run_sql(pool, during_push).await;
    Sqlite::run_sql(pool, "UPDATE millicron_schedules SET triggered = '[3000, 1000]', next_at = 0")
        .await;
    push_due(&database).await;
    let keys = Sqlite::keys(pool).await;
    assert_eq!(keys, ["yearly:1000", "yearly:2000", "yearly:3000", "yearly:4000"]);
    assert_eq!(get(&database, "yearly").await.next_at, Some(4_070_908_800_000));
}

async fn schemas_may_have_names_of_keywords<DB: TestTable>() {
    let Some(database) = DB::database("a keyword").await else { return };
    let pool = &database.pool;
    for schema in ["user", "order"] {
        let schedules = Schedules::open_in(pool, schema).await.expect("the tables");
        let source = Source::builder().stored(&schedules).build().expect("a source");
        let task = source.clone();
        let storage = DB::storage(pool);
        let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
        let name = format!("in {schema}");
        let mut schedule = StoredSchedule::new(&name, "*:*:*.*/20").payload(1);
        for payload in 1..3 {
            schedule = schedule.payload(payload);
            schedules.put(pool, &schedule).await.expect("a valid schedule");
            pause().await;
        }
        schedules.remove(pool, Selection::Name(&name)).await.expect("a removal");
        soon(async {
            while !DB::keys(pool).await.iter().any(|key| parts(key).0 == name) {
                pause().await;
            }
        })
        .await;
        source.close();
        task.await.expect("no panic");
    }
}

/// Debian 12 has version 3.40, in which `unixepoch('subsec')` is `NULL`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_with_an_older_sqlite_may_change_rows() {
    let Some(database) = <Sqlite as TestTable>::database("the schema").await else { return };
    let schema = "SELECT sql FROM sqlite_schema WHERE sql LIKE '%millicron%'";
    let schema: Vec<String> =
        sqlx::query_scalar(schema).fetch_all(&database.pool).await.expect("the schema");
    assert!(schema.len() >= 8, "{schema:?}");
    let unknown = schema.iter().find(|sql| sql.contains("subsec") || sql.contains("->"));
    assert_eq!(unknown, None);
}

/// Pages are in the order of the bytes, not of the characters that replace them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_are_not_utf_8_are_listed_once() {
    let database = <Sqlite as TestTable>::database("").await.expect("a database");
    let Database { pool, schedules, .. } = &database;
    let names = ["61", "6180", "6180FF", "61EFBFBD", "61F09F9880", "61FE", "61FF", "62"];
    for name in names {
        let insert = format!(
            "INSERT INTO millicron_schedules (name, schedule, next_at)
            VALUES (CAST(x'{name}' AS TEXT), '*:00:00', 0)"
        );
        Sqlite::run_sql(pool, insert).await;
    }
    for filter in [Filter::default(), Filter::default().due_before(1)] {
        for limit in 1..=names.len() {
            let mut listed = Vec::new();
            let mut next = Some(filter.clone().limit(limit));
            while let Some(filter) = next {
                let page = schedules.list(pool, &filter).await.expect("a page");
                listed.extend(page.schedules.into_iter().map(|it| it.name));
                next = page.next.filter(|_| listed.len() <= names.len());
            }
            let expected = ["a", "a\u{fffd}", "a\u{fffd}\u{fffd}", "a\u{fffd}", "a\u{1f600}"];
            assert_eq!(listed[..5], expected, "{limit}");
            assert_eq!(listed[5..], ["a\u{fffd}", "a\u{fffd}", "b"], "{limit}");
        }
    }
}

/// A replacement calls no trigger for the row that it deletes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replaced_row_has_only_its_new_tags() {
    let Some(database) = <Sqlite as TestTable>::database("a replacement").await else { return };
    let Database { pool, schedules, .. } = &database;
    let hourly = StoredSchedule::new("a", "*:00:00").tag("old").tag("both");
    schedules.put(pool, &hourly).await.expect("a valid schedule");
    let replacement = r#"INSERT OR REPLACE INTO millicron_schedules (name, schedule, tags)
        VALUES ('a', '*:30:00', '["both", "new"]')"#;
    Sqlite::run_sql(pool, replacement).await;
    for (tag, count) in [("old", 0), ("both", 1), ("new", 1)] {
        let page = schedules.list(pool, &Filter::default().tag(tag)).await.expect("a page");
        assert_eq!(page.schedules.len(), count, "{tag}");
        let paused = schedules.trigger(pool, Selection::Tag(tag)).await.expect("a trigger");
        assert_eq!(paused, count, "{tag}");
    }
}

/// Waits until a statement waits for an event, such as the end of another transaction.
async fn until_waiting(pool: &PgPool, event: &str) {
    let sql = "SELECT count(*) FROM pg_stat_activity
        WHERE wait_event = $1 AND datname = current_database()";
    let count = async || {
        let count = sqlx::query_scalar::<_, i64>(sql).bind(event).fetch_one(pool).await;
        count.expect("a number")
    };
    soon(async {
        while count().await == 0 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// One creates a schedule that a second one changes, and a third one has not seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_the_same_schedules_do_not_deadlock() {
    let Some(database) = <Postgres as TestTable>::database("writers").await else { return };
    let Database { pool, schedules, .. } = &database;
    let stall = "
        CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
        CREATE TRIGGER stall BEFORE INSERT ON millicron.schedules FOR EACH ROW
            WHEN (NEW.name = 'b' AND NEW.payload = '2') EXECUTE FUNCTION stall()";
    Postgres::run_sql(pool, stall).await;
    let writer = |payload: u32| {
        let all = ["a", "b"].map(|it| StoredSchedule::new(it, "*:00:00").payload(payload));
        let (pool, schedules) = (pool.clone(), schedules.clone());
        tokio::spawn(async move { schedules.put_all(&pool, &all).await })
    };
    let mut gate = pool.begin().await.expect("a transaction");
    sqlx::query("SELECT pg_advisory_xact_lock(1)").execute(&mut *gate).await.expect("a lock");
    // It has created `a`, and has seen no `b`.
    let second = writer(2);
    until_waiting(pool, "advisory").await;
    let b = StoredSchedule::new("b", "*:00:00").payload(1);
    schedules.put(pool, &b).await.expect("a valid schedule");
    // It has found `b`, and waits for `a`.
    let third = writer(3);
    until_waiting(pool, "transactionid").await;
    gate.commit().await.expect("a commit");
    for writer in [second, third] {
        writer.await.expect("no panic").expect("no deadlock");
    }
}

/// Creates `a` in a transaction, while `put_all` also creates it, and changes `c`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn put_all_creates_schedules_before_it_locks_later_ones() {
    let Some(database) = <Postgres as TestTable>::database("new schedules").await else { return };
    let Database { pool, schedules, .. } = &database;
    let put = |name: &str, payload: u32| StoredSchedule::new(name, "*:00:00").payload(payload);
    schedules.put(pool, &put("c", 0)).await.expect("a valid schedule");
    let mut transaction = pool.begin().await.expect("a transaction");
    schedules.put(&mut transaction, &put("a", 1)).await.expect("a valid schedule");
    let all = {
        let (pool, schedules) = (pool.clone(), schedules.clone());
        let all = ["a", "c"].map(|name| put(name, 2));
        tokio::spawn(async move { schedules.put_all(&pool, &all).await })
    };
    until_waiting(pool, "transactionid").await;
    schedules.put(&mut transaction, &put("c", 1)).await.expect("no deadlock");
    transaction.commit().await.expect("a commit");
    assert_eq!(all.await.expect("no panic").expect("no deadlock"), [2, 3]);
    assert_eq!(get(&database, "a").await.payload, 2);
}

/// Changes `a` in a transaction, and creates `c`, while `put_all` has created it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn put_all_locks_schedules_before_it_creates_later_ones() {
    let Some(database) = <Postgres as TestTable>::database("old schedules").await else { return };
    let Database { pool, schedules, .. } = &database;
    let stall = "
        CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
        CREATE TRIGGER stall AFTER INSERT ON millicron.schedules FOR EACH ROW
            WHEN (NEW.name = 'c') EXECUTE FUNCTION stall()";
    Postgres::run_sql(pool, stall).await;
    let put = |name: &str, payload: u32| StoredSchedule::new(name, "*:00:00").payload(payload);
    schedules.put(pool, &put("a", 0)).await.expect("a valid schedule");
    let mut gate = pool.begin().await.expect("a transaction");
    sqlx::query("SELECT pg_advisory_xact_lock(1)").execute(&mut *gate).await.expect("a lock");
    let all = {
        let (pool, schedules) = (pool.clone(), schedules.clone());
        let all = ["a", "c"].map(|name| put(name, 1));
        tokio::spawn(async move { schedules.put_all(&pool, &all).await })
    };
    until_waiting(pool, "advisory").await;
    let one_by_one = {
        let (pool, schedules) = (pool.clone(), schedules.clone());
        let both = ["a", "c"].map(|name| put(name, 2));
        tokio::spawn(async move {
            let mut transaction = pool.begin().await?;
            for schedule in &both {
                schedules.put(&mut transaction, schedule).await?;
            }
            transaction.commit().await?;
            Ok::<_, StoredError>(())
        })
    };
    until_waiting(pool, "transactionid").await;
    gate.commit().await.expect("a commit");
    assert_eq!(all.await.expect("no panic").expect("no deadlock"), [2, 1]);
    one_by_one.await.expect("no panic").expect("no deadlock");
    assert_eq!(get(&database, "c").await.payload, 2);
}
