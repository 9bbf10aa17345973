//! Several versions of a program: a later one migrates the tables while an earlier one runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use millicron_apalis::stored::{Schedules, Selection, StoredError, StoredSchedule};
use millicron_apalis::{Missed, Source};
use sqlx::Postgres;
use sqlx::postgres::PgPoolOptions;
use tokio::time::sleep;

use super::{Database, TestTable, is_late, on_both, parts};

on_both! {
    programs_open_the_tables_at_the_same_time
    earlier_programs_go_on_after_a_migration
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn databases_without_an_encoding_are_refused() {
    let Some(database) = <Postgres as TestTable>::database("encodings").await else { return };
    let name = "without_encoding";
    let create = format!(
        "CREATE DATABASE {name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    );
    Postgres::run_sql(&database.pool, create).await;
    let options = (*database.pool.connect_options()).clone().database(name);
    let pool = PgPoolOptions::new().connect_with(options).await.expect("a database");
    let Err(StoredError::Database(error)) = Schedules::open(&pool).await else {
        panic!("it opens")
    };
    assert!(error.to_string().contains("SQL_ASCII"), "{error}");
}

async fn programs_open_the_tables_at_the_same_time<DB: TestTable>() {
    let Some(database) = DB::database("openings").await else { return };
    let pool = &database.pool;
    let programs: Vec<_> = (0..8)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move { Schedules::open_in(&pool, "other").await.map(drop) })
        })
        .collect();
    for program in programs {
        program.await.expect("no panic").expect("the tables");
    }
}

async fn earlier_programs_go_on_after_a_migration<DB: TestTable>() {
    let Some(database) = DB::database("migrations").await else { return };
    let Database { pool, schedules, .. } = &database;
    let notices = Arc::new(Mutex::new(Vec::new()));
    let replicas: Vec<_> = (0..3)
        .map(|_| {
            let notices = Arc::clone(&notices);
            let source = Source::builder().stored(schedules).observer(move |notice| {
                let mut notices = notices.lock().unwrap_or_else(PoisonError::into_inner);
                if !is_late(notice) {
                    notices.push(format!("{notice:?}"));
                }
            });
            let source = source.build().expect("a source");
            let (task, storage) = (source.clone(), DB::storage(pool));
            (source, tokio::spawn(async move { task.push_to(storage).await.expect("a storage") }))
        })
        .collect();
    let schedule = |name: &str| {
        StoredSchedule::new(name, "*:*:*.*/50").missed(Missed::All { max: 1000 }).payload(1)
    };
    schedules.put(pool, &schedule("often")).await.expect("a valid schedule");
    let changes = async {
        for payload in 0..100 {
            let changed = schedule("changed").payload(payload);
            schedules.put(pool, &changed).await.expect("a valid schedule");
            sleep(Duration::from_millis(15)).await;
        }
    };
    let migrations = async {
        sleep(Duration::from_millis(300)).await;
        DB::run_sql(pool, DB::MIGRATION).await;
        for _ in 0..20 {
            sleep(Duration::from_millis(20)).await;
            DB::run_sql(pool, DB::MORE_MIGRATIONS).await;
        }
    };
    tokio::join!(changes, migrations);
    // The earlier program is started again.
    let schedules = Schedules::open(pool).await.expect("the tables");
    schedules.put(pool, &schedule("often").payload(2)).await.expect("a valid schedule");
    schedules.put(pool, &schedule("new")).await.expect("a valid schedule");
    assert_eq!(schedules.pause(pool, Selection::Name("new")).await.expect("a pause"), 1);
    let new = schedules.get(pool, "new").await.expect("a row").expect("a schedule");
    assert_eq!((new.paused, new.version), (true, Some(2)));
    for name in ["often", "changed"] {
        let removed = schedules.remove(pool, Selection::Name(name)).await;
        assert_eq!(removed.expect("a removal"), 1);
    }
    sleep(Duration::from_secs(2)).await;
    for (source, task) in replicas {
        source.close();
        task.await.expect("no panic");
    }
    let keys = DB::keys(pool).await;
    for name in ["often", "changed"] {
        let keys = keys.iter().map(|key| parts(key)).filter(|key| key.0 == name);
        let instants: Vec<_> = keys.map(|key| key.1).collect();
        assert!(instants.len() >= 25, "{}", instants.len());
        assert!(instants.windows(2).all(|pair| pair[1] == pair[0] + 50), "{instants:?}");
    }
    let notices = notices.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(*notices, [""; 0]);
}
