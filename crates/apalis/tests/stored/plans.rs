//! How `PostgreSQL` finds rows among many.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use millicron::schedule;
use millicron_apalis::Source;
use millicron_apalis::stored::{Filter, Schedules, Selection, StoredSchedule};
use millicron_test_support::servers::PostgresServer;
use serde_json::Value;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgPool, Postgres};

use crate::support::{Recorder, unix_millis};

/// Creates 100,000 schedules, three of which are due in each second of the next ten hours. In a smaller table, reading half
/// of it could be the best plan.
const SCHEDULES: &str = "
    SET session_replication_role = replica;
    INSERT INTO millicron.schedules (name, schedule, payload, tags, next_at)
    SELECT
        'customer/' || lpad(i::text, 5, '0'), format('*:%s:%s', i % 60, i / 60 % 60), '1',
        ARRAY[CASE WHEN i % 5000 = 0 THEN 'rare' ELSE 'usual' END],
        now() + (i::bigint * 7919 % 100000) * interval '360 ms'
    FROM generate_series(0, 99999) AS i;
    SET session_replication_role = origin";

/// The most rows that a part of a plan may read. A machine claims a thousand together.
const MOST_ROWS: f64 = 2000.0;

/// Makes the server write the plans of a connection's statements to its log, with the numbers of rows, and also those of
/// statements in triggers.
const EXPLAIN: &str = "LOAD 'auto_explain'; \
    SET auto_explain.log_min_duration = 0; \
    SET auto_explain.log_nested_statements = on; \
    SET auto_explain.log_analyze = on; \
    SET auto_explain.log_timing = off; \
    SET auto_explain.log_format = json";

/// Statements that read the whole table.
const BAD_STATEMENTS: [&str; 3] = [
    "SELECT max(version) FROM millicron.schedules",
    "SELECT name FROM millicron.schedules WHERE name > '' AND version < 0 ORDER BY name",
    "SELECT name FROM millicron.schedules ORDER BY version LIMIT 1",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_reads_the_whole_table() {
    let Some(server) = PostgresServer::shared("PostgreSQL: many rows") else { return };
    let url = server.new_database();
    let pool = PgPool::connect(&url).await.expect("a database");
    Schedules::open(&pool).await.expect("a table");
    for sql in [SCHEDULES, "VACUUM ANALYZE"] {
        sqlx::raw_sql(sql).execute(&pool).await.expect("rows");
    }
    pool.close().await;

    let options: PgConnectOptions = url.parse().expect("a connection string");
    let database = options.get_database().expect("a name").to_owned();
    let pool = PgPoolOptions::new().after_connect(|connection, _| {
        Box::pin(async { sqlx::raw_sql(EXPLAIN).execute(connection).await.map(drop) })
    });
    let pool = pool.connect_with(options).await.expect("the extension auto_explain");
    let schedules = Schedules::open(&pool).await.expect("a table");
    // The server plans a statement anew for the first five times.
    for round in 0..8 {
        use_everything(&schedules, round).await;
        // As the server does from time to time. Otherwise, indices also have the rows of earlier rounds.
        sqlx::raw_sql("VACUUM millicron.schedules").execute(&pool).await.expect("a table");
    }
    for statement in BAD_STATEMENTS {
        sqlx::raw_sql(statement).execute(&pool).await.expect("rows");
    }
    pool.close().await;
    // A connection has written its last plan when it has ended.
    let connections = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND backend_type = 'client backend'"
    );
    while server.query("postgres", &connections) != "0" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    let log = fs::read_to_string(server.directory().join("log")).expect("a log");
    let (good, bad): (Vec<_>, Vec<_>) =
        plans(&log).into_iter().partition(|plan| is_good(&plan["Plan"]));
    let bad_statements: Vec<_> = bad.iter().map(statement).collect();
    assert_eq!(bad_statements, BAD_STATEMENTS, "{:#}", Value::Array(bad.clone()));
    for (file, parts) in statements() {
        let is_used = |plan: &Value| parts.iter().all(|part| statement(plan).contains(part));
        assert!(good.iter().any(is_used), "{file}.sql was not executed");
    }
}

async fn use_everything(schedules: &Schedules<Postgres>, round: usize) {
    let pool = schedules.pool();
    let all_rows = Filter::default;
    schedules.get(pool, "customer/00999").await.expect("a row").expect("a schedule");
    let now = unix_millis(SystemTime::now());
    let (soon, late) = (now + 10_000, i64::MAX / 1000);
    let few = [
        all_rows().tag("rare"),
        all_rows().prefix("customer/0123"),
        all_rows().tag("rare").prefix("customer/01"),
        all_rows().paused(),
        all_rows().failed(),
        all_rows().tag("rare").paused(),
        all_rows().tag("rare").failed(),
        all_rows().tag("rare").due_before(soon),
        all_rows().prefix("customer/0123").paused(),
        all_rows().prefix("customer/0123").failed(),
        all_rows().prefix("customer/0123").due_before(soon),
        all_rows().paused().failed(),
        all_rows().tag("unknown"),
        all_rows().prefix("unknown"),
    ];
    let many = [
        all_rows(),
        all_rows().tag("usual").limit(10),
        all_rows().prefix("customer/"),
        all_rows().due_before(soon),
        all_rows().due_before(late),
        all_rows().tag("usual").prefix("customer/"),
        all_rows().tag("usual").due_before(late),
        all_rows().prefix("customer/").due_before(late),
        all_rows().tag("usual").prefix("customer/").due_before(late),
    ];
    for filter in few.iter().chain(&many) {
        let page = schedules.list(pool, filter).await.expect("a page");
        if let Some(next) = page.next {
            schedules.list(pool, &next).await.expect("a page");
        }
    }
    // Counting many rows takes long, as is documented.
    for filter in &few {
        schedules.count(pool, filter).await.expect("a count");
    }
    for selection in [Selection::Name("customer/00998"), Selection::Tag("rare")] {
        schedules.trigger(pool, selection).await.expect("a trigger");
        schedules.pause(pool, selection).await.expect("a pause");
        schedules.resume(pool, selection).await.expect("a resumption");
    }
    let new = StoredSchedule::new(format!("new/{round}"), "*:00:00").payload(1).tag("new");
    schedules.put(pool, &new).await.expect("a valid schedule");
    let changed = (50_000..50_100)
        .map(|it| StoredSchedule::new(format!("customer/{it}"), "*:30:00").payload(2 + round));
    let changed: Vec<_> = changed.collect();
    for error in ["NULL", "'an error'"] {
        let update =
            format!("UPDATE millicron.schedules SET error = {error} WHERE name = 'customer/50000'");
        sqlx::raw_sql(AssertSqlSafe(update)).execute(pool).await.expect("a row");
        schedules.put_all(pool, &changed).await.expect("valid schedules");
    }
    let source = Source::builder().stored(schedules).ahead(Duration::from_secs(30));
    let source = source.add("job", schedule!("*:*:*"), 1).build().expect("a source");
    // The removed row waits until the storage takes the task of its trigger.
    let removed = &*format!("customer/9000{round}");
    schedules.trigger(pool, Selection::Name(removed)).await.expect("a trigger");
    schedules.remove(pool, Selection::Name(removed)).await.expect("a removal");
    let mut storage = Recorder::refusing_jobs([removed]);
    source.push_due(&mut storage).await.expect("a storage that remembers keys");
    assert!(source.stats().pushed > 0);
    schedules.remove(pool, Selection::Tag("new")).await.expect("a removal");
}

/// Reads the plans of our statements in a server's log.
fn plans(log: &str) -> Vec<Value> {
    let plans = log.split(" plan:\n").skip(1).map(|rest| {
        let lines: Vec<_> = rest.lines().take_while(|line| line.starts_with('\t')).collect();
        serde_json::from_str(&lines.join("\n")).expect("a plan")
    });
    plans.filter(|plan| statement(plan).contains("millicron")).collect()
}

fn statement(plan: &Value) -> &str {
    plan["Query Text"].as_str().expect("a statement")
}

/// Returns whether no part of a plan reads many rows.
fn is_good(plan: &Value) -> bool {
    let number = |name: &str| plan[name].as_f64().unwrap_or_default();
    let rows = number("Actual Rows")
        + number("Rows Removed by Filter")
        + number("Rows Removed by Index Recheck");
    let reads_all = plan["Node Type"] == "Seq Scan" && plan["Relation Name"] == "schedules";
    let mut parts = plan["Plans"].as_array().into_iter().flatten();
    !reads_all && rows * number("Actual Loops") <= MOST_ROWS && parts.all(is_good)
}

/// Returns the library's statements for the table, each without what is replaced.
fn statements() -> Vec<(String, Vec<String>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/stored/postgres");
    let read = |path: &Path| fs::read_to_string(path).expect("a statement");
    let row = read(&directory.join("row.sql"));
    let files = fs::read_dir(&directory).expect("a directory");
    let files = files.map(|file| file.expect("a file").path());
    // Migrations, and what is part of other statements.
    let is_other =
        |name: &str| matches!(name, "applied" | "prepare" | "row") || name.starts_with("setup-");
    let statements = files.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".sql")?.to_owned();
        let sql = read(&path).replace("{row}", row.trim_end()).replace("{schema}", "millicron");
        let parts = sql.split(['{', '}']).step_by(2).map(str::to_owned);
        (!is_other(&name)).then(|| (name, parts.collect()))
    });
    statements.collect()
}
