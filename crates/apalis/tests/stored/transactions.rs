//! Changes in transactions, and of schedules that are pushed ahead.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron_apalis::stored::{Schedules, Selection, StoredError, StoredSchedule};
use millicron_apalis::{Missed, Notice, Source};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgPool, Postgres, Row as _};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts, push_and_count_duplicates};
use crate::support::{Recorder, soon};

on_both! {
    triggers_survive_changes_in_one_transaction
    changes_divide_events_that_are_pushed_ahead
    events_of_a_claim_that_has_ended_belong_to_the_version_that_was_claimed
    corrected_or_resumed_schedule_has_events_at_once_although_others_are_pushed_ahead
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replacing_a_row_in_a_transaction_loses_no_event() {
    let Some(database) = <Postgres as TestTable>::database("replacements").await else { return };
    let Database { pool, schedules, .. } = &database;
    // Much time passes between the changes of a transaction that is being committed.
    let slow = "
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER DELETE OR UPDATE OF schedule ON millicron.schedules
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()";
    Postgres::run_sql(pool, slow).await;
    for replacement in [
        "BEGIN;
        DELETE FROM millicron.schedules;
        INSERT INTO millicron.schedules (name, schedule, payload, missed)
            VALUES ('a', '*:*:*.*/50', '0', 'all');
        COMMIT",
        "BEGIN;
        UPDATE millicron.schedules SET schedule = '*:*:*.*/50 UTC';
        UPDATE millicron.schedules SET schedule = '*:*:*.*/50 Europe/Berlin';
        COMMIT",
    ] {
        Postgres::run_sql(pool, "DELETE FROM apalis.jobs").await;
        let often = StoredSchedule::new("a", "*:*:*.*/50").missed(Missed::All { max: 1000 });
        schedules.put(pool, &often.payload(0)).await.expect("a valid schedule");
        sleep(Duration::from_millis(200)).await;
        Postgres::run_sql(pool, replacement).await;
        schedules.remove(pool, Selection::Name("a")).await.expect("a removal");
        push_due(&database).await;
        let keys = Postgres::keys(pool).await;
        let instants: Vec<_> = keys.iter().map(|key| parts(key).1).collect();
        assert!(instants.len() >= 9, "{instants:?}");
        assert!(instants.windows(2).all(|pair| pair[1] == pair[0] + 50), "{instants:?}");
    }
}

/// The server may begin a transaction whose answer nobody waits for. The next statements on the connection would be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operation_that_is_dropped_leaves_no_transaction_in_the_pool() {
    let Some(database) = <Postgres as TestTable>::database("dropped futures").await else { return };
    let options = (*database.pool.connect_options()).clone();
    let size = 3;
    let pool = PgPoolOptions::new().max_connections(size).connect_with(options).await;
    let pool = pool.expect("a database");
    let schedules = Schedules::open(&pool).await.expect("the table of schedules");
    let yearly = StoredSchedule::new("a", "2099.01.01 00:00:00").payload(1);
    database.schedules.put(&database.pool, &yearly).await.expect("a valid schedule");
    for polls in 1..=40 {
        drop_after(polls, schedules.put(&pool, &yearly)).await;
        let triggered = database.schedules.trigger(&database.pool, Selection::Name("a")).await;
        assert_eq!(triggered.expect("a trigger"), 1);
        let source = Source::builder().stored(&schedules).build().expect("a source");
        drop_after(polls, source.push_due(&mut Recorder::default())).await;
        let mut connections = Vec::new();
        for _ in 0..size {
            let mut connection = pool.acquire().await.expect("a connection");
            let wait = sqlx::raw_sql("SELECT pg_sleep(0.001)").execute(&mut *connection).await;
            wait.expect("a statement");
            let began = "SELECT now() < statement_timestamp()";
            let row = sqlx::raw_sql(began).fetch_one(&mut *connection).await.expect("a row");
            assert!(!row.get::<bool, _>(0), "a transaction after {polls} polls");
            connections.push(connection);
        }
    }
}

/// Drops a future that has not ended when it was polled so often.
async fn drop_after(mut polls: usize, future: impl Future) {
    let mut future = pin!(future);
    poll_fn(|cx| {
        polls -= 1;
        match future.as_mut().poll(cx) {
            Poll::Pending if polls > 0 => Poll::Pending,
            _ => Poll::Ready(()),
        }
    })
    .await;
}

/// Returns the milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a year after 1970");
    i64::try_from(since.as_millis()).expect("a year before 292 million")
}

/// Pushes what is due. Some of it may be pushed already.
async fn push_due<DB: TestTable>(database: &Database<DB>) {
    push_and_count_duplicates(database).await;
}

async fn triggers_survive_changes_in_one_transaction<DB: TestTable>() {
    let Some(database) = DB::database("triggers").await else { return };
    let Database { pool, schedules, .. } = &database;
    let rare = StoredSchedule::new("rare", "2099.01.01 00:00:00").payload(1);
    schedules.put(pool, &rare).await.expect("a valid schedule");
    let all = Selection::Name("rare");
    assert_eq!(schedules.trigger(pool, all).await.expect("a trigger"), 1);
    let mut transaction = pool.begin().await.expect("a transaction");
    schedules.put(&mut transaction, &rare.payload(2)).await.expect("a valid schedule");
    assert_eq!(schedules.remove(&mut transaction, all).await.expect("a removal"), 1);
    transaction.commit().await.expect("a commit");
    push_due(&database).await;
    assert_eq!(DB::keys(pool).await.len(), 1);
}

async fn changes_divide_events_that_are_pushed_ahead<DB: TestTable>() {
    let Some(database) = DB::database("ahead").await else { return };
    let Database { pool, schedules, .. } = &database;
    let ahead = Duration::from_millis(400);
    let replica = |_| {
        let source = Source::builder().stored(schedules).ahead(ahead).build();
        let source = source.expect("a source");
        let (task, storage) = (source.clone(), DB::storage(pool));
        (source, tokio::spawn(async move { task.push_to(storage).await.expect("a storage") }))
    };
    let replicas: Vec<_> = (0..3).map(replica).collect();
    for payload in 0..60_u32 {
        let often = StoredSchedule::new("often", "*:*:*.*/50").missed(Missed::All { max: 1000 });
        schedules.put(pool, &often.payload(payload)).await.expect("a valid schedule");
        sleep(Duration::from_millis(u64::from(payload * 7 % 60))).await;
    }
    schedules.pause(pool, Selection::Name("often")).await.expect("a pause");
    sleep(ahead).await;
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
    }
    // On a busy machine, events of several versions are left.
    push_due(&database).await;
    let runs = DB::runs(pool).await;
    assert!(runs.len() >= 30, "{}", runs.len());
    for pair in runs.windows(2) {
        assert_eq!(pair[1].scheduled, pair[0].scheduled + 50, "{runs:?}");
        assert!(pair[1].payload >= pair[0].payload, "{runs:?}");
    }
    assert!(runs.last().is_some_and(|run| run.payload >= 40), "{runs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_belong_to_one_version_though_a_program_dies_after_pushing_ahead() {
    let Some(database) = <Postgres as TestTable>::database("a crash").await else { return };
    let Database { pool, schedules, .. } = &database;
    let put = async |text: &str, payload: u32| {
        let often = StoredSchedule::new("often", text).missed(Missed::All { max: 1000 });
        schedules.put(pool, &often.payload(payload)).await.expect("a valid schedule")
    };
    let replica = || {
        let source = Source::builder().stored(schedules).ahead(Duration::from_secs(2)).build();
        let (source, storage) = (source.expect("a source"), Postgres::storage(pool));
        let task = source.clone();
        (source, tokio::spawn(async move { task.push_to(storage).await.expect("a storage") }))
    };
    put("*:*:*.*/50", 1).await;
    let stall = "
        CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
        CREATE TRIGGER stall BEFORE UPDATE OF last_at ON millicron.schedules
            FOR EACH ROW EXECUTE FUNCTION stall()";
    Postgres::run_sql(pool, stall).await;
    let (_, first) = replica();
    let stalled = "SELECT count(*) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND datname = current_database()";
    while sqlx::query_scalar::<_, i64>(stalled).fetch_one(pool).await.expect("a number") == 0 {
        sleep(Duration::from_millis(10)).await;
    }
    first.abort();
    let end = "
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE wait_event = 'PgSleep' AND datname = current_database();
        DROP TRIGGER stall ON millicron.schedules";
    Postgres::run_sql(pool, end).await;
    put("*:*:*.*/70", 2).await;
    let (source, second) = replica();
    soon(async {
        while !Postgres::runs(pool).await.iter().any(|run| run.payload == 2) {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    source.close();
    second.await.expect("no panic");
    push_due(&database).await;
    let runs = Postgres::runs(pool).await;
    let old = runs.iter().filter(|run| run.payload == 1).count();
    assert!(old >= 35 && runs.len() > old, "{runs:?}");
    for pair in runs.windows(2) {
        assert!(pair[0].payload <= pair[1].payload, "{runs:?}");
    }
    let last = runs[old - 1].scheduled;
    // The versions have an event every 50 and 70 milliseconds.
    assert!((last..last + 120).contains(&runs[old].scheduled), "{runs:?}");
}

async fn events_of_a_claim_that_has_ended_belong_to_the_version_that_was_claimed<DB: TestTable>() {
    let Some(database) = DB::database("a dead claim").await else { return };
    let Database { pool, schedules, .. } = &database;
    let put = async |text: &str, payload: u32| {
        let often = StoredSchedule::new("often", text).missed(Missed::All { max: 1000 });
        schedules.put(pool, &often.payload(payload)).await.expect("a valid schedule")
    };
    let begun = now();
    put("*:*:*.*/50", 1).await;
    let put_by = now();
    push_due(&database).await;
    let claimed = now();
    // What a program leaves that would have pushed two seconds ahead.
    DB::run_sql(pool, DB::DEAD_CLAIM).await;
    put("2099.01.01 00:00:00", 2).await;
    let changed_by = now();
    push_due(&database).await;
    let runs = DB::runs(pool).await;
    let instants = [runs.first(), runs.last()].map(|run| run.expect("a run").scheduled);
    assert!((begun..=put_by + 50).contains(&instants[0]), "{begun} {put_by} {runs:?}");
    let ends = claimed + 1_950..=changed_by + 2_000;
    assert!(ends.contains(&instants[1]), "{ends:?} {runs:?}");
    assert!(runs.iter().all(|run| run.payload == 1), "{runs:?}");
    assert!(runs.windows(2).all(|pair| pair[1].scheduled == pair[0].scheduled + 50), "{runs:?}");
}

/// A claim that pushes none of a version's events ahead does not delay the next version.
async fn corrected_or_resumed_schedule_has_events_at_once_although_others_are_pushed_ahead<
    DB: TestTable,
>() {
    let Some(database) = DB::database("corrections").await else { return };
    let Database { pool, schedules, .. } = &database;
    let source = Source::<u32>::builder().stored(schedules).ahead(Duration::from_mins(1));
    let source = source.build().expect("a source");
    let table = DB::TABLE;
    let insert =
        format!("INSERT INTO {table} (name, schedule, payload) VALUES ('text', '*:*:61', '1')");
    DB::run_sql(pool, insert).await;
    let every_second = |name: &str| StoredSchedule::new(name, "*:*:*");
    let payload = every_second("payload").payload("a text");
    let mut paused = every_second("paused").payload(1);
    paused.paused = true;
    schedules.put_all(pool, &[payload.clone(), paused]).await.expect("valid schedules");
    schedules.trigger(pool, Selection::Name("paused")).await.expect("a trigger");
    sleep(Duration::from_secs(1)).await;
    assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
    assert_eq!(DB::keys(pool).await.len(), 1);

    let changed = now();
    let correction = format!("UPDATE {table} SET schedule = '*:*:*' WHERE name = 'text'");
    DB::run_sql(pool, correction).await;
    schedules.put(pool, &payload.payload(1)).await.expect("a valid schedule");
    schedules.resume(pool, Selection::Name("paused")).await.expect("a resumption");
    assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
    let keys = DB::keys(pool).await;
    for name in ["text", "payload", "paused"] {
        let mut events = keys.iter().map(|key| parts(key)).filter(|(job, _)| *job == name);
        let soon = changed + 1..=changed + 30_000;
        assert!(events.any(|(_, instant)| soon.contains(&instant)), "{name}: {keys:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_change_on_a_connection_locks_no_row() {
    let Some(database) = <Postgres as TestTable>::database("a conflict").await else { return };
    let Database { pool, schedules, .. } = &database;
    let mut rare = StoredSchedule::new("rare", "2099.01.01 00:00:00");
    schedules.put(pool, &rare).await.expect("a valid schedule");
    rare.version = Some(7);
    let mut connection = pool.acquire().await.expect("a connection");
    let conflict = schedules.put(&mut *connection, &rare).await;
    assert!(matches!(conflict, Err(StoredError::Conflict { .. })), "{conflict:?}");
    let lock = "SELECT name FROM millicron.schedules FOR UPDATE NOWAIT";
    assert!(Postgres::try_sql(pool, lock).await, "the row is locked");
}

/// Opens the table in a database in which transactions are serializable by default. The database's own pool still has
/// the usual default.
async fn serializable(Database { pool, .. }: &Database<Postgres>) -> (PgPool, Schedules<Postgres>) {
    let alter = "DO $$ BEGIN EXECUTE format(
        'ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()
    ); END $$";
    Postgres::run_sql(pool, alter).await;
    let options = PgPoolOptions::new().max_connections(20);
    let strict = options.connect_with((*pool.connect_options()).clone()).await.expect("a pool");
    let level = sqlx::query_scalar::<_, String>("SHOW transaction_isolation").fetch_one(&strict);
    assert_eq!(level.await.expect("a level"), "serializable");
    let schedules = Schedules::open(&strict).await.expect("the table");
    (strict, schedules)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_wait_for_claims_where_transactions_are_serializable() {
    let Some(database) = <Postgres as TestTable>::database("serializable changes").await else {
        return;
    };
    let (strict, schedules) = serializable(&database).await;
    let rare = StoredSchedule::new("rare", "2099.01.01 00:00:00");
    schedules.put(&strict, &rare).await.expect("a valid schedule");
    let rare = || Selection::Name("rare");
    for change in 0..5 {
        let mut claim = database.pool.begin().await.expect("a transaction");
        let advance = "UPDATE millicron.schedules SET last_at = clock_timestamp()";
        sqlx::query(advance).execute(&mut *claim).await.expect("an update");
        let (pool, schedules) = (strict.clone(), schedules.clone());
        let task = tokio::spawn(async move {
            match change {
                0 => {
                    let other = StoredSchedule::new("rare", "2098.01.01 00:00:00");
                    schedules.put(&pool, &other).await.map(drop)?;
                }
                1 => assert_eq!(schedules.pause(&pool, rare()).await?, 1),
                2 => assert_eq!(schedules.resume(&pool, rare()).await?, 1),
                3 => assert_eq!(schedules.trigger(&pool, rare()).await?, 1),
                _ => assert_eq!(schedules.remove(&pool, rare()).await?, 1),
            }
            Ok::<_, StoredError>(())
        });
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE wait_event = 'transactionid' AND datname = current_database()";
        soon(async {
            while sqlx::query_scalar::<_, i64>(waiting)
                .fetch_one(&database.pool)
                .await
                .expect("a number")
                == 0
            {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        claim.commit().await.expect("a commit");
        task.await.expect("no panic").expect("a change");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machines_share_rows_where_transactions_are_serializable() {
    let Some(database) = <Postgres as TestTable>::database("serializable claims").await else {
        return;
    };
    let pool = &database.pool;
    let (strict, schedules) = serializable(&database).await;
    let (sender, mut notices) = unbounded_channel();
    let replica = |_| {
        let sender = sender.clone();
        let observer = move |notice: &Notice<'_>| {
            if let Notice::TableFailed { .. } = notice {
                sender.send(notice.to_string()).expect("a receiver");
            }
        };
        let job = millicron::every(20).milliseconds().from(0);
        let source = Source::builder().stored(&schedules).add("job", job, 1).observer(observer);
        let source = source.build().expect("a source");
        let (task, storage) = (source.clone(), Postgres::storage(pool));
        (source, tokio::spawn(async move { task.push_to(storage).await.expect("a storage") }))
    };
    let replicas: Vec<_> = (0..3).map(replica).collect();
    for payload in 0..50_u32 {
        let often = ["a", "b", "c", "d"]
            .map(|name| StoredSchedule::new(name, "*:*:*.*/20").payload(payload));
        schedules.put_all(&strict, &often).await.expect("valid schedules");
        let count = schedules.trigger(&strict, Selection::Name("a")).await.expect("a trigger");
        assert_eq!(count, 1);
    }
    soon(async {
        while Postgres::keys(pool).await.len() < 200 {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
    }
    assert_eq!(notices.try_recv().ok(), None);
}
