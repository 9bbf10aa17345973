//! How `PostgreSQL` finds rows among many.

use std::time::Duration;

use millicron_apalis::Source;
use millicron_apalis::stored::{Filter, Selection, StoredSchedule};
use sqlx::Postgres;

use super::{Database, TestTable as _};

/// The number of schedules. Each is due in another second of the next ten minutes.
const SCHEDULES: usize = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_reads_the_whole_table() {
    let Some(database) = Postgres::database("many rows").await else { return };
    let Database { pool, schedules, .. } = &database;
    let schedule = |index: usize| {
        let text = format!("*:{}:{:02}.{:03}", index % 10, index % 60, index % 1000);
        let schedule = StoredSchedule::new(format!("customer/{index:05}"), text).payload(1);
        if index.is_multiple_of(1000) { schedule.tag("rare") } else { schedule.tag("usual") }
    };
    let all: Vec<_> = (0..SCHEDULES).map(schedule).collect();
    schedules.put_all(pool, &all).await.expect("valid schedules");
    sqlx::raw_sql("VACUUM ANALYZE millicron.schedules").execute(pool).await.expect("statistics");
    let before = full_scans(&database).await;
    // The server plans a statement anew for the first five times.
    for round in 0..8 {
        use_everything(&database, &all, round).await;
    }
    assert_eq!(full_scans(&database).await, before);
    // It would be counted.
    sqlx::raw_sql("SELECT max(version) FROM millicron.schedules")
        .execute(pool)
        .await
        .expect("a row");
    assert_eq!(full_scans(&database).await, before + 1);
}

async fn use_everything(database: &Database<Postgres>, all: &[StoredSchedule], round: u32) {
    let Database { pool, schedules, .. } = database;

    let now = schedules.get(pool, "customer/00999").await.expect("a row").expect("a schedule");
    let due = Filter::default().due_before(now.next_at.expect("an event"));
    for filter in [
        Filter::default(),
        Filter::default().tag("rare"),
        Filter::default().tag("usual").limit(10),
        Filter::default().prefix("customer/0012"),
        Filter::default().paused(),
        Filter::default().failed(),
        due,
    ] {
        let page = schedules.list(pool, &filter).await.expect("a page");
        if let Some(next) = page.next {
            schedules.list(pool, &next).await.expect("a page");
        }
    }
    for selection in [Selection::Name("customer/00998"), Selection::Tag("rare")] {
        schedules.pause(pool, selection).await.expect("a pause");
        schedules.resume(pool, selection).await.expect("a resumption");
        schedules.trigger(pool, selection).await.expect("a trigger");
    }
    schedules.put_all(pool, &all[5000..5100]).await.expect("valid schedules");
    let changed: Vec<_> = all[5000..5100].iter().map(|it| it.clone().payload(2 + round)).collect();
    schedules.put_all(pool, &changed).await.expect("valid schedules");
    let source = Source::builder().stored(schedules).ahead(Duration::from_secs(30)).build();
    let source = source.expect("a source");
    assert!(source.push_due(&mut Postgres::storage(pool)).await.expect("a storage"));
    assert!(source.stats().pushed > 0 || round > 0);
    schedules.remove(pool, Selection::Name(&all[round as usize].name)).await.expect("a removal");
}

/// Returns how often the server has read the whole table.
async fn full_scans(Database { pool, .. }: &Database<Postgres>) -> i64 {
    // A connection reports its counts when it has been idle for a while. These are all that there can be.
    let mut connections = Vec::new();
    for _ in 0..pool.options().get_max_connections() {
        let mut connection = pool.acquire().await.expect("a connection");
        let flush = sqlx::raw_sql("SELECT pg_stat_force_next_flush()");
        flush.execute(&mut *connection).await.expect("PostgreSQL 15");
        connections.push(connection);
    }
    drop(connections);
    let scans = sqlx::query_scalar(
        "SELECT seq_scan FROM pg_stat_user_tables WHERE schemaname = 'millicron' AND relname = 'schedules'",
    );
    scans.fetch_one(pool).await.expect("a count")
}
