//! A service with two pages: the schedules that its users create, and the tasks that they become.
//!
//! `cargo run -p millicron-board --example tasks` prints the address. It ends with Ctrl+C, or after the number of
//! seconds in its argument. Everything is in an `SQLite` file in a temporary directory. If the environment variable
//! `BOARD_TOKEN` is set, visitors may sign in with it to create and change schedules.

use std::env;
use std::error::Error;
use std::time::Duration;

use apalis_board::axum::framework::{ApiBuilder, RegisterRoute as _};
use apalis_board::axum::ui::ServeUI;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_sqlite::{Config, SqlitePool, SqliteStorage};
use axum::Router;
use millicron_apalis::stored::{Schedules, StoredSchedule};
use millicron_apalis::{Run, Source};
use millicron_board::{Board, StoredSource};
use sqlx::sqlite::SqliteConnectOptions;
use tokio::net::TcpListener;

/// The queue of the tasks.
const QUEUE: &str = "reports";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let options = SqliteConnectOptions::new()
        .filename(directory.path().join("tasks.db"))
        .create_if_missing(true)
        .busy_timeout(Duration::from_mins(1));
    let pool = SqlitePool::connect_with(options).await?;
    SqliteStorage::setup(&pool).await?;
    let schedules = Schedules::open(&pool).await?;
    let tick = StoredSchedule::new("tick", "*:*:0/5").payload("a tick").tag("demo");
    let report = StoredSchedule::new("report/7", "0 9 * * MON-FRI").zone("Europe/Berlin");
    schedules.put_all(&pool, &[tick, report.payload("a report").tag("customer-7")]).await?;

    let source = Source::builder().stored(&schedules).build()?;
    let config = Config::default().queue(QUEUE);
    let storage = SqliteStorage::<Run<String>>::new(&pool).with_config(config);
    let worker = WorkerBuilder::new("worker").backend(source.pipe_to(storage.clone())).build(
        |run: Run<String>| {
            println!("{}: {}", run.key(), run.payload);
            async {}
        },
    );

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/schedules/", listener.local_addr()?);
    let server = axum::serve(listener, pages(&schedules, storage));
    let stop = async {
        let result = tokio::select! {
            // Not gracefully, since open pages stay connected.
            result = server.into_future() => result,
            () = end() => Ok(()),
        };
        source.close();
        result
    };
    let (worker, server) = tokio::join!(worker.run(), stop);
    pool.close().await;
    worker?;
    Ok(server?)
}

/// Returns the two pages. Everybody on this machine may see them. That of the tasks also shows payloads and takes new
/// tasks, without asking for a token, so guard it where that matters.
fn pages(schedules: &Schedules<sqlx::Sqlite>, storage: SqliteStorage<Run<String>>) -> Router {
    let mut board = Board::new(StoredSource::new(schedules)).link("Tasks", "/tasks").public();
    if let Ok(token) = env::var("BOARD_TOKEN") {
        board = board.token(token).actions();
    }
    let tasks = ApiBuilder::new(Router::new()).register(QUEUE, storage).build();
    Router::new()
        .nest_service("/schedules", board.router())
        // The page of `apalis-board` expects these two places.
        .nest("/api/v1", tasks)
        .fallback_service(ServeUI::new())
}

/// Waits for the number of seconds in the argument, or for Ctrl+C.
async fn end() {
    let seconds = env::args().nth(1).and_then(|seconds| seconds.parse().ok());
    match seconds {
        Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
        None => {
            // Without signals, it runs until it is killed.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
