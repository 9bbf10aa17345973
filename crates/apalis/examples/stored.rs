//! Schedules that change while two worker processes run them. One process is killed. In the end, each event of
//! each version of each schedule is one task.
//!
//! `cargo run -p millicron-apalis --example stored` needs no server: everything is in an `SQLite`
//! file in a temporary directory.

use std::env;
use std::error::Error;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use apalis_core::worker::builder::WorkerBuilder;
use apalis_sqlite::{SqlitePool, SqliteStorage};
use millicron::unix_millis;
use millicron_apalis::stored::{Filter, Schedules, Selection, StoredSchedule};
use millicron_apalis::{Missed, Run, Source};
use sqlx::Sqlite;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::time::sleep;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [name, url] = &arguments[..] {
        return work(name, url).await;
    }
    let directory = env::temp_dir().join(format!("millicron-stored-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let result = supervise(&format!("sqlite:{}", directory.join("tasks.db").display())).await;
    std::fs::remove_dir_all(directory)?;
    result
}

/// What a service does when its users create, change and pause schedules.
async fn supervise(url: &str) -> Result<(), Failure> {
    let (pool, schedules) = open(url).await?;
    let mut first = spawn("first", url)?;
    let mut second = spawn("second", url)?;

    println!("Three schedules are created.");
    let all = |name, text| {
        // All events that are missed become tasks, so that there is something to count.
        StoredSchedule::new(name, text).missed(Missed::All { max: usize::MAX }).tag("customer-7")
    };
    let report = all("report", "*:*:*").payload("a report");
    let price = all("price", "*:*:*.*/250").payload("a price");
    let yearly = all("yearly", "0 9 1 1 *").zone("America/New_York").payload("a new year");
    schedules.put_all(&pool, &[report, price, yearly]).await?;
    sleep(Duration::from_secs(2)).await;

    println!("`report` is changed: twice a second, with another payload.");
    let mut report = schedules.get(&pool, "report").await?.ok_or("there is no report")?;
    "*:*:*.*/500".clone_into(&mut report.schedule);
    // It fails if somebody else has changed the schedule in the meantime.
    schedules.put(&pool, &report.payload("a better report")).await?;
    sleep(Duration::from_secs(2)).await;

    println!("The first worker is killed.");
    first.kill()?;
    first.wait()?;
    schedules.trigger(&pool, Selection::Name("yearly")).await?;
    sleep(Duration::from_secs(2)).await;

    let wrong = StoredSchedule::new("wrong", "25:00:00");
    if let Err(error) = schedules.put(&pool, &wrong).await {
        println!("A wrong schedule is refused: {error}");
    }
    println!("Everything is paused.");
    schedules.pause(&pool, Selection::Tag("customer-7")).await?;
    // What a dead worker has claimed is free again after ten seconds.
    sleep(Duration::from_secs(10)).await;
    // A slow machine needs longer.
    for _ in 0..60 {
        let due = Filter::default().due_before(unix_millis(SystemTime::now()));
        if schedules.list(&pool, &due).await?.schedules.is_empty() {
            break;
        }
        sleep(Duration::from_millis(500)).await;
    }
    second.kill()?;
    second.wait()?;
    check(&pool, &schedules).await
}

/// Runs one of the worker processes. It claims what is due, and executes tasks.
async fn work(name: &str, url: &str) -> Result<(), Failure> {
    let (pool, schedules) = open(url).await?;
    let source = Source::builder().stored(&schedules).build()?;
    let worker = name.to_owned();
    let worker = WorkerBuilder::new(format!("{name}-{}", std::process::id()))
        .backend(source.pipe_to(SqliteStorage::new(&pool)))
        .build(move |run: Run<String>| {
            println!("{worker:>8} {}: {}", run.key(), run.payload);
            async {}
        });
    worker.run().await?;
    Ok(())
}

async fn open(url: &str) -> Result<(SqlitePool, Schedules<Sqlite>), Failure> {
    let options: SqliteConnectOptions = url.parse()?;
    // The processes wait for each other.
    let options = options.create_if_missing(true).busy_timeout(Duration::from_mins(1));
    let pool = SqlitePool::connect_with(options).await?;
    SqliteStorage::setup(&pool).await?;
    let schedules = Schedules::open(&pool).await?;
    Ok((pool, schedules))
}

/// Compares the tasks with the events. Real programs do not need this; it is the proof.
async fn check(pool: &SqlitePool, schedules: &Schedules<Sqlite>) -> Result<(), Failure> {
    let rows: Vec<(Vec<u8>,)> = sqlx::query_as("SELECT job FROM Jobs").fetch_all(pool).await?;
    let runs = rows.iter().map(|(job,)| serde_json::from_slice(job));
    let mut runs = runs.collect::<Result<Vec<Run<String>>, _>>()?;
    runs.sort_by_key(|run| run.scheduled);
    for (payload, gap) in [("a report", 1000), ("a better report", 500), ("a price", 250)] {
        let events = runs.iter().filter(|run| run.payload == payload);
        let events: Vec<_> = events.map(|run| run.scheduled).collect();
        println!("{} tasks with {payload}", events.len());
        if events.len() < 2 || events.windows(2).any(|pair| pair[1] - pair[0] != gap) {
            return Err(format!("an event is missing, or is two tasks: {events:?}").into());
        }
    }
    let years = runs.iter().filter(|run| run.payload == "a new year").count();
    println!("{years} task with a new year, which was triggered");
    let paused = schedules.list(pool, &Filter::default().paused()).await?.schedules.len();
    if (years, paused) != (1, 3) {
        return Err("a task or a schedule is missing".into());
    }
    println!("Nothing was lost, and nothing was done twice.");
    Ok(())
}

/// Starts this program again as a worker, which shares its output.
fn spawn(name: &str, url: &str) -> Result<Child, Failure> {
    Ok(Command::new(env::current_exe()?).args([name, url]).spawn()?)
}
