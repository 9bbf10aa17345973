//! Changes in transactions, and of schedules that are pushed ahead.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_apalis::{Missed, Source};
use sqlx::Postgres;
use tokio::time::sleep;

use super::{Database, TestTable, on_both, parts};

on_both! {
    triggers_survive_changes_in_one_transaction
    changes_divide_events_that_are_pushed_ahead
    events_of_a_claim_that_has_ended_belong_to_the_version_that_was_claimed
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

/// Returns the milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a year after 1970");
    i64::try_from(since.as_millis()).expect("a year before 292 million")
}

/// Pushes what is due.
async fn push_due<DB: TestTable>(Database { pool, schedules, .. }: &Database<DB>) {
    let source = Source::<u32>::builder().stored(schedules).build().expect("a source");
    assert!(source.push_due(&mut DB::storage(pool)).await.expect("a storage"));
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
    sleep(Duration::from_secs(1)).await;
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
    }
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
        tokio::spawn(async move { source.push_to(storage).await.expect("a storage") })
    };
    put("*:*:*.*/50", 1).await;
    let stall = "
        CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
        CREATE TRIGGER stall BEFORE UPDATE OF last_at ON millicron.schedules
            FOR EACH ROW EXECUTE FUNCTION stall()";
    Postgres::run_sql(pool, stall).await;
    let first = replica();
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
    let second = replica();
    sleep(Duration::from_secs(3)).await;
    second.abort();
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
